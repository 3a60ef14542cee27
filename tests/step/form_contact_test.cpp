// Contacts, limits and friction of bodies with a form (model/body_form.h): rigid + 3 of examples/cpp/stretching_body.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "../../examples/cpp/stretching_body.h"
#include "step/step_testing.h"

namespace catena {
namespace form_contact_test {

using namespace testing_step;

constexpr double kG = 9.81, kMass = 2, kStiffness = 40;
const Vec3 kSides{0.3, 0.2, 0.4};
const Vec3 kMoments = (kMass / 12) * Vec3{kSides.x * kSides.x, kSides.y* kSides.y, kSides.z* kSides.z};
constexpr double kHalf = 0.2;  // of its height

struct FormWay {
  const char* name;
  Method method;
  double step, error;  // m after half a second of smooth motion
};
const FormWay kFormWays[] = {{"lagrange", Method::lagrange, 1e-3, 1e-8},
                             {"impulse", Method::impulse, 1e-3, 1e-5},
                             {"spook", Method::spook, 1e-4, 2e-4}};

BodySpec jelly(const Vec3& position, const OwnVector& stretch) {
  BodySpec body{.name = "jelly", .kind = BodyKind::formed, .mass = kMass, .position = position};
  body.shapes = {{Box{kSides}}};
  body.form = std::make_shared<StretchingBody>(kMoments, Vec3{kStiffness, kStiffness, kStiffness});
  body.form_start = stretch;
  return body;
}

Scene on_floor(const BodySpec& body, double friction, double restitution = 0) {
  ModelBuilder builder;
  Material material;
  material.name = "rubber";
  material.friction = friction;
  material.restitution = restitution;
  builder.material(material);
  Shape floor{Plane{{0, 0, 1}, 0}};
  floor.material = 1;
  BodySpec on = body;
  for (Shape& shape : on.shapes) shape.material = 1;
  builder.ground_shape(floor).body(on);
  const BuiltModel built = builder.build();
  Scene scene;
  scene.model = built.model;
  scene.initial = built.initial;
  return scene;
}

double stretch_of(const Simulation& sim, int k = 2) {
  return form_coordinates(sim.body("jelly.form"))[static_cast<std::size_t>(k)];
}

// Its weight presses it down by m g L/(2k) of its height: q = s L/2 pulls with k(s − 1) and the floor pushes −N L/2 on s.
TEST(FormContact, a_body_that_stretches_rests_as_low_as_its_weight_presses_it) {
  const double s = 1 - kMass * kG * kHalf / kStiffness;
  for (const FormWay& way : kFormWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(on_floor(jelly({0, 0, s * kHalf}, {1, 1, s}), 0.5), {.method = way.method, .step = way.step});
    advance(sim, 0.2);
    EXPECT_NEAR(sim.body("jelly").position.z, s * kHalf, 1e-9);
    EXPECT_NEAR(stretch_of(sim), s, 1e-9);
    ASSERT_EQ(sim.contact_forces().size(), 4u);
    double carried = 0;
    for (const ContactForce& contact : sim.contact_forces()) carried += contact.force.z;
    EXPECT_NEAR(carried, kMass * kG, 1e-6);
  }
}

// From s = 1 it swings about there, z = s L/2: (m L²/4 + p) s̈ = −k (s − 1) − m g L/2. The floor pushes with m g + m z̈ > 0 all the time.
TEST(FormContact, it_swings_on_the_floor_as_one_oscillator) {
  const double inertia = kMass * kHalf * kHalf + kMoments.z, omega = std::sqrt(kStiffness / inertia);
  const double amplitude = kMass * kG * kHalf / kStiffness, middle = 1 - amplitude;
  for (const FormWay& way : kFormWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(on_floor(jelly({0, 0, kHalf}, {1, 1, 1}), 0.5), {.method = way.method, .step = way.step});
    advance(sim, 0.5);
    const double s = middle + amplitude * std::cos(0.5 * omega);
    EXPECT_NEAR(stretch_of(sim), s, way.error / kHalf);
    EXPECT_NEAR(sim.body("jelly").position.z, s * kHalf, way.error);
    double carried = 0;
    for (const ContactForce& contact : sim.contact_forces()) carried += contact.force.z;
    const double pushed = kMass * (kG - kHalf * amplitude * omega * omega * std::cos(0.5 * omega));
    // Impulse and spook have the mean force of the last step, half a step earlier.
    const double change = kMass * kHalf * amplitude * omega * omega * omega;
    EXPECT_NEAR(carried, pushed, way.method == Method::lagrange ? 1e-5 : 0.5 * way.step * change);
  }
}

// All four corners meet the floor at v₀: P (1/m + L²/(4p)) = −(1 + e) v₀, and of that −P L/(2p) is the rate of s.
TEST(FormContact, a_drop_gives_the_impulse_of_its_mass_and_its_form) {
  constexpr double kSpeed = 2, kDrop = 0.05;
  for (const double restitution : {0.0, 0.5})
    for (const FormWay& way : kFormWays) {
      SCOPED_TRACE(way.name);
      BodySpec body = jelly({0, 0, kHalf + kDrop}, {1, 1, 1});
      body.velocity = {0, 0, -kSpeed};
      Scene scene = on_floor(body, 0.5, restitution);
      scene.model.gravity = {};
      Simulation sim(scene, {.method = way.method, .step = 1e-4});
      double before = 0;
      while (sim.impacts().empty()) {
        before = sim.energy().kinetic;
        ASSERT_TRUE(sim.step().ok());
        ASSERT_LT(sim.time(), 0.1);
      }
      const double P = (1 + restitution) * kSpeed / (1 / kMass + kHalf * kHalf / kMoments.z);
      double given = 0;
      for (const Impact& impact : sim.impacts()) given += impact.normal;
      EXPECT_NEAR(given, P, 1e-6);
      EXPECT_NEAR(sim.body("jelly").velocity.z, -kSpeed + P / kMass, restitution > 0 ? 1e-6 : 0.1);
      EXPECT_LE(sim.energy().kinetic, before);
    }
}

// Slipping all the time, friction is μ times the normal force: m (v − v₀) = −μ (m v_z + m g t), whatever tips and swings.
TEST(FormContact, friction_takes_as_much_momentum_as_the_floor_gives) {
  constexpr double kFriction = 0.2, kTime = 0.2;
  const double s = 1 - kMass * kG * kHalf / kStiffness;
  for (const FormWay& way : kFormWays) {
    SCOPED_TRACE(way.name);
    BodySpec body = jelly({0, 0, s * kHalf}, {1, 1, s});
    body.velocity = {1.5, 0, 0};
    Simulation sim(on_floor(body, kFriction), {.method = way.method, .step = way.step});
    advance(sim, kTime);
    const Vec3 v = sim.body("jelly").velocity;
    EXPECT_GT(v.x, 0.5);
    EXPECT_NEAR(v.x - 1.5, -kFriction * (v.z + kG * kTime), 1e-6);
    EXPECT_NEAR(v.y, 0, 1e-9);
    EXPECT_LE(sim.energy().ledger.contacts, 0);
    EXPECT_NEAR(sim.energy().ledger.numerical, 0, 1e-3);
  }
}

Vec3 linear_momentum(const Simulation& sim) {
  return kMass * sim.body("jelly").velocity + 0.7 * sim.body("ball").velocity;
}
Vec3 angular_momentum(const Simulation& sim) {
  const BodyState &a = sim.body("jelly"), &b = sim.body("ball");
  const StretchingBody form(kMoments, {});
  const Sym3 I = congruence(to_matrix(a.orientation), form.mass(form_coordinates(sim.body("jelly.form"))).inertia);
  return kMass * cross(a.position, a.velocity) + I * a.angular_velocity + 0.7 * cross(b.position, b.velocity) +
         2e-3 * b.angular_velocity;
}

// A brick of m' on top of it, as a box and as a hull: it presses the upper half down as the floor presses the lower one up, k (1 − s) = (m + 2 m') g L/2.
TEST(FormContact, rigid_boxes_and_hulls_of_a_form_carry_each_other) {
  const double s = 1 - (kMass + 2) * kG * kHalf / kStiffness;
  for (const bool hull : {false, true})
    for (const FormWay& way : kFormWays) {
      SCOPED_TRACE(std::string(way.name) + (hull ? ", hull" : ", box"));
      BodySpec below = jelly({0, 0, s * kHalf}, {1, 1, s});
      if (hull) {
        Hull corners;
        for (const double x : {-0.15, 0.15})
          for (const double y : {-0.1, 0.1})
            for (const double z : {-kHalf, kHalf}) corners.points.push_back({x, y, z});
        below.shapes = {{corners}};
      }
      ModelBuilder builder;
      BodySpec above{.name = "brick", .mass = 1, .position = {0, 0, 2 * s * kHalf + 0.05}};
      above.shapes = {{Box{{0.2, 0.1, 0.1}}}};
      builder.ground_shape({Plane{{0, 0, 1}, 0}}).body(below).body(above);
      Simulation sim(builder.build(), {.method = way.method, .step = way.step});
      advance(sim, 0.2);
      double on_floor = 0, on_box = 0;
      for (const ContactForce& contact : sim.contact_forces())
        (contact.contact.b.valid() ? on_box : on_floor) += std::abs(contact.force.z);
      EXPECT_NEAR(on_box, kG, 1e-6);
      EXPECT_NEAR(on_floor, (kMass + 1) * kG, 1e-6);
      EXPECT_NEAR(stretch_of(sim), s, 1e-8);
      EXPECT_NEAR(sim.body("brick").position.z, 2 * s * kHalf + 0.05, 1e-8);
    }
}

// A ball meets a box that turns and stretches, with friction: momentum and angular momentum stay, and no energy is gained.
TEST(FormContact, a_ball_that_meets_it_keeps_the_momentum_of_both) {
  for (const FormWay& way : kFormWays) {
    SCOPED_TRACE(way.name);
    ModelBuilder builder;
    BodySpec body = jelly({0, 0, 0}, {1.1, 0.9, 1.05});
    body.orientation = exp_rotation(Vec3{0.3, -0.2, 0.5});
    body.angular_velocity = {0.5, 1, -0.7};
    body.form_velocity = {0.3, -0.2, 0.1};
    BodySpec ball{.name = "ball", .mass = 0.7, .position = {0.6, 0.05, 0.1}, .shapes = {{Sphere{0.1}}}};
    ball.inertia = Sym3::diagonal(2e-3, 2e-3, 2e-3);
    ball.velocity = {-2, 0.1, 0};
    builder.gravity({}).body(body).body(ball);
    Simulation sim(builder.build(), {.method = way.method, .step = way.step});
    const Vec3 p = linear_momentum(sim), L = angular_momentum(sim);
    const double energy = sim.energy().total();
    advance(sim, 0.4);
    EXPECT_GE(sim.body("ball").velocity.x, -1.5);  // it was hit
    EXPECT_NEAR(norm(linear_momentum(sim) - p), 0, 1e-9);
    EXPECT_NEAR(norm(angular_momentum(sim) - L), 0, way.method == Method::lagrange ? 1e-8 : 2e-3);
    EXPECT_LE(sim.energy().total(), energy + 1e-4);
  }
}

// Dropped askew, it lands on a corner, stretches, tips over and slides: the methods agree as well as their steps are short.
TEST(FormContact, methods_agree_on_a_body_dropped_askew) {
  BodySpec body = jelly({0, 0, 0.35}, {1, 1, 1});
  body.orientation = exp_rotation(Vec3{0.2, 0.35, 0});
  body.velocity = {0.5, 0.2, -0.5};
  Simulation reference(on_floor(body, 0.4), {.method = Method::lagrange, .step = 2e-4});
  advance(reference, 0.25);
  EXPECT_FALSE(reference.impacts().empty() && reference.contact_forces().empty());
  for (const Method method : {Method::impulse, Method::spook}) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation sim(on_floor(body, 0.4), {.method = method, .step = 1e-4});
    advance(sim, 0.25);
    EXPECT_LT(norm(sim.body("jelly").position - reference.body("jelly").position), 2e-3);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(stretch_of(sim, k), stretch_of(reference, k), 1e-2) << k;
  }
}

// A ball is carried by the point in its middle: one that sits at the top of the box is above the floor below by s L/2, however it is stretched.
TEST(FormContact, balls_sit_on_points_of_the_form) {
  BodySpec body = jelly({0, 0, 1}, {1, 1, 1});
  Shape ball{Sphere{0.05}};
  ball.position = {0, 0, -kHalf};
  body.shapes = {ball};
  body.form_velocity = {0, 0, 3};
  body.velocity = {0, 0, 0};
  Scene scene = on_floor(body, 0);
  scene.model.gravity = {0, 0, -kG};
  Simulation sim(scene, {.method = Method::lagrange, .step = 1e-3});
  double lowest = 1;
  int met = 0;
  for (int i = 0; i < 600; ++i) {
    ASSERT_TRUE(sim.step().ok());
    met += sim.impacts().empty() ? 0 : 1;
    lowest = std::min(lowest, sim.body("jelly").position.z - stretch_of(sim) * kHalf - 0.05);
  }
  EXPECT_GT(met, 0);
  EXPECT_GT(lowest, -1e-6);
  EXPECT_LT(lowest, 1e-3);
}

// Held by the upper limit of a slider at its top it hangs m g L/(2k) longer, and the limit carries its weight; dry friction and a motor of limited force
// that are strong enough do the same.
TEST(FormContact, limits_friction_and_motors_hold_it_by_a_point_of_it) {
  const double s = 1 + kMass * kG * kHalf / kStiffness;
  for (const int what : {0, 1, 2})
    for (const FormWay& way : kFormWays) {
      SCOPED_TRACE(std::string(way.name) + (what == 0 ? ", limit" : what == 1 ? ", friction" : ", motor"));
      ModelBuilder builder;
      BodySpec body = jelly({0, 0, -s * kHalf}, {1, 1, s});
      body.shapes.clear();
      JointSpec rail{.name = "rail",
                     .kind = JointKind::slider,
                     .between = {"ground", "jelly"},
                     .anchor = Vec3{},
                     .axis = Vec3{0, 0, -1}};
      if (what == 0) rail.extras.limits = Limits{-1, 0};
      if (what == 1) rail.extras.friction = 1.2 * kMass * kG;
      if (what == 2) rail.extras.motor = Motor{.velocity = Constant{0}, .max_force = 1.2 * kMass * kG};
      builder.body(body).joint(rail);
      Simulation sim(builder.build(), {.method = way.method, .step = way.step});
      advance(sim, 0.2);
      EXPECT_NEAR(sim.body("jelly").position.z, -s * kHalf, 1e-8);
      EXPECT_NEAR(stretch_of(sim), s, 1e-8);
      EXPECT_NEAR(sim.joint("rail").position(), 0, 1e-8);
    }
}

}  // namespace form_contact_test
}  // namespace catena
