// Bender's impulse method: its own recurrence, its order, what it conserves, and that every way of solving gives the same motion.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/workloads.h"
#include "source_dir.h"
#include "step/reference_scene.h"
#include "step/step_testing.h"

namespace catena {
namespace impulse_test {

using namespace testing_step;

Options impulse(double step, double tolerance = 1e-12) {
  return {.method = Impulse{.position_tolerance = tolerance, .velocity_tolerance = tolerance}, .step = step};
}

Options with(Options options, LinearSolver solver) {
  options.method->change({.solver = solver});
  return options;
}

// A particle on a thread, without weight: the impulse along the thread must bring d + h v + α d back to the length l, so the thread
// turns by θ with sin θ = h v/l a step, and the velocity, projected on the new tangent, is v again.
TEST(Impulse, a_particle_on_a_thread_follows_the_recurrence_of_the_scheme) {
  const double l = 0.7, v = 3, h = 0.02;
  ModelBuilder builder;
  builder.gravity({});
  builder.body({.name = "p", .kind = BodyKind::particle, .mass = 0.3, .position = {l, 0, 0}, .velocity = {0, v, 0}});
  builder.joint({.name = "thread",
                 .kind = JointKind::distance,
                 .between = {"ground", "p"},
                 .anchors = std::array<Vec3, 2>{Vec3{}, Vec3{l, 0, 0}}});
  Simulation simulation(builder.build(), impulse(h, 1e-14));
  const double turn = std::asin(h * v / l);
  for (int n = 1; n <= 500; ++n) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    const BodyState& s = simulation.body("p");
    // Rounding and the tolerance of each step add up.
    ASSERT_NEAR(s.position.x, l * std::cos(n * turn), 1e-13 * n) << n;
    ASSERT_NEAR(s.position.y, l * std::sin(n * turn), 1e-13 * n) << n;
    ASSERT_NEAR(norm(s.velocity), v, 1e-12 * n) << n;
  }
}

// A body without joints under weight: eqs. 1 and 2 are exact, angular momentum is kept to rounding and the rotation is of fourth order.
TEST(Impulse, a_free_body_falls_exactly_and_keeps_its_angular_momentum_with_both_rules) {
  for (const Integrator rule : {Integrator::rk4, Integrator::lie}) {
    ModelBuilder builder;
    builder.body({.name = "b",
                  .mass = 2,
                  .inertia = Sym3{0.3, 0.5, 0.7, 0.02, -0.03, 0.05},
                  .position = {1, 2, 3},
                  .orientation = exp_rotation(Vec3{0.3, -0.4, 0.9}),
                  .velocity = {0.5, -1, 2},
                  .angular_velocity = {3, -2, 5}});
    const auto momentum = [](Simulation& s) {
      const BodyState& b = s.body("b");
      return congruence(to_matrix(b.orientation), s.model().bodies[0].inertia) * b.angular_velocity;
    };
    const auto end = [&](double h) {
      Options options = impulse(h);
      options.method->change({.integrator = rule});
      Simulation simulation(builder.build(), options);
      const Vec3 L = momentum(simulation);
      advance(simulation, 1);
      const BodyState& b = simulation.body("b");
      EXPECT_NEAR(norm(momentum(simulation) - L), 0, 1e-14 * norm(L) / h);
      EXPECT_NEAR(norm(b.position - Vec3{1.5, 1, 5 - 9.81 / 2}), 0, 1e-14 / h);
      return b.orientation;
    };
    const Quat exact = end(1e-4);
    const auto error = [&](double h) { return norm(log_rotation(end(h) * exact.conjugate())); };
    const double coarse = error(0.02), fine = error(0.01);
    EXPECT_GT(coarse, 1e-7);  // or it would measure rounding
    EXPECT_GT(coarse / fine, 13) << static_cast<int>(rule);
    EXPECT_LT(coarse / fine, 19) << static_cast<int>(rule);
  }
}

// The largest error of all positions and velocities a reference problem asks for up to `until`.
double reference_error(const std::string& id, double h, double until) {
  const references::Json problem = references::read(id);
  std::vector<references::Json> outputs;
  for (const auto& o : problem["outputs"])
    if (o.contains("time") && o["time"] > 0 && o["time"] <= until) outputs.push_back(o);
  std::stable_sort(outputs.begin(), outputs.end(), [](const auto& a, const auto& b) { return a["time"] < b["time"]; });
  Simulation simulation(references::build(problem), impulse(h, 1e-11));
  double worst = 0;
  int read = 0;
  for (const auto& o : outputs) {
    const std::string kind = o["kind"];
    if (kind.ends_with("acceleration") || kind.ends_with("force") || kind.ends_with("torque")) continue;
    const StepReport report = simulation.advance_to(o["time"]);
    EXPECT_TRUE(report.ok()) << id << ": " << report.message;
    if (!report.ok()) return INFINITY;
    const std::vector<double> got = references::value_of(o, simulation);
    if (got.empty()) continue;
    worst = std::max(worst, references::error_of(o, got));
    ++read;
  }
  EXPECT_GT(read, 0) << id;
  return worst;
}

struct Order {
  const char* id;
  double h, until;
};
void PrintTo(const Order& order, std::ostream* out) { *out << order.id; }
class ImpulseOrder : public testing::TestWithParam<Order> {};

// Errors are h² (1 + O(h²)) for a symmetric scheme: halving h divides them by 4, to a few per cent.
TEST_P(ImpulseOrder, the_error_against_independent_answers_falls_with_the_square_of_the_step) {
  const auto& [id, h, until] = GetParam();
  const double coarse = reference_error(id, h, until), fine = reference_error(id, h / 2, until);
  EXPECT_GT(coarse / fine, 3.6) << coarse << " to " << fine;
  EXPECT_LT(coarse / fine, 4.6) << coarse << " to " << fine;
  EXPECT_LT(fine, 5e-3);
}

// Pendulums of rods and particles, chains in plane and space, loops with and without dependent rows; rows that are not holonomic
// (gear, knife edge, rack); particles and rigid bodies mixed.
INSTANTIATE_TEST_SUITE_P(References, ImpulseOrder,
                         testing::Values(Order{"s01_simple_pendulum", 2e-3, 1},
                                         Order{"s01b_particle_pendulum", 4e-3, 1},
                                         Order{"s02_double_pendulum_3d", 2e-3, 1}, Order{"s03_chain10_planar", 1e-3, 1},
                                         Order{"s06a_nfourbar_N1", 2e-3, 1}, Order{"s06b_nfourbar_N5", 2e-3, 1},
                                         Order{"s06c_crank_rocker", 1e-3, 1}, Order{"s11b_gear_pair", 4e-3, 1},
                                         Order{"s11c_knife_edge_incline", 4e-3, 1}, Order{"s12b_rack_pinion", 4e-3, 1},
                                         Order{"s14_planar_cart_double_pendulum", 2e-3, 1},
                                         Order{"s15a_particle_rigid_mixture", 2e-3, 1}));

// A spring and a damper vary within a step: the mean of both ends keeps the order. Against the adaptive method at 1e-13.
TEST(Impulse, forces_that_vary_keep_the_second_order) {
  JointExtras soft;
  soft.stiffness = 20;
  soft.damping = 0.5;
  const BuiltModel built = pendulum(1, 2, soft).build();
  Simulation exact(built, adaptive(1e-13));
  advance(exact, 1);
  const auto error = [&](double h) {
    Simulation simulation(built, impulse(h));
    advance(simulation, 1);
    return norm(simulation.body("rod").position - exact.body("rod").position);
  };
  const double coarse = error(2e-3), fine = error(1e-3);
  EXPECT_GT(coarse / fine, 3.8) << coarse;
  EXPECT_LT(coarse / fine, 4.2) << coarse;
}

struct Momentum {
  Vec3 linear, angular;
};
Momentum momentum_of(const Simulation& simulation) {
  Momentum sum{};
  for (std::size_t i = 0; i < simulation.model().bodies.size(); ++i) {
    const BodyState& s = simulation.body(BodyId(i));
    const MassBlock M = mass_block(simulation.model().bodies[i], to_matrix(s.orientation), s.scale);
    sum.linear += M.linear * s.velocity;
    sum.angular += cross(s.position, M.linear * s.velocity) + M.angular * s.angular_velocity;
  }
  return sum;
}

// Impulses are equal and opposite at the joint points; with the gaps closed to 1e-13 m nothing is left to turn the whole.
TEST(Impulse, a_free_tree_keeps_its_momentum_to_1e_12_a_step) {
  Scene scene = workloads::linkage(workloads::Shape::tree, JointKind::ball, 63);
  scene.model.gravity = {};
  Simulation simulation(scene, impulse(1e-3, 1e-13));
  Momentum before = momentum_of(simulation);
  const double size = norm(before.linear) + norm(before.angular);
  for (int i = 0; i < 200; ++i) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    const Momentum now = momentum_of(simulation);
    ASSERT_LE(norm(now.linear - before.linear), 1e-12 * size) << i;
    ASSERT_LE(norm(now.angular - before.angular), 1e-12 * size) << i;
    before = now;
  }
}

