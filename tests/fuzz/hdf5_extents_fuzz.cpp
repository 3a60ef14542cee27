// Bytes as instructions for the HDF5 library: datasets, groups, links and attributes under the names a recording has, of types, extents,
// layouts and filters that no recording has. The file is well formed, so that what is tested is our reader rather than the library.
#include <hdf5.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "catena/model/error.h"
#include "catena/record/contact_table.h"
#include "catena/record/formats.h"

namespace catena::fuzz {
namespace {

constexpr std::size_t kMostObjects = 40;
constexpr hsize_t kMostWritten = 4096;  // elements

class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool empty() const { return at_ >= bytes_.size(); }
  std::uint8_t next() { return empty() ? 0 : bytes_[at_++]; }
  std::size_t below(std::size_t count) { return next() % count; }
  // Small, or of any size.
  hsize_t extent() {
    const hsize_t small = next();
    return small < 200 ? small % 20 : hsize_t{1} << (small % 60);
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

hid_t any_type(Bytes& bytes) {
  const std::array<hid_t, 7> plain{H5T_IEEE_F64LE,    H5T_IEEE_F32BE, H5T_STD_I32LE,     H5T_STD_U8BE,
                                   H5T_NATIVE_DOUBLE, H5T_C_S1,       H5T_NATIVE_LDOUBLE};
  const std::size_t which = bytes.below(plain.size() + 3);
  if (which < plain.size()) return H5Tcopy(plain[which]);
  if (which == plain.size()) return H5Tvlen_create(H5T_IEEE_F64LE);
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, which == plain.size() + 1 ? H5T_VARIABLE : static_cast<std::size_t>(bytes.extent()) + 1);
  return text;
}

hid_t any_space(Bytes& bytes) {
  const std::size_t rank = bytes.below(5);
  if (rank == 0) return H5Screate(H5S_SCALAR);
  if (rank == 4) return H5Screate(H5S_NULL);
  std::array<hsize_t, 3> extent{}, longest{H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
  for (std::size_t i = 0; i < rank; ++i) extent[i] = bytes.extent();
  return H5Screate_simple(static_cast<int>(rank), extent.data(), bytes.next() % 2 == 0 ? longest.data() : nullptr);
}

hid_t any_layout(Bytes& bytes) {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  const std::array<hsize_t, 3> chunk{bytes.extent() + 1, 1 + bytes.below(4), 1};
  const std::size_t which = bytes.below(4);
  if (which == 1) H5Pset_chunk(creation, static_cast<int>(1 + bytes.below(3)), chunk.data());
  if (which == 2) {
    H5Pset_chunk(creation, 1, chunk.data());
    H5Pset_deflate(creation, 4);
  }
  if (which == 3) H5Pset_external(creation, "/dev/zero", 0, bytes.extent());
  return creation;
}

std::string any_name(Bytes& bytes) {
  const std::array<const char*, 7> names{"time", "scene", "rod.x", "contacts", "finished", "run", "pairs"};
  const std::size_t which = bytes.below(names.size() + 4);
  if (which < names.size()) return names[which];
  return "contacts/" + contact_columns()[bytes.below(contact_columns().size())];
}

void add_dataset(hid_t file, const std::string& name, Bytes& bytes) {
  const hid_t type = any_type(bytes), space = any_space(bytes), layout = any_layout(bytes);
  const hid_t dataset = H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  const hssize_t count = dataset >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
  if (count > 0 && static_cast<hsize_t>(count) <= kMostWritten && H5Tget_class(type) == H5T_FLOAT &&
      H5Pget_external_count(layout) == 0) {
    std::vector<double> numbers(static_cast<std::size_t>(count));
    for (double& x : numbers) x = static_cast<double>(bytes.next()) - 3;
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
  }
  if (dataset >= 0) H5Dclose(dataset);
  H5Pclose(layout);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
}

void add_attribute(hid_t file, const std::string& name, Bytes& bytes) {
  const hid_t type = any_type(bytes), space = any_space(bytes);
  const hid_t attribute = H5Acreate2(file, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
}

void add_object(hid_t file, Bytes& bytes) {
  const std::string name = any_name(bytes);
  switch (bytes.below(6)) {
    case 0: {
      const hid_t group = H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      if (group >= 0) H5Gclose(group);
      break;
    }
    case 1: H5Lcreate_soft("/", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT); break;
    case 2: add_attribute(file, name, bytes); break;
    default: add_dataset(file, name, bytes);
  }
}

}  // namespace
}  // namespace catena::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena;
  static const std::string path = "/dev/shm/catena_fuzz_" + std::to_string(::getpid()) + ".h5";
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  fuzz::Bytes bytes({data, size});
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (std::size_t i = 0; i < fuzz::kMostObjects && !bytes.empty(); ++i) fuzz::add_object(file, bytes);
  H5Fclose(file);
  try {
    const RecordedTable table = read_hdf5(path);
    for (const auto& column : table.columns)
      if (column.size() != table.rows()) std::abort();
  } catch (const InputError&) {
  }
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return 0;
}
