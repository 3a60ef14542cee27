// What the kinds of sensors read.
#pragma once

#include <cstdint>
#include <string_view>

#include "catena/model/sensor.h"

namespace catena {

struct SensorKind {
  enum class Of : std::uint8_t { frame, joint, ball, control, tendon, body, run };
  int size = 0;           // how many numbers
  const char* unit = "";  // empty where that depends on the joint
  Of of = Of::run;        // what it sits on
};

// nullptr of a kind that is not read.
const SensorKind* sensor_kind(std::string_view name);

// How many numbers a sensor reads: 3 of an accelerometer, 1 of a joint's angle, …; 0 of a kind that is not read.
inline int reading_size(const Sensor& sensor) {
  const SensorKind* kind = sensor_kind(sensor.kind);
  return kind == nullptr ? 0 : kind->size;
}
inline std::string_view reading_unit(const Sensor& sensor) {
  const SensorKind* kind = sensor_kind(sensor.kind);
  return kind == nullptr ? "" : kind->unit;
}

}  // namespace catena
