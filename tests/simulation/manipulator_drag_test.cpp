// Points dragged to targets while time stands still: where geometry says the mechanism must end, and that limits and contacts hold.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "../../examples/cpp/stretching_body.h"
#include "catena/body_form.h"
#include "catena/catena.h"
#include "catena/scene/scene.h"
#include "catena/simulation/drag.h"
#include "source_dir.h"

namespace catena {
namespace manipulator_drag_test {

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
  EXPECT_NEAR(report.distance, 5 - 1.8, 1e-12);
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
  EXPECT_NEAR(p.x, 0.3, 1e-12);
  EXPECT_NEAR(p.y, -0.2, 1e-12);
  EXPECT_NEAR(report.distance, 1.25, 1e-12);
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

// The nearest point of a circle, a reach and a floor are known; distances are flat there, places are not.
TEST(Drag, where_a_target_is_out_of_reach_the_nearest_place_is_met_to_1e12) {
  for (const double away : {1.5, 4.0, 100.0}) {
    SCOPED_TRACE(away);
    Simulation rod(load_text(R"(
bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [0.5, 0, 0]}}
joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, -1, 0]}}
)"));
    const Vec3 direction{0.28, 0, 0.96};
    rod.drag(rod.body_id("rod"), {0.5, 0, 0}, away * direction);
    EXPECT_LE(norm(point_of(rod, "rod", {0.5, 0, 0}) - direction), 1e-12 * away);
  }
  // A ball on a string above a floor: the target is below the floor, and the string is too short to get above it.
  Simulation ball(load_text(R"(
bodies:
  ball: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.5], shapes: [{sphere: 0.25}]}
joints: {string: {kind: ball, between: [ground, ball], anchor: [0, 0, 1.25]}}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}
)"));
  ball.drag(ball.body_id("ball"), {}, {0.6, 0.3, 0.7});  // on the sphere of 0.75 m about the anchor
  ball.drag(ball.body_id("ball"), {}, {0, 0.9, -3});
  // The plane z = 0.25 is out of the string's reach; the target is nearest from straight on: along (0, 0.9, −4.25).
  const Vec3 nearest = Vec3{0, 0, 1.25} + 0.75 / std::hypot(0.9, 4.25) * Vec3{0, 0.9, -4.25};
  EXPECT_LE(norm(ball.body("ball").position - nearest), 4e-12);
}

// Two floors and a limit hold at once; the target is behind them all.
TEST(Drag, contacts_and_a_limit_hold_together) {
  Simulation sim(load_text(R"(
bodies:
  cart: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1]}
  ball: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.6], shapes: [{sphere: 0.1}]}
joints:
  rail: {kind: slider, between: [ground, cart], axis: [1, 0, 0], limits: {upper: 0.35}}
  rope: {kind: slider, between: [cart, ball], axis: [0, 0, 1]}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}, {plane: {normal: [-0.6, 0, 0.8], offset: 0}}]}
)"));
  const DragReport report = sim.drag(sim.body_id("ball"), {}, {2, 0, -1});
  EXPECT_FALSE(report.reached);
  EXPECT_LE(report.violation, 1e-12);
  EXPECT_LE(report.drift.scaled, 1e-12);
  // On the slope, −0.6 x + 0.8 z = 0.1, whose nearest point to the target, x = 0.74, is beyond the end of the rail.
  const Vec3 p = sim.body("ball").position;
  EXPECT_NEAR(-0.6 * p.x + 0.8 * p.z, 0.1, 1e-12);
  EXPECT_NEAR(p.x, 0.35, 1e-12);
}

