// Bodies that rest are left out of the steps, keep their bits, and wake when something happens to them.
#include "catena/contact/sleep.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace sleep_test {

using namespace testing_step;

constexpr Method kMethods[] = {Method::lagrange, Method::impulse, Method::spook, Method::operational};

// Two boxes, one on the other, and a third far away, all a little above the floor.
const char* const kBoxes = R"(
simulate: {step: 1e-3, sleep: yes}
defaults: {friction: 0.5}
ground: {shapes: [{plane: {}}]}
bodies:
  lower: {density: 1000, position: [0, 0, 0.0501], shapes: [{box: [0.1, 0.1, 0.1]}]}
  upper: {density: 1000, position: [0, 0, 0.1502], shapes: [{box: [0.1, 0.1, 0.1]}]}
  lone: {density: 1000, position: [3, 0, 0.0501], shapes: [{box: [0.1, 0.1, 0.1]}]}
  ball: {density: 1000, position: [-1, 0, 0.0501], shapes: [{sphere: 0.05}]}
)";

bool sleeps(const Simulation& simulation, const char* body) {
  for (std::size_t i = 0; i < simulation.model().bodies.size(); ++i)
    if (simulation.model().bodies[i].name == body) return simulation.state().rests.at(i).island >= 0;
  return false;
}

std::vector<std::uint64_t> bits(const BodyState& s) {
  std::vector<std::uint64_t> out;
  for (const double x :
       {s.position.x, s.position.y, s.position.z, s.orientation.w, s.orientation.x, s.orientation.y, s.orientation.z,
        s.velocity.x, s.velocity.y, s.velocity.z, s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z})
    out.push_back(std::bit_cast<std::uint64_t>(x));
  return out;
}

std::vector<std::uint64_t> bits(const State& state) {
  std::vector<std::uint64_t> out;
  for (const BodyState& s : state.bodies)
    for (const std::uint64_t x : bits(s)) out.push_back(x);
  return out;
}

TEST(Sleep, bodies_that_rest_keep_their_bits_and_their_forces) {
  for (const Method method : kMethods) {
    Simulation simulation(load_text(kBoxes), {.method = method});
    advance(simulation, 2);
    ASSERT_EQ(simulation.step().asleep, 4) << static_cast<int>(method);
    const std::vector<std::uint64_t> before = bits(simulation.state());
    const double energy = simulation.energy().total();
    advance(simulation, 3);
    EXPECT_EQ(bits(simulation.state()), before);
    EXPECT_EQ(simulation.energy().total(), energy);
    // What carries them is still there to read: 1 kg each.
    double carried = 0;
    for (const ContactForce& force : simulation.contact_forces())
      if (!force.contact.b.valid()) carried += force.normal;
    const double ball = 1000 * 4.0 / 3 * M_PI * std::pow(0.05, 3);
    EXPECT_NEAR(carried, 9.81 * (3 + ball), 1e-4) << static_cast<int>(method);
  }
}

// Sleeping is off unless it is asked for.
TEST(Sleep, nothing_sleeps_unless_it_is_asked_to) {
  Simulation simulation(load_text(kBoxes), {.method = Method::spook, .sleep = false});
  advance(simulation, 1);
  EXPECT_EQ(simulation.step().asleep, 0);
  EXPECT_TRUE(simulation.state().rests.empty());
}

// The ball runs into the lower box: that island wakes before they touch, and the box far away sleeps on.
TEST(Sleep, a_touch_wakes_the_island_and_no_other) {
  for (const Method method : kMethods) {
    Scene scene = load_text(kBoxes);
    Simulation simulation(scene, {.method = method});
    advance(simulation, 1.5);
    ASSERT_TRUE(sleeps(simulation, "lower") && sleeps(simulation, "upper") && sleeps(simulation, "lone"));
    State state = simulation.state();
    state.bodies[3].velocity = {2, 0, 0};
    state.bodies[3].angular_velocity = {0, 40, 0};
    simulation.set_state(state);
    const std::vector<std::uint64_t> lone = bits(simulation.body("lone"));
    double overlap = 0;
    bool asleep_together = true;
    for (int i = 0; i < 700; ++i) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message;
      overlap = std::max(overlap, report.penetration);
      asleep_together = asleep_together && sleeps(simulation, "lower") == sleeps(simulation, "upper");
    }
    EXPECT_TRUE(asleep_together);
    EXPECT_FALSE(sleeps(simulation, "ball"));
    EXPECT_GT(norm(simulation.body("lower").position - scene.initial.bodies[0].position), 1e-3);
    EXPECT_LT(overlap, PartTuning{}.deep_overlap);  // a step at 2 m/s is 2 mm
    EXPECT_TRUE(sleeps(simulation, "lone"));
    EXPECT_EQ(bits(simulation.body("lone")), lone);
  }
}

