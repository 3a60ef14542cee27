// Any problem as a mixed LCP: what solves the one solves the other.
#include "catena/solve/lcp_form.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstdint>
#include <limits>
#include <vector>

#include "catena/solve/natural_map.h"
#include "solve/random_problems.h"

namespace catena::solve {
namespace lcp_form_test {

// All laws but cones.
Problem mixed(testing_problems::Random& random) {
  constexpr int n = 11;
  const Eigen::MatrixXd B = testing_problems::random_matrix(random, n, n);
  Problem problem{Eigen::MatrixXd(B * B.transpose() + 0.2 * Eigen::MatrixXd::Identity(n, n)),
                  2 * testing_problems::random_matrix(random, n, 1),
                  {}};
  problem.blocks = {{.law = Law::free, .first = 0, .size = 2},
                    {.law = Law::complementary, .first = 2, .size = 2},
                    {.law = Law::boxed, .first = 4, .size = 1, .lower = -0.4, .upper = 0.3},
                    {.law = Law::facets, .first = 5, .size = 3, .friction = {0.5, 0}, .facets = 6},
                    {.law = Law::complementary, .first = 8, .size = 1},
                    {.law = Law::bounded_by, .first = 9, .size = 1, .parent = 8, .friction = {0.6, 0}},
                    {.law = Law::boxed, .first = 10, .size = 1, .lower = -std::numeric_limits<double>::infinity()}};
  check(problem);
  return problem;
}

// Rows of the form by enumeration of what is active: small enough to try them all.
Vector solve_by_enumeration(const LcpForm& form) {
  const int n = form.size();
  std::vector<int> complementary;
  for (int i = 0; i < n; ++i)
    if (!form.is_free[static_cast<std::size_t>(i)]) complementary.push_back(i);
  for (std::uint32_t set = 0; set < 1u << complementary.size(); ++set) {
    std::vector<int> inside;
    for (int i = 0; i < n; ++i)
      if (form.is_free[static_cast<std::size_t>(i)]) inside.push_back(i);
    for (std::size_t k = 0; k < complementary.size(); ++k)
      if (set >> k & 1) inside.push_back(complementary[k]);
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(form.M(inside, inside));
    if (!lu.isInvertible()) continue;
    Vector y = Vector::Zero(n);
    y(inside) = lu.solve(-form.q(inside));
    const Vector w = form.M * y + form.q;
    bool obeys = true;
    for (const int i : complementary) obeys = obeys && y[i] >= -1e-9 && w[i] >= -1e-9;
    if (obeys) return y;
  }
  ADD_FAILURE() << "no set of active rows solves it";
  return Vector::Zero(n);
}

TEST(LcpForm, its_answer_found_by_trying_every_set_of_active_rows_obeys_every_law_of_the_problem) {
  testing_problems::Random random(13);
  for (int trial = 0; trial < 5; ++trial) {
    SCOPED_TRACE(trial);
    const Problem problem = mixed(random);
    const LcpForm form = to_lcp(problem, 8);
    EXPECT_FALSE(form.approximate);
    const Vector z = form.z_of(solve_by_enumeration(form));
    const Vector w = to_dense(problem.A) * z + problem.b;
    EXPECT_LE(natural_residual(problem, z, w, matrix_scale(problem.A)).value, 1e-9);
  }
}

// n_f facets: n_f directions and a slip speed beside the normal (Jain eq. 10); z = E y + z0 puts the tangents together from them.
TEST(LcpForm, cones_become_pyramids_where_that_is_asked_for_and_stay_otherwise) {
  testing_problems::Random random(14);
  const Eigen::MatrixXd B = testing_problems::random_matrix(random, 6, 6);
  const Problem problem{Eigen::MatrixXd(B * B.transpose()), testing_problems::random_matrix(random, 6, 1),
                        friction_cones(Vector::Constant(2, 0.5), 3)};
  for (const int facets : {4, 8}) {
    const LcpForm form = to_lcp(problem, facets);
    EXPECT_TRUE(form.approximate);
    EXPECT_EQ(form.size(), 2 * (facets + 2));
    EXPECT_TRUE(form.cones.empty());
    // Every y ≥ 0 is a force in the half-space of the normals.
    const Vector y = Vector::LinSpaced(form.size(), 0.1, 1.2);
    EXPECT_GT(form.z_of(y)[0], 0);
  }
  const LcpForm kept = to_lcp(problem, 0);
  EXPECT_FALSE(kept.approximate);
  ASSERT_EQ(kept.cones.size(), 2U);
  const Problem same = problem_of(kept);
  EXPECT_EQ(same.size(), 6);
  EXPECT_LE((to_dense(same.A) - to_dense(problem.A)).norm(), 1e-13);
  EXPECT_LE((same.b - problem.b).norm(), 1e-15);
}

}  // namespace lcp_form_test
}  // namespace catena::solve
