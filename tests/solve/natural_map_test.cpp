// Projections are the nearest points, and the natural map vanishes at solutions and only there.
#include "catena/solve/natural_map.h"

#include <gtest/gtest.h>

#include <numbers>

#include "solve/random_problems.h"

namespace catena::solve {
namespace natural_map_test {

using Eigen::Vector3d;

// p is the nearest point of a convex cone to v if and only if p is in it, v − p is in the polar cone, and they are orthogonal (Moreau).
TEST(Projection, OnTheConeSplitsAsMoreauSays) {
  testing_problems::Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const double friction = 0.3 * testing_problems::between(random, 0, 8);
    const Vector3d v = testing_problems::random_matrix(random, 3, 1);
    Vector3d p = v;
    project_on_cone(friction, 2, p.data());
    const Vector3d rest = v - p;
    const double size = 1e-14 * v.norm();
    EXPECT_LE(p.tail<2>().norm(), friction * p[0] + size);
    EXPECT_LE(friction * rest.tail<2>().norm(), -rest[0] + size * (1 + friction));
    EXPECT_NEAR(p.dot(rest), 0, size * v.norm());
  }
}

// Without friction the cone is a half-line, and a pull along it is not in it.
TEST(Projection, OnAHalfLine) {
  for (const double n : {-2.0, 0.0, 3.0})
    for (const double t : {0.0, 1.0}) {
      Vector3d p(n, t, 0);
      project_on_cone(0, 2, p.data());
      EXPECT_EQ(p, Vector3d(std::max(n, 0.0), 0, 0));
      p = {n, t, 0};
      project_on_facets(0, 4, p.data());
      EXPECT_EQ(p, Vector3d(std::max(n, 0.0), 0, 0));
    }
}

TEST(Projection, OnFacetsSplitsAsMoreauSays) {
  testing_problems::Random random(2);
  for (int i = 0; i < 10000; ++i) {
    const double friction = 0.3 * testing_problems::between(random, 0, 8);
    const int facets = 2 * testing_problems::between(random, 2, 8);
    const Vector3d v = testing_problems::random_matrix(random, 3, 1);
    Vector3d p = v;
    project_on_facets(friction, facets, p.data());
    const Vector3d rest = v - p;
    const double size = 1e-13 * v.norm() * (1 + friction);
    EXPECT_NEAR(p.dot(rest), 0, size * v.norm());
    for (int j = 0; j < facets; ++j) {
      const double angle = 2 * std::numbers::pi * j / facets;
      const Vector3d corner(1, friction * std::cos(angle), friction * std::sin(angle));
      EXPECT_LE(rest.dot(corner), size * corner.norm());  // in the polar cone
    }
    // Inside: no corner direction of the polar cone sees p.
    for (int j = 0; j < facets; ++j) {
      const double angle = 2 * std::numbers::pi * (j + 0.5) / facets;
      const double inner = friction * std::cos(std::numbers::pi / facets);
      EXPECT_LE(p[1] * std::cos(angle) + p[2] * std::sin(angle), inner * p[0] + size);
    }
  }
}

// One contact of unit mass, solved by hand: w = z + b.
struct ByHand {
  const char* what;
  Vector3d b, z;
};
TEST(NaturalMap, VanishesAtSolutionsByHand) {
  const double friction = 0.5;
  const std::vector<ByHand> cases = {
      {"separates", {1, 0.3, 0}, {0, 0, 0}},
      {"sticks", {-2, 0.3, -0.4}, {2, -0.3, 0.4}},
      {"slides", {-2, 3, -4}, {2, -0.6, 0.8}},
      {"just touches", {0, 1, 0}, {0, 0, 0}},
  };
  for (const ByHand& c : cases) {
    Problem problem{Eigen::MatrixXd(Eigen::Matrix3d::Identity()), c.b,
                    friction_cones(Vector::Constant(1, friction), 3)};
    const Vector w = c.z + c.b;
    EXPECT_LE(natural_residual(problem, c.z, w, 1).value, 1e-15) << c.what;
    EXPECT_LE(natural_residual(problem, c.z, w, 1).gap, 1e-15) << c.what;
    // Away from the answer the residual grows with the distance: W = 1 is strongly monotone but for the slip term.
    const Vector off = c.z + Vector3d(0.1, 0.05, 0.02);
    EXPECT_GT(natural_residual(problem, off, off + c.b, 1).value, 1e-2) << c.what;
  }
}

TEST(NaturalMap, EllipseIsTheCircleOfStretchedAxes) {
  // Friction 0.4 and 0.8: slip along the strong axis is held by the weak one's rule after stretching. Maximum dissipation: z_t is
  // the point of the ellipse with outward normal −w_t.
  const Block block{.law = Law::cone, .first = 0, .size = 3, .friction = {0.4, 0.8}};
  const Eigen::Vector2d slip(0.3, -0.2);
  const double reach = std::hypot(0.4 * slip[0], 0.8 * slip[1]);
  Vector z(3);
  z << 2, -2 * 0.16 * slip[0] / reach, -2 * 0.64 * slip[1] / reach;
  const Vector3d w(0, slip[0], slip[1]);
  Vector3d out;
  natural_map(block, z, w.data(), 0.7, out.data());
  EXPECT_LE(out.norm(), 1e-15);
  EXPECT_NEAR(slip_term(block, w.data()), reach, 1e-16);
  EXPECT_NEAR(z.tail<2>().dot(slip), -2 * reach, 1e-15);  // dissipation = z_n · slip term
}

TEST(NaturalMap, NamesTheWorstRowAndLetsNaNWin) {
  Problem problem{Eigen::MatrixXd(Eigen::MatrixXd::Identity(3, 3)), Vector::Constant(3, -1), complementary_rows(3)};
  Vector z(3);
  z << 1, 1.5, 1;
  EXPECT_EQ(natural_residual(problem, z, z + problem.b, 1).worst_row, 1);
  z[2] = std::nan("");
  const Residual residual = natural_residual(problem, z, z + problem.b, 1);
  EXPECT_FALSE(residual.value <= 1e300);
}

}  // namespace natural_map_test
}  // namespace catena::solve
