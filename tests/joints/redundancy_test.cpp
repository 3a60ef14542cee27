#include <gtest/gtest.h>

#include <set>

#include "catena/joints/tree_system.h"
#include "catena/mechanism/dynamics.h"
#include "joints/kkt_reference.h"
#include "joints/mechanisms.h"

namespace catena {
namespace redundancy_test {

using namespace testing_kkt;
using namespace testing_mechanisms;

constexpr LinearSolver kSolvers[] = {LinearSolver::tree,      LinearSolver::sparse, LinearSolver::dense,
                                     LinearSolver::dense_kkt, LinearSolver::cg,     LinearSolver::cg_tree};

struct Redundant {
  const char* name;
  BuiltModel built;
  int dependent;  // rows that follow from the others
};

std::vector<Redundant> mechanisms() {
  std::vector<Redundant> list;
  list.push_back({"four-bar", four_bar(), 3});
  list.push_back({"six-bar", six_bar(), 6});
  // Straight: stretching the chain is resisted by 3 (n + 1) rows of which one is the sum of the others.
  list.push_back({"straight chain of 6", straight_chain(6), 1});
  return list;
}

int rank_of(const Eigen::MatrixXd& J) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(J);
  decomposition.setThreshold(1e-10);
  return static_cast<int>(decomposition.rank());
}

// An orthonormal basis of the vectors that A takes to zero.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
  return svd.matrixV().rightCols(A.cols() - (svd.singularValues().array() > 1e-10 * svd.singularValues()[0]).count());
}

TEST(Redundancy, a_planar_linkage_of_3D_hinges_moves_as_the_pseudo_inverse_says_under_every_solver) {
  for (const Redundant& m : mechanisms())
    for (const LinearSolver solver : kSolvers) {
      SCOPED_TRACE(std::string(m.name) + ", solver " + std::to_string(static_cast<int>(solver)));
      KktReference reference(m.built.model, m.built.initial);
      const auto system = make_constraint_system(m.built.model, solver);
      ASSERT_TRUE(system->factor(reference.kinematics()));
      const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
      reference.solve(f, b);
      ASSERT_FALSE(reference.regular);
      const Solution got = solve_with(*system, reference, f, b);
      EXPECT_LE(relative(got.y, reference.y), solver == LinearSolver::sparse ? 1e-9 : 1e-10);
      // λ is one of many, but it is a solution.
      EXPECT_LE(relative(reference.M * got.y, f + reference.J.transpose() * got.lambda), 1e-9);
    }
}

TEST(Redundancy, as_many_rows_are_named_as_depend_on_the_others) {
  for (const Redundant& m : mechanisms())
    for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::dense, LinearSolver::dense_kkt}) {
      SCOPED_TRACE(m.name);
      const KktReference reference(m.built.model, m.built.initial);
      const int rows = static_cast<int>(reference.J.rows());
      EXPECT_EQ(rows - rank_of(reference.J), m.dependent);
      const auto system = make_constraint_system(m.built.model, solver);
      ASSERT_TRUE(system->factor(reference.kinematics()));
      ASSERT_EQ(static_cast<int>(system->redundant().size()), m.dependent);

      // Without the named rows nothing is lost and nothing is left over.
      std::set<int> named;
      for (const RowName& row : system->redundant()) named.insert(system->row_start(row.joint) + row.row);
      Eigen::MatrixXd rest(rows - m.dependent, reference.J.cols());
      for (int i = 0, k = 0; i < rows; ++i)
        if (!named.contains(i)) rest.row(k++) = reference.J.row(i);
      EXPECT_EQ(rank_of(rest), rows - m.dependent);
    }
}

