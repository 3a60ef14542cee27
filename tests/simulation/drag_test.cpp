// Points dragged to targets while time stands still: where geometry says the mechanism must end, and that limits and contacts hold.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"
#include "catena/scene/scene.h"
#include "catena/simulation/drag.h"
#include "source_dir.h"

namespace catena {
namespace {

constexpr const char* kArm = R"(
bodies:
  upper: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [0.5, 0, 0]}
  lower: {mass: 0.7, inertia: [0.05, 0.05, 0.01], position: [1.4, 0, 0]}
joints:
  shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0], axis: [0, -1, 0]%s}
  elbow: {kind: hinge, between: [upper, lower], anchor: [1, 0, 0], axis: [0, -1, 0], start: 0}
)";

Simulation arm(const std::string& shoulder = "") {
  std::string text = kArm;
  text.replace(text.find("%s"), 2, shoulder);
  return Simulation(load_text(text));
}

Vec3 point_of(const Simulation& sim, const char* body, const Vec3& point) {
  const BodyState& s = sim.body(body);
  return s.position + rotate(s.orientation, point);
}

// Links of 1 and 0.8 m: the law of cosines gives the elbow.
TEST(Drag, a_two_link_arm_reaches_its_target_with_the_elbow_at_the_angle_of_the_law_of_cosines) {
  Simulation sim = arm();
  const Vec3 tip{0.4, 0, 0};
  // Straight arms have no first-order motion along themselves: away from that first.
  sim.drag(sim.body_id("lower"), tip, {1.2, 0, 0.9});
  const Vec3 target{0.7, 0, 0.9};
  const DragReport report = sim.drag(sim.body_id("lower"), tip, target);
  EXPECT_TRUE(report.reached);
  EXPECT_LE(norm(point_of(sim, "lower", tip) - target), 2e-12);
  EXPECT_LE(sim.drift().position, 1e-12);
  const double cosine = (dot(target, target) - 1 - 0.64) / (2 * 1 * 0.8);
  EXPECT_NEAR(std::abs(sim.joint("elbow").position()), std::acos(cosine), 1e-11);
  for (const char* body : {"upper", "lower"}) EXPECT_EQ(norm(sim.body(body).velocity), 0);
}

TEST(Drag, a_target_out_of_reach_stretches_the_arm_towards_it) {
  Simulation sim = arm();
  sim.drag(sim.body_id("lower"), {0.4, 0, 0}, {1.0, 0, 1.0});
  const DragReport report = sim.drag(sim.body_id("lower"), {0.4, 0, 0}, {3, 0, 4});
  EXPECT_FALSE(report.reached);
  EXPECT_NEAR(report.distance, 5 - 1.8,
              1e-6);  // flat at its least: the square root of what rounding leaves of the slope
  EXPECT_LE(sim.drift().position, 1e-12);
}

TEST(Drag, a_joint_limit_stops_the_arm_where_it_is_set) {
  Simulation sim = arm(", limits: {lower: -0.3, upper: 0.4}");
  // The middle of the upper arm would go to an angle of 1 rad.
  const Vec3 target{0.5 * std::cos(1.0), 0, 0.5 * std::sin(1.0)};
  const DragReport report = sim.drag(sim.body_id("upper"), {}, target);
  EXPECT_NEAR(sim.joint("shoulder").position(), 0.4, 1e-12);
  EXPECT_LE(report.violation, 1e-12);
  EXPECT_NEAR(report.distance, 2 * 0.5 * std::sin(0.3), 1e-12);  // the chord of 0.6 rad
  // And back inside it is free again.
  EXPECT_TRUE(sim.drag(sim.body_id("upper"), {}, {0.5, 0, 0}).reached);
}

TEST(Drag, a_ball_dragged_into_the_floor_stays_on_it_and_goes_along_it) {
  Simulation sim(load_text(R"(
bodies:
  ball: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.5], shapes: [{sphere: 0.25}]}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}
)"));
  const DragReport report = sim.drag(sim.body_id("ball"), {}, {0.3, -0.2, -1});
  const Vec3 p = sim.body("ball").position;
  EXPECT_NEAR(p.z, 0.25, 1e-12);
  EXPECT_NEAR(p.x, 0.3, 1e-9);
  EXPECT_NEAR(p.y, -0.2, 1e-9);
  EXPECT_NEAR(report.distance, 1.25, 1e-9);
  EXPECT_LE(report.violation, 1e-12);
}

TEST(Drag, a_loop_stays_closed_to_1e12_while_its_crank_goes_round) {
  Simulation sim(load(source_dir() + "/examples/jansen_legs.yaml"));
  const BodyId crank = sim.body_id("crank");
  for (int i = 1; i <= 24; ++i) {
    const double angle = 2 * M_PI * i / 24;
    const Vec3 target{0.15 * std::cos(angle), 0, 1 - 0.15 * std::sin(angle)};
    const DragReport report = sim.drag(crank, {0.075, 0, 0}, target);
    EXPECT_LE(report.distance, 1e-11) << i;
    EXPECT_LE(report.drift.scaled, 1e-12) << i;
    EXPECT_LE(report.drift.angle, 1e-12) << i;
  }
}

TEST(Drag, two_points_go_to_two_targets_at_once) {
  Simulation sim = arm();
  const double a = 0.7, b = -0.5;  // angles of the links to the horizontal
  const Vec3 elbow{std::cos(a), 0, std::sin(a)}, tip = elbow + 0.8 * Vec3{std::cos(b), 0, std::sin(b)};
  const std::vector<Drag> drags{{sim.body_id("upper"), {0.5, 0, 0}, elbow}, {sim.body_id("lower"), {0.4, 0, 0}, tip}};
  const DragReport report = sim.drag(drags);
  EXPECT_LE(report.distance, 1e-11);
  EXPECT_NEAR(sim.joint("shoulder").position(), a, 1e-10);
  EXPECT_NEAR(sim.joint("elbow").position(), b - a, 1e-10);
}

TEST(Drag, what_is_not_finite_is_refused) {
  Simulation sim = arm();
  EXPECT_THROW(sim.drag(BodyId(0), {}, {NAN, 0, 0}), InputError);
  EXPECT_THROW(sim.drag(BodyId(7), {}, {0, 0, 0}), InputError);
}

}  // namespace
}  // namespace catena
