// Points on surfaces and surfaces that touch all the time, as they move: known motions and conserved quantities, by every method.
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace surface_joints_test {

using namespace testing_step;
using Kind = JointSurface::Kind;

struct Way {
  const char* name;
  Options options;
  double accuracy;  // of second-order methods at this step
};

const Way kWays[] = {
    {"lagrange", {.method = Method::lagrange, .step = 1e-3}, 1e-9},
    {"impulse", {.method = Impulse{.position_tolerance = 1e-12, .velocity_tolerance = 1e-12}, .step = 5e-4}, 1e-5},
    {"spook", {.method = Method::spook, .step = 5e-4}, 1e-5},
    {"operational", {.method = Method::operational, .step = 5e-4}, 1e-5}};

BodySpec particle(const Vec3& at, const Vec3& velocity) {
  BodySpec body;
  body.name = "p";
  body.kind = BodyKind::particle;
  body.mass = 0.7;
  body.position = at;
  body.velocity = velocity;
  return body;
}

JointSpec on_surface(JointSurface surface) {
  JointSpec joint{.name = "bead", .kind = JointKind::point_on_surface, .between = {"ground", "p"}};
  joint.surfaces[0] = SurfaceSpec{std::move(surface), Vec3{}, Quat{}};
  return joint;
}

// On a sphere the spherical pendulum: energy and the moment of momentum about the vertical stay, and z follows ż² = 2(E − g z)(1 − z²) − L²,
// whose turning points are where the cubic vanishes.
TEST(PointOnSurface, a_bead_on_a_sphere_is_a_spherical_pendulum) {
  const Vec3 at{std::sin(2.0), 0, std::cos(2.0)};
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    ModelBuilder builder, with_rod;
    builder.body(particle(at, {0, 1.5, 0})).joint(on_surface({Kind::sphere, {1, 0, 0}}));
    with_rod.body(particle(at, {0, 1.5, 0}))
        .joint({.name = "rod", .kind = JointKind::distance, .between = {"ground", "p"}, .anchors = {{Vec3{}, at}}});
    Simulation sim(builder.build(), way.options), pendulum(with_rod.build(), way.options);
    advance(sim, 1.5);
    advance(pendulum, 1.5);
    const BodyState& s = sim.body("p");
    EXPECT_NEAR(norm(s.position - pendulum.body("p").position), 0, 1e-9);
    EXPECT_NEAR(norm(s.position), 1, 1e-9);
    EXPECT_NEAR(cross(s.position, s.velocity).z, 1.5 * at.x, 10 * way.accuracy);
    EXPECT_NEAR(0.5 * dot(s.velocity, s.velocity) + 9.81 * s.position.z, 0.5 * 2.25 + 9.81 * at.z, 10 * way.accuracy);
  }
}

// Without gravity a bead moves on a geodesic: its speed stays, and on surfaces of revolution so does ρ² dφ/dt (Clairaut).
TEST(PointOnSurface, a_bead_without_gravity_follows_clairauts_relation) {
  const JointSurface surfaces[] = {
      {Kind::torus, {1, 0.4, 0}}, {Kind::cylinder, {0.8, 0, 0}}, {Kind::ellipsoid, {0.9, 0.9, 0.5}}};
  for (const JointSurface& surface : surfaces)
    for (const Way& way : kWays) {
      SCOPED_TRACE(std::string(way.name) + " on " + std::to_string(static_cast<int>(surface.kind)));
      Vec3 at{1.0 + 0.4 * std::cos(0.7), 0, 0.4 * std::sin(0.7)};
      if (surface.kind == Kind::cylinder) at = {0.8, 0, 0.2};
      if (surface.kind == Kind::ellipsoid) at = {0.9 * std::cos(0.5), 0, 0.5 * std::sin(0.5)};
      const SurfaceValue here = evaluate(surface, at);
      const Vec3 n = here.gradient / norm(here.gradient), along = cross(Vec3{0, 1, 0}, n);
      const Vec3 velocity = Vec3{0, 1.3, 0} + 0.9 * along;
      ModelBuilder builder;
      builder.gravity({}).body(particle(at, velocity)).joint(on_surface(surface));
      Simulation sim(builder.build(), way.options);
      advance(sim, 2);
      const BodyState& s = sim.body("p");
      EXPECT_NEAR(evaluate(surface, s.position).f, 0, 1e-9);
      EXPECT_NEAR(norm(s.velocity), norm(velocity), 10 * way.accuracy);
      EXPECT_NEAR(cross(s.position, s.velocity).z, cross(at, velocity).z, 10 * way.accuracy);
    }
}

