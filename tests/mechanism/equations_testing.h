// The equations of motion of a scene in either coordinates, with what they refer to.
#pragma once

#include <memory>
#include <vector>

#include "catena/mechanism/factored_joints.h"
#include "catena/mechanism/maximal_equations.h"
#include "catena/mechanism/reduced_equations.h"
#include "mechanism/mechanism_testing.h"

namespace catena::testing_mechanism {

struct Equations {
  const Model& model;
  State state;
  double size;
  Dynamics dynamics;
  Projection projection;
  FactoredJoints factored;
  std::unique_ptr<EquationsOfMotion> of;

  Equations(const Scene& scene, bool reduced)
      : model(scene.model),
        state(scene.initial),
        size(mechanism_size(model, state)),
        dynamics(model, scene.initial, LinearSolver::automatic),
        projection(dynamics, state, size),
        factored(dynamics, false) {
    state.joint_angles.assign(model.joints.size(), {});
    if (reduced) of = std::make_unique<ReducedEquations>(dynamics, size, JointTuning{});
    else of = std::make_unique<MaximalEquations>(dynamics, projection, factored, JointTuning{});
    of->place(state);
  }
  bool accelerate() { return of->accelerations(state, {}); }
  std::vector<double> packed() const {
    std::vector<double> y(of->size());
    of->pack(state, y.data());
    return y;
  }
  // The state where its numbers are moved along their rates for t.
  State after(double t) {
    std::vector<double> y = packed(), dy(y.size());
    of->rates(state, dy.data());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += t * dy[i];
    State out = state;
    out.time += t;
    of->unpack(y.data(), out);
    return out;
  }
};

// dy/dt is the motion: positions change with the velocities, and velocities with the accelerations that `vdot` has.
inline void expect_rates_are_the_motion(Equations& at) {
  const std::vector<BodyVector> vdot = at.dynamics.vdot;
  constexpr double kE = 1e-5;
  const State later = at.after(kE), earlier = at.after(-kE);
  for (std::size_t i = 0; i < vdot.size(); ++i) {
    const BodyState &b = later.bodies[i], &a = earlier.bodies[i], &now = at.state.bodies[i];
    const double fast = 1 + norm(now.velocity) + norm(now.angular_velocity) + std::sqrt(dot(vdot[i], vdot[i]));
    // Central differences: e² times third derivatives, and rounding over e.
    const double error = 1e-7 * fast * fast * fast;
    EXPECT_LE(norm((b.position - a.position) / (2 * kE) - now.velocity), error);
    EXPECT_LE(norm(log_rotation(b.orientation * a.orientation.conjugate()) / (2 * kE) - now.angular_velocity), error);
    EXPECT_LE(norm((b.velocity - a.velocity) / (2 * kE) - vdot[i].linear), error);
    EXPECT_LE(norm((b.angular_velocity - a.angular_velocity) / (2 * kE) - vdot[i].angular), error);
  }
}

}  // namespace catena::testing_mechanism