// No step leaves a gap, seen by the joints themselves, larger than it reports or than was asked for.
void expect_closed(const Scene& scene, double h, int steps, double tolerance = 1e-6) {
  Simulation simulation(scene, impulse(h, tolerance));
  const Vec3 start = simulation.body(BodyId(0)).position;
  double moved = 0;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    const Drift drift = simulation.drift();
    ASSERT_LE(std::max(drift.position, drift.angle), tolerance) << i;
    // A step that a force ends in is two; the report is of the worse.
    ASSERT_LE(drift.position, report.drift_position + 1e-15);
    moved = std::max(moved, norm(simulation.body(BodyId(0)).position - start));
  }
  EXPECT_GT(moved, 100 * tolerance);
}

TEST(Impulse, chains_stay_closed) { expect_closed(load(example("chain")), 1e-3, 2000); }
TEST(Impulse, trees_stay_closed) { expect_closed(load(example("tree127")), 1e-3, 2000); }
TEST(Impulse, a_four_bar_stays_closed) { expect_closed(load(example("four_bar")), 5e-3, 5000); }
TEST(Impulse, jansens_legs_stay_closed) { expect_closed(load(example("jansen_legs")), 5e-3, 2000); }
TEST(Impulse, a_stewart_platform_stays_closed) { expect_closed(load(example("stewart")), 1e-3, 2000); }
TEST(Impulse, bennetts_linkage_stays_closed) { expect_closed(load(example("bennett")), 5e-3, 1000); }
TEST(Impulse, joints_are_held_to_the_tolerance_that_was_asked_for) {
  expect_closed(load(example("four_bar")), 1e-3, 500, 1e-10);
  expect_closed(load(example("four_bar")), 1e-2, 500, 1e-3);
}

