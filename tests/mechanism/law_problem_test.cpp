// The matrix of the laws against the whole system written densely.
#include "catena/mechanism/law_problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/joints/row_rhs.h"
#include "mechanism/mechanism_testing.h"

namespace catena {
namespace law_problem_test {

using namespace testing_mechanism;

Eigen::MatrixXd sigma_of(const LawRows& laws) {
  Eigen::VectorXd sigma(static_cast<Eigen::Index>(laws.rows.size()));
  for (std::size_t i = 0; i < laws.rows.size(); ++i) sigma[static_cast<Eigen::Index>(i)] = laws.rows[i].sigma;
  return sigma.asDiagonal();
}

TEST(LawProblem, its_matrix_is_what_rows_answer_each_other_with_through_the_joints) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = seed % 2 == 0 ? workloads::random_linkage(seed, 8, 1) : workloads::random_mechanism(seed, 8, 1);
    const LawRows laws = random_laws(scene.model, seed, 7);
    KktReference reference(scene.model, scene.initial);
    const auto system = make_constraint_system(scene.model, LinearSolver::automatic);
    ASSERT_TRUE(system->factor(reference.kinematics()));
    LawProblem problem(scene.model);
    problem.assemble(reference.kinematics(), *system, laws);
    const Eigen::MatrixXd J = J_of(laws, reference, scene.model.bodies.size());
    const Eigen::MatrixXd wanted = compliance_of(J, reference) + sigma_of(laws);
    const Eigen::MatrixXd got = solve::to_dense(problem.problem().A);
    EXPECT_LE((got - wanted).cwiseAbs().maxCoeff(), 1e-9 * wanted.cwiseAbs().maxCoeff());
  }
}

// Bodies without joints: J M⁻¹ Jᵀ, which is not formed.
TEST(LawProblem, bodies_without_joints_answer_by_themselves) {
  Scene scene = workloads::random_linkage(4, 6, 0);
  scene.model.joints.clear();
  const LawRows laws = random_laws(scene.model, 4, 7);
  const KktReference reference(scene.model, scene.initial);
  const auto system = make_constraint_system(scene.model, LinearSolver::automatic);
  ASSERT_TRUE(system->factor(reference.kinematics()));
  LawProblem problem(scene.model);
  problem.assemble(reference.kinematics(), *system, laws);
  EXPECT_TRUE(std::holds_alternative<solve::Product>(problem.problem().A));
  const Eigen::MatrixXd J = J_of(laws, reference, scene.model.bodies.size());
  const Eigen::MatrixXd wanted = J * reference.M.inverse() * J.transpose() + sigma_of(laws);
  EXPECT_LE((solve::to_dense(problem.problem().A) - wanted).cwiseAbs().maxCoeff(),
            1e-13 * wanted.cwiseAbs().maxCoeff());
}

// With the joints' rows in front: once they are eliminated the laws' matrix is left.
TEST(LawProblem, eliminating_the_rows_of_the_joints_from_the_whole_problem_leaves_that_of_the_laws) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_mechanism(seed, 7, 0);
    const LawRows laws = random_laws(scene.model, seed, 6);
    KktReference reference(scene.model, scene.initial);
    RowSet rows = all_rows(scene.model);
    rows.evaluate(scene.model, reference.kinematics());
    const std::vector<double> sigma(static_cast<std::size_t>(rows.rows()), 0.0);
    LawProblem whole(scene.model);
    whole.assemble_all(reference.kinematics(), rows, sigma, laws);
    const Eigen::MatrixXd A = solve::to_dense(whole.problem().A);
    const Eigen::Index m = rows.rows(), n = A.rows() - m;
    ASSERT_EQ(n, static_cast<Eigen::Index>(laws.rows.size()));
    const Eigen::MatrixXd left = A.bottomRightCorner(n, n) -
                                 A.bottomLeftCorner(n, m) * A.topLeftCorner(m, m).ldlt().solve(A.topRightCorner(m, n));
    const Eigen::MatrixXd J = J_of(laws, reference, scene.model.bodies.size());
    const Eigen::MatrixXd wanted = compliance_of(J, reference) + sigma_of(laws);
    EXPECT_LE((left - wanted).cwiseAbs().maxCoeff(), 1e-8 * wanted.cwiseAbs().maxCoeff());
    int next = 0;
    for (const solve::Block& block : whole.problem().blocks) {
      EXPECT_EQ(block.first, next);
      next += block.size;
      EXPECT_EQ(block.law == solve::Law::free, block.first < m || block.size == 2);
    }
    EXPECT_EQ(next, A.rows());
  }
}

