// The whole chain: problems from other people's simulations, and ten thousand random ones. None unsolved, none wrong.
#include "catena/solve/solve.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "catena/scene/problem_file.h"
#include "solve/random_problems.h"
#include "source_dir.h"

namespace catena::solve {
namespace solve_test {

const std::string kProblems = source_dir() + "/tests/data/problems/";

std::vector<std::string> problem_files(const std::string& prefix, bool with) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kProblems)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".json" && name.starts_with(prefix) == with) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Two of these cannot be solved by anyone: the certificate holds a proof, x ≥ 0 with Mᵀx ≤ 0 and qᵀx < 0.
TEST(Solve, LcpsOfOtherSimulators) {
  int solved = 0, proved = 0;
  for (const std::string& name : problem_files("lcp-", true)) {
    const Problem problem = load_problem(kProblems + name).problem;
    const Solution solution = solve(problem);
    if (solution.certificate.status == Status::ray) {
      const Eigen::MatrixXd M = to_dense(problem.A);
      ASSERT_GE(solution.ray.minCoeff(), 0) << name;
      EXPECT_LE((M.transpose() * solution.ray).maxCoeff(), 1e-12 * M.cwiseAbs().maxCoeff()) << name;
      EXPECT_LT(problem.b.dot(solution.ray), -1e-9 * problem.b.norm()) << name;
      ++proved;
      continue;
    }
    EXPECT_LE(solution.certificate.residual, 1e-10) << name;
    EXPECT_LE(solution.certificate.gap, 1e-10) << name;
    ++solved;
  }
  EXPECT_EQ(solved, 7);
  EXPECT_EQ(proved, 2);
}

// Exact Coulomb cone, up to 376 contacts, W singular and a little unsymmetric as their makers left it.
TEST(Solve, FrictionProblemsOfOtherSimulators) {
  for (const std::string& name : problem_files("lcp-", false)) {
    const Solution solution = solve(load_problem(kProblems + name).problem);
    EXPECT_LE(solution.certificate.residual, 1e-8) << name;
    EXPECT_EQ(solution.certificate.status, Status::exact) << name << " " << solution.certificate.residual;
  }
}

class RandomProblems : public ::testing::TestWithParam<testing_problems::Kind> {};

// 6 kinds x 1667 problems of 1 to 200 rows. The residual is computed here once more from A and b.
TEST_P(RandomProblems, NoneUnsolvedNoneWrong) {
  constexpr int kCount = 1667;
  testing_problems::Random random(1000 + static_cast<unsigned>(GetParam()));
  for (int i = 0; i < kCount; ++i) {
    // Small ones are cheap and have more corners; one in eight is as large as 200.
    const int size = testing_problems::between(random, 1, i % 8 == 0 ? 200 : 60);
    const Problem problem = testing_problems::random_problem(random, GetParam(), size);
    const Solution solution = solve(problem);
    ASSERT_EQ(solution.certificate.status, Status::exact)
        << i << " size " << size << " residual " << solution.certificate.residual;
    const Vector w = to_dense(problem.A) * solution.z + problem.b;
    ASSERT_LE(natural_residual(problem, solution.z, w, matrix_scale(problem.A)).value, 1e-10) << i << " size " << size;
  }
}
INSTANTIATE_TEST_SUITE_P(Solve, RandomProblems,
                         ::testing::Values(testing_problems::Kind::spd, testing_problems::Kind::p_matrix,
                                           testing_problems::Kind::semidefinite, testing_problems::Kind::duplicated,
                                           testing_problems::Kind::friction,
                                           testing_problems::Kind::friction_deficient));

// Exact cones in piles: few contacts and many, light bodies under heavy ones, more contacts than the bodies have freedoms.
TEST(Solve, RandomPiles) {
  testing_problems::Random random(77);
  for (int i = 0; i < 60; ++i) {
    const int contacts = testing_problems::between(random, 3, 60);
    const int bodies = std::max(1, contacts / testing_problems::between(random, 1, 6));
    const double friction = 0.1 * testing_problems::between(random, 0, 9);
    const Problem problem = testing_problems::random_pile(random, bodies, contacts, friction, i % 2 == 0 ? 1 : 100);
    const Solution solution = solve(problem);
    EXPECT_LE(solution.certificate.residual, 1e-8)
        << i << ": " << contacts << " contacts, " << bodies << " bodies, friction " << friction;
  }
}

