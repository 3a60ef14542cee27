// Physical parameters of a model by their path in a scene file.
//
//   gravity.0 .1 .2                                        m/s²
//   bodies.NAME.mass                                       kg; the inertia stays as it is
//   bodies.NAME.inertia.0 … .5                             kg·m²: xx yy zz xy xz yz about the centre of mass
//   joints.NAME.damping .stiffness .rest .friction .armature .compliance .relaxation .limits.lower .limits.upper .limits.restitution
//              .motor.max_force                            of a compound joint: its freedoms', by their names
//   materials.NAME.friction .restitution .rolling .torsion .compliance .relaxation .creep     `materials.default` is what `defaults:` says
//   tendons.NAME.stiffness .damping .friction .rest .rest_upper .lower .upper
//   springs.I.stiffness .damping .length                   I: 0 is the first
//   actuators.I.kp .kv .limit
//   forces.I.force.0 .1 .2, forces.I.torque.0 .1 .2
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/model/model.h"

namespace catena {

// Every path a model has. Limits and motors only where a joint has them.
std::vector<std::string> parameter_paths(const Model& model);

// Throw InputError for an unknown path, naming the nearest.
double parameter(const Model& model, std::string_view path);
// Does not look whether the model is still a valid one.
void set_parameter(Model& model, std::string_view path, double value);

}  // namespace catena
