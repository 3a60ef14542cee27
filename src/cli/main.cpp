// catena: the program. Exit code 0 done; 2 the input is wrong; 3 the simulation stopped; 1 anything else.
#include <fmt/format.h>

#include <exception>

#include "catena/model/error.h"
#include "commands.h"

namespace {

int run(int argc, char** argv) {
  using namespace catena::cli;
  CLI::App app{"catena: articulated multibody dynamics in linear time", "catena"};
  app.set_version_flag("--version", "catena " CATENA_VERSION);
  app.require_subcommand(1);
  Command chosen;
  for (const auto add :
       {add_simulate, add_explain, add_dynamics, add_check, add_compare, add_solve, add_plot, add_bench, add_view}) {
    const Command command = add(app);
    app.get_subcommands([](CLI::App*) { return true; }).back()->callback([&chosen, command] { chosen = command; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongInput;
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const catena::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return catena::cli::kWrongInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "catena: {}\n", error.what());
    return catena::cli::kOther;
  }
}
