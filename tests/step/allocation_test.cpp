// Steady steps allocate nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "allocation_counter.h"
#include "bench/contact_scenes.h"
#include "bench/workloads.h"
#include "step/step_testing.h"

namespace catena {
namespace allocation_test {

using namespace testing_step;

struct Case {
  std::string name;
  Scene scene;
};

// A pendulum with everything that pushes: springs, dampers, loads, actuators, a motor.
Scene pushed() {
  JointExtras motor;
  motor.motor = Motor{Sine{1, 0.5, 0, 1}, {}};
  JointExtras soft;
  soft.stiffness = 3;
  soft.damping = 0.1;
  ModelBuilder builder;
  builder.body(rod("a", {}, 0.3)).body(rod("b", {0.3, 0.1, -1}, -0.2));
  builder.joint(hinge("drive", "ground", "a", {}, motor)).joint(hinge("soft", "ground", "b", {0.3, 0.1, -1}, soft));
  builder.spring(
      {.between = {"a", "b"}, .anchors = {Vec3{0.1, 0, -0.6}, Vec3{0.3, 0.1, -1.2}}, .stiffness = 10, .damping = 1});
  builder.force({.body = "b", .force = {1, 0, 0}, .from = 0.001, .until = 1});
  builder.actuator(
      {.joint = "soft", .kind = Actuator::Kind::position, .kp = 3, .kv = 1, .signal = Table{{0, 1}, {0, 1}}});
  const BuiltModel built = builder.build();
  Scene scene;
  scene.model = built.model;
  scene.initial = built.initial;
  return scene;
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* name : {"pendulum", "four_bar", "stewart", "jansen_legs", "rolling_coin", "gear_train"})
    list.push_back({name, load(example(name))});
  list.push_back({"random mechanism with loops", workloads::random_mechanism(9, 15, 3)});
  list.push_back({"everything that pushes", pushed()});
  return list;
}

TEST(Allocation, the_counter_counts) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  const long before = allocations;
  const std::vector<int> v(100);
  EXPECT_EQ(allocations, before + 1) << v.size();
  const Eigen::MatrixXd m(10, 10);
  EXPECT_EQ(allocations, before + 2) << m.size();
}

// Takes `first` steps, and `count` more that must be good and allocate nothing; with `contacts` so many contacts in each.
void expect_steady(Simulation&& simulation, int first, int count, int contacts = -1) {
  for (int i = 0; i < first; ++i) ASSERT_TRUE(simulation.step().ok());
  const long before = allocations;
  bool ok = true;
  for (int i = 0; i < count; ++i) {
    const StepReport report = simulation.step();
    ok = ok && report.ok() && (contacts < 0 || report.contacts == contacts);
  }
  const long after = allocations;
  EXPECT_TRUE(ok);
  EXPECT_EQ(after - before, 0);
}

TEST(Allocation, a_step_after_the_first_ones_allocates_nothing) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  for (const Case& c : cases())
    for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::adaptive})
      for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::sparse, LinearSolver::dense}) {
        SCOPED_TRACE(fmt::format("{}, integrator {}, solver {}", c.name, static_cast<int>(integrator),
                                 static_cast<int>(solver)));
        const MethodWords method{.integrator = integrator, .solver = solver, .tolerance = 1e-9};
        expect_steady(Simulation(c.scene, {.method = method, .step = 1e-3}), 3, 20);
      }
}

TEST(Allocation, a_step_of_the_impulse_method_allocates_nothing) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  for (const Case& c : cases())
    for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::sparse, LinearSolver::dense,
                                      LinearSolver::iterative, LinearSolver::parts}) {
      SCOPED_TRACE(fmt::format("{}, solver {}", c.name, static_cast<int>(solver)));
      const MethodWords method{.method = Method::impulse, .solver = solver};
      expect_steady(Simulation(c.scene, {.method = method, .step = 1e-3}), 3, 20);
    }
}

TEST(Allocation, a_step_of_the_impulse_method_in_joint_coordinates_allocates_nothing_while_no_law_acts) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  for (const Case& c : cases()) {
    if (c.name == "jansen_legs" || c.name == "random mechanism with loops") continue;  // shapes touch; scalable bodies
    SCOPED_TRACE(c.name);
    expect_steady(Simulation(c.scene, {.method = Impulse{.coordinates = Coordinates::reduced}, .step = 1e-3}), 3, 20);
  }
}

