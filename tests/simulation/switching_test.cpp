// Joints that attach and let go, and joints whose frames follow signals: against closed forms, in every method.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "step/step_testing.h"

namespace catena {
namespace switching_test {

using namespace testing_step;

struct Way {
  const char* name;
  Options options;
};

const Way kWays[] = {
    {"lagrange", {.method = Method::lagrange, .step = 1e-3}},
    {"impulse", {.method = Impulse{.position_tolerance = 1e-12, .velocity_tolerance = 1e-12}, .step = 1e-3}},
    {"impulse, reduced",
     {.method = Impulse{.position_tolerance = 1e-12, .velocity_tolerance = 1e-12, .coordinates = Coordinates::reduced},
      .step = 1e-3}},
    {"spook", {.method = Method::spook, .step = 1e-3}},
    {"spook, reduced", {.method = Spook{.coordinates = Coordinates::reduced}, .step = 1e-3}},
    {"operational", {.method = Operational{.coordinates = Coordinates::reduced}, .step = 1e-3}},
    {"operational, maximal", {.method = Operational{.coordinates = Coordinates::maximal}, .step = 1e-3}}};

JointExtras switching(const Switching& switching) {
  JointExtras extras;
  extras.switching = switching;
  return extras;
}

// A rod of 1 kg and 1 m, upright, flying along x; its top meets a pivot of the ground at t = 0.1.
ModelBuilder flying_rod(double speed, const Switching& rule) {
  BodySpec flying = rod("rod", {-0.1 * speed, 0, 0}, 0);
  flying.velocity = {speed, 0, 0};
  JointSpec pivot = hinge("pivot", "ground", "rod", {}, switching(rule));
  pivot.anchor.reset();
  pivot.anchors = {Vec3{}, Vec3{-0.1 * speed, 0, 0}};
  ModelBuilder builder;
  builder.gravity({}).body(flying).joint(pivot);
  return builder;
}

// About the pivot the angular momentum m v l/2 stays: ω = 3 v/(2 l), and the pivot pushes with m (ω l/2 − v) = −m v/4.
TEST(Switching, a_rod_that_is_caught_at_its_end_turns_as_the_plastic_impact_says) {
  constexpr double kSpeed = 2;
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(flying_rod(kSpeed, {.attached = false, .attach = {0.1}}).build(), way.options);
    EXPECT_FALSE(sim.joint("pivot").attached());
    advance(sim, 0.1);
    EXPECT_NEAR(sim.body("rod").velocity.x, kSpeed, 1e-12);
    ASSERT_TRUE(sim.step().ok());
    ASSERT_EQ(sim.joint_events().size(), 1u);
    const JointEvent& event = sim.joint_events()[0];
    EXPECT_TRUE(event.attached);
    EXPECT_NEAR(event.time, 0.1, 1e-12);
    EXPECT_NEAR(event.impulse.linear.x, -kSpeed / 4, 1e-10);
    EXPECT_NEAR(sim.body("rod").angular_velocity.y, -1.5 * kSpeed, 1e-9);
    EXPECT_TRUE(sim.joint("pivot").attached());
    advance(sim, 0.3);
    EXPECT_NEAR(sim.body("rod").angular_velocity.y, -1.5 * kSpeed, 1e-9);
    EXPECT_NEAR(norm(sim.body("rod").position), 0.5, 1e-9);
    // ½ m v² − ½ (m l²/3) ω² = m v²/8 is lost, and booked.
    EXPECT_NEAR(sim.energy().ledger.contacts, -kSpeed * kSpeed / 8, 1e-9);
  }
}

TEST(Switching, a_pendulum_that_is_let_go_flies_on_a_parabola) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(pendulum(0.9, 1, switching({.detach = {0.25}})).build(), way.options);
    advance(sim, 0.25);
    const BodyState start = sim.body("rod");
    advance(sim, 0.75);
    const BodyState& end = sim.body("rod");
    const Vec3 flown = start.position + 0.5 * start.velocity + Vec3{0, 0, -0.5 * 9.81 * 0.25};
    EXPECT_NEAR(norm(end.position - flown), 0, 1e-9);
    EXPECT_NEAR(end.angular_velocity.y, start.angular_velocity.y, 1e-9);
    EXPECT_EQ(norm(sim.joint("pivot").reaction().linear), 0);
  }
}