// Every law in one problem, by the chain and by each solver that takes it: w agrees where A is positive definite (z is unique there up to
// the slip term, which small friction keeps from mattering).
TEST(Solve, EveryLawTogether) {
  testing_problems::Random random(31);
  const Eigen::MatrixXd B = testing_problems::random_matrix(random, 11, 11);
  Problem problem{Eigen::MatrixXd(B * B.transpose() + Eigen::MatrixXd::Identity(11, 11)),
                  testing_problems::random_matrix(random, 11, 1) * 3,
                  {{.law = Law::free, .first = 0, .size = 2},
                   {.law = Law::complementary, .first = 2, .size = 2},
                   {.law = Law::boxed, .first = 4, .size = 1, .lower = -0.1, .upper = 0.2},
                   {.law = Law::bounded_by, .first = 5, .size = 1, .parent = 3, .friction = {0.3, 0}},
                   {.law = Law::facets, .first = 6, .size = 3, .friction = {0.2, 0}, .facets = 6},
                   {.law = Law::cone, .first = 9, .size = 2, .friction = {0.2, 0}}}};
  check(problem);
  const Solution by_chain = solve(problem);
  EXPECT_EQ(by_chain.certificate.status, Status::exact);
  for (const Solver solver : {Solver::lemke, Solver::cone}) {
    const Solution other = solve(problem, {.solver = solver});
    EXPECT_EQ(other.certificate.status, Status::exact) << name_of(solver) << " " << other.certificate.residual;
    EXPECT_LE((other.z - by_chain.z).norm(), 1e-7 * by_chain.z.norm()) << name_of(solver);
  }
}

TEST(Solve, EllipticFriction) {
  testing_problems::Random random(41);
  for (int i = 0; i < 50; ++i) {
    const Eigen::MatrixXd B = testing_problems::random_matrix(random, 6, 6);
    Problem problem{Eigen::MatrixXd(B * B.transpose()), testing_problems::random_matrix(random, 6, 1),
                    friction_cones(Vector::Ones(2), 3)};
    problem.blocks[0].friction = {0.3, 0.9};
    problem.blocks[1].friction = {0.5, 0};  // held along one axis only
    const Solution solution = solve(problem);
    EXPECT_LE(solution.certificate.residual, 1e-10) << i;
    EXPECT_LE(std::hypot(solution.z[1] / 0.3, solution.z[2] / 0.9), solution.z[0] + 1e-9) << i;
    EXPECT_NEAR(solution.z[5], 0, 1e-9) << i;
  }
}

// Free rows without a coefficient and with a right-hand side: no answer, and what grows beyond all bounds on the way is not returned.
TEST(Solve, ReturnsOnlyFiniteNumbers) {
  Vector B(5), b(5);
  B << 1e-9, -1e-9, 0, 0, 0;
  b << 1, -2, 1, 0, 1;
  const Problem problem{
      Eigen::MatrixXd(B * B.transpose()),
      b,
      {{.law = Law::complementary, .first = 0, .size = 1}, {.law = Law::free, .first = 1, .size = 4}}};
  for (const Solver solver : {Solver::automatic, Solver::lemke, Solver::dantzig, Solver::gauss_seidel, Solver::cone}) {
    if (!applies(solver, problem)) continue;
    const Solution solution = solve(problem, {.solver = solver});
    EXPECT_NE(solution.certificate.status, Status::exact) << name_of(solver);
    EXPECT_TRUE(solution.z.allFinite() && solution.w.allFinite()) << name_of(solver);
    EXPECT_TRUE(std::isfinite(solution.certificate.residual)) << name_of(solver);
  }
}

TEST(Solve, EmptyAndTrivialProblems) {
  EXPECT_EQ(solve({Eigen::MatrixXd(0, 0), Vector(0), {}}).certificate.status, Status::exact);
  const Solution nothing =
      solve({Eigen::MatrixXd(Eigen::MatrixXd::Zero(3, 3)), Vector::Ones(3), complementary_rows(3)});
  EXPECT_EQ(nothing.certificate.status, Status::exact);
  EXPECT_EQ(nothing.z, Vector::Zero(3));
  const Solution never =
      solve({Eigen::MatrixXd(Eigen::MatrixXd::Zero(2, 2)), Vector::Constant(2, -1), complementary_rows(2)});
  EXPECT_EQ(never.certificate.status, Status::ray);
}

}  // namespace solve_test
}  // namespace catena::solve
