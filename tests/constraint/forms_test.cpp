// Rows of joints between bodies with a form, against finite differences along their motion.
#include "catena/constraint/forms.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "catena/constraint/row_set.h"
#include "catena/model/builder.h"
#include "constraint/row_testing.h"

namespace catena {
namespace forms_test {

using testing_rows::Random;

// Points move with their coordinates and with the squares of them: x = X + Σ q_k a_k(X) + q_k² b_k(X). Only the kinematics are those of something.
class Bent : public BodyForm {
 public:
  static constexpr int kCount = 5;
  int coordinates() const override { return kCount; }
  FormMass mass(const OwnVector&) const override {
    FormMass out{Sym3::diagonal(0.2, 0.3, 0.4), {}};
    for (std::size_t k = 0; k < kCount; ++k) out.own[k][k] = 1;
    return out;
  }
  FormForce velocity_force(const FormMotion&) const override { return {}; }
  FormPoint point(const Vec3& X, const FormMotion& m) const override {
    FormPoint out;
    out.x = X;
    for (std::size_t k = 0; k < kCount; ++k) {
      const double n = static_cast<double>(k);
      const Vec3 a{0.3 * X.y + 0.1 * n, -0.2 * X.z, 0.1 * n * X.x}, b{0.05 * n, 0.2 * X.x, -0.1 * X.y};
      out.x += m.q[k] * a + m.q[k] * m.q[k] * b;
      out.slope[k] = a + 2 * m.q[k] * b;
      out.bias += 2 * m.qd[k] * m.qd[k] * b;
    }
    return out;
  }
};

struct Pair {
  BuiltModel built;
  std::vector<BodyVector> v, vdot;

  explicit Pair(JointKind kind, unsigned seed) {
    Random random(seed);
    ModelBuilder builder;
    for (const char* name : {"a", "b"}) {
      BodySpec spec{.name = name,
                    .kind = BodyKind::formed,
                    .mass = 1.0,
                    .position = random.vector(1),
                    .orientation = random.rotation(),
                    .velocity = random.vector(1),
                    .angular_velocity = random.vector(1),
                    .form = std::make_shared<Bent>()};
      for (std::size_t k = 0; k < Bent::kCount; ++k) {
        spec.form_start[k] = random.uniform(-0.2, 0.2);
        spec.form_velocity[k] = random.uniform(-1, 1);
      }
      builder.body(spec);
    }
    JointSpec joint{
        .name = "joint", .kind = kind, .between = {"a", "b"}, .anchors = {{random.vector(1), random.vector(1)}}};
    joint.axes = {{random.vector(1), random.vector(1)}};
    if (kind == JointKind::ball || kind == JointKind::distance) joint.axes.reset();
    if (kind == JointKind::screw) joint.pitch = 0.2;
    if (kind == JointKind::universal || kind == JointKind::perpendicular_axes) {
      joint.axes.reset();
      joint.axis = Vec3{0.3, 1, 0.2};
      joint.axis2 = cross(*joint.axis, random.vector(1));
    }
    built = builder.joint(joint).build();
    for (const BodyState& s : built.initial.bodies) v.push_back(velocity_of(s));
    for (std::size_t i = 0; i < v.size(); ++i) {
      vdot.push_back({random.vector(1), random.vector(1), 0});
      if (built.model.bodies[i].kind == BodyKind::form) vdot.back().angular.z = 0;  // it has five coordinates
    }
  }
  // Positions and velocities at t along constant accelerations.
  State at(double t) const {
    State state = built.initial;
    for (std::size_t i = 0; i < v.size(); ++i) {
      displace(built.model.bodies[i].kind, t * v[i] + 0.5 * t * t * vdot[i], state.bodies[i]);
      add_velocity(built.model.bodies[i].kind, t * vdot[i], state.bodies[i]);
    }
    return state;
  }
  std::vector<BodyVector> velocities(double t) const {
    std::vector<BodyVector> out = v;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += t * vdot[i];
    return out;
  }
};

constexpr JointKind kKinds[] = {JointKind::ball,
                                JointKind::hinge,
                                JointKind::slider,
                                JointKind::cylindrical,
                                JointKind::universal,
                                JointKind::planar,
                                JointKind::weld,
                                JointKind::distance,
                                JointKind::point_on_line,
                                JointKind::point_on_plane,
                                JointKind::aligned_axes,
                                JointKind::perpendicular_axes,
                                JointKind::fixed_orientation,
                                JointKind::screw};

TEST(Forms, rows_of_every_joint_are_the_rates_of_what_they_hold) {
  constexpr double kStep = 1e-4, kTolerance = 2e-6;
  for (const JointKind kind : kKinds)
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const Pair pair(kind, seed);
      const auto rows_at = [&](const State& state) {
        Kinematics kinematics(pair.built.model);
        kinematics.update(pair.built.model, state);
        RowSet rows(pair.built.model, {JointId(0)});
        rows.evaluate(pair.built.model, kinematics);
        return rows;
      };
      const State before = pair.at(-kStep), now = pair.at(0), after = pair.at(kStep);
      const RowSet rows = rows_at(now), first = rows_at(before), last = rows_at(after);
      ASSERT_GT(rows.rows(), 0);
      for (int i = 0; i < rows.rows(); ++i) {
        const auto r = static_cast<std::size_t>(i);
        if (rows.holonomic[r]) {
          EXPECT_NEAR(rows.times(i, pair.v), (last.phi[r] - first.phi[r]) / (2 * kStep), kTolerance)
              << static_cast<int>(kind) << " row " << i;
        }
        const double rate =
            (last.times(i, pair.velocities(kStep)) - first.times(i, pair.velocities(-kStep))) / (2 * kStep);
        EXPECT_NEAR(rows.times(i, pair.vdot) + rows.c[r], rate, 10 * kTolerance)
            << static_cast<int>(kind) << " row " << i;
      }
    }
}

TEST(Forms, an_anchor_in_the_world_is_found_again_in_the_material) {
  Random random(5);
  const Bent form;
  const OwnVector q{0.2, -0.1, 0.15, 0.05, -0.2, 0};
  for (int i = 0; i < 20; ++i) {
    const Vec3 x = random.vector(1);
    EXPECT_LT(norm(form.point(material_point(form, q, x), {q, {}, {}}).x - x), 1e-14);
  }
}

TEST(Forms, blocks_that_are_set_aside_do_not_move_on) {
  const Pair pair(JointKind::ball, 1);
  Kinematics kinematics(pair.built.model);
  kinematics.update(pair.built.model, pair.built.initial);
  MassBlocks kept(pair.built.model);
  kept.assign(kinematics.masses());
  EXPECT_NE(kept[1].own, kinematics.M(BodyId(1)).own);
  EXPECT_EQ(kept[1].own->C, kinematics.M(BodyId(1)).own->C);
}

}  // namespace forms_test
}  // namespace catena