// From any state: the run that goes on has the bits of the one that was never stopped.
TEST(Switching, a_restored_state_goes_on_with_the_same_bits) {
  const auto built = [] {
    ModelBuilder builder = double_pendulum();
    JointExtras latch =
        switching({.attached = false, .attach = {0.12}, .detach = {0.3}, .pose = Switching::Pose::keep});
    builder.joint(
        {.name = "latch", .kind = JointKind::weld, .between = {"upper", "lower"}, .anchor = Vec3{}, .extras = latch});
    return builder.build();
  };
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Options options = way.options;
    options.step = 5e-3;
    Simulation whole(built(), options);
    std::vector<State> saved;
    for (const double stop : {0.1, 0.2, 0.35}) {
      advance(whole, stop);
      saved.push_back(whole.state());
    }
    advance(whole, 0.5);
    for (const State& state : saved) {
      Simulation again(built(), options);
      again.set_state(state);
      advance(again, 0.5);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(again.state().bodies[i].position, whole.state().bodies[i].position) << "from t = " << state.time;
        EXPECT_EQ(again.state().bodies[i].angular_velocity, whole.state().bodies[i].angular_velocity);
      }
      EXPECT_EQ(again.energy().ledger.contacts, whole.energy().ledger.contacts);
    }
  }
}

// 9.81 N hang on the pivot; from 0.2 s on it is 5 N more than it bears.
TEST(Switching, a_joint_that_bears_only_so_much_lets_go_when_more_hangs_on_it) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    ModelBuilder builder = pendulum(0, 0, switching({.force = 12}));
    builder.force({.body = "rod", .force = {0, 0, -5}, .from = 0.2});
    Simulation sim(builder.build(), way.options);
    advance(sim, 0.199);
    EXPECT_TRUE(sim.joint("pivot").attached());
    advance(sim, 0.5);
    EXPECT_FALSE(sim.joint("pivot").attached());
    EXPECT_NEAR(sim.body("rod").velocity.z, -14.81 * 0.3, 14.81 * 2e-3);
  }
}

TEST(Switching, a_joint_attaches_as_soon_as_its_anchors_are_near) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(flying_rod(2, {.attached = false, .within = 0.02, .pose = Switching::Pose::keep}).build(),
                   way.options);
    advance(sim, 0.08);
    EXPECT_FALSE(sim.joint("pivot").attached());
    advance(sim, 0.12);
    EXPECT_TRUE(sim.joint("pivot").attached());
    EXPECT_NEAR(sim.body("rod").angular_velocity.y, -3, 1e-9);
  }
}

// The middle of a step in joint coordinates is not that of the bodies: there the momentum of a free mechanism is kept to h² only, with or without
// joints that switch (docs/operational.md). The flight of impulse has no such middle, and the fourth order of rk4.
TEST(Switching, a_kept_weld_keeps_momentum_as_well_as_one_that_was_always_there) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    const auto change = [&](double step, bool switched) {
      ModelBuilder builder;
      BodySpec a = rod("a", {}, 0.3, 2), b = rod("b", {0.7, 0.2, 0.1}, -0.8, -1);
      b.angular_velocity = {0.3, -1, 2};
      JointExtras extras;
      if (switched) extras = switching({.attached = false, .attach = {0.02}, .pose = Switching::Pose::keep});
      builder.gravity({}).body(a).body(b).joint(
          {.name = "grip", .kind = JointKind::weld, .between = {"a", "b"}, .anchor = Vec3{}, .extras = extras});
      Options options = way.options;
      options.step = step;
      Simulation sim(builder.build(), options);
      advance(sim, 0.03);
      const Vec3 momentum = sim.body("a").velocity + sim.body("b").velocity;
      advance(sim, 0.5);
      return norm(sim.body("a").velocity + sim.body("b").velocity - momentum);
    };
    for (const bool switched : {false, true}) {
      const double whole = change(1e-3, switched), half = change(5e-4, switched);
      if (way.options.method->coordinates() == Coordinates::reduced && *way.options.method != Method::impulse) {
        EXPECT_NEAR(whole / half, 4, 0.1) << switched;
      } else {
        EXPECT_LT(whole, 1e-11) << switched;
      }
    }
  }
}

