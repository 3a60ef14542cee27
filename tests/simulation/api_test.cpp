// The front of the library: coordinates as spans, shared models, simulations that move, forces and controllers.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "bench/workloads.h"
#include "catena/eigen.h"
#include "step/step_testing.h"

namespace catena {
namespace api_test {

using namespace testing_step;

constexpr double kG = 9.81;

TEST(Coordinates, of_a_double_pendulum_are_its_angles_in_the_order_of_its_joints) {
  Simulation sim(double_pendulum().build(), {.step = 1e-3});
  ASSERT_EQ(sim.q().size(), 2u);
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(sim.step().ok());
  // The angle of each rod about y, from where its end is.
  const auto angle = [&](const char* name) {
    const Vec3 z = rotate(sim.body(name).orientation, Vec3{0, 0, 1});
    return std::atan2(z.x, z.z);
  };
  const double upper = angle("upper"), lower = angle("lower");
  const Simulation& read = sim;
  EXPECT_NEAR(read.q()[0], upper - 0.9, 1e-12);
  EXPECT_NEAR(std::remainder(read.q()[1] - (lower - upper + 1.3), 2 * M_PI), 0, 1e-12);
  EXPECT_NEAR(read.v()[0], sim.body("upper").angular_velocity.y, 1e-12);
  EXPECT_NEAR(read.v()[1], sim.body("lower").angular_velocity.y - sim.body("upper").angular_velocity.y, 1e-12);
  EXPECT_EQ(read.joint("elbow").q().data(), read.q().data() + 1);
  EXPECT_EQ(read.joint("elbow").position(), read.q()[1]);
}

TEST(Coordinates, of_a_loop_leave_out_one_joint_that_is_read_by_itself) {
  Simulation sim(load(example("four_bar")));
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(sim.step().ok());
  ASSERT_LT(sim.layout().n_q(), sim.layout().all_q());
  // Angles as the bodies have them, whichever joint is left out.
  for (std::size_t j = 0; j < sim.model().joints.size(); ++j) {
    const auto joint = sim.joint(JointId(j));
    ASSERT_EQ(joint.q().size(), 1u);
    EXPECT_EQ(joint.q()[0], joint.position());
    const Joint& made = sim.model().joints[j];
    const auto spin = [&](BodyId body) { return body.valid() ? sim.body(body).angular_velocity : Vec3{}; };
    const Quat frame = made.a.valid() ? sim.body(made.a).orientation * made.frame_a : made.frame_a;
    EXPECT_NEAR(joint.v()[0], dot(rotate(frame, Vec3{0, 0, 1}), spin(made.b) - spin(made.a)), 1e-10);
  }
}

TEST(Coordinates, of_floating_bodies_are_position_and_quaternion) {
  ModelBuilder builder;
  builder.body(rod("free", {1, 2, 3}, 0.4, 0.7)).body(rod("held", {}, 0.2)).joint(hinge("pivot", "ground", "held", {}));
  Simulation sim(builder.build());
  for (int i = 0; i < 20; ++i) sim.step();
  ASSERT_EQ(sim.q().size(), 8u);
  ASSERT_EQ(sim.v().size(), 7u);
  const BodyState& free = sim.body("free");
  EXPECT_EQ(sim.q()[2], free.position.z);
  EXPECT_EQ(sim.q()[3], free.orientation.w);
  EXPECT_EQ(sim.v()[4], free.angular_velocity.y);
  EXPECT_EQ(sim.joint("pivot").q().data(), sim.q().data() + 7);
}

TEST(Coordinates, that_are_set_are_read_back_and_loops_are_closed) {
  Simulation sim(double_pendulum().build());
  const double q[] = {7.0, -0.4}, v[] = {0.3, 2};
  sim.set_coordinates(q, v);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(sim.q()[i], q[i], 1e-12);
    EXPECT_NEAR(sim.v()[i], v[i], 1e-12);
  }
  EXPECT_LT(sim.drift().scaled, 1e-12);

  Simulation loop(load(example("four_bar")));
  std::vector<double> start(loop.q().begin(), loop.q().end()), rates(loop.v().size(), 0.0);
  start[0] += 0.02;
  loop.set_coordinates(start, rates);
  EXPECT_LT(loop.drift().scaled, 1e-12);
  EXPECT_NE(loop.q()[1], start[1]);  // it had to give way
}

TEST(Coordinates, stay_where_they_are_and_are_the_same_when_read_again) {
  Simulation sim(double_pendulum().build(), {.method = Method::impulse});
  const std::span<const double> q = sim.q();
  const double before = q[0];
  sim.step();
  EXPECT_EQ(q[0], before);  // shown anew by sync()
  sim.sync();
  EXPECT_NE(q[0], before);
  EXPECT_EQ(sim.q().data(), q.data());
}

TEST(Simulation, reading_changes_nothing) {
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    const BuiltModel built = double_pendulum().build();
    Simulation alone(built, {.method = method}), watched(built, {.method = method});
    for (int i = 0; i < 100; ++i) {
      alone.step();
      watched.step();
      const Simulation& read = watched;
      (void)read.q()[0];
      (void)read.joint("elbow").velocity();
      (void)read.joint("elbow").reaction();
      (void)read.energy();
      (void)read.drift();
    }
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(alone.state().bodies[i].position, watched.state().bodies[i].position);
      EXPECT_EQ(alone.state().bodies[i].angular_velocity, watched.state().bodies[i].angular_velocity);
    }
  }
}

