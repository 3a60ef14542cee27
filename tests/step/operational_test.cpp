// The method operational: joint coordinates, contacts in operational space, against closed forms, references and the other methods.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "bench/workloads.h"
#include "catena/catena.h"
#include "source_dir.h"

namespace catena {
namespace operational_test {

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

Simulation scene(const std::string& text, double step = 1e-3, Options more = {}) {
  more.method = Method::operational;
  more.step = step;
  return Simulation(load_text("catena: 1\n" + text), more);
}
Scene example(const std::string& name) { return load(source_dir() + "/examples/" + name + ".yaml"); }

std::string box_on_slope(double angle, double friction, const std::string& more = "") {
  return fmt::format(
      "gravity: [{:.17g}, 0, {:.17g}]\ndefaults: {{friction: {}}}\nbodies:\n"
      "  box: {{mass: 2, inertia: [0.0333, 0.0333, 0.0533], position: [0, 0, 0.1], shapes: [{{box: [0.4, 0.4, "
      "0.2]}}]{}}}\n{}",
      kG * std::sin(angle), -kG * std::cos(angle), friction, more, kFloor);
}

double apart(const Simulation& a, const Simulation& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.state().bodies.size(); ++i)
    worst = std::max(worst, norm(a.state().bodies[i].position - b.state().bodies[i].position));
  return worst;
}

// At 0.99 of the friction angle a box rests, at 1.01 it slides at g (sin − μ cos): forces are constant, the only error is the solver's.
TEST(Operational, friction_sticks_and_slides) {
  const double friction = 0.5;
  Simulation rest = scene(box_on_slope(0.99 * std::atan(friction), friction), 1e-2);
  ASSERT_TRUE(rest.advance_to(20).ok());
  EXPECT_LE(norm(rest.body("box").position - Vec3{0, 0, 0.1}), 1e-6);
  const double angle = 1.01 * std::atan(friction);
  Simulation slides = scene(box_on_slope(angle, friction), 1e-2);
  ASSERT_TRUE(slides.advance_to(2).ok());
  const double a = kG * (std::sin(angle) - friction * std::cos(angle));
  EXPECT_NEAR(slides.body("box").velocity.x, 2 * a, 1e-6);
  EXPECT_NEAR(slides.body("box").position.x, 2 * a, 1e-6);
}

// Dropped from 1 m with restitution e: the bounce reaches e².
TEST(Operational, bounces_to_the_square_of_the_restitution) {
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

// The rod's end on the floor: velocities after, by hand (references n21a … n21d).
TEST(Operational, throws_a_rod_back_as_compression_and_decompression_say) {
  for (const std::string id : {"n21a_rod_impact_frictionless", "n21b_rod_impact_stick", "n21c_rod_impact_slide",
                               "n21d_rod_impact_stick_e05"}) {
    const json problem = reference(id);
    const json &body = problem["bodies"][0], &contact = problem["contacts"][0];
    const Vec3 end = vec(contact.contains("point_body") ? contact["point_body"] : contact["points_body"][0]);
    std::string inertia;
    for (int i = 0; i < 3; ++i)
      inertia += fmt::format("{}{:.17g}", i ? ", " : "", body["inertia_com_body"][i][i].get<double>());
    Simulation sim = scene(
        fmt::format("gravity: [0, 0, 0]\ndefaults: {{friction: {}, restitution: {}}}\nbodies:\n  rod: {{mass: {}, "
                    "inertia: [{}], position: {}, orientation: {}, velocity: {}, angular_velocity: {}, shapes: "
                    "[{{point: [{:.17g}, {:.17g}, {:.17g}]}}]}}\n{}",
                    contact["friction"].get<double>(), contact["restitution"].get<double>(), body["mass"].get<double>(),
                    inertia, body["position"].dump(), body["orientation_wxyz"].dump(), body["linear_velocity"].dump(),
                    body["angular_velocity"].dump(), end.x, end.y, end.z, kFloor),
        1e-6);
    ASSERT_TRUE(sim.step().ok());
    EXPECT_LE(norm(sim.body("rod").velocity - vec(output(problem, "com_velocity_after"))), 1e-8) << id;
    // Over the step of 1e-6 s the end of the rod turns away: rounding of the rotation only.
    EXPECT_LE(norm(sim.body("rod").angular_velocity - vec(output(problem, "omega_after"))), 1e-4) << id;
  }
}

// A pendulum against a stop: hits and rebounds by elliptic integrals (n22). Second order: at h = 0.5 ms the angle errs by about 1e-6.
TEST(Operational, a_joint_limit_throws_back) {
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
      5e-4);
  ASSERT_TRUE(sim.advance_to(2).ok());
  EXPECT_NEAR(start + sim.joint("pivot").position(), output(problem, "theta_t2").get<double>(), 2e-6);
}

const char* kSlider =
    "gravity: [0, 0, 0]\nbodies:\n  cart: {{mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], velocity: [{}, 0, "
    "0]}}\njoints:\n  rail: {{kind: slider, between: [ground, cart], anchor: [0, 0, 0], axis: [1, 0, 0], {}}}\n";

TEST(Operational, dry_friction_in_a_joint_stops_a_cart_after_v_squared_m_over_2_F) {
  Simulation sim = scene(fmt::format(fmt::runtime(kSlider), 1.0, "friction: 3"));
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_NEAR(sim.body("cart").position.x, 1.0 * 2 / (2 * 3), 1e-6);
  EXPECT_LE(std::abs(sim.body("cart").velocity.x), 1e-9);
}

TEST(Operational, motors_push_no_harder_than_they_may_and_prescribe_where_they_have_no_limit) {
  Simulation limited = scene(fmt::format(fmt::runtime(kSlider), 0.0, "motor: {velocity: 1, max_force: 4}"));
  ASSERT_TRUE(limited.advance_to(0.25).ok());
  EXPECT_NEAR(limited.body("cart").velocity.x, 0.5, 1e-9);
  ASSERT_TRUE(limited.advance_to(2).ok());
  EXPECT_NEAR(limited.body("cart").velocity.x, 1, 1e-9);
  Simulation prescribed = scene(fmt::format(fmt::runtime(kSlider), 0.5, "motor: {velocity: 0.5}"));
  ASSERT_TRUE(prescribed.advance_to(1).ok());
  EXPECT_NEAR(prescribed.body("cart").position.x, 0.5, 1e-12);
}

// Halving the step quarters the distance from lagrange with rk4, which errs 1e-9 there: joints of every kind but none that closes a loop.
TEST(Operational, is_of_second_order_on_joints_of_every_kind) {
  for (int seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const Scene linkage = workloads::random_linkage(static_cast<std::uint64_t>(seed), 6, 0);
    Simulation fine(linkage, {.method = Lagrange{.integrator = Integrator::rk4}, .step = 2.5e-4});
    ASSERT_TRUE(fine.advance_to(0.1).ok());
    double error[2];
    for (int k = 0; k < 2; ++k) {
      Simulation sim(linkage, {.method = Method::operational, .step = k == 0 ? 1e-3 : 5e-4});
      ASSERT_TRUE(sim.advance_to(0.1).ok());
      error[k] = apart(sim, fine);
    }
    EXPECT_LE(error[0], 1e-4);
    EXPECT_LE(error[1], 0.3 * error[0] + 1e-9);
  }
}

// The same with loops, which are held rows and closed after every step.
TEST(Operational, loops_stay_closed_and_move_as_lagrange_moves_them) {
  for (const char* name : {"four_bar", "stewart", "bennett", "gear_train"}) {
    SCOPED_TRACE(name);
    Simulation fine(example(name), {.method = Lagrange{.integrator = Integrator::rk4}, .step = 5e-4});
    ASSERT_TRUE(fine.advance_to(0.5).ok());
    double error[2];
    for (int k = 0; k < 2; ++k) {
      Simulation sim(example(name), {.method = Method::operational, .step = k == 0 ? 2e-3 : 1e-3});
      const StepReport report = sim.advance_to(0.5);
      ASSERT_TRUE(report.ok()) << report.message;
      const Drift drift = sim.drift();
      EXPECT_LE(drift.scaled, 1e-12);
      error[k] = apart(sim, fine);
    }
    EXPECT_LE(error[0], 1e-3);
    EXPECT_LE(error[1], 0.3 * error[0] + 1e-8);
  }
}

TEST(Operational, the_paper_s_euler_is_of_first_order) {
  const Scene linkage = workloads::random_linkage(3, 6, 0);
  Simulation fine(linkage, {.method = Lagrange{.integrator = Integrator::rk4}, .step = 2.5e-4});
  ASSERT_TRUE(fine.advance_to(0.1).ok());
  double error[2];
  for (int k = 0; k < 2; ++k) {
    Simulation sim(linkage, {.method = Operational{.integrator = Integrator::euler}, .step = k == 0 ? 1e-4 : 5e-5});
    ASSERT_TRUE(sim.advance_to(0.1).ok());
    error[k] = apart(sim, fine);
  }
  EXPECT_NEAR(error[0] / error[1], 2, 0.1);
}

// Jain's pendulum over its first impacts: the same motion by every formulation. The friction pyramid is the same for all.
TEST(Operational, every_formulation_swings_the_pendulum_alike) {
  const Scene pendulum = workloads::jain_pendulum(6);
  const Options options{.method = Formulated{.formulation = Formulation::operational_space,
                                             .integrator = Integrator::euler,
                                             .law_solver = LawSolver::lemke},
                        .facets = 4,
                        .step = 1e-3};
  const auto until = [&](Formulation formulation) {
    Options own = options;
    own.method->change({.formulation = formulation});
    auto sim = std::make_unique<Simulation>(pendulum, own);
    const StepReport report = sim->advance_to(0.7);
    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_GE(report.impacts, 1);
    return sim;
  };
  const auto os = until(Formulation::operational_space);
  for (const Formulation formulation : {Formulation::non_minimal, Formulation::minimal, Formulation::reduced_minimal,
                                        Formulation::non_minimal_os, Formulation::maximal_os})
    EXPECT_LE(apart(*os, *until(formulation)), 1e-7) << static_cast<int>(formulation);
}

// spook steps bodies and projects them, operational steps joints: nothing in common but the laws, and both of second order. Up to the
// third impact, before which rounding has not grown.
TEST(Operational, and_spook_swing_the_pendulum_alike) {
  const Scene pendulum = workloads::jain_pendulum(3);
  Simulation joints(pendulum, {.method = Operational{.integrator = Integrator::midpoint}, .step = 1e-4});
  Simulation bodies(pendulum, {.method = Spook{.integrator = Integrator::midpoint}, .step = 1e-4});
  const StepReport report = joints.advance_to(1);
  ASSERT_TRUE(report.ok() && bodies.advance_to(1).ok());
  EXPECT_GE(report.impacts, 1);
  EXPECT_LE(apart(joints, bodies), 1e-4);
}

// In no step do contacts work on the pendulum, whether bodies hit each other, slide, stick or rest: what the step books for them, and for moving
// overlaps apart, is kinetic and potential energy after minus before but for the error of the free motion. Impulses work with the means of the
// velocities, a sum of products of at most the energy, so rounding is below 1e-13 of it; overlaps may be left for 1e-10 of weight times size.
TEST(Operational, contacts_give_energy_in_no_step) {
  for (const int n : {3, 12})
    for (const double restitution : {0.0, 0.7, 1.0})
      for (const Integrator integrator : {Integrator::euler, Integrator::midpoint}) {
        SCOPED_TRACE(fmt::format("n = {}, e = {}, {}", n, restitution, integrator == Integrator::euler ? "euler" : ""));
        Scene pendulum = workloads::jain_pendulum(n);
        pendulum.model.materials[0].restitution = restitution;
        Simulation sim(pendulum,
                       {.method = MethodWords{.method = Method::operational, .integrator = integrator}, .step = 1e-3});
        const double start = sim.energy().total();
        double before = 0, most = -1, penetration = 0;
        while (sim.time() < 6 - 5e-4) {
          const StepReport report = sim.step();
          ASSERT_TRUE(report.ok()) << report.message;
          const double now = sim.state().ledger.contacts + sim.state().ledger.projection;
          most = std::max(most, now - before);
          before = now;
          penetration = std::max(penetration, report.penetration);
        }
        EXPECT_LE(most, 1e-10 * start);
        EXPECT_LE(before, -0.2 * start);  // they took some
        // What is first seen within a step meets h²/8 or, with euler, h²/2 times its acceleration from where it should: up to 200 m/s² in whips.
        EXPECT_LE(penetration, 1e-4);
      }
}

// A box that the scene puts a millimetre into the floor is on it after a step, at rest: moved, not thrown.
TEST(Operational, what_a_scene_puts_into_each_other_is_moved_apart_without_speed) {
  Simulation sim = scene(
      fmt::format("bodies:\n  box: {{mass: 2, inertia: [0.03, 0.03, 0.05], position: [0, 0, 0.099], shapes: [{{box: "
                  "[0.4, 0.4, 0.2]}}]}}\n{}",
                  kFloor));
  ASSERT_TRUE(sim.step().ok());
  EXPECT_NEAR(sim.body("box").position.z, 0.1, 1e-9);
  EXPECT_LE(norm(sim.body("box").velocity), 1e-9);
  EXPECT_NEAR(sim.state().ledger.projection, 2 * kG * 1e-3, 1e-7);
  ASSERT_TRUE(sim.advance_to(0.1).ok());
  EXPECT_NEAR(sim.body("box").position.z, 0.1, 1e-9);
}

// The start of a run of 100 s: swings, impacts, then spheres at rest on the floor and on each other, the chain stretched and folded.
TEST(Operational, the_pendulum_comes_to_rest_and_gains_no_energy_on_the_way) {
  Simulation sim(workloads::jain_pendulum(12),
                 {.method = Operational{.integrator = Integrator::midpoint}, .step = 1e-3});
  const double start = sim.energy().total();
  double last = 0;
  for (int k = 1; k <= 24; ++k) {
    const StepReport report = sim.advance_to(0.5 * k);
    ASSERT_TRUE(report.ok()) << report.message;
    // What rests on a chain that swings sinks by some half of its acceleration times h²: here less than 4 g.
    EXPECT_LE(report.penetration, 2e-5);
    EXPECT_LE(report.complementarity, 1e-8);
    const Energy energy = sim.energy();
    EXPECT_LE(energy.ledger.contacts, last + 500 * 1e-10 * start) << sim.time();
    EXPECT_NEAR(energy.total() - energy.ledger.contacts, start, 5e-4 * start) << sim.time();
    last = energy.ledger.contacts;
  }
  EXPECT_LE(last, -0.4 * start);
}

TEST(Operational, joints_of_the_forest_do_not_drift) {
  Simulation sim(workloads::linkage(workloads::Shape::chain, JointKind::hinge, 200), {.method = Method::operational});
  ASSERT_TRUE(sim.advance_to(0.2).ok());
  EXPECT_LE(sim.drift().scaled, 1e-12);
}

// Restore = replay: the same bits, coordinates and warm starts included; and a state moved by hand is taken as it is.
TEST(Operational, a_restored_state_goes_on_with_the_same_bits) {
  const auto start = [] {
    return std::make_unique<Simulation>(example("dual_arm"), Options{.method = Method::operational});
  };
  const auto a = start(), b = start();
  ASSERT_TRUE(a->advance_to(0.05).ok());
  const State saved = a->state();
  ASSERT_TRUE(a->advance_to(0.1).ok());
  b->set_state(saved);
  ASSERT_TRUE(b->advance_to(0.1).ok());
  EXPECT_EQ(apart(*a, *b), 0);

  Simulation box = scene("gravity: [0, 0, 0]\nbodies:\n  box: {mass: 1, inertia: [1, 1, 1], velocity: [1, 0, 0]}\n");
  ASSERT_TRUE(box.advance_to(0.1).ok());
  State moved = box.state();
  moved.bodies[0].position.y = 2;
  box.set_state(moved);
  ASSERT_TRUE(box.advance_to(0.2).ok());
  EXPECT_NEAR(box.body("box").position.y, 2, 1e-15);
  EXPECT_NEAR(box.body("box").position.x, 0.2, 1e-12);
}

// Forces on each body sum to its change of momentum: contacts, weight and nothing else.
TEST(Operational, books_balance) {
  Simulation sim = scene(box_on_slope(0.3, 0.2, ", velocity: [0.5, 0, 0]"));
  for (int k = 0; k < 20; ++k) {
    const Vec3 before = sim.body("box").velocity;
    ASSERT_TRUE(sim.step().ok());
    Vec3 force = 2 * sim.model().gravity;
    for (const ContactForce& c : sim.contact_forces()) force += c.force;
    EXPECT_LE(norm(force - (2 / 1e-3) * (sim.body("box").velocity - before)), 1e-10 * 2 * kG);
  }
}

// Planar bodies and particles are carried with inertias they do not have: they move as lagrange moves them.
TEST(Operational, planar_bodies_and_particles_move_as_they_should) {
  const Scene tree = workloads::baraff(workloads::Baraff::planar_54);
  Simulation fine(tree, {.method = Lagrange{.integrator = Integrator::rk4}, .step = 5e-4});
  Simulation sim(tree, {.method = Method::operational, .step = 2e-4});
  ASSERT_TRUE(fine.advance_to(0.1).ok() && sim.advance_to(0.1).ok());
  EXPECT_LE(apart(fine, sim), 1e-6);
  const Scene cloth = workloads::hung_cloth(4);
  Simulation fine_cloth(cloth, {.method = Lagrange{.integrator = Integrator::rk4}, .step = 5e-4});
  Simulation sim_cloth(cloth, {.method = Method::operational, .step = 2e-4});
  ASSERT_TRUE(fine_cloth.advance_to(0.1).ok() && sim_cloth.advance_to(0.1).ok());
  EXPECT_LE(apart(fine_cloth, sim_cloth), 1e-5);
}

}  // namespace operational_test
}  // namespace catena
