// Four numbers at once: each has the bits it has by itself.
#include "catena/math/four.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace catena {
namespace four_test {

std::uint64_t bits(double x) { return std::isnan(x) ? 0 : std::bit_cast<std::uint64_t>(x); }

Four four(const std::vector<double>& numbers, std::size_t first) {
  Four out;
  for (int lane = 0; lane < Four::kCount; ++lane)
    out.set(lane, numbers[(first + static_cast<std::size_t>(lane)) % numbers.size()]);
  return out;
}

// Of all sizes and both signs, next to the zeros of sine and cosine, beyond what lanes reduce together, and not finite.
std::vector<double> angles() {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> exponent(-20, 5.5), sign(-1, 1);
  std::vector<double> out;
  for (int i = 0; i < 20000; ++i) out.push_back(std::copysign(std::pow(10.0, exponent(engine)), sign(engine)));
  for (int k = -400; k <= 400; ++k) out.push_back(k * std::numbers::pi / 4);
  for (const double x : {0.0, -0.0, 1e6, -3e9, 1e17, std::numeric_limits<double>::infinity()}) out.push_back(x);
  return out;
}

TEST(Four, SineAndCosineHaveTheBitsOfEachAngleAlone) {
  const std::vector<double> all = angles();
  for (std::size_t i = 0; i < all.size(); i += Four::kCount) {
    const Four x = four(all, i);
    const portable::SinCos<Four> f = sin_cos(x);
    for (int lane = 0; lane < Four::kCount; ++lane) {
      const portable::SinCos<double> alone = portable::sin_cos(x[lane]);
      ASSERT_EQ(bits(f.sin[lane]), bits(alone.sin)) << x[lane];
      ASSERT_EQ(bits(f.cos[lane]), bits(alone.cos)) << x[lane];
    }
  }
}

TEST(Four, RootsAndWholeTurnsHaveTheBitsOfEachNumberAlone) {
  std::vector<double> all = angles();
  for (const double x : {0.5, -0.5, 1.5, -2.5, 0.49999999999999994}) all.push_back(x);
  for (std::size_t i = 0; i < all.size(); i += Four::kCount) {
    const Four x = four(all, i), rounded = round(x), root = sqrt(magnitude(x));
    for (int lane = 0; lane < Four::kCount; ++lane) {
      ASSERT_EQ(bits(rounded[lane]), bits(std::round(x[lane]))) << x[lane];
      ASSERT_EQ(bits(root[lane]), bits(std::sqrt(std::abs(x[lane])))) << x[lane];
    }
  }
}

// Rotations by less and by more than the angle below which their series is taken, and matrices of every branch of from_matrix().
TEST(Four, RotationsHaveTheBitsOfEachAlone) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> exponent(-9, 0.7), uniform(-1, 1);
  for (int i = 0; i < 5000; ++i) {
    std::vector<Vec3> phi;
    Vec3T<Four> in_lanes;
    for (int lane = 0; lane < Four::kCount; ++lane) {
      const double size = std::pow(10.0, exponent(engine));
      phi.push_back(size * Vec3{uniform(engine), uniform(engine), uniform(engine)});
      for (int k = 0; k < 3; ++k) in_lanes[k].set(lane, phi.back()[k]);
    }
    const QuatT<Four> q = exp_rotation(in_lanes), again = from_matrix(to_matrix(q));
    for (int lane = 0; lane < Four::kCount; ++lane) {
      const Quat alone = exp_rotation(phi[static_cast<std::size_t>(lane)]), back = from_matrix(to_matrix(alone));
      ASSERT_EQ(bits(q.w[lane]), bits(alone.w));
      ASSERT_EQ(bits(q.x[lane]), bits(alone.x));
      ASSERT_EQ(bits(again.w[lane]), bits(back.w));
      ASSERT_EQ(bits(again.x[lane]), bits(back.x));
      ASSERT_EQ(bits(again.y[lane]), bits(back.y));
      ASSERT_EQ(bits(again.z[lane]), bits(back.z));
    }
  }
}

}  // namespace four_test
}  // namespace catena
