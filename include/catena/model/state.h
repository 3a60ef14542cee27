// State: everything that changes, and everything a snapshot must save.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "catena/math/rotation.h"
#include "catena/model/joint.h"

namespace catena {

// One layout for all kinds of body: a particle leaves its rotation alone, a planar body stays in the x–y plane.
template <class Real>
struct BodyStateT {
  Vec3T<Real> position{};                // of the centre of mass, world
  QuatT<Real> orientation{};             // body to world
  Vec3T<Real> velocity{};                // of the centre of mass, world axes
  Vec3T<Real> angular_velocity{};        // world axes
  double scale = 1, scale_velocity = 0;  // scalable bodies only
};
using BodyState = BodyStateT<double>;

// Work done on the bodies since t = 0, by source [J]: the books of the energy ledger.
struct Ledger {
  double motors = 0;  // prescribed velocities
  double actuators = 0;
  double external = 0;  // `forces:` of the scene
  double damping = 0;   // springs' dampers and joint damping (never positive)
  double contacts =
      0;  // friction, impacts and limits; positive where penetration is pushed out; joints that attach or let go
  double projection = 0;  // kinetic and potential energy changed by projecting onto the constraints
  double numerical = 0;   // kinetic energy the integration of the motion itself gains or loses
};

// The force of a law's block in the last step, by its key: where the solvers of the next one begin, whatever its method and length.
struct WarmImpulse {
  std::uint64_t key = 0;
  std::array<double, 3> z{};  // N or N·m
};

// Time is counted in steps, not summed: t = origin + steps·step. A sum of a million steps would be off by a part of the last one.
struct Clock {
  double origin = 0;       // s
  double step = 0;         // s; 0: nothing has been counted yet
  std::int64_t steps = 0;  // since the origin
};

// Whether a joint holds, and how it took hold, where joints attach and let go (Switching).
struct Attachment {
  std::int64_t attached = 1;    // 0: it is open, as if it were not there
  std::int64_t scheduled = 0;   // times of its schedule that have passed
  std::int64_t attachings = 0;  // times it has attached since t = 0
  double since = 0;             // s: when it attached last
  double over = 0;              // s: the time it takes from then on to close; 0: it is closed, or kept as it stands
  Vec3 shift{};  // frame A from its place in the model when it attached: of the anchor, coordinates of body a [m]
  Vec3 turn{};   // and of the axes: a rotation vector, coordinates of body a [rad]
};

// The frame of a joint that is led by hand (FrameMotion::guide), in the coordinates of body a: on its way from one pose to another at constant
// velocity and angular velocity; it stands still before and after.
struct Guide {
  double since = 0, until = 0;  // s
  Vec3 from{}, to{};            // of the anchor [m]
  Quat start{};                 // of the axes at `since`
  Vec3 turn{};                  // the rotation vector that takes them to where they are at `until` [rad]
};

// How a body rests, where bodies may sleep (contact/sleep.h).
struct Rest {
  double still = 0;          // s: how long it has kept still
  std::int64_t island = -1;  // the bodies it sleeps and wakes with, by the first of them; −1: it is awake
  std::uint64_t bits = 0;  // of its position and velocity when it fell asleep: others have been put there from outside
};

struct State {
  double time = 0;
  Clock clock;                           // what time is counted by; kept by Simulation
  std::vector<BodyState> bodies;         // in the Model's order
  std::vector<JointArray> joint_angles;  // last coordinates of each joint, to count whole turns  (n_joint)
  std::vector<double> q, qd;             // joint coordinates and their rates, where a method steps in them
  double next_step = 0;                  // what the adaptive integrator will try next; 0: the settings' step
  std::vector<WarmImpulse> impulses;     // by key, ascending
  Ledger ledger;
  std::vector<double> activation;       // x of the model's controls (model/control.h); empty: all 0   (n_control)
  std::vector<Attachment> attachments;  // of each joint; empty: all hold as the model has them  (n_joint or 0)
  std::vector<BodyState> switched;      // bodies when a joint attached or let go last; empty: none has  (n_body or 0)
  double switched_time = 0;             // s: and when that was
  std::vector<Guide> guides;  // of frames led by hand; empty: all stand where the model has them  (n_guide or 0)
  std::vector<Rest> rests;    // empty: nothing sleeps                                            (n_body or 0)
};

}  // namespace catena
