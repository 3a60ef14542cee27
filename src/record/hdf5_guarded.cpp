#include "catena/record/hdf5_guarded.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "catena/model/error.h"
#include "catena/record/formats.h"

namespace catena {
namespace {

constexpr std::uint64_t kLargestChunk = 1 << 20;  // bytes, or the file's size where that is more
constexpr std::uint64_t kLargestFilteredChunk =
    1 << 16;  // stored bytes: deflate grows them by up to 1032, whatever the chunk's size
constexpr std::uint64_t kLargestTextAttribute = 1 << 16;

// The product, or the largest number where it would overflow.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

bool is_own_link(hid_t group, const char* name) {
  H5L_info_t info;
  return H5Lget_info(group, name, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
}

bool is_fixed_text(hid_t type) {
  return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && H5Tget_size(type) > 0;
}

std::string up_to_zero(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

}  // namespace

Hdf5Guard::Hdf5Guard(const std::filesystem::path& file, hid_t handle)
    : name_(file.string()),
      file_(handle),
      size_(std::filesystem::file_size(file)),
      budget_(times(size_, kMostGrowth)) {}

void Hdf5Guard::refuse(const std::string& link, const std::string& why) const {
  throw InputError{fmt::format("{}: '{}' cannot be read: {}", name_, from_link_name(link), why)};
}

std::vector<std::string> Hdf5Guard::own_links() const {
  struct Found {
    std::vector<std::string> names;
  } found;
  const auto collect = [](hid_t, const char* name, const H5L_info_t* info, void* out) -> herr_t {
    if (info->type == H5L_TYPE_HARD) static_cast<Found*>(out)->names.emplace_back(name);
    return 0;
  };
  // Files of other origin may not remember the order in which their datasets were made.
  if (H5Literate(file_, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, collect, &found) < 0) {
    found.names.clear();
    H5Literate(file_, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &found);
  }
  return found.names;
}

Hdf5Handle Hdf5Guard::open(const std::string& link) const {
  // Each part of the path: a link on the way may lead elsewhere too.
  for (std::size_t slash = link.find('/'); slash != std::string::npos; slash = link.find('/', slash + 1))
    if (!is_own_link(file_, link.substr(0, slash).c_str())) return {};
  if (!is_own_link(file_, link.c_str())) return {};
  const Hdf5Handle object{H5Oopen(file_, link.c_str(), H5P_DEFAULT), H5Oclose};
  if (!object.valid() || H5Iget_type(object) != H5I_DATASET) return {};
  return {H5Dopen2(file_, link.c_str(), H5P_DEFAULT), H5Dclose};
}

bool Hdf5Guard::is_column(hid_t dataset) const {
  const Hdf5Handle type{H5Dget_type(dataset), H5Tclose};
  const Hdf5Handle space{H5Dget_space(dataset), H5Sclose};
  return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) <= sizeof(long double) &&
         H5Sget_simple_extent_type(space) == H5S_SIMPLE && H5Sget_simple_extent_ndims(space) == 1;
}

// What H5Dread will touch: this file only, and chunks that are not out of proportion to it.
void Hdf5Guard::check_storage(hid_t dataset, const std::string& link) const {
  const Hdf5Handle creation{H5Dget_create_plist(dataset), H5Pclose};
  const Hdf5Handle type{H5Dget_type(dataset), H5Tclose};
  if (H5Pget_external_count(creation) > 0) refuse(link, "its data lie in another file");
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout == H5D_COMPACT || layout == H5D_CONTIGUOUS) return;
  if (layout != H5D_CHUNKED) refuse(link, "its data lie in other datasets");

