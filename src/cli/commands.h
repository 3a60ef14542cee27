// The commands of the program. Each adds its flags to the command line and runs when chosen; the number returned is the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace catena::cli {

using Command = std::function<int()>;

Command add_simulate(CLI::App& app);
Command add_check(CLI::App& app);
Command add_convert(CLI::App& app);
Command add_explain(CLI::App& app);
Command add_dynamics(CLI::App& app);
Command add_pose(CLI::App& app);
Command add_compare(CLI::App& app);
Command add_equilibrium(CLI::App& app);
Command add_modes(CLI::App& app);
Command add_audit(CLI::App& app);
Command add_diff(CLI::App& app);
Command add_solve(CLI::App& app);
Command add_plot(CLI::App& app);
Command add_render(CLI::App& app);
Command add_ensemble(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_view(CLI::App& app);
Command add_new(CLI::App& app);
Command add_examples(CLI::App& app);

inline constexpr int kDone = 0, kOther = 1, kWrongInput = 2, kStopped = 3;

}  // namespace catena::cli
