// Numbers with units: "90 deg", "5 mm", "7.8 g/cm3". A bare number is in SI units.
#pragma once

#include <string>
#include <string_view>

namespace catena {

// Powers of metre, kilogram, second and radian.
struct Dimension {
  int m = 0, kg = 0, s = 0, rad = 0;
  friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
};

// What a key expects: for the check and for messages.
struct Quantity {
  Dimension dimension;
  const char* name;     // "a length"
  const char* example;  // "5 mm"
};

namespace quantity {
inline constexpr Quantity kNumber{{}, "a number without a unit", "0.5"};
inline constexpr Quantity kLength{{1, 0, 0, 0}, "a length", "5 mm"};
inline constexpr Quantity kAngle{{0, 0, 0, 1}, "an angle", "90 deg"};
inline constexpr Quantity kMass{{0, 1, 0, 0}, "a mass", "3 g"};
inline constexpr Quantity kTime{{0, 0, 1, 0}, "a time", "5 ms"};
inline constexpr Quantity kSpeed{{1, 0, -1, 0}, "a speed", "2 m/s"};
inline constexpr Quantity kTurnRate{{0, 0, -1, 1}, "an angular velocity", "60 rpm"};
inline constexpr Quantity kAcceleration{{1, 0, -2, 0}, "an acceleration", "9.81 m/s2"};
inline constexpr Quantity kForce{{1, 1, -2, 0}, "a force", "10 N"};
inline constexpr Quantity kTorque{{2, 1, -2, 0}, "a torque", "2 Nm"};
inline constexpr Quantity kEnergy{{2, 1, -2, 0}, "an energy", "3 J"};
inline constexpr Quantity kDensity{{-3, 1, 0, 0}, "a density", "600 kg/m3"};
inline constexpr Quantity kInertia{{2, 1, 0, 0}, "a moment of inertia", "0.1 kg m2"};
inline constexpr Quantity kStiffness{{0, 1, -2, 0}, "a stiffness", "100 N/m"};
inline constexpr Quantity kDamping{{0, 1, -1, 0}, "a damping", "3 N s/m"};
inline constexpr Quantity kTurnStiffness{{2, 1, -2, 0}, "a torsional stiffness", "5 Nm/rad"};
inline constexpr Quantity kTurnDamping{{2, 1, -1, 0}, "a torsional damping", "0.1 Nm s/rad"};
inline constexpr Quantity kCompliance{{0, -1, 2, 0}, "a compliance", "1e-6 m/N"};
inline constexpr Quantity kCreep{{0, -1, 1, 0}, "a speed per force", "1e-4 m/s/N"};
inline constexpr Quantity kPitch{{1, 0, 0, -1}, "a pitch", "5 mm/turn"};
inline constexpr Quantity kFrequency{{0, 0, -1, 0}, "a frequency", "2 Hz"};
inline constexpr Quantity kScaleRate{{0, 0, -1, 0}, "a rate", "0.1 1/s"};
}  // namespace quantity

// The number in SI units. Throws std::invalid_argument with the message "'5 mm' is a length; a mass is expected, such as '3 g'".
double parse_quantity(std::string_view text, const Quantity& expected);
// The same of any dimension.
double parse_quantity_of_any_kind(std::string_view text);

}  // namespace catena
