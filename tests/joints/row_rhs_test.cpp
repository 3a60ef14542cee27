// Right-hand sides, and the sums over all rows that they and the solutions are made of.
#include "catena/joints/row_rhs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/loop_scenes.h"
#include "joints/kkt_reference.h"

namespace catena {
namespace row_rhs_test {

using namespace testing_kkt;

TEST(RowRhs, right_hand_sides_of_all_systems_are_those_of_the_rows) {
  for (const int loops : {0, 3}) {
    Scene scene = workloads::random_mechanism(31, 20, loops);
    for (BodyState& s : scene.initial.bodies) {  // off the constraints in position and velocity
      s.position += {0.01, -0.02, 0.03};
      s.velocity += {0.1, 0.2, -0.1};
    }
    const KktReference reference(scene.model, scene.initial);
    const RowSet& rows = reference.rows();
    Eigen::VectorXd v(reference.M.rows());
    std::vector<BodyVector> motion;
    for (const BodyState& s : scene.initial.bodies) motion.push_back(velocity_of(s));
    const Eigen::VectorXd Jv = reference.J * reference.flat(motion);
    for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::sparse, LinearSolver::dense}) {
      const auto system = make_constraint_system(scene.model, solver);
      ASSERT_TRUE(system->factor(reference.kinematics()));
      std::vector<double> a(rows.c.size()), u(rows.c.size()), p(rows.c.size());
      system->acceleration_rhs(reference.kinematics(), a);
      system->velocity_rhs(reference.kinematics(), u);
      system->position_rhs(reference.kinematics(), p);
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_NEAR(a[i], -rows.c[i], 1e-12) << i;
        EXPECT_NEAR(u[i], rows.u[i] - Jv[static_cast<Eigen::Index>(i)], 1e-12) << i;
        EXPECT_NEAR(p[i], rows.holonomic[i] ? -rows.phi[i] : 0, 1e-13) << i;
      }
    }
  }
}

// The rows of hinges and ball joints are multiplied without reading all their numbers.
TEST(RowSet, sums_over_all_rows_are_those_of_the_rows_one_by_one) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_graph(seed, 12, 4, 2);
    Kinematics kinematics(scene.model);
    kinematics.update(scene.model, scene.initial);
    RowSet rows = all_rows(scene.model);
    rows.evaluate(scene.model, kinematics);
    const auto n = static_cast<std::size_t>(rows.rows());
    std::vector<double> lambda(n), b(n), missing(n);
    std::vector<BodyVector> v, together(scene.model.bodies.size()), one_by_one(together.size());
    for (const BodyState& body : scene.initial.bodies) v.push_back(velocity_of(body));
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      lambda[i] = std::sin(1.0 + static_cast<double>(i));
      b[i] = std::cos(static_cast<double>(i));
      rows.add_force(static_cast<int>(i), lambda[i], one_by_one);
      largest = std::max(largest, std::abs(rows.times(static_cast<int>(i), v) - b[i]));
    }
    rows.add_forces(lambda, together);
    rows.missing_speeds(kinematics, missing);
    EXPECT_NEAR(rows.largest_error(v, b), largest, 1e-12);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(missing[i], rows.u[i] - rows.times(static_cast<int>(i), v), 1e-12);
    for (std::size_t i = 0; i < v.size(); ++i) {
      EXPECT_LE(norm(together[i].linear - one_by_one[i].linear), 1e-12);
      EXPECT_LE(norm(together[i].angular - one_by_one[i].angular), 1e-12);
    }
  }
}

}  // namespace row_rhs_test
}  // namespace catena
