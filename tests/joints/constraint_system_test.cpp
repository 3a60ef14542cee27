// Which system solves a model, and how what it solved is checked.
#include "catena/joints/constraint_system.h"

#include <gtest/gtest.h>

#include <string>

#include "bench/loop_scenes.h"
#include "catena/mechanism/dynamics.h"
#include "catena/primary/fronts.h"
#include "catena/scene/scene.h"
#include "source_dir.h"

namespace catena {
namespace constraint_system_test {

std::string example(const char* name) { return source_dir() + "/examples/" + name + ".yaml"; }

TEST(ChooseSolver, loops_go_to_fronts_and_trees_to_the_tree) {
  for (const char* name : {"four_bar", "stewart", "jansen_legs", "strandbeest"}) {
    SCOPED_TRACE(name);
    const Scene scene = load(example(name));
    EXPECT_EQ(choose_solver(system_sizes(scene.model), LinearSolver::automatic), LinearSolver::fronts);
  }
  for (const char* name : {"chain", "tree127"})
    EXPECT_EQ(choose_solver(system_sizes(load(example(name)).model), LinearSolver::automatic), LinearSolver::tree);
}

TEST(ChooseSolver, fronts_say_what_they_do_not_apply_to) {
  const Scene scene = workloads::random_mechanism(5, 20, 2);  // has scalable bodies
  ASSERT_NE(fronts_decline(scene.model), "");
  EXPECT_THROW(make_constraint_system(scene.model, LinearSolver::fronts), InputError);
  EXPECT_NE(choose_solver(system_sizes(scene.model), LinearSolver::automatic), LinearSolver::fronts);
}

TEST(ChooseSolver, the_cloths_401_loops_go_to_the_sparse_factorisation) {
  const Scene scene = load(example("cloth"));
  const SystemSizes sizes = system_sizes(scene.model);
  EXPECT_EQ(sizes.primary_rows + sizes.auxiliary_rows, 840 + 6);
  EXPECT_LT(sizes.sparse_flops, sizes.tree_flops);
  EXPECT_EQ(choose_solver(sizes, LinearSolver::automatic), LinearSolver::sparse);
}

// Fronts of wide graphs are wide: a grid of 6 x 6 plates takes them 93 us, the sparse A 41 (catena bench loops); one of 3 x 3 takes both 10.
TEST(ChooseSolver, wide_grids_go_to_the_sparse_factorisation_where_that_costs_less) {
  const auto chosen = [](const Scene& scene) {
    return choose_solver(system_sizes(scene.model), LinearSolver::automatic);
  };
  EXPECT_EQ(chosen(workloads::plate_grid(6)), LinearSolver::sparse);
  EXPECT_EQ(chosen(workloads::chain_mail(6)), LinearSolver::sparse);
  EXPECT_EQ(chosen(workloads::chain_mail(10)), LinearSolver::sparse);
  EXPECT_EQ(chosen(workloads::plate_grid(4)), LinearSolver::fronts);
  EXPECT_EQ(chosen(workloads::four_bars(80)), LinearSolver::fronts);
  EXPECT_EQ(chosen(workloads::ladder(20)), LinearSolver::fronts);
}

TEST(ChooseSolver, what_the_user_asks_for_is_what_is_used) {
  for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::sparse, LinearSolver::dense})
    EXPECT_EQ(choose_solver({}, solver), solver);
}

TEST(Residual, it_is_small_for_a_solution_and_says_so_when_one_number_is_wrong) {
  const Scene scene = workloads::random_mechanism(41, 10, 2);
  Dynamics dynamics(scene.model, scene.initial, LinearSolver::tree);
  ASSERT_TRUE(dynamics.accelerations(scene.initial));
  EXPECT_LE(dynamics.check().worst(), 1e-12);
  dynamics.lambda[3] += 1e-3;
  EXPECT_GE(dynamics.check().force, 1e-6);
  dynamics.lambda[3] -= 1e-3;
  dynamics.vdot[2].linear.x += 1e-3;
  EXPECT_GE(dynamics.check().worst(), 1e-6);
}

}  // namespace constraint_system_test
}  // namespace catena
