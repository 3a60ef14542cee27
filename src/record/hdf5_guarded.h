// Reading from an HDF5 file that anybody may have written: a dataset is read only after its type, extent and way of storage have been
// checked, and all that is read from one file takes at most kMostGrowth times the file's own size in memory.
//
// HDF5 lets a file of a kilobyte describe a dataset of any length (what was never stored is fill values), a chunk of any size, and data
// that lie in other files. H5Dread trusts the caller to have looked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "catena/record/hdf5_handle.h"

namespace catena {

class Hdf5Guard {
 public:
  // 512 equal numbers, a chunk of 4096 bytes, take 57 bytes of a file that this program writes: a factor of 72.
  static constexpr std::uint64_t kMostGrowth = 100;

  // `file` exists and has been opened as `handle`.
  Hdf5Guard(const std::filesystem::path& file, hid_t handle);

  // Names of the links of the root that are objects of this file (a soft or external link may lead to another), in the order they were
  // made where the file remembers it.
  std::vector<std::string> own_links() const;

  // The dataset `link`; not valid when there is none in this file.
  Hdf5Handle open(const std::string& link) const;

  // A list of floating-point numbers, or no column.
  bool is_column(hid_t dataset) const;
  // A column's numbers. Throws InputError that names the file and the column `link`.
  std::vector<double> read_column(hid_t dataset, const std::string& link);
  // One text of fixed length, up to its first zero byte; empty when the dataset is anything else. Throws InputError when it is too long.
  std::string read_text(hid_t dataset, const std::string& link);
  // A whole number of the root's attributes; `otherwise` when there is no such attribute.
  int read_integer(const char* name, int otherwise) const;
  // The same of a text.
  std::string read_text_attribute(hid_t object, const char* name) const;

 private:
  void check_storage(hid_t dataset, const std::string& link) const;
  void spend(std::uint64_t bytes, const std::string& link);
  [[noreturn]] void refuse(const std::string& link, const std::string& why) const;

  std::string name_;
  hid_t file_;
  std::uint64_t size_;    // of the file, bytes
  std::uint64_t budget_;  // bytes of memory that its datasets may still take
};

}  // namespace catena