TEST(Simulation, moves_and_shares_its_model) {
  const BuiltModel built = double_pendulum().build();
  const auto model = std::make_shared<const Model>(built.model);
  std::vector<Simulation> worlds;
  for (int i = 0; i < 20; ++i) worlds.emplace_back(model, built.initial);
  EXPECT_GE(model.use_count(), 21);
  auto elbow = worlds[3].joint("elbow");
  Simulation taken = std::move(worlds[3]);
  elbow.set_torque(1);
  for (int i = 0; i < 50; ++i) {
    taken.step();
    worlds[4].step();
  }
  EXPECT_EQ(&taken.model(), &worlds[4].model());
  EXPECT_NE(taken.q()[1], worlds[4].q()[1]);
  EXPECT_EQ(elbow.position(), taken.q()[1]);
}

TEST(Simulation, runs_beside_others_in_threads_with_the_same_bits) {
  const BuiltModel built = double_pendulum().build();
  const auto model = std::make_shared<const Model>(built.model);
  std::vector<Simulation> worlds;
  for (int i = 0; i < 8; ++i) worlds.emplace_back(model, built.initial);
  std::vector<std::thread> crew;
  for (Simulation& world : worlds)
    crew.emplace_back([&world] {
      for (int i = 0; i < 200; ++i) world.step();
    });
  for (std::thread& thread : crew) thread.join();
  for (const Simulation& world : worlds)
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ(world.state().bodies[i].position, worlds[0].state().bodies[i].position);
}

// M v̇ = τ for one hinge: the angular acceleration about the pivot is τ / (I + m l²) beside gravity's.
TEST(Forces, tau_of_every_method_accelerates_the_joint) {
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    Simulation sim(pendulum(0).build(), {.method = method, .step = 1e-4});
    sim.tau()[0] = 0.5;
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(sim.step().ok());
    EXPECT_NEAR(sim.v()[0] / sim.time(), 0.5 / (1.0 / 12 + 0.25), 1e-4);
    sim.clear_forces();
    EXPECT_EQ(sim.tau()[0], 0);
  }
}

TEST(Forces, tau_of_a_floating_body_is_a_force_and_a_torque) {
  ModelBuilder builder;
  builder.body(rod("free", {}, 0)).gravity({});
  Simulation sim(builder.build(), {.step = 1e-3});
  as_eigen(sim.tau()) << 1, 2, 3, 0, 0.4, 0;
  ASSERT_TRUE(sim.advance_to(0.1).ok());
  EXPECT_NEAR(sim.body("free").velocity.z, 0.3, 1e-12);
  EXPECT_NEAR(sim.body("free").angular_velocity.y, 0.1 * 0.4 * 12, 1e-12);
}

TEST(Forces, at_a_point_turn_the_body) {
  ModelBuilder builder;
  builder.body(rod("free", {}, 0)).gravity({});
  Simulation sim(builder.build(), {.step = 1e-5});
  sim.add_force_at(BodyId{0}, {2, 0, 0}, {0, 0, 0.25});
  ASSERT_TRUE(sim.advance_to(1e-3).ok());
  EXPECT_NEAR(sim.body("free").velocity.x, 2e-3, 1e-12);
  EXPECT_NEAR(sim.body("free").angular_velocity.y, 2 * 0.25 * 12 * 1e-3, 1e-9);
  EXPECT_NEAR(sim.energy().ledger.external, sim.energy().kinetic, 1e-12);
}

TEST(Forces, ctrl_is_added_to_the_set_point_of_an_actuator) {
  ModelBuilder builder = pendulum(0);
  builder.actuator({.joint = "pivot", .kind = Actuator::Kind::torque, .signal = Constant{0.2}});
  Simulation sim(builder.build(), {.step = 1e-4});
  ASSERT_EQ(sim.ctrl().size(), 1u);
  sim.ctrl()[0] = 0.3;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(sim.step().ok());
  EXPECT_NEAR(sim.v()[0] / sim.time(), 0.5 / (1.0 / 12 + 0.25), 1e-4);
}

// A pendulum held up by its controller stays: τ = −m g l sin q.
TEST(Controller, is_called_before_every_step) {
  Simulation sim(pendulum(1.0).build(), {.step = 1e-3});
  int calls = 0;
  sim.on_step([&](Simulation& s) {
    ++calls;
    s.tau()[0] = kG * 0.5 * std::sin(1.0 + s.q()[0]);
  });
  ASSERT_TRUE(sim.advance_to(0.5).ok());
  EXPECT_EQ(calls, 500);
  EXPECT_NEAR(sim.q()[0], 0, 1e-9);
}

TEST(Names, are_found_and_so_is_the_state_of_a_thousand_joints) {
  Simulation sim(workloads::peer_chain(1000), {.step = 1e-4});
  ASSERT_TRUE(sim.step().ok());
  const std::string& last = sim.model().joints.back().name;
  EXPECT_EQ(sim.joint_id(last), JointId(sim.model().joints.size() - 1));
  for (std::size_t j = 0; j < sim.model().joints.size(); ++j)
    EXPECT_EQ(sim.joint(JointId(j)).velocity(), sim.v()[static_cast<std::size_t>(sim.layout().of(JointId(j)).v)]);
}

}  // namespace api_test
}  // namespace catena
