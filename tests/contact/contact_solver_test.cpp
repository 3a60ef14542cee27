// What is found for the laws of a step obeys them, whichever way was taken. With contact_search.cpp, which has the ways.
#include "catena/contact/contact_solver.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/mechanism/law_problem.h"
#include "solve/random_problems.h"

namespace catena {
namespace contact_solver_test {

using solve::testing_problems::between;
using solve::testing_problems::Random;
using solve::testing_problems::random_matrix;

Settings settings(ContactMode mode) {
  Settings out;
  out.method = MethodWords{.method = Method::spook, .contacts = mode};
  return out;
}

double residual_of(const solve::Problem& problem, const solve::Vector& z) {
  const solve::Vector w = solve::to_dense(problem.A) * z + problem.b;
  return solve::natural_residual(problem, z, w, solve::matrix_scale(problem.A)).value;
}

// Contacts of bodies with many more freedoms than one contact has, pushed by anything.
solve::Problem contacts(Random& random, int count, int freedoms, double friction) {
  const Eigen::MatrixXd J = random_matrix(random, 3 * count, freedoms);
  return {Eigen::MatrixXd(J * J.transpose()), J * random_matrix(random, freedoms, 1),
          solve::friction_cones(solve::Vector::Constant(count, friction), 3)};
}

const VelocityTuning kTuning;  // which solvers refer to

TEST(ContactSolver, exact_answers_obey_the_laws_to_the_tolerance_with_and_without_a_guess) {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    SCOPED_TRACE(trial);
    const solve::Problem problem = contacts(random, 2 + trial % 6, 30, 0.1 + 0.04 * trial);
    const Settings asked = settings(ContactMode::exact);
    ContactSolver solver(kTuning, asked);
    EXPECT_FALSE(solver.sweeps(100000));
    solver.answer(problem, false, false);
    EXPECT_LE(residual_of(problem, solver.solution.z), asked.contact_tolerance);
    EXPECT_NEAR(residual_of(problem, solver.solution.z), solver.solution.certificate.residual, 1e-13);
    // From where the last step ended, a little later.
    solve::Problem later = problem;
    later.b += 1e-3 * random_matrix(random, problem.size(), 1);
    solver.answer(later, false, true);
    EXPECT_LE(residual_of(later, solver.solution.z), asked.contact_tolerance);
  }
}

TEST(ContactSolver, swept_answers_come_as_near_as_their_tolerance_says) {
  Random random(2);
  for (int trial = 0; trial < 10; ++trial) {
    const solve::Problem problem = contacts(random, 4, 30, 0.3);
    ContactSolver solver(kTuning, settings(ContactMode::swept));
    EXPECT_TRUE(solver.sweeps(3));
    solver.solution.z.setZero(problem.size());
    solver.answer(problem, true, true);  // as from last step's impulses, whose sweeps are counted
    EXPECT_GT(solver.sweeps_made, 0);
    EXPECT_LE(residual_of(problem, solver.solution.z), 10 * VelocityTuning{}.swept_tolerance);
  }
}

TEST(ContactSolver, equalities_alone_are_one_linear_solve) {
  Random random(3);
  const Eigen::MatrixXd B = random_matrix(random, 8, 8);
  solve::Problem problem{
      Eigen::MatrixXd(B * B.transpose() + Eigen::MatrixXd::Identity(8, 8)), random_matrix(random, 8, 1), {}};
  for (int i = 0; i < 8; ++i) problem.blocks.push_back({.law = solve::Law::free, .first = i, .size = 1});
  ContactSolver solver(kTuning, settings(ContactMode::exact));
  solver.answer(problem, false, false);
  EXPECT_LE((std::get<Eigen::MatrixXd>(problem.A) * solver.solution.z + problem.b).norm(), 1e-12 * problem.b.norm());
}

// Three contacts that roll and spin: each turn is bounded by its lever times its normal force, and at the bound where it turns.
TEST(ContactSolver, turns_are_bounded_by_the_normal_forces_that_are_found_with_them) {
  Random random(4);
  int bounded = 0, held = 0;
  for (int trial = 0; trial < 20; ++trial) {
    SCOPED_TRACE(trial);
    constexpr int kContacts = 3, kRows = 4 * kContacts;
    LawRows laws;
    for (int k = 0; k < kContacts; ++k) {
      LawBlock contact, turn;
      contact.first = 4 * k, contact.size = 3, contact.key = 10 * static_cast<std::uint64_t>(k) + 1;
      contact.across.friction = {0.5, 0.5};
      turn.kind = LawKind::turn, turn.first = 4 * k + 3;
      turn.turn = {0.05 + 0.3 * (trial % 3), contact.key};
      laws.blocks.insert(laws.blocks.end(), {contact, turn});
    }
    laws.rows.resize(kRows);
    const Eigen::MatrixXd J = random_matrix(random, kRows, 20);
    solve::Problem problem{Eigen::MatrixXd(J * J.transpose()), J * random_matrix(random, 20, 1), {}};
    LawProblem::add_laws(laws, 0, problem.blocks);
    ContactSolver solver(kTuning, settings(ContactMode::exact));
    solver.solve(problem, problem.blocks, laws, 0, false, false);
    const solve::Vector z = solver.solution.z, w = solve::to_dense(problem.A) * z + problem.b;
    const double small = 1e-6 * (1 + z.norm() + w.norm());
    for (int k = 0; k < kContacts; ++k) {
      const double bound = (0.05 + 0.3 * (trial % 3)) * std::max(0.0, z[4 * k]), turn = z[4 * k + 3],
                   rate = w[4 * k + 3];
      EXPECT_LE(std::abs(turn), bound + small);
      if (std::abs(rate) > 1e-3) {
        EXPECT_NEAR(turn, rate > 0 ? -bound : bound, 1e-4 * (1 + bound)) << "against what it turns";
        bounded += bound > 0 ? 1 : 0;
      } else {
        ++held;
      }
    }
  }
  EXPECT_GT(bounded, 5);
  EXPECT_GT(held, 0);
}

// Two rows that say the same with numbers that differ by a millionth: the nearest that can be met.
TEST(ContactSolver, rows_that_contradict_each_other_a_little_are_met_as_nearly_as_they_can_be) {
  Random random(5);
  Eigen::MatrixXd J = random_matrix(random, 6, 12);
  J.row(3) = J.row(0), J.row(4) = J.row(1), J.row(5) = J.row(2);
  solve::Vector b = J * random_matrix(random, 12, 1);
  b[0] = b[3] = -1, b[3] += 1e-6;
  solve::Problem problem{Eigen::MatrixXd(J * J.transpose()), b,
                         solve::friction_cones(solve::Vector::Constant(2, 5.0), 3)};
  ContactSolver solver(kTuning, settings(ContactMode::exact));
  solver.solution.z.setZero(6);
  ASSERT_TRUE(solver.answer_nearby(problem, 1e-4));
  const solve::Vector w = std::get<Eigen::MatrixXd>(problem.A) * solver.solution.z + b;
  EXPECT_LE(std::abs(w[0]) + std::abs(w[3]), 1e-5);
}

}  // namespace contact_solver_test
}  // namespace catena
