// The arithmetic of the cone n ≥ ‖t‖ against what it means.
#include "catena/solve/jordan.h"

#include <gtest/gtest.h>

#include "solve/random_problems.h"

namespace catena::solve {
namespace jordan_test {

ConeVector inside(testing_problems::Random& random, int dimension) {
  ConeVector x(dimension);
  for (int i = 0; i < dimension; ++i) x[i] = testing_problems::normal(random);
  x[0] = (dimension > 1 ? tangent_norm(x) : 0) + 0.1 + std::abs(x[0]);
  return x;
}

// (n, t) ∘ (m, s) = (nm + t·s, n s + m t).
ConeVector product(const ConeVector& x, const ConeVector& y) {
  ConeVector out(x.size());
  out[0] = x.dot(y);
  out.tail(x.size() - 1) = x[0] * y.tail(x.size() - 1) + y[0] * x.tail(x.size() - 1);
  return out;
}

TEST(Jordan, the_inverse_times_a_point_is_the_unit) {
  testing_problems::Random random(1);
  for (const int dimension : {1, 2, 3})
    for (int trial = 0; trial < 50; ++trial) {
      const ConeVector x = inside(random, dimension), unit = product(x, inverse(x));
      EXPECT_NEAR(unit[0], 1, 1e-13);
      if (dimension > 1) {
        EXPECT_LE(tangent_norm(unit), 1e-12 * x[0] * inverse(x)[0]);
      }
    }
}

TEST(Jordan, the_longest_step_ends_on_the_boundary_of_the_cone_and_no_shorter_one_does) {
  testing_problems::Random random(2);
  int ended = 0;
  for (const int dimension : {1, 2, 3})
    for (int trial = 0; trial < 200; ++trial) {
      const ConeVector x = inside(random, dimension);
      ConeVector d(dimension);
      for (int i = 0; i < dimension; ++i) d[i] = testing_problems::normal(random);
      const double step = longest_step(x, d);
      const auto depth = [&](double a) {  // > 0: inside
        const ConeVector y = x + a * d;
        return dimension == 1 ? y[0] : y[0] - tangent_norm(y);
      };
      if (step > 1e299) {
        EXPECT_GE(depth(1e6), 0) << "it never ends";
        continue;
      }
      ++ended;
      EXPECT_NEAR(depth(step), 0, 1e-10 * (1 + step));
      for (const double part : {0.1, 0.5, 0.9, 0.999}) EXPECT_GT(depth(part * step), 0);
    }
  EXPECT_GT(ended, 200);
}

TEST(Jordan, nesterov_and_todds_scaling_is_symmetric_positive_and_takes_one_point_to_the_other) {
  testing_problems::Random random(3);
  for (const int dimension : {1, 2, 3})
    for (int trial = 0; trial < 50; ++trial) {
      const ConeVector x = inside(random, dimension), y = inside(random, dimension);
      const ConeMatrix theta = nesterov_todd(x, y);
      EXPECT_LE((theta * x - y).norm(), 1e-11 * y.norm() * (1 + x.norm()));
      EXPECT_LE((theta - theta.transpose()).norm(), 1e-12 * theta.norm());
      for (int k = 0; k < 20; ++k) {
        ConeVector v(dimension);
        for (int i = 0; i < dimension; ++i) v[i] = testing_problems::normal(random);
        EXPECT_GT(v.dot(theta * v), 0);
        // It maps the cone onto itself.
        const ConeVector image = theta * inside(random, dimension);
        EXPECT_GT(dimension == 1 ? image[0] : image[0] - tangent_norm(image), 0);
      }
    }
}

}  // namespace jordan_test
}  // namespace catena::solve
