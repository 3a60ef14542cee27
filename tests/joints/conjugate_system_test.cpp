// Conjugate gradients against the system that factors A densely.
#include "catena/joints/conjugate_system.h"

#include <gtest/gtest.h>

#include "catena/joints/tree_system.h"
#include "joints/iterated.h"

namespace catena {
namespace conjugate_system_test {

using namespace testing_iterated;

// In exact arithmetic conjugate gradients end after as many iterations as A has eigenvalues that differ, at most its rows; rounding
// makes it some more. With the tree only the rows outside it count.
TEST(ConjugateSystem, conjugate_gradients_end_where_the_dense_solution_is) {
  for (const Scene& scene : {workloads::peer_tree(15), workloads::peer_chain(8), workloads::hung_cloth(5)}) {
    const Solution wanted = solve(*make_constraint_system(scene.model, LinearSolver::dense), scene);
    ConjugateSystem plain(scene.model);
    expect_same(solve(plain, scene), wanted);
    EXPECT_GT(plain.last().iterations, 1);
    EXPECT_LE(plain.last().residual, 1e-12);
    TreeSystem tree(scene.model, TreeSystem::Auxiliary::conjugate);
    expect_same(solve(tree, scene), wanted);
    if (tree.auxiliary_rows().rows() == 0) {
      EXPECT_EQ(tree.last().iterations, 0);
    } else {
      EXPECT_LE(tree.last().residual, 1e-12);
      EXPECT_LT(tree.last().iterations, plain.last().iterations);
    }
  }
}

TEST(ConjugateSystem, a_lower_accuracy_takes_fewer_conjugate_iterations_and_says_how_far_it_got) {
  const Scene scene = workloads::peer_tree(31);
  ConjugateSystem fine(scene.model), rough(scene.model);
  rough.set_accuracy(1e-3);
  solve(fine, scene);
  solve(rough, scene);
  EXPECT_LT(rough.last().iterations, fine.last().iterations);
  EXPECT_LE(rough.last().residual, 1e-3);
  EXPECT_GT(rough.last().residual, 1e-8);
}

}  // namespace conjugate_system_test
}  // namespace catena
