// Springs, dampers, servos and rotors taken implicitly: the inertia they add, and where their work goes.
#include "catena/mechanism/impedance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mechanism/mechanism_testing.h"

namespace catena {
namespace impedance_test {

using namespace testing_mechanism;

struct Sprung {
  Scene scene;
  Dynamics dynamics;
  Impedance impedance;
  double h, theta;

  Sprung(std::uint64_t seed, bool carried, double step, double at)
      : scene(pushed_linkage(seed, 6, 0)),
        dynamics(scene.model, scene.initial, LinearSolver::automatic),
        impedance(
            scene.model, [=](JointId) { return carried; }, [](JointId) { return -1; }, 0),
        h(step),
        theta(at) {
    dynamics.kinematics().update(scene.model, scene.initial);
    impedance.evaluate(scene.model, dynamics.kinematics(), dynamics.coordinates(), dynamics.forces(), h, theta);
  }
};

// a = θ h d + θ² h² k, of a joint's own spring and damper and of the servos along it.
TEST(Impedance, the_inertia_along_a_joint_is_that_of_its_springs_dampers_and_servos) {
  for (const double theta : {0.5, 1.0})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Sprung at(seed, true, 0.02, theta);
      const double th = theta * 0.02;
      for (std::size_t j = 0; j < at.scene.model.joints.size(); ++j) {
        const Joint& joint = at.scene.model.joints[j];
        if (coordinate_count(joint) == 0) continue;
        double wanted = 0;
        const CoordinateLaw law = coordinate_law(joint, at.scene.model.extras_of(joint), 0);
        wanted += th * law.damping + th * th * law.stiffness;
        for (const Actuator& servo : at.scene.model.actuators) {
          if (servo.joint != JointId(j)) continue;
          if (servo.kind == Actuator::Kind::position) wanted += th * servo.kv + th * th * servo.kp;
          if (servo.kind == Actuator::Kind::velocity) wanted += th * servo.kv;
        }
        EXPECT_NEAR(at.impedance.inertia()[j][0], wanted, 1e-15) << joint.name;
      }
    }
}

// Rows for what is not carried: Σ = 1/a along the same direction, so that both resist a change of speed alike.
TEST(Impedance, what_the_factorisation_does_not_carry_is_rows_with_the_inverse_of_the_same_inertia) {
  const Sprung carried(2, true, 0.02, 0.5), rows(2, false, 0.02, 0.5);
  LawRows few, all;
  carried.impedance.append_rows(few);
  rows.impedance.append_rows(all);
  EXPECT_EQ(few.blocks.size(), carried.scene.model.springs.size()) << "springs between points are rows anyway";
  std::vector<double> along(rows.scene.model.joints.size());
  std::set<std::uint64_t> keys;
  for (const LawBlock& block : all.blocks) {
    EXPECT_EQ(block.kind, LawKind::inertia);
    keys.insert(block.key);
    if (block.source >= 0) {
      const JointArray& has = carried.impedance.inertia()[static_cast<std::size_t>(block.source)];
      if (std::count_if(has.begin(), has.end(), [](double a) { return a != 0; }) == 1)
        along[static_cast<std::size_t>(block.source)] += 1 / all.row(block).sigma;
    }
  }
  EXPECT_EQ(keys.size(), all.blocks.size());
  int compared = 0;
  for (std::size_t j = 0; j < along.size(); ++j)
    if (along[j] != 0) {
      EXPECT_NEAR(along[j], carried.impedance.inertia()[j][0], 1e-15);
      ++compared;
    }
  EXPECT_GT(compared, 1);
}

// Between two points: a = θ h d + θ² h² k along the line between them, which turns with them.
TEST(Impedance, the_row_of_a_spring_is_along_its_line_and_has_its_inertia) {
  for (const double theta : {0.5, 1.0}) {
    const Sprung at(3, true, 0.02, theta);
    LawRows rows;
    at.impedance.append_rows(rows);
    ASSERT_EQ(rows.blocks.size(), at.scene.model.springs.size());
    for (std::size_t i = 0; i < rows.blocks.size(); ++i) {
      const Spring& spring = at.scene.model.springs[i];
      const LawBlock& block = rows.blocks[i];
      const double th = theta * 0.02;
      EXPECT_NEAR(1 / rows.row(block).sigma, th * spring.damping + th * th * spring.stiffness, 1e-14);
      const auto distance = [&](double t) {
        const State then = moved(at.scene.model, at.scene.initial, t);
        const auto end = [&](BodyId body, const Vec3& anchor) {
          return body.valid() ? then.bodies[body].position + rotate(then.bodies[body].orientation, anchor) : anchor;
        };
        return norm(end(spring.b, spring.anchor_b) - end(spring.a, spring.anchor_a));
      };
      const double rate = rate_at_zero(distance);
      EXPECT_NEAR(times(rows, block, rows.row(block), velocities_of(at.scene.initial)), rate,
                  1e-8 * (1 + std::abs(rate)));
    }
  }
}

// With Δs = s⁺ − s a damper pushes with −d (s + θ Δs), a servo with h τ(s) − a Δs over the step, and all inertia with −a Δs: their work is that over the
// mean speed.
TEST(Impedance, the_work_of_dampers_servos_and_inertia_is_that_of_their_impulses) {
  for (const double theta : {0.5, 1.0})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(testing::Message() << seed << ' ' << theta);
      Sprung at(seed, true, 0.02, theta);
      const Model& model = at.scene.model;
      const double th = theta * at.h;
      const std::vector<BodyVector> before = velocities_of(at.scene.initial);
      std::vector<BodyVector> after = before;
      for (std::size_t i = 0; i < after.size(); ++i) {
        const double x = static_cast<double>(i);
        after[i] += BodyVector{{0.3, -0.1 * x, 0.2}, {0.1 * x, 0.4, -0.2}, 0};
      }
      double damping = 0, actuators = 0, inertia = 0;
      for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Joint& joint = model.joints[j];
        if (coordinate_count(joint) == 0) continue;
        const std::span<const Row> q = at.dynamics.coordinates().evaluate(model, at.dynamics.kinematics(), JointId(j));
        const auto speed = [&](const Row& row, const std::vector<BodyVector>& v) {
          return velocity(row, joint.a.valid() ? v[joint.a] : BodyVector{},
                          joint.b.valid() ? v[joint.b] : BodyVector{});
        };
        for (std::size_t k = 0; k < q.size(); ++k) {
          const double s = speed(q[k], before), change = speed(q[k], after) - s, mean = s + 0.5 * change;
          const CoordinateLaw law = coordinate_law(joint, model.extras_of(joint), static_cast<int>(k));
          damping -= at.h * law.damping * (s + theta * change) * mean;
          inertia -= at.impedance.inertia()[j][k] * change * mean;
          for (const Actuator& servo : model.actuators) {
            if (servo.joint != JointId(j) || servo.coordinate != static_cast<int>(k)) continue;
            const double a = servo.kind == Actuator::Kind::torque   ? 0
                           : servo.kind == Actuator::Kind::position ? th * servo.kv + th * th * servo.kp
                                                                    : th * servo.kv;
            actuators += (at.h * force_of(servo, q[k].phi, s, at.scene.initial.time) - a * change) * mean;
          }
        }
      }
      LawRows springs;
      at.impedance.append_rows(springs);
      ASSERT_EQ(springs.blocks.size(), model.springs.size());
      for (std::size_t i = 0; i < model.springs.size(); ++i) {
        const LawBlock& block = springs.blocks[i];
        const LawRow& row = springs.row(block);
        const double s = times(springs, block, row, before), change = times(springs, block, row, after) - s;
        damping -= at.h * model.springs[i].damping * (s + theta * change) * (s + 0.5 * change);
        inertia -= change / row.sigma * (s + 0.5 * change);
      }
      Ledger ledger;
      const double returned = at.impedance.book({before, {}}, {after, {}}, ledger);
      EXPECT_NEAR(ledger.damping, damping, 1e-12 * (1 + std::abs(damping)));
      EXPECT_NEAR(ledger.actuators, actuators, 1e-12 * (1 + std::abs(actuators)));
      EXPECT_NEAR(returned, inertia, 1e-12 * (1 + std::abs(inertia)));
    }
}

}  // namespace impedance_test
}  // namespace catena
