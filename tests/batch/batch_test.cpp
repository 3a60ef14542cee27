// A batch is its worlds, each a simulation of its own, whatever the number of threads.
#include "catena/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace catena {
namespace batch_test {

// Two rods on a ball and a hinge that fall against a wall; a four-bar linkage turned by a motor; a servo.
constexpr const char* kScene = R"(
catena: 1
name: rods against a wall, and a loop
simulate: {step: 2e-3}
bodies:
  high: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.3, 0, -0.4]}
  low: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.9, 0, -0.8], shapes: [{sphere: 0.1}]}
  crank: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [3, 0, 0.25]}
  coupler: {mass: 1, inertia: [0.1, 0.1, 0.001], position: [3.5, 0, 0.5]}
  rocker: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [4, 0, 0.25]}
ground: {shapes: [{plane: {normal: [1, 0, 0], offset: 0.7}}]}
joints:
  shoulder: {kind: hinge, between: [ground, high], anchor: [0, 0, 0], axis: [0, 1, 0], damping: 0.02}
  elbow: {kind: ball, between: [high, low], anchor: [0.6, 0, -0.8]}
  base: {kind: hinge, between: [ground, crank], anchor: [3, 0, 0], axis: [0, 1, 0]}
  left: {kind: hinge, between: [crank, coupler], anchor: [3, 0, 0.5], axis: [0, 1, 0]}
  right: {kind: hinge, between: [coupler, rocker], anchor: [4, 0, 0.5], axis: [0, 1, 0]}
  post: {kind: hinge, between: [rocker, ground], anchor: [4, 0, 0], axis: [0, 1, 0]}
actuators:
  - {joint: base, kind: position, kp: 20, kv: 2, signal: {constant: 0}}
collide: {pairs: {exclude: [[low, crank]]}}
)";

const std::vector<Method> kMethods{Method::lagrange, Method::impulse, Method::spook, Method::operational};

std::vector<std::uint64_t> bits(std::span<const double> numbers) {
  std::vector<std::uint64_t> out;
  for (const double x : numbers) out.push_back(std::bit_cast<std::uint64_t>(x));
  return out;
}

std::vector<std::uint64_t> bits(const State& state) {
  std::vector<double> all{state.time};
  for (const BodyState& b : state.bodies)
    for (const double x :
         {b.position.x, b.position.y, b.position.z, b.orientation.w, b.orientation.x, b.orientation.y, b.orientation.z,
          b.velocity.x, b.velocity.y, b.velocity.z, b.angular_velocity.x, b.angular_velocity.y, b.angular_velocity.z})
      all.push_back(x);
  for (const WarmImpulse& w : state.impulses) all.insert(all.end(), w.z.begin(), w.z.end());
  return bits(all);
}

// Another push and another set-point in every world; world 0 has neither.
double push(std::size_t world, std::size_t k) { return 0.3 * static_cast<double>(world) * std::cos(1.0 + double(k)); }
double target(std::size_t world) { return 0.05 * static_cast<double>(world); }

void drive(Batch& batch) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (std::size_t k = 0; k < batch.n_v(); ++k) batch.tau()[i * batch.n_v() + k] = push(i, k);
    for (std::size_t k = 0; k < batch.n_u(); ++k) batch.ctrl()[i * batch.n_u() + k] = target(i);
  }
}

TEST(Batch, EveryMethodMovesEveryWorldAsASimulationOfItsOwnForAnyNumberOfThreads) {
  constexpr std::size_t kWorlds = 7;
  const Scene scene = load_text(kScene);
  for (const Method method : kMethods) {
    SCOPED_TRACE(static_cast<int>(method));
    const Options options{.method = method};
    std::vector<std::vector<std::uint64_t>> alone;
    std::vector<double> residual;  // of the last 300 steps
    int contacts = 0;
    for (std::size_t i = 0; i < kWorlds; ++i) {
      Simulation sim(scene, options);
      for (std::size_t k = 0; i > 0 && k < sim.v().size(); ++k) sim.tau()[k] = push(i, k);
      sim.ctrl()[0] = target(i);
      residual.push_back(0);
      for (int step = 0; step < 400; ++step) {
        const StepReport report = sim.step();
        if (step >= 100) residual.back() = std::max(residual.back(), report.residual);
        ASSERT_TRUE(report.ok()) << report.message;
        contacts += report.contacts;
      }
      alone.push_back(bits(sim.state()));
    }
    EXPECT_GT(contacts, 0);
    for (const int threads : {1, 2, 5}) {
      Batch batch(scene, kWorlds, options, threads);
      EXPECT_EQ(batch.threads(), threads);
      drive(batch);
      for (const long count : {1, 2, 97, 300}) batch.step(count);
      for (std::size_t i = 0; i < kWorlds; ++i) {
        EXPECT_EQ(bits(batch.state(i)), alone[i]) << "world " << i << ", " << threads << " threads";
        EXPECT_EQ(batch.status()[i], Status::ok);
        EXPECT_EQ(batch.residual()[i], residual[i]);
      }
    }
  }
}