// A welded body cannot move: what is pushed there gets the compliance it would have alone, and so next to no impulse. What can move keeps its own.
TEST(LawProblem, rows_along_which_nothing_moves_are_released) {
  Scene scene = workloads::random_linkage(6, 5, 0);
  Joint weld;
  weld.name = "weld";
  weld.kind = JointKind::weld;
  weld.b = BodyId(1);
  scene.model.joints = {weld};
  LawRows laws = random_laws(scene.model, 6, 3);
  laws.blocks[0].a = BodyId(1), laws.blocks[0].b = kGround;
  laws.blocks[1].a = BodyId(2), laws.blocks[1].b = kGround;
  const KktReference reference(scene.model, scene.initial);
  const auto system = make_constraint_system(scene.model, LinearSolver::automatic);
  ASSERT_TRUE(system->factor(reference.kinematics()));
  LawProblem problem(scene.model);
  problem.assemble(reference.kinematics(), *system, laws);
  problem.release_immobile_rows(reference.kinematics(), laws);
  const Eigen::MatrixXd A = solve::to_dense(problem.problem().A);
  const auto alone = [&](std::size_t k) {
    return free_compliance(scene.model, reference.kinematics(), laws, laws.blocks[k], laws.row(laws.blocks[k]));
  };
  EXPECT_LE(problem.ease(0), 1e-12);
  EXPECT_NEAR(A(0, 0), alone(0), 1e-12 * alone(0));
  EXPECT_NEAR(problem.ease(1), 1, 1e-12);
  EXPECT_NEAR(A(1, 1), alone(1), 1e-12 * alone(1));
  EXPECT_EQ(released_compliance(1e-14, 2), 2);
  EXPECT_EQ(released_compliance(1e-9, 2), 2e-6);
  EXPECT_EQ(released_compliance(0.5, 2), 0.5);
  EXPECT_EQ(released_compliance(-0.5, 2), -0.5) << "Painlevé's paradox is left for the solver";
}

// |z_turn| ≤ lever · z_n, told as a number or as the row it follows.
TEST(LawProblem, turns_are_bounded_by_the_levers_of_their_normal_forces) {
  LawRows laws;
  for (int k = 0; k < 3; ++k) {
    LawBlock contact, turn;
    contact.first = 4 * k, contact.size = 3, contact.key = 10 * static_cast<std::uint64_t>(k) + 1;
    turn.kind = LawKind::turn, turn.first = 4 * k + 3;
    turn.turn = {0.02 * (k + 1), contact.key};
    laws.blocks.insert(laws.blocks.end(), {contact, turn});
    laws.rows.resize(laws.rows.size() + 4);
  }
  std::vector<solve::Block> blocks;
  LawProblem::add_laws(laws, 2, blocks);
  solve::Vector z = solve::Vector::Zero(14);
  z[2] = 5, z[6] = -1, z[10] = 2;
  const double change = bind_turns(laws, blocks, z, 2);
  EXPECT_NEAR(change, 1, 1e-15);
  const double wanted[] = {0.02 * 5, 0, 0.06 * 2};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(blocks[2 * k + 1].upper, wanted[k], 1e-16);
    EXPECT_NEAR(blocks[2 * k + 1].lower, -wanted[k], 1e-16);
  }
  EXPECT_EQ(bind_turns(laws, blocks, z, 2), 0) << "they fit now";
  EXPECT_TRUE(follow_normals(laws, blocks, 2));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(blocks[2 * k + 1].law, solve::Law::bounded_by);
    EXPECT_EQ(blocks[2 * k + 1].parent, 2 + 4 * static_cast<int>(k));
  }
}

}  // namespace law_problem_test
}  // namespace catena
