// The little of HDF5's C interface that needs care in one place: closing what was opened, and its error stack as a sentence.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

namespace catena {

// An HDF5 identifier, closed by `close` when it goes out of scope.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { reset(); }

  operator hid_t() const {
    return id_;
  }  // NOLINT(google-explicit-constructor): stands for the identifier in every call
  bool valid() const { return id_ >= 0; }
  herr_t reset() { return valid() ? close_(std::exchange(id_, H5I_INVALID_HID)) : 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// While one lives, HDF5 prints nothing to stderr; what was set before comes back after it.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// The innermost message of HDF5's error stack, which is the one that names the cause.
inline std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        static_cast<std::string*>(out)->assign(error->desc ? error->desc : "");
        return 1;  // the first is enough
      },
      &reason);
  return reason.empty() ? "HDF5 gives no reason" : reason;
}

}  // namespace catena
