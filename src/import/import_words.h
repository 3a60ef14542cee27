// How a robot file was read, in words that a recording keeps: KEY=VALUE.
#pragma once

#include <string>
#include <vector>

#include "catena/import/import.h"

namespace catena {

// Those options that differ from what is usual.
std::vector<std::string> import_words(const ImportOptions& options);
// And back. Unknown words are left out.
ImportOptions import_options_of(const std::vector<std::string>& words);

}  // namespace catena
