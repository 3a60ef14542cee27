#include "catena/record/hdf5_driver.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <new>
#include <unordered_set>
#include <vector>

namespace catena {
namespace {

constexpr haddr_t kLastAddress = (haddr_t{1} << 62) - 1;

struct Metadata {
  H5FD_mem_t type;
  std::vector<unsigned char> bytes;
};

struct OrderedFile {
  H5FD_t base{};  // HDF5's own part; must come first
  int descriptor = -1;
  haddr_t allocated = 0;                    // HDF5's "end of allocation"
  haddr_t length = 0;                       // of the file
  std::map<haddr_t, Metadata> held;         // by address; pieces do not overlap
  std::unordered_set<haddr_t> established;  // addresses of metadata in the file
  bool broken = false;  // a write has failed. The file stays as it is, and later writes are accepted and dropped, for
                        // HDF5 can close a file only as long as nothing more goes wrong
};

OrderedFile& self(H5FD_t* file) { return *reinterpret_cast<OrderedFile*>(file); }
const OrderedFile& self(const H5FD_t* file) { return *reinterpret_cast<const OrderedFile*>(file); }

herr_t fail(const char* what) {
  H5Epush2(H5E_DEFAULT, __FILE__, what, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR, "%s", std::strerror(errno));
  return -1;
}

herr_t break_file(OrderedFile& file, const char* what) {
  file.broken = true;
  return fail(what);
}

herr_t write_through(OrderedFile& file, haddr_t address, std::size_t size, const void* bytes) {
  const char* from = static_cast<const char*>(bytes);
  haddr_t at = address;
  while (size > 0 && !file.broken) {
    const ssize_t done = ::pwrite(file.descriptor, from, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return break_file(file, "pwrite");
    from += done;
    at += static_cast<haddr_t>(done);
    size -= static_cast<std::size_t>(done);
  }
  file.length = std::max(file.length, at);
  return 0;
}

herr_t resize(OrderedFile& file, haddr_t length) {
  if (file.length == length || file.broken) return 0;
  if (::ftruncate(file.descriptor, static_cast<off_t>(length)) != 0) return break_file(file, "ftruncate");
  file.length = length;
  return 0;
}

// Where a piece of metadata comes in the order of a commit; smaller is earlier.
int rank(const OrderedFile& file, haddr_t address, const Metadata& piece) {
  if (!file.established.contains(address)) return 0;
  if (piece.type == H5FD_MEM_SUPER) return 1;
  const bool node = piece.bytes.size() > 5 && std::memcmp(piece.bytes.data(), "TREE", 4) == 0;
  return node ? 257 - piece.bytes[5] : 258;  // byte 5 is the node's level, 0 for a leaf
}

herr_t commit(OrderedFile& file) {
  struct Entry {
    int rank;
    haddr_t address;
  };
  std::vector<Entry> order;
  order.reserve(file.held.size());
  for (const auto& [address, piece] : file.held) order.push_back({rank(file, address, piece), address});
  std::stable_sort(order.begin(), order.end(), [](const Entry& a, const Entry& b) { return a.rank < b.rank; });

  if (file.length < file.allocated && resize(file, file.allocated) < 0) return -1;
  for (const Entry& entry : order) {
    const std::vector<unsigned char>& bytes = file.held.at(entry.address).bytes;
    if (write_through(file, entry.address, bytes.size(), bytes.data()) < 0) return -1;
    file.established.insert(entry.address);
  }
  file.held.clear();
  return 0;
}

// The first held piece that shares a byte with [address, address + size).
std::map<haddr_t, Metadata>::iterator first_held(OrderedFile& file, haddr_t address, std::size_t size) {
  auto piece = file.held.lower_bound(address);
  if (piece != file.held.begin()) {
    const auto before = std::prev(piece);
    if (before->first + before->second.bytes.size() > address) return before;
  }
  return piece != file.held.end() && piece->first < address + size ? piece : file.held.end();
}

herr_t hold(OrderedFile& file, H5FD_mem_t type, haddr_t address, std::size_t size, const void* bytes) {
  const auto held = first_held(file, address, size);
  if (held != file.held.end()) {
    const bool same = held->first == address && held->second.bytes.size() == size;
    if (!same && commit(file) < 0) return -1;  // space put to another use: happens only while the file is laid out
  }
  const auto* from = static_cast<const unsigned char*>(bytes);
  file.held[address] = {type, {from, from + size}};
  return 0;
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
  const int truncate = flags & H5F_ACC_TRUNC ? O_TRUNC : 0;
  const int descriptor = ::open(name, O_RDWR | O_CREAT | O_CLOEXEC | truncate, 0666);
  auto* file = descriptor >= 0 ? new (std::nothrow) OrderedFile : nullptr;
  if (!file) {
    fail("open");
    if (descriptor >= 0) ::close(descriptor);
    return nullptr;
  }
  file->descriptor = descriptor;
  return &file->base;
}

// HDF5 flushes before; what is still held could not be written, and that was said.
herr_t close_file(H5FD_t* base) {
  OrderedFile& file = self(base);
  ::close(file.descriptor);
  delete &file;
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_eoa(const H5FD_t* base, H5FD_mem_t) { return self(base).allocated; }
haddr_t get_eof(const H5FD_t* base, H5FD_mem_t) { return self(base).length; }
herr_t set_eoa(H5FD_t* base, H5FD_mem_t, haddr_t address) {
  self(base).allocated = address;
  return 0;
}

herr_t read(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* out) {
  OrderedFile& file = self(base);
  auto* to = static_cast<unsigned char*>(out);
  const ssize_t got = ::pread(file.descriptor, to, size, static_cast<off_t>(address));
  if (got < 0) return fail("pread");
  std::fill(to + got, to + size, static_cast<unsigned char>(0));
  for (auto piece = first_held(file, address, size); piece != file.held.end() && piece->first < address + size;
       ++piece) {
    const haddr_t from = std::max(piece->first, address);
    const haddr_t until = std::min<haddr_t>(piece->first + piece->second.bytes.size(), address + size);
    std::memcpy(to + (from - address), &piece->second.bytes[from - piece->first], until - from);
  }
  return 0;
}

herr_t write(H5FD_t* base, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size, const void* bytes) try {
  OrderedFile& file = self(base);
  if (type != H5FD_MEM_DRAW) return hold(file, type, address, size, bytes);
  if (first_held(file, address, size) != file.held.end() && commit(file) < 0) return -1;
  return write_through(file, address, size, bytes);
} catch (const std::bad_alloc&) {
  errno = ENOMEM;
  return fail("write");
}

herr_t flush(H5FD_t* base, hid_t, hbool_t) try { return commit(self(base)); } catch (const std::bad_alloc&) {
  errno = ENOMEM;
  return fail("flush");
}

// HDF5 calls this in every flush, before flush(); only at the end may the file become shorter.
herr_t truncate(H5FD_t* base, hid_t dxpl, hbool_t closing) {
  if (!closing) return 0;
  if (flush(base, dxpl, closing) < 0) return -1;
  return resize(self(base), self(base).allocated);
}

}  // namespace

hid_t ordered_hdf5_driver() {
  static const hid_t id = [] {
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 2)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(513);  // 512 and above are free for drivers outside the library
#endif
    driver.name = "catena_ordered";
    driver.maxaddr = kLastAddress;
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.open = open_file;
    driver.close = close_file;
    driver.query = query;
    driver.get_eoa = get_eoa;
    driver.set_eoa = set_eoa;
    driver.get_eof = get_eof;
    driver.read = read;
    driver.write = write;
    driver.flush = flush;
    driver.truncate = truncate;
    std::copy(std::begin(map), std::end(map), driver.fl_map);
    return H5FDregister(&driver);
  }();
  return id;
}

}  // namespace catena
