#include "catena/import/text_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>

namespace catena {

std::string read_text_file(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t kLargest = 1'000'000'000;  // bytes
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) throw FileError{fmt::format("cannot read '{}'", file.string())};
  if (fs::is_directory(status)) throw FileError{fmt::format("cannot read '{}': it is a directory", file.string())};
  if (!fs::is_regular_file(status))
    throw FileError{fmt::format("cannot read '{}': it is a device or a pipe, and a file is expected", file.string())};
  const std::uintmax_t size = fs::file_size(file, error);
  if (error || size > kLargest)
    throw FileError{fmt::format("cannot read '{}': it is larger than {} MB", file.string(), kLargest / 1'000'000)};
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw FileError{fmt::format("cannot read '{}'", file.string())};
  std::string text(size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace catena
