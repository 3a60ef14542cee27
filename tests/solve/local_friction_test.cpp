#include "catena/solve/local_friction.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "catena/solve/natural_map.h"

namespace catena::solve {
namespace local_friction_test {

using Rows3 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Random {
  std::mt19937_64 engine;
  explicit Random(unsigned seed) : engine(seed) {}
  double operator()(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  double log(double low, double high) { return std::pow(10.0, (*this)(low, high)); }
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
  Vector vector(int n) {
    Vector v(n);
    for (double& x : v) x = (*this)(-1, 1);
    return v;
  }
};

struct Local {
  Rows3 D;
  Vector r, lambda;
  Block block;
};

// D with the given eigenvalues, in a basis that two random reflections make.
Rows3 with_eigenvalues(Random& random, const Vector& e) {
  const int n = static_cast<int>(e.size());
  Eigen::MatrixXd D = e.asDiagonal();
  for (int i = 0; i < 2; ++i) {
    const Vector u = random.vector(n).normalized();
    const Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(n, n) - 2 * u * u.transpose();
    D = (Q * D * Q).eval();
  }
  return 0.5 * (D + D.transpose());
}

Block cone(int size, double first, double second) {
  return {.law = Law::cone, .first = 0, .size = size, .friction = {first, second}};
}

Vector solved(const Local& p, FrictionMethod method) {
  Vector z(p.block.size);
  solve_friction(friction_block(p.block, p.D.data()), method, p.block.size - 1, p.r.data(), p.lambda.data(), z.data());
  return z;
}

// The natural map of the block alone, relative to the numbers that w = D z + c is computed from: a backward stable answer has that
// times a few roundings, and times the friction where De Saxcé's term multiplies the rounding of w_t by it.
double residual(const Local& p, const Vector& z) {
  const Vector c = p.r - p.D * p.lambda;
  const Problem problem{Eigen::MatrixXd(p.D), c, {p.block}};
  const double scale = matrix_scale(problem.A);
  const double value = natural_residual(problem, z, p.D * z + c, scale).value * c.norm();
  const double reach = p.r.norm() + scale * (p.lambda.norm() + z.norm());
  const double friction = std::max({1.0, p.block.friction[0], p.block.friction[1]});
  return reach > 0 ? value / (reach * friction) : value;
}

constexpr double kTight = 1e-12;

Local random_local(Random& random, int size) {
  Local p;
  Vector e(size);
  for (double& x : e) x = random.log(-1, 1);
  p.D = with_eigenvalues(random, e) * random.log(-3, 3);
  p.r = random.vector(size) * random.log(-3, 3);
  p.lambda = random.below(2) == 0 ? Vector(Vector::Zero(size)) : random.vector(size);
  const double friction = random.log(-2, 0.5);
  p.block = cone(size, friction, size == 3 && random.below(4) == 0 ? friction * random.log(-1, 1) : friction);
  return p;
}

void expect_law(const Local& p, int i) {
  const Vector z = solved(p, FrictionMethod::exact);
  ASSERT_TRUE(z.allFinite()) << i;
  ASSERT_LE(residual(p, z), kTight) << i << "\nD\n"
                                    << p.D << "\nr " << p.r.transpose() << "\nlambda " << p.lambda.transpose() << "\nz "
                                    << z.transpose() << "\nfriction " << p.block.friction[0] << " "
                                    << p.block.friction[1];
}

TEST(LocalFriction, exact_answers_obey_the_law_on_random_blocks) {
  for (const int size : {2, 3}) {
    Random random(17);
    for (int i = 0; i < 50000; ++i) expect_law(random_local(random, size), i);
  }
}

TEST(LocalFriction, exact_answers_obey_the_law_without_friction_and_with_a_thousandfold) {
  Random random(18);
  for (int i = 0; i < 20000; ++i) {
    Local p = random_local(random, 2 + i % 2);
    p.block.friction = i % 4 < 2 ? std::array{0.0, 0.0} : std::array{1000.0, 1000.0};
    if (i % 4 < 2) p.lambda.tail(p.block.size - 1).setZero();
    expect_law(p, i);
  }
}

TEST(LocalFriction, exact_answers_obey_the_law_on_an_axis_without_friction) {
  Random random(19);
  for (int i = 0; i < 10000; ++i) {
    Local p = random_local(random, 3);
    p.block.friction[i % 2] = 0;
    p.lambda[1 + i % 2] = 0;
    expect_law(p, i);
  }
}

TEST(LocalFriction, exact_answers_obey_the_law_where_an_eigenvalue_is_tiny) {
  Random random(20);
  for (int i = 0; i < 20000; ++i) {
    Local p = random_local(random, 3);
    Vector e = Vector::Ones(3);
    e[random.below(3)] = random.log(-12, -6);
    p.D = with_eigenvalues(random, e);
    expect_law(p, i);
  }
}

// D of rank 1 or 2 and b in its range: the problem has solutions, and null directions to lose one's way in.
TEST(LocalFriction, exact_answers_obey_the_law_where_D_is_singular) {
  Random random(21);
  for (int i = 0; i < 20000; ++i) {
    Local p = random_local(random, 3);
    const int rank = 1 + i % 2;
    Eigen::MatrixXd B(3, rank);
    for (double& x : B.reshaped()) x = random(-1, 1);
    p.D = B * B.transpose();
    p.r = p.D * random.vector(3);
    expect_law(p, i);
  }
}

// b on the boundary of the polar cone: separation and slip meet there; and b with no normal part at all.
TEST(LocalFriction, exact_answers_obey_the_law_on_the_boundary_of_separation) {
  Random random(22);
  for (int i = 0; i < 20000; ++i) {
    Local p = random_local(random, 3);
    p.lambda.setZero();
    const double tangent = p.r.tail(2).norm();
    const double offset[] = {0, 1e-16, -1e-16, -1e-12, -1e-8};
    p.r[0] = (i % 2 == 0 ? p.block.friction[0] * tangent : 0) + offset[i % 5] * tangent;
    expect_law(p, i);
  }
}

// Where nothing obeys the law (D = 0 and pulled at, a null direction pulled at) the answer is still finite and in the cone.
TEST(LocalFriction, answers_are_finite_and_in_the_cone_where_there_is_no_solution) {
  Random random(23);
  for (int i = 0; i < 20000; ++i) {
    Local p = random_local(random, 2 + i % 2);
    const int size = p.block.size;
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(size, 1);
    if (i % 3 != 0) B = random.vector(size);
    p.D = B * B.transpose();
    for (const auto method : {FrictionMethod::projection, FrictionMethod::approximate, FrictionMethod::exact}) {
      const Vector z = solved(p, method);
      ASSERT_TRUE(z.allFinite()) << i << " " << z.transpose();
      const double reach = size == 2 ? std::abs(z[1]) / p.block.friction[0]
                                     : std::hypot(z[1] / p.block.friction[0], z[2] / p.block.friction[1]);
      ASSERT_LE(reach, z[0] * (1 + 1e-12));
    }
  }
}

// Eq. (18)–(19) and (20)–(21) written out with D⁻¹ and D.
TEST(LocalFriction, projection_and_approximation_are_lacoursieres_equations) {
  Random random(24);
  int slips = 0;
  for (int i = 0; i < 2000; ++i) {
    Local p = random_local(random, 3);
    const double friction = p.block.friction[0];
    p.block.friction[1] = friction;
    const Eigen::Vector3d bar = p.lambda - Eigen::MatrixXd(p.D).ldlt().solve(p.r);  // (18)
    const double t = std::hypot(bar[1], bar[2]);
    Eigen::Vector3d projected = bar;
    if (bar[0] < 0) projected.setZero();
    else if (t > friction * bar[0]) projected.tail(2) *= friction * bar[0] / t;  // (19)
    const double tolerance = 1e-10 * (p.lambda.norm() + bar.norm());
    EXPECT_LE((solved(p, FrictionMethod::projection) - projected).norm(), tolerance) << i;

    const Eigen::Vector3d c = p.r - p.D * p.lambda;
    const double answer = p.D(0, 0) + friction * (p.D(0, 1) * bar[1] + p.D(0, 2) * bar[2]) / t;
    if (c[0] < -1e-6 * c.norm() && bar[0] > 0 && t > friction * bar[0] && answer > 1e-3 * p.D(0, 0)) {
      const double n = -c[0] / answer;  // (21)
      const Eigen::Vector3d slipping(n, friction * n * bar[1] / t, friction * n * bar[2] / t);
      EXPECT_LE((solved(p, FrictionMethod::approximate) - slipping).norm(), 1e-8 * slipping.norm() + tolerance) << i;
      ++slips;
    }
  }
  EXPECT_GT(slips, 200);
}

TEST(LocalFriction, the_answer_may_be_written_over_lambda) {
  Random random(25);
  for (int i = 0; i < 100; ++i) {
    Local p = random_local(random, 3);
    const FrictionBlock B = friction_block(p.block, p.D.data());
    Vector z = p.lambda;
    solve_friction(B, FrictionMethod::exact, 2, p.r.data(), z.data(), z.data());
    EXPECT_EQ(z, solved(p, FrictionMethod::exact));
  }
}

}  // namespace local_friction_test
}  // namespace catena::solve
