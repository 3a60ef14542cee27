#include "catena/record/hdf5_driver.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include "record/temporary_file.h"

namespace {

int writes = 0;
int last_write = -1;  // the process dies in place of the write after this one; -1: never

}  // namespace

// Stands before the C library's, for this program and for the library under test.
extern "C" ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  if (writes++ == last_write) ::raise(SIGKILL);
  return ::syscall(SYS_pwrite64, file, bytes, size, at);
}

namespace catena {
namespace hdf5_driver_test {

using testing::TemporaryFile;

constexpr int kDatasets = 2;
constexpr int kCommits = 14;
constexpr hsize_t kChunk = 4;
using Chunk = std::array<double, kChunk>;

std::string dataset_name(int d) { return "column" + std::to_string(d); }
double value(hsize_t row, int d) { return 1 + static_cast<double>(row) + 1000.0 * d; }

// Appends a chunk to each dataset and commits, again and again, with index nodes so small that they split all the time.
// Returns the number of writes done by the end of each commit.
std::vector<int> write_file(const char* file) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), layout = H5Pcreate(H5P_FILE_CREATE),
              creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
  H5Pset_driver(access, ordered_hdf5_driver(), nullptr);
  H5Pset_istore_k(layout, 1);
  H5Pset_chunk(creation, 1, &kChunk);
  H5Pset_obj_track_times(creation, false);
  const hid_t handle = H5Fcreate(file, H5F_ACC_TRUNC, layout, access);
  const hsize_t none = 0, unlimited = H5S_UNLIMITED;
  const hid_t space = H5Screate_simple(1, &none, &unlimited);
  std::vector<hid_t> datasets;
  for (int d = 0; d < kDatasets; ++d)
    datasets.push_back(
        H5Dcreate2(handle, dataset_name(d).c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Fflush(handle, H5F_SCOPE_GLOBAL);

  std::vector<int> done{writes};
  for (hsize_t row = 0; row < kCommits * kChunk; row += kChunk) {
    const hsize_t length = row + kChunk;
    for (int d = 0; d < kDatasets; ++d) {
      const Chunk chunk{value(row, d), value(row + 1, d), value(row + 2, d), value(row + 3, d)};
      H5Dset_extent(datasets[static_cast<std::size_t>(d)], &length);
      H5Dwrite_chunk(datasets[static_cast<std::size_t>(d)], H5P_DEFAULT, 0, &row, sizeof chunk, chunk.data());
    }
    H5Fflush(handle, H5F_SCOPE_GLOBAL);
    done.push_back(writes);
  }
  for (const hid_t dataset : datasets) H5Dclose(dataset);
  H5Sclose(space), H5Pclose(creation), H5Pclose(layout), H5Pclose(access), H5Fclose(handle);
  done.push_back(writes);
  return done;
}

// Opened as any reader would: every dataset is there, at least `rows` long, and holds what was written.
void expect_whole(const char* file, hsize_t rows) {
  const hid_t handle = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(handle, 0);
  for (int d = 0; d < kDatasets; ++d) {
    const hid_t dataset = H5Dopen2(handle, dataset_name(d).c_str(), H5P_DEFAULT);
    ASSERT_GE(dataset, 0);
    const hid_t space = H5Dget_space(dataset);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    ASSERT_GE(values.size(), rows);
    if (!values.empty()) {
      ASSERT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }
    for (hsize_t row = 0; row < values.size(); ++row)
      ASSERT_EQ(values[row], value(row, d)) << dataset_name(d) << ", row " << row;
    H5Sclose(space), H5Dclose(dataset);
  }
  H5Fclose(handle);
}

TEST(OrderedHdf5Driver, LeavesAWholeFileWhicheverWriteTheProcessDiesAt) {
  const TemporaryFile file(".h5");
  writes = 0;
  last_write = -1;
  const std::vector<int> done = write_file(file.path().c_str());
  expect_whole(file.path().c_str(), kCommits * kChunk);
  ASSERT_GT(done.back(), 10 * kCommits) << "the writes of the library are not seen";

  hsize_t commits = 0;  // complete when the process dies, after the first, which lays the file out
  for (int last = done.front(); last < done.back(); ++last) {
    while (last >= done[commits + 1] && commits < kCommits) ++commits;
    const pid_t child = ::fork();
    if (child == 0) {
      writes = 0;
      last_write = last;
      write_file(file.path().c_str());
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "write " << last;
    expect_whole(file.path().c_str(), commits * kChunk);
    ASSERT_FALSE(HasFatalFailure()) << "killed at write " << last << " of " << done.back();
  }
}

}  // namespace hdf5_driver_test
}  // namespace catena
