// Materials with creep: Σ on the tangents of contacts, where Υ vanishes (Lacoursière, eq. 2). What sticks slips by γ a newton of its friction.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "step/step_testing.h"
#include "step/ways.h"

namespace catena {
namespace creep_test {

using namespace testing_step;

constexpr double kG = 9.81, kMass = 2;

// The pair has twice the creep of its materials.
Scene box_on_floor(double creep, double pull, double friction = 0.5, double compliance = 0) {
  ModelBuilder builder;
  Material sticky;
  sticky.name = "sticky";
  sticky.friction = friction;
  sticky.creep = creep / 2;
  sticky.compliance = compliance / 2;
  sticky.relaxation = compliance > 0 ? 5e-3 : 0;
  builder.material(sticky);
  Shape floor{Plane{{0, 0, 1}, 0}}, box{Box{{0.4, 0.3, 0.2}}};
  floor.material = box.material = 1;
  builder.ground_shape(floor);
  builder.gravity({pull * kG, 0, -kG});
  builder.body({.name = "box", .mass = kMass, .position = {0, 0, 0.1}, .shapes = {box}});
  const BuiltModel built = builder.build();
  Scene scene;
  scene.model = built.model;
  scene.initial = built.initial;
  return scene;
}

// Four feet share the pull m a evenly, since they all slip by the same γ m a/4: rigid ones would leave open who holds how much.
TEST(Creep, a_box_pulled_below_its_friction_slips_by_the_creep_times_the_force) {
  constexpr double kCreep = 8e-3, kPull = 0.2;
  for (const double compliance : {0.0, 1e-4})
    for (const StepWay& way : kStepWays) {
      SCOPED_TRACE(std::string(way.name) + (compliance > 0 ? ", soft" : ""));
      Simulation sim(box_on_floor(kCreep, kPull, 0.5, compliance), way.options);
      advance(sim, 0.5);
      EXPECT_EQ(sim.report().replaced, 0);
      const double force = kMass * kPull * kG, creeps = kCreep * force / 4;
      const double x = sim.body("box").position.x;
      EXPECT_NEAR(sim.body("box").velocity.x, creeps, 1e-8);
      EXPECT_NEAR(norm(sim.body("box").angular_velocity), 0, 1e-8);
      ASSERT_EQ(sim.contact_forces().size(), 4u);
      for (const ContactForce& contact : sim.contact_forces()) {
        EXPECT_NEAR(contact.force.x, -force / 4, 1e-6);
        EXPECT_NEAR(contact.force.y, 0, 1e-6);
        EXPECT_NEAR(contact.slip.x, creeps, 1e-8);
        EXPECT_EQ(contact.state, ContactForce::State::stick);
      }
      advance(sim, 1);
      EXPECT_NEAR(sim.body("box").position.x - x, 0.5 * creeps, 1e-8);
      EXPECT_NEAR(norm(Vec3{0, sim.body("box").position.y, 0}), 0, 1e-8);
    }
}

// The same with friction as a pyramid.
TEST(Creep, pyramids_creep_as_cones_do) {
  Simulation sim(box_on_floor(8e-3, 0.2), {.method = Method::spook, .facets = 8, .step = 1e-3});
  advance(sim, 0.5);
  EXPECT_NEAR(sim.body("box").velocity.x, 8e-3 * kMass * 0.2 * kG / 4, 1e-8);
}

// With four equal rows in parallel: m v⁺ = m v + h m a + Z, v⁺ + γ Z/(4 h) = 0, x⁺ = x + h (v + v⁺)/2.
TEST(Creep, a_box_follows_the_methods_own_recurrence) {
  constexpr double kCreep = 8e-3, kPull = 0.2, kH = 1e-3;
  Simulation sim(box_on_floor(kCreep, kPull), {.method = Method::spook, .step = kH});
  double x = 0, v = 0;
  for (int i = 0; i < 100; ++i) {
    const double after = (v + kH * kPull * kG) / (1 + 4 * kH / (kCreep * kMass));
    x += kH * (v + after) / 2;
    v = after;
    ASSERT_TRUE(sim.step().ok());
    ASSERT_NEAR(sim.body("box").velocity.x, v, 1e-10) << i;
    ASSERT_NEAR(sim.body("box").position.x, x, 1e-11) << i;
  }
}

// Beyond the cone the force is Coulomb's whatever the creep, pulled with more than the friction and thrown without any pull. The thrown box slides until
// its friction is no longer the largest, at v₁ = γ μ m g/4, and comes to rest from there as e^(−t/T), T = γ m/4.
TEST(Creep, slip_beyond_the_cone_is_as_without_creep) {
  constexpr double kCreep = 8e-3, kFriction = 0.3, kPull = 0.5, kTime = 0.3, kSpeed = 0.5;
  const double last = kCreep * kFriction * kMass * kG / 4, decay = kCreep * kMass / 4;
  for (const StepWay& way : kStepWays) {
    SCOPED_TRACE(way.name);
    Scene pulling = box_on_floor(kCreep, kPull, kFriction);
    pulling.initial.bodies[0].velocity = {0.1, 0, 0};
    Simulation pulled(pulling, way.options);
    advance(pulled, kTime);
    EXPECT_NEAR(pulled.body("box").velocity.x, 0.1 + (kPull - kFriction) * kG * kTime, 1e-6);

    Scene thrown = box_on_floor(kCreep, 0, kFriction);
    thrown.initial.bodies[0].velocity = {0.6 * kSpeed, 0.8 * kSpeed, 0};
    Simulation sim(thrown, way.options);
    advance(sim, 1);
    const double way_slid = (kSpeed * kSpeed - last * last) / (2 * kFriction * kG) + last * decay;
    // Friction loads the front feet, which then creep a little longer than the others: a part of the last way. The steps before are of second order.
    const Vec3 p = sim.body("box").position;
    EXPECT_NEAR(p.x, 0.6 * way_slid, last * decay);
    EXPECT_NEAR(p.y, 0.8 * way_slid, last * decay);
    EXPECT_NEAR(norm(sim.body("box").velocity), 0, 1e-8);
  }
}

// A platform on four feet of different materials, pulled aside: its slip along x and y and its turning follow from three equations, and with them what
// each foot holds.
TEST(Creep, four_feet_share_a_pull_as_their_materials_say) {
  constexpr double kHeavy = 10, kRadius = 0.1, kPull = 0.1;
  const Vec3 feet[] = {{0.7, 0.3, 0}, {-0.5, 0.3, 0}, {0.7, -0.4, 0}, {-0.5, -0.4, 0}};
  const double creeps[] = {1e-3, 2e-3, 1.5e-3, 0.7e-3};
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d along_x(1, 0, -feet[i].y), along_y(0, 1, feet[i].x);
    A += (along_x * along_x.transpose() + along_y * along_y.transpose()) / creeps[i];
  }
  const Eigen::Vector3d slip = A.ldlt().solve(Eigen::Vector3d(kHeavy * kPull * kG, 0, 0));
  for (StepWay way : kStepWays) {
    SCOPED_TRACE(way.name);
    way.options.step = 2e-4;
    ModelBuilder builder;
    BodySpec car{.name = "car", .mass = kHeavy, .position = {0, 0, kRadius}};
    car.inertia = Sym3::diagonal(0.5, 1, 1.2);
    for (int i = 0; i < 4; ++i) {
      Material foot;
      foot.name = "foot" + std::to_string(i);
      foot.friction = 1;
      foot.compliance = 1e-6;
      foot.relaxation = 2e-3;
      foot.creep = creeps[i];
      builder.material(foot);
      Shape ball{Sphere{kRadius}};
      ball.position = feet[i];
      ball.material = i + 1;
      car.shapes.push_back(ball);
    }
    builder.gravity({kPull * kG, 0, -kG});
    builder.ground_shape({Plane{{0, 0, 1}, 0}});
    builder.body(car);
    Simulation sim(builder.build(), way.options);
    advance(sim, 0.2);
    EXPECT_EQ(sim.report().replaced, 0);
    // The platform has turned by wz t ≈ 1e-4 rad by then, and the pull with it.
    const double error = 1e-3 * slip.norm();
    EXPECT_NEAR(sim.body("car").velocity.x, slip[0], error);
    EXPECT_NEAR(sim.body("car").velocity.y, slip[1], error);
    EXPECT_NEAR(sim.body("car").angular_velocity.z, slip[2], error);
    ASSERT_EQ(sim.contact_forces().size(), 4u);
    for (const ContactForce& force : sim.contact_forces()) {
      const auto i = static_cast<std::size_t>(force.contact.shape_a);
      EXPECT_NEAR(force.force.x, -(slip[0] - slip[2] * feet[i].y) / creeps[i], 1e-3 * kHeavy * kPull * kG) << i;
      EXPECT_NEAR(force.force.y, -(slip[1] + slip[2] * feet[i].x) / creeps[i], 1e-3 * kHeavy * kPull * kG) << i;
    }
  }
}

// What creep takes is F²γ/4 a second, all of it booked under contacts.
TEST(Creep, takes_the_power_of_its_slip) {
  constexpr double kCreep = 8e-3, kPull = 0.2, kForce = kMass * kPull * kG;
  for (const StepWay& way : kStepWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(box_on_floor(kCreep, kPull), way.options);
    advance(sim, 0.5);
    const double before = sim.energy().ledger.contacts;
    advance(sim, 1);
    EXPECT_NEAR(sim.energy().ledger.contacts - before, -0.5 * kForce * kForce * kCreep / 4, 1e-7);
    EXPECT_NEAR(sim.energy().ledger.numerical, 0, 1e-7);
  }
}

// Lagrange takes −v/γ explicitly, so materials with little creep are for the implicit scheme, which a warning says.
TEST(Creep, little_of_it_is_stiff_for_explicit_steps) {
  Simulation sim(box_on_floor(1e-6, 0.2), {.method = Method::lagrange, .step = 1e-3});
  EXPECT_FALSE(sim.warnings().empty());
  advance(sim, 0.2);
  EXPECT_NEAR(sim.body("box").velocity.x, 1e-6 * kMass * 0.2 * kG / 4, 1e-9);
}

}  // namespace creep_test
}  // namespace catena
