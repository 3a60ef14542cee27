// Two bodies in general position and motion, a joint between them, and derivatives along the motion.
#pragma once

#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "catena/constraint/row_set.h"

namespace catena::testing_rows {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(engine_); }
  Vec3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Quat rotation() { return exp_rotation(vector(2)); }
  BodyVector motion(BodyKind kind) { return restricted(kind, {vector(2), vector(2), uniform(-0.5, 0.5)}); }

 private:
  std::mt19937_64 engine_;
};

inline void set_velocity(BodyState& s, const BodyVector& v) {
  s.velocity = v.linear;
  s.angular_velocity = v.angular;
  s.scale_velocity = v.scale;
}

// A body of the kind, nothing zero and nothing aligned that the kind leaves free.
inline BodyId add_body(Model& model, State& state, BodyKind kind, Random& random) {
  Body body;
  body.name = "body" + std::to_string(model.bodies.size());
  body.kind = kind;
  body.mass = random.uniform(0.5, 3);
  body.inertia =
      congruence(to_matrix(random.rotation()),
                 Sym3::diagonal(random.uniform(0.2, 0.3), random.uniform(0.25, 0.35), random.uniform(0.3, 0.4)));
  BodyState s;
  s.position = random.vector(1);
  if (kind == BodyKind::planar) {
    s.position.z = 0;
    s.orientation = exp_rotation(Vec3{0, 0, random.uniform(-2, 2)});
  } else if (kind != BodyKind::particle) {
    s.orientation = random.rotation();
  }
  if (kind == BodyKind::scalable) s.scale = random.uniform(0.7, 1.4);
  set_velocity(s, random.motion(kind));
  model.bodies.push_back(body);
  state.bodies.push_back(s);
  return BodyId(model.bodies.size() - 1);
}

struct RandomMotion {
  Model model;
  State state;                   // time, positions and velocities
  std::vector<BodyVector> vdot;  // accelerations, held constant

  std::vector<BodyVector> velocities() const {
    std::vector<BodyVector> v;
    for (const BodyState& s : state.bodies) v.push_back(velocity_of(s));
    return v;
  }

  // A curve through the state with its velocity and acceleration at t = 0.
  State at(double t) const {
    State moved = state;
    moved.time += t;
    for (std::size_t i = 0; i < moved.bodies.size(); ++i) {
      BodyState& s = moved.bodies[i];
      const BodyVector v = velocity_of(s);
      displace(model.bodies[i].kind, t * v, s);
      set_velocity(s, v + t * vdot[i]);
    }
    return moved;
  }
};

// The derivative at 0 by central differences of fourth order. With rates of about 4 a second the truncation error eps⁴ f⁽⁵⁾/30 is about
// 1e-11 and rounding 1e-16/eps = 1e-13.
template <class F>
double derivative_at_zero(F&& f, double eps = 1e-3) {
  return (8 * (f(eps) - f(-eps)) - (f(2 * eps) - f(-2 * eps))) / (12 * eps);
}
inline constexpr double kDifferenceTolerance = 1e-8;

}  // namespace catena::testing_rows