  std::array<hsize_t, H5S_MAX_RANK> extent{};
  const int rank = H5Pget_chunk(creation, static_cast<int>(extent.size()), extent.data());
  if (rank < 1) refuse(link, hdf5_reason());
  std::uint64_t chunk = H5Tget_size(type);
  for (int i = 0; i < rank; ++i) chunk = times(chunk, extent[static_cast<std::size_t>(i)]);
  if (chunk > std::max(kLargestChunk, size_))
    refuse(link, fmt::format("it is stored in chunks of {} bytes, in a file of {}", chunk, size_));
  if (H5Pget_nfilters(creation) == 0 || rank != 1) return;
  const Hdf5Handle space{H5Dget_space(dataset), H5Sclose};
  const auto length = static_cast<hsize_t>(H5Sget_simple_extent_npoints(space));
  for (hsize_t at = 0; at < length; at += extent[0]) {
    hsize_t stored = 0;
    if (H5Dget_chunk_storage_size(dataset, &at, &stored) < 0) continue;  // never written: fill values
    if (stored > std::max(kLargestFilteredChunk, size_ / 10))
      refuse(link, fmt::format("a compressed chunk of {} bytes, where at most {} are taken", stored,
                               std::max(kLargestFilteredChunk, size_ / 10)));
  }
}

void Hdf5Guard::spend(std::uint64_t bytes, const std::string& link) {
  if (bytes > budget_)
    refuse(link,
           fmt::format("with it the file of {} bytes asks for more than {} times as much memory", size_, kMostGrowth));
  budget_ -= bytes;
}

std::vector<double> Hdf5Guard::read_column(hid_t dataset, const std::string& link) {
  if (!is_column(dataset)) refuse(link, "a list of floating-point numbers is expected");
  const Hdf5Handle space{H5Dget_space(dataset), H5Sclose};
  const Hdf5Handle type{H5Dget_type(dataset), H5Tclose};
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0) refuse(link, hdf5_reason());
  spend(times(static_cast<std::uint64_t>(count), std::max(sizeof(double), H5Tget_size(type))), link);
  check_storage(dataset, link);
  std::vector<double> values(static_cast<std::size_t>(count));
  if (!values.empty() && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    refuse(link, hdf5_reason());
  return values;
}

std::string Hdf5Guard::read_text(hid_t dataset, const std::string& link) {
  const Hdf5Handle type{H5Dget_type(dataset), H5Tclose};
  const Hdf5Handle space{H5Dget_space(dataset), H5Sclose};
  if (!type.valid() || !is_fixed_text(type) || H5Sget_simple_extent_npoints(space) != 1) return {};
  spend(H5Tget_size(type), link);
  check_storage(dataset, link);
  std::string text(H5Tget_size(type), '\0');
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) return {};
  return up_to_zero(std::move(text));
}

int Hdf5Guard::read_integer(const char* name, int otherwise) const {
  if (H5Aexists(file_, name) <= 0) return otherwise;
  const Hdf5Handle attribute{H5Aopen(file_, name, H5P_DEFAULT), H5Aclose};
  const Hdf5Handle type{attribute.valid() ? H5Aget_type(attribute) : H5I_INVALID_HID, H5Tclose};
  const Hdf5Handle space{attribute.valid() ? H5Aget_space(attribute) : H5I_INVALID_HID, H5Sclose};
  if (!type.valid() || H5Tget_class(type) != H5T_INTEGER || H5Sget_simple_extent_npoints(space) != 1) return otherwise;
  int value = otherwise;
  return H5Aread(attribute, H5T_NATIVE_INT, &value) < 0 ? otherwise : value;
}

std::string Hdf5Guard::read_text_attribute(hid_t object, const char* name) const {
  if (H5Aexists(object, name) <= 0) return {};
  const Hdf5Handle attribute{H5Aopen(object, name, H5P_DEFAULT), H5Aclose};
  const Hdf5Handle type{attribute.valid() ? H5Aget_type(attribute) : H5I_INVALID_HID, H5Tclose};
  const Hdf5Handle space{attribute.valid() ? H5Aget_space(attribute) : H5I_INVALID_HID, H5Sclose};
  if (!type.valid() || !is_fixed_text(type) || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tget_size(type) > kLargestTextAttribute) return {};
  std::string text(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, text.data()) < 0) return {};
  return up_to_zero(std::move(text));
}

}  // namespace catena
