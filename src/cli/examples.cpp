// catena examples: what there is to start from, and copies of it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "catena/model/error.h"
#include "catena/model/model.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

struct ExamplesFlags {
  std::vector<std::string> names;
  std::string to = ".";
  bool all = false, force = false, json = false;
};

struct Example {
  std::string name, about;
  fs::path file;
};

// Installed, they are below the prefix of the program; in a build tree, where the sources are.
fs::path examples_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  std::vector<fs::path> places;
  if (!error) places.push_back(program.parent_path() / CATENA_EXAMPLES_FROM_PROGRAM);
  places.emplace_back(CATENA_EXAMPLES);
  for (const fs::path& place : places)
    if (fs::is_directory(place, error)) return fs::weakly_canonical(place);
  std::string looked;
  for (const fs::path& place : places) looked += fmt::format("{}{}", looked.empty() ? "" : " and ", place.string());
  throw InputError(fmt::format("catena examples: none are installed; looked in {}", looked));
}

// The first sentence of the comment a scene begins with.
std::string first_sentence(const fs::path& file) {
  std::ifstream in(file);
  std::string text, line;
  while (std::getline(in, line) && line.starts_with("#")) {
    const std::size_t begin = line.find_first_not_of("# ");
    if (begin == std::string::npos) continue;
    text += (text.empty() ? "" : " ") + line.substr(begin);
    for (std::size_t at = text.find(". "); at != std::string::npos; at = text.find(". ", at + 1))
      if (at >= 3) return text.substr(0, at + 1);
    if (text.ends_with(".")) return text;
  }
  return text;
}

std::vector<Example> find_examples(const fs::path& folder) {
  std::vector<Example> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".yaml")
      found.push_back({entry.path().stem().string(), first_sentence(entry.path()), entry.path()});
  std::sort(found.begin(), found.end(), [](const Example& a, const Example& b) { return a.name < b.name; });
  return found;
}

const Example& example_named(const std::vector<Example>& examples, std::string name) {
  if (name.ends_with(".yaml")) name.resize(name.size() - 5);
  std::vector<std::string> known;
  for (const Example& example : examples) {
    if (example.name == name) return example;
    known.push_back(example.name);
  }
  const std::string near = nearest(name, known);
  throw InputError(fmt::format("catena examples: there is no example '{}'; {}`catena examples` lists them", name,
                               near.empty() ? "" : fmt::format("did you mean '{}'? ", near)));
}

// The text in lines of at most `width` bytes, broken at spaces, all but the first after `indent` spaces.
std::string wrapped(const std::string& text, std::size_t width, int indent) {
  std::string out, line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += fmt::format("{}\n{:{}}", line, "", indent);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return out + line;
}

void list(const std::vector<Example>& examples, bool json) {
  if (json) {
    nlohmann::json out = nlohmann::json::array();
    for (const Example& example : examples)
      out.push_back({{"name", example.name}, {"about", example.about}, {"file", example.file.string()}});
    fmt::print("{}\n", out.dump(2));
    return;
  }
  for (const Example& example : examples) fmt::print("{:20} {}\n", example.name, wrapped(example.about, 100, 21));
  fmt::print(
      "\ncatena examples NAME      copies NAME.yaml into this folder\ncatena view NAME.yaml     runs it in the "
      "browser\n");
}

// All that would be overwritten is named before anything is written.
std::vector<fs::path> targets(const std::vector<const Example*>& chosen, const ExamplesFlags& flags) {
  std::vector<fs::path> out;
  for (const Example* example : chosen) {
    const fs::path target = fs::path(flags.to) / example->file.filename();
    std::error_code error;
    if (fs::exists(target, error) && !flags.force)
      throw InputError(fmt::format(
          "catena examples: {} is there already; --force overwrites it, --to DIR copies elsewhere", target.string()));
    out.push_back(target);
  }
  return out;
}

int copy(const std::vector<const Example*>& chosen, const ExamplesFlags& flags) {
  const std::vector<fs::path> to = targets(chosen, flags);
  std::error_code error;
  fs::create_directories(flags.to, error);
  nlohmann::json written = nlohmann::json::array();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    fs::copy_file(chosen[i]->file, to[i], fs::copy_options::overwrite_existing, error);
    if (error) throw InputError(fmt::format("catena examples: cannot write {}: {}", to[i].string(), error.message()));
    written.push_back(to[i].string());
    if (!flags.json) fmt::print("{}\n", to[i].string());
  }
  if (flags.json) fmt::print("{}\n", written.dump(2));
  return kDone;
}

int run(const ExamplesFlags& flags) {
  const std::vector<Example> examples = find_examples(examples_folder());
  if (flags.names.empty() && !flags.all) {
    list(examples, flags.json);
    return kDone;
  }
  std::vector<const Example*> chosen;
  if (flags.all)
    for (const Example& example : examples) chosen.push_back(&example);
  else
    for (const std::string& name : flags.names) chosen.push_back(&example_named(examples, name));
  return copy(chosen, flags);
}

}  // namespace

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  try {
    for (const Example& example : find_examples(examples_folder())) names.push_back(example.name);
  } catch (const std::exception&) {  // none are installed
  }
  return names;
}

Command add_examples(CLI::App& app) {
  auto flags = std::make_shared<ExamplesFlags>();
  CLI::App* command = app.add_subcommand("examples", "List the examples, or copy some of them");
  command->add_option("names", flags->names, "Examples to copy; default: none, list them");
  command->add_option("--to", flags->to, "Folder to copy into; default: this one");
  command->add_flag("--all", flags->all, "Copy every example");
  command->add_flag("--force", flags->force, "Overwrite files that are there");
  command->add_flag("--json", flags->json, "JSON on stdout");
  command->footer(R"(Examples:
  catena examples                              names, and a sentence on each
  catena examples strandbeest                  copies strandbeest.yaml into this folder
  catena examples four_bar stewart --to mine   copies two into the folder mine)");
  return [flags] { return run(*flags); };
}

}  // namespace catena::cli