TEST(Redundancy, the_dense_systems_forces_are_those_of_least_norm) {
  for (const Redundant& m : mechanisms()) {
    SCOPED_TRACE(m.name);
    const KktReference reference(m.built.model, m.built.initial);
    const auto system = make_constraint_system(m.built.model, LinearSolver::dense);
    ASSERT_TRUE(system->factor(reference.kinematics()));
    const Eigen::VectorXd f = reference.weight_and_gyration();
    const Solution got = solve_with(*system, reference, f, reference.minus_c());
    // Any solution plus a null vector of Jᵀ is one too; the shortest has no part in the null space.
    const Eigen::MatrixXd null = null_space(reference.J.transpose());
    ASSERT_EQ(null.cols(), m.dependent);
    EXPECT_LE((null.transpose() * got.lambda).norm(), 1e-9 * got.lambda.norm());
  }
}

// The primary forces follow from the auxiliary ones, which are the shortest that close the loops.
TEST(Redundancy, the_anticipated_loop_forces_are_those_of_least_norm) {
  for (const Redundant& m : mechanisms()) {
    SCOPED_TRACE(m.name);
    const KktReference reference(m.built.model, m.built.initial);
    TreeSystem system(m.built.model);
    ASSERT_TRUE(system.factor(reference.kinematics()));
    const Solution got = solve_with(system, reference, reference.weight_and_gyration(), reference.minus_c());
    const RowSet& rows = system.auxiliary_rows();
    Eigen::VectorXd mu(rows.rows());
    for (int i = 0, row = 0; i < rows.rows(); ++i, ++row) {
      if (i == 0 || rows.joint_of[i] != rows.joint_of[i - 1]) row = system.row_start(rows.joint_of[i]);
      mu[i] = got.lambda[row];
    }
    Eigen::MatrixXd W = system.compliance();
    W.triangularView<Eigen::StrictlyUpper>() = W.transpose();
    const Eigen::MatrixXd null = null_space(W);
    ASSERT_EQ(null.cols(), m.dependent);
    EXPECT_LE((null.transpose() * mu).norm(), 1e-9 * mu.norm());
  }
}

TEST(Redundancy, two_distance_joints_between_the_same_points_share_the_load) {
  ModelBuilder builder;
  builder.body({.name = "bob", .kind = BodyKind::particle, .mass = 2.0, .position = {0, 0, -1}});
  for (const char* name : {"left", "right"})
    builder.joint({.name = name,
                   .kind = JointKind::distance,
                   .between = {"ground", "bob"},
                   .anchors = std::array{Vec3{}, Vec3{0, 0, -1}},
                   .primary = false});
  const BuiltModel built = builder.build();
  for (const LinearSolver solver : kSolvers) {
    Dynamics dynamics(built.model, built.initial, solver);
    ASSERT_TRUE(dynamics.accelerations(built.initial));
    EXPECT_NEAR(norm(dynamics.vdot[0].linear), 0, 1e-12);
    // In the direction the rows share, the sparse system divides rounding errors by its regularisation of 1e-9.
    const double tolerance = solver == LinearSolver::sparse ? 1e-5 : 1e-12;
    EXPECT_NEAR(dynamics.reaction(JointId(0)).linear.z, 9.81, tolerance);
    EXPECT_NEAR(dynamics.reaction(JointId(1)).linear.z, 9.81, tolerance);
  }
}

TEST(Redundancy, a_straight_chain_held_at_both_ends_hangs_still_under_a_pull_along_itself) {
  BuiltModel built = straight_chain(5);
  built.model.gravity = {3, 0, 0};
  for (const LinearSolver solver : kSolvers) {
    Dynamics dynamics(built.model, built.initial, solver);
    ASSERT_TRUE(dynamics.accelerations(built.initial));
    for (const BodyVector& v : dynamics.vdot) EXPECT_LE(norm(v.linear) + norm(v.angular), 1e-9);
    // The two ends together carry all of it.
    const double first = dynamics.reaction(JointId(0)).linear.x, last = dynamics.reaction(JointId(5)).linear.x;
    EXPECT_NEAR(std::abs(first) + std::abs(last), 15, 1e-8);
  }
}

}  // namespace redundancy_test
}  // namespace catena
