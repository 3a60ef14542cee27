#include "catena/math/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace catena {
namespace elementary_test {

// The error of `ours` in units of the last place of the true value. The witness is the C library's function of long double, with 11 bits more.
double units(double ours, long double truth) {
  const auto rounded = static_cast<double>(truth);
  const double unit = std::max(
      std::nextafter(std::abs(rounded), std::numeric_limits<double>::infinity()) - std::abs(rounded), 0x1p-1074);
  return static_cast<double>(std::abs(static_cast<long double>(ours) - truth) / unit);
}

// Numbers of every size between 10^low and 10^high, of both signs.
std::vector<double> numbers(double low, double high, int count = 20000) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> exponent(low, high), sign(-1, 1);
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(std::copysign(std::pow(10.0, exponent(engine)), sign(engine)));
  return out;
}

// Half a unit by the last addition, and some tenths by what is added to the first term of the series.
TEST(Elementary, SineAndCosineAreRightToTheLastPlace) {
  std::vector<double> angles = numbers(-20, 6);
  for (int k = -2000; k <= 2000; ++k)
    if (k != 0) angles.push_back(k * std::numbers::pi / 4);  // next to the zeros all digits come from the reduction
  for (int k = 1; k < 300; ++k) angles.push_back(k * 12345.678 * std::numbers::pi / 2);
  for (const double x : angles) {
    const portable::SinCos<double> f = portable::sin_cos(x);
    // The witness reduces by a π of 66 bits, so next to a zero it is right to |x| 2^-66 only.
    const double blur = std::abs(x) * 0x1p-64;
    EXPECT_LT(units(f.sin, std::sin(static_cast<long double>(x))), 0.8 + blur / std::abs(f.sin) * 0x1p53) << x;
    EXPECT_LT(units(f.cos, std::cos(static_cast<long double>(x))), 0.8 + blur / std::abs(f.cos) * 0x1p53) << x;
  }
  EXPECT_TRUE(std::isnan(portable::sin(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE(std::isnan(portable::cos(std::numeric_limits<double>::quiet_NaN())));
}

// Up to 1e15 rad, against the C library, which reduces every double exactly.
TEST(Elementary, LargeAnglesAreReducedWithoutLoss) {
  for (const double x : numbers(6, 15, 4000)) {
    const portable::SinCos<double> f = portable::sin_cos(x);
    EXPECT_NEAR(f.sin * f.sin + f.cos * f.cos, 1, 4e-16);
    EXPECT_NEAR(f.sin, std::sin(x), 3e-16) << x;
    EXPECT_NEAR(f.cos, std::cos(x), 3e-16) << x;
  }
}

// One division, one term of a table and one of the series: each rounds by half a unit at most.
TEST(Elementary, AnglesOfPointsAreRightInEveryQuadrant) {
  const std::vector<double> ys = numbers(-12, 12), xs = numbers(-3, 3);
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const double y = ys[i], x = xs[xs.size() - 1 - i];
    EXPECT_LT(units(portable::atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))), 2.5)
        << y << ' ' << x;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double y : {0.0, -0.0, 1.0, -1.0, infinity, -infinity, 5e-324, 1e308})
    for (const double x : {0.0, -0.0, 1.0, -1.0, infinity, -infinity, 5e-324, -1e308}) {
      EXPECT_NEAR(portable::atan2(y, x), std::atan2(y, x), 5e-16) << y << ' ' << x;
      EXPECT_EQ(std::signbit(portable::atan2(y, x)), std::signbit(y));
    }
}

TEST(Elementary, InverseSinesAreRight) {
  for (double x = -1; x <= 1; x += 0x1p-10) {
    EXPECT_LT(units(portable::asin(x), std::asin(static_cast<long double>(x))), 3) << x;
    EXPECT_LT(units(portable::acos(x), std::acos(static_cast<long double>(x))), 3) << x;
  }
  EXPECT_TRUE(std::isnan(portable::asin(1.5)));
}

TEST(Elementary, ExponentialsAndLogarithmsAreRight) {
  for (double x = -700; x < 709; x += 0.0773)
    EXPECT_LT(units(portable::exp(x), std::exp(static_cast<long double>(x))), 1.5) << x;
  for (const double x : numbers(-18, 0))
    EXPECT_LT(units(portable::expm1(x), std::expm1(static_cast<long double>(x))), 3) << x;
  for (const double x : numbers(-300, 300))
    EXPECT_LT(units(portable::log(std::abs(x)), std::log(static_cast<long double>(std::abs(x)))), 2) << x;
  for (double x = 0.9; x < 1.1; x += 1e-4)
    EXPECT_LT(units(portable::log(x), std::log(static_cast<long double>(x))), 2) << x;
  EXPECT_EQ(portable::exp(1000), std::numeric_limits<double>::infinity());
  EXPECT_EQ(portable::exp(-1000), 0);
  EXPECT_EQ(portable::log(0), -std::numeric_limits<double>::infinity());
}

TEST(Elementary, PowersAreRight) {
  EXPECT_EQ(portable::pow(2, 10), 1024);
  EXPECT_EQ(portable::pow(2, -1), 0.5);
  EXPECT_EQ(portable::pow(-3, 3), -27);
  EXPECT_EQ(portable::pow(2, 0.5), std::sqrt(2.0));
  for (double x = 0.1; x < 20; x *= 1.3)
    for (const double y : {0.25, -0.7, 1.5, 3.2})  // the error of y ln x, up to 10 units, becomes a relative one
      EXPECT_NEAR(portable::pow(x, y) / std::pow(x, y), 1, 4e-15);
}

// Bits that every processor gives, recorded once: had one of the functions used an instruction that some processors lack, they would differ there.
TEST(Elementary, TheBitsAreThoseOfEveryProcessor) {
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&hash](double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  };
  for (int i = 1; i <= 3000; ++i) {
    const double x = 0.37 * i - 400.0 / i;
    add(portable::sin(x));
    add(portable::cos(1e4 * x));
    add(portable::atan2(x, 17.0 - i));
    add(portable::exp(-0.01 * i));
    add(portable::log(0.1 * i));
  }
  EXPECT_EQ(hash, 7094362403786850803u);
}

}  // namespace elementary_test
}  // namespace catena
