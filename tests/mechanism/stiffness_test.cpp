// What is too stiff for explicit steps, against springs whose answer is known by hand.
#include "catena/mechanism/stiffness.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"
#include "mechanism/mechanism_testing.h"

namespace catena {
namespace stiffness_test {

using namespace testing_mechanism;

constexpr double kH = 1e-3;

// A bead on a spring to the ground, or between two beads: w = Σ 1/m along it.
BuiltModel beads(double stiffness, double damping) {
  ModelBuilder builder;
  builder.body({.name = "left", .kind = BodyKind::particle, .mass = 0.5, .position = {0.3, -0.2, 0.7}})
      .body({.name = "right", .kind = BodyKind::particle, .mass = 0.2, .position = {1.1, 0.4, -0.3}})
      .spring({.between = {"left", "right"},
               .anchors = {Vec3{0.3, -0.2, 0.7}, Vec3{1.1, 0.4, -0.3}},
               .stiffness = stiffness,
               .damping = damping});
  return builder.build();
}

TEST(Stiffness, of_a_spring_between_beads_it_is_its_impedance_times_what_a_unit_impulse_moves_them_by) {
  const BuiltModel built = beads(3e5, 40);
  const Stiffness got = stiffness_of_steps(built.model, built.initial, kH);
  EXPECT_NEAR(got.ratio, (kH * 40 + kH * kH * 3e5) * (1 / 0.5 + 1 / 0.2), 1e-12);
  EXPECT_NE(got.part.find("between 'left' and 'right'"), std::string::npos) << got.part;
}

// About a hinge the body answers with 1 over its inertia about the axis, its distance included: the joint answers too.
TEST(Stiffness, of_a_spring_along_a_joint_it_counts_what_the_joint_lets_move) {
  const Vec3 arm{0.6, 0, 0};
  JointExtras extras;
  extras.stiffness = 5e6, extras.damping = 30;
  ModelBuilder builder;
  builder.body({.name = "door", .mass = 2, .inertia = Sym3::diagonal(0.1, 0.2, 0.3), .position = arm})
      .joint({.name = "frame",
              .kind = JointKind::hinge,
              .between = {"ground", "door"},
              .anchor = Vec3{},
              .axis = Vec3{0, 0, 1},
              .extras = extras});
  const BuiltModel built = builder.build();
  const Stiffness got = stiffness_of_steps(built.model, built.initial, kH);
  EXPECT_NEAR(got.ratio, (kH * 30 + kH * kH * 5e6) / (0.3 + 2 * 0.36), 1e-11);
  EXPECT_EQ(got.part, "joint 'frame'");
}

// ẍ = −(k x + d ẋ)/m by the classical Runge–Kutta method: what is refused grows without bound, what is taken does not.
TEST(Stiffness, explicit_steps_of_what_is_refused_by_far_blow_up_and_of_what_is_taken_do_not) {
  const double mobility = 1 / 0.5 + 1 / 0.2;
  for (const double ratio : {0.4, 20.0}) {
    const double stiffness = ratio / (kH * kH * mobility);
    const BuiltModel built = beads(stiffness, 0);
    const std::string why = why_implicit(built.model, built.initial, kH);
    EXPECT_EQ(why.empty(), ratio < 1) << why;
    double x = 1, v = 0;
    const auto a = [&](double at) { return -stiffness * mobility * at; };
    for (int i = 0; i < 200; ++i) {
      const double k1 = v, l1 = a(x), k2 = v + 0.5 * kH * l1, l2 = a(x + 0.5 * kH * k1), k3 = v + 0.5 * kH * l2,
                   l3 = a(x + 0.5 * kH * k2), k4 = v + kH * l3, l4 = a(x + kH * k3);
      x += kH / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      v += kH / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    EXPECT_EQ(std::abs(x) < 10, ratio < 1) << x;
  }
}

TEST(Stiffness, a_shorter_step_is_explicit_where_a_longer_one_is_not_and_no_spring_is_never_stiff) {
  const BuiltModel built = beads(5e5, 10);
  EXPECT_FALSE(why_implicit(built.model, built.initial, 1e-2).empty());
  EXPECT_TRUE(why_implicit(built.model, built.initial, 1e-5).empty());
  Model bare = built.model;
  bare.springs.clear();
  EXPECT_EQ(stiffness_of_steps(bare, built.initial, 1).ratio, 0);
}

// The largest of a linkage's springs along its joints, with w of the dense system.
TEST(Stiffness, of_a_linkage_it_bounds_that_of_each_of_its_springs) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Scene scene = workloads::random_linkage(seed, 6, 0);
    JointId sprung;
    for (std::size_t j = 0; j < scene.model.joints.size(); ++j)
      if (scene.model.joints[j].kind == JointKind::hinge || scene.model.joints[j].kind == JointKind::slider)
        sprung = JointId(j);
    if (!sprung.valid()) continue;
    extras_of(scene.model, static_cast<std::size_t>(sprung.value())).stiffness = 1e9;
    KktReference reference(scene.model, scene.initial);
    Rows coordinate;
    joint_coordinates(scene.model.joints[sprung], reference.kinematics(), coordinate);
    std::vector<BodyVector> push(scene.model.bodies.size());
    const Joint& joint = scene.model.joints[sprung];
    if (joint.a.valid()) push[joint.a] += coordinate[0].a;
    if (joint.b.valid()) push[joint.b] += coordinate[0].b;
    const Eigen::VectorXd J = reference.flat(push);
    reference.solve(J, Eigen::VectorXd::Zero(reference.J.rows()));
    const double wanted = kH * kH * 1e9 * J.dot(reference.y);
    EXPECT_NEAR(stiffness_of_steps(scene.model, scene.initial, kH).ratio, wanted, 1e-9 * wanted);
  }
}

}  // namespace stiffness_test
}  // namespace catena