// A cloth's threads: body 0 is pinned, so another one must move.
TEST(Impulse, the_threads_of_a_cloth_do_not_stretch) {
  Simulation simulation(load(example("cloth")), {.method = Method::impulse, .step = 1e-3});
  for (int i = 0; i < 400; ++i) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    ASSERT_LE(report.drift_position, 1e-6);
  }
  EXPECT_LT(simulation.body("p_20_10").position.z, 1.2);  // from 1.5
}

// All ways of solving A x = Δv (eq. 5) meet the joints to 1e-11 with the least change of motion, so they lead the same way. Smooth
// motion over 0.2 s amplifies the difference by little.
TEST(Impulse, every_solver_gives_the_same_motion) {
  std::vector<Scene> scenes;
  for (const char* name : {"four_bar", "stewart", "gear_train", "rolling_coin"}) scenes.push_back(load(example(name)));
  scenes.push_back(workloads::peer_tree(31));
  scenes.push_back(workloads::random_mechanism(5, 12, 2));
  for (const Scene& scene : scenes) {
    Simulation reference(scene, with(impulse(1e-3, 1e-11), LinearSolver::tree));
    advance(reference, 0.2);
    for (const LinearSolver solver :
         {LinearSolver::sparse, LinearSolver::dense, LinearSolver::iterative, LinearSolver::parts}) {
      Simulation simulation(scene, with(impulse(1e-3, 1e-11), solver));
      advance(simulation, 0.2);
      for (std::size_t i = 0; i < scene.model.bodies.size(); ++i)
        EXPECT_NEAR(norm(simulation.body(BodyId(i)).position - reference.body(BodyId(i)).position), 0, 1e-7)
            << scene.model.name << ", solver " << static_cast<int>(solver) << ", body " << i;
    }
  }
}

// Two methods that share nothing but the rows: they part by the error of the second-order one, which at 1e-4 s is below 1e-6 here.
TEST(Impulse, it_agrees_with_lagrange_multipliers) {
  for (const char* name : {"four_bar", "jansen_legs", "stewart", "rolling_coin", "gear_train"}) {
    const Scene scene = load(example(name));
    Simulation a(scene, impulse(1e-4)), b(scene, {.method = Lagrange{.integrator = Integrator::rk4}, .step = 1e-3});
    advance(a, 0.3);
    advance(b, 0.3);
    for (std::size_t i = 0; i < scene.model.bodies.size(); ++i)
      EXPECT_NEAR(norm(a.body(BodyId(i)).position - b.body(BodyId(i)).position), 0, 2e-6 * a.size())
          << name << " " << i;
  }
}

