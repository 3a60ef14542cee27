// Interior points on the exact cone: what they find obeys Coulomb's law, written out.
#include "catena/solve/interior_point.h"

#include <gtest/gtest.h>

#include <cmath>

#include "solve/random_problems.h"

namespace catena::solve {
namespace interior_point_test {

Problem friction_problem(testing_problems::Random& random, int contacts, double friction) {
  const int freedoms = 3 * contacts + 2;
  const Eigen::MatrixXd J = testing_problems::random_matrix(random, 3 * contacts, freedoms);
  return {Eigen::MatrixXd(J * J.transpose()), J * testing_problems::random_matrix(random, freedoms, 1),
          friction_cones(Vector::Constant(contacts, friction), 3)};
}

// Signorini: no force or no gap opening. Coulomb: within the cone, and on its edge against the slip.
TEST(InteriorPoint, finds_forces_that_obey_signorini_and_coulomb_whatever_way_the_slip_comes_in) {
  testing_problems::Random random(6);
  int sticking = 0, slipping = 0, open = 0;
  for (const SlipPath path : {SlipPath::direct, SlipPath::ramped, SlipPath::halved, SlipPath::lagged})
    for (int trial = 0; trial < 20; ++trial) {
      const double friction = 0.2 + 0.02 * trial;
      const Problem problem = friction_problem(random, 6, friction);
      const Solution solution = interior_point(problem, {.slip = path});
      if (solution.certificate.status != Status::exact) continue;  // none is best everywhere
      const Vector w = to_dense(problem.A) * solution.z + problem.b;
      const double size = 1e-7 * (1 + w.norm() + solution.z.norm());
      for (int k = 0; k < 6; ++k) {
        const double n = solution.z[3 * k], gap = w[3 * k];
        const Eigen::Vector2d t = solution.z.segment<2>(3 * k + 1), slip = w.segment<2>(3 * k + 1);
        EXPECT_GE(n, -size);
        EXPECT_GE(gap, -size);
        EXPECT_LE(std::min(n, gap), size);
        EXPECT_LE(t.norm(), friction * n + size);
        if (n <= size) ++open;
        else if (slip.norm() > 1e-4) {
          ++slipping;
          EXPECT_LE((t + friction * n * slip.normalized()).norm(), 1e-5 * (1 + n)) << "against the slip";
        } else ++sticking;
      }
    }
  EXPECT_GT(sticking, 10);
  EXPECT_GT(slipping, 30);
  EXPECT_GT(open, 30);
}

// The barrier picks an answer where there are many.
TEST(InteriorPoint, a_table_on_more_legs_than_it_needs_is_carried) {
  testing_problems::Random random(7);
  const Eigen::MatrixXd J = testing_problems::random_matrix(random, 12, 4);
  // Pushed into a corner by what some forces answer.
  Vector push = Vector::Zero(12);
  for (int i = 0; i < 12; ++i) push[i] = std::abs(testing_problems::normal(random));
  const Problem problem{Eigen::MatrixXd(J * J.transpose()), -J * (J.transpose() * push), complementary_rows(12)};
  const Solution solution = interior_point(problem);
  EXPECT_EQ(solution.certificate.status, Status::exact);
  EXPECT_LE((J.transpose() * (solution.z - push)).norm(), 1e-8 * push.norm()) << "forces differ, the motion does not";
}

}  // namespace interior_point_test
}  // namespace catena::solve
