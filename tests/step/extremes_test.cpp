// Extremes go on by every method and gain no energy beyond the work done; none of these is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace extremes_test {

using namespace testing_step;

constexpr Method kMethods[] = {Method::lagrange, Method::impulse, Method::spook, Method::operational};

double kept(const Simulation& simulation) {
  const Energy energy = simulation.energy();
  const Ledger& l = energy.ledger;
  return energy.total() - l.motors - l.actuators - l.external - l.damping - l.contacts;
}

// Runs at most `steps`, and says what went wrong, or nothing.
std::string fault_of(const Scene& scene, Method method, double step, int steps) {
  Simulation simulation(scene, {.method = method, .step = step});
  double weight = 0;
  for (const Body& body : simulation.model().bodies) weight += body.mass * norm(simulation.model().gravity);
  const double first = kept(simulation);
  for (int i = 0; i < steps; ++i) {
    const StepReport report = simulation.step();
    if (!report.ok()) return "stops: " + report.message;
    // Bodies are 0.1 m large; what servos put in and dampers take out is booked to first order where it is taken implicitly.
    const Energy energy = simulation.energy();
    const double scale = weight * std::max(simulation.size(), 0.1) + energy.kinetic +
                         std::abs(energy.ledger.actuators) + std::abs(energy.ledger.damping);
    // What one step may gain by its integration and by closing joints (VelocityTuning: 1e-3 and 1e-6 of this; ImpulseTuning: 1e-3).
    if (kept(simulation) - first > 2e-3 * scale)
      return fmt::format("gains {} J of {} J by step {}", kept(simulation) - first, scale, i);
    for (const BodyState& s : simulation.state().bodies)
      if (!std::isfinite(norm(s.position)) || !std::isfinite(norm(s.velocity))) return "is not finite";
  }
  return {};
}

void expect_goes_on(const std::string& text, double step, int steps) {
  const Scene scene = load_text(text);
  for (const Method method : kMethods)
    EXPECT_EQ(fault_of(scene, method, step, steps), "")
        << "method " << static_cast<int>(method) << ", step " << step << "\n"
        << text.substr(0, 600);
}

// Boxes of 1 mg to 1000 t beside each other.
TEST(Extremes, masses_from_1e_minus_6_to_1e6_side_by_side) {
  std::string text = "defaults: {friction: 0.5}\nground: {shapes: [{plane: {}}]}\nbodies:\n";
  for (int i = 0; i < 5; ++i)
    text += fmt::format("  b{}: {{mass: {}, position: [{}, 0, 0.051], shapes: [{{box: [0.1, 0.1, 0.1]}}]}}\n", i,
                        std::pow(10, 3 * i - 6), 0.1001 * i);
  for (const double step : {1e-5, 1e-3, 1.0 / 30}) expect_goes_on(text, step, 40);
}

TEST(Extremes, pendulums_whose_links_differ_by_1e12_in_mass) {
  for (const char* masses : {"1e-6 1e6", "1e6 1e-6"}) {
    const std::string words = masses, first = words.substr(0, words.find(' ')),
                      second = words.substr(words.find(' ') + 1);
    const std::string text = fmt::format(R"(
bodies:
  a: {{mass: {}, position: [0.5, 0, 0], shapes: [{{box: [1, 0.1, 0.1], collide: no}}]}}
  b: {{mass: {}, position: [1.5, 0, 0], shapes: [{{box: [1, 0.1, 0.1], collide: no}}]}}
joints:
  p: {{kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0]}}
  q: {{kind: hinge, between: [a, b], anchor: [1, 0, 0], axis: [0, 1, 0]}}
)",
                                         first, second);
    for (const double step : {1e-5, 1e-3, 1.0 / 30}) expect_goes_on(text, step, 40);
  }
}

TEST(Extremes, a_hundred_links_with_1e6_kg) {
  const std::string text = R"(
chain: {count: 100, offset: [0.1, 0, 0], joint: {kind: ball}, link: {mass: 0.1, shapes: [{box: [0.1, 0.02, 0.02], collide: no}]}}
bodies: {load: {mass: 1e6, position: [10.1, 0, 0], shapes: [{sphere: 0.1}]}}
joints: {w: {kind: weld, between: [link99, load]}}
)";
  for (const double step : {1e-3, 1.0 / 30}) expect_goes_on(text, step, 15);
}

TEST(Extremes, servos_of_kp_1e6) {
  const std::string text = R"(
bodies: {finger: {mass: 0.02, position: [0.03, 0, 0], shapes: [{box: [0.06, 0.01, 0.01]}]}}
joints: {knuckle: {kind: hinge, between: [ground, finger], anchor: [0, 0, 0], axis: [0, 1, 0]}}
actuators: [{joint: knuckle, kind: position, kp: 1e6, kv: 1e3, signal: 0.5}]
)";
  for (const double step : {1e-5, 2e-3, 1e-2}) expect_goes_on(text, step, 60);
}

TEST(Extremes, speeds_of_1e3) {
  const std::string text = R"(
defaults: {friction: 0.5, restitution: 0.5}
ground: {shapes: [{plane: {}}, {box: [0.05, 4, 4], at: [3, 0, 0]}]}
bodies:
  a: {mass: 1, position: [0, 0, 0.5], velocity: [1e3, 0, 0], angular_velocity: [0, 1e3, 10], shapes: [{box: [0.1, 0.1, 0.1]}]}
  b: {mass: 1, position: [-1, 0, 0.5], velocity: [1e3, 0, 0], shapes: [{sphere: 0.1}]}
)";
  for (const double step : {1e-5, 1e-3, 1.0 / 30}) expect_goes_on(text, step, 40);
}

// In few steps: that a crowd is begun, stepped and bounded in work is what is asked here.
TEST(Extremes, two_thousand_bodies) {
  std::string text = "defaults: {friction: 0.5}\nground: {shapes: [{plane: {}}]}\nbodies:\n";
  for (int i = 0; i < 2000; ++i)
    text += fmt::format("  b{}: {{density: 1000, position: [{}, {}, {}], shapes: [{{sphere: 0.05}}]}}\n", i,
                        0.101 * (i % 20), 0.101 * (i / 20 % 20), 0.0501 + 0.101 * (i / 400));
  expect_goes_on(text, 5e-3, 2);
}

}  // namespace extremes_test
}  // namespace catena
