// Recordings that no run wrote: whatever types, extents and links a file has, reading it ends in numbers or in an InputError, and takes
// no more than a hundred times the file's size.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "catena/model/error.h"
#include "catena/record/contact_table.h"
#include "catena/record/recording.h"
#include "record/temporary_file.h"

namespace catena {
namespace hdf5_bad_files_test {

using testing::TemporaryFile;

// A file with a good column "time" of three numbers, and what `add` puts beside it.
void write_file(const std::filesystem::path& path, const std::function<void(hid_t)>& add) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t three = 3;
  const std::vector<double> numbers{0, 1, 2};
  const hid_t space = H5Screate_simple(1, &three, nullptr);
  const hid_t dataset = H5Dcreate2(file, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
  H5Dclose(dataset), H5Sclose(space);
  add(file);
  H5Fclose(file);
}

struct Layout {
  hsize_t chunk = 0;  // elements; 0: contiguous
  bool deflate = false;
};

hid_t add_dataset(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& extent, Layout layout = {}) {
  const std::vector<hsize_t> unlimited(extent.size(), H5S_UNLIMITED);
  const hid_t space = extent.empty() ? H5Screate(H5S_SCALAR)
                                     : H5Screate_simple(static_cast<int>(extent.size()), extent.data(),
                                                        layout.chunk > 0 ? unlimited.data() : nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (layout.chunk > 0) H5Pset_chunk(creation, 1, &layout.chunk);
  if (layout.deflate) H5Pset_deflate(creation, 9);
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  EXPECT_GE(dataset, 0) << name;
  H5Pclose(creation), H5Sclose(space);
  return dataset;
}

hid_t text_type(std::size_t size) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size);
  return type;
}

std::string error_of(const std::filesystem::path& path) {
  try {
    read_recording(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

// The text of a scene is one text of fixed length. A list of them would be written past the end of one.
TEST(Hdf5BadFiles, ASceneThatIsNotOneTextIsNotRead) {
  for (const std::vector<hsize_t>& extent : {std::vector<hsize_t>{1000}, {2}, {40, 40}, {0}}) {
    const TemporaryFile file(".h5");
    write_file(file.path(), [&](hid_t h5) {
      const hid_t type = text_type(8);
      const hid_t dataset = add_dataset(h5, "scene", type, extent);
      std::string all(8, 'x');
      for (const hsize_t n : extent) all.resize(all.size() * std::max<hsize_t>(n, 1), 'x');
      if (extent != std::vector<hsize_t>{0}) H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
      H5Dclose(dataset), H5Tclose(type);
    });
    const RecordedTable table = read_recording(file.path());
    EXPECT_EQ(table.scene, "");
    EXPECT_EQ(table.column("time"), (std::vector<double>{0, 1, 2}));
  }
}

TEST(Hdf5BadFiles, ASceneOfAnotherTypeIsNotRead) {
  const hid_t variable = text_type(H5T_VARIABLE);
  for (const hid_t type : {variable, H5T_NATIVE_INT, H5T_NATIVE_DOUBLE, H5T_NATIVE_LDOUBLE}) {
    const TemporaryFile file(".h5");
    write_file(file.path(), [&](hid_t h5) { H5Dclose(add_dataset(h5, "scene", type, {})); });
    EXPECT_EQ(read_recording(file.path()).scene, "");
  }
  H5Tclose(variable);
}

// Nothing of these is stored: the file has a few kilobytes and describes gigabytes of fill values.
TEST(Hdf5BadFiles, ExtentsOutOfProportionAreRefused) {
  const std::vector<std::pair<const char*, Layout>> layouts{
      {"contiguous", {}}, {"chunked", {512}}, {"compressed", {512, true}}};
  for (const auto& [what, layout] : layouts) {
    for (const hsize_t length : {hsize_t{1} << 17, hsize_t{1} << 32, hsize_t{1} << 58}) {
      const TemporaryFile file(".h5");
      write_file(file.path(), [&](hid_t h5) { H5Dclose(add_dataset(h5, "rod.x", H5T_IEEE_F64LE, {length}, layout)); });
      ASSERT_LT(std::filesystem::file_size(file.path()), 10000u);
      EXPECT_NE(error_of(file.path()).find("'rod.x'"), std::string::npos) << what << ' ' << length;
    }
  }
}

TEST(Hdf5BadFiles, ManySmallColumnsTogetherAreRefusedToo) {
  const TemporaryFile file(".h5");
  write_file(file.path(), [&](hid_t h5) {
    for (int i = 0; i < 50; ++i) H5Dclose(add_dataset(h5, ("c" + std::to_string(i)).c_str(), H5T_IEEE_F64LE, {100000}));
  });
  EXPECT_NE(error_of(file.path()).find("100 times"), std::string::npos);
}

TEST(Hdf5BadFiles, ATextOutOfProportionIsRefused) {
  const TemporaryFile file(".h5");
  write_file(file.path(), [&](hid_t h5) {
    const hid_t type = text_type(std::size_t{1} << 31);
    H5Dclose(add_dataset(h5, "scene", type, {}));
    H5Tclose(type);
  });
  EXPECT_NE(error_of(file.path()).find("'scene'"), std::string::npos);
}

TEST(Hdf5BadFiles, ChunksOutOfProportionAreRefused) {
  const TemporaryFile file(".h5");
  write_file(file.path(), [&](hid_t h5) {
    H5Dclose(add_dataset(h5, "x", H5T_IEEE_F64LE, {3}, {hsize_t{1} << 28, true}));
  });
  EXPECT_NE(error_of(file.path()).find("chunks"), std::string::npos);
}

// A stream of deflate that goes on long after the chunk is full: HDF5 would inflate all of it.
TEST(Hdf5BadFiles, ACompressedChunkLongerThanAnyOfOursIsRefused) {
  const TemporaryFile file(".h5");
  write_file(file.path(), [&](hid_t h5) {
    const hid_t dataset = add_dataset(h5, "x", H5T_IEEE_F64LE, {512}, {512, true});
    const std::string stored(1 << 18, 'x');
    const hsize_t at = 0;
    H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &at, stored.size(), stored.data());
    H5Dclose(dataset);
  });
  EXPECT_NE(error_of(file.path()).find("compressed chunk"), std::string::npos);
}

// A recording is one file: links and datasets that lead to others are a way to read what the user did not name.
TEST(Hdf5BadFiles, OtherFilesAreNotRead) {
  const TemporaryFile file(".h5"), other(".other.h5"), raw(".raw");
  write_file(other.path(), [](hid_t) {});
  std::ofstream(raw.path()) << std::string(64, 'x');
  write_file(file.path(), [&](hid_t h5) {
    H5Lcreate_external(other.path().c_str(), "time", h5, "linked", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/linked", h5, "soft", H5P_DEFAULT, H5P_DEFAULT);
  });
  EXPECT_EQ(read_recording(file.path()).names, std::vector<std::string>{"time"});

  write_file(file.path(), [&](hid_t h5) {
    const hsize_t eight = 8;
    const hid_t space = H5Screate_simple(1, &eight, nullptr), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, raw.path().c_str(), 0, 64);
    H5Dclose(H5Dcreate2(h5, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    H5Pclose(creation), H5Sclose(space);
  });
  EXPECT_NE(error_of(file.path()).find("another file"), std::string::npos);
}

TEST(Hdf5BadFiles, AttributesOfOtherTypesAndExtentsAreLeftAlone) {
  for (const hid_t type : {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT}) {
    const TemporaryFile file(".h5");
    write_file(file.path(), [&](hid_t h5) {
      const hsize_t many = 100;
      const hid_t space = H5Screate_simple(1, &many, nullptr);
      const hid_t attribute = H5Acreate2(h5, "finished", type, space, H5P_DEFAULT, H5P_DEFAULT);
      const std::vector<double> zeros(many);
      H5Awrite(attribute, type, zeros.data());
      H5Aclose(attribute), H5Sclose(space);
    });
    EXPECT_TRUE(read_recording(file.path()).finished);
  }
}

TEST(Hdf5BadFiles, ContactsOfColumnsThatAreNoNumbersAreRefused) {
  const TemporaryFile file(".h5");
  write_file(file.path(), [&](hid_t h5) {
    H5Gclose(H5Gcreate2(h5, "contacts", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (const std::string& name : contact_columns())
      H5Dclose(add_dataset(h5, ("contacts/" + name).c_str(), H5T_NATIVE_DOUBLE, {7, 7}));
  });
  EXPECT_NE(error_of(file.path()), "");
}

// Indices are numbers in the file: those that are none of a contact's are passed over.
TEST(Hdf5BadFiles, ContactRowsWithImpossibleIndicesAreLeftOut) {
  std::vector<double> good = contact_row(1, {});
  EXPECT_TRUE(is_contact_row(good));
  for (const std::size_t index : {0, 1, 2, 3, 4, 24})
    for (const double bad : {-2.0, 0.5, 1e30, std::nan(""), HUGE_VAL}) {
      std::vector<double> row = good;
      row[index] = bad;
      EXPECT_FALSE(is_contact_row(row)) << index << ' ' << bad;
    }
}

// What compresses best of all that this program writes stays within the limit.
TEST(Hdf5BadFiles, ARecordingInWhichNothingMovesIsReadBack) {
  const TemporaryFile file(".h5");
  std::vector<std::string> names{"time"};
  for (int i = 0; i < 20; ++i) names.push_back("b" + std::to_string(i) + ".x");
  const auto recording = open_recording(file.path(), names, "");
  const std::vector<double> row(names.size(), 0.0);
  for (int i = 0; i < 200000; ++i) recording->write(row);
  recording->finish();
  EXPECT_EQ(read_recording(file.path()).rows(), 200000u);
  RecordProperty("growth", static_cast<int>(200000.0 * 8 * static_cast<double>(names.size()) /
                                            static_cast<double>(std::filesystem::file_size(file.path()))));
}

}  // namespace hdf5_bad_files_test
}  // namespace catena
