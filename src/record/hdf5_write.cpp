// HDF5: every column a chunked, extendable, compressed dataset of the file's root.
//
// A killed process leaves a whole file: hdf5_driver.h orders the metadata, and a chunk, once in the file, never moves. One that
// fills up between two commits is written once, compressed. In a run too slow for that the unfinished chunk is stored
// uncompressed, and later commits overwrite it in place with the same rows and more. Killed in the middle of a commit some
// columns may be longer than others; read_recording takes the shortest.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "catena/model/error.h"
#include "catena/record/formats.h"
#include "catena/record/hdf5_driver.h"
#include "catena/record/hdf5_handle.h"

namespace catena {
namespace {

constexpr hsize_t kLongestChunk = 512;       // rows
constexpr hsize_t kShortestChunk = 32;       // rows
constexpr hsize_t kBufferNumbers = 1 << 21;  // 16 MiB of rows are held in memory at most, chunks permitting
constexpr unsigned kDeflateLevel = 4;
constexpr unsigned kIndexNode = 32;      // a node of a column's index holds twice as many chunks, in 18 kB of memory;
constexpr unsigned kSmallIndexNode = 8;  // in 5 kB, where there are
constexpr std::size_t kManyColumns = 1024;  // of them or more
constexpr std::uint32_t kNoFilters = 0b11;  // mask: shuffle and deflate are both skipped for this chunk

hsize_t chunk_rows(std::size_t width) {
  return std::clamp(std::bit_floor(kBufferNumbers / static_cast<hsize_t>(width)), kShortestChunk, kLongestChunk);
}

class Hdf5Recording final : public Recording {
 public:
  Hdf5Recording(const std::filesystem::path& file, const std::vector<std::string>& columns, const std::string& scene);
  Hdf5Recording(const Hdf5Recording&) = delete;
  Hdf5Recording& operator=(const Hdf5Recording&) = delete;
  ~Hdf5Recording() override;

  void write(std::span<const double> row) override;
  void finish() override;

 private:
  void create_file(const std::filesystem::path& file, std::size_t columns);
  void create_columns(const std::vector<std::string>& columns);
  void write_scene(const std::string& scene);
  void write_attributes();
  void begin_chunk();
  void write_chunk(bool complete);
  void commit();
  template <class Result>
  Result checked(Result result);

  std::string name_;
  std::string failure_;  // what the disk refused; nothing is written after that
  Hdf5Handle file_;
  std::vector<std::string> links_;  // the datasets' names; opening one takes 12 µs, keeping it open 20 kB
  Hdf5Handle access_;               // how they are opened
  Hdf5Handle finished_;             // attribute: 1 once finish() was reached

