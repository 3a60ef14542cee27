// Two algorithms, one answer: the linear-time system, the sparse and the dense one against a full KKT matrix solved by Eigen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "bench/workloads.h"
#include "joints/kkt_reference.h"

namespace catena {
namespace random_mechanisms_test {

using namespace testing_kkt;

// Errors of LU on these matrices (condition about 1e3 … 1e6 after equilibration) stay below 1e-11; a wrong block shows as 1e-2.
constexpr double kTolerance = 1e-10;
// With unrelated f and b too. One of the mechanisms has a gear of ratio r about 1e-3 whose slow side is the leaf: eliminated first, it
// gives its parent a block of size 1/r², which costs six digits of the twelve others keep.
constexpr double kArbitraryTolerance = 1e-9;
// The sparse system is regularised by 1e-9 and refined until a correction no longer halves the residual: what is left is the
// rounding of its residual, a factor of the matrix' condition above the others.
constexpr double kSparseTolerance = 1e-9;
// Conjugate gradients stop at a residual of 1e-14 of the right-hand side, or where rounding ends it; the condition of A, up to 1e5 after
// Jacobi's scaling, is between that and the error.
constexpr double kConjugateTolerance = 1e-9;

Eigen::VectorXd random_vector(Eigen::Index size, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::VectorXd v(size);
  for (double& x : v) x = uniform(engine);
  return v;
}

struct Worst {
  double motion = 0, lambda = 0, arbitrary = 0;
  int regular = 0;
};

Worst compare(LinearSolver solver, int count, int loops) {
  Worst worst;
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene =
        workloads::random_mechanism(static_cast<std::uint64_t>(1000 * loops + seed + 1), 2 + seed % 40, loops);
    KktReference reference(scene.model, scene.initial);
    const auto system = make_constraint_system(scene.model, solver);
    EXPECT_TRUE(system->factor(reference.kinematics())) << system->failure();

    // Accelerations: c is consistent even where rows depend on each other.
    const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
    std::vector<double> catena_b(static_cast<std::size_t>(b.size()));
    system->acceleration_rhs(reference.kinematics(), catena_b);
    EXPECT_LE(relative(Eigen::Map<Eigen::VectorXd>(catena_b.data(), b.size()), b), 1e-12);
    reference.solve(f, b);
    const Solution got = solve_with(*system, reference, f, b);
    worst.motion = std::max(worst.motion, relative(got.y, reference.y));
    if (!reference.regular) continue;
    ++worst.regular;
    EXPECT_TRUE(system->redundant().empty());
    worst.lambda = std::max(worst.lambda, relative(got.lambda, reference.lambda));

    // Any f and b.
    const Eigen::VectorXd g = random_vector(f.size(), 2 * static_cast<unsigned>(seed) + 1);
    const Eigen::VectorXd r = random_vector(b.size(), 2 * static_cast<unsigned>(seed) + 2);
    reference.solve(g, r);
    const Solution any = solve_with(*system, reference, g, r);
    worst.arbitrary = std::max({worst.arbitrary, relative(any.y, reference.y), relative(any.lambda, reference.lambda)});
  }
  ::testing::Test::RecordProperty("worst_motion", fmt::format("{:.1e}", worst.motion));
  ::testing::Test::RecordProperty("worst_lambda", fmt::format("{:.1e}", worst.lambda));
  ::testing::Test::RecordProperty("worst_arbitrary", fmt::format("{:.1e}", worst.arbitrary));
  return worst;
}

void expect_within(const Worst& worst, double tolerance, int regular) {
  EXPECT_LE(worst.motion, tolerance);
  EXPECT_LE(worst.lambda, tolerance);
  EXPECT_LE(worst.arbitrary, std::max(tolerance, kArbitraryTolerance));
  EXPECT_GE(worst.regular, regular);
}

TEST(RandomTrees, the_linear_time_system_solves_200_of_them_like_a_dense_KKT_matrix) {
  expect_within(compare(LinearSolver::tree, 200, 0), kTolerance, 200);
}

TEST(RandomGraphs, anticipation_solves_100_of_them_with_loops_like_a_dense_KKT_matrix) {
  expect_within(compare(LinearSolver::tree, 100, 3), kTolerance, 80);
}

TEST(RandomTrees, the_dense_system_solves_them_like_a_KKT_matrix) {
  expect_within(compare(LinearSolver::dense, 40, 0), kTolerance, 40);
}

TEST(RandomGraphs, the_dense_system_solves_them_like_a_KKT_matrix) {
  expect_within(compare(LinearSolver::dense, 40, 3), kTolerance, 30);
}

TEST(RandomTrees, the_sparse_system_solves_them_like_a_dense_KKT_matrix) {
  expect_within(compare(LinearSolver::sparse, 40, 0), kSparseTolerance, 40);
}

TEST(RandomGraphs, the_sparse_system_solves_them_like_a_dense_KKT_matrix) {
  expect_within(compare(LinearSolver::sparse, 40, 3), kSparseTolerance, 30);
}

TEST(RandomTrees, densefactor_of_H_solves_them_like_a_pivoted_KKT_matrix) {
  expect_within(compare(LinearSolver::dense_kkt, 40, 0), kTolerance, 40);
}

TEST(RandomGraphs, densefactor_of_H_solves_them_like_a_pivoted_KKT_matrix) {
  expect_within(compare(LinearSolver::dense_kkt, 40, 3), kTolerance, 30);
}

TEST(RandomTrees, conjugate_gradients_solve_them_like_a_dense_KKT_matrix) {
  expect_within(compare(LinearSolver::cg, 40, 0), kConjugateTolerance, 40);
}

TEST(RandomGraphs, conjugate_gradients_solve_them_like_a_dense_KKT_matrix) {
  expect_within(compare(LinearSolver::cg, 40, 3), kConjugateTolerance, 30);
}

TEST(RandomGraphs, conjugate_gradients_on_the_loops_of_a_tree_solve_them_like_a_dense_KKT_matrix) {
  expect_within(compare(LinearSolver::cg_tree, 40, 3), kConjugateTolerance, 30);
}

}  // namespace random_mechanisms_test
}  // namespace catena
