// Numbers made small: whole numbers that follow each other smoothly as a few bits each, zlib, base64.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

class Packer {
 public:
  void bytes(std::string_view raw) { out_ += raw; }
  void u32(std::uint32_t value);
  void f32(double value);
  void f64(double value);
  void i8(int value) { out_ += static_cast<char>(value); }
  // Zigzag, seven bits a byte, least first: small numbers of either sign take one byte.
  void varint(std::int64_t value);

  const std::string& data() const { return out_; }

 private:
  std::string out_;
};

// Sequences of whole numbers, each as its first value and differences of the order (1 to 4) that makes them smallest, as if the first
// value had been there for ever. A smooth motion leaves little but the noise of rounding. The lowest bytes of all
// sequences lie together, then the next ones: bytes that are alike compress well.
class StreamPacker {
 public:
  void add(std::span<const std::int64_t> values);
  // Length and bytes of the table (order, bytes a difference, first value of each sequence), then of each plane of bytes.
  void write(Packer& out) const;

 private:
  static constexpr std::size_t kPlanes = 8;
  Packer table_;
  std::array<std::string, kPlanes> planes_;
};

// Bits that a sequence needs, about: what a budget is made with.
double stream_bits(std::span<const std::int64_t> values);

std::string deflated(std::string_view raw);  // zlib format, at its best
std::string base64(std::string_view raw);
std::string from_base64(std::string_view text);  // throws std::invalid_argument

}  // namespace catena
