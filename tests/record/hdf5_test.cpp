#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>

#include "catena/record/formats.h"
#include "catena/record/recording.h"
#include "record/killed_child.h"
#include "record/temporary_file.h"

namespace catena {
namespace hdf5_test {

using testing::run_and_kill;
using testing::TemporaryFile;

double sample(std::size_t row, std::size_t column) {
  return std::sin(1e-3 * static_cast<double>(row) + static_cast<double>(column));
}

void write_samples(Recording& recording, std::size_t from, std::size_t until, std::size_t columns) {
  std::vector<double> row(columns);
  for (std::size_t i = from; i < until; ++i) {
    for (std::size_t c = 0; c < columns; ++c) row[c] = sample(i, c);
    recording.write(row);
  }
}

void expect_samples(const RecordedTable& table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (std::size_t i = 0; i < table.rows(); ++i)
      ASSERT_EQ(table.columns[c][i], sample(i, c)) << "row " << i << ", column " << c;
}

std::vector<std::string> numbered_columns(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("body" + std::to_string(i) + ".x");
  return names;
}

TEST(Hdf5, ReadsBackNamesOrderNumbersAndScene) {
  const std::vector<std::string> names{"time", "b.x", "a.x", "joint.hip.q[0]", "left/right.x", "50%.x", ".", "größe.x"};
  const std::string scene = "catena: 1\nname: größe\n";
  for (const std::size_t rows : {0, 1, 511, 512, 513, 3000}) {  // around the ends of chunks
    const TemporaryFile file(".h5");
    const auto recording = open_recording(file.path(), names, scene);
    write_samples(*recording, 0, rows, names.size());
    recording->finish();
    const RecordedTable table = read_recording(file.path());
    EXPECT_EQ(table.names, names);
    EXPECT_EQ(table.scene, scene);
    EXPECT_TRUE(table.finished);
    EXPECT_EQ(table.rows(), rows);
    expect_samples(table);
  }
}

// Contacts belong to samples, any number to each; what is read back is what was written.
TEST(Hdf5, KeepsTheContactsOfEverySample) {
  const TemporaryFile file(".h5");
  const auto recording = open_recording(file.path(), {"time"}, "");
  const auto contact = [](int sample, int k) {
    ContactForce c;
    c.contact.a = BodyId(k);
    c.contact.b = k == 0 ? kGround : BodyId(k + 1);
    c.contact.position = {0.1 * sample, 1.0 * k, 3};
    c.contact.normal = {0, 0.6, 0.8};
    c.contact.gap = -1e-6 * sample;
    c.force = {1, 2.0 * sample, 3};
    c.normal = 5;
    c.tangential = {0.25, -0.5};
    c.tangent = {1, 0, 0};
    c.slip = {0, 0, 1e-3};
    c.margin = 0.125;
    c.state = ContactForce::State::slip;
    return c;
  };
  for (int sample = 0; sample < 700; ++sample) {
    recording->write(std::vector{0.01 * sample});
    std::vector<ContactForce> contacts;
    for (int k = 0; k < sample % 4; ++k) contacts.push_back(contact(sample, k));
    recording->write_contacts(contacts);
  }
  recording->finish();
  const RecordedTable table = read_recording(file.path());
  EXPECT_EQ(table.names, std::vector<std::string>{"time"});
  ASSERT_EQ(table.contacts.size(), 700u);
  for (int sample = 0; sample < 700; ++sample) {
    const auto& list = table.contacts[static_cast<std::size_t>(sample)];
    ASSERT_EQ(list.size(), static_cast<std::size_t>(sample % 4));
    for (int k = 0; k < sample % 4; ++k) {
      const ContactForce &got = list[static_cast<std::size_t>(k)], want = contact(sample, k);
      EXPECT_EQ(got.contact.a, want.contact.a);
      EXPECT_EQ(got.contact.b, want.contact.b);
      EXPECT_EQ(got.contact.position, want.contact.position);
      EXPECT_EQ(got.contact.gap, want.contact.gap);
      EXPECT_EQ(got.force, want.force);
      EXPECT_EQ(got.tangential, want.tangential);
      EXPECT_EQ(got.slip, want.slip);
      EXPECT_EQ(got.margin, want.margin);
      EXPECT_EQ(got.state, want.state);
    }
  }
}

TEST(Hdf5, IsChunkedExtendableAndCompressed) {
  const TemporaryFile file(".h5");
  const auto recording = open_recording(file.path(), {"time", "x"}, "");
  for (int i = 0; i < 10000; ++i) recording->write(std::vector{1.0, 2.0});
  recording->finish();
  const hid_t handle = H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(handle, "time", H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset), creation = H5Dget_create_plist(dataset);
  hsize_t length = 0, longest = 0;
  H5Sget_simple_extent_dims(space, &length, &longest);
  EXPECT_EQ(length, 10000u);
  EXPECT_EQ(longest, H5S_UNLIMITED);
  EXPECT_EQ(H5Pget_layout(creation), H5D_CHUNKED);
  EXPECT_EQ(H5Pget_nfilters(creation), 2);
  EXPECT_LT(H5Dget_storage_size(dataset), 8000u);  // of 80 000 uncompressed
  H5Pclose(creation), H5Sclose(space), H5Dclose(dataset), H5Fclose(handle);
}

TEST(Hdf5, TakesThousandsOfColumns) {
  const std::vector<std::string> names = numbered_columns(13000);
  const TemporaryFile file(".h5");
  const auto recording = open_recording(file.path(), names, "");
  write_samples(*recording, 0, 140, names.size());
  recording->finish();
  const RecordedTable table = read_recording(file.path());
  EXPECT_EQ(table.names, names);
  EXPECT_EQ(table.rows(), 140u);
  expect_samples(table);
}

TEST(Hdf5, KilledFastRunIsReadable) {
  const TemporaryFile file(".h5");
  run_and_kill(
      [&] {
        const auto recording = open_recording(file.path(), numbered_columns(10), "catena: 1\n");
        for (std::size_t i = 0;; i += 100) {
          write_samples(*recording, i, i + 100, 10);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      },
      std::chrono::milliseconds(2500));
  const RecordedTable table = read_recording(file.path());
  EXPECT_FALSE(table.finished);
  EXPECT_EQ(table.scene, "catena: 1\n");
  EXPECT_GT(table.rows(), 1000u);
  expect_samples(table);
}

// Too few samples to fill a chunk: they must not wait for one.
TEST(Hdf5, KilledSlowRunIsReadable) {
  const TemporaryFile file(".h5");
  run_and_kill(
      [&] {
        const auto recording = open_recording(file.path(), numbered_columns(10), "");
        for (std::size_t i = 0;; ++i) {
          write_samples(*recording, i, i + 1, 10);
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
      },
      std::chrono::milliseconds(2500));
  const RecordedTable table = read_recording(file.path());
  EXPECT_FALSE(table.finished);
  EXPECT_GT(table.rows(), 50u);
  expect_samples(table);
}

// A run that slows down and speeds up again goes through chunks of both kinds.
TEST(Hdf5, SlowAndFastStretchesMix) {
  const TemporaryFile file(".h5");
  const auto recording = open_recording(file.path(), numbered_columns(3), "");
  write_samples(*recording, 0, 100, 3);
  std::this_thread::sleep_for(kFlushInterval);
  write_samples(*recording, 100, 101, 3);  // commits an unfinished chunk
  write_samples(*recording, 101, 2000, 3);
  std::this_thread::sleep_for(kFlushInterval);
  write_samples(*recording, 2000, 2001, 3);
  recording->finish();
  const RecordedTable table = read_recording(file.path());
  EXPECT_EQ(table.rows(), 2001u);
  expect_samples(table);
}

TEST(Hdf5, LinkNamesAreReversible) {
  for (const std::string name : {"a.x", ".", "a/b", "100%", "%2F", "a/%/b", "%"}) {
    EXPECT_EQ(from_link_name(to_link_name(name)), name);
    EXPECT_EQ(to_link_name(name).find('/'), std::string::npos);
  }
}

}  // namespace hdf5_test
}  // namespace catena
