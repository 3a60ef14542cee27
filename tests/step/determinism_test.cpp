#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "bench/workloads.h"
#include "step/step_testing.h"

namespace catena {
namespace determinism_test {

using namespace testing_step;

// Every number of a state, as bits.
std::vector<std::uint64_t> bits(const State& state) {
  std::vector<std::uint64_t> out;
  const auto add = [&](std::initializer_list<double> numbers) {
    for (const double x : numbers) out.push_back(std::bit_cast<std::uint64_t>(x));
  };
  add({state.time, state.next_step});
  for (const BodyState& s : state.bodies)
    add({s.position.x, s.position.y, s.position.z, s.orientation.w, s.orientation.x, s.orientation.y, s.orientation.z,
         s.velocity.x, s.velocity.y, s.velocity.z, s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z,
         s.scale, s.scale_velocity});
  for (const auto& q : state.joint_angles) add({q[0], q[1], q[2]});
  for (const double x : state.q) add({x});
  for (const double x : state.qd) add({x});
  for (const double x : state.activation) add({x});
  for (const WarmImpulse& warm : state.impulses) {
    out.push_back(warm.key);
    add({warm.z[0], warm.z[1], warm.z[2]});
  }
  const Ledger& l = state.ledger;
  add({l.motors, l.actuators, l.external, l.damping, l.contacts, l.projection, l.numerical});
  return out;
}

struct Case {
  const char* name;
  Scene scene;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* name : {"four_bar", "stewart", "jansen_legs", "rolling_coin"})
    list.push_back({name, load(example(name))});
  list.push_back({"random mechanism", workloads::random_mechanism(5, 12, 2)});
  return list;
}

constexpr Integrator kIntegrators[] = {Integrator::euler, Integrator::rk4, Integrator::adaptive};

Options options(Integrator integrator, LinearSolver solver = LinearSolver::automatic) {
  return {.method = MethodWords{.integrator = integrator, .solver = solver, .tolerance = 1e-9}, .step = 1e-3};
}

TEST(Determinism, two_runs_of_a_scene_give_the_same_bits) {
  for (const Case& c : cases())
    for (const Integrator integrator : kIntegrators)
      for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::sparse, LinearSolver::dense}) {
        SCOPED_TRACE(std::string(c.name) + ", integrator " + std::to_string(static_cast<int>(integrator)) +
                     ", solver " + std::to_string(static_cast<int>(solver)));
        Simulation a(c.scene, options(integrator, solver)), b(c.scene, options(integrator, solver));
        for (int i = 0; i < 100; ++i) {
          ASSERT_TRUE(a.step().ok());
          ASSERT_TRUE(b.step().ok());
        }
        EXPECT_EQ(bits(a.state()), bits(b.state()));
      }
}

TEST(Determinism, a_restored_state_goes_on_as_if_nothing_had_happened) {
  for (const Case& c : cases())
    for (const Integrator integrator : kIntegrators) {
      SCOPED_TRACE(std::string(c.name) + ", integrator " + std::to_string(static_cast<int>(integrator)));
      Simulation through(c.scene, options(integrator));
      for (int i = 0; i < 50; ++i) ASSERT_TRUE(through.step().ok());
      const State saved = through.state();
      for (int i = 0; i < 50; ++i) ASSERT_TRUE(through.step().ok());

      // Restored into the same simulation, and into a fresh one.
      const std::vector<std::uint64_t> wanted = bits(through.state());
      Simulation fresh(c.scene, options(integrator));
      through.set_state(saved);
      fresh.set_state(saved);
      for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(through.step().ok());
        ASSERT_TRUE(fresh.step().ok());
      }
      EXPECT_EQ(bits(through.state()), wanted);
      EXPECT_EQ(bits(fresh.state()), wanted);
    }
}

TEST(Determinism, a_restored_state_goes_on_with_the_impulse_method_too) {
  for (const Case& c : cases())
    for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::sparse, LinearSolver::iterative}) {
      SCOPED_TRACE(std::string(c.name) + ", solver " + std::to_string(static_cast<int>(solver)));
      const Options chosen{.method = MethodWords{.method = Method::impulse, .solver = solver}, .step = 1e-3};
      Simulation through(c.scene, chosen);
      std::vector<double> row(column_names(c.scene.model).size());
      for (int i = 0; i < 20; ++i) ASSERT_TRUE(through.step().ok());
      const State saved = through.state();
      for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(through.step().ok());
        sample(through, row);  // looking changes nothing
      }
      Simulation fresh(c.scene, chosen);
      fresh.set_state(saved);
      for (int i = 0; i < 20; ++i) ASSERT_TRUE(fresh.step().ok());
      EXPECT_EQ(bits(fresh.state()), bits(through.state()));
    }
}

// With contacts, impacts, limits and friction, by every method: nothing that decides the next step is kept anywhere but in the state.
TEST(Determinism, a_restored_state_goes_on_with_contacts_by_every_method) {
  for (const char* name : {"newtons_cradle", "gripper", "car"})
    for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
      SCOPED_TRACE(std::string(name) + ", method " + std::to_string(static_cast<int>(method)));
      const Scene scene = load(example(name));
      const Options chosen{.method = method, .step = 2e-3};
      Simulation through(scene, chosen);
      for (int i = 0; i < 30; ++i) ASSERT_TRUE(through.step().ok());
      const State saved = through.state();
      std::vector<double> row(column_names(scene.model).size());
      for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(through.step().ok());
        sample(through, row);  // looking changes nothing
      }
      const std::vector<std::uint64_t> wanted = bits(through.state());
      Simulation fresh(scene, chosen);
      through.set_state(saved);
      fresh.set_state(saved);
      for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(through.step().ok());
        ASSERT_TRUE(fresh.step().ok());
      }
      EXPECT_EQ(bits(through.state()), wanted);
      EXPECT_EQ(bits(fresh.state()), wanted);
    }
}

// Impacts are answered by the joints directly, the laws of the step by sweeps over the rows of joints and laws: what the one has found of its rows is not
// there for the other, nor are there as many of them.
TEST(Determinism, a_restored_state_goes_on_after_impacts_of_jointed_bodies_by_sweeps) {
  const Scene scene = load(example("ragdolls"));
  const Options chosen{.method = MethodWords{.method = Method::spook, .law_solver = LawSolver::gauss_seidel},
                       .step = 2e-3};
  Simulation through(scene, chosen);
  for (int i = 0; i < 35; ++i) ASSERT_TRUE(through.step().ok());
  const State saved = through.state();
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(through.step().ok());
  Simulation fresh(scene, chosen);
  fresh.set_state(saved);
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(fresh.step().ok());
  EXPECT_EQ(bits(fresh.state()), bits(through.state()));
}

TEST(Determinism, looking_at_a_simulation_does_not_change_its_course) {
  const Scene scene = load(example("stewart"));
  for (const Integrator integrator : kIntegrators)
    for (const Stabilisation kind : {Stabilisation::projection, Stabilisation::baumgarte, Stabilisation::none}) {
      Options chosen = options(integrator);
      chosen.method->change({.stabilise = kind});
      Simulation watched(scene, chosen), alone(scene, chosen);
      std::vector<double> row(column_names(scene.model).size());
      for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(watched.step().ok());
        ASSERT_TRUE(alone.step().ok());
        sample(watched, row);
        watched.energy();
        watched.drift();
        for (std::size_t j = 0; j < scene.model.joints.size(); ++j) watched.joint(JointId(j)).reaction();
      }
      EXPECT_EQ(bits(watched.state()), bits(alone.state()));
    }
}

}  // namespace determinism_test
}  // namespace catena
