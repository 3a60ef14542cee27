// Bender's impulse method by acyclic parts (§5): the same bits in any number of threads, the same motion as all at once.
#include <gtest/gtest.h>

#include "bench/workloads.h"
#include "source_dir.h"
#include "step/reference_scene.h"
#include "step/step_testing.h"

namespace catena {
namespace impulse_parts_test {

using namespace testing_step;

Options impulse(double step, double tolerance, LinearSolver solver) {
  Options options{.method = Impulse{.position_tolerance = tolerance, .velocity_tolerance = tolerance}, .step = step};
  options.method->change({.solver = solver});
  return options;
}

// Parts answer apart from each other and are added up in their order.
TEST(ImpulseParts, any_number_of_threads_gives_the_same_bits) {
  const Scene scene = workloads::hung_cloth(9);
  Options options = impulse(5e-3, 1e-6, LinearSolver::parts);
  options.threads = 1;
  Simulation one(scene, options);
  EXPECT_EQ(one.system().remark(), "18 acyclic parts in 2 layers, 1 threads");
  advance(one, 0.25);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    Simulation many(scene, options);
    advance(many, 0.25);
    for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
      EXPECT_EQ(many.body(BodyId(i)).position, one.body(BodyId(i)).position) << i;
      EXPECT_EQ(many.body(BodyId(i)).velocity, one.body(BodyId(i)).velocity) << i;
    }
  }
}

// Bender's own loop over the parts (§5): the impulses of a loop without dependent rows are unique, so it leads the same way as the direct solution;
// where rows depend on each other the motion is still the same, and it goes on by itself.
TEST(ImpulseParts, taking_turns_leads_the_same_way_with_dependent_rows_too) {
  for (const char* name : {"four_bar", "stewart", "rolling_coin"}) {
    const Scene scene = load(example(name));
    Simulation reference(scene, impulse(1e-3, 1e-9, LinearSolver::tree));
    Simulation turns(scene, impulse(1e-3, 1e-9, LinearSolver::parts_in_turn));
    EXPECT_NE(turns.system().remark().find("that take turns"), std::string::npos) << turns.system().remark();
    advance(reference, 0.05);
    advance(turns, 0.05);
    for (std::size_t i = 0; i < scene.model.bodies.size(); ++i)
      EXPECT_NEAR(norm(turns.body(BodyId(i)).position - reference.body(BodyId(i)).position), 0, 1e-7) << name << i;
  }
}

TEST(ImpulseParts, taking_turns_in_any_number_of_threads_gives_the_same_bits) {
  const Scene scene = workloads::hung_cloth(7);
  Options options = impulse(5e-3, 1e-6, LinearSolver::parts_in_turn);
  Simulation one(scene, options);
  options.threads = 2;
  Simulation two(scene, options);
  double gap = 0;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(one.step().ok());
    ASSERT_TRUE(two.step().ok());
    gap = std::max(gap, one.report().drift_position);
  }
  EXPECT_LE(gap, 1.0001e-6);
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i)
    EXPECT_EQ(two.body(BodyId(i)).position, one.body(BodyId(i)).position) << i;
}

TEST(ImpulseParts, mechanisms_whose_parts_do_not_come_to_terms_are_solved_at_once_and_it_is_said) {
  Simulation simulation(load(example("four_bar")), impulse(1e-3, 1e-6, LinearSolver::parts));
  EXPECT_NE(simulation.system().remark().find("solved at once instead"), std::string::npos);
  advance(simulation, 0.1);
}

TEST(ImpulseParts, couplings_are_refused) {
  EXPECT_THROW(Simulation(references::build(references::read("s10_slider_crank_motor")),
                          impulse(1e-3, 1e-12, LinearSolver::parts)),
               InputError);
}

}  // namespace impulse_parts_test
}  // namespace catena
