// Joints that attach and let go while the simulation runs: at a time, when two points come near each other, or at a force.
//
// The model never changes. Which joints hold is part of the State (Attachment), so that a restored state goes on as it would have; the
// stepper moves a copy of the model in which the open joints hold nothing: they have no rows, springs, limits, friction or actuators, and
// their bodies may touch each other. What a schedule asks for happens at the beginning of the step, or part of a step, that starts at its time.
//
// Attaching brings the joint's bodies where it has them (Switching::Pose) and then changes all velocities by the smallest change in the
// metric of the mass matrix that lets them satisfy every joint: a plastic impact, in which the impulse of the new joint and those of all
// others are found together. What it does to the energy is booked under contacts, what bringing the bodies there does under projection.
// Contacts answer in the step that follows. Letting go changes no velocity.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/constraint/joint_coordinates.h"
#include "catena/model/model.h"
#include "catena/model/settings.h"
#include "catena/simulation/joint_event.h"

namespace catena {

// Whether some joint has a schedule of its own.
bool has_switching(const Model& model);

// What the joints do at t = 0: empty where the model has no joint that switches.
std::vector<Attachment> first_attachments(const Model& model);

// The model that moves while the joints are attached like this. `zero` has the coordinates of all joints of `model`.
Model running_model(const Model& model, const std::vector<Attachment>& attachments, const JointCoordinates& zero);

// For the layout of coordinates: joints that switch are not of the forest.
Model without_switching_joints(const Model& model);

// What its schedule says next to a joint of which `passed` times have passed; none: nothing.
struct ScheduledSwitch {
  double time = 0;
  bool attach = false;
};
std::optional<ScheduledSwitch> next_scheduled(const Switching& switching, std::int64_t passed);

// How far frame B is from frame A of the model's joint, in the coordinates of body a: what Attachment keeps.
struct FrameGap {
  Vec3 shift{}, turn{};  // m, rad
};
FrameGap frame_gap(const Model& model, const Joint& joint, const State& state);

// The part of it that the joint closes: a hinge leaves the turn about its axis as it is, a slider the travel along it.
FrameGap closing_gap(const Model& model, const Joint& joint, const State& state);

// Assembly while the simulation runs: joints of a kind that is closed where its frames coincide and that are open at the state begin to close,
// each within 1.5 times its gap over `speed`, so that no gap closes faster.                                      Baraff §4.2
void assemble_gradually(const Model& model, double speed, State& state);

// Closes the joints of `running` at a state, and makes its velocities fit. Returns why that cannot be done, or nothing.
struct Closed {
  std::string fault;
  Spatial impulse{};        // of `joint`
  double displacement = 0;  // change of the potential energy by closing, without springs of the joint itself [J]
};
Closed close_joints(const Model& running, JointId joint, const Settings& settings, State& state);

}  // namespace catena
