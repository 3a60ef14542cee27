// Friction by direction, rolling and torsional friction, pyramids, and limits of every coordinate, under every method, against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/catena.h"

namespace catena {
namespace friction_kinds_test {

constexpr double kG = 9.81;

struct Way {
  const char* name;
  Method method;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class FrictionKinds : public testing::TestWithParam<Way> {
 protected:
  Simulation scene(const std::string& text, double step = 1e-3) const {
    return Simulation(load_text("catena: 1\n" + text), {.method = GetParam().method, .step = step});
  }
};
const auto name_of = [](const testing::TestParamInfo<Way>& way) { return std::string(way.param.name); };
INSTANTIATE_TEST_SUITE_P(Methods, FrictionKinds,
                         testing::Values(Way{"lagrange", Method::lagrange}, Way{"spook", Method::spook},
                                         Way{"impulse", Method::impulse}, Way{"operational", Method::operational}),
                         name_of);

// Friction that differs forward and backward is not operational's.
class Grain : public FrictionKinds {};
INSTANTIATE_TEST_SUITE_P(Methods, Grain,
                         testing::Values(Way{"lagrange", Method::lagrange}, Way{"spook", Method::spook},
                                         Way{"impulse", Method::impulse}),
                         name_of);

const char* kFloor = "ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n";

// A flat box, turned by `turn`, launched at 1 m/s in the direction `heading`. Coefficients combine by the geometric mean with the floor's 1.
std::string box(double turn, double heading, const std::string& friction) {
  return fmt::format(
      "defaults: {{friction: 1}}\nmaterials: {{skin: {{friction: {}}}}}\n{}bodies:\n  box: {{mass: 2, inertia: [0.03, "
      "0.03, 0.05], position: [0, 0, 0.01], orientation: {{axis: [0, 0, 1], angle: {:.17g}}}, velocity: [{:.17g}, "
      "{:.17g}, 0], shapes: [{{box: [0.4, 0.4, 0.02], material: skin}}]}}\n",
      friction, kFloor, turn, std::cos(heading), std::sin(heading));
}

// Forward, backward and sideways a box stops after v²/(2 μ g) with the coefficient of that direction, in axes that turn with it. The methods
// that step velocities err by the last step's μ g h²/8.
TEST_P(Grain, FrictionFollowsTheGrain) {
  const std::string grain = "{along: [1, 0, 0], forward: 0.04, backward: 0.16, sideways: 0.36}";
  const double right = std::numbers::pi / 2;
  const struct {
    double turn, heading, friction;
  } cases[] = {{0, 0, 0.2}, {0, 2 * right, 0.4}, {0, right, 0.6}, {right, right, 0.2}, {right, -right, 0.4}};
  for (const auto& c : cases) {
    Simulation sim = scene(box(c.turn, c.heading, grain));
    ASSERT_TRUE(sim.advance_to(0.6).ok());
    const Vec3 p = sim.body("box").position;
    EXPECT_NEAR(std::hypot(p.x, p.y), 1 / (2 * c.friction * kG), 2e-6) << c.friction;
    EXPECT_LE(norm(sim.body("box").velocity), 1e-8);
    EXPECT_LE(std::abs(p.x * std::sin(c.heading) - p.y * std::cos(c.heading)), 1e-6);
  }
}

// On a slope that pulls backward the box holds where friction · cos > sin with the backward coefficient, and slides forward down the same
// slope.
TEST_P(Grain, GrainHoldsOneWayOnly) {
  const std::string grain = "{forward: 0.04, backward: 0.16}";
  for (const double sign : {-1.0, 1.0}) {
    const double angle = std::atan(0.3);
    std::string text = box(0, 0, grain);
    text = fmt::format("gravity: [{:.17g}, 0, {:.17g}]\n", sign * kG * std::sin(angle), -kG * std::cos(angle)) + text;
    text.replace(text.find("velocity: [1, 0, 0]"), 19, "velocity: [0, 0, 0]");
    Simulation sim = scene(text);
    ASSERT_TRUE(sim.advance_to(0.5).ok());
    const double x = sim.body("box").position.x;
    if (sign < 0) EXPECT_LE(std::abs(x), 1e-8);
    else EXPECT_NEAR(x, 0.125 * kG * (std::sin(angle) - 0.2 * std::cos(angle)), 1e-6);
  }
}

// A ball that rolls is held back by ρ N: a = (ρ g/R)/(1 + I/(m R²)), and rests after v²/(2a).
TEST_P(FrictionKinds, RollingFrictionStopsABall) {
  const double R = 0.1, lever = 0.002, a = lever * kG / R / 1.4;
  Simulation sim = scene(fmt::format(
      "materials: {{felt: {{friction: 0.8, rolling: {}}}}}\n{}bodies:\n  ball: {{mass: 0.5, inertia: [0.002, 0.002, "
      "0.002], position: [0, 0, {}], velocity: [0.3, 0, 0], angular_velocity: [0, 3, 0], shapes: [{{sphere: {}, "
      "material: felt}}]}}\n",
      lever, kFloor, R, R));
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_NEAR(sim.body("ball").velocity.x, 0.3 - a, 1e-6);
  ASSERT_TRUE(sim.advance_to(4).ok());
  EXPECT_NEAR(sim.body("ball").position.x, 0.09 / (2 * a), 2e-6);
  EXPECT_LE(norm(sim.body("ball").velocity), 1e-8);
}

// A ball that spins in place is slowed by τ N: the angle it turns by until it rests is I ω²/(2 τ m g).
// Two balls on one axle: their tangents along it and the rows of their rolling are the same twice, and what they ask for may differ in the last digits. With
// k² = I/m the axle rolls on by v²/(2a), a = g lever R/(R² + k²), and lies still.
TEST_P(FrictionKinds, RollingFrictionOfTwoBallsOnOneAxleStopsThem) {
  constexpr double kR = 0.1, kLever = 0.004, kSpeed = 0.2, kInertia = 0.006, kMass = 1;
  Simulation s = scene(R"(
materials: {rubber: {friction: 0.8, rolling: 0.004}}
ground: {shapes: [{plane: {}, material: rubber}]}
bodies:
  axle:
    mass: 1
    inertia: [0.05, 0.006, 0.05]
    position: [0, 0, 0.1]
    velocity: [0.2, 0, 0]
    angular_velocity: [0, 2, 0]
    shapes: [{sphere: 0.1, at: [0, 0.3, 0], material: rubber}, {sphere: 0.1, at: [0, -0.3, 0], material: rubber}]
)");
  const double a = kG * kLever * kR / (kR * kR + kInertia / kMass);
  double worst = 0;
  while (s.time() < 1.5 * kSpeed / a) {
    const StepReport report = s.step();
    ASSERT_TRUE(report.ok()) << report.message;
    worst = std::max(worst, report.complementarity);
  }
  EXPECT_NEAR(s.body("axle").position.x, kSpeed * kSpeed / (2 * a), 2e-3 * kSpeed * kSpeed / (2 * a));
  EXPECT_NEAR(s.body("axle").position.y, 0, 1e-9);
  EXPECT_NEAR(norm(s.body("axle").velocity), 0, 1e-7);
  EXPECT_LE(worst, 1e-8);
}

TEST_P(FrictionKinds, TorsionalFrictionStopsASpin) {
  const double lever = 0.003, deceleration = lever * 0.5 * kG / 0.002;
  Simulation sim = scene(fmt::format(
      "materials: {{felt: {{friction: 0.8, torsion: {}}}}}\n{}bodies:\n  ball: {{mass: 0.5, inertia: [0.002, 0.002, "
      "0.002], position: [0, 0, 0.1], angular_velocity: [0, 0, 5], shapes: [{{sphere: 0.1, material: felt}}]}}\n",
      lever, kFloor));
  ASSERT_TRUE(sim.advance_to(0.5).ok());
  EXPECT_NEAR(sim.body("ball").angular_velocity.z, 5 - 0.5 * deceleration, 1e-6);
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_LE(norm(sim.body("ball").angular_velocity), 1e-8);
}

// With four facets the corners of the pyramid are on the tangents: slip at 30° to the first is braked along it alone.
TEST(FrictionPyramid, PushesFromACorner) {
  Scene scene = load_text("catena: 1\n" + box(0, std::numbers::pi / 6, "0.09"));
  scene.settings.facets = 4;
  Simulation sim(scene, {.method = Method::spook, .step = 1e-3});
  ASSERT_TRUE(sim.advance_to(0.01).ok());
  const Vec3 lost = Vec3{std::cos(std::numbers::pi / 6), std::sin(std::numbers::pi / 6), 0} - sim.body("box").velocity;
  EXPECT_NEAR(std::max(std::abs(lost.x), std::abs(lost.y)), 0.3 * kG * 0.01, 1e-8);
  EXPECT_NEAR(std::min(std::abs(lost.x), std::abs(lost.y)), 0, 1e-8);
}

// The travel of a cylindrical joint, its second coordinate, ends at 0.5 m and bounces with e = 0.5: 2 m/s there, 1 m/s back.
TEST_P(FrictionKinds, LimitsOfASecondCoordinate) {
  Simulation sim = scene(
      "gravity: [0, 0, 0]\nbodies:\n  pin: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], velocity: [0, 0, "
      "2], "
      "angular_velocity: [0, 0, 3]}\njoints:\n  sleeve: {kind: cylindrical, between: [ground, pin], anchor: [0, 0, 0], "
      "axis: [0, 0, 1], limits2: {upper: 0.5, restitution: 0.5}}\n");
  ASSERT_TRUE(sim.advance_to(0.75).ok());
  EXPECT_NEAR(sim.body("pin").position.z, 0, 1e-9);
  EXPECT_NEAR(sim.body("pin").velocity.z, -1, 1e-9);
  EXPECT_NEAR(sim.body("pin").angular_velocity.z, 3, 1e-9);
}

// A rod on a ball joint in its cone of 0.5 rad moves in its plane like the same rod on a hinge with a limit there.
TEST_P(FrictionKinds, ConeOfABallJoint) {
  const auto rod = [&](const std::string& joint) {
    Simulation sim = scene(
        "bodies:\n  rod: {mass: 1, inertia: [0.08, 0.08, 0.01], position: [0, 0, -0.5], velocity: [-1.5, 0, 0], "
        "angular_velocity: [0, 3, 0]}\njoints:\n  top: {between: [ground, rod], anchor: [0, 0, 0], " +
        joint + "}\n");
    EXPECT_TRUE(sim.advance_to(0.8).ok());
    return sim.body("rod").position;
  };
  const Vec3 ball = rod("kind: ball, limits: {cone: 0.5, restitution: 0.6}");
  const Vec3 hinge = rod("kind: hinge, axis: [0, 1, 0], limits: {lower: -0.5, upper: 0.5, restitution: 0.6}");
  EXPECT_LE(norm(ball - hinge), 1e-7);
  EXPECT_GE(norm(rod("kind: ball") - hinge), 0.1);
}

// Twist about the axis of a ball joint ends at 0.4 rad and bounces.
TEST_P(FrictionKinds, TwistOfABallJoint) {
  Simulation sim = scene(
      "gravity: [0, 0, 0]\nbodies:\n  rod: {mass: 1, inertia: [0.08, 0.08, 0.01], position: [0, 0, -0.5], "
      "angular_velocity: [0, 0, 2]}\njoints:\n  top: {kind: ball, between: [ground, rod], anchor: [0, 0, 0], limits: "
      "{upper: 0.4, restitution: 1}}\n");
  ASSERT_TRUE(sim.advance_to(0.3).ok());
  EXPECT_NEAR(log_rotation(sim.body("rod").orientation).z, 0.2, 1e-9);
  EXPECT_NEAR(sim.body("rod").angular_velocity.z, -2, 1e-9);
}

// Both turns of a universal joint end where they should: spun about each axis in turn, the rod comes back with its speed.
TEST_P(FrictionKinds, LimitsOfAUniversalJoint) {
  for (const auto& [spin, limit] : {std::pair{"[2, 0, 0]", "limits"}, {"[0, 2, 0]", "limits2"}}) {
    Simulation sim = scene(fmt::format(
        "gravity: [0, 0, 0]\nbodies:\n  rod: {{mass: 1, inertia: [0.08, 0.08, 0.01], position: [0, 0, 0], "
        "angular_velocity: {}}}\njoints:\n  cross: {{kind: universal, between: [ground, rod], anchor: [0, 0, 0], axis: "
        "[1, 0, 0], axis2: [0, 1, 0], {}: {{upper: 0.3, restitution: 1}}}}\n",
        spin, limit));
    ASSERT_TRUE(sim.advance_to(0.3).ok());
    EXPECT_NEAR(sim.joint("cross").position(std::string(limit) == "limits" ? 0 : 1), 0, 1e-9) << limit;
  }
}

}  // namespace friction_kinds_test
}  // namespace catena