TEST(Allocation, a_step_of_lagrange_in_joint_coordinates_allocates_nothing_while_no_law_acts) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  for (const Case& c : cases()) {
    if (c.name == "jansen_legs" || c.name == "random mechanism with loops") continue;  // shapes touch; scalable bodies
    for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::adaptive}) {
      SCOPED_TRACE(fmt::format("{}, integrator {}", c.name, static_cast<int>(integrator)));
      const MethodWords method{
          .method = Method::lagrange, .integrator = integrator, .coordinates = Coordinates::reduced};
      expect_steady(Simulation(c.scene, {.method = method, .step = 1e-3}), 3, 20);
    }
  }
}

TEST(Allocation, a_step_of_the_method_operational_allocates_nothing_while_no_law_acts) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  for (const Case& c : cases()) {
    if (c.name == "jansen_legs" || c.name == "random mechanism with loops") continue;  // shapes touch; scalable bodies
    for (const Integrator integrator : {Integrator::euler, Integrator::midpoint}) {
      SCOPED_TRACE(fmt::format("{}, integrator {}", c.name, static_cast<int>(integrator)));
      const MethodWords method{.method = Method::operational, .integrator = integrator};
      expect_steady(Simulation(c.scene, {.method = method, .step = 1e-3}), 3, 20);
    }
  }
}

// A robot that stands on eight points, and one with four fingers on a table: as many contacts in every step, but other forces.
TEST(Allocation, a_step_of_the_method_operational_with_contacts_allocates_nothing) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  for (const Case& c : {Case{"biped", workloads::biped()}, {"dual_arm", load(example("dual_arm"))}})
    for (const Integrator integrator : {Integrator::euler, Integrator::midpoint}) {
      SCOPED_TRACE(fmt::format("{}, integrator {}", c.name, static_cast<int>(integrator)));
      const MethodWords method{.method = Method::operational, .integrator = integrator};
      expect_steady(Simulation(c.scene, {.method = method, .step = 5e-4}), 600, 50, c.name == "biped" ? 8 : 4);
    }
}

// What rests: a few boxes on each other, and a crowd of sixty on a floor. Other forces in every step, as many contacts.
TEST(Allocation, a_step_of_spook_with_resting_contacts_allocates_nothing) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  for (const Case& c : {Case{"stack", workloads::box_stack(3)}, {"crowd", workloads::boxes_on_a_floor(60)}})
    for (const LawSolver solver : {LawSolver::automatic, LawSolver::split, LawSolver::gauss_seidel}) {
      SCOPED_TRACE(fmt::format("{}, solver {}", c.name, static_cast<int>(solver)));
      const MethodWords method{.method = Method::spook, .law_solver = solver};
      expect_steady(Simulation(c.scene, {.method = method, .step = 5e-3}), 200, 20, c.name == "stack" ? 12 : 240);
    }
}

TEST(Allocation, reading_a_sample_allocates_nothing) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  for (const Case& c : cases()) {
    Simulation simulation(c.scene, {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-3});
    std::vector<double> row(column_names(c.scene.model).size());
    ASSERT_TRUE(simulation.step().ok());
    sample(simulation, row);
    ASSERT_TRUE(simulation.step().ok());
    const long before = allocations;
    sample(simulation, row);
    EXPECT_EQ(allocations - before, 0) << c.name;
  }
}

TEST(Allocation, a_solve_of_ten_thousand_bodies_allocates_nothing) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  for (const JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::slider}) {
    const Scene scene = workloads::linkage(workloads::Shape::tree, kind, 10000);
    Dynamics dynamics(scene.model, scene.initial, LinearSolver::tree);
    ASSERT_TRUE(dynamics.accelerations(scene.initial));
    const long before = allocations;
    ASSERT_TRUE(dynamics.accelerations(scene.initial));
    EXPECT_EQ(allocations - before, 0);
  }
}

}  // namespace allocation_test
}  // namespace catena
