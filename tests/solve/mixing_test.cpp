// Anderson's mixing of a linear fixed-point iteration: as many steps as there are errors to tell apart.
#include "catena/solve/mixing.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "solve/random_problems.h"

namespace catena {
namespace mixing_test {

// v ← v + P (b − A v): what is left after so many steps, and how it began.
struct Left {
  double first, last;
};
Left left_after(int steps, const Eigen::MatrixXd& A, const Eigen::VectorXd& b, bool mixed) {
  const auto n = static_cast<std::size_t>(b.size());
  Eigen::VectorXd v = Eigen::VectorXd::Zero(b.size());
  Mixing<double> mixing(n, n);
  mixing.restart();
  const double first = b.norm();
  for (int k = 0; k < steps; ++k) {
    const Eigen::VectorXd error = b - A * v;
    const Eigen::VectorXd y = error.cwiseQuotient(A.diagonal());
    if (mixed) mixing.advance({error.data(), n}, {y.data(), n}, {v.data(), n});
    else v += y;
  }
  return {first, (b - A * v).norm()};
}

TEST(Mixing, four_unknowns_are_found_in_a_few_steps_where_the_plain_iteration_takes_dozens_or_circles) {
  solve::testing_problems::Random random(12);
  for (int trial = 0; trial < 10; ++trial) {
    Eigen::MatrixXd A = solve::testing_problems::random_matrix(random, 4, 4);
    A.diagonal().array() += trial % 2 == 0 ? 6 : 2;
    const Eigen::VectorXd b = solve::testing_problems::random_matrix(random, 4, 1);
    // Five corrections span all of four dimensions; what is left is rounding, times the condition.
    const Left mixed = left_after(8, A, b, true), plain = left_after(8, A, b, false);
    EXPECT_LE(mixed.last, 1e-6 * mixed.first);
    EXPECT_LT(mixed.last, plain.last);
  }
}

TEST(Mixing, after_a_restart_the_first_correction_is_taken_as_it_is) {
  Mixing<double> mixing(2, 2);
  std::vector<double> v{1, 2};
  const std::vector<double> b{0.5, -1}, y{0.25, 0.75};
  mixing.advance(b, y, v);
  EXPECT_EQ(v, (std::vector<double>{1.25, 2.75}));
  mixing.advance(std::vector<double>{0.1, 0.3}, y, v);
  mixing.restart();
  v = {1, 2};
  mixing.advance(b, y, v);
  EXPECT_EQ(v, (std::vector<double>{1.25, 2.75}));
}

}  // namespace mixing_test
}  // namespace catena