// In the trough of z = a (1 − cos k x) small oscillations have ω² = g a k².
TEST(PointOnSurface, a_bead_in_a_trough_of_a_height_field_oscillates_as_its_curvature_says) {
  constexpr double kA = 0.05, kK = 2, kG = 9.81;
  JointSurface field{Kind::height_field, {0.05, 0.2, 0}, 61, 5};
  for (int j = 0; j < field.rows; ++j)
    for (int i = 0; i < field.columns; ++i) field.heights.push_back(kA * (1 - std::cos(kK * (i - 30) * 0.05)));
  const double x0 = 1e-3, period = 2 * std::numbers::pi / std::sqrt(kG * kA * kK * kK);
  ModelBuilder builder;
  builder.body(particle({x0, 0, kA * (1 - std::cos(kK * x0))}, {})).joint(on_surface(field));
  Simulation sim(builder.build(), {.method = Method::lagrange, .step = 1e-3});
  advance(sim, period);
  // The spline bends 1 − (k Δx)²/12-th less than the cosine at a spacing of Δx, at most.
  EXPECT_NEAR(sim.body("p").position.x, x0, 1e-5 * x0);
  advance(sim, 1.5 * period);
  EXPECT_NEAR(sim.body("p").position.x, -x0, 1e-4 * x0);
}

// A ball that rolls inside an upright cylinder goes round at a constant rate Ω and up and down with √(2/7) Ω: rolling makes its spin about the
// normal grow as Ω z/r, which turns with the normal, so that z̈ = −(2/7) Ω² z − (5/7) g.
TEST(TangentSurfaces, a_ball_in_an_upright_cylinder_rises_again) {
  constexpr double kWall = 1, kRadius = 0.2, kMass = 0.5, kRate = 4;
  const double I = 0.4 * kMass * kRadius * kRadius, rho = kWall - kRadius, speed = kRate * rho;
  const double period = 2 * std::numbers::pi / (std::sqrt(2.0 / 7) * kRate);
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    BodySpec ball{.name = "ball", .mass = kMass, .inertia = Sym3::diagonal(I, I, I), .position = {rho, 0, 0}};
    ball.velocity = {0, speed, 0};
    ball.angular_velocity = {0, 0, -speed / kRadius};  // it rolls: v + ω × (r n) = 0 at the wall
    JointSpec roll{.name = "wall", .kind = JointKind::tangent_surfaces, .between = {"ground", "ball"}, .inside = true};
    roll.surfaces = {SurfaceSpec{{Kind::cylinder, {kWall, 0, 0}}, Vec3{}, Quat{}},
                     SurfaceSpec{{Kind::sphere, {kRadius, 0, 0}}}};
    ModelBuilder builder;
    builder.body(ball).joint(roll);
    Simulation sim(builder.build(), way.options);
    advance(sim, period / 2);
    // From z = 0 at rest to twice the middle, −(5/7) g/((2/7) Ω²).
    EXPECT_NEAR(sim.body("ball").position.z, -5 * 9.81 / (kRate * kRate), 20 * way.accuracy);
    advance(sim, period);
    EXPECT_NEAR(sim.body("ball").position.z, 0, 50 * way.accuracy);
    EXPECT_NEAR(std::hypot(sim.body("ball").position.x, sim.body("ball").position.y), rho, 1e-9);
  }
}