// Boxes that fall asleep, and one world in which a push keeps or wakes them.
TEST(Batch, WorldsSleepAsTheirSimulationsDo) {
  const Scene scene = load_text(R"(
simulate: {step: 2e-3, sleep: yes}
ground: {shapes: [{plane: {}}]}
bodies:
  lower: {density: 1000, position: [0, 0, 0.0501], shapes: [{box: [0.1, 0.1, 0.1]}]}
  upper: {density: 1000, position: [0, 0, 0.1502], shapes: [{box: [0.1, 0.1, 0.1]}]}
  arm: {mass: 1, inertia: [0.02, 0.02, 0.001], position: [2, 0, 0.75]}
joints:
  hip: {kind: hinge, between: [ground, arm], anchor: [2, 0, 1], axis: [0, 1, 0], friction: 1}
)");
  constexpr std::size_t kWorlds = 3;
  for (const Method method : kMethods) {
    SCOPED_TRACE(static_cast<int>(method));
    Batch batch(scene, kWorlds, {.method = method}, 2);
    std::vector<Simulation> alone;
    for (std::size_t i = 0; i < kWorlds; ++i) alone.emplace_back(scene, Options{.method = method});
    int most = 0, least = 3;
    for (int step = 0; step < 900; ++step) {
      // World 1 pushes its arm after a second, world 2 all the time.
      for (std::size_t i = 0; i < kWorlds; ++i) {
        const double torque = i == 2 ? 2 * std::cos(0.01 * step) : i == 1 && step > 500 ? 3 : 0;
        alone[i].tau().back() = torque;
        batch.tau()[(i + 1) * batch.n_v() - 1] = torque;
        const StepReport report = alone[i].step();
        ASSERT_TRUE(report.ok()) << report.message;
        if (i == 1 && step > 400) most = std::max(most, report.asleep), least = std::min(least, report.asleep);
      }
      batch.step(1);
    }
    EXPECT_EQ(most, 3);
    EXPECT_LT(least, 3);
    for (std::size_t i = 0; i < kWorlds; ++i) EXPECT_EQ(bits(batch.state(i)), bits(alone[i].state())) << i;
  }
}

TEST(Batch, TenThousandStepsAreTheSameBitsForOneThreadAndForFour) {
  const Scene scene = load_text(R"({catena: 1, simulate: {step: 2e-3},
    bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.5, 0, 0], shapes: [{sphere: 0.1}]},
             bob: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [1, 0, 0.2], shapes: [{sphere: 0.1}]}},
    ground: {shapes: [{plane: {normal: [0, 0, 1], offset: -0.6}}]},
    joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]},
             end: {kind: ball, between: [rod, bob], anchor: [1, 0, 0]}}})");
  for (const Method method : kMethods) {
    SCOPED_TRACE(static_cast<int>(method));
    Batch one(scene, 3, {.method = method}, 1), four(scene, 3, {.method = method}, 4);
    std::vector<double> spin(3 * one.n_v());
    for (std::size_t k = 0; k < spin.size(); ++k) spin[k] = 0.1 * static_cast<double>(k);
    for (Batch* batch : {&one, &four}) batch->reset({}, std::vector(one.q().begin(), one.q().end()), spin);
    one.step(10000);
    for (int i = 0; i < 100; ++i) four.step(100);
    EXPECT_EQ(bits(one.q()), bits(four.q()));
    EXPECT_EQ(bits(one.v()), bits(four.v()));
    EXPECT_EQ(std::vector(one.status().begin(), one.status().end()),
              std::vector(four.status().begin(), four.status().end()));
    EXPECT_THAT(one.status(), testing::Each(Status::ok));
    EXPECT_NEAR(one.time()[0], 20, 1e-9);
  }
}

