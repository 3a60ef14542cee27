// Sensors of a model, read at the present state of a simulation (docs/reference/sensors.md).
#pragma once

#include <span>
#include <string>

#include "catena/model/model.h"
#include "catena/model/sensor_kinds.h"

namespace catena {

class Dynamics;
class Simulation;

// Of all actuators and controls along one coordinate of a joint, at the state of `dynamics` [N or N·m].
double actuator_force(const Model& model, double time, Dynamics& dynamics, JointId joint, int coordinate);

// Why it cannot be read in this model (an unknown kind, an object that is not there); empty if it can.
std::string fault_of(const Model& model, const Sensor& sensor);

// Puts its reading into `out`, of reading_size() numbers; zeros where fault_of() says that there is none. What depends on forces costs a
// solve where the state has changed since the last one.
void read_sensor(const Simulation& simulation, const Sensor& sensor, std::span<double> out);

}  // namespace catena
