#include "source_dir.h"

namespace catena {

std::string source_dir() { return CATENA_SOURCE_DIR; }

}  // namespace catena
