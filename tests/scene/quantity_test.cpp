#include "catena/scene/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <stdexcept>

namespace catena {
namespace quantity_test {

using std::numbers::pi;
namespace q = quantity;

TEST(Quantity, ABareNumberIsInSiUnits) {
  EXPECT_EQ(parse_quantity("5", q::kLength), 5);
  EXPECT_EQ(parse_quantity("-1.5e-3", q::kMass), -1.5e-3);
  EXPECT_EQ(parse_quantity("+.5", q::kNumber), 0.5);
  EXPECT_EQ(parse_quantity(" 7 ", q::kAngle), 7);
}

TEST(Quantity, UnitsConvertToSi) {
  const struct {
    const char* text;
    const Quantity& quantity;
    double si;
  } cases[] = {
      {"5 mm", q::kLength, 5e-3},
      {"2.5cm", q::kLength, 2.5e-2},
      {"3 km", q::kLength, 3000},
      {"90 deg", q::kAngle, pi / 2},
      {"1.5 rad", q::kAngle, 1.5},
      {"1 turn", q::kAngle, 2 * pi},
      {"3 g", q::kMass, 3e-3},
      {"2 kg", q::kMass, 2},
      {"1 t", q::kMass, 1000},
      {"20 ms", q::kTime, 0.02},
      {"2 min", q::kTime, 120},
      {"3 kN", q::kForce, 3000},
      {"4 Nm", q::kTorque, 4},
      {"4 N m", q::kTorque, 4},
      {"4 N*m", q::kTorque, 4},
      {"60 rpm", q::kTurnRate, 2 * pi},
      {"180 deg/s", q::kTurnRate, pi},
      {"2 rad/s", q::kTurnRate, 2},
      {"3 m/s", q::kSpeed, 3},
      {"5 mm/s", q::kSpeed, 5e-3},
      {"36 km/h", q::kSpeed, 10},
      {"7.8 g/cm3", q::kDensity, 7800},
      {"600 kg/m^3", q::kDensity, 600},
      {"2 Hz", q::kFrequency, 2},
      {"9.81 m/s2", q::kAcceleration, 9.81},
      {"9.81 m/s/s", q::kAcceleration, 9.81},
      {"5 kg cm2", q::kInertia, 5e-4},
      {"2 N/mm", q::kStiffness, 2000},
      {"3 N s/m", q::kDamping, 3},
      {"5 Nm/rad", q::kTurnStiffness, 5},
      {"5 Nm", q::kTurnStiffness, 5},
      {"1 Nm/deg", q::kTurnStiffness, 180 / pi},
      {"6.283185307179586 mm/turn", q::kPitch, 1e-3},
      {"1 um/N", q::kCompliance, 1e-6},
  };
  for (const auto& c : cases) {
    EXPECT_NEAR(parse_quantity(c.text, c.quantity), c.si, 1e-12 * c.si) << c.text;
  }
}

void expect_wrong(const char* text, const Quantity& quantity, const char* message) {
  EXPECT_THAT([&] { parse_quantity(text, quantity); }, testing::ThrowsMessage<std::invalid_argument>(message));
}

TEST(Quantity, DimensionsAreChecked) {
  expect_wrong("5 mm", q::kMass, "'5 mm' is a length; a mass is expected, such as '3 g'");
  expect_wrong("5 mm", q::kAngle, "'5 mm' is a length; an angle is expected, such as '90 deg'");
  expect_wrong("90 deg", q::kLength, "'90 deg' is an angle; a length is expected, such as '5 mm'");
  expect_wrong("2 Hz", q::kTurnRate, "'2 Hz' is a frequency; an angular velocity is expected, such as '60 rpm'");
  expect_wrong("90 deg", q::kNumber, "'90 deg' is an angle; a number without a unit is expected, such as '0.5'");
  expect_wrong("5 mm", q::kPitch, "'5 mm' is a length; a pitch is expected, such as '5 mm/turn'");
  expect_wrong("5 kg/s3", q::kForce, "'5 kg/s3' is something else; a force is expected, such as '10 N'");
}

TEST(Quantity, WhatIsNotANumberIsRefused) {
  expect_wrong("heavy", q::kMass, "'heavy' is not a number; a mass is expected, such as '3 g'");
  expect_wrong("", q::kMass, "'' is not a number; a mass is expected, such as '3 g'");
  expect_wrong(".nan", q::kMass, "'.nan' is not finite; a mass is expected, such as '3 g'");
  expect_wrong("nan", q::kMass, "'nan' is not finite; a mass is expected, such as '3 g'");
  expect_wrong("-.inf", q::kMass, "'-.inf' is not finite; a mass is expected, such as '3 g'");
  expect_wrong("1e999", q::kMass, "'1e999' is not finite; a mass is expected, such as '3 g'");
  expect_wrong("5 mmm", q::kLength, "'5 mmm' has the unknown unit 'mmm'; the nearest is 'mm'");
  expect_wrong("5 m^", q::kLength, "'5 m^' has a unit with the exponent ''; write one such as m2 or m^2");
}

}  // namespace quantity_test
}  // namespace catena
