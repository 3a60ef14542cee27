// What a joint pushes with besides its constraint: motors, limits and dry friction along its coordinates, its actuators, springs and dampers, and
// the spring that a joint with compliance is.
#pragma once

#include "catena/math/spatial.h"
#include "catena/model/model.h"
#include "catena/model/state.h"

namespace catena {

class Dynamics;

// Along one coordinate of a joint, positive where it pushes the coordinate up; N or N·m. Motors, limits and friction are those of the last step.
struct CoordinateForces {
  double motor = 0;     // what a motor pushes with, of limited force or not
  double limit = 0;     // what the stops push with: positive at the lower one
  double friction = 0;  // dry friction
  double actuator = 0;  // actuators and controllers, at the present state
  double passive = 0;   // the joint's spring and damper, and what was set by tau, at the present state
};
// `dynamics` has been evaluated at `state`; `model` is that of the simulation, with its motors and soft joints.
CoordinateForces coordinate_forces(const Model& model, const State& state, Dynamics& dynamics, JointId joint,
                                   int coordinate);

// The whole wrench that crosses the joint: on its second body, at that body's anchor, world axes. Its constraint and everything of
// CoordinateForces. Newton's and Euler's laws of the body hold with it.
Spatial joint_wrench(const Model& model, const State& state, Dynamics& dynamics, JointId joint);

}  // namespace catena