// A sleeping box that is hit moves as one that never slept.
TEST(Sleep, what_is_woken_moves_as_if_it_had_not_slept) {
  const char* const text = R"(
simulate: {step: 1e-3}
defaults: {friction: 0.5, restitution: 0.3}
ground: {shapes: [{plane: {}}]}
bodies:
  box: {density: 1000, position: [0, 0, 0.05], shapes: [{box: [0.1, 0.1, 0.1]}]}
  ball: {density: 1000, position: [-2.5, 0, 0.09], velocity: [2, 0, 5], shapes: [{sphere: 0.03}]}
)";
  Simulation asleep(load_text(text), {.method = Method::spook, .sleep = true});
  Simulation awake(load_text(text), {.method = Method::spook, .sleep = false});
  int slept = 0;
  for (int i = 0; i < 2000; ++i) {
    slept += asleep.step().asleep;
    ASSERT_TRUE(awake.step().ok());
    // Velocities of the box at rest are rounding; what comes after the impact differs by as much as they made of its position.
    ASSERT_LT(norm(asleep.body("box").position - awake.body("box").position), 1e-7) << i;
    ASSERT_LT(norm(asleep.body("ball").position - awake.body("ball").position), 1e-7) << i;
  }
  EXPECT_GT(slept, 100);
  EXPECT_GT(norm(awake.body("box").position - Vec3{0, 0, 0.05}), 1e-3);
}

TEST(Sleep, forces_and_hands_wake) {
  for (const Method method : kMethods) {
    Simulation simulation(load_text(kBoxes), {.method = method});
    advance(simulation, 1.5);
    ASSERT_EQ(simulation.step().asleep, 4);
    // A force that is set wakes what it acts on, and is felt: half the box's weight does not move it, ten times do. The others sleep on.
    simulation.set_force(BodyId(2), {0, 0, 98.1});
    ASSERT_EQ(simulation.step().asleep, 3);
    EXPECT_GT(simulation.body("lone").velocity.z, 0.08);
    simulation.clear_forces();
    advance(simulation, 4);
    ASSERT_EQ(simulation.step().asleep, 4);
    // A body that is put elsewhere wakes, and falls; those it was not tied to sleep on.
    State state = simulation.state();
    state.bodies[2].position.z += 0.1;
    simulation.set_state(state);
    ASSERT_EQ(simulation.step().asleep, 3);
    EXPECT_LT(simulation.body("lone").velocity.z, -0.009);
  }
}

// An arm on a floor with a weak motor, a spring and a limit: its joint holds what it held.
TEST(Sleep, mechanisms_sleep_whole_and_their_joints_carry_what_they_carried) {
  const char* const text = R"(
simulate: {step: 1e-3, sleep: yes}
bodies:
  upper: {mass: 1, position: [0.25, 0, 1], shapes: [{box: [0.5, 0.05, 0.05], collide: no}]}
  lower: {mass: 1, position: [0.75, 0, 1], shapes: [{box: [0.5, 0.05, 0.05], collide: no}]}
joints:
  shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 1], axis: [0, 1, 0], friction: 30}
  elbow: {kind: hinge, between: [upper, lower], anchor: [0.5, 0, 1], axis: [0, 1, 0], limits: {lower: -60 deg, upper: 0}}
)";
  for (const Method method : kMethods) {
    Simulation simulation(load_text(text), {.method = method});
    advance(simulation, 0.2);
    const Vec3 reaction = simulation.joint("shoulder").reaction().linear;
    advance(simulation, 1.5);
    ASSERT_EQ(simulation.step().asleep, 2) << static_cast<int>(method);
    EXPECT_NEAR(norm(simulation.joint("shoulder").reaction().linear), norm(reaction), 1e-6);
    EXPECT_NEAR(norm(reaction), 2 * 9.81, 1e-6);
    simulation.joint("elbow").set_torque(5);
    EXPECT_EQ(simulation.step().asleep, 0);
  }
}

// What a signal drives, or a load that has yet to begin, does not sleep.
TEST(Sleep, what_changes_with_time_stays_awake) {
  const char* const text = R"(
simulate: {step: 1e-3, sleep: yes}
defaults: {friction: 0.5}
ground: {shapes: [{plane: {}}]}
bodies:
  pushed: {mass: 1, position: [0, 0, 0.05], shapes: [{box: [0.1, 0.1, 0.1]}]}
  lone: {mass: 1, position: [3, 0, 0.05], shapes: [{box: [0.1, 0.1, 0.1]}]}
forces:
  - {body: pushed, force: [30, 0, 0], from: 1.5}
)";
  Simulation simulation(load_text(text), {.method = Method::spook});
  advance(simulation, 1.2);
  EXPECT_TRUE(sleeps(simulation, "lone"));
  EXPECT_FALSE(sleeps(simulation, "pushed"));
  advance(simulation, 1.6);
  EXPECT_GT(simulation.body("pushed").velocity.x, 1);
}

// Restore = replay, from states in which some sleep, and some fall asleep and wake after.
TEST(Sleep, a_restored_state_goes_on_with_the_same_bits) {
  for (const Method method : kMethods) {
    const Scene scene = load_text(kBoxes);
    Simulation first(scene, {.method = method});
    State start = first.state();
    start.bodies[3].velocity = {1, 0, 0.0};
    start.bodies[3].angular_velocity = {0, 20, 0};
    first.set_state(start);
    advance(first, 0.7);
    const State saved = first.state();
    advance(first, 2);
    Simulation second(scene, {.method = method});
    second.set_state(saved);
    advance(second, 2);
    EXPECT_EQ(bits(second.state()), bits(first.state())) << static_cast<int>(method);
    ASSERT_EQ(second.contact_forces().size(), first.contact_forces().size());
    for (std::size_t i = 0; i < first.contact_forces().size(); ++i)
      EXPECT_EQ(second.contact_forces()[i].normal, first.contact_forces()[i].normal);
  }
}

}  // namespace sleep_test
}  // namespace catena
