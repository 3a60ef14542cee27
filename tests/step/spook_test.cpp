// Contacts, limits, friction and impacts under the method spook, against closed forms and the references.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "catena/catena.h"
#include "source_dir.h"

namespace catena {
namespace spook_test {

using nlohmann::json;

constexpr double kG = 9.81;
const char* kFloor = "ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n";

json reference(const std::string& id) {
  std::ifstream in(source_dir() + "/tests/data/references/" + id + ".json");
  return json::parse(in);
}
json output(const json& problem, const std::string& name) {
  for (const json& o : problem["outputs"])
    if (o["name"] == name) return o["value"];
  return {};
}
Vec3 vec(const json& v) { return {v[0], v[1], v[2]}; }

Simulation scene(const std::string& text, LawSolver solver = LawSolver::direct, double step = 1e-3) {
  return Simulation(load_text("catena: 1\n" + text),
                    {.method = MethodWords{.method = Method::spook, .law_solver = solver}, .step = step});
}

std::string box_on_slope(double angle, double friction, const std::string& more = "") {
  return fmt::format(
      "gravity: [{:.17g}, 0, {:.17g}]\ndefaults: {{friction: {}}}\nbodies:\n"
      "  box: {{mass: 2, inertia: [0.0333, 0.0333, 0.0533], position: [0, 0, 0.1], shapes: [{{box: [0.4, 0.4, "
      "0.2]}}]{}}}\n{}",
      kG * std::sin(angle), -kG * std::cos(angle), friction, more, kFloor);
}

class EverySolver : public testing::TestWithParam<LawSolver> {};
INSTANTIATE_TEST_SUITE_P(Spook, EverySolver,
                         testing::Values(LawSolver::direct, LawSolver::split, LawSolver::gauss_seidel));

// At 0.99 of the friction angle a box rests: it moves by no more than 1 µm in 60 s. At 1.01 it slides at g (sin − μ cos); forces are constant,
// so the only error is the solver's, 1e-10 of the weight.
TEST_P(EverySolver, FrictionSticksAndSlides) {
  const double friction = 0.5;
  Simulation rest = scene(box_on_slope(0.99 * std::atan(friction), friction), GetParam(), 1e-2);
  ASSERT_TRUE(rest.advance_to(60).ok());
  EXPECT_LE(norm(rest.body("box").position - Vec3{0, 0, 0.1}), 1e-6);
  const double angle = 1.01 * std::atan(friction);
  Simulation slides = scene(box_on_slope(angle, friction), GetParam(), 1e-2);
  ASSERT_TRUE(slides.advance_to(2).ok());
  const double a = kG * (std::sin(angle) - friction * std::cos(angle));
  EXPECT_NEAR(slides.body("box").velocity.x, 2 * a, 1e-6);
  EXPECT_NEAR(slides.body("box").position.x, 2 * a, 1e-6);
}

// Launched in 16 directions: the cone has no corners. The stopping distance is v²/(2 μ g); its error is the last step's, μ g h²/8.
TEST(Spook, FrictionIsTheSameInEveryDirection) {
  for (int k = 0; k < 16; ++k) {
    const double angle = 2 * std::numbers::pi * k / 16, speed = 1.5, friction = 0.3;
    Simulation sim = scene(box_on_slope(
        0, friction,
        fmt::format(", velocity: [{:.17g}, {:.17g}, 0]", speed * std::cos(angle), speed * std::sin(angle))));
    ASSERT_TRUE(sim.advance_to(1).ok());
    const Vec3 p = sim.body("box").position;
    EXPECT_NEAR(std::hypot(p.x, p.y), speed * speed / (2 * friction * kG), 1e-5) << k;
    EXPECT_NEAR(p.x * std::sin(angle) - p.y * std::cos(angle), 0, 1e-7) << k;
    EXPECT_LE(norm(sim.body("box").velocity), 1e-9) << k;
  }
}

// Dropped from 1 m with restitution e: the bounce reaches e². Constant gravity and impacts at their times leave the solver's error.
TEST(Spook, BouncesToTheSquareOfTheRestitution) {
  for (const double e : {0.5, 0.8, 1.0}) {
    Simulation sim = scene(
        fmt::format("defaults: {{friction: 0, restitution: {}}}\nbodies:\n  ball: {{mass: 1, inertia: [0.004, 0.004, "
                    "0.004], position: [0, 0, 1.1], shapes: [{{sphere: 0.1}}]}}\n{}",
                    e, kFloor));
    const double fall = std::sqrt(2 / kG);
    ASSERT_TRUE(sim.advance_to(fall + e * fall).ok());
    EXPECT_NEAR(sim.body("ball").position.z - 0.1, e * e, 1e-6) << e;
  }
}

TEST(Spook, AThousandElasticBouncesKeepTheEnergy) {
  Simulation sim = scene(
      fmt::format("defaults: {{friction: 0, restitution: 1}}\nbodies:\n  ball: {{mass: 1, inertia: [0.004, 0.004, "
                  "0.004], position: [0, 0, 0.2], shapes: [{{sphere: 0.1}}]}}\n{}",
                  kFloor),
      LawSolver::direct, 5e-3);
  const double before = sim.energy().total(), period = 2 * std::sqrt(0.2 / kG);
  const StepReport report = sim.advance_to(1000 * period);
  ASSERT_TRUE(report.ok());
  EXPECT_GE(report.impacts, 999);
  EXPECT_NEAR(sim.energy().total(), before, 1e-3 * before);
}

// The rod's end on the floor: impulses and velocities after, by hand (references n21a … n21d).
TEST(Spook, RodImpacts) {
  for (const std::string id : {"n21a_rod_impact_frictionless", "n21b_rod_impact_stick", "n21c_rod_impact_slide",
                               "n21d_rod_impact_stick_e05"}) {
    const json problem = reference(id);
    const json &body = problem["bodies"][0], &contact = problem["contacts"][0];
    const Vec3 end = vec(contact.contains("point_body") ? contact["point_body"] : contact["points_body"][0]);
    std::string inertia;
    for (int i = 0; i < 3; ++i)
      inertia += fmt::format("{}{:.17g}", i ? ", " : "", body["inertia_com_body"][i][i].get<double>());
    const json p = body["position"], q = body["orientation_wxyz"], v = body["linear_velocity"],
               spin = body["angular_velocity"];
    Simulation sim = scene(
        fmt::format("gravity: [0, 0, 0]\ndefaults: {{friction: {}, restitution: {}}}\nbodies:\n  rod: {{mass: {}, "
                    "inertia: [{}], position: "
                    "{}, orientation: {}, velocity: {}, angular_velocity: {}, shapes: [{{point: [{:.17g}, {:.17g}, "
                    "{:.17g}]}}]}}\n{}",
                    contact["friction"].get<double>(), contact["restitution"].get<double>(), body["mass"].get<double>(),
                    inertia, p.dump(), q.dump(), v.dump(), spin.dump(), end.x, end.y, end.z, kFloor),
        LawSolver::direct, 1e-6);
    ASSERT_TRUE(sim.step().ok());
    EXPECT_LE(norm(sim.body("rod").velocity - vec(output(problem, "com_velocity_after"))), 1e-8) << id;
    // Over the step of 1e-6 s the end of the rod turns away: rounding of the rotation only.
    EXPECT_LE(norm(sim.body("rod").angular_velocity - vec(output(problem, "omega_after"))), 1e-4) << id;
  }
}

// Five boxes at rest: nothing moves, and each interface carries the weight above it (n23).
TEST(Spook, StackCarriesItsWeight) {
  const json problem = reference("n23_box_stack_static");
  std::string text = "defaults: {friction: 0.5}\nbodies:\n";
  for (const json& b : problem["bodies"])
    text +=
        fmt::format("  {}: {{mass: {}, inertia: [0.1, 0.1, 0.1], position: {}, shapes: [{{box: [0.5, 0.5, 0.3]}}]}}\n",
                    b["name"].get<std::string>(), b["mass"].get<double>(), b["position"].dump());
  Simulation sim = scene(text + kFloor, LawSolver::direct, 5e-3);
  ASSERT_TRUE(sim.advance_to(1).ok());
  for (const json& b : problem["bodies"])
    EXPECT_LE(norm(sim.body(b["name"].get<std::string>()).position - vec(b["position"])), 1e-7);
  for (int k = 0; k < 5; ++k) {
    const json face = output(problem, fmt::format("interface{}", k));
    const BodyId above = sim.model().body(face["above"].get<std::string>());
    double normal = 0, moment = 0;
    for (const ContactForce& c : sim.contact_forces()) {
      const BodyId below = face["below"] == "world" ? kGround : sim.model().body(face["below"].get<std::string>());
      if (!((c.contact.a == above && c.contact.b == below) || (c.contact.b == above && c.contact.a == below))) continue;
      normal += c.normal;
      moment += c.normal * c.contact.position.x;
    }
    EXPECT_NEAR(normal, face["normal_force_on_above"].get<double>(), 1e-5) << k;
    EXPECT_NEAR(moment / normal, face["centre_of_pressure_xy"][0].get<double>(), 1e-6) << k;
  }
}

// 0.5 % below the critical slope a box rests, 0.5 % above it tips or slips (n24), by every method.
TEST(Spook, TipsAndSlipsWhereItMust) {
  const Options ways[] = {{.method = Spook{.law_solver = LawSolver::direct}, .step = 5e-3},
                          {.method = Spook{.law_solver = LawSolver::split}, .step = 5e-3},
                          {.method = Spook{.law_solver = LawSolver::gauss_seidel}, .step = 5e-3},
                          {.method = Method::lagrange, .step = 5e-3},
                          {.method = Method::operational, .step = 5e-3},
                          {.method = Method::impulse, .step = 5e-3}};
  for (const auto& [id, half] : {std::pair{"n24a_tip_threshold", 0.3}, {"n24b_slip_threshold", 0.1}}) {
    const double critical = output(reference(id), "critical_angle");
    for (const double part : {0.995, 1.005}) {
      const double angle = part * critical;
      const Scene slope = load_text(fmt::format(
          "catena: 1\ngravity: [{:.17g}, 0, {:.17g}]\ndefaults: {{friction: 0.6}}\nbodies:\n  box: {{mass: 3, inertia: "
          "[0.1, 0.1, 0.05], position: [0, 0, {}], shapes: [{{box: [0.2, 0.4, {}]}}]}}\n{}",
          kG * std::sin(angle), -kG * std::cos(angle), half, 2 * half, kFloor));
      for (const Options& way : ways) {
        SCOPED_TRACE(fmt::format("{} at {}, way {}", id, part, &way - ways));
        Simulation sim(slope, way);
        ASSERT_TRUE(sim.advance_to(1).ok());
        const BodyState& box = sim.body("box");
        const double moved = norm(box.position - Vec3{0, 0, half}) + norm(log_rotation(box.orientation));
        if (part < 1) {
          EXPECT_LE(moved, 1e-7);
        } else {
          EXPECT_GE(moved, 1e-3);
        }
      }
    }
  }
}

// A pendulum against a stop: hits and rebounds by elliptic integrals (n22). Second order: at h = 0.5 ms the angle errs by about 1e-6.
TEST(Spook, JointLimitThrowsBack) {
  const json problem = reference("n22_pendulum_joint_limit");
  const json &b = problem["bodies"][0], &j = problem["joints"][0];
  std::string inertia;
  for (int i = 0; i < 3; ++i)
    inertia += fmt::format("{}{:.17g}", i ? ", " : "", b["inertia_com_body"][i][i].get<double>());
  const double start = j["angle_at_t0"], lower = j["lower_limit"];
  Simulation sim = scene(
      fmt::format("bodies:\n  rod: {{mass: {}, inertia: [{}], position: {}, orientation: {}}}\njoints:\n  pivot: "
                  "{{kind: hinge, between: "
                  "[ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0], limits: {{lower: {:.17g}, restitution: 0.6}}}}\n",
                  b["mass"].get<double>(), inertia, b["position"].dump(), b["orientation_wxyz"].dump(), lower - start),
      LawSolver::direct, 5e-4);
  ASSERT_TRUE(sim.advance_to(2).ok());
  EXPECT_NEAR(start + sim.joint("pivot").position(), output(problem, "theta_t2").get<double>(), 2e-6);
}

const char* kSlider =
    "gravity: [0, 0, 0]\nbodies:\n  cart: {{mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], velocity: [{}, 0, "
    "0]}}\n"
    "joints:\n  rail: {{kind: slider, between: [ground, cart], anchor: [0, 0, 0], axis: [1, 0, 0], {}}}\n";

// Dry friction F on a cart of mass m stops it after v²m/(2F), and holds it there.
TEST_P(EverySolver, DryFrictionInAJoint) {
  Simulation sim = scene(fmt::format(fmt::runtime(kSlider), 1.0, "friction: 3"), GetParam());
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_NEAR(sim.body("cart").position.x, 1.0 * 2 / (2 * 3), 1e-6);
  EXPECT_LE(std::abs(sim.body("cart").velocity.x), 1e-9);
}

// A motor of at most 4 N reaches 1 m/s on 2 kg after 0.5 s, and pushes no further.
TEST_P(EverySolver, MotorsWithALimit) {
  Simulation sim = scene(fmt::format(fmt::runtime(kSlider), 0.0, "motor: {velocity: 1, max_force: 4}"), GetParam());
  ASSERT_TRUE(sim.advance_to(0.25).ok());
  EXPECT_NEAR(sim.body("cart").velocity.x, 0.5, 1e-9);
  ASSERT_TRUE(sim.advance_to(2).ok());
  EXPECT_NEAR(sim.body("cart").velocity.x, 1, 1e-9);
}

// A joint with compliance ε and relaxation τ is SPOOK's spring: with x_n its length and v_n its speed,
//     (1/m + Σ) λ = q − v,  q = −(4/h) Υ x + Υ v,  v⁺ = v + λ/m,  x⁺ = x + h v⁺.
TEST(Spook, SoftJointFollowsItsOwnRecurrence) {
  const double m = 2, eps = 1e-3, tau = 0.01, h = 0.01;
  Simulation sim = scene(
      "gravity: [0, 0, 0]\nbodies:\n  bead: {kind: particle, mass: 2, position: [0, 0, 0], velocity: [1, 0, 0]}\n"
      "joints:\n  wall: {kind: point-on-plane, between: [ground, bead], anchor: [0, 0, 0], axis: [1, 0, 0], "
      "compliance: 1e-3, relaxation: 0.01}\n",
      LawSolver::direct, h);
  const double upsilon = 1 / (1 + 4 * tau / h), sigma = 4 * eps * upsilon / (h * h);
  double x = 0, v = 1;
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(sim.step().ok());
    const double lambda = (-(4 / h) * upsilon * x + upsilon * v - v) / (1 / m + sigma);
    v += lambda / m;
    x += h * v;
    ASSERT_NEAR(sim.body("bead").position.x, x, 1e-12) << k;
  }
}

// Restore = replay: the same bits, warm starts included.
TEST_P(EverySolver, RestoredStateGoesOnWithTheSameBits) {
  const std::string text = box_on_slope(0.1, 0.2, ", velocity: [0.3, 0.2, 0], angular_velocity: [0, 0, 3]");
  Simulation a = scene(text, GetParam(), 5e-3), b = scene(text, GetParam(), 5e-3);
  ASSERT_TRUE(a.advance_to(0.1).ok());
  const State saved = a.state();
  ASSERT_TRUE(a.advance_to(0.2).ok());
  b.set_state(saved);
  ASSERT_TRUE(b.advance_to(0.2).ok());
  EXPECT_EQ(a.body("box").position.x, b.body("box").position.x);
  EXPECT_EQ(a.body("box").angular_velocity.z, b.body("box").angular_velocity.z);
}

// Forces on each body sum to its change of momentum: contacts, weight and nothing else.
TEST(Spook, BooksBalance) {
  Simulation sim = scene(box_on_slope(0.3, 0.2, ", velocity: [0.5, 0, 0]"));
  for (int k = 0; k < 20; ++k) {
    const Vec3 before = sim.body("box").velocity;
    ASSERT_TRUE(sim.step().ok());
    Vec3 force = 2 * sim.model().gravity;
    for (const ContactForce& c : sim.contact_forces()) force += c.force;
    EXPECT_LE(norm(force - (2 / 1e-3) * (sim.body("box").velocity - before)), 1e-10 * 2 * kG);
  }
}

// The beast walks: twelve of Jansen's legs, 36 loops of 3-D hinges, toes on the ground. After the start it goes about 0.46 m/s (a stride of
// 0.72 m each half turn of a crank at 2 rad/s), upright, and no joint opens by more than 1e-9 of its size.
TEST(Spook, StrandbeestWalks) {
  Simulation sim(load(source_dir() + "/examples/strandbeest.yaml"));
  EXPECT_EQ(sim.settings().method, Method::spook);
  const StepReport report = sim.advance_to(4);
  ASSERT_TRUE(report.ok()) << report.message;
  EXPECT_LE(report.drift_position, 1e-9 * sim.size());
  EXPECT_LE(report.drift_angle, 1e-9);
  EXPECT_LE(report.penetration, 1e-3);
  EXPECT_LE(report.complementarity, 1e-8);
  const BodyState& frame = sim.body("frame");
  EXPECT_GE(frame.position.x, 1.2);
  EXPECT_NEAR(frame.position.z, 0.904, 0.01);
  EXPECT_LE(norm(log_rotation(frame.orientation)), 0.05);
}

}  // namespace spook_test
}  // namespace catena
