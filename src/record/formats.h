// The formats behind recording.h, one pair of functions each.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "catena/record/recording.h"

namespace catena {

inline constexpr std::chrono::seconds kFlushInterval{1};  // a running recording is brought to the file this often

std::unique_ptr<Recording> open_csv(const std::filesystem::path& file, const std::vector<std::string>& columns);
std::unique_ptr<Recording> open_hdf5(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                     const RunInfo& info);

RecordedTable read_csv(const std::filesystem::path& file);
RecordedTable read_hdf5(const std::filesystem::path& file);

// A column's name as the name of an HDF5 link, where '/' would part groups and "." means "here": those and '%' become %XX.
std::string to_link_name(const std::string& column);
std::string from_link_name(const std::string& link);

}  // namespace catena
