// Numbers made small, unpacked again by a decoder written from what the header says.
#include "catena/record/packing.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace catena {
namespace packing_test {

// Reads what Packer wrote.
struct Unpacker {
  std::string_view in;

  std::uint8_t byte() {
    const auto out = static_cast<std::uint8_t>(in.at(0));
    in.remove_prefix(1);
    return out;
  }
  std::uint32_t u32() {
    std::uint32_t out = 0;
    for (unsigned k = 0; k < 4; ++k) out |= static_cast<std::uint32_t>(byte()) << (8 * k);
    return out;
  }
  std::int64_t varint() {
    std::uint64_t out = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t one = byte();
      out |= static_cast<std::uint64_t>(one & 127) << shift;
      if (one < 128) break;
    }
    return static_cast<std::int64_t>(out >> 1) ^ -static_cast<std::int64_t>(out & 1);
  }
};

// The sequences of a StreamPacker, of so many numbers each.
std::vector<std::vector<std::int64_t>> unpacked(const std::string& data, const std::vector<std::size_t>& lengths) {
  Unpacker all{data};
  const std::uint32_t table_size = all.u32();
  Unpacker table{all.in.substr(0, table_size)};
  all.in.remove_prefix(table_size);
  std::array<Unpacker, 8> planes;
  for (Unpacker& plane : planes) {
    const std::uint32_t size = all.u32();
    plane.in = all.in.substr(0, size);
    all.in.remove_prefix(size);
  }
  EXPECT_TRUE(all.in.empty());
  std::vector<std::vector<std::int64_t>> out;
  for (const std::size_t length : lengths) {
    std::vector<std::int64_t>& values = out.emplace_back();
    if (length == 0) continue;
    const std::int64_t order = table.varint(), width = table.varint(), first = table.varint();
    // As if the first value had been there for ever: differences of each order up to the last are zero before it.
    std::vector<std::int64_t> last(static_cast<std::size_t>(order) + 1, 0);
    last[0] = first;
    values.push_back(first);
    std::vector<std::uint64_t> coded(length - 1, 0);
    for (std::size_t plane = 0; plane < static_cast<std::size_t>(width); ++plane)
      for (std::uint64_t& one : coded) one |= static_cast<std::uint64_t>(planes[plane].byte()) << (8 * plane);
    for (const std::uint64_t one : coded) {
      std::int64_t difference = static_cast<std::int64_t>(one >> 1) ^ -static_cast<std::int64_t>(one & 1);
      for (auto k = static_cast<std::size_t>(order); k-- > 0;) {
        last[k + 1] = difference;
        difference = last[k] += difference;
      }
      values.push_back(last[0]);
    }
  }
  return out;
}

TEST(Packing, whole_numbers_of_either_sign_come_back_and_small_ones_take_one_byte) {
  const std::vector<std::int64_t> numbers{0,
                                          -1,
                                          1,
                                          63,
                                          -64,
                                          64,
                                          -65,
                                          12345678901234,
                                          -98765432109876,
                                          std::numeric_limits<std::int64_t>::max(),
                                          std::numeric_limits<std::int64_t>::min()};
  Packer packer;
  for (const std::int64_t n : numbers) packer.varint(n);
  Unpacker unpacker{packer.data()};
  for (const std::int64_t n : numbers) {
    const std::size_t before = unpacker.in.size();
    EXPECT_EQ(unpacker.varint(), n);
    EXPECT_EQ(before - unpacker.in.size() == 1, n >= -64 && n < 64);
  }
  EXPECT_TRUE(unpacker.in.empty());
}

TEST(Packing, sequences_come_back_and_smooth_ones_take_fewer_bytes_than_their_numbers) {
  std::vector<std::vector<std::int64_t>> sequences(4);
  for (int i = 0; i < 200; ++i) {
    const double t = 0.01 * i;
    sequences[0].push_back(std::llround(1e6 * std::sin(3 * t)));         // smooth
    sequences[1].push_back(std::llround(1e4 * std::fmod(97.3 * i, 1)));  // noise
    sequences[3].push_back(-77);
  }
  StreamPacker streams;
  std::vector<std::size_t> lengths;
  for (const auto& sequence : sequences) {
    streams.add(sequence);
    lengths.push_back(sequence.size());
  }
  Packer packer;
  streams.write(packer);
  EXPECT_EQ(unpacked(packer.data(), lengths), sequences);
  EXPECT_LT(stream_bits(sequences[0]), 200 * 14);
  EXPECT_LT(stream_bits(sequences[0]), stream_bits(sequences[1]) * 2);
  EXPECT_LE(stream_bits(sequences[3]), 200 * 8);
}

TEST(Packing, text_of_every_length_and_byte_comes_back_from_base64) {
  std::string raw;
  for (int i = 0; i < 260; ++i) {
    const std::string text = base64(raw);
    EXPECT_EQ(text.size(), (raw.size() + 2) / 3 * 4);
    EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="),
              std::string::npos);
    EXPECT_EQ(from_base64(text), raw);
    raw += static_cast<char>((37 * i) & 0xff);
  }
  EXPECT_EQ(base64("Man"), "TWFu");
  EXPECT_EQ(base64("Ma"), "TWE=");
  EXPECT_THROW(from_base64("TW!u"), std::invalid_argument);
}

TEST(Packing, what_is_deflated_is_what_zlib_inflates) {
  std::string raw;
  for (int i = 0; i < 5000; ++i) raw += static_cast<char>('a' + i % 7);
  const std::string small = deflated(raw);
  EXPECT_LT(small.size(), raw.size() / 10);
  std::string back(raw.size(), '\0');
  uLongf size = back.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(back.data()), &size, reinterpret_cast<const Bytef*>(small.data()),
                       small.size()),
            Z_OK);
  EXPECT_EQ(back, raw);
}

}  // namespace packing_test
}  // namespace catena
