// A step ends: its work is bounded whatever the scene, and whoever asks it to stop is heard within it.
#include <gtest/gtest.h>

#include <atomic>

#include "catena/model/tuning.h"
#include "step/step_testing.h"

namespace catena {
namespace bounded_work_test {

using namespace testing_step;

// A row of dominoes, each of which stands on four contacts and leans on the next: hundreds of rows that come and go.
Scene dominoes(int count) {
  std::string text = R"(
simulate: {step: 2e-3}
defaults: {friction: 0.35}
ground: {shapes: [{plane: {}}]}
bodies:
)";
  for (int i = 0; i < count; ++i) {
    const bool first = i == 0;
    text += "  stone" + std::to_string(i) + ": {density: 1200, position: [" + std::to_string(0.02 * i) +
            ", 0, 0.024], shapes: [{box: [0.0075, 0.024, 0.048]}]" +
            (first ? ", velocity: [0.096, 0, 0.015], angular_velocity: [0, 4, 0]" : "") + "}\n";
  }
  return load_text(text);
}

TEST(BoundedWork, a_step_with_many_contacts_by_impulse_solves_for_them_a_bounded_number_of_times) {
  const ImpulseTuning tuning;
  Simulation simulation(dominoes(60), {.method = Method::impulse});
  // At least eighty contacts of three rows are there at any time: after so many solves their rows are more than a step may have.
  const int most = std::max(tuning.most_solves, tuning.most_rows / (80 * 3)) + 3;
  int replaced = 0;
  while (simulation.time() < 0.5) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    ASSERT_LE(report.law_solves, most);
    replaced += report.replaced;
  }
  // The stones fall one after the other: at 0.5 s the first ones lie.
  EXPECT_LT(simulation.body("stone0").position.z, 0.02);
  RecordProperty("replaced", replaced);
}

TEST(BoundedWork, a_request_to_stop_ends_the_step_and_leaves_the_state_as_it_was) {
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    Simulation simulation(dominoes(4), {.method = method});
    advance(simulation, 0.05);
    std::atomic<bool> stop{false};
    simulation.stop_when(&stop);
    ASSERT_TRUE(simulation.step().ok());
    const State before = simulation.state();
    stop = true;
    const StepReport report = simulation.step();
    EXPECT_EQ(report.status, Status::interrupted);
    EXPECT_EQ(simulation.time(), before.time);
    EXPECT_EQ(simulation.body("stone0").position.z, before.bodies[0].position.z);
    // It goes on as if nothing had been asked.
    stop = false;
    ASSERT_TRUE(simulation.step().ok());
    Simulation other(dominoes(4), {.method = method});
    other.set_state(before);
    ASSERT_TRUE(other.step().ok());
    EXPECT_EQ(simulation.body("stone0").position.z, other.body("stone0").position.z);
    simulation.stop_when(nullptr);
  }
}

}  // namespace bounded_work_test
}  // namespace catena
