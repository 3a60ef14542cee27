// catena: the program. Exit code 0 done; 2 the input is wrong; 3 the simulation stopped; 130, 143 interrupted; 1 anything else.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

#include "catena/model/error.h"
#include "catena/model/model.h"
#include "commands.h"
#include "completion.h"

namespace {

using catena::InputError;

constexpr const char* kExamples = R"(Examples:
  catena new my-arm                                           a folder with a commented scene to start from
  catena examples strandbeest                                 copies an example into this folder
  catena simulate strandbeest.yaml --out run.html             a page that plays the run in any browser
  catena simulate arm.yaml --duration 5 --set bodies.hand.mass=2 --out run.csv
  catena plot run.csv hand.x+hand.z 'log(drift.position)' --out run.svg
  catena render run.html --out run.mp4                        a film; also .gif, .webm, .png and, of a recording, .glb
  catena view strandbeest.yaml                                live, in the browser
  catena COMMAND --help                                       the flags of a command, with examples)";

// The nearest of the known words, or the first that the word begins: `sim` for simulate.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  std::string near = catena::nearest(word, known);
  const auto begun =
      std::find_if(known.begin(), known.end(), [&](const std::string& one) { return one.starts_with(word); });
  if (near.empty() && word.size() > 1 && word != "--" && begun != known.end()) near = *begun;
  return near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
}

// The name of a command, or what begins with "-": anything else is a slip.
void check_command(const CLI::App& app, int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "--help";
  if (word.starts_with('-')) return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  throw InputError(fmt::format("catena {}: there is no such command; {}there are {}", word, did_you_mean(word, known),
                               fmt::join(known, ", ")));
}

// CLI11 says that an argument was not expected; we say which was meant.
[[noreturn]] void refuse_extras(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) throw InputError(fmt::format("catena: {}; `catena --help` lists the commands", error.what()));
  const std::string name = "catena " + chosen.front()->get_name();
  std::vector<std::string> known;
  for (const CLI::Option* option : chosen.front()->get_options())
    for (const std::string& flag : option->get_lnames()) known.push_back("--" + flag);
  for (const std::string& word : app.remaining(true)) {
    if (!word.starts_with("--")) continue;
    const std::string flag = word.substr(0, word.find('='));
    throw InputError(
        fmt::format("{}: there is no flag {}; {}`{} --help` lists all", name, flag, did_you_mean(flag, known), name));
  }
  // CLI11 puts the flag before a message that begins with it already.
  std::string what = error.what();
  if (const std::size_t colon = what.find(": ");
      colon != std::string::npos && what.compare(colon + 2, colon, what, 0, colon) == 0)
    what.erase(0, colon + 2);
  throw InputError(fmt::format("{}: {}; `{} --help` says what is taken", name, what, name));
}

int run(int argc, char** argv) {
  using namespace catena::cli;
  CLI::App app{"catena: articulated multibody dynamics in linear time", "catena"};
  app.set_version_flag("--version", "catena " CATENA_VERSION);
  app.footer(kExamples);
  app.require_subcommand(1);
  Command chosen;
  struct Group {
    const char* name;
    std::vector<Command (*)(CLI::App&)> commands;
  };
  for (const Group& group : std::vector<Group>{
           {"Begin", {add_new, add_examples, add_check, add_explain, add_convert}},
           {"Simulate", {add_simulate, add_view, add_compare, add_ensemble}},
           {"Look at runs", {add_plot, add_render, add_audit, add_diff}},
           {"Analyse", {add_dynamics, add_pose, add_equilibrium, add_modes, add_solve}},
           {"The program itself", {add_bench, add_completion, add_man}},
       })
    for (const auto add : group.commands) {
      const Command command = add(app);
      CLI::App* added = app.get_subcommands([](CLI::App*) { return true; }).back();
      added->group(group.name);
      added->callback([&chosen, command] { chosen = command; });
    }
  if (argc < 2) {
    fmt::print("{}", app.help());
    return kDone;
  }
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    refuse_extras(app, error);
  }
  return chosen();
}

// With --json what went wrong is an object on stdout too.
void say_error(const std::string& message, int argc, char** argv) {
  fmt::print(stderr, "{}\n", message);
  const bool json = std::any_of(argv, argv + argc, [](const char* word) { return std::strcmp(word, "--json") == 0; });
  if (!json) return;
  const nlohmann::json object{{"status", "error"}, {"message", message}};
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

int run_or_say_why(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const InputError& error) {
    say_error(error.what(), argc, argv);
    return catena::cli::kWrongInput;
  } catch (const std::bad_alloc&) {
    say_error("catena: there is not enough memory for this", argc, argv);
  } catch (const std::exception& error) {
    say_error(fmt::format("catena: {}", error.what()), argc, argv);
  }
  return catena::cli::kOther;
}

}  // namespace

int main(int argc, char** argv) {
  const int code = run_or_say_why(argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  fmt::print(stderr, "catena: the output could not be written: {}\n", std::strerror(errno));
  return code == catena::cli::kDone ? catena::cli::kOther : code;
}