TEST(Batch, OtherWorldsAndTheirOrderChangeNothing) {
  const Scene scene = load_text(kScene);
  Batch many(scene, 9, {.method = Method::operational}, 2), single(scene, 1, {.method = Method::operational});
  drive(many);
  for (std::size_t k = 0; k < single.n_v(); ++k) single.tau()[k] = push(4, k);
  single.ctrl()[0] = target(4);
  many.step(200);
  single.step(200);
  EXPECT_EQ(bits(many.q().subspan(4 * many.n_q(), many.n_q())), bits(single.q()));
  EXPECT_NE(bits(many.q().subspan(3 * many.n_q(), many.n_q())), bits(single.q()));
}

TEST(Batch, AWorldThatFailsIsARowWithAStatusAndTheOthersGoOn) {
  const Scene scene = load_text(kScene);
  Batch batch(scene, 4, {.method = Method::spook}, 2);
  batch.step(10);
  batch.tau()[1 * batch.n_v()] = std::nan("");
  batch.tau()[2 * batch.n_v()] = 1e300;
  const State before = batch.state(1);
  batch.step(10);
  EXPECT_EQ(batch.status()[0], Status::ok);
  EXPECT_EQ(batch.status()[1], Status::diverged);
  EXPECT_NE(batch.status()[2], Status::ok);
  EXPECT_EQ(batch.status()[3], Status::ok);
  EXPECT_THAT(batch.message(1), testing::HasSubstr("tau[0]"));
  EXPECT_FALSE(batch.message(2).empty());
  EXPECT_EQ(bits(batch.state(1)), bits(before));
  EXPECT_NEAR(batch.time()[3], 0.04, 1e-12);
  EXPECT_NEAR(batch.time()[1], 0.02, 1e-12);
  EXPECT_EQ(bits(batch.q().subspan(0, batch.n_q())), bits(batch.q().subspan(3 * batch.n_q())));

  const std::vector<unsigned char> mask{0, 1, 1, 0};
  batch.reset(mask);
  EXPECT_THAT(batch.status(), testing::Each(Status::ok));
  EXPECT_EQ(batch.tau()[1 * batch.n_v()], 0);
  batch.step(20);
  const std::vector<unsigned char> rest{1, 0, 0, 1};
  batch.reset(rest);
  batch.step(0);
  Batch fresh(scene, 1, {.method = Method::spook});
  fresh.step(20);
  EXPECT_EQ(bits(batch.state(1)), bits(fresh.state(0)));
}

TEST(Batch, ARolloutIsTheStepsOneByOne) {
  const Scene scene = load_text(kScene);
  Batch batch(scene, 3, {.method = Method::operational}, 2), stepped(scene, 3, {.method = Method::operational});
  constexpr std::size_t kSteps = 50;
  const std::size_t width = batch.n_state();
  std::vector<double> states, ctrl(3 * kSteps), tau(3 * kSteps * batch.n_v());
  for (std::size_t i = 0; i < 3; ++i) {
    states.push_back(0.5);
    const auto q = batch.q().subspan(i * batch.n_q(), batch.n_q());
    states.insert(states.end(), q.begin(), q.end());
    for (std::size_t k = 0; k < batch.n_v(); ++k) states.push_back(k == 0 ? 0.1 * static_cast<double>(i) : 0);
  }
  for (std::size_t k = 0; k < ctrl.size(); ++k) ctrl[k] = std::sin(0.1 * static_cast<double>(k));
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] = std::cos(0.1 * static_cast<double>(k));
  std::vector<double> out(3 * kSteps * width);
  batch.rollout({.steps = kSteps, .states = states, .ctrl = ctrl, .tau = tau}, out);

  std::vector<double> q, v;
  for (std::size_t i = 0; i < 3; ++i) {
    const double* row = states.data() + i * width;
    q.insert(q.end(), row + 1, row + 1 + batch.n_q());
    v.insert(v.end(), row + 1 + batch.n_q(), row + width);
  }
  stepped.reset({}, q, v);
  for (std::size_t k = 0; k < kSteps; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      stepped.ctrl()[i] = ctrl[i * kSteps + k];
      std::copy_n(tau.data() + (i * kSteps + k) * batch.n_v(), batch.n_v(), stepped.tau().data() + i * batch.n_v());
    }
    stepped.step();
    for (std::size_t i = 0; i < 3; ++i) {
      const std::span<const double> row(out.data() + (i * kSteps + k) * width, width);
      EXPECT_NEAR(row[0], 0.5 + 2e-3 * static_cast<double>(k + 1), 1e-12);
      EXPECT_EQ(bits(row.subspan(1, batch.n_q())), bits(stepped.q().subspan(i * batch.n_q(), batch.n_q())));
    }
  }
  EXPECT_EQ(bits(batch.v()), bits(stepped.v()));
}

