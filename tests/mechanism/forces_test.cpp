// Where the joules go: what forces do is what their sources say and what potentials lose.
#include "catena/mechanism/forces.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/mechanism_testing.h"

namespace catena {
namespace forces_test {

using namespace testing_mechanism;

struct Pushed {
  Scene scene;
  State state;
  Kinematics kinematics;
  JointCoordinates coordinates;
  Forces forces;

  explicit Pushed(std::uint64_t seed, int bodies = 7, int loops = 1)
      : scene(pushed_linkage(seed, bodies, loops)),
        state(scene.initial),
        kinematics(updated(scene.model, state)),
        coordinates(scene.model, kinematics),
        forces(scene.model) {
    state.time = 0.3;
  }
  static Kinematics updated(const Model& model, const State& state) {
    Kinematics kinematics(model);
    kinematics.update(model, state);
    return kinematics;
  }
  const Model& model() const { return scene.model; }
  std::vector<BodyVector> external(Powers& powers, JointLoads* loads = nullptr) const {
    std::vector<BodyVector> f(model().bodies.size());
    forces.external(model(), kinematics, coordinates, f, powers, loads);
    return f;
  }
  double potential_after(double t) {
    const State then = moved(model(), state, t);
    kinematics.update(model(), then);
    const double energy = forces.potential(model(), kinematics, coordinates);
    kinematics.update(model(), state);
    return energy;
  }
  void push_by_hand() {
    forces.user_forces = true;
    for (std::size_t j = 0; j < model().joints.size(); ++j)
      for (std::size_t k = 0; k < 2; ++k) forces.joint_force[j][k] = 0.7 + 0.1 * static_cast<double>(j + k);
    for (std::size_t i = 0; i < model().bodies.size(); ++i) {
      const double x = 0.2 * static_cast<double>(i);
      forces.body_force[i] = {{1 + x, -0.5, 0.3 - x}, {0.2, x, -0.7}, 0};
      forces.point_forces.push_back({BodyId(i), {0.4, x, -1}, {0.1, -0.2, 0.3}});
    }
  }
};

// f·v = actuators + external + damping − dV/dt. Rates are of order one: the differences are good to 1e-10 of powers of tens of watts.
TEST(Forces, their_power_is_that_of_their_sources_less_what_potentials_gain) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Pushed at(seed);
    if (seed % 2 == 0) at.push_by_hand();
    Powers powers;
    const std::vector<BodyVector> f = at.external(powers);
    EXPECT_LT(powers.damping, -1e-3);
    EXPECT_GT(std::abs(powers.actuators), 1e-3);
    EXPECT_GT(std::abs(powers.external), 1e-3);
    const double gained = rate_at_zero([&](double t) { return at.potential_after(t); });
    const double power = times(f, at.state);
    EXPECT_NEAR(power, powers.actuators + powers.external + powers.damping - gained, 1e-7 * (1 + std::abs(power)));
  }
}

TEST(Forces, springs_between_bodies_and_along_joints_leave_their_momentum_and_spin_alone) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Pushed at(seed, 6, 1);
    Model& model = at.scene.model;
    model.gravity = {};
    model.forces.clear();
    std::erase_if(model.springs, [](const Spring& spring) { return !spring.b.valid(); });
    const auto on_ground = [&](const Joint& joint) { return !joint.a.valid() || !joint.b.valid(); };
    std::erase_if(model.actuators, [&](const Actuator& servo) { return on_ground(model.joints[servo.joint]); });
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      if (on_ground(model.joints[j])) extras_of(model, j).stiffness = extras_of(model, j).damping = 0;
    at.forces = Forces(model);  // of the model as it is now
    Vec3 force{}, moment{};
    Powers powers;
    const std::vector<BodyVector> f = at.external(powers);
    for (std::size_t i = 0; i < f.size(); ++i) {
      force += f[i].linear;
      moment += f[i].angular + cross(at.state.bodies[i].position, f[i].linear);
    }
    EXPECT_GT(size_of(f), 10);
    EXPECT_LE(norm(force), 1e-13 * size_of(f));
    EXPECT_LE(norm(moment), 1e-12 * size_of(f));
  }
}

