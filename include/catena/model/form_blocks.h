// The two blocks a body of a user's kind (model/body_form.h) has in a Model: its frame, and right after it the coordinates of its form. Rows, forces and
// motions see two blocks of six numbers, so that no vector over bodies is longer for the bodies that do not need it.
//
// A form keeps its coordinates in a BodyState: the first three as a position, the others as the Gibbs vector of an orientation, which has the same
// numbers however the quaternion is scaled. Coordinates the form does not have stay zero; their mass is 1.
#pragma once

#include "catena/model/body_form.h"
#include "catena/model/rigid_body.h"

namespace catena {

inline OwnVector own_numbers(const Vec3& first, const Vec3& second) {
  return {first.x, first.y, first.z, second.x, second.y, second.z};
}
inline BodyVector own_vector(const OwnVector& v) { return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, 0}; }

inline OwnVector form_coordinates(const BodyState& s) {
  return own_numbers(s.position, s.orientation.vec() / s.orientation.w);
}
inline OwnVector form_rates(const BodyState& s) { return own_numbers(s.velocity, s.angular_velocity); }
inline void set_form(const OwnVector& q, const OwnVector& qd, BodyState& s) {
  s.position = {q[0], q[1], q[2]};
  s.orientation = normalized(Quat{1, q[3], q[4], q[5]});
  s.velocity = {qd[0], qd[1], qd[2]};
  s.angular_velocity = {qd[3], qd[4], qd[5]};
}

inline FormMotion form_motion(const BodyState& frame, const BodyState& own) {
  return {form_coordinates(own), form_rates(own), rotate(frame.orientation.conjugate(), frame.angular_velocity)};
}

// The frame: a rigid body whose inertia follows the form, which Kinematics knows.
struct FormedBody : RigidBody {};

struct FormCoordinates {
  static constexpr int kDimension = kMaxOwn;

  static MassBlock mass(const Body&, const Mat3&, double) { return {1, Sym3::diagonal(1, 1, 1), 0}; }
  static BodyVector velocity_force(const Body&, const MassBlock&, const BodyState&) { return {}; }
  static BodyVector restricted(const BodyVector& v) { return {v.linear, v.angular, 0}; }
  static void displace(const BodyVector& d, BodyState& s) {
    s.position += d.linear;
    const Vec3 q = s.orientation.vec() / s.orientation.w + d.angular;
    s.orientation = normalized(Quat{1, q.x, q.y, q.z});
  }

  static constexpr int kFlat = 2 * kMaxOwn;
  static double* pack(const BodyState& s, double* y) {
    for (const double x : form_coordinates(s)) *y++ = x;
    for (const double x : form_rates(s)) *y++ = x;
    return y;
  }
  static const double* unpack(const double* y, BodyState& s) {
    set_form({y[0], y[1], y[2], y[3], y[4], y[5]}, {y[6], y[7], y[8], y[9], y[10], y[11]}, s);
    return y + kFlat;
  }
  static double* rates(const BodyState& s, const BodyVector& vdot, double* dy) {
    for (const double x : form_rates(s)) *dy++ = x;
    for (const double x : own_numbers(vdot.linear, vdot.angular)) *dy++ = x;
    return dy;
  }
};

// Kinetic energy of a formed body, and the accelerations its forces alone give it. `force`: on the frame and on the form, world axes.
double form_kinetic_energy(const Body& frame, const BodyState& frame_state, const BodyState& own_state);
struct FormMotions {
  BodyVector frame, own;
};
FormMotions form_acceleration(const Body& frame, const BodyState& frame_state, const BodyState& own_state,
                              const FormMotions& force);

// C(q) of a form and its inverse, where coordinates the form does not have weigh 1.
OwnMass own_mass(const BodyForm& form, const FormMass& mass);

// The material point that is at x in the frame, for the form q.
Vec3 material_point(const BodyForm& form, const OwnVector& q, const Vec3& x);

}  // namespace catena