// A pendulum's angular acceleration from rest is m g c / (I + m c²): with another mass the world has another one.
TEST(Batch, AWorldWithItsOwnMassSwingsAsItsFormulaSays) {
  const char* text = R"({catena: 1, simulate: {step: 1e-4, method: operational},
    bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}},
    joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]}}})";
  Batch batch(load_text(text), 4, {}, 2);
  const std::vector<double> masses{1, 2, 4, 1};
  batch.set_parameter("bodies.rod.mass", masses);
  EXPECT_EQ(batch.parameter("bodies.rod.mass"), masses);
  batch.step(10);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(batch.v()[i], 1e-3 * masses[i] * 9.81 * 0.5 / (0.1 + masses[i] * 0.25), 1e-7);
  Simulation own(load_text(text, "text", ".", {"bodies.rod.mass=4"}));
  for (int k = 0; k < 10; ++k) own.step();
  EXPECT_EQ(bits(batch.state(2)), bits(own.state()));
  EXPECT_EQ(bits(batch.state(0)), bits(batch.state(3)));

  EXPECT_THROW(batch.set_parameter("bodies.rod.mass", std::vector<double>{1, 2, -1, 1}), InputError);
  EXPECT_EQ(batch.parameter("bodies.rod.mass"), masses);
  EXPECT_THROW(batch.set_parameter("bodies.rod.weight", masses), InputError);
  batch.set_parameter("gravity.2", std::vector<double>{-9.81, -9.81, 0, 0});
  batch.reset();
  batch.step(10);
  EXPECT_EQ(batch.v()[2], 0);
  EXPECT_EQ(batch.v()[3], 0);
  EXPECT_NEAR(batch.v()[1], 1e-3 * 2 * 9.81 * 0.5 / 0.6, 1e-7);
}

TEST(Batch, EveryPathOfAParameterReadsWhatWasWritten) {
  const Scene scene = load_text(kScene);
  Model model = scene.model;
  const std::vector<std::string> paths = parameter_paths(model);
  EXPECT_THAT(paths, testing::IsSupersetOf({"gravity.2", "bodies.low.inertia.5", "joints.post.friction",
                                            "materials.default.friction", "actuators.0.kp"}));
  for (std::size_t i = 0; i < paths.size(); ++i) set_parameter(model, paths[i], 100.0 + static_cast<double>(i));
  for (std::size_t i = 0; i < paths.size(); ++i) EXPECT_EQ(parameter(model, paths[i]), 100.0 + static_cast<double>(i));
  EXPECT_EQ(model.extras_of(model.joints[model.joint("post")]).friction, parameter(model, "joints.post.friction"));
  EXPECT_THROW(parameter(model, "bodies.lo.mass"), InputError);
}

constexpr const char* kRobot = R"(<mujoco><worldbody><body name="arm">
  <joint name="swing" axis="0 1 0" armature="0.2" damping="0.1"/><joint name="twist" axis="0 0 1" stiffness="3"/>
  <inertial pos="0.3 0.1 0" mass="2" diaginertia="1 1 1"/><site name="tip" pos="1 0 0"/></body></worldbody>
  <tendon><fixed name="cord" stiffness="5"><joint joint="swing" coef="1"/></fixed></tendon>
  <actuator><motor name="drive" joint="twist"/></actuator>
  <sensor><jointpos name="angle" joint="twist"/><accelerometer name="imu" site="tip"/></sensor></mujoco>)";

TEST(Batch, FreedomsOfCompoundJointsAndTendonsHaveParameters) {
  const Scene scene = load_text(kRobot);
  Batch batch(scene, 2, {.step = 1e-4});
  EXPECT_EQ(batch.parameter("joints.swing.armature"), std::vector<double>({0.2, 0.2}));
  EXPECT_EQ(batch.parameter("joints.twist.stiffness"), std::vector<double>({3, 3}));
  batch.set_parameter("joints.swing.armature", std::vector<double>{0.2, 5});
  batch.step(10);
  // From rest, at the first moment: gravity's torque over the inertia about the pivot with the rotor's.
  const double torque = 2 * 9.81 * 0.3, inertia = 1 + 2 * 0.3 * 0.3;
  EXPECT_NEAR(batch.v()[0], 1e-3 * torque / (inertia + 0.2), 1e-5);
  EXPECT_NEAR(batch.v()[2], 1e-3 * torque / (inertia + 5), 1e-5);
  EXPECT_EQ(batch.parameter("tendons.cord.stiffness"), std::vector<double>({5, 5}));
}

