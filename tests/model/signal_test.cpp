#include "catena/model/signal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace catena {
namespace signal_test {

TEST(Signal, ConstantIsItsValueAndDoesNotChange) {
  const Signal s = Constant{3.5};
  EXPECT_EQ(value(s, -1), 3.5);
  EXPECT_EQ(value(s, 7), 3.5);
  EXPECT_EQ(derivative(s, 7), 0);
}

TEST(Signal, SineFollowsItsFormulaAndItsDerivative) {
  const Sine sine{2, 0.75, 0.3, -1};
  const double t = 1.234, w = 2 * std::numbers::pi * sine.frequency;
  EXPECT_DOUBLE_EQ(value(sine, t), -1 + 2 * std::sin(w * t + 0.3));
  EXPECT_DOUBLE_EQ(derivative(sine, t), 2 * w * std::cos(w * t + 0.3));
}

TEST(Signal, TableIsLinearBetweenItsPointsAndConstantOutside) {
  const Signal s = Table{{1, 2, 4}, {10, 20, -20}};
  EXPECT_EQ(value(s, 0), 10);
  EXPECT_EQ(value(s, 1.5), 15);
  EXPECT_EQ(value(s, 2), 20);
  EXPECT_EQ(value(s, 3), 0);
  EXPECT_EQ(value(s, 9), -20);
}

TEST(Signal, DerivativeOfATableIsTheSlopeAfterTheTime) {
  const Signal s = Table{{1, 2, 4}, {10, 20, -20}};
  EXPECT_EQ(derivative(s, 0.5), 0);
  EXPECT_EQ(derivative(s, 1), 10);
  EXPECT_EQ(derivative(s, 2), -20);
  EXPECT_EQ(derivative(s, 4), 0);
}

TEST(Signal, OnlyTablesHaveKinks) {
  std::vector<double> times{0.5};
  append_kinks(Constant{1}, times);
  append_kinks(Sine{1, 1, 0, 0}, times);
  append_kinks(Table{{1, 2}, {0, 0}}, times);
  EXPECT_EQ(times, (std::vector<double>{0.5, 1, 2}));
}

}  // namespace signal_test
}  // namespace catena
