// Jain's two experiments with joints that come and go: a wheel that leaves its hub, a tool handed from one arm to the other. In every method,
// with the books of momentum and energy.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "step/step_testing.h"

namespace catena {
namespace jain_experiments_test {

using namespace testing_step;

struct Way {
  const char* name;
  Options options;
  bool keeps_momentum = true;  // joint coordinates keep it to the order of the step only
};

const Way kWays[] = {
    {"lagrange", {.method = Method::lagrange, .step = 1e-3}},
    {"impulse", {.method = Impulse{.position_tolerance = 1e-12, .velocity_tolerance = 1e-12}, .step = 1e-3}},
    {"spook", {.method = Method::spook, .step = 1e-3}},
    {"spook, reduced", {.method = Spook{.coordinates = Coordinates::reduced}, .step = 1e-3}, false},
    {"operational", {.method = Operational{.coordinates = Coordinates::reduced}, .step = 1e-3}, false},
    {"operational, maximal", {.method = Operational{.coordinates = Coordinates::maximal}, .step = 1e-3}}};

double booked(const Ledger& l) {
  return l.motors + l.actuators + l.external + l.damping + l.contacts + l.projection + l.numerical;
}

struct Momentum {
  Vec3 linear{}, angular{};  // about the origin
};

Momentum momentum_of(const Simulation& sim) {
  Momentum out;
  for (std::size_t i = 0; i < sim.model().bodies.size(); ++i) {
    const Body& body = sim.model().bodies[i];
    const BodyState& s = sim.state().bodies[i];
    const Vec3 p = body.mass * s.velocity;
    out.linear += p;
    out.angular += cross(s.position, p) + congruence(to_matrix(s.orientation), body.inertia) * s.angular_velocity;
  }
  return out;
}

// ½ Δvᵀ M Δv.
double kinetic_difference(const Simulation& sim, const State& before) {
  double sum = 0;
  for (std::size_t i = 0; i < sim.model().bodies.size(); ++i) {
    const Body& body = sim.model().bodies[i];
    const BodyState &a = before.bodies[i], &b = sim.state().bodies[i];
    const Vec3 dv = b.velocity - a.velocity, dw = b.angular_velocity - a.angular_velocity;
    sum += 0.5 * (body.mass * dot(dv, dv) + dot(dw, congruence(to_matrix(a.orientation), body.inertia) * dw));
  }
  return sum;
}

// On its hub the wheel rolls as the cart goes; let go it rolls on at 1.5 m/s = ω r while the cart brakes, and nothing it does costs energy.
TEST(JainExperiments, a_wheel_that_leaves_its_hub_rolls_on) {
  const Scene scene = load(example("wheel_off_hub"));
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(scene, way.options);
    const double start = sim.energy().total();
    advance(sim, 1);
    EXPECT_TRUE(sim.joint("hub").attached());
    EXPECT_NEAR(sim.body("wheel").position.x - sim.body("cart").position.x, 0.65, 1e-8);
    const BodyState held = sim.body("wheel");
    ASSERT_TRUE(sim.step().ok());
    ASSERT_EQ(sim.joint_events().size(), 1u);
    EXPECT_FALSE(sim.joint_events()[0].attached);
    EXPECT_EQ(norm(sim.joint_events()[0].impulse.linear), 0);
    EXPECT_FALSE(sim.joint("hub").attached());
    // Letting go is no impulse: in a step the velocity changes by what forces do in a millisecond.
    EXPECT_NEAR(norm(sim.body("wheel").velocity - held.velocity), 0, 1e-3);
    advance(sim, 2);
    EXPECT_NEAR(sim.body("cart").velocity.x, 0, 1e-8);
    EXPECT_NEAR(sim.body("wheel").velocity.x, 1.5, 2e-3);
    EXPECT_NEAR(sim.body("wheel").angular_velocity.y * 0.2, sim.body("wheel").velocity.x, 2e-3);
    EXPECT_NEAR(sim.body("wheel").position.x, 0.65 + 1.5 * 2, 5e-3);
    EXPECT_NEAR(sim.body("wheel").position.z, 0.2, 1e-5);
    const Energy energy = sim.energy();
    EXPECT_NEAR(energy.total() - start - booked(energy.ledger), 0, 1e-5 * start);
  }
}

// The right hand takes hold of a tool that moves: a plastic impact. What it takes is, after Carnot, the kinetic energy of the velocities lost,
// ½ Δvᵀ M Δv, and that is what the books have under contacts. All methods find the same impulse.
TEST(JainExperiments, taking_hold_of_a_tool_loses_the_kinetic_energy_of_the_velocities_lost) {
  Scene scene = load(example("tool_handover"));
  std::vector<double> impulses;
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(scene, way.options);
    const double start = sim.energy().total();
    advance(sim, 0.6);  // on its way back, at speed
    const State before = sim.state();
    const double kinetic = sim.energy().kinetic, contacts = sim.energy().ledger.contacts;
    sim.joint("right_hand").attach();
    const double lost = kinetic - sim.energy().kinetic;
    EXPECT_GT(lost, 1e-2);
    EXPECT_NEAR(lost, kinetic_difference(sim, before), 1e-9 * kinetic);
    EXPECT_NEAR(sim.energy().ledger.contacts - contacts, -lost, 1e-9 * kinetic);
    EXPECT_LT(sim.drift().scaled, 1e-9);
    impulses.push_back(norm(sim.joint_events().back().impulse.linear));
    EXPECT_NEAR(impulses.back(), impulses.front(), 2e-3 * impulses.front());
    advance(sim, 0.7);
    EXPECT_LT(sim.drift().scaled, 1e-6);
    sim.joint("left_hand").detach();
    advance(sim, 1);
    const Energy energy = sim.energy();
    EXPECT_NEAR(energy.total() - start - booked(energy.ledger), 0, 1e-3 * std::abs(start));
  }
}

