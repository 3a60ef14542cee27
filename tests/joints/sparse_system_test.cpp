// The sparse LDLᵀ of a regularised H, refined: against the dense KKT matrix, and its cost.
#include "catena/joints/sparse_system.h"

#include <gtest/gtest.h>

#include "bench/workloads.h"
#include "joints/dependent_rows.h"

namespace catena {
namespace sparse_system_test {

using namespace testing_kkt;

// ε of 1e-9 alone would leave 1e-9 of the multipliers: refinement takes it out.
TEST(SparseSystem, refinement_takes_out_what_regularisation_puts_in) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_mechanism(seed, 12, 3);
    KktReference reference(scene.model, scene.initial);
    const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
    reference.solve(f, b);
    if (!reference.regular) continue;
    ++compared;
    SparseSystem system(scene.model);
    ASSERT_TRUE(system.factor(reference.kinematics())) << system.failure();
    const Solution got = solve_with(system, reference, f, b);
    EXPECT_GE(system.refinements(), 1);
    EXPECT_LE(relative(got.y, reference.y), 1e-10);
    EXPECT_LE((reference.J * got.y - b).cwiseAbs().maxCoeff(), 1e-10 * (1 + b.cwiseAbs().maxCoeff()));
  }
  EXPECT_GE(compared, 3);  // the others have rows that depend on each other
}

// λ is D⁻¹-orthogonal to nothing but what moves no body: of all that balance the motion it has the least Σ D λ², D the diagonal of A.
TEST(
    SparseSystem,
    the_motion_of_rows_that_depend_on_each_other_is_that_of_the_dense_system_and_their_multipliers_are_of_least_weighted_norm) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Dependent at(seed);
    SparseSystem system(at.scene.model);
    ASSERT_TRUE(system.factor(at.reference.kinematics(), true)) << system.failure();
    const Solution got = solve_with(system, at.reference, at.f, at.b);
    EXPECT_LE(relative(got.y, at.reference.y), 1e-8);
    const Eigen::VectorXd D = (at.reference.J * at.Minv() * at.reference.J.transpose()).diagonal();
    Eigen::FullPivLU<Eigen::MatrixXd> free(at.reference.J.transpose());
    free.setThreshold(1e-9);
    ASSERT_GT(free.dimensionOfKernel(), 0);
    const Eigen::MatrixXd kernel = free.kernel();
    const Eigen::VectorXd weighted = D.cwiseProduct(got.lambda);
    for (Eigen::Index k = 0; k < kernel.cols(); ++k)
      EXPECT_LE(std::abs(kernel.col(k).dot(weighted)), 1e-5 * kernel.col(k).norm() * (1 + weighted.norm()));
  }
}

TEST(SparseSystem, a_chain_twice_as_long_takes_twice_the_operations) {
  const auto flops = [](int n) {
    const Scene scene = workloads::peer_chain(n);
    return SparseSystem(scene.model).flops();
  };
  EXPECT_LE(flops(80), 2.1 * flops(40));
  EXPECT_GE(flops(80), 1.9 * flops(40));
}

}  // namespace sparse_system_test
}  // namespace catena