TEST(Batch, SensorsAreThoseOfASimulationAndReadingThemMovesNothing) {
  const Scene scene = load_text(kRobot);
  Batch batch(scene, 3, {.step = 1e-3}, 2), unread(scene, 3, {.step = 1e-3});
  EXPECT_EQ(batch.n_sensor(), 4);
  const double* place = batch.sensors().data();
  for (std::size_t i = 0; i < 3; ++i) batch.ctrl()[i] = unread.ctrl()[i] = target(i) * 100;
  batch.step(50);
  unread.step(50);
  EXPECT_EQ(batch.sensors().data(), place);
  EXPECT_EQ(bits(batch.q()), bits(unread.q()));
  for (std::size_t i = 0; i < 3; ++i) {
    Simulation sim(scene, {.step = 1e-3});
    sim.ctrl()[0] = target(i) * 100;
    for (int k = 0; k < 50; ++k) sim.step();
    const auto [first, count] = batch.sensor("imu");
    EXPECT_EQ(bits(batch.sensors().subspan(4 * i + first, count)), bits(sim.sensor("imu")));
    EXPECT_EQ(bits(batch.sensors().subspan(4 * i + batch.sensor("angle").first, 1)), bits(sim.sensor("angle")));
  }
  EXPECT_THROW(static_cast<void>(batch.sensor("gyro")), InputError);
}

TEST(Batch, EnergyOfEveryWorldIsThatOfItsSimulation) {
  const Scene scene = load_text(kScene);
  Batch batch(scene, 3, {.method = Method::lagrange}, 2);
  drive(batch);
  batch.step(50);
  std::vector<double> kinetic(3), potential(3);
  batch.energy(kinetic, potential);
  for (std::size_t i = 0; i < 3; ++i) {
    Simulation sim(scene, {.method = Method::lagrange});
    sim.set_state(batch.state(i));
    EXPECT_EQ(kinetic[i], sim.energy().kinetic);
    EXPECT_EQ(potential[i], sim.energy().potential);
  }
}

TEST(Batch, ViewsStayWhereTheyAreAndAMovedBatchKeepsThem) {
  const Scene scene = load_text(kScene);
  Batch batch(scene, 3, {}, 2);
  const double *q = batch.q().data(), *tau = batch.tau().data();
  batch.step(3);
  batch.reset();
  Batch moved = std::move(batch);
  moved.step(2);
  EXPECT_EQ(moved.q().data(), q);
  EXPECT_EQ(moved.tau().data(), tau);
  EXPECT_LT(moved.bytes_per_world(), 5000);
}

TEST(Batch, WrongSizesAndNumbersAreRefused) {
  const Scene scene = load_text(kScene);
  EXPECT_THROW(Batch(scene, 0), InputError);
  EXPECT_THROW(Batch(scene, 1, {}, 0), InputError);
  Batch batch(scene, 2);
  EXPECT_THROW(batch.step(-1), InputError);
  EXPECT_THROW(batch.reset(std::vector<unsigned char>(3)), InputError);
  EXPECT_THROW(batch.reset({}, std::vector<State>(2)), InputError);
  EXPECT_THROW(batch.reset({}, batch.q().subspan(1), batch.v()), InputError);
  std::vector<double> q(batch.q().begin(), batch.q().end());
  q[0] = std::nan("");
  EXPECT_THROW(batch.reset({}, q, batch.v()), InputError);
  std::vector<double> out(2 * 3 * batch.n_state());
  EXPECT_THROW(batch.rollout({.steps = 4}, out), InputError);
  const std::vector<double> ctrl(2 * 3, std::nan(""));
  EXPECT_THROW(batch.rollout({.steps = 3, .ctrl = ctrl}, out), InputError);
  EXPECT_THROW(static_cast<void>(batch.state(2)), InputError);
  EXPECT_NO_THROW(batch.rollout({.steps = 3}, out));
}

}  // namespace batch_test
}  // namespace catena
