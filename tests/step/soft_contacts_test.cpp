// Materials and joints with compliance: Σ and Υ on the normals of contacts and on limits (Lacoursière, SPOOK).
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace soft_contacts_test {

using namespace testing_step;

constexpr double kG = 9.81;

Scene box_on_floor(double compliance, double relaxation, double height, double friction = 0.5) {
  ModelBuilder builder;
  Material soft;
  soft.name = "soft";
  soft.friction = friction;
  soft.compliance = compliance / 2;  // of both, the pair has twice as much
  soft.relaxation = relaxation;
  builder.material(soft);
  Shape floor{Plane{{0, 0, 1}, 0}}, box{Box{{0.4, 0.3, 0.2}}};
  floor.material = box.material = 1;
  builder.ground_shape(floor);
  builder.body({.name = "box", .mass = 2, .position = {0, 0, height}, .shapes = {box}});
  const BuiltModel built = builder.build();
  Scene scene;
  scene.model = built.model;
  scene.initial = built.initial;
  return scene;
}

struct Way {
  const char* name;
  Options options;
};
const Way kWays[] = {{"spook", {.method = Method::spook, .step = 1e-3}},
                     {"operational", {.method = Method::operational, .step = 1e-3}},
                     {"gauss-seidel", {.method = Spook{.law_solver = LawSolver::gauss_seidel}, .step = 1e-3}}};

// Four springs of compliance ε each carry m g: the box sinks by ε m g/4, and stays there.
TEST(SoftContacts, a_box_at_rest_has_sunk_in_by_its_weight_times_the_compliance) {
  constexpr double kCompliance = 1e-4;
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(box_on_floor(kCompliance, 5e-3, 0.1), way.options);
    advance(sim, 1);
    EXPECT_NEAR(sim.body("box").position.z, 0.1 - kCompliance * 2 * kG / 4, 1e-9);
    EXPECT_NEAR(norm(sim.body("box").velocity), 0, 1e-9);
    EXPECT_NEAR(norm(Vec3{sim.body("box").position.x, sim.body("box").position.y, 0}), 0, 1e-9);
    double carried = 0;
    for (const ContactForce& force : sim.contact_forces()) carried += force.force.z;
    EXPECT_NEAR(carried, 2 * kG, 1e-6);
  }
}

// With J = 1 of four equal rows in parallel the box is one mass on a spring of ε/4, and the step is
// v⁺ = v − g h + z/m,  v⁺ + Σ z = −(4/h) Υ φ + Υ v,  Σ = 4 (ε/4) Υ/h²,  Υ = 1/(1 + 4τ/h),  x⁺ = x + h v⁺.
TEST(SoftContacts, a_box_follows_the_methods_own_recurrence) {
  constexpr double kCompliance = 4e-4, kRelaxation = 2e-3, kH = 1e-3, kMass = 2;
  Simulation sim(box_on_floor(kCompliance, kRelaxation, 0.0995), {.method = Method::spook, .step = kH});
  double phi = sim.body("box").position.z - 0.1, v = 0;
  const double upsilon = 1 / (1 + 4 * kRelaxation / kH), sigma = 4 * (kCompliance / 4) * upsilon / (kH * kH);
  int pressed = 0;
  for (int i = 0; i < 200; ++i) {
    const double free = v - kG * kH;
    double z = 0;
    if (phi <= 0) z = std::max(0.0, (-(4 / kH) * upsilon * phi + upsilon * v - free) / (1 / kMass + sigma));
    pressed += z > 0 ? 1 : 0;
    v = free + z / kMass;
    phi += kH * v;
    ASSERT_TRUE(sim.step().ok());
    ASSERT_NEAR(sim.body("box").position.z - 0.1, phi, 1e-11) << i;
    ASSERT_NEAR(sim.body("box").velocity.z, v, 1e-9) << i;
  }
  EXPECT_GT(pressed, 100);
}

// What is stored in the springs comes back: without damping a ball bounces back to nearly where it fell from, with much damping it stays.
TEST(SoftContacts, damping_decides_how_high_a_box_bounces) {
  double last = 1;
  for (const double relaxation : {1e-6, 3e-3, 3e-2}) {
    Simulation sim(box_on_floor(2e-4, relaxation, 0.15, 0), {.method = Method::spook, .step = 1e-4});
    double highest = 0;
    bool touched = false;
    for (int i = 0; i < 3000; ++i) {
      ASSERT_TRUE(sim.step().ok());
      touched = touched || sim.body("box").position.z < 0.1;
      if (touched && sim.body("box").velocity.z > 0) highest = std::max(highest, sim.body("box").position.z - 0.1);
    }
    EXPECT_LT(highest, 0.9 * last);
    EXPECT_LE(sim.energy().ledger.contacts, 1e-9);
    last = highest;
  }
  EXPECT_LT(last, 1e-3);
}

// On a slope of a quarter friction 0.5 holds it: tangents do not give way.
TEST(SoftContacts, friction_holds_a_box_on_a_soft_slope) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Scene scene = box_on_floor(1e-4, 5e-3, 0.1);
    scene.model.gravity = {0.24 * kG, 0, -kG};
    Simulation sim(scene, way.options);
    advance(sim, 0.5);
    const double x = sim.body("box").position.x;
    advance(sim, 1);
    EXPECT_NEAR(sim.body("box").position.x, x, 1e-6);
  }
}

// A rod held level by the limit of its hinge turns past it by ε times the torque of its weight, where the whole joint has ε.
TEST(SoftContacts, a_limit_of_a_joint_with_compliance_gives_way_as_its_other_rows_do) {
  constexpr double kCompliance = 1e-4, kLimit = 1e-6;
  JointExtras extras;
  extras.limits = Limits{-kLimit, kLimit};
  extras.compliance = kCompliance;
  extras.relaxation = 5e-3;
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(pendulum(M_PI / 2, 0, extras).build(), way.options);
    advance(sim, 2);
    const double q = std::abs(sim.joint("pivot").position());
    EXPECT_NEAR(q, kLimit + kCompliance * 0.5 * kG * std::cos(q), 1e-8);
    EXPECT_NEAR(norm(sim.body("rod").angular_velocity), 0, 1e-8);
  }
}

// Four corners of a rigid box: three of them would do, so S is singular without Σ, and solved all the same. With Σ they share evenly.
TEST(SoftContacts, a_singular_system_is_solved_with_and_without_compliance) {
  for (const double compliance : {0.0, 1e-8}) {
    Simulation sim(box_on_floor(compliance, 0, 0.1), {.method = Method::spook, .step = 1e-3});
    advance(sim, 0.2);
    EXPECT_NEAR(sim.body("box").position.z, 0.1, 1e-6);
    EXPECT_LT(sim.report().complementarity, 1e-8);
    double carried = 0;
    for (const ContactForce& force : sim.contact_forces()) {
      carried += force.force.z;
      if (compliance > 0) {
        EXPECT_NEAR(force.force.z, 2 * kG / 4, 1e-6);
      }
    }
    EXPECT_NEAR(carried, 2 * kG, 1e-6);
  }
}

}  // namespace soft_contacts_test
}  // namespace catena
