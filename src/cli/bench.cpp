#include "commands.h"
namespace catena::cli {
Command add_bench(CLI::App& app) { app.add_subcommand("bench", "Measure"); return [] { return kDone; }; }
}
