// Commands that print what the other commands are: `catena completion`, `catena man`.
#pragma once

#include "commands.h"

namespace catena::cli {

Command add_completion(CLI::App& app);
Command add_man(CLI::App& app);

}  // namespace catena::cli
