#include "catena/record/hdf5_columns.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace catena {
namespace {

constexpr hsize_t kLongestChunk = 512;       // rows
constexpr hsize_t kShortestChunk = 32;       // rows
constexpr hsize_t kBufferNumbers = 1 << 21;  // 16 MiB of rows are held in memory at most, chunks permitting
constexpr unsigned kDeflateLevel = 4;
constexpr std::uint32_t kNoFilters = 0b11;  // mask: shuffle and deflate are both skipped for this chunk

hsize_t chunk_rows(std::size_t width) {
  return std::clamp(std::bit_floor(kBufferNumbers / static_cast<hsize_t>(width)), kShortestChunk, kLongestChunk);
}

}  // namespace

Hdf5Columns::Hdf5Columns(hid_t file, std::vector<std::string> links, const std::vector<std::string>& units)
    : file_(file), links_(std::move(links)), chunk_(chunk_rows(links_.size())), buffer_(chunk_ * links_.size()) {
  create(units);
  begin_chunk();
}

void write_text_attribute(hid_t object, const char* name, const std::string& text) {
  const Hdf5Handle space{hdf5_checked(H5Screate(H5S_SCALAR)), H5Sclose};
  const Hdf5Handle type{hdf5_checked(H5Tcopy(H5T_C_S1)), H5Tclose};
  hdf5_checked(H5Tset_size(type, std::max<std::size_t>(text.size(), 1)));
  hdf5_checked(H5Tset_cset(type, H5T_CSET_UTF8));
  const Hdf5Handle attribute{hdf5_checked(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT)), H5Aclose};
  hdf5_checked(H5Awrite(attribute, type, text.c_str()));
}

void Hdf5Columns::create(const std::vector<std::string>& units) {
  const hsize_t none = 0, unlimited = H5S_UNLIMITED;
  const double fill = std::numeric_limits<double>::quiet_NaN();
  const Hdf5Handle space{hdf5_checked(H5Screate_simple(1, &none, &unlimited)), H5Sclose};
  const Hdf5Handle creation{hdf5_checked(H5Pcreate(H5P_DATASET_CREATE)), H5Pclose};
  hdf5_checked(H5Pset_chunk(creation, 1, &chunk_));
  hdf5_checked(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &fill));
  hdf5_checked(H5Pset_obj_track_times(creation, false));
  hdf5_checked(H5Pset_shuffle(creation));
  hdf5_checked(H5Pset_deflate(creation, kDeflateLevel));
  access_ = {hdf5_checked(H5Pcreate(H5P_DATASET_ACCESS)), H5Pclose};
  hdf5_checked(H5Pset_chunk_cache(access_, 1, 0, H5D_CHUNK_CACHE_W0_DEFAULT));  // buffer_ is the cache
  for (std::size_t c = 0; c < links_.size(); ++c) {
    const hid_t id = H5Dcreate2(file_, links_[c].c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, access_);
    const Hdf5Handle dataset{hdf5_checked(id), H5Dclose};
    if (c < units.size() && !units[c].empty()) write_text_attribute(dataset, "unit", units[c]);
  }
}

void Hdf5Columns::begin_chunk() {
  std::fill(buffer_.begin(), buffer_.end(), std::numeric_limits<double>::quiet_NaN());
  rows_buffered_ = rows_written_ = 0;
}

bool Hdf5Columns::append(std::span<const double> row) {
  for (std::size_t c = 0; c < row.size(); ++c) buffer_[c * chunk_ + rows_buffered_] = row[c];
  if (++rows_buffered_ < chunk_) return false;
  write(true);
  rows_before_ += chunk_;
  begin_chunk();
  return true;
}

void Hdf5Columns::write(bool complete) {
  if (rows_written_ == rows_buffered_) return;
  const QuietHdf5 quiet;
  const hsize_t length = rows_before_ + rows_buffered_;
  const bool compress = complete && rows_written_ == 0;
  const Hdf5Handle memory{hdf5_checked(H5Screate_simple(1, &rows_buffered_, nullptr)), H5Sclose};
  for (std::size_t c = 0; c < links_.size(); ++c) {
    const Hdf5Handle dataset{hdf5_checked(H5Dopen2(file_, links_[c].c_str(), access_)), H5Dclose};
    const double* rows = &buffer_[c * chunk_];
    hdf5_checked(H5Dset_extent(dataset, &length));
    if (compress) {
      const Hdf5Handle space{hdf5_checked(H5Dget_space(dataset)), H5Sclose};
      hdf5_checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, &rows_before_, nullptr, &rows_buffered_, nullptr));
      hdf5_checked(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, rows));
    } else {
      hdf5_checked(H5Dwrite_chunk(dataset, H5P_DEFAULT, kNoFilters, &rows_before_, chunk_ * sizeof(double), rows));
    }
  }
  rows_written_ = rows_buffered_;
}

}  // namespace catena
