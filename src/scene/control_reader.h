// Tendons, and actuators with an input: set-points that programs can change, filters, integrals, tendons.
#pragma once

#include "catena/scene/draft.h"

namespace catena {

// Whether an entry of `actuators:` says something that only a control (model/control.h) has.
bool is_control(const Value& actuator);
void read_control(const Value& actuator, Draft& draft);

}  // namespace catena