// What a mechanism that steps in joint coordinates is told instead: f·v + τ·θ̇ is the same power, and no body is pushed twice.
TEST(Forces, loads_along_coordinates_do_the_work_of_the_pushes_they_stand_for) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Pushed at(seed, 7, 0);
    at.push_by_hand();
    JointLoads loads;
    std::vector<double> rates;
    for (std::size_t j = 0; j < at.model().joints.size(); ++j) {
      const Joint& joint = at.model().joints[j];
      // A ball's coordinates are no integral of its rates; of the others every second steps by itself.
      const bool has = joint.kind != JointKind::ball && coordinate_count(joint) > 0 && j % 2 == 0;
      loads.first.push_back(has ? static_cast<int>(rates.size()) : -1);
      if (!has) continue;
      for (const Row& row : at.coordinates.evaluate(at.model(), at.kinematics, JointId(j)))
        rates.push_back(rate(at.kinematics, joint, row));
    }
    if (rates.empty()) continue;
    loads.rates = rates;
    loads.tau.resize(rates.size());
    Powers pushed, loaded;
    const std::vector<BodyVector> all = at.external(pushed), rest = at.external(loaded, &loads);
    double power = times(rest, at.state);
    for (std::size_t k = 0; k < rates.size(); ++k) power += loads.tau[k] * rates[k];
    EXPECT_NEAR(power, times(all, at.state), 1e-12 * (1 + std::abs(power)));
    EXPECT_GT(size_of(difference(all, rest)), 1e-3);
    EXPECT_NEAR(loaded.actuators, pushed.actuators, 1e-12);
    EXPECT_NEAR(loaded.damping, pushed.damping, 1e-12);
    EXPECT_NEAR(loaded.external, pushed.external, 1e-12);
  }
}

// Over a step in which nothing changes the books have the powers, times its length: servos' are impedance.h's to book.
TEST(Forces, the_ledger_gets_the_work_of_loads_and_of_what_the_user_pushes_with) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Pushed at(seed, 6, 0);
    at.push_by_hand();
    at.scene.model.actuators.clear();
    at.scene.model.springs.clear();
    Powers powers;
    at.external(powers);
    const std::vector<BodyVector> v = velocities_of(at.state);
    State booked = at.state;
    at.forces.book(at.model(), at.kinematics, at.coordinates, 0.01, v, v, JointLoads{}, {}, booked.ledger);
    EXPECT_NEAR(booked.ledger.external, 0.01 * powers.external, 1e-14);
    EXPECT_NEAR(booked.ledger.actuators, 0.01 * powers.actuators, 1e-14);
  }
}

TEST(Forces, no_force_acts_on_bodies_that_sleep) {
  Pushed at(3);
  at.forces.asleep.assign(at.model().bodies.size(), 0);
  at.forces.asleep[2] = 1;
  Powers powers;
  const std::vector<BodyVector> f = at.external(powers);
  EXPECT_EQ(dot(f[2], f[2]), 0);
  EXPECT_GT(dot(f[1], f[1]), 0);
}

TEST(Forces, they_are_constant_only_where_nothing_but_weight_acts) {
  const Scene plain = workloads::random_linkage(4, 5, 0);
  EXPECT_TRUE(Forces(plain.model).constant(plain.model, 0, 10));
  Model loaded = plain.model;
  loaded.forces.push_back({.body = BodyId(1), .force = {1, 2, 3}, .from = 2, .until = 3});
  const Forces forces(loaded);
  EXPECT_TRUE(forces.constant(loaded, 0, 2)) << "it begins at the end";
  EXPECT_FALSE(forces.constant(loaded, 1.9, 2.1));
  EXPECT_FALSE(forces.constant(loaded, 2.1, 2.2)) << "it may be fixed in a body that turns";
  EXPECT_TRUE(forces.constant(loaded, 3, 4));
  EXPECT_EQ(forces.kinks(), (std::vector<double>{2, 3}));
}

}  // namespace forces_test
}  // namespace catena