// As the scene has it: both hold it between 1.5 s and 1.6 s, then the right arm carries it away.
TEST(JainExperiments, a_tool_goes_from_the_left_hand_to_the_right) {
  const Scene scene = load(example("tool_handover"));
  std::vector<Vec3> ends;
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(scene, way.options);
    advance(sim, 1.55);
    EXPECT_TRUE(sim.joint("left_hand").attached());
    EXPECT_TRUE(sim.joint("right_hand").attached());
    advance(sim, 2.5);
    EXPECT_FALSE(sim.joint("left_hand").attached());
    EXPECT_TRUE(sim.joint("right_hand").attached());
    EXPECT_LT(sim.drift().scaled, 1e-6);
    ends.push_back(sim.body("tool").position);
    EXPECT_NEAR(norm(ends.back() - ends.front()), 0, 1e-3);
  }
}

// Two floating arms of two links, no gravity: the tool goes from the first to the second. Hands take hold and let go by inner forces alone.
ModelBuilder floating_arms() {
  ModelBuilder builder;
  const auto link = [&](const std::string& name, const Vec3& at, const Vec3& velocity, const Vec3& spin) {
    BodySpec body;
    body.name = name;
    body.mass = 1.2;
    body.inertia = Sym3::diagonal(0.02, 0.05, 0.06);
    body.position = at;
    body.velocity = velocity;
    body.angular_velocity = spin;
    builder.body(body);
  };
  builder.gravity({});
  link("left_base", {-0.6, 0, 0}, {0.1, 0.2, 0}, {0.3, 0.1, 0.5});
  link("left_arm", {-0.2, 0, 0}, {0.1, 0.3, 0}, {0.1, -0.2, 0.8});
  link("right_base", {0.6, 0, 0}, {-0.1, 0.1, 0.2}, {0, 0.4, -0.3});
  link("right_arm", {0.2, 0, 0}, {-0.2, 0, 0.1}, {0.2, 0.3, -0.5});
  link("tool", {0, 0, 0}, {0.1, 0.4, 0}, {0.1, -0.2, 0.8});
  const auto join = [&](const char* name, JointKind kind, const char* a, const char* b, const Vec3& at,
                        const std::optional<Switching>& switching) {
    JointSpec joint{.name = name, .kind = kind, .between = {a, b}, .anchor = at};
    joint.extras.switching = switching;
    builder.joint(joint);
  };
  join("left_elbow", JointKind::ball, "left_base", "left_arm", {-0.4, 0, 0}, {});
  join("right_elbow", JointKind::ball, "right_base", "right_arm", {0.4, 0, 0}, {});
  join("left_hand", JointKind::weld, "left_arm", "tool", {-0.05, 0, 0}, Switching{.detach = {0.3}});
  join("right_hand", JointKind::weld, "right_arm", "tool", {0.05, 0, 0},
       Switching{.attached = false, .attach = {0.2}, .pose = Switching::Pose::keep});
  return builder;
}

TEST(JainExperiments, handing_over_keeps_momentum_and_its_moment) {
  const BuiltModel built = floating_arms().build();
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    const auto worst = [&](double step) {
      Options options = way.options;
      options.step = step;
      Simulation sim(built, options);
      const Momentum start = momentum_of(sim);
      double most = 0, contacts = 0;
      for (const double t : {0.1, 0.21, 0.25, 0.31, 0.5}) {
        advance(sim, t);
        const Momentum now = momentum_of(sim);
        most = std::max({most, norm(now.linear - start.linear), norm(now.angular - start.angular)});
        contacts = sim.energy().ledger.contacts;
      }
      EXPECT_LT(contacts, -1e-3);  // taking hold was an impact
      return most;
    };
    const double at_1ms = worst(1e-3);
    EXPECT_LT(at_1ms, way.keeps_momentum ? 1e-9 : 1e-5);
    if (!way.keeps_momentum) {
      EXPECT_LT(worst(5e-4), 0.3 * at_1ms);
    }
  }
}

}  // namespace jain_experiments_test
}  // namespace catena
