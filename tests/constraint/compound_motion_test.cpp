// Compound joints as rows: bodies placed by the freedoms, differences along motions that keep the joint closed.
#include "catena/constraint/compound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catena/constraint/joint_coordinates.h"
#include "constraint/row_testing.h"

namespace catena {
namespace compound_motion_test {

using namespace testing_rows;

// Two bodies, the second carried by the first through a random compound joint.
struct Carried {
  Model model;
  State state;
  JointArray q{}, qd{}, qdd{};
  BodyVector vdot_a;
  int n = 0;

  Carried(int count, unsigned seed) : n(count) {
    Random random(seed);
    Joint joint;
    joint.name = "joint";
    joint.kind = JointKind::compound;
    joint.index = 0;
    joint.a = add_body(model, state, BodyKind::rigid, random);
    joint.b = add_body(model, state, BodyKind::rigid, random);
    joint.anchor_a = random.vector(0.5);
    joint.anchor_b = random.vector(0.5);
    joint.frame_a = random.rotation();
    joint.frame_b = random.rotation();
    for (int k = 0; k < count; ++k) {
      Freedom f;
      f.name = fmt::format("f{}", k);
      f.slides = count > 3 ? k >= 3 : random.uniform(0, 1) < 0.3;
      f.axis = normalized(random.vector(1));
      f.anchor = random.vector(0.3);
      f.zero = random.uniform(-1, 1);
      joint.freedoms.push_back(f);
      const auto c = static_cast<std::size_t>(k);
      q[c] = f.zero + random.uniform(-1.2, 1.2);
      qd[c] = random.uniform(-1, 1);
      qdd[c] = random.uniform(-1, 1);
    }
    model.joints.push_back(joint);
    vdot_a = random.motion(BodyKind::rigid);
  }

