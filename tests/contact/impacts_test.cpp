// Poisson's law on its own: how much of what bodies stored they may give back.
#include "catena/contact/impacts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace impacts_test {

using Matrix = Eigen::MatrixXd;
using Vector = solve::Vector;

double work(const Matrix& A, const Vector& b, const Vector& z) { return z.dot(b) + 0.5 * z.dot(A * z); }

// One meets at 1 m/s another that leans on a third, so that both normals push while they are stopped. Both give back all: the kinetic energy of
// before. The first alone: more than that, and the largest part that is not more is where the work is zero.
TEST(Impacts, give_back_no_more_energy_than_was_taken) {
  Matrix A(2, 2);
  A << 2, -1, -1, 1;
  Vector b(2), z(2), all(2), one(2);
  b << -1, 0;
  z << 1, 1;  // stops both: A z = -b
  all = z;
  one << z[0], 0;
  EXPECT_NEAR(work(A, b, z), -0.5, 1e-15);
  EXPECT_NEAR(work(A, b, z + all), 0, 1e-15);
  EXPECT_EQ(part_without_energy(A, b, z, 0.9 * all), 1);
  EXPECT_GT(work(A, b, z + one), 0.4);
  const double part = part_without_energy(A, b, z, one);
  EXPECT_NEAR(part, std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(work(A, b, z + part * one), 0, 1e-15);
}

}  // namespace impacts_test
}  // namespace catena
