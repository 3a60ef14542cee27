#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "catena/model/error.h"
#include "catena/record/contact_table.h"
#include "catena/record/formats.h"
#include "catena/record/hdf5_handle.h"

namespace catena {
namespace {

std::vector<std::string> link_names(hid_t file) {
  std::vector<std::string> names;
  const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  // Files of other origin may not remember the order in which their datasets were made.
  if (H5Literate(file, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, collect, &names) < 0) {
    names.clear();
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names);
  }
  return names;
}

bool is_column(hid_t dataset) {
  const Hdf5Handle type{H5Dget_type(dataset), H5Tclose};
  const Hdf5Handle space{H5Dget_space(dataset), H5Sclose};
  return H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_ndims(space) == 1;
}

std::vector<double> read_column(const std::string& file, const std::string& link, hid_t dataset) {
  const Hdf5Handle space{H5Dget_space(dataset), H5Sclose};
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  if (!values.empty() && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw InputError{fmt::format("{}: column '{}' cannot be read: {}", file, from_link_name(link), hdf5_reason())};
  return values;
}

std::string read_scene(hid_t file) {
  const Hdf5Handle dataset{H5Dopen2(file, "scene", H5P_DEFAULT), H5Dclose};
  const Hdf5Handle type{dataset.valid() ? H5Dget_type(dataset) : H5I_INVALID_HID, H5Tclose};
  if (!type.valid() || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) return {};
  std::string text(H5Tget_size(type), '\0');
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

// Contacts of the samples there are. A killed run may leave columns of different lengths: the shortest counts.
std::vector<std::vector<ContactForce>> read_contacts(const std::string& file, hid_t handle, std::size_t samples) {
  std::vector<std::vector<ContactForce>> out(samples);
  if (H5Lexists(handle, "contacts", H5P_DEFAULT) <= 0) return out;
  std::vector<std::vector<double>> columns;
  for (const std::string& name : contact_columns()) {
    const std::string link = "contacts/" + name;
    const Hdf5Handle dataset{H5Dopen2(handle, link.c_str(), H5P_DEFAULT), H5Dclose};
    if (!dataset.valid()) return out;
    columns.push_back(read_column(file, link, dataset));
  }
  std::size_t rows = columns.front().size();
  for (const std::vector<double>& column : columns) rows = std::min(rows, column.size());
  std::vector<double> row(columns.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) row[c] = columns[c][r];
    if (row[0] >= 0 && row[0] < static_cast<double>(samples))
      out[static_cast<std::size_t>(row[0])].push_back(contact_of(row));
  }
  return out;
}

bool read_finished(hid_t file) {
  const Hdf5Handle attribute{H5Aopen(file, "finished", H5P_DEFAULT), H5Aclose};
  int value = 1;
  if (attribute.valid()) H5Aread(attribute, H5T_NATIVE_INT, &value);
  return value != 0;
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

  RecordedTable table;
  for (const std::string& link : link_names(handle)) {
    const Hdf5Handle dataset{H5Dopen2(handle, link.c_str(), H5P_DEFAULT), H5Dclose};
    if (!dataset.valid() || !is_column(dataset)) continue;
    table.names.push_back(from_link_name(link));
    table.columns.push_back(read_column(file.string(), link, dataset));
  }
  if (table.names.empty()) throw InputError{fmt::format("{}: holds no columns of a recording", file.string())};

  std::size_t rows = table.rows();
  for (const std::vector<double>& column : table.columns) rows = std::min(rows, column.size());
  for (std::vector<double>& column : table.columns) column.resize(rows);
  table.contacts = read_contacts(file.string(), handle, rows);
  table.scene = read_scene(handle);
  table.finished = read_finished(handle);
  return table;
}

}  // namespace catena
