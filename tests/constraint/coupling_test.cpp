#include <gtest/gtest.h>

#include "constraint/joint_cases.h"

namespace catena {
namespace coupling_test {

using namespace testing_rows;

// Three bodies tied by two rows whose directions are fixed in the world or turn with the bodies.
Case coupled(BodyKind kind, bool body_frame, unsigned seed) {
  Random random(seed);
  Case c;
  c.name = std::string(name_of(kind)) + (body_frame ? " in the body's frame" : " in the world's frame");
  JointExtras extras;
  extras.rows.resize(2);
  for (int i = 0; i < 3; ++i) {
    const BodyId body = add_body(c.motion.model, c.motion.state, kind, random);
    for (CouplingRow& row : extras.rows)
      row.terms.push_back({body, random.vector(1), kind == BodyKind::particle ? Vec3{} : random.vector(1), body_frame});
    c.motion.vdot.push_back(random.motion(kind));
  }
  extras.rows[0].velocity = Constant{0.7};
  extras.rows[1].velocity = Constant{-0.2};
  c.motion.model.extras.push_back(extras);
  Joint joint;
  joint.kind = JointKind::coupling;
  joint.extras = 0;
  c.motion.model.joints.push_back(joint);
  return c;
}

std::vector<Case> couplings() {
  std::vector<Case> cases;
  for (const BodyKind kind : {BodyKind::rigid, BodyKind::particle, BodyKind::planar, BodyKind::scalable})
    for (const bool body_frame : {false, true})
      for (unsigned seed = 1; seed <= 3; ++seed) cases.push_back(coupled(kind, body_frame, seed));
  return cases;
}

TEST(Coupling, a_row_sums_its_terms_over_all_its_bodies) {
  const Case c = coupled(BodyKind::rigid, false, 4);
  const Evaluated now(c, 0);
  const JointExtras& extras = c.motion.model.extras[0];
  ASSERT_EQ(now.rows.rows(), 2);
  ASSERT_EQ(now.rows.terms(), 6u);
  for (int i = 0; i < 2; ++i) {
    double sum = 0;
    for (const CouplingTerm& term : extras.rows[i].terms) {
      const BodyState& s = c.motion.state.bodies[term.body];
      sum += dot(term.linear, s.velocity) + dot(term.angular, s.angular_velocity);
    }
    EXPECT_NEAR(now.velocity(i), sum, 1e-14);
    EXPECT_EQ(now.rows.u[i], value(extras.rows[i].velocity, 0));
    EXPECT_FALSE(now.rows.holonomic[i]);
  }
}

TEST(Coupling, directions_of_the_body_frame_turn_with_the_body) {
  Case c = coupled(BodyKind::rigid, true, 4);
  const Evaluated now(c, 0);
  for (int k = 0; k < 3; ++k) {
    const CouplingTerm& term = c.motion.model.extras[0].rows[0].terms[k];
    const Vec3 wanted = rotate(c.motion.state.bodies[term.body].orientation, term.linear);
    EXPECT_LE(norm(now.rows.J[k].linear - wanted), 1e-14);
  }
}

TEST(Coupling, J_vdot_plus_c_is_the_rate_of_J_v) {
  for (const Case& c : couplings()) {
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    for (int i = 0; i < now.rows.rows(); ++i)
      expect_near(now.rows.times(i, c.motion.vdot) + now.rows.c[i],
                  derivative_at_zero([&](double t) { return Evaluated(c, t).velocity(i); }), "row");
  }
}

TEST(RowSet, a_force_along_a_row_does_the_work_lambda_J_v) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    for (int i = 0; i < now.rows.rows(); ++i) {
      std::vector<BodyVector> f(c.motion.model.bodies.size());
      now.rows.add_force(i, 1.7, f);
      double power = 0;
      for (std::size_t k = 0; k < f.size(); ++k) power += dot(f[k], velocity_of(now.moved.bodies[k]));
      EXPECT_NEAR(power, 1.7 * now.velocity(i), 1e-13);
    }
  }
}

TEST(RowSet, rows_have_no_components_that_their_bodies_lack) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    for (std::size_t t = 0; t < now.rows.terms(); ++t) {
      const BodyVector& J = now.rows.J[t];
      const BodyVector r = restricted(c.motion.model.bodies[now.rows.body[t]].kind, J);
      EXPECT_TRUE(r.linear == J.linear && r.angular == J.angular && r.scale == J.scale);
    }
  }
}

}  // namespace coupling_test
}  // namespace catena
