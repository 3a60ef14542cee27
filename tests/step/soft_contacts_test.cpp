// Materials and joints with compliance: Σ and Υ on the normals of contacts and on limits (Lacoursière, SPOOK).
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>

#include "step/step_testing.h"
#include "step/ways.h"

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

// Four springs of compliance ε each carry m g: the box sinks by ε m g/4, and stays there.
TEST(SoftContacts, a_box_at_rest_has_sunk_in_by_its_weight_times_the_compliance) {
  constexpr double kCompliance = 1e-4;
  for (const StepWay& way : kStepWays) {
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
  for (const StepWay& way : kStepWays) {
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
  for (const StepWay& way : kStepWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(pendulum(M_PI / 2, 0, extras).build(), way.options);
    advance(sim, 2);
    const double q = std::abs(sim.joint("pivot").position());
    EXPECT_NEAR(q, kLimit + kCompliance * 0.5 * kG * std::cos(q), 1e-8);
    EXPECT_NEAR(sim.joint("pivot").velocity(), 0, 1e-8);
    // About its own axis the rod has next to no inertia, and the springs of the joint turn it back within microseconds: what error control leaves there is
    // some of its tolerance, 1e-10 rad, times that rate, 5e4/s.
    EXPECT_NEAR(norm(sim.body("rod").angular_velocity), 0, 1e-4);
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

// Without gravity a box that meets the floor at v₀ is a mass m on a spring k = 4/ε with a damper τ k, until the force is zero:
// x = −(v₀/ω_d) e^(−δt) sin ω_d t,  δ = τ k/(2m),  ω_d² = k/m − δ².
double rebound(double mass, double compliance, double relaxation, double speed) {
  const double k = 4 / compliance, delta = relaxation * k / (2 * mass), wd = std::sqrt(k / mass - delta * delta);
  const auto x = [&](double t) { return -speed / wd * std::exp(-delta * t) * std::sin(wd * t); };
  const auto v = [&](double t) {
    return -speed / wd * std::exp(-delta * t) * (wd * std::cos(wd * t) - delta * std::sin(wd * t));
  };
  double low = 1e-3 / wd, high = M_PI / wd;  // the force is positive, negative
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (x(middle) + relaxation * v(middle) < 0 ? low : high) = middle;
  }
  return v(low);
}

TEST(SoftContacts, a_bounce_loses_what_the_damped_oscillator_loses) {
  constexpr double kMass = 2, kCompliance = 4e-4, kSpeed = 1;
  for (const double relaxation : {1e-9, 2e-3, 6e-3}) {
    const double after = rebound(kMass, kCompliance, relaxation, kSpeed);
    for (StepWay way : kStepWays) {
      SCOPED_TRACE(way.name);
      Scene scene = box_on_floor(kCompliance, relaxation, 0.11, 0);
      scene.model.gravity = {};
      scene.initial.bodies[0].velocity = {0, 0, -kSpeed};
      // Events keep rk4's order and leave the midpoint rule with its own; steps of first order are short.
      const bool lagrange = way.options.method == Method::lagrange, impulse = way.options.method == Method::impulse;
      way.options.step = lagrange ? 1e-3 : impulse ? 1e-4 : 1e-5;
      Simulation sim(scene, way.options);
      advance(sim, 0.06);
      EXPECT_EQ(sim.report().replaced, 0);
      EXPECT_NEAR(sim.body("box").velocity.z, after, lagrange ? 1e-5 : impulse ? 1e-4 : 5e-3);
      EXPECT_NEAR(sim.energy().kinetic + sim.energy().potential - sim.energy().ledger.contacts, 0.5 * kMass, 5e-3);
      EXPECT_NEAR(norm(sim.body("box").angular_velocity), 0, 1e-9);
    }
  }
}

// A platform on four wheels of different materials: z, and the turns about x and y, follow from three equations, and with them the loads. Rigid wheels
// would leave them open.
TEST(SoftContacts, four_wheels_share_a_load_as_their_springs_say) {
  constexpr double kMass = 10, kRadius = 0.1;
  const Vec3 wheels[] = {{0.7, 0.3, 0}, {-0.5, 0.3, 0}, {0.7, -0.4, 0}, {-0.5, -0.4, 0}};
  const double compliances[] = {1e-6, 2e-6, 1.5e-6, 0.7e-6};
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d row(1, wheels[i].y, -wheels[i].x);
    A += row * row.transpose() / compliances[i];
  }
  const Eigen::Vector3d sunk = A.ldlt().solve(Eigen::Vector3d(kMass * kG, 0, 0));
  for (StepWay way : kStepWays) {
    SCOPED_TRACE(way.name);
    way.options.step = 2e-4;
    ModelBuilder builder;
    BodySpec car{.name = "car", .mass = kMass, .position = {0, 0, kRadius}};
    car.inertia = Sym3::diagonal(0.5, 1, 1.2);
    for (int i = 0; i < 4; ++i) {
      Material tyre;
      tyre.name = "tyre" + std::to_string(i);
      tyre.compliance = compliances[i];
      tyre.relaxation = 2e-3;
      builder.material(tyre);
      Shape wheel{Sphere{kRadius}};
      wheel.position = wheels[i];
      wheel.material = i + 1;
      car.shapes.push_back(wheel);
    }
    builder.ground_shape({Plane{{0, 0, 1}, 0}});
    builder.body(car);
    Simulation sim(builder.build(), way.options);
    advance(sim, 0.5);
    ASSERT_EQ(sim.contact_forces().size(), 4u);
    for (const ContactForce& force : sim.contact_forces()) {
      const auto i = static_cast<std::size_t>(force.contact.shape_a);
      const double load = sunk.dot(Eigen::Vector3d(1, wheels[i].y, -wheels[i].x)) / compliances[i];
      EXPECT_NEAR(force.normal, load, 1e-3 * load)
          << i;  // turns of 1e-4 rad move the points of touch by as much of 0.1 m
    }
  }
}

// Sliding on a floor that gives way: friction is that of the normal force, m g from the start where the box starts as deep as it rests.
TEST(SoftContacts, a_box_slides_as_far_as_its_friction_lets_it) {
  constexpr double kCompliance = 1e-4, kFriction = 0.3, kSpeed = 0.5;
  for (const StepWay& way : kStepWays) {
    SCOPED_TRACE(way.name);
    Scene scene = box_on_floor(kCompliance, 5e-3, 0.1 - kCompliance * 2 * kG / 4, kFriction);
    scene.initial.bodies[0].velocity = {0.6 * kSpeed, 0.8 * kSpeed, 0};
    Simulation sim(scene, way.options);
    advance(sim, 1);
    const Vec3 p = sim.body("box").position;
    const double way_slid = kSpeed * kSpeed / (2 * kFriction * kG);
    // Friction tips the box by 4e-4 rad about its feet, 0.1 m below its centre. Positions that move with the velocities at the end of a step lag behind by half a step.
    const bool second = way.options.method == Method::lagrange || way.options.method == Method::impulse;
    const double error = second ? 6e-5 : kSpeed * 1e-3;
    EXPECT_NEAR(p.x, 0.6 * way_slid, error);
    EXPECT_NEAR(p.y, 0.8 * way_slid, error);
    EXPECT_NEAR(norm(sim.body("box").velocity), 0, 1e-8);
  }
}

// A weight on a compliant weld sinks by ε m g in every method, and swings about there with ω² = 1/(ε m).
TEST(SoftContacts, a_joint_with_compliance_is_a_spring_in_every_method) {
  constexpr double kCompliance = 1e-4, kMass = 2, kDamped = 5e-3;
  for (const StepWay& way : kStepWays) {
    SCOPED_TRACE(way.name);
    ModelBuilder builder;
    BodySpec weight{.name = "weight", .mass = kMass, .position = {0, 0, 1}};
    weight.inertia = Sym3::diagonal(0.1, 0.1, 0.1);
    JointSpec weld;
    weld.name = "weld";
    weld.kind = JointKind::weld;
    weld.between = {"ground", "weight"};
    weld.anchor = Vec3{0, 0, 1};
    weld.extras.compliance = kCompliance;
    weld.extras.relaxation = kDamped;
    builder.body(weight).joint(weld);
    Simulation sim(builder.build(), way.options);
    advance(sim, 2);
    EXPECT_EQ(sim.report().replaced, 0);
    EXPECT_NEAR(sim.body("weight").position.z, 1 - kCompliance * kMass * kG, 1e-9);
    EXPECT_NEAR(sim.joint("weld").reaction().linear.z, kMass * kG, 1e-5);
  }
}

// Rolling friction has the force of the spring for its normal: a ball slows down with ρ g/(1.4 R) and comes to rest.
TEST(SoftContacts, rolling_friction_stops_a_ball_on_a_floor_that_gives_way) {
  constexpr double kMass = 0.5, kRadius = 0.1, kLever = 2e-3, kSpeed = 0.15, kCompliance = 1e-5;
  constexpr double kSlowing = kLever * kG / (1.4 * kRadius);
  for (const StepWay& way : kStepWays) {
    SCOPED_TRACE(way.name);
    ModelBuilder builder;
    Material felt;
    felt.name = "felt";
    felt.friction = 0.8;
    felt.rolling = kLever;
    felt.compliance = kCompliance / 2;
    felt.relaxation = 2e-3;
    builder.material(felt);
    Shape floor{Plane{{0, 0, 1}, 0}}, sphere{Sphere{kRadius}};
    floor.material = sphere.material = 1;
    BodySpec ball{.name = "ball", .mass = kMass, .position = {0, 0, kRadius - kCompliance * kMass * kG}};
    ball.inertia = Sym3::diagonal(2e-3, 2e-3, 2e-3);
    ball.velocity = {kSpeed, 0, 0};
    ball.angular_velocity = {0, kSpeed / kRadius, 0};
    ball.shapes = {sphere};
    builder.ground_shape(floor).body(ball);
    Simulation sim(builder.build(), way.options);
    advance(sim, 0.5);
    EXPECT_NEAR(sim.body("ball").velocity.x, kSpeed - 0.5 * kSlowing, 2e-3 * kSpeed);
    advance(sim, 2);
    EXPECT_NEAR(sim.body("ball").position.x, kSpeed * kSpeed / (2 * kSlowing), kSpeed * 1e-3);
    EXPECT_LE(norm(sim.body("ball").velocity), 1e-6);
  }
}

}  // namespace soft_contacts_test
}  // namespace catena
