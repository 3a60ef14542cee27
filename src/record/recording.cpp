#include "catena/record/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unordered_set>

#include "catena/model/error.h"
#include "catena/record/formats.h"

namespace catena {
namespace {

enum class Format { csv, hdf5 };

Format format_of(const std::filesystem::path& file, const char* endings) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (extension == ".csv") return Format::csv;
  if (extension == ".h5" || extension == ".hdf5") return Format::hdf5;
  throw InputError{fmt::format("{}: a recording ends in {}, not in '{}'", file.string(), endings, extension)};
}

void check_names(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  if (columns.empty()) throw InputError{fmt::format("{}: a recording needs at least one column", file.string())};
  std::unordered_set<std::string> seen;
  for (const std::string& name : columns) {
    if (name.empty()) throw InputError{fmt::format("{}: a column has an empty name", file.string())};
    if (!seen.insert(name).second) throw InputError{fmt::format("{}: two columns are named '{}'", file.string(), name)};
  }
}

// Opens the file once for writing, so that a refusal has the system's own words.
void check_writable(const std::filesystem::path& file) {
  std::FILE* handle = std::fopen(file.c_str(), "ab");
  if (!handle) throw InputError{fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno))};
  std::fclose(handle);
}

void check_readable(const std::filesystem::path& file) {
  std::error_code none;
  const auto status = std::filesystem::status(file, none);
  if (std::filesystem::exists(status) &&
      !std::filesystem::is_regular_file(status))  // opening a pipe would wait for its other end
    throw InputError{fmt::format("{}: is {}, and a file is expected", file.string(),
                                 std::filesystem::is_directory(status) ? "a directory" : "a device or a pipe")};
  std::FILE* handle = std::fopen(file.c_str(), "rb");
  if (!handle) throw InputError{fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno))};
  std::fclose(handle);
}

}  // namespace

Recording::~Recording() = default;

void Recording::write_contacts(std::span<const ContactForce>) {}

std::unique_ptr<Recording> open_recording(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                          const RunInfo& info) {
  const Format format = format_of(file, ".csv, .h5, .hdf5 or, to be looked at, .html or .glb");
  check_names(file, columns);
  check_writable(file);
  return format == Format::csv ? open_csv(file, columns) : open_hdf5(file, columns, info);
}

std::unique_ptr<Recording> open_recording(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                          const std::string& scene_source) {
  return open_recording(file, columns, RunInfo{.scene = scene_source});
}

RecordedTable read_recording(const std::filesystem::path& file) {
  const Format format = format_of(file, ".csv, .h5 or .hdf5");
  check_readable(file);
  return format == Format::csv ? read_csv(file) : read_hdf5(file);
}

const std::vector<double>& RecordedTable::column(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw InputError{fmt::format("the recording has no column '{}'", name)};
  return columns[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace catena
