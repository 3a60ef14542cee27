#include "catena/mechanism/geometric_stiffness.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"
#include "catena/joints/row_rhs.h"

namespace catena {
namespace geometric_stiffness_test {

// A light link that hangs from a ball joint at one end and is pulled at the other, by a force that is in line with it.
struct Taut {
  BuiltModel built;
  Kinematics kinematics;
  RowSet rows;
  Vec3 along;
  static constexpr double kHalf = 0.3;  // m, from the centre of mass to the joint

  explicit Taut(double inertia)
      : built(link(inertia)), kinematics(built.model), rows(all_rows(built.model)), along(direction()) {
    kinematics.update(built.model, built.initial);
    rows.evaluate(built.model, kinematics);
  }
  static Vec3 direction() { return normalized(Vec3{0.4, -0.3, -0.8}); }
  static BuiltModel link(double inertia) {
    return ModelBuilder{}
        .body({.name = "link",
               .mass = 0.01,
               .inertia = inertia * Sym3::diagonal(1, 1.1, 1.2),
               .position = kHalf * direction(),
               .orientation = exp_rotation(Vec3{0.5, -0.2, 0.7}),
               .angular_velocity = {0.3, -0.7, 0.5}})
        .joint({.name = "top", .kind = JointKind::ball, .between = {"ground", "link"}, .anchor = Vec3{}})
        .build();
  }
  // The joint pulls the link up with `force`.
  std::vector<double> impulses(double force, double h) const {
    std::vector<double> lambda(3);
    for (std::size_t i = 0; i < 3; ++i) {
      // λ of row i is the force along its direction: the rows of a ball joint are orthonormal.
      const auto term = static_cast<std::size_t>(rows.start[i]);
      lambda[i] = h * dot(rows.J[term].linear, -force * along);
    }
    return lambda;
  }
};

// The torque of a force that stays as it is, on an arm that turns: for small turns −K of them. Differences of 1e-4 rad are good to 1e-8.
TEST(GeometricStiffness, it_is_what_a_turn_of_the_body_changes_the_torque_of_its_joints_by) {
  const double h = 0.01, force = 500;
  Taut taut(1e-5);
  GeometricStiffness stiffness(taut.built.model);
  const std::vector<BodyVector> before{velocity_of(taut.built.initial.bodies[0])};
  ASSERT_TRUE(stiffness.evaluate(h, taut.kinematics, taut.rows, taut.impulses(force, h), before));
  const Sym3 own = taut.kinematics.M(BodyId(0)).angular;
  stiffness.raise(taut.kinematics);
  const Sym3 raised = taut.kinematics.M(BodyId(0)).angular;
  const Vec3 arm = -Taut::kHalf * taut.along, pull = -force * taut.along;
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, taut.along}) {
    const auto torque = [&](double angle) { return cross(rotate(exp_rotation(angle * axis), arm), pull); };
    const Vec3 slope = (torque(1e-4) - torque(-1e-4)) / 2e-4;
    const Vec3 added = raised * axis - own * axis;
    EXPECT_LE(norm(added + h * h * slope), 1e-7 * h * h * force);
  }
  // −(h²/2) K ω.
  const Vec3 w = before[0].angular;
  EXPECT_LE(norm(stiffness.damping(BodyId(0)).angular + 0.5 * (raised * w - own * w)), 1e-15);
}

TEST(GeometricStiffness, bodies_whose_swing_the_step_resolves_are_left_alone) {
  const double h = 0.01, force = 500;
  // The trace of h² K is 2 h² r f = 0.03 kg m²: what swings with that inertia takes 2π steps a period.
  for (const double inertia : {0.009, 0.0092}) {
    Taut taut(inertia);
    GeometricStiffness stiffness(taut.built.model);
    const std::vector<BodyVector> before{velocity_of(taut.built.initial.bodies[0])};
    const bool raised = stiffness.evaluate(h, taut.kinematics, taut.rows, taut.impulses(force, h), before);
    EXPECT_EQ(raised, inertia < 0.03 / 3.3);
    if (raised) continue;
    const Sym3 own = taut.kinematics.M(BodyId(0)).angular;
    stiffness.raise(taut.kinematics);
    EXPECT_EQ(norm(taut.kinematics.M(BodyId(0)).angular * taut.along - own * taut.along), 0);
    EXPECT_EQ(norm(stiffness.damping(BodyId(0)).angular), 0);
  }
}

}  // namespace geometric_stiffness_test
}  // namespace catena
