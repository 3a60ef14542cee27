// H factored densely in the order of the tree, against LU with pivots of the same matrix.
#include "catena/joints/dense_kkt_system.h"

#include <gtest/gtest.h>

#include "bench/workloads.h"
#include "joints/dependent_rows.h"

namespace catena {
namespace dense_kkt_system_test {

using namespace testing_kkt;

TEST(DenseKktSystem, without_pivots_it_finds_what_pivots_find) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const int loops : {0, 2}) {
      SCOPED_TRACE(testing::Message() << seed << ' ' << loops);
      const Scene scene = workloads::random_mechanism(seed, 10, loops);
      KktReference reference(scene.model, scene.initial);
      const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
      reference.solve(f, b);
      if (!reference.regular) continue;
      ++compared;
      DenseKktSystem system(scene.model);
      ASSERT_TRUE(system.factor(reference.kinematics())) << system.failure();
      const Solution got = solve_with(system, reference, f, b);
      EXPECT_LE(relative(got.y, reference.y), 1e-9);
      EXPECT_LE(relative(got.lambda, reference.lambda), 1e-8);
    }
  EXPECT_GE(compared, 3);  // the others have rows that depend on each other
}

// Of all multipliers that balance the motion those whose auxiliary part is shortest: any change along what is left undetermined is at right
// angles to that part.
TEST(DenseKktSystem, the_auxiliary_multipliers_of_dependent_rows_are_of_least_norm) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Dependent at(seed);
    DenseKktSystem system(at.scene.model);
    ASSERT_TRUE(system.factor(at.reference.kinematics(), true)) << system.failure();
    const Solution got = solve_with(system, at.reference, at.f, at.b);
    EXPECT_LE(relative(got.y, at.reference.y), 1e-8);
    const Forest forest = build_forest(at.scene.model);
    const auto is_auxiliary = [&](JointId joint) { return std::ranges::count(forest.auxiliary, joint) > 0; };
    Eigen::VectorXd part = got.lambda;
    for (Eigen::Index i = 0; i < part.size(); ++i)
      if (!is_auxiliary(at.reference.rows().joint_of[static_cast<std::size_t>(i)])) part[i] = 0;
    Eigen::FullPivLU<Eigen::MatrixXd> free(at.reference.J.transpose());
    free.setThreshold(1e-9);
    ASSERT_GT(free.dimensionOfKernel(), 0);
    const Eigen::MatrixXd kernel = free.kernel();
    for (Eigen::Index k = 0; k < kernel.cols(); ++k)
      EXPECT_LE(std::abs(kernel.col(k).dot(part)), 1e-7 * kernel.col(k).norm() * (1 + got.lambda.norm()));
  }
}

}  // namespace dense_kkt_system_test
}  // namespace catena
