#include "catena/record/packing.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <stdexcept>

namespace catena {
namespace {

template <class Word>
void append_little_endian(std::string& out, Word word) {
  for (std::size_t i = 0; i < sizeof(Word); ++i) out += static_cast<char>((word >> (8 * i)) & 0xff);
}

constexpr int kOrders = 4;

// Small numbers of either sign become small numbers.
std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

// Differences of all orders of a sequence that was constant before it began.
class Differences {
 public:
  explicit Differences(std::int64_t first) { last_[0] = first; }
  // [k] is the difference of order k; [0] is the value.
  const std::array<std::int64_t, kOrders + 1>& next(std::int64_t value) {
    std::array<std::int64_t, kOrders + 1> now{value};
    for (std::size_t k = 1; k < now.size(); ++k) now[k] = now[k - 1] - last_[k - 1];
    return last_ = now;
  }

 private:
  std::array<std::int64_t, kOrders + 1> last_{};
};

struct Order {
  int order = 1;
  double bits = 0;  // it takes
};

Order best_order(std::span<const std::int64_t> values) {
  if (values.empty()) return {};
  std::array<double, kOrders + 1> bits{};
  Differences differences(values.front());
  for (const std::int64_t value : values.subspan(1)) {
    const auto& now = differences.next(value);
    for (std::size_t k = 1; k < now.size(); ++k)
      bits[k] += 1.3 + static_cast<double>(std::bit_width(static_cast<std::uint64_t>(std::abs(now[k]))));
  }
  const auto least = std::min_element(bits.begin() + 1, bits.end());
  return {static_cast<int>(least - bits.begin()), *least};
}

}  // namespace

void Packer::u32(std::uint32_t value) { append_little_endian(out_, value); }
void Packer::f32(double value) { append_little_endian(out_, std::bit_cast<std::uint32_t>(static_cast<float>(value))); }
void Packer::f64(double value) { append_little_endian(out_, std::bit_cast<std::uint64_t>(value)); }

void Packer::varint(std::int64_t value) {
  std::uint64_t rest = zigzag(value);
  for (; rest >= 128; rest >>= 7) out_ += static_cast<char>((rest & 127) | 128);
  out_ += static_cast<char>(rest);
}

void StreamPacker::add(std::span<const std::int64_t> values) {
  if (values.empty()) return;
  const auto order = static_cast<std::size_t>(best_order(values).order);
  std::vector<std::uint64_t> coded;
  Differences differences(values.front());
  for (const std::int64_t value : values.subspan(1)) coded.push_back(zigzag(differences.next(value)[order]));
  std::uint64_t all = 0;
  for (const std::uint64_t one : coded) all |= one;
  const auto width = (static_cast<std::size_t>(std::bit_width(all)) + 7) / 8;
  for (std::size_t plane = 0; plane < width; ++plane)
    for (const std::uint64_t one : coded) planes_[plane] += static_cast<char>((one >> (8 * plane)) & 0xff);
  table_.varint(static_cast<std::int64_t>(order));
  table_.varint(static_cast<std::int64_t>(width));
  table_.varint(values.front());
}

void StreamPacker::write(Packer& out) const {
  out.u32(static_cast<std::uint32_t>(table_.data().size()));
  out.bytes(table_.data());
  for (const std::string& plane : planes_) {
    out.u32(static_cast<std::uint32_t>(plane.size()));
    out.bytes(plane);
  }
}

double stream_bits(std::span<const std::int64_t> values) { return best_order(values).bits; }

std::string deflated(std::string_view raw) {
  uLongf size = compressBound(raw.size());
  std::string out(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
                               raw.size(), Z_BEST_COMPRESSION);
  if (status != Z_OK) throw std::runtime_error{"zlib could not compress the run: not enough memory"};
  out.resize(size);
  return out;
}

std::string base64(std::string_view raw) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((raw.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < raw.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = (group << 8) | (i + k < raw.size() ? static_cast<unsigned char>(raw[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= raw.size() ? kDigits[(group >> (18 - 6 * k)) & 63] : '=';
  }
  return out;
}

std::string from_base64(std::string_view text) {
  const auto digit = [](char c) -> std::uint32_t {
    if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
    if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a' + 26);
    if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0' + 52);
    if (c == '+' || c == '/') return c == '+' ? 62 : 63;
    throw std::invalid_argument{"from_base64: not a digit"};
  };
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    group = (group << 6 | digit(c)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(group >> bits & 0xff);
  }
  return out;
}

}  // namespace catena
