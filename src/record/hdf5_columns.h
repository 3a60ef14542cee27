// Columns of numbers in an HDF5 file: chunked, extendable, compressed datasets of one length that grow row by row.
//
// A chunk, once in the file, never moves. One that fills up between two commits is written once, compressed. In a run too slow for that
// the unfinished chunk is stored uncompressed, and later writes replace it in place with the same rows and more.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/record/hdf5_handle.h"

namespace catena {

class Hdf5Columns {
 public:
  // `links`: the datasets' paths in the file, whose groups are there. Numbers below 0 of the library's calls are thrown as std::runtime_error.
  // `units`, where there are any, become an attribute "unit" of each dataset.
  Hdf5Columns(hid_t file, std::vector<std::string> links, const std::vector<std::string>& units = {});

  std::size_t width() const { return links_.size(); }
  // True when that filled a chunk, which is then in the file.
  bool append(std::span<const double> row);
  // The rows of the current chunk, as far as there are, go to the file. `complete`: no more will follow.
  void write(bool complete);

 private:
  void create(const std::vector<std::string>& units);
  void begin_chunk();

  hid_t file_;
  std::vector<std::string> links_;  // opening a dataset takes 12 µs, keeping it open 20 kB
  Hdf5Handle access_;               // how they are opened
  hsize_t chunk_;                   // rows a chunk
  std::vector<double> buffer_;      // rows of the current chunk, column after column; NaN where not filled
  hsize_t rows_before_ = 0;         // rows in the chunks before it
  hsize_t rows_buffered_ = 0;       // rows in it
  hsize_t rows_written_ = 0;        // rows of it that are in the file; not 0: the chunk is stored uncompressed
};

// An attribute of a file or dataset: a text of fixed length.
void write_text_attribute(hid_t object, const char* name, const std::string& text);

// The result of a call of the library, or its reason as an exception.
template <class Result>
Result hdf5_checked(Result result) {
  if (result >= 0) return result;
  throw std::runtime_error{hdf5_reason()};
}

}  // namespace catena
