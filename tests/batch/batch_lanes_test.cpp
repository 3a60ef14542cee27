// Worlds that are stepped in lanes have the bits of simulations of their own.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "bench/workloads.h"
#include "catena/batch.h"
#include "source_dir.h"

namespace catena {
namespace batch_lanes_test {

std::vector<std::uint64_t> bits(std::span<const double> numbers) {
  std::vector<std::uint64_t> out;
  for (const double x : numbers) out.push_back(std::bit_cast<std::uint64_t>(x));
  return out;
}

// Everything a step may change.
std::vector<std::uint64_t> bits(const State& state) {
  std::vector<double> all{state.time, state.clock.origin, state.clock.step, static_cast<double>(state.clock.steps)};
  for (const BodyState& b : state.bodies)
    for (const double x :
         {b.position.x, b.position.y, b.position.z, b.orientation.w, b.orientation.x, b.orientation.y, b.orientation.z,
          b.velocity.x, b.velocity.y, b.velocity.z, b.angular_velocity.x, b.angular_velocity.y, b.angular_velocity.z})
      all.push_back(x);
  for (const JointArray& angles : state.joint_angles) all.insert(all.end(), angles.begin(), angles.end());
  for (const std::vector<double>* list : {&state.q, &state.qd, &state.activation})
    all.insert(all.end(), list->begin(), list->end());
  for (const WarmImpulse& w : state.impulses) all.insert(all.end(), w.z.begin(), w.z.end());
  const Ledger& l = state.ledger;
  for (const double x : {l.motors, l.actuators, l.external, l.damping, l.contacts, l.projection, l.numerical})
    all.push_back(x);
  return bits(all);
}

// Another push and another input in every world; world 0 has neither.
double push(std::size_t world, std::size_t k) {
  return 0.05 * static_cast<double>(world) * std::cos(1.0 + static_cast<double>(k));
}
double input(std::size_t world, std::size_t k) {
  return 0.02 * static_cast<double>(world) * std::sin(2.0 + static_cast<double>(k));
}

struct Case {
  Scene scene;
  std::size_t worlds = 6;
  int steps = 300;
  Options options{.method = Method::operational};
  double strength = 1;  // of what drives the worlds
};

// Steps a batch in calls of several lengths, with one thread and with three, and every world alone. Returns the report of the last batch.
LaneReport expect_same_bits(const Case& c) {
  std::vector<std::vector<std::uint64_t>> alone, q, v;
  std::vector<double> residual;
  for (std::size_t i = 0; i < c.worlds; ++i) {
    Simulation sim(c.scene, c.options);
    for (std::size_t k = 0; i > 0 && k < sim.v().size(); ++k) sim.tau()[k] = c.strength * push(i, k);
    for (std::size_t k = 0; k < sim.ctrl().size(); ++k) sim.ctrl()[k] = c.strength * input(i, k);
    for (int step = 0; step < c.steps; ++step) {
      const StepReport report = sim.step();
      if (!report.ok()) {
        ADD_FAILURE() << report.message;
        break;
      }
    }
    alone.push_back(bits(sim.state()));
    q.push_back(bits(sim.q()));
    v.push_back(bits(sim.v()));
  }
  LaneReport report;
  for (const int threads : {1, 3}) {
    Batch batch(c.scene, c.worlds, c.options, threads);
    for (std::size_t i = 0; i < c.worlds; ++i) {
      for (std::size_t k = 0; k < batch.n_v(); ++k) batch.tau()[i * batch.n_v() + k] = c.strength * push(i, k);
      for (std::size_t k = 0; k < batch.n_u(); ++k) batch.ctrl()[i * batch.n_u() + k] = c.strength * input(i, k);
    }
    long left = c.steps;
    for (const long count : {1L, 2L, 57L}) batch.step(count), left -= count;
    batch.step(left);
    for (std::size_t i = 0; i < c.worlds; ++i) {
      EXPECT_EQ(batch.status()[i], Status::ok) << batch.message(i);
      EXPECT_EQ(bits(batch.state(i)), alone[i]) << "world " << i << ", " << threads << " threads";
      EXPECT_EQ(bits(batch.q().subspan(i * batch.n_q(), batch.n_q())), q[i]) << "world " << i;
      EXPECT_EQ(bits(batch.v().subspan(i * batch.n_v(), batch.n_v())), v[i]) << "world " << i;
    }
    report = batch.lanes();
    EXPECT_EQ(report.steps_in_lanes + report.steps_alone, static_cast<long>(c.worlds) * c.steps);
  }
  return report;
}

// The pole turns over, so its angle counts turns.
TEST(BatchLanes, a_cart_pole_has_the_bits_of_a_simulation_of_its_own) {
  const LaneReport report = expect_same_bits({.scene = workloads::cart_pole(), .worlds = 10, .steps = 1000});
  EXPECT_GT(report.width, 0) << report.why_not;
  // The first step is from a state that does not carry joint coordinates yet.
  EXPECT_EQ(report.steps_alone, 10);
}

TEST(BatchLanes, a_chain_of_hinges_has_the_bits_of_a_simulation_of_its_own) {
  const LaneReport report =
      expect_same_bits({.scene = workloads::peer_chain(12), .worlds = 7, .steps = 400, .strength = 0.02});
  EXPECT_GT(report.steps_in_lanes, 0) << report.why_not;
}

TEST(BatchLanes, a_tree_of_ball_joints_has_the_bits_of_a_simulation_of_its_own) {
  const LaneReport report = expect_same_bits({.scene = workloads::peer_tree(15), .worlds = 5, .strength = 0.1});
  EXPECT_GT(report.steps_in_lanes, 0) << report.why_not;
}

TEST(BatchLanes, free_bodies_have_the_bits_of_a_simulation_of_their_own) {
  const LaneReport report = expect_same_bits({.scene = load_text(R"({catena: 1, simulate: {step: 5e-3},
    bodies: {top: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [0, 0, 1], angular_velocity: [3, 0.1, -2]},
             other: {mass: 2, inertia: [0.1, 0.1, 0.3], position: [2, 0, 1], velocity: [0, 1, 0]}}})")});
  EXPECT_GT(report.steps_in_lanes, 0) << report.why_not;
}

TEST(BatchLanes, a_humanoid_of_hinges_has_the_bits_of_a_simulation_of_its_own) {
  const LaneReport report =
      expect_same_bits({.scene = workloads::humanoid(), .worlds = 5, .steps = 200, .strength = 0.1});
  EXPECT_GT(report.steps_in_lanes, 0) << report.why_not;
}

TEST(BatchLanes, every_kind_of_joint_has_the_bits_of_a_simulation_of_its_own) {
  long in_lanes = 0;
  for (int seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 1 + seed, 0);
    in_lanes +=
        expect_same_bits(
            {.scene = scene, .worlds = 4, .steps = 100, .options = {.method = Method::operational, .step = 1e-3}})
            .steps_in_lanes;
  }
  EXPECT_GT(in_lanes, 0);
}

// Springs, dampers, rotors and servos along joint coordinates, one of which reaches the limit of its force.
TEST(BatchLanes, springs_dampers_rotors_and_servos_have_the_bits_of_a_simulation_of_their_own) {
  const LaneReport report = expect_same_bits({.scene = load_text(R"({catena: 1, simulate: {step: 2e-3},
    bodies: {upper: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.5, 0, 0]},
             lower: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [1.5, 0, 0]},
             slide: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [2, 0, 0]}},
    joints: {shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0], axis: [0, 1, 0], damping: 0.05, armature: 0.02},
             elbow: {kind: hinge, between: [upper, lower], anchor: [1, 0, 0], axis: [0, 1, 0.2], stiffness: 3, rest: 0.2},
             wrist: {kind: slider, between: [lower, slide], anchor: [2, 0, 0], axis: [1, 0, 0], stiffness: 50, damping: 0.4}},
    actuators: [{joint: shoulder, kind: position, kp: 40, kv: 2, limit: 5, signal: {constant: 0.3}},
                {joint: elbow, kind: velocity, kv: 0.3, signal: {constant: 0.5}},
                {joint: wrist, kind: torque, signal: {constant: 0}}]})"),
                                              .worlds = 9,
                                              .steps = 800,
                                              .strength = 20});
  EXPECT_EQ(report.steps_alone, 9);
}