TEST(Drag, bodies_with_a_form_are_led_and_lead_others) {
  const auto hung = [] {
    return Simulation(
        ModelBuilder{}
            .body({.name = "jelly",
                   .kind = BodyKind::formed,
                   .mass = 2.0,
                   .position = {0.1, 0.1, -0.2},
                   .form = std::make_shared<StretchingBody>(StretchingBody::box(2.0, {0.2, 0.2, 0.4}, 8.0)),
                   .form_start = {1, 1.1, 0.9}})
            .body(
                {.name = "rod", .mass = 0.5, .inertia = Sym3::diagonal(0.01, 0.01, 1e-4), .position = {0.1, 0.1, -0.6}})
            .joint({.name = "hook", .kind = JointKind::ball, .between = {"ground", "jelly"}, .anchor = Vec3{0, 0, 0}})
            .joint({.name = "knee",
                    .kind = JointKind::hinge,
                    .between = {"jelly", "rod"},
                    .anchor = Vec3{0.1, 0.1, -0.4},
                    .axis = Vec3{0, 1, 0}})
            .build(),
        {.step = 1e-3});
  };
  // The rod's end leads the body with a form.
  Simulation rod = hung();
  const DragReport led = rod.drag(rod.body_id("rod"), {0, 0, -0.2}, {0.5, 0.2, -0.6});
  EXPECT_TRUE(led.reached);
  EXPECT_LE(norm(point_of(rod, "rod", {0, 0, -0.2}) - Vec3{0.5, 0.2, -0.6}), 1e-12);
  EXPECT_LE(led.drift.scaled, 1e-12);
  EXPECT_TRUE(rod.advance_to(0.05).ok());
  // A corner of it, which is a material point: it stretches to get there.
  Simulation jelly = hung();
  const Vec3 corner{-0.05, 0.1, -0.2}, target{-0.3, 0.4, -0.7};
  EXPECT_TRUE(jelly.drag(jelly.body_id("jelly"), corner, target).reached);
  const BodyState& s = jelly.body("jelly");
  const OwnVector stretch = form_coordinates(jelly.body("jelly.form"));
  const Vec3 at =
      s.position + rotate(s.orientation, Vec3{stretch[0] * corner.x, stretch[1] * corner.y, stretch[2] * corner.z});
  EXPECT_LE(norm(at - target), 1e-12);
  EXPECT_LE(jelly.drift().scaled, 1e-12);
  EXPECT_THROW(jelly.drag(jelly.body_id("jelly.form"), {}, target), InputError);
}

// The body with a form is a side of a triangle whose other sides are the rod and the ground: what it gives is what lets the loop move.
TEST(Drag, a_loop_with_a_form_in_it_stays_closed) {
  Simulation sim(
      ModelBuilder{}
          .body({.name = "jelly",
                 .kind = BodyKind::formed,
                 .mass = 2.0,
                 .position = {0.1, 0.1, -0.2},
                 .form = std::make_shared<StretchingBody>(StretchingBody::box(2.0, {0.2, 0.2, 0.4}, 8.0)),
                 .form_start = {1, 1.1, 0.9}})
          .body({.name = "rod", .mass = 0.5, .inertia = Sym3::diagonal(0.01, 0.01, 1e-4), .position = {0.3, 0.1, -0.4}})
          .joint({.name = "hook", .kind = JointKind::ball, .between = {"ground", "jelly"}, .anchor = Vec3{0, 0, 0}})
          .joint({.name = "knee", .kind = JointKind::ball, .between = {"jelly", "rod"}, .anchor = Vec3{0.1, 0.1, -0.4}})
          .joint({.name = "pin", .kind = JointKind::ball, .between = {"ground", "rod"}, .anchor = Vec3{0.5, 0.1, -0.4}})
          .build(),
      {.step = 1e-3});
  // The knee is 0.4 m from the pin: round a circle about it, out of which the body with a form has to stretch.
  for (const double angle : {0.2, 0.5, 0.9}) {
    const Vec3 target{0.5 - 0.4 * std::cos(angle), 0.1, -0.4 + 0.4 * std::sin(angle)};
    const DragReport led = sim.drag(sim.body_id("rod"), {-0.2, 0, 0}, target);
    EXPECT_TRUE(led.reached) << angle;
    EXPECT_LE(norm(point_of(sim, "rod", {-0.2, 0, 0}) - target), 1e-12);
    EXPECT_LE(led.drift.scaled, 1e-12);
  }
  // Out of reach it comes as near as the sphere about the pin lets it, though some ways along that are far stiffer than others.
  const DragReport far = sim.drag(sim.body_id("rod"), {-0.2, 0, 0}, {-0.3, 0.1, -0.4});
  EXPECT_FALSE(far.reached);
  EXPECT_NEAR(norm(point_of(sim, "rod", {-0.2, 0, 0}) - Vec3{0.5, 0.1, -0.4}), 0.4, 1e-12);
  EXPECT_LE(norm(point_of(sim, "rod", {-0.2, 0, 0}) - Vec3{0.1, 0.1, -0.4}), 4e-12);
  EXPECT_LE(sim.drift().scaled, 1e-12);
  EXPECT_TRUE(sim.advance_to(0.05).ok());
}

TEST(Drag, what_is_not_finite_is_refused) {
  Simulation sim = arm();
  EXPECT_THROW(sim.drag(BodyId(0), {}, {NAN, 0, 0}), InputError);
  EXPECT_THROW(sim.drag(BodyId(7), {}, {0, 0, 0}), InputError);
}

}  // namespace manipulator_drag_test
}  // namespace catena
