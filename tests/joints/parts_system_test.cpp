// Part by part against the system that factors A densely.
#include "catena/joints/parts_system.h"

#include <gtest/gtest.h>

#include "joints/iterated.h"

namespace catena {
namespace parts_system_test {

using namespace testing_iterated;

TEST(PartsSystem, part_by_part_ends_where_the_dense_solution_is) {
  const Scene scene = workloads::hung_cloth(7);
  PartsSystem parts(scene.model, 2, make_constraint_system(scene.model, LinearSolver::sparse));
  parts.set_accuracy(1e-12);
  expect_same(solve(parts, scene), solve(*make_constraint_system(scene.model, LinearSolver::dense), scene));
  EXPECT_EQ(parts.parts(), 14u);
  EXPECT_GT(parts.iterations(), 1);
}

// A tree is one part, its own exact preconditioner.
TEST(PartsSystem, a_tree_needs_one_iteration) {
  const Scene scene = workloads::peer_tree(15);
  PartsSystem parts(scene.model, 1, make_constraint_system(scene.model, LinearSolver::tree));
  parts.set_accuracy(1e-10);
  solve(parts, scene);
  EXPECT_EQ(parts.parts(), 1u);
  EXPECT_EQ(parts.iterations(), 1);
}

}  // namespace parts_system_test
}  // namespace catena