TEST(Switching, a_kept_pose_is_the_one_the_bodies_had) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    ModelBuilder builder;
    BodySpec a = rod("a", {}, 0.3, 2), b = rod("b", {0.7, 0.2, 0.1}, -0.8, -1);
    b.angular_velocity = {0.3, -1, 2};
    JointExtras extras = switching({.attached = false, .attach = {0.2}, .pose = Switching::Pose::keep});
    builder.gravity({}).body(a).body(b).joint(
        {.name = "grip", .kind = JointKind::weld, .between = {"a", "b"}, .anchor = Vec3{}, .extras = extras});
    Simulation sim(builder.build(), way.options);
    advance(sim, 0.2);
    const auto relative = [&] {
      const BodyState &x = sim.body("a"), &y = sim.body("b");
      return std::pair(rotate(x.orientation.conjugate(), y.position - x.position),
                       x.orientation.conjugate() * y.orientation);
    };
    const auto [p, q] = relative();
    advance(sim, 0.7);
    const auto [p_end, q_end] = relative();
    EXPECT_NEAR(norm(p_end - p), 0, 1e-9);
    EXPECT_NEAR(norm((q_end * q.conjugate()).vec()), 0, 1e-9);
  }
}

// Half way through, the cubic that starts and ends at rest is half way.
TEST(Switching, a_joint_that_closes_over_a_time_closes_at_that_rate) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    BodySpec ball{.name = "ball", .mass = 2, .inertia = Sym3::diagonal(0.1, 0.1, 0.1), .position = {0.4, 0, 0.3}};
    ModelBuilder builder;
    builder.body(ball).joint({.name = "pull",
                              .kind = JointKind::ball,
                              .between = {"ground", "ball"},
                              .anchors = {{Vec3{}, Vec3{0.4, 0, 0.3}}},
                              .extras = switching({.attached = false, .attach = {0}, .over = 0.4})});
    Simulation sim(builder.build(), way.options);
    advance(sim, 0.2);
    EXPECT_NEAR(norm(sim.body("ball").position - Vec3{0.2, 0, 0.15}), 0, 1e-8);
    EXPECT_NEAR(norm(sim.body("ball").velocity - 1.5 / 0.4 * Vec3{-0.4, 0, -0.3}), 0, 1e-7);
    advance(sim, 0.6);
    EXPECT_NEAR(norm(sim.body("ball").position), 0, 1e-9);
    EXPECT_NEAR(norm(sim.body("ball").velocity), 0, 1e-8);
  }
}

// Held at x = a sin(ωt), z = b sin(2ωt) the point has no freedom left: the joint pushes with m (ẍ, 0, z̈ + g).
TEST(MovingAnchor, carries_a_body_and_pushes_with_what_its_acceleration_takes) {
  constexpr double kA = 0.2, kB = 0.1, kFrequency = 0.8, kMass = 1.5;
  const double w = 2 * std::numbers::pi * kFrequency;
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    JointExtras extras;
    extras.moves.emplace();
    extras.moves->shift[0] = Motion(Sine{kA, kFrequency, 0, 0});
    extras.moves->shift[2] = Motion(Sine{kB, 2 * kFrequency, 0, 0});
    ModelBuilder builder;
    builder.body({.name = "bob", .mass = kMass, .inertia = Sym3::diagonal(0.1, 0.2, 0.3)})
        .joint({.name = "hold",
                .kind = JointKind::ball,
                .between = {"ground", "bob"},
                .anchor = Vec3{},
                .extras = extras});
    Simulation sim(builder.build(), way.options);
    const double t = 0.35;
    advance(sim, t);
    EXPECT_NEAR(norm(sim.body("bob").position - Vec3{kA * std::sin(w * t), 0, kB * std::sin(2 * w * t)}), 0, 1e-9);
    const Vec3 push = sim.joint("hold").reaction().linear;
    EXPECT_NEAR(push.x, -kMass * kA * w * w * std::sin(w * t), 1e-8);
    EXPECT_NEAR(push.z, kMass * (9.81 - 4 * kB * w * w * std::sin(2 * w * t)), 1e-8);
    // What the hand does is all there is: the energy is what it put in, but for the method's own error.
    const Energy energy = sim.energy();
    EXPECT_NEAR(energy.total() - energy.ledger.motors - energy.ledger.projection - energy.ledger.numerical,
                0.5 * kMass * w * w * (kA * kA + 4 * kB * kB), 2e-2);
  }
}