  hsize_t chunk_;                  // rows a chunk
  std::vector<double> buffer_;     // rows of the current chunk, column after column; NaN where not filled
  hsize_t rows_before_ = 0;        // rows in the chunks before it
  hsize_t rows_buffered_ = 0;      // rows in it
  hsize_t rows_written_ = 0;       // rows of it that are in the file; not 0: the chunk is stored uncompressed
  bool chunks_completed_ = false;  // since the last commit
  std::chrono::steady_clock::time_point committed_;
};

Hdf5Recording::Hdf5Recording(const std::filesystem::path& file, const std::vector<std::string>& columns,
                             const std::string& scene)
    : name_(file.string()), chunk_(chunk_rows(columns.size())), buffer_(chunk_ * columns.size()) {
  const QuietHdf5 quiet;
  create_file(file, columns.size());
  create_columns(columns);
  write_scene(scene);
  write_attributes();
  begin_chunk();
  commit();
}

Hdf5Recording::~Hdf5Recording() {
  try {
    finish();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a destructor has nobody to tell
  }
}

template <class Result>
Result Hdf5Recording::checked(Result result) {
  if (result >= 0) return result;
  if (failure_.empty()) failure_ = fmt::format("{}: cannot be written: {}", name_, hdf5_reason());
  throw std::runtime_error{failure_};
}

void Hdf5Recording::create_file(const std::filesystem::path& file, std::size_t columns) {
  const Hdf5Handle access{checked(H5Pcreate(H5P_FILE_ACCESS)), H5Pclose};
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
  checked(H5Pset_driver(access, ordered_hdf5_driver(), nullptr));
  const Hdf5Handle creation{checked(H5Pcreate(H5P_FILE_CREATE)), H5Pclose};
  checked(H5Pset_istore_k(creation, columns >= kManyColumns ? kSmallIndexNode : kIndexNode));
  checked(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation, access);
  if (id < 0) throw InputError{fmt::format("{}: cannot be written: {}", name_, hdf5_reason())};
  file_ = {id, H5Fclose};
}

void Hdf5Recording::create_columns(const std::vector<std::string>& columns) {
  const hsize_t none = 0, unlimited = H5S_UNLIMITED;
  const double fill = std::numeric_limits<double>::quiet_NaN();
  const Hdf5Handle space{checked(H5Screate_simple(1, &none, &unlimited)), H5Sclose};
  const Hdf5Handle creation{checked(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose};
  checked(H5Pset_chunk(creation, 1, &chunk_));
  checked(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &fill));
  checked(H5Pset_obj_track_times(creation, false));
  checked(H5Pset_shuffle(creation));
  checked(H5Pset_deflate(creation, kDeflateLevel));
  access_ = {checked(H5Pcreate(H5P_DATASET_ACCESS)), H5Pclose};
  checked(H5Pset_chunk_cache(access_, 1, 0, H5D_CHUNK_CACHE_W0_DEFAULT));  // buffer_ is the cache

  links_.reserve(columns.size());
  for (const std::string& column : columns) {
    const std::string& link = links_.emplace_back(to_link_name(column));
    const hid_t id = H5Dcreate2(file_, link.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, access_);
    const Hdf5Handle dataset{checked(id), H5Dclose};
  }
}

void Hdf5Recording::write_scene(const std::string& scene) {
  const Hdf5Handle type{checked(H5Tcopy(H5T_C_S1)), H5Tclose};
  checked(H5Tset_size(type, scene.size() + 1));
  checked(H5Tset_cset(type, H5T_CSET_UTF8));
  const Hdf5Handle space{checked(H5Screate(H5S_SCALAR)), H5Sclose};
  const Hdf5Handle dataset{checked(H5Dcreate2(file_, "scene", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
                           H5Dclose};
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, scene.c_str()));
}

void Hdf5Recording::write_attributes() {
  const Hdf5Handle space{checked(H5Screate(H5S_SCALAR)), H5Sclose};
  const std::string version = CATENA_VERSION;
  const Hdf5Handle type{checked(H5Tcopy(H5T_C_S1)), H5Tclose};
  checked(H5Tset_size(type, version.size()));
  const Hdf5Handle attribute{checked(H5Acreate2(file_, "catena", type, space, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose};
  checked(H5Awrite(attribute, type, version.data()));
  finished_ = {checked(H5Acreate2(file_, "finished", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose};
  const int no = 0;
  checked(H5Awrite(finished_, H5T_NATIVE_INT, &no));
}

void Hdf5Recording::begin_chunk() {
  std::fill(buffer_.begin(), buffer_.end(), std::numeric_limits<double>::quiet_NaN());
  rows_buffered_ = rows_written_ = 0;
}

void Hdf5Recording::write(std::span<const double> row) {
  if (row.size() != links_.size()) throw std::logic_error{"Hdf5Recording::write: one number a column"};
  if (!failure_.empty()) throw std::runtime_error{failure_};
  for (std::size_t c = 0; c < row.size(); ++c) buffer_[c * chunk_ + rows_buffered_] = row[c];
  if (++rows_buffered_ == chunk_) {
    write_chunk(true);
    chunks_completed_ = true;
    rows_before_ += chunk_;
    begin_chunk();
  }
  if (std::chrono::steady_clock::now() - committed_ < kFlushInterval) return;
  if (!chunks_completed_)
    write_chunk(false);  // a slow run; in a fast one the rows of the open chunk are young, and wait
  commit();
}

// The rows of the current chunk, as far as there are, go to the file. `complete`: no more will follow.
void Hdf5Recording::write_chunk(bool complete) {
  if (rows_written_ == rows_buffered_) return;
  const QuietHdf5 quiet;
  const hsize_t length = rows_before_ + rows_buffered_;
  const bool compress = complete && rows_written_ == 0;
  const Hdf5Handle memory{checked(H5Screate_simple(1, &rows_buffered_, nullptr)), H5Sclose};
  for (std::size_t c = 0; c < links_.size(); ++c) {
    const Hdf5Handle dataset{checked(H5Dopen2(file_, links_[c].c_str(), access_)), H5Dclose};
    const double* rows = &buffer_[c * chunk_];
    checked(H5Dset_extent(dataset, &length));
    if (compress) {
      const Hdf5Handle space{checked(H5Dget_space(dataset)), H5Sclose};
      checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, &rows_before_, nullptr, &rows_buffered_, nullptr));
      checked(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows));
    } else {
      checked(H5Dwrite_chunk(dataset, H5P_DEFAULT, kNoFilters, &rows_before_, chunk_ * sizeof(double), rows));
    }
  }
  rows_written_ = rows_buffered_;
}

void Hdf5Recording::commit() {
  const QuietHdf5 quiet;
  checked(H5Fflush(file_, H5F_SCOPE_GLOBAL));
  chunks_completed_ = false;
  committed_ = std::chrono::steady_clock::now();
}

void Hdf5Recording::finish() {
  if (!file_.valid()) return;
  const QuietHdf5 quiet;
  if (failure_.empty()) {
    write_chunk(true);
    commit();
    const int yes = 1;
    checked(H5Awrite(finished_, H5T_NATIVE_INT, &yes));
  }
  finished_.reset();
  checked(file_.reset());
}

}  // namespace

std::unique_ptr<Recording> open_hdf5(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                     const std::string& scene_source) {
  return std::make_unique<Hdf5Recording>(file, columns, scene_source);
}

}  // namespace catena
