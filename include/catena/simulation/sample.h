// A simulation as a row of numbers with names: what recordings hold.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/simulation/simulation.h"

namespace catena {

// time; NAME.x … for each body; joint.NAME.q[0] …, .v[0] …, .fx … for each joint, and .motor[k], .limit[k], .friction[k] where it has them;
// actuator.NAME.force for each actuator; ctrl.NAME and actuator.NAME.force for each control;
// sensor.NAME, or sensor.NAME[0] …, for each sensor that can be read; energy.*, drift.*, residual, contacts.*.
std::vector<std::string> column_names(const Model& model);

// Fills one row at the present state. `row` has as many numbers as there are columns.
void sample(Simulation& simulation, std::span<double> row);

}  // namespace catena
