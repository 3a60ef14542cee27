// Written from the commands themselves, so that they cannot fall behind them.
#include "completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>

#include "catena/model/error.h"
#include "catena/model/setting_names.h"

namespace catena::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> out;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

template <class Names>
std::string words_of(const Names& names) {
  std::vector<std::string> words;
  for (const auto& [word, value] : names) words.emplace_back(word);
  return fmt::format("{}", fmt::join(words, " "));
}

// Flags that take one of a few words.
std::map<std::string, std::string> word_lists() {
  return {{"--method", words_of(kMethodNames)},           {"--integrator", words_of(kIntegratorNames)},
          {"--stabilise", words_of(kStabilisationNames)}, {"--solver", words_of(kSolverNames)},
          {"--coordinates", words_of(kCoordinatesNames)}, {"--contacts", words_of(kContactModeNames)},
          {"--formulation", words_of(kFormulationNames)}, {"--missing-meshes", "fail skip"},
          {"--overlapping", "separate exclude"}};
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> out;
  for (const CLI::App* command : commands) out.push_back(command->get_name());
  return out;
}

std::string bash_script(const CLI::App& app) {
  const std::vector<const CLI::App*> commands = commands_of(app);
  std::string out = R"(# Completion of catena for bash: source <(catena completion bash)
_catena() {
  local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} flags= words=
)";
  out += fmt::format(
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n    return\n  fi\n  case $last in\n",
      fmt::join(names_of(commands), " "));
  for (const auto& [flag, words] : word_lists()) out += fmt::format("    {}) words='{}' ;;\n", flag, words);
  out += R"(  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  case ${COMP_WORDS[1]} in
)";
  for (const CLI::App* command : commands)
    out += fmt::format("    {}) flags='{}' ;;\n", command->get_name(), fmt::join(flags_of(*command), " "));
  return out + R"bash(  esac
  if [ "${COMP_WORDS[1]}" = examples ] && [ "${word#-}" = "$word" ]; then
    COMPREPLY=($(compgen -W "$(catena examples 2>/dev/null | sed -n 's/^\([a-z0-9_]\+\) .*/\1/p')" -- "$word"))
    return
  fi
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _catena catena
)bash";
}

std::string zsh_script(const CLI::App& app) {
  return "#compdef catena\nautoload -Uz +X bashcompinit && bashcompinit\n" + bash_script(app);
}

std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return "'" + text + "'";
}

std::string fish_script(const CLI::App& app) {
  std::string out = "# Completion of catena for fish: catena completion fish | source\n";
  const auto words = word_lists();
  for (const CLI::App* command : commands_of(app)) {
    const std::string name = command->get_name();
    out += fmt::format("complete -c catena -n __fish_use_subcommand -a {} -d {}\n", name,
                       quoted(command->get_description()));
    for (const CLI::Option* option : command->get_options())
      for (const std::string& flag : option->get_lnames()) {
        const auto list = words.find("--" + flag);
        out += fmt::format("complete -c catena -n '__fish_seen_subcommand_from {}' -l {} -d {}{}\n", name, flag,
                           quoted(option->get_description()),
                           list == words.end() ? "" : fmt::format(" -x -a '{}'", list->second));
      }
  }
  return out;
}

// Text for roff: what it would take for a command is escaped.
std::string roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
    line_begins = c == '\n';
  }
  return out;
}

std::string man_options(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    std::string name = option->get_name(option->get_positional(), true);
    if (option->get_lnames().empty() && option->get_snames().empty()) name = option->get_name(true);
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(name), roff(option->get_description()));
  }
  return out;
}

std::string man_page(const CLI::App& app) {
  std::string out = fmt::format(
      ".TH CATENA 1 \"\" \"catena {}\" \"User Commands\"\n.SH NAME\ncatena \\- articulated multibody dynamics in "
      "linear "
      "time\n.SH SYNOPSIS\n\\fBcatena\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\nSimulates robots, "
      "linkages and other mechanisms with hard joints, closed loops and frictional contact, from scene files (YAML) "
      "and "
      "robot files (URDF, MJCF, SDF, USD text), and records, draws and shows what they do.\n.SH COMMANDS\n",
      CATENA_VERSION);
  for (const CLI::App* command : commands_of(app)) {
    out += fmt::format(".SS catena {}\n{}\n{}", roff(command->get_name()), roff(command->get_description()),
                       man_options(*command));
    if (!command->get_footer().empty()) out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command->get_footer()));
  }
  return out + R"(.SH EXIT STATUS
0 done; 2 the input is wrong; 3 the simulation stopped; 130, 143 interrupted; 1 anything else.
.SH FILES
Scene files are described in scene\-format.md, robot files in reference\-*.md of the documentation.
)";
}

}  // namespace

Command add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print what a shell needs to complete commands and flags");
  command->add_option("shell", *shell, "bash|zsh|fish")->required();
  command->footer(R"(Examples:
  source <(catena completion bash)                             now; in ~/.bashrc: always
  catena completion zsh > ~/.zfunc/_catena                     a folder of your fpath
  catena completion fish > ~/.config/fish/completions/catena.fish)");
  return [shell, &app] {
    const std::map<std::string, std::string (*)(const CLI::App&)> scripts{
        {"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    const auto script = scripts.find(*shell);
    if (script == scripts.end())
      throw InputError(fmt::format("catena completion {}: unknown; it takes one of: bash, zsh, fish", *shell));
    fmt::print("{}", script->second(app));
    return kDone;
  };
}

Command add_man(CLI::App& app) {
  app.add_subcommand("man", "Print the manual page")->footer("Example:\n  catena man > catena.1 && man ./catena.1");
  return [&app] {
    fmt::print("{}", man_page(app));
    return kDone;
  };
}

}  // namespace catena::cli
