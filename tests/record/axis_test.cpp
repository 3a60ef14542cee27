#include "catena/record/axis.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace axis_test {

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> out;
  for (const Tick& tick : axis.ticks)
    if (!tick.label.empty()) out.push_back(tick.exponent.empty() ? tick.label : tick.label + "^" + tick.exponent);
  return out;
}

using Labels = std::vector<std::string>;

TEST(LinearAxis, PutsTicksAtRoundNumbers) {
  EXPECT_EQ(labels(linear_axis(0, 10, 5)), (Labels{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(labels(linear_axis(-0.31, 0.32, 3)), (Labels{"−0.2", "0.0", "0.2"}));
  EXPECT_EQ(labels(linear_axis(1.001, 1.002, 2)), (Labels{"1.0010", "1.0015", "1.0020"}));
}

// A short panel from 0.03 to 0.66: 0.5 alone would be no scale.
TEST(LinearAxis, HasAtLeastTwoNumbers) {
  EXPECT_GE(labels(linear_axis(0.03, 0.66, 1)).size(), 2u);
  EXPECT_GE(labels(linear_axis(0.03, 0.66, 2)).size(), 2u);
  EXPECT_GE(labels(linear_axis(-0.49, 0.49, 1)).size(), 2u);
}

TEST(LinearAxis, TakesLargeAndSmallNumbersToAPowerOfTen) {
  const Axis small = linear_axis(0, 3e-7, 3);
  EXPECT_EQ(small.exponent, -7);
  EXPECT_EQ(labels(small), (Labels{"0", "1", "2", "3"}));
  EXPECT_EQ(linear_axis(-2e8, 1e8, 3).exponent, 8);
  EXPECT_EQ(linear_axis(0, 5000, 3).exponent, 0);
}

TEST(LinearAxis, WidensARangeWithoutWidth) {
  for (const double value : {0.0, 3.0, -1e-9, 1e300}) {
    const Axis axis = linear_axis(value, value, 5);
    EXPECT_LT(axis.low, value);
    EXPECT_GT(axis.high, value);
    EXPECT_GE(labels(axis).size(), 2u) << value;
  }
  const Axis none = linear_axis(INFINITY, -INFINITY, 5);
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, 1);
}

TEST(LinearAxis, PlacesItsEndsAtZeroAndOne) {
  const Axis axis = linear_axis(-3, 5, 4);
  EXPECT_EQ(axis.place(-3), 0);
  EXPECT_EQ(axis.place(5), 1);
  EXPECT_EQ(axis.place(1), 0.5);
  EXPECT_FALSE(axis.shows(NAN));
  EXPECT_TRUE(axis.shows(-1));
}

TEST(LogarithmicAxis, NumbersDecades) {
  const Axis axis = logarithmic_axis(3e-4, 20, 8);
  EXPECT_DOUBLE_EQ(axis.low, 1e-4);
  EXPECT_DOUBLE_EQ(axis.high, 100);
  EXPECT_EQ(labels(axis), (Labels{"10^−4", "10^−3", "10^−2", "10^−1", "10^0", "10^1", "10^2"}));
  EXPECT_NEAR(axis.place(0.1), 0.5, 1e-12);
  EXPECT_FALSE(axis.shows(0));
}

TEST(LogarithmicAxis, SkipsDecadesWhereTheyWouldCrowd) { EXPECT_LE(labels(logarithmic_axis(1e-30, 1, 6)).size(), 7u); }

TEST(LogarithmicAxis, NumbersTwosAndFivesInANarrowRange) {
  EXPECT_EQ(labels(logarithmic_axis(70, 170, 5)), (Labels{"50", "100", "200"}));
  EXPECT_EQ(labels(logarithmic_axis(3e-9, 9e-9, 5)), (Labels{"2 × 10^−9", "5 × 10^−9", "10^−8"}));
  EXPECT_GE(labels(logarithmic_axis(1, 1, 5)).size(), 2u);
}

// Ranges at the ends of what a double can hold. Each axis has a few ticks, finite ones, and its ends at 0 and 1.
TEST(Axes, AnyRangeOfNumbersHasAFewFiniteTicks) {
  const double numbers[] = {-1.7e308, -1e300, -1, -1e-300, -5e-324, 0,       5e-324,   2e-310,
                            1e-300,   1e-12,  1,  1e12,    1e300,   1.7e308, HUGE_VAL, std::nan("")};
  const double step = 2e-310;
  for (const double a : numbers) {
    for (const double b : {a, a * (1 + 1e-15), a + step, numbers[0], 0.0, 1.0, 1.7e308, -HUGE_VAL}) {
      for (const Axis& axis : {linear_axis(a, b, 5), logarithmic_axis(a, b, 5)}) {
        ASSERT_TRUE(std::isfinite(axis.low) && std::isfinite(axis.high) && axis.low < axis.high) << a << ' ' << b;
        EXPECT_EQ(axis.place(axis.low), 0);
        EXPECT_EQ(axis.place(axis.high), 1);
        EXPECT_LE(labels(axis).size(), 20u) << a << ' ' << b;
        EXPECT_LE(axis.ticks.size(), 700u) << a << ' ' << b;
        for (const Tick& tick : axis.ticks) EXPECT_TRUE(std::isfinite(axis.place(tick.value))) << a << ' ' << b;
      }
    }
  }
}

}  // namespace axis_test
}  // namespace catena
