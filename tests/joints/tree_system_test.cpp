// The tree with anticipated auxiliary rows against the whole system written densely.
#include "catena/joints/tree_system.h"

#include <gtest/gtest.h>

#include <random>

#include "bench/workloads.h"
#include "catena/mechanism/dynamics.h"
#include "joints/kkt_reference.h"
#include "joints/mechanisms.h"

namespace catena {
namespace tree_system_test {

using namespace testing_kkt;

// W e_i is the auxiliary motion that a unit force along row i causes once the primary joints have answered: solved here by the KKT
// matrix of the primary rows alone.
TEST(Compliance, W_is_the_response_of_the_primary_system_to_the_auxiliary_rows) {
  for (const int seed : {1, 2, 3, 4, 5}) {
    const Scene scene = workloads::random_mechanism(static_cast<std::uint64_t>(3000 + seed), 12, 4);
    const KktReference reference(scene.model, scene.initial);
    TreeSystem system(scene.model);
    ASSERT_TRUE(system.factor(reference.kinematics()));
    std::vector<int> primary, auxiliary;
    for (std::size_t j = 0; j < scene.model.joints.size(); ++j) {
      const bool aux = std::ranges::count(system.primary().forest().auxiliary, JointId(j)) > 0;
      for (int i = system.row_start(JointId(j));
           i < system.row_start(JointId(j)) + row_count(scene.model, scene.model.joints[j]); ++i)
        (aux ? auxiliary : primary).push_back(i);
    }
    ASSERT_FALSE(auxiliary.empty());
    const Eigen::MatrixXd Jp = reference.J(primary, Eigen::all), Ja = reference.J(auxiliary, Eigen::all);
    const auto n = reference.M.rows(), m = Jp.rows();
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n + m, n + m), K = Eigen::MatrixXd::Zero(n + m, Ja.rows());
    H << reference.M, -Jp.transpose(), Jp, Eigen::MatrixXd::Zero(m, m);
    K.topRows(n) = Ja.transpose();
    const Eigen::MatrixXd W = Ja * H.partialPivLu().solve(K).topRows(n);
    const Eigen::MatrixXd lower = system.compliance().triangularView<Eigen::Lower>();
    const Eigen::MatrixXd wanted = W.triangularView<Eigen::Lower>();
    EXPECT_LE((lower - wanted).cwiseAbs().maxCoeff(), 1e-11 * wanted.cwiseAbs().maxCoeff());
  }
}

TEST(Auxiliary, a_joint_with_primary_no_is_solved_outside_the_tree_with_the_same_result) {
  const Scene scene = workloads::random_mechanism(17, 15, 0);
  Scene outside = scene;
  for (std::size_t j = 0; j < outside.model.joints.size(); j += 3) outside.model.joints[j].primary = false;
  EXPECT_EQ(build_forest(outside.model).auxiliary.size(), (outside.model.joints.size() + 2) / 3);
  Dynamics a(scene.model, scene.initial, LinearSolver::tree), b(outside.model, outside.initial, LinearSolver::tree);
  ASSERT_TRUE(a.accelerations(scene.initial) && b.accelerations(outside.initial));
  const KktReference reference(scene.model, scene.initial);
  EXPECT_LE(relative(reference.flat(b.vdot), reference.flat(a.vdot)), 1e-10);
  EXPECT_LE(relative(Eigen::Map<Eigen::VectorXd>(b.lambda.data(), static_cast<Eigen::Index>(b.lambda.size())),
                     Eigen::Map<Eigen::VectorXd>(a.lambda.data(), static_cast<Eigen::Index>(a.lambda.size()))),
            1e-10);
}

TEST(Auxiliary, a_coupling_over_three_trees_ties_them_together) {
  Scene scene = workloads::random_mechanism(23, 9, 0);
  JointExtras extras;
  extras.rows.resize(2);
  for (const int i : {0, 4, 8}) {
    extras.rows[0].terms.push_back({BodyId(i), {0.3, -0.5, 1.0 + i}, {}, false});
    extras.rows[1].terms.push_back(
        {BodyId(i), {1, 0.2 * i, 0.4}, {}, scene.model.bodies[i].kind != BodyKind::particle});
  }
  extras.rows[0].velocity = Constant{0.4};
  testing_mechanisms::add_coupling(scene.model, "tie", extras);
  KktReference reference(scene.model, scene.initial);
  const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
  reference.solve(f, b);
  ASSERT_TRUE(reference.regular);
  for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::sparse, LinearSolver::dense}) {
    const auto system = make_constraint_system(scene.model, solver);
    ASSERT_TRUE(system->factor(reference.kinematics()));
    const Solution got = solve_with(*system, reference, f, b);
    EXPECT_LE(relative(got.y, reference.y), 1e-9);
    EXPECT_LE(relative(got.lambda, reference.lambda), 1e-9);
  }
}

// Baraff §8: a force along K holds a row along Jᵃ. Here a push on one body steers another, through the joints between them.
TEST(Auxiliary, a_force_that_is_not_along_its_row_is_anticipated_like_the_unsymmetric_KKT_matrix_says) {
  for (const std::uint64_t seed : {3, 12, 25}) {
    Scene scene = workloads::random_mechanism(seed, 8, 2);
    JointExtras extras;
    CouplingRow& row = extras.rows.emplace_back();
    row.terms.push_back({BodyId(1), {0.3, -0.5, 1.0}, {}, false});
    row.terms.push_back({BodyId(3), {-0.2, 0.1, 0.6}, {}, false});
    row.through.push_back({BodyId(1), {0.5, 0.4, 0.9}, {}, false});
    row.through.push_back({BodyId(2), {0.1, 0.7, -0.2}, {}, false});
    row.velocity = Constant{0.4};
    testing_mechanisms::add_coupling(scene.model, "steer", extras);
    KktReference reference(scene.model, scene.initial);
    EXPECT_GT((reference.K - reference.J.transpose()).norm(), 0.1);
    const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
    reference.solve(f, b);
    ASSERT_TRUE(reference.regular) << seed;
    for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::dense}) {
      const auto system = make_constraint_system(scene.model, solver);
      ASSERT_TRUE(system->factor(reference.kinematics()));
      const Solution got = solve_with(*system, reference, f, b);
      EXPECT_LE(relative(got.y, reference.y), 1e-9);
      EXPECT_LE(relative(got.lambda, reference.lambda), 1e-9);
    }
    EXPECT_THROW(choose_solver(system_sizes(scene.model), LinearSolver::sparse), InputError);
  }
}

}  // namespace tree_system_test
}  // namespace catena