// The books: what motors, loads and damping did, and what the impulses themselves gained, explain the change of energy up to the error
// of quadrature, which is of second order where forces vary and of fourth where only rotations are integrated.
TEST(Impulse, the_books_balance) {
  for (const char* name : {"four_bar", "jansen_legs", "stewart", "gear_train"}) {
    const auto unexplained = [&](double h) {
      Simulation simulation(load(example(name)), impulse(h));
      const double before = simulation.energy().total();
      advance(simulation, 1);
      const Energy after = simulation.energy();
      const Ledger& l = after.ledger;
      return std::abs(after.total() - before - (l.motors + l.actuators + l.external + l.damping + l.projection));
    };
    const double coarse = unexplained(2e-3), fine = unexplained(1e-3);
    EXPECT_LT(fine, 1e-3) << name;
    EXPECT_LT(fine, std::max(coarse / 3.5, 1e-9)) << name;
  }
}

TEST(Impulse, energy_of_a_pendulum_does_not_drift) {
  Simulation simulation(pendulum(2, 1).build(), impulse(5e-3));
  const double before = simulation.energy().total();
  double low = 0, high = 0, early = 0;
  for (int i = 0; i < 20000; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    const double error = simulation.energy().total() - before;
    low = std::min(low, error), high = std::max(high, error);
    if (i == 999) early = high - low;
  }
  EXPECT_LT(early, 2e-2);
  EXPECT_LT(high - low, 1.01 * early);  // no more after twenty times as many swings
}

// A cloth that swings down and is pulled taut, at a step at which its transverse waves are too fast for impulses along the threads at t
// (h ω is above 2, docs/methods/impulse.md): closed at the end of the step it loses energy instead of gaining it, and no thread stretches by more than
// the tolerance.
TEST(Impulse, a_taut_cloth_at_a_long_step_is_damped_and_never_gains_energy) {
  Simulation simulation(load(source_dir() + "/examples/cloth.yaml"),
                        {.method = Impulse{.position_tolerance = 5e-6}, .step = 5e-3});
  const double before = simulation.energy().total();
  double highest = before;
  int damped = 0;
  for (int k = 0; k < 400; ++k) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_LE(report.drift_position, 5e-6);
    damped += report.damped;
    highest = std::max(highest, simulation.energy().total());
  }
  EXPECT_GT(damped, 0);
  EXPECT_LE(highest, before + 1e-3 * std::abs(before));
}

// No impulse can close the joint at the end of the step: another scheme takes it, and the report names the joint.
TEST(Impulse, joints_that_cannot_be_closed_are_named) {
  ModelBuilder builder;
  builder.gravity({});
  builder.body({.name = "p", .kind = BodyKind::particle, .mass = 1, .position = {1, 0, 0}});
  builder.joint({.name = "thread",
                 .kind = JointKind::distance,
                 .between = {"ground", "p"},
                 .anchors = std::array<Vec3, 2>{Vec3{}, Vec3{1, 0, 0}}});
  Simulation simulation(builder.build(), impulse(0.1, 1e-9));
  State wild = simulation.state();
  wild.bodies[0].velocity = {0, 1e6, 0};  // 1e5 m a step, on a thread of 1 m
  simulation.set_state(wild);
  const StepReport report = simulation.step();
  EXPECT_TRUE(report.ok()) << report.message;
  EXPECT_EQ(report.replaced, 1);
  EXPECT_NE(report.why_replaced.find("'thread'"), std::string::npos) << report.why_replaced;
  EXPECT_LE(simulation.energy().total(), 0.5e12 * (1 + 1e-12));
  EXPECT_EQ(simulation.time(), 0.1);
}

TEST(Impulse, settings_it_cannot_serve_are_refused) {
  const BuiltModel built = pendulum(1).build();
  const auto refused = [&](Options options) {
    options.method = Method::impulse;
    EXPECT_THROW(Simulation(built, options), InputError);
  };
  refused({.method = MethodWords{.integrator = Integrator::adaptive}});
  refused({.method = MethodWords{.integrator = Integrator::euler}});
  refused({.method = MethodWords{.stabilise = Stabilisation::baumgarte}});
  refused({.threads = 0});
  refused({.method = MethodWords{.position_tolerance = 0}});
  refused({.method = MethodWords{.velocity_tolerance = -1}});
  EXPECT_THROW(Simulation(built, {.method = MethodWords{.method = Method::lagrange, .integrator = Integrator::lie}}),
               InputError);
  EXPECT_THROW(
      Simulation(built, {.method = MethodWords{.method = Method::lagrange, .solver = LinearSolver::iterative}}),
      InputError);
}

}  // namespace impulse_test
}  // namespace catena
