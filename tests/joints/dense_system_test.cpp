// A = J M⁻¹ Jᵀ formed and factored densely, against the KKT matrix.
#include "catena/joints/dense_system.h"

#include <gtest/gtest.h>

#include "bench/workloads.h"
#include "joints/dependent_rows.h"
#include "joints/mechanisms.h"

namespace catena {
namespace dense_system_test {

using namespace testing_kkt;

TEST(DenseSystem, multipliers_of_rows_that_depend_on_each_other_are_of_least_norm_over_all_rows) {
  int dependent = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Dependent at(seed);
    DenseSystem system(at.scene.model);
    ASSERT_TRUE(system.factor(at.reference.kinematics(), true)) << system.failure();
    const Solution got = solve_with(system, at.reference, at.f, at.b);
    EXPECT_LE(relative(got.y, at.reference.y), 1e-8);
    const Eigen::MatrixXd A = at.reference.J * at.Minv() * at.reference.J.transpose();
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> least;
    least.setThreshold(1e-9);
    least.compute(A);
    const Eigen::VectorXd wanted = least.solve(at.b - at.reference.J * (at.Minv() * at.f));
    EXPECT_LE(relative(got.lambda, wanted), 1e-7);
    EXPECT_EQ(static_cast<Eigen::Index>(system.redundant().size()), A.rows() - at.rank());
    dependent += static_cast<int>(system.redundant().size());
  }
  EXPECT_GT(dependent, 10);
}

TEST(DenseSystem, a_force_through_other_terms_than_the_row_holds_is_solved_for_as_the_unsymmetric_matrix_says) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Scene scene = workloads::random_mechanism(seed, 7, 0);
    JointExtras extras;
    CouplingRow& row = extras.rows.emplace_back();
    row.terms.push_back({BodyId(1), {0.3, -0.5, 1.0}, {}, false});
    row.through.push_back({BodyId(1), {0.5, 0.4, 0.9}, {}, false});
    row.through.push_back({BodyId(2), {0.1, 0.7, -0.2}, {}, false});
    testing_mechanisms::add_coupling(scene.model, "steer", extras);
    KktReference reference(scene.model, scene.initial);
    const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
    reference.solve(f, b);
    if (!reference.regular) continue;
    ++compared;
    DenseSystem system(scene.model);
    ASSERT_TRUE(system.factor(reference.kinematics()));
    const Solution got = solve_with(system, reference, f, b);
    EXPECT_LE(relative(got.y, reference.y), 1e-9);
    EXPECT_LE(relative(got.lambda, reference.lambda), 1e-8);
  }
  EXPECT_GE(compared, 3);  // the others have rows that depend on each other
}

}  // namespace dense_system_test
}  // namespace catena