// A step so long that energy is gained: it is halved, which lanes do not do.
TEST(BatchLanes, steps_that_are_refused_are_taken_alone_with_the_same_bits) {
  const LaneReport report = expect_same_bits({.scene = workloads::peer_chain(6),
                                              .worlds = 8,
                                              .steps = 300,
                                              .options = {.method = Method::operational, .step = 0.02},
                                              .strength = 0.05});
  EXPECT_GT(report.steps_alone, 8);
  EXPECT_GT(report.steps_in_lanes, 0);
}

// A state whose bodies are not where its coordinates say is another's business.
TEST(BatchLanes, worlds_that_are_reset_in_the_middle_have_the_bits_of_simulations_that_are) {
  const Scene scene = workloads::cart_pole();
  Batch batch(scene, 5, {.method = Method::operational});
  batch.step(10);
  std::vector<State> states(5, batch.state(0));
  states[2].bodies = batch.initial().bodies;
  batch.reset({}, states);
  std::vector<double> q(5 * batch.n_q(), 0.3), v(5 * batch.n_v(), -0.2);
  const std::vector<unsigned char> mask{0, 0, 0, 1, 1};
  batch.reset(mask, q, v);
  batch.step(20);
  for (std::size_t i = 0; i < 5; ++i) {
    Simulation sim(scene, {.method = Method::operational});
    if (i < 3) sim.set_state(states[i]);
    else sim.set_coordinates(std::vector<double>(batch.n_q(), 0.3), std::vector<double>(batch.n_v(), -0.2));
    for (int k = 0; k < 20; ++k) sim.step();
    EXPECT_EQ(bits(batch.state(i)), bits(sim.state())) << i;
  }
}

