// Files out: the samples of a run, one row a sample, as CSV or HDF5, and back again.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/laws/contact_force.h"
#include "catena/record/run_info.h"

namespace catena {

// A file being written. A process killed at any moment leaves a readable file that holds all but the last two seconds or so.
class Recording {
 public:
  virtual ~Recording();  // finishes what was not finished, in silence
  virtual void write(
      std::span<const double> row) = 0;  // one sample, in column order; std::runtime_error if the disk refuses
  // Contacts of the sample just written. Formats that have no place for them leave them out.
  virtual void write_contacts(std::span<const ContactForce> contacts);
  virtual void finish() = 0;  // everything is in the file and the file is closed; once is enough
};

// Chooses the format by the file's extension: .csv, or .h5 and .hdf5. HDF5 also keeps what was run, units, and the contacts
// (contact_table.h).
// Throws InputError for another extension, a path that cannot be written, and column names that are empty or not unique.
std::unique_ptr<Recording> open_recording(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                          const RunInfo& info);
// The same with nothing known but the text of the scene.
std::unique_ptr<Recording> open_recording(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                          const std::string& scene_source);

// A recording read back.
struct RecordedTable {
  std::vector<std::string> names;                     // in the order written
  std::vector<std::vector<double>> columns;           // by name, then by row; all of the same length
  std::string scene;                                  // text of the scene; empty from CSV
  bool finished = true;                               // false: the run was killed (HDF5 only)
  std::vector<std::vector<ContactForce>> contacts{};  // by row; empty from CSV
  std::string run{};                                  // how it was run, as JSON (run_info_of); empty from CSV

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  const std::vector<double>& column(std::string_view name) const;  // throws InputError when there is none
};

// Throws InputError when the file is not there or not a recording. A last line or sample that a killed run did not complete
// is left out.
RecordedTable read_recording(const std::filesystem::path& file);

}  // namespace catena
