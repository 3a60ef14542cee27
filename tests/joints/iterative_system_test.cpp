// Joint by joint against the system that factors A densely.
#include "catena/joints/iterative_system.h"

#include <gtest/gtest.h>

#include "joints/iterated.h"

namespace catena {
namespace iterative_system_test {

using namespace testing_iterated;

TEST(IterativeSystem, joint_by_joint_ends_where_the_dense_solution_is) {
  for (const Scene& scene : {workloads::peer_tree(15), workloads::peer_chain(8), workloads::hung_cloth(5)}) {
    IterativeSystem iterative(scene.model);
    iterative.set_accuracy(1e-12);
    expect_same(solve(iterative, scene), solve(*make_constraint_system(scene.model, LinearSolver::dense), scene));
  }
}

}  // namespace iterative_system_test
}  // namespace catena
