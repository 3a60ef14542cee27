#include "catena/record/palette.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace catena {
namespace {

constexpr std::array<std::uint32_t, 12> kFew{0xe4572e, 0x2e86ab, 0xf3a712, 0x5b8c5a, 0xa23b72, 0x3d5a80,
                                             0xe07a5f, 0x29a19c, 0x8d6a9f, 0xc08552, 0x4f9d69, 0xd1495b};
constexpr std::array<std::uint32_t, 8> kRamp{0x3b4cc0, 0x2b8cbe, 0x1fa187, 0x7ac143,
                                             0xf3b61f, 0xee7733, 0xc8324f, 0x8e3b9e};

Rgb linear(std::uint32_t code) {
  const auto part = [&](unsigned shift) { return linear_light(((code >> shift) & 0xff) / 255.0); };
  return {part(16), part(8), part(0)};
}

}  // namespace

// The transfer function of sRGB (IEC 61966-2-1).
double linear_light(double srgb) { return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4); }

Rgb body_colour(std::size_t index, std::size_t count) {
  if (count <= 2 * kFew.size()) return linear(kFew[index % kFew.size()]);
  const double at = static_cast<double>(index) / static_cast<double>(count - 1) * (kRamp.size() - 1);
  const std::size_t low = std::min(static_cast<std::size_t>(at), kRamp.size() - 2);
  const Rgb a = linear(kRamp[low]), b = linear(kRamp[low + 1]);
  const double t = at - static_cast<double>(low);
  return {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
}

Rgb ground_colour() { return linear(0x9aa3ad); }

}  // namespace catena