  // A on a curve with constant accelerations, B where the joint holds it.
  State at(double t) const {
    State s = state;
    const BodyVector v = velocity_of(state.bodies[0]);
    displace(BodyKind::rigid, t * v + (0.5 * t * t) * BodyVector{vdot_a.linear, {}, 0}, s.bodies[0]);
    set_velocity(s.bodies[0], v + t * BodyVector{vdot_a.linear, {}, 0});
    JointArray qt{}, vt{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
      qt[k] = q[k] + t * qd[k] + 0.5 * t * t * qdd[k];
      vt[k] = qd[k] + t * qdd[k];
    }
    const Joint& joint = model.joints[0];
    const CompoundMotion m = compound_motion(joint.freedoms, qt.data(), vt.data());
    BodyState &a = s.bodies[0], &b = s.bodies[1];
    const Mat3 fa = to_matrix(a.orientation) * to_matrix(joint.frame_a);
    b.orientation = normalized(a.orientation * joint.frame_a * from_matrix(m.R) * joint.frame_b.conjugate());
    const Vec3 anchor = a.position + rotate(a.orientation, joint.anchor_a) + fa * m.t;
    const Vec3 arm = rotate(b.orientation, joint.anchor_b);
    b.position = anchor - arm;
    b.angular_velocity = a.angular_velocity + fa * m.velocity.angular;
    b.velocity = a.velocity + cross(a.angular_velocity, anchor - a.position) + fa * m.velocity.linear -
                 cross(b.angular_velocity, arm);
    s.joint_angles.assign(1, qt);
    for (double& x : s.joint_angles[0]) x += 0.01;  // a guess, not the answer
    return s;
  }
};

struct Found {
  State s;
  Kinematics kinematics;
  Rows rows, coordinates;
  BodyVector va, vb;
  Found(const Carried& c, double t) : s(c.at(t)), kinematics(c.model) {
    kinematics.update(c.model, s);
    joint_rows(c.model, c.model.joints[0], kinematics, rows);
    joint_coordinates(c.model.joints[0], kinematics, coordinates);
    va = velocity_of(s.bodies[0]);
    vb = velocity_of(s.bodies[1]);
  }
};

template <class Check>
void for_all(const Check& check) {
  for (int count = 1; count <= 6; ++count)
    for (unsigned seed = 1; seed <= 8; ++seed) {
      SCOPED_TRACE(fmt::format("{} freedoms, seed {}", count, seed));
      check(Carried(count, seed + 100 * static_cast<unsigned>(count)));
    }
}

TEST(Compound, coordinates_and_rates_are_those_the_body_was_placed_with) {
  for_all([](const Carried& c) {
    const Found now(c, 0);
    ASSERT_EQ(now.coordinates.count, c.n);
    ASSERT_EQ(now.rows.count, 6 - c.n);
    for (int k = 0; k < c.n; ++k) {
      EXPECT_NEAR(now.coordinates[k].phi, c.q[static_cast<std::size_t>(k)], 1e-11);
      EXPECT_NEAR(velocity(now.coordinates[k], now.va, now.vb), c.qd[static_cast<std::size_t>(k)], 1e-10);
    }
  });
}

TEST(Compound, rows_vanish_on_every_motion_the_freedoms_allow_and_on_no_other) {
  for_all([](const Carried& c) {
    const Found now(c, 0);
    for (int i = 0; i < now.rows.count; ++i) {
      EXPECT_NEAR(now.rows[i].phi, 0, 1e-12);
      EXPECT_NEAR(velocity(now.rows[i], now.va, now.vb), 0, 1e-12);
      const Spatial d = now.rows[i].b;
      const Vec3 arm = rotate(now.s.bodies[1].orientation, c.model.joints[0].anchor_b);
      const Spatial at_anchor{d.linear, d.angular - cross(arm, d.linear)};
      EXPECT_NEAR(dot(at_anchor, at_anchor), 1, 1e-12) << "row " << i << " is a unit direction";
    }
  });
}

// The accelerations of the bodies are differences of their velocities along the motion.
TEST(Compound, accelerations_obey_the_rows_and_give_the_second_derivatives_of_the_coordinates) {
  for_all([](const Carried& c) {
    const Found now(c, 0);
    const auto acceleration = [&](std::size_t body) {
      BodyVector out;
      for (int k = 0; k < 3; ++k) {
        out.linear[k] = derivative_at_zero([&](double t) { return c.at(t).bodies[body].velocity[k]; });
        out.angular[k] = derivative_at_zero([&](double t) { return c.at(t).bodies[body].angular_velocity[k]; });
      }
      return out;
    };
    const BodyVector a = acceleration(0), b = acceleration(1);
    for (int i = 0; i < now.rows.count; ++i)
      EXPECT_NEAR(velocity(now.rows[i], a, b) + now.rows[i].c, 0, kDifferenceTolerance * 100) << "row " << i;
    for (int k = 0; k < c.n; ++k)
      EXPECT_NEAR(velocity(now.coordinates[k], a, b) + now.coordinates[k].c, c.qdd[static_cast<std::size_t>(k)],
                  kDifferenceTolerance * 1000)
          << "coordinate " << k;
  });
}

// Near the joint's manifold phi grows by J times the displacement.
TEST(Compound, J_is_the_gradient_of_phi_where_the_joint_is_closed) {
  for_all([](const Carried& c) {
    Found now(c, 0);
    Random random(7);
    const BodyVector push = random.motion(BodyKind::rigid);
    for (int i = 0; i < now.rows.count; ++i) {
      const double rate = derivative_at_zero([&](double t) {
        State moved = now.s;
        displace(BodyKind::rigid, (1e-3 * t) * push, moved.bodies[1]);
        Kinematics kinematics(c.model);
        kinematics.update(c.model, moved);
        Rows rows;
        joint_rows(c.model, c.model.joints[0], kinematics, rows);
        return 1e3 * rows[i].phi;
      });
      EXPECT_NEAR(rate, dot(now.rows[i].b, push), 1e-5 * std::sqrt(dot(push, push))) << "row " << i;
    }
  });
}

TEST(Compound, one_hinge_is_a_hinge) {
  Random random(3);
  Carried c(1, 5);
  Joint& joint = c.model.joints[0];
  joint.freedoms[0] = Freedom{.name = "turn"};
  c.q[0] = 0.4;
  const Found now(c, 0);
  Joint hinge = joint;
  hinge.kind = JointKind::hinge;
  hinge.freedoms.clear();
  Rows rows;
  joint_coordinates(hinge, now.kinematics, rows);
  EXPECT_NEAR(rows[0].phi, now.coordinates[0].phi, 1e-12);
  EXPECT_NEAR(velocity(rows[0], now.va, now.vb), velocity(now.coordinates[0], now.va, now.vb), 1e-12);
  EXPECT_NEAR(rows[0].c, now.coordinates[0].c, 1e-12);
}

}  // namespace compound_motion_test
}  // namespace catena
