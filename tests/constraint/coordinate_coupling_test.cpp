// Couplings of coordinates: rows against differences along motions that keep the joints closed.
#include <gtest/gtest.h>

#include "catena/constraint/row_set.h"
#include "constraint/row_testing.h"

namespace catena {
namespace coordinate_coupling_test {

using namespace testing_rows;

// Two hinges in a row, q0 and q1, coupled by q1 − 0.3 = 0.2 + 0.5 x + 0.4 x² − 0.3 x³ + 0.1 x⁴, x = q0 − 0.1.
struct Pair {
  Model model;
  std::array<double, 2> q{0.7, -0.4}, qd{0.9, -1.3}, qdd{0.5, 0.8};
  Vec3 axis0, axis1, arm{0.3, -0.2, 0.5};

  Pair() {
    Random random(4);
    State unused;
    const BodyId a = add_body(model, unused, BodyKind::rigid, random),
                 b = add_body(model, unused, BodyKind::rigid, random);
    axis0 = normalized(random.vector(1));
    axis1 = normalized(random.vector(1));
    const auto hinge = [&](BodyId from, BodyId to, const Vec3& anchor, const Vec3& axis) {
      Joint joint;
      joint.name = "hinge" + std::to_string(model.joints.size());
      joint.kind = JointKind::hinge;
      joint.a = from;
      joint.b = to;
      joint.anchor_a = anchor;
      joint.frame_a = joint.frame_b = from_matrix(frame_along(axis));
      joint.index = static_cast<int>(model.joints.size());
      model.joints.push_back(joint);
    };
    hinge(kGround, a, {}, axis0);
    hinge(a, b, arm, axis1);
    Joint coupling;
    coupling.name = "coupling";
    coupling.kind = JointKind::coupling;
    coupling.extras = 0;
    coupling.index = 2;
    JointExtras extras;
    CouplingRow row;
    row.coordinates.push_back({JointId(1), 0, {-0.2, 1, 0, 0, 0}, 0.3, 0});
    row.coordinates.push_back({JointId(0), 0, {0, -0.5, -0.4, 0.3, -0.1}, 0.1, 0});
    extras.rows.push_back(row);
    model.extras.push_back(extras);
    model.joints.push_back(coupling);
  }

  State at(double t) const {
    std::array<double, 2> x{}, v{};
    for (std::size_t k = 0; k < 2; ++k) x[k] = q[k] + t * qd[k] + 0.5 * t * t * qdd[k], v[k] = qd[k] + t * qdd[k];
    State s;
    s.bodies.resize(2);
    s.bodies[0].orientation = exp_rotation(x[0] * axis0);
    s.bodies[0].angular_velocity = v[0] * axis0;
    s.bodies[1].orientation = s.bodies[0].orientation * exp_rotation(x[1] * axis1);
    s.bodies[1].angular_velocity = s.bodies[0].angular_velocity + v[1] * rotate(s.bodies[0].orientation, axis1);
    s.bodies[1].position = rotate(s.bodies[0].orientation, arm);
    s.bodies[1].velocity = cross(s.bodies[0].angular_velocity, s.bodies[1].position);
    return s;
  }
};

struct Evaluated {
  State s;
  Kinematics kinematics;
  RowSet rows;
  Evaluated(const Pair& p, double t) : s(p.at(t)), kinematics(p.model), rows(p.model, {JointId(2)}) {
    kinematics.update(p.model, s);
    rows.evaluate(p.model, kinematics);
  }
  double speed() const { return rows.times(0, {velocity_of(s.bodies[0]), velocity_of(s.bodies[1])}); }
};

TEST(CoordinateCoupling, phi_is_the_polynomial_and_J_and_c_are_its_derivatives) {
  const Pair p;
  const Evaluated now(p, 0);
  const double x = p.q[0] - 0.1;
  EXPECT_NEAR(now.rows.phi[0], p.q[1] - 0.3 - (0.2 + 0.5 * x + 0.4 * x * x - 0.3 * x * x * x + 0.1 * x * x * x * x),
              1e-14);
  EXPECT_TRUE(now.rows.holonomic[0]);
  EXPECT_NEAR(now.speed(), derivative_at_zero([&](double t) { return Evaluated(p, t).rows.phi[0]; }),
              kDifferenceTolerance);
  std::vector<BodyVector> vdot(2);
  for (std::size_t i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) {
      vdot[i].linear[k] = derivative_at_zero([&](double t) { return p.at(t).bodies[i].velocity[k]; });
      vdot[i].angular[k] = derivative_at_zero([&](double t) { return p.at(t).bodies[i].angular_velocity[k]; });
    }
  EXPECT_NEAR(now.rows.times(0, vdot) + now.rows.c[0],
              derivative_at_zero([&](double t) { return Evaluated(p, t).speed(); }), 10 * kDifferenceTolerance);
}

// Beyond half a turn the last coordinates tell which turn is meant.
TEST(CoordinateCoupling, whole_turns_are_counted) {
  Pair p;
  p.q = {0, 2.5 * 3.141592653589793};
  Evaluated now(p, 0);
  now.s.joint_angles.assign(3, {});
  now.s.joint_angles[1][0] = p.q[1] - 0.1;
  now.rows.evaluate(p.model, now.kinematics);
  const double x = -0.1;
  EXPECT_NEAR(now.rows.phi[0], p.q[1] - 0.3 - (0.2 + 0.5 * x + 0.4 * x * x - 0.3 * x * x * x + 0.1 * x * x * x * x),
              1e-12);
}

}  // namespace coordinate_coupling_test
}  // namespace catena
