// What joint coordinates leave over, against the rows of all joints and along the motion.
#include "catena/mechanism/held_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/loop_scenes.h"
#include "catena/joints/row_rhs.h"
#include "joints/mechanisms.h"
#include "mechanism/mechanism_testing.h"

namespace catena {
namespace held_rows_test {

using namespace testing_mechanism;

// Loops, and a motor on every third joint that has a coordinate.
Scene driven_linkage(std::uint64_t seed) {
  Scene scene = workloads::random_linkage(seed, 9, 3);
  for (std::size_t j = 0; j < scene.model.joints.size(); j += 3)
    if (coordinate_count(scene.model.joints[j]) == 1)
      extras_of(scene.model, j).motor = Motor{Sine{0.4, 0.6, 0.2, 0.1 * static_cast<double>(j)}, {}};
  scene.initial.time = 0.37;
  return scene;
}

TEST(HeldRows, they_are_those_of_all_joints_that_the_forest_does_not_hold_and_all_motors) {
  int motors = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = driven_linkage(seed);
    const Model& model = scene.model;
    const ReducedModel tree(model);
    HeldRows held(tree);
    Kinematics kinematics(model);
    kinematics.update(model, scene.initial);
    held.evaluate(kinematics);
    RowSet all = all_rows(model);
    all.evaluate(model, kinematics);
    const std::vector<int> starts = row_starts(model);
    const std::vector<BodyVector> v = velocities_of(scene.initial);
    int expected = 0;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const bool loop = std::ranges::count(tree.forest().auxiliary, JointId(j)) > 0;
      const bool motor = model.extras_of(model.joints[j]).motor.has_value();
      expected += loop ? row_count(model, model.joints[j]) : motor ? 1 : 0;
      motors += motor && !loop ? 1 : 0;
    }
    ASSERT_EQ(held.rows(), expected);
    EXPECT_EQ(held.drives(),
              std::ranges::any_of(model.extras, [](const JointExtras& e) { return e.motor.has_value(); }));
    for (int i = 0; i < held.rows(); ++i) {
      const auto r = static_cast<std::size_t>(i);
      const int same = starts[static_cast<std::size_t>(held.joint[r].value())] + held.row[r];
      const auto s = static_cast<std::size_t>(same);
      EXPECT_NEAR(held.times(i, v), all.times(same, v), 1e-14);
      EXPECT_EQ(held.u[r], all.u[s]);
      EXPECT_EQ(held.c[r], all.c[s]);
      EXPECT_EQ(held.phi[r], all.holonomic[s] ? all.phi[s] : 0);
      std::vector<BodyVector> f(model.bodies.size()), wanted(f.size());
      held.add_force(i, 1.7, f);
      all.add_force(same, 1.7, wanted);
      EXPECT_LE(size_of(difference(f, wanted)), 1e-15);
    }
  }
  EXPECT_GT(motors, 5);
}

// J v is the rate of phi, and c that of J v where nothing accelerates.
TEST(HeldRows, their_gaps_open_at_their_speeds_and_their_speeds_change_by_their_bias) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = driven_linkage(seed);
    const ReducedModel tree(scene.model);
    HeldRows held(tree);
    Kinematics kinematics(scene.model);
    const auto at = [&](double t, int i, bool speed) {
      const State then = moved(scene.model, scene.initial, t);
      kinematics.update(scene.model, then);
      held.evaluate(kinematics);
      const auto r = static_cast<std::size_t>(i);
      return speed ? held.times(i, velocities_of(then)) - held.u[r] : held.phi[r];
    };
    for (int i = 0; i < held.rows(); ++i) {
      const double gap = rate_at_zero([&](double t) { return at(t, i, false); });
      const double speed = rate_at_zero([&](double t) { return at(t, i, true); });
      at(0, i, false);
      const auto r = static_cast<std::size_t>(i);
      if (held.holonomic[r]) {
        EXPECT_NEAR(held.times(i, velocities_of(scene.initial)), gap, 1e-8 * (1 + std::abs(gap)));
      }
      EXPECT_NEAR(held.c[r], speed, 1e-7 * (1 + std::abs(speed)));
    }
  }
}

TEST(HeldRows, the_widest_gap_counts_lengths_in_sizes_of_the_mechanism_and_angles_as_they_are) {
  int angles = 0, lengths = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Scene scene = seed % 2 == 0 ? workloads::random_linkage(seed, 8, 3) : workloads::four_bars(2);  // loops of hinges
    const ReducedModel tree(scene.model);
    HeldRows held(tree);
    for (BodyState& s : scene.initial.bodies) {
      s.position += 0.01 * s.velocity + Vec3{0.02, -0.01, 0.03};
      s.orientation = normalized(exp_rotation(0.02 * s.angular_velocity + Vec3{0.01, 0.02, -0.01}) * s.orientation);
    }
    Kinematics kinematics(scene.model);
    kinematics.update(scene.model, scene.initial);
    held.evaluate(kinematics);
    for (const double size : {0.01, 1.0, 100.0}) {
      double widest = 0;
      JointId worst;
      bool turns = false;
      for (std::size_t i = 0; i < held.phi.size(); ++i) {
        const bool angle = std::all_of(held.J.begin() + held.start[i], held.J.begin() + held.start[i + 1],
                                       [](const BodyVector& term) { return norm(term.linear) == 0; });
        const double scaled = std::abs(held.phi[i]) / (angle ? 1 : size);
        if (scaled > widest) widest = scaled, worst = held.joint[i], turns = angle;
      }
      EXPECT_EQ(held.gap(size).scaled, widest);
      EXPECT_EQ(held.gap(size).worst, worst);
      (turns ? angles : lengths) += 1;
    }
  }
  EXPECT_GT(angles, 3);
  EXPECT_GT(lengths, 3);
}

TEST(HeldRows, couplings_that_push_through_other_terms_than_they_hold_are_refused) {
  Scene scene = workloads::random_linkage(5, 4, 0);
  JointExtras extras;
  CouplingRow& row = extras.rows.emplace_back();
  row.terms.push_back({BodyId(1), {0.3, -0.5, 1.0}, {}, false});
  row.through.push_back({BodyId(2), {0.5, 0.4, 0.9}, {}, false});
  testing_mechanisms::add_coupling(scene.model, "steer", extras);
  const ReducedModel tree(scene.model);
  EXPECT_THROW(HeldRows{tree}, InputError);
}

}  // namespace held_rows_test
}  // namespace catena
