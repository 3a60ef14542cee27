// Whole files in memory: regular files only, for a device or a pipe may have no end.
#pragma once

#include <filesystem>
#include <string>

#include "catena/model/error.h"

namespace catena {

// A file that is not there, is no regular file, or is too large. The message names it.
class FileError : public InputError {
 public:
  using InputError::InputError;
};

// The bytes of a regular file of at most 1 GB. Throws FileError.
std::string read_text_file(const std::filesystem::path& file);

}  // namespace catena