// Two spheres: a ball that rolls off a fixed one leaves no energy behind, 7/10 m v² = m g Δh.
TEST(TangentSurfaces, a_ball_rolls_down_a_sphere_with_five_sevenths_of_gravity) {
  constexpr double kBig = 1, kSmall = 0.3;
  const double I = 0.4 * kSmall * kSmall, R = kBig + kSmall, tilt = 0.2;
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    ModelBuilder builder;
    builder.body({.name = "ball",
                  .mass = 1,
                  .inertia = Sym3::diagonal(I, I, I),
                  .position = {R * std::sin(tilt), 0, R * std::cos(tilt)}});
    JointSpec roll{.name = "roll", .kind = JointKind::tangent_surfaces, .between = {"ground", "ball"}};
    roll.surfaces = {SurfaceSpec{{Kind::sphere, {kBig, 0, 0}}}, SurfaceSpec{{Kind::sphere, {kSmall, 0, 0}}}};
    builder.joint(roll);
    Simulation sim(builder.build(), way.options);
    advance(sim, 0.8);
    const BodyState& s = sim.body("ball");
    EXPECT_NEAR(norm(s.position), R, 1e-9);
    EXPECT_NEAR(0.7 * dot(s.velocity, s.velocity), 9.81 * (R * std::cos(tilt) - s.position.z), 50 * way.accuracy);
    EXPECT_NEAR(s.angular_velocity.y * kSmall, norm(s.velocity), 10 * way.accuracy);
  }
}

// A ball as an ellipsoid with three equal radii is the ball of the other formula, on a sphere and on a body that moves itself.
TEST(TangentSurfaces, ellipsoids_with_equal_radii_are_spheres) {
  for (const bool slides : {false, true}) {
    const auto built = [&](Kind first, Kind second) {
      ModelBuilder builder;
      builder.body(
          {.name = "big", .mass = 3, .inertia = Sym3::diagonal(0.3, 0.4, 0.5), .angular_velocity = {0.3, 0.2, -0.5}});
      builder.body({.name = "small",
                    .mass = 1,
                    .inertia = Sym3::diagonal(0.02, 0.03, 0.04),
                    .position = {0.3, 0.4, 1.2},
                    .angular_velocity = {1, -2, 0.5}});
      const double gap = norm(Vec3{0.3, 0.4, 1.2}) - 1;
      builder.joint({.name = "ball", .kind = JointKind::ball, .between = {"ground", "big"}, .anchor = Vec3{0, 0, 0.1}});
      JointSpec touch{
          .name = "touch", .kind = JointKind::tangent_surfaces, .between = {"big", "small"}, .slides = slides};
      touch.surfaces = {SurfaceSpec{{first, {1, 1, 1}}}, SurfaceSpec{{second, {gap, gap, gap}}}};
      builder.joint(touch);
      return builder.build();
    };
    const Options options{.method = Method::lagrange, .step = 1e-3};
    Simulation a(built(Kind::sphere, Kind::sphere), options), b(built(Kind::ellipsoid, Kind::ellipsoid), options);
    const double start = a.energy().total();
    advance(a, 0.5);
    advance(b, 0.5);
    for (const char* name : {"big", "small"})
      EXPECT_NEAR(norm(a.body(name).position - b.body(name).position), 0, 1e-9) << name;
    EXPECT_NEAR(a.energy().total(), start, 1e-8 * std::abs(start));
    EXPECT_LT(b.drift().scaled, 1e-11);
  }
}

// The rattleback and its like: an ellipsoid with inertia of its own rolls on a plane. Energy stays, the point of touch has no speed, and all
// methods go the same way.
TEST(TangentSurfaces, an_ellipsoid_rolls_on_a_plane) {
  std::vector<Vec3> ends;
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    ModelBuilder builder;
    BodySpec stone{.name = "stone", .mass = 1, .inertia = Sym3{0.02, 0.11, 0.12, 0.01, 0, 0}, .position = {0, 0, 0.15}};
    stone.angular_velocity = {0.4, 0.3, 1.5};
    stone.velocity = cross(stone.angular_velocity, Vec3{0, 0, 0.15});
    JointSpec roll{.name = "roll", .kind = JointKind::tangent_surfaces, .between = {"ground", "stone"}};
    roll.surfaces = {SurfaceSpec{{Kind::plane, {}}}, SurfaceSpec{{Kind::ellipsoid, {0.6, 0.3, 0.15}}}};
    builder.body(stone).joint(roll);
    Simulation sim(builder.build(), way.options);
    const double start = sim.energy().total();
    advance(sim, 1);
    EXPECT_NEAR(sim.energy().total(), start, 10 * way.accuracy);
    EXPECT_LT(sim.drift().scaled, 1e-9);
    ends.push_back(sim.body("stone").position);
    EXPECT_NEAR(norm(ends.back() - ends.front()), 0, 100 * way.accuracy);
  }
}

}  // namespace surface_joints_test
}  // namespace catena