// A table that turns: an orientation that follows a signal. The torque is I α about the axis.
TEST(MovingAnchor, a_frame_that_turns_turns_the_body_welded_to_it) {
  constexpr double kInertia = 0.3, kSwing = 0.7, kFrequency = 0.5;
  const double w = 2 * std::numbers::pi * kFrequency;
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    JointExtras extras;
    extras.moves.emplace();
    extras.moves->angle = Motion(Sine{kSwing, kFrequency, 0, 0});
    ModelBuilder builder;
    builder.gravity({})
        .body({.name = "top", .mass = 1, .inertia = Sym3::diagonal(0.1, 0.2, kInertia)})
        .joint({.name = "table",
                .kind = JointKind::weld,
                .between = {"ground", "top"},
                .anchor = Vec3{},
                .extras = extras});
    Simulation sim(builder.build(), way.options);
    const double t = 0.4;
    advance(sim, t);
    EXPECT_NEAR(log_rotation(sim.body("top").orientation).z, kSwing * std::sin(w * t), 1e-9);
    EXPECT_NEAR(sim.body("top").angular_velocity.z, kSwing * w * std::cos(w * t), 1e-7);
    EXPECT_NEAR(sim.joint("table").reaction().angular.z, -kInertia * kSwing * w * w * std::sin(w * t), 1e-7);
  }
}

// Interaction by a constraint (Bender §5): a hand that moves along x = a sin ωt takes hold of a ball that lies there, carries it and lets it fly.
TEST(MovingAnchor, a_hand_that_moves_takes_hold_of_a_body_carries_it_and_lets_go) {
  constexpr double kA = 0.2, kFrequency = 0.8, kTake = 0.1, kLetGo = 0.4;
  const double w = 2 * std::numbers::pi * kFrequency;
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    JointExtras extras = switching({.attached = false, .attach = {kTake}, .detach = {kLetGo}});
    extras.moves.emplace();
    extras.moves->shift[0] = Motion(Sine{kA, kFrequency, 0, 0});
    const Vec3 at{kA * std::sin(w * kTake), 0, 0};
    ModelBuilder builder;
    builder.gravity({})
        .body({.name = "ball", .mass = 2, .inertia = Sym3::diagonal(0.1, 0.1, 0.1), .position = at})
        .joint({.name = "hand",
                .kind = JointKind::ball,
                .between = {"ground", "ball"},
                .anchors = {{Vec3{}, at}},
                .extras = extras});
    Simulation sim(builder.build(), way.options);
    advance(sim, kTake);
    EXPECT_EQ(sim.body("ball").position, at);
    ASSERT_TRUE(sim.step().ok());
    ASSERT_EQ(sim.joint_events().size(), 1u);
    // The ball is brought to the speed of the hand at once.
    EXPECT_NEAR(sim.joint_events()[0].impulse.linear.x, 2 * kA * w * std::cos(w * kTake), 1e-9);
    advance(sim, 0.3);
    EXPECT_NEAR(sim.body("ball").position.x, kA * std::sin(w * 0.3), 1e-9);
    advance(sim, kLetGo);
    const Vec3 start = sim.body("ball").position, velocity = sim.body("ball").velocity;
    EXPECT_NEAR(velocity.x, kA * w * std::cos(w * kLetGo), 1e-6);
    advance(sim, 0.6);
    EXPECT_NEAR(norm(sim.body("ball").position - start - 0.2 * velocity), 0, 1e-9);
  }
}

TEST(Switching, by_hand_while_the_simulation_runs) {
  Simulation sim(double_pendulum().build(), {.step = 1e-3});
  const std::span<const double> q = sim.q();
  advance(sim, 0.1);
  sim.joint("elbow").detach();
  EXPECT_FALSE(sim.joint("elbow").attached());
  advance(sim, 0.2);
  EXPECT_EQ(sim.q().data(), q.data());
  const double z[] = {0, 0};
  EXPECT_THROW(sim.set_coordinates(z, z), InputError);
  sim.joint("elbow").attach();
  EXPECT_LT(sim.drift().scaled, 1e-12);
  EXPECT_GT(norm(sim.joint_events().back().impulse.linear), 0.01);
  advance(sim, 0.3);
  EXPECT_LT(sim.drift().scaled, 1e-9);
}

TEST(Switching, a_joint_that_cannot_be_closed_says_so_and_leaves_the_state_alone) {
  ModelBuilder builder = pendulum(0.4);
  builder.joint({.name = "far",
                 .kind = JointKind::ball,
                 .between = {"ground", "rod"},
                 .anchors = {{Vec3{5, 0, 0}, Vec3{0.1, 0, -0.2}}},
                 .extras = switching({.attached = false, .attach = {0.05}})});
  Simulation sim(builder.build(), {.step = 1e-2});
  const StepReport report = sim.advance_to(0.2);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.message.find("joint 'far' cannot be attached"), std::string::npos) << report.message;
  EXPECT_NEAR(sim.time(), 0.05, 1e-12);
  EXPECT_FALSE(sim.joint("far").attached());
  EXPECT_THROW(sim.joint("far").attach(), InputError);
}

}  // namespace switching_test
}  // namespace catena