// Controls that change with every step, from states of their own; one call after the other, so that worlds come back to their lanes.
TEST(BatchLanes, rollouts_in_lanes_are_those_of_worlds_alone) {
  constexpr std::size_t kWorlds = 6, kSteps = 40;
  const Scene scene = workloads::cart_pole();
  std::vector<std::vector<double>> rows;
  std::vector<std::vector<std::uint64_t>> states;
  for (const bool lanes : {true, false}) {
    Batch batch(scene, kWorlds, {.method = Method::operational}, 2);
    batch.use_lanes(lanes);
    std::vector<double> start, tau, out(kWorlds * kSteps * batch.n_state());
    for (std::size_t i = 0; i < kWorlds; ++i)
      for (const double x : {0.5, 0.1 * static_cast<double>(i), 0.3, 0.0, -0.2 * static_cast<double>(i)})
        start.push_back(x);
    for (std::size_t i = 0; i < kWorlds * kSteps * batch.n_v(); ++i) tau.push_back(std::sin(static_cast<double>(i)));
    batch.rollout({.steps = kSteps, .states = start, .tau = tau}, out);
    rows.push_back(out);
    batch.rollout({.steps = kSteps, .tau = tau}, out);
    rows.push_back(out);
    EXPECT_EQ(batch.lanes().steps_in_lanes > 0, lanes);
    for (std::size_t i = 0; i < kWorlds; ++i) states.push_back(bits(batch.state(i)));
  }
  EXPECT_EQ(bits(rows[0]), bits(rows[2]));
  EXPECT_EQ(bits(rows[1]), bits(rows[3]));
  for (std::size_t i = 0; i < kWorlds; ++i) EXPECT_EQ(states[i], states[kWorlds + i]) << i;
}

// One step a call, so that worlds go in and out of their lanes all the time.
TEST(BatchLanes, steps_one_by_one_are_those_of_one_call) {
  Batch one(workloads::cart_pole(), 7, {.method = Method::operational}),
      all(workloads::cart_pole(), 7, {.method = Method::operational});
  for (Batch* batch : {&one, &all})
    for (std::size_t i = 0; i < batch->tau().size(); ++i) batch->tau()[i] = 0.1 * std::cos(static_cast<double>(i));
  for (int k = 0; k < 500; ++k) one.step(1);
  all.step(500);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(bits(one.state(i)), bits(all.state(i))) << i;
}

// Limits and contacts are laws: its steps are taken alone, in the air and on the floor.
TEST(BatchLanes, a_humanoid_that_falls_on_the_floor_has_the_bits_of_a_simulation_of_its_own) {
  const LaneReport report = expect_same_bits(
      {.scene = load(source_dir() + "/tests/data/robots/humanoid.xml"), .worlds = 2, .steps = 150, .options = {}});
  EXPECT_EQ(report.width, 0);
  EXPECT_FALSE(report.why_not.empty());
}

TEST(BatchLanes, a_batch_says_why_its_steps_are_taken_alone) {
  Batch lagrange(workloads::cart_pole(), 2, {.method = Method::lagrange});
  lagrange.step(3);
  EXPECT_EQ(lagrange.lanes().width, 0);
  EXPECT_FALSE(lagrange.lanes().why_not.empty());
  EXPECT_EQ(lagrange.lanes().steps_alone, 6);
  Batch asked(workloads::cart_pole(), 2, {.method = Method::operational});
  asked.use_lanes(false);
  asked.step(3);
  EXPECT_EQ(asked.lanes().steps_in_lanes, 0);
  EXPECT_EQ(asked.lanes().steps_alone, 6);
}

}  // namespace batch_lanes_test
}  // namespace catena
