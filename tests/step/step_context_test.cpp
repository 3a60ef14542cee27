// What the loop over the parts of a step and its method share: when a step ends, and what it says then.
#include "catena/step/step_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bench/contact_scenes.h"
#include "bench/workloads.h"

namespace catena {
namespace step_context_test {

using testing::HasSubstr;

Settings settings(Method method) {
  Settings out;
  out.method = MethodWords{.method = method, .coordinates = Coordinates::maximal};
  return out;
}

TEST(StepContext, a_number_that_is_not_finite_is_named_with_its_body_and_time) {
  const Scene scene = workloads::random_linkage(3, 5, 0);
  StepContext context(scene.model, scene.initial, settings(Method::spook));
  EXPECT_FALSE(context.find_not_finite(scene.initial, 0.5));
  EXPECT_TRUE(context.report.ok());
  const struct {
    const char* quantity;
    void (*spoil)(BodyState&);
  } cases[] = {
      {"position", [](BodyState& s) { s.position.y = std::numeric_limits<double>::quiet_NaN(); }},
      {"orientation", [](BodyState& s) { s.orientation.w = std::numeric_limits<double>::infinity(); }},
      {"the velocity", [](BodyState& s) { s.velocity.x = 1e200; }},  // its energy is not finite
      {"angular velocity", [](BodyState& s) { s.angular_velocity.z = -std::numeric_limits<double>::infinity(); }},
      {"scale", [](BodyState& s) { s.scale = std::numeric_limits<double>::quiet_NaN(); }}};
  for (const auto& [quantity, spoil] : cases) {
    SCOPED_TRACE(quantity);
    State state = scene.initial;
    spoil(state.bodies[3]);
    context.report = {};
    EXPECT_TRUE(context.find_not_finite(state, 0.5));
    EXPECT_EQ(context.report.status, Status::diverged);
    EXPECT_THAT(context.report.message, HasSubstr(quantity));
    EXPECT_THAT(context.report.message, HasSubstr("'" + scene.model.bodies[3].name + "'"));
    EXPECT_THAT(context.report.message, HasSubstr("t = 0.5"));
  }
}

TEST(StepContext, a_step_goes_on_until_it_has_failed_or_somebody_wants_it_to_end) {
  const Scene scene = workloads::random_linkage(3, 5, 0);
  StepContext context(scene.model, scene.initial, settings(Method::spook));
  std::atomic<bool> stop = false;
  context.terms.stop = &stop;
  EXPECT_TRUE(context.goes_on(scene.initial));
  stop = true;
  EXPECT_FALSE(context.goes_on(scene.initial));
  EXPECT_EQ(context.report.status, Status::interrupted);
  stop = false;
  EXPECT_FALSE(context.goes_on(scene.initial)) << "it has ended";
  context.report = {};
  context.fail_to_close({.closed = false, .position = 0.01, .angle = 0.2, .worst = JointId(2)}, 1.25);
  EXPECT_FALSE(context.goes_on(scene.initial));
  EXPECT_EQ(context.report.status, Status::not_converged);
  EXPECT_THAT(context.report.message, HasSubstr("'" + scene.model.joints[2].name + "'"));
}

// T + V − Σ W: a step that only moves energy about leaves it, one that books work it did not do does not.
TEST(StepContext, the_energy_that_no_step_may_raise_is_what_is_left_without_the_work_done) {
  const Scene scene = workloads::random_linkage(4, 5, 0);
  StepContext context(scene.model, scene.initial, settings(Method::spook));
  const double before = context.kept_energy(scene.initial);
  EXPECT_NEAR(before, context.dynamics.kinetic_energy(scene.initial) + context.dynamics.potential_energy(scene.initial),
              1e-12 * (1 + std::abs(before)));
  State booked = scene.initial;
  booked.ledger.motors = 1, booked.ledger.actuators = 2, booked.ledger.external = 4, booked.ledger.damping = -8,
  booked.ledger.contacts = -16;
  booked.ledger.projection = 100, booked.ledger.numerical = 200;  // these explain nothing
  EXPECT_NEAR(context.kept_energy(booked), before - (1 + 2 + 4 - 8 - 16), 1e-12 * (1 + std::abs(before)));
  State faster = scene.initial;
  faster.bodies[2].velocity += Vec3{1, 0, 0};
  const double gained = scene.model.bodies[2].mass * (scene.initial.bodies[2].velocity.x + 0.5);
  EXPECT_NEAR(context.kept_energy(faster), before + gained, 1e-10 * (1 + std::abs(before)));
}

TEST(StepContext, laws_are_searched_for_once_a_state_and_not_at_all_where_there_are_none) {
  const Scene free = workloads::random_linkage(3, 5, 0);
  StepContext none(free.model, free.initial, settings(Method::lagrange));
  EXPECT_EQ(none.laws, nullptr);
  none.find_laws(0);
  const Scene boxes = workloads::box_stack(3);
  StepContext some(boxes.model, boxes.initial, settings(Method::lagrange));
  ASSERT_NE(some.laws, nullptr);
  some.dynamics.kinematics().update(some.model(), boxes.initial);
  some.find_laws(0.01);
  const int searches = some.laws->searches();
  some.find_laws(0.01);
  EXPECT_EQ(some.laws->searches(), searches);
}

}  // namespace step_context_test
}  // namespace catena
