// Activations, PID servos, tendons, ropes, curved springs and carriers, against what they come to by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/scene/scene.h"
#include "catena/simulation/sample.h"
#include "catena/simulation/simulation.h"

namespace catena {
namespace drives_test {

using std::numbers::pi;

Simulation run(const std::string& text, double until, const std::vector<std::string>& set = {}) {
  Simulation sim(load_text(text, "s.yaml", ".", set));
  EXPECT_TRUE(sim.advance_to(until).ok());
  return sim;
}

// A wheel of inertia 2 on the ground, without gravity.
const std::string kWheel =
    "gravity: [0, 0, 0]\n"
    "simulate: {step: 1e-3}\n"
    "bodies: {w: {mass: 1, inertia: 2}}\n"
    "joints: {j: {kind: hinge, between: [ground, w], anchor: [0, 0, 0], axis: [0, 0, 1]}}\n";

// Torque x with x' = (u − x)/T: speed u/I (t − T (1 − e^{−t/T})).
TEST(Drives, a_filtered_input_follows_its_exponential) {
  const double T = 0.2, t = 0.5, x = 3 * (1 - std::exp(-t / T));
  for (const char* method : {"lagrange", "spook", "operational", "impulse"}) {
    Simulation sim = run(kWheel + "actuators: [{joint: j, filter: 0.2, signal: 3}]\n", t,
                         {std::string("simulate.method=") + method});
    SCOPED_TRACE(method);
    EXPECT_NEAR(sim.state().activation[0], x, 1e-12);
    // The mean of the activation over each step acts: the speed is exact to rounding.
    EXPECT_NEAR(sim.joint("j").velocity(), 1.5 * (t - T * (1 - std::exp(-t / T))), 1e-9);
  }
}

TEST(Drives, an_integrated_input_adds_up_within_its_range) {
  Simulation sim = run(kWheel + "actuators: [{joint: j, integrate: yes, signal: 4, integral_limit: 1}]\n", 1);
  EXPECT_NEAR(sim.state().activation[0], 1, 1e-12);
  // 4 t until 0.25 s, then 1: ∫ = 0.125 + 0.75.
  EXPECT_NEAR(sim.joint("j").velocity(), 0.875 / 2, 1e-6);
}

TEST(Drives, activations_are_part_of_the_state) {
  const std::string text = kWheel + "actuators: [{joint: j, filter: 0.2, signal: 3}]\n";
  Simulation a = run(text, 0.3), b = run(text, 0.1);
  b.set_state(a.state());
  a.advance_to(0.6);
  b.advance_to(0.6);
  EXPECT_EQ(a.state().activation[0], b.state().activation[0]);
  EXPECT_EQ(a.joint("j").position(), b.joint("j").position());
}

// Under a constant load a PD servo stays off by load/kp; the integral takes that away.
TEST(Drives, a_pid_servo_leaves_no_error_under_a_constant_load) {
  const std::string load =
      "forces: [{body: w, torque: [0, 0, 5]}]\nactuators: [{joint: j, kp: 100, kv: 20, signal: 0.3, ";
  Simulation pd = run(kWheel + load + "kind: position}]\n", 10);
  EXPECT_NEAR(pd.joint("j").position(), 0.35, 1e-6);
  Simulation pid = run(kWheel + load + "kind: pid, ki: 100}]\n", 20);
  EXPECT_NEAR(pid.joint("j").position(), 0.3, 1e-5);
}

// Two wheels on a tendon 2 q₁ + q₂ with stiffness k: along it 1/(J M⁻¹ Jᵀ) = 1/(4/2 + 1/2) = 0.4.
const std::string kTendon =
    "gravity: [0, 0, 0]\n"
    "simulate: {step: 1e-3}\n"
    "bodies: {a: {mass: 1, inertia: 2}, b: {mass: 1, inertia: 2, position: [1, 0, 0]}}\n"
    "joints: {i: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 0, 1]},\n"
    "         j: {kind: hinge, between: [ground, b], anchor: [1, 0, 0], axis: [0, 0, 1]}}\n";

TEST(Drives, a_tendon_s_spring_swings_its_joints_at_their_frequency) {
  const double k = 10, w = std::sqrt(k / 0.4), t = 2;
  Simulation sim =
      run(kTendon + "tendons: {t: {terms: [{joint: i, factor: 2}, {joint: j}], stiffness: 10, rest: 0.5}}\n", t,
          {"simulate.method=lagrange", "simulate.step=1e-3"});
  const double length = 2 * sim.joint("i").position() + sim.joint("j").position();
  EXPECT_NEAR(length, 0.5 * (1 - std::cos(w * t)), 1e-6);
  EXPECT_NEAR(sim.energy().kinetic + sim.energy().potential, 0.5 * k * 0.25, 1e-6);
}

TEST(Drives, a_tendon_has_a_dead_band_and_stops) {
  const std::string terms = "tendons: {t: {terms: [{joint: i, factor: 2}, {joint: j}], ";
  Simulation slack = run(kTendon + terms + "stiffness: 10, rest: [-1, 1]}}\n", 1);
  EXPECT_EQ(slack.joint("i").position(), 0);
  // Driven against its stop by 3 N m along i: it holds 2 p = 3 where p = stiffness times the overshoot.
  Simulation stop = run(kTendon + terms + "damping: 1, limits: {upper: 0.5, stiffness: 1000, damping: 20}}}\n" +
                            "actuators: [{joint: i, signal: 3}]\n",
                        0);
  double most = 0;
  for (int k = 0; k < 3000; ++k) {
    ASSERT_TRUE(stop.step().ok());
    most = std::max(most, 2 * stop.joint("i").position() + stop.joint("j").position());
  }
  EXPECT_LT(most, 0.5 + 0.1);
  EXPECT_GT(most, 0.5);
}

// A ball on a rope of 1 m, dropped at half of it: it falls freely to the end, stays there without bouncing and hangs.
TEST(Drives, a_rope_is_slack_until_it_is_taut) {
  const std::string rope =
      "simulate: {step: 1e-3}\n"
      "bodies: {b: {mass: 2, inertia: 1, position: [0, 0, -0.5]}}\n"
      "joints: {r: {kind: distance, between: [ground, b], anchors: [[0, 0, 0], [0, 0, -0.5]], limits: {upper: 1}}}\n";
  for (const char* method : {"auto", "spook", "operational", "lagrange", "impulse"}) {
    SCOPED_TRACE(method);
    Simulation sim = run(rope, 0.2, {std::string("simulate.method=") + method});
    EXPECT_NEAR(sim.body("b").position.z, -0.5 - 0.5 * 9.81 * 0.04, 1e-5);
    EXPECT_TRUE(sim.advance_to(1).ok());
    EXPECT_NEAR(sim.body("b").position.z, -1, 1e-5);
    EXPECT_NEAR(sim.body("b").velocity.z, 0, 1e-5);
  }
}

// A mass on a hardening spring: its energy is kept, and at the turning point it is all in the spring.
TEST(Drives, a_curved_spring_keeps_energy) {
  const std::string text =
      "gravity: [0, 0, 0]\n"
      "simulate: {step: 1e-3, method: lagrange}\n"
      "bodies: {b: {mass: 1, inertia: 1, velocity: [0, 0, 2]}}\n"
      "joints: {j: {kind: slider, between: [ground, b], axis: [0, 0, 1], spring: {polynomial: [5, 0, 40]}}}\n";
  Simulation sim = run(text, 0);
  double farthest = 0;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(sim.step().ok());
    farthest = std::max(farthest, sim.joint("j").position());
    EXPECT_NEAR(sim.energy().kinetic + sim.energy().potential, 2, 1e-6);
  }
  // ½ 5 x² + ¼ 40 x⁴ = 2.
  const double x = std::sqrt((-2.5 + std::sqrt(6.25 + 80)) / 20);
  EXPECT_NEAR(farthest, x, 1e-4);
}

// An actuator of a robot file may have the name of its joint: every column has a name of its own all the same.
TEST(Drives, of_a_robot_file_are_recorded_once) {
  const Scene scene = load_text(
      "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody><actuator><position name='j' "
      "joint='j' "
      "kp='3' timeconst='0.1'/></actuator></mujoco>",
      "r.xml");
  std::vector<std::string> names = column_names(scene.model);
  EXPECT_EQ(std::count(names.begin(), names.end(), "actuator.j.force"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "act.j"), 1);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

// Two gears on a free carrier, without anything else: what the carrier does with them has no external torque, and at equal and
// opposite speeds the gears turn against it as their ratio says.
TEST(Drives, gears_on_a_carrier_do_not_brake_it) {
  const std::string text =
      "gravity: [0, 0, 0]\n"
      "simulate: {step: 1e-3}\n"
      "bodies:\n"
      "  c: {mass: 1, inertia: 3, angular_velocity: [0, 0, 1]}\n"
      "  a: {mass: 1e-9, inertia: 0.5, angular_velocity: [0, 0, 1]}\n"
      "  b: {mass: 1e-9, inertia: 0.5, angular_velocity: [0, 0, 1]}\n"
      "joints:\n"
      "  base: {kind: hinge, between: [ground, c], anchor: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  one: {kind: hinge, between: [c, a], anchor: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  two: {kind: hinge, between: [c, b], anchor: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  mesh: {kind: gear, between: [a, b], axis: [0, 0, 1], ratio: -2, carrier: c}\n";
  // Turning as one, nothing meshes: it goes on for ever.
  Simulation rigid = run(text, 2);
  EXPECT_NEAR(rigid.joint("base").velocity(), 1, 1e-9);
  EXPECT_NEAR(rigid.joint("base").position(), 2, 1e-9);
  // A torque between carrier and one gear leaves the momentum about the axis at what it was.
  Simulation driven = run(text + "actuators: [{joint: one, signal: 0.3}]\n", 1);
  const double w = driven.body("c").angular_velocity.z, wa = driven.body("a").angular_velocity.z,
               wb = driven.body("b").angular_velocity.z;
  EXPECT_GT(std::abs(wa - w), 0.05);
  EXPECT_NEAR(wb - w, -2 * (wa - w), 1e-8);
  EXPECT_NEAR(3 * w + 0.5 * wa + 0.5 * wb, 4, 1e-8);
}

}  // namespace drives_test
}  // namespace catena
