#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "catena/model/error.h"
#include "catena/record/contact_table.h"
#include "catena/record/formats.h"
#include "catena/record/hdf5_guarded.h"
#include "catena/record/hdf5_handle.h"

namespace catena {
namespace {

// Contacts of the samples there are. A killed run may leave columns of different lengths: the shortest counts.
std::vector<std::vector<ContactForce>> read_contacts(Hdf5Guard& guard, std::size_t samples) {
  std::vector<std::vector<ContactForce>> out(samples);
  std::vector<std::vector<double>> columns;
  for (const std::string& name : contact_columns()) {
    const std::string link = "contacts/" + name;
    const Hdf5Handle dataset = guard.open(link);
    if (!dataset.valid()) return out;
    columns.push_back(guard.read_column(dataset, link));
  }
  std::size_t rows = columns.front().size();
  for (const std::vector<double>& column : columns) rows = std::min(rows, column.size());
  std::vector<double> row(columns.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) row[c] = columns[c][r];
    if (!is_contact_row(row) || row[0] >= static_cast<double>(samples)) continue;
    out[static_cast<std::size_t>(row[0])].push_back(contact_of(row));
  }
  return out;
}

}  // namespace

std::string to_link_name(const std::string& column) {
  if (column == ".") return "%2E";
  std::string link;
  for (const char c : column) c == '/' || c == '%' ? link += fmt::format("%{:02X}", c) : link += c;
  return link;
}

std::string from_link_name(const std::string& link) {
  std::string column;
  for (std::size_t i = 0; i < link.size(); ++i) {
    if (link[i] == '%' && i + 2 < link.size()) {
      column += static_cast<char>(std::strtol(link.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      column += link[i];
    }
  }
  return column;
}

RecordedTable read_hdf5(const std::filesystem::path& file) {
  const QuietHdf5 quiet;
  const Hdf5Handle handle{H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
  if (!handle.valid()) throw InputError{fmt::format("{}: cannot be read as HDF5: {}", file.string(), hdf5_reason())};

  Hdf5Guard guard(file, handle);
  RecordedTable table;
  for (const std::string& link : guard.own_links()) {
    const Hdf5Handle dataset = guard.open(link);
    if (!dataset.valid() || !guard.is_column(dataset)) continue;
    table.names.push_back(from_link_name(link));
    table.columns.push_back(guard.read_column(dataset, link));
  }
  if (table.names.empty()) throw InputError{fmt::format("{}: holds no columns of a recording", file.string())};

  std::size_t rows = table.rows();
  for (const std::vector<double>& column : table.columns) rows = std::min(rows, column.size());
  for (std::vector<double>& column : table.columns) column.resize(rows);
  table.contacts = read_contacts(guard, rows);
  if (const Hdf5Handle scene = guard.open("scene"); scene.valid()) table.scene = guard.read_text(scene, "scene");
  if (const Hdf5Handle run = guard.open("run"); run.valid()) table.run = guard.read_text(run, "run");
  table.finished = guard.read_integer("finished", 1) != 0;
  return table;
}

}  // namespace catena
