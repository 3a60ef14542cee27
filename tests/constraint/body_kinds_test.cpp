#include "catena/model/body_kinds.h"

#include <gtest/gtest.h>

#include <array>

#include "catena/model/components.h"
#include "constraint/row_testing.h"

namespace catena {
namespace body_kinds_test {

using namespace testing_rows;

constexpr BodyKind kKinds[] = {BodyKind::rigid, BodyKind::particle, BodyKind::planar, BodyKind::scalable};

struct Moving {
  RandomMotion motion;
  BodyKind kind;

  explicit Moving(BodyKind k, unsigned seed = 3) : kind(k) {
    Random random(seed);
    add_body(motion.model, motion.state, kind, random);
    motion.vdot.push_back(random.motion(kind));
  }
  const Body& body() const { return motion.model.bodies[0]; }
  const BodyState& state() const { return motion.state.bodies[0]; }
  MassBlock mass_at(double t) const {
    const BodyState s = motion.at(t).bodies[0];
    return mass_block(body(), to_matrix(s.orientation), s.scale);
  }
  BodyVector force() const { return velocity_force(body(), mass_at(0), state()); }
};

double& number(BodyVector& v, int i) { return i < 3 ? v.linear[i] : i < 6 ? v.angular[i - 3] : v.scale; }

// Lagrange's equations for a free body, in world axes: d/dt (M v) = ∂T/∂(scale) on the scale and zero elsewhere. M v̇ is the
// velocity-dependent force, so force = −(dM/dt) v + ∂T/∂scale.
TEST(BodyKinds, the_velocity_dependent_force_is_the_one_of_Lagranges_equations) {
  for (const BodyKind kind : kKinds)
    for (unsigned seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(name_of(kind));
      const Moving m(kind, seed);
      const BodyVector v = velocity_of(m.state());
      BodyVector force = m.force();
      for (int i = 0; i < 7; ++i) {
        const double change = derivative_at_zero([&](double t) {
          BodyVector momentum = m.mass_at(t) * v;
          return number(momentum, i);
        });
        double wanted = -change;
        if (i == 6 && kind == BodyKind::scalable)
          wanted += derivative_at_zero([&](double ds) {
            const BodyState& s = m.state();
            return kinetic_energy(mass_block(m.body(), to_matrix(s.orientation), s.scale + ds), v);
          });
        EXPECT_NEAR(number(force, i), wanted, kDifferenceTolerance) << "component " << i;
      }
    }
}

TEST(BodyKinds, the_velocity_dependent_force_keeps_the_kinetic_energy) {
  for (const BodyKind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    Moving m(kind);
    const MassBlock M = m.mass_at(0);
    BodyVector f = m.force();
    m.motion.vdot[0] = {};
    if (kind != BodyKind::particle && kind != BodyKind::planar) {
      m.motion.vdot[0].angular = inverse(M.angular) * f.angular;
      if (M.scale > 0) m.motion.vdot[0].scale = f.scale / M.scale;
    }
    const double power = derivative_at_zero([&](double t) {
      const BodyState s = m.motion.at(t).bodies[0];
      return kinetic_energy(mass_block(m.body(), to_matrix(s.orientation), s.scale), velocity_of(s));
    });
    EXPECT_NEAR(power, 0, kDifferenceTolerance);
  }
}

TEST(BodyKinds, the_mass_of_a_scalable_body_is_that_of_its_points) {
  // Points at x + s R X: kinetic energy of a cloud of them, summed, against the block.
  const Vec3 points[] = {{0.3, 0.1, -0.2},   {-0.3, -0.1, 0.2}, {0.1, 0.4, 0.2},
                         {-0.1, -0.4, -0.2}, {0.2, -0.1, 0.5},  {-0.2, 0.1, -0.5}};
  Random random(9);
  Model model;
  State state;
  add_body(model, state, BodyKind::scalable, random);
  Body& body = model.bodies[0];
  body.mass = 6;
  body.inertia = {};
  for (const Vec3& p : points)
    body.inertia +=
        Sym3{p.y * p.y + p.z * p.z, p.x * p.x + p.z * p.z, p.x * p.x + p.y * p.y, -p.x * p.y, -p.x * p.z, -p.y * p.z};
  const BodyState& s = state.bodies[0];
  double energy = 0;
  for (const Vec3& p : points) {
    const Vec3 arm = s.scale * rotate(s.orientation, p);
    const Vec3 v = s.velocity + cross(s.angular_velocity, arm) + (s.scale_velocity / s.scale) * arm;
    energy += 0.5 * dot(v, v);
  }
  EXPECT_NEAR(kinetic_energy(mass_block(body, to_matrix(s.orientation), s.scale), velocity_of(s)), energy, 1e-13);
}

TEST(BodyKinds, rates_are_the_derivative_of_the_packed_state_along_the_motion) {
  for (const BodyKind kind : kKinds)
    visit(kind, [&](auto k) {
      SCOPED_TRACE(name_of(kind));
      using Kind = decltype(k);
      const Moving m(kind);
      std::array<double, 16> dy{};
      ASSERT_EQ(Kind::rates(m.state(), m.motion.vdot[0], dy.data()), dy.data() + Kind::kFlat);
      for (int i = 0; i < Kind::kFlat; ++i) {
        const double wanted = derivative_at_zero([&](double t) {
          std::array<double, 16> y{};
          Kind::pack(m.motion.at(t).bodies[0], y.data());
          return y[i];
        });
        EXPECT_NEAR(dy[i], wanted, kDifferenceTolerance) << "number " << i;
      }
    });
}

TEST(BodyKinds, unpacking_undoes_packing) {
  for (const BodyKind kind : kKinds)
    visit(kind, [&](auto k) {
      SCOPED_TRACE(name_of(kind));
      using Kind = decltype(k);
      const Moving m(kind);
      std::array<double, 16> y{}, again{};
      EXPECT_EQ(Kind::pack(m.state(), y.data()), y.data() + Kind::kFlat);
      BodyState s;
      EXPECT_EQ(Kind::unpack(y.data(), s), y.data() + Kind::kFlat);
      Kind::pack(s, again.data());
      // The quaternion is normalised again: one rounding.
      for (int i = 0; i < Kind::kFlat; ++i) EXPECT_NEAR(again[i], y[i], 1e-15);
    });
}

TEST(BodyKinds, displacing_there_and_back_ends_where_it_began) {
  for (const BodyKind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    const Moving m(kind);
    BodyState s = m.state();
    const BodyVector d = velocity_of(s);
    displace(kind, d, s);
    EXPECT_GT(norm(s.position - m.state().position), 0.1);
    displace(kind, -1.0 * d, s);
    EXPECT_LE(norm(s.position - m.state().position), 1e-15);
    EXPECT_LE(norm((s.orientation * m.state().orientation.conjugate()).vec()), 1e-15);
    EXPECT_NEAR(s.scale, m.state().scale, 1e-15);
  }
}

TEST(BodyKinds, a_planar_body_pushed_out_of_its_plane_stays_in_it) {
  const Moving m(BodyKind::planar);
  BodyState s = m.state();
  displace(BodyKind::planar, {{1, 2, 3}, {0.1, 0.2, 0.3}, 1}, s);
  EXPECT_EQ(s.position.z, 0);
  EXPECT_EQ(s.orientation.x, 0);
  EXPECT_EQ(s.orientation.y, 0);
  EXPECT_EQ(s.scale, 1);
}

TEST(BodyKinds, components_are_the_numbers_a_kind_has_and_no_others) {
  for (const BodyKind kind : kKinds) {
    SCOPED_TRACE(name_of(kind));
    const BodyVector v = restricted(kind, {{1, 2, 3}, {4, 5, 6}, 7});
    std::array<double, 7> numbers{};
    ASSERT_EQ(components(kind, v, numbers.data()), dimension(kind));
    for (int i = 0; i < dimension(kind); ++i) EXPECT_NE(numbers[i], 0);
    const BodyVector back = from_components(kind, numbers.data());
    EXPECT_TRUE(back.linear == v.linear && back.angular == v.angular && back.scale == v.scale);
  }
}

}  // namespace body_kinds_test
}  // namespace catena
