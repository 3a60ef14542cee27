// Newton's method on the states of laws: what it finds obeys them, and near an answer it finds one.
#include "catena/solve/state_newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/solve/principal_pivoting.h"
#include "catena/solve/solve.h"
#include "solve/random_problems.h"

namespace catena::solve {
namespace state_newton_test {

using namespace testing_problems;

constexpr double kTolerance = 1e-10, kAcceptable = 1e-8;

// Coulomb's law, contact by contact, each miss relative to b (velocities) or to the largest force.
double worst_miss(const Problem& problem, const Solution& solution) {
  const double speed = problem.b.lpNorm<Eigen::Infinity>(), force = solution.z.lpNorm<Eigen::Infinity>();
  double worst = 0;
  for (const Block& block : problem.blocks) {
    const auto z = solution.z.segment<3>(block.first), w = solution.w.segment<3>(block.first);
    const double reach = block.friction[0] * z[0], slip = w.tail<2>().norm();
    worst = std::max({worst, -w[0] / speed, -z[0] / force, (z.tail<2>().norm() - reach) / force,
                      std::abs(z[0] * w[0]) / (speed * force),
                      std::abs(z.tail<2>().dot(w.tail<2>()) + reach * slip) / (speed * force)});
  }
  return worst;
}

Problem dense_pile(Random& random, int bodies, int contacts, double friction) {
  Problem problem = random_pile(random, bodies, contacts, friction, 10);
  problem.A = to_dense(problem.A);
  return problem;
}

// Bodies of a pile with more rows than freedoms, whose velocities have changed by a percent since the problem the guess is the answer of: a step
// later. The residual is held to 1e-8 at most, and a contact's miss is at most about ten of them.
TEST(StateNewton, FromTheLastStepItFindsForcesThatObeyCoulombsLaw) {
  Random random(11);
  StateNewton method;
  int found = 0, steps = 0, slipping = 0;
  constexpr int kProblems = 200;
  for (int k = 0; k < kProblems; ++k) {
    Problem problem = dense_pile(random, 3, 8, 0.1 + 0.1 * (k % 6));
    Solution solution = solve(problem, {.tolerance = kTolerance});
    ASSERT_EQ(solution.certificate.status, Status::exact);
    const Eigen::MatrixXd A = std::get<Eigen::MatrixXd>(problem.A);
    problem.b += 0.01 * (A * random_matrix(random, problem.size(), 1)).normalized() * problem.b.norm();
    const Vector guess = solution.z;
    if (!method.solve(problem, kTolerance, kAcceptable, solution)) {
      EXPECT_EQ(solution.z, guess);
      continue;
    }
    ++found;
    steps += solution.certificate.iterations;
    EXPECT_LE((A * solution.z + problem.b - solution.w).lpNorm<Eigen::Infinity>(), 1e-12);
    EXPECT_LE(worst_miss(problem, solution), 10 * kAcceptable) << "problem " << k;
    for (const Block& block : problem.blocks)
      slipping += solution.z[block.first] > 1e-6 && solution.w.segment<2>(block.first + 1).norm() > 1e-6;
  }
  EXPECT_GE(found, kProblems * 9 / 10);
  EXPECT_GT(slipping, kProblems) << "the problems are to have contacts that slip";
  EXPECT_LE(steps, 5 * found);
}

// A foot: one body of six freedoms on the four corners of its sole, twelve rows of rank six, which slides and turns on it while it is pressed
// down. Which corner carries how much is open, and Newton's method from no guess at all goes round in circles in many of them.
Problem sliding_foot(Random& random) {
  const double mass = 1.5, inertia = 0.01, friction = 0.7;
  Eigen::Matrix<double, 12, 6> J;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector3d arm(k % 2 == 0 ? 0.1 : -0.1, k < 2 ? 0.04 : -0.04, -0.05);
    const Eigen::Vector3d axes[] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()};
    for (int i = 0; i < 3; ++i) J.row(3 * k + i) << axes[i].transpose(), arm.cross(axes[i]).transpose();
  }
  Eigen::Matrix<double, 6, 1> inverse, v = random_matrix(random, 6, 1);
  inverse << Eigen::Vector3d::Constant(1 / mass), Eigen::Vector3d::Constant(1 / inertia);
  v *= 0.3;
  v[2] = -0.2;
  Problem problem;
  problem.A = Eigen::MatrixXd(J * inverse.asDiagonal() * J.transpose());
  problem.b = J * v;
  problem.blocks = friction_cones(Vector::Constant(4, friction), 3);
  return problem;
}

// Every answer is certified by the residual of the laws, at most 1e-8, whatever way it was found.
TEST(StateNewton, ProximalStepsFindForcesThatContactsLeaveOpen) {
  Random random(3);
  StateNewton method;
  int by_newton = 0, by_approach = 0;
  constexpr int kProblems = 200;
  for (int k = 0; k < kProblems; ++k) {
    const Problem problem = sliding_foot(random);
    Solution solution;
    solution.z.setZero(problem.size());
    by_newton += method.solve(problem, kTolerance, kAcceptable, solution);
    solution.z.setZero(problem.size());
    if (!method.approach(problem, kTolerance, kAcceptable, {}, solution)) {
      EXPECT_EQ(solution.z, Vector::Zero(problem.size()));
      continue;
    }
    ++by_approach;
    EXPECT_LE((std::get<Eigen::MatrixXd>(problem.A) * solution.z + problem.b - solution.w).lpNorm<Eigen::Infinity>(),
              1e-12);
    EXPECT_LE(worst_miss(problem, solution), 10 * kAcceptable) << "problem " << k;
  }
  EXPECT_GE(by_approach, kProblems * 19 / 20);
  EXPECT_LT(by_newton, by_approach) << "the problems are to be ones that need it";
}

// Positive definite: there is one answer, and pivoting finds it. The condition of the matrices is below 1e5.
TEST(StateNewton, BoundedProblemsHaveTheAnswerOfPivoting) {
  Random random(5);
  StateNewton method;
  int found = 0;
  for (int k = 0; k < 100; ++k) {
    const int size = 3 + k % 20;
    Problem problem = random_problem(random, Kind::spd, size);
    for (Block& block : problem.blocks) {
      const int law = between(random, 0, 2);
      if (law == 0) block.law = Law::free;
      if (law != 1) continue;
      block.law = Law::boxed;
      block.lower = -0.3;
      block.upper = 0.5;
    }
    const Solution careful = principal_pivoting(problem);
    ASSERT_EQ(careful.certificate.status, Status::exact);
    Solution solution;
    solution.z.setZero(size);
    if (!method.solve(problem, kTolerance, kTolerance, solution)) continue;
    ++found;
    EXPECT_LE((solution.z - careful.z).lpNorm<Eigen::Infinity>(), 1e-5 * (1 + careful.z.lpNorm<Eigen::Infinity>()));
  }
  EXPECT_GE(found, 80);
}

// Wheels: each contact of three rows has a row of rolling friction whose bound is a lever of its normal force. What the method finds is checked row
// by row: the bound is kept, below it nothing rolls, at it the couple is against the rolling. Velocities to 1e-8 of b, forces of the largest.
TEST(StateNewton, RowsBoundedByAnotherFollowIt) {
  Random random(23);
  StateNewton method;
  int found = 0, at_bound = 0, below = 0;
  constexpr int kProblems = 200, kContacts = 3;
  for (int k = 0; k < kProblems; ++k) {
    const int n = 4 * kContacts;
    const Eigen::MatrixXd J = random_matrix(random, n, n + 2);
    Problem problem{Eigen::MatrixXd(J * J.transpose()), Vector(random_matrix(random, n, 1)), {}};
    for (int c = 0; c < kContacts; ++c) {
      problem.b[4 * c] -= 1;  // pressed together
      problem.blocks.push_back({.law = Law::cone, .first = 4 * c, .size = 3, .friction = {0.5, 0.5}});
      problem.blocks.push_back(
          {.law = Law::bounded_by, .first = 4 * c + 3, .parent = 4 * c, .friction = {0.05 + 0.1 * (k % 4), 0}});
    }
    ASSERT_TRUE(StateNewton::takes(problem));
    Solution solution;
    solution.z.setZero(n);
    if (!method.solve(problem, kTolerance, kAcceptable, solution) &&
        !method.approach(problem, kTolerance, kAcceptable, {}, solution))
      continue;
    ++found;
    const double speed = problem.b.lpNorm<Eigen::Infinity>(), force = solution.z.lpNorm<Eigen::Infinity>();
    for (int c = 0; c < kContacts; ++c) {
      const double z = solution.z[4 * c + 3], w = solution.w[4 * c + 3];
      const double bound = problem.blocks[static_cast<std::size_t>(2 * c + 1)].friction[0] * solution.z[4 * c];
      EXPECT_LE(std::abs(z), bound + 1e-8 * force);
      EXPECT_LE(std::abs(z * w) * (z * w > 0 ? 1 : 0), 1e-8 * force * speed) << "it may not drive";
      EXPECT_LE((bound - std::abs(z)) * std::abs(w), 1e-8 * force * speed);
      (bound > 1e-6 && bound - std::abs(z) < 1e-6 * bound ? at_bound : below) += bound > 1e-6 ? 1 : 0;
    }
  }
  EXPECT_GE(found, kProblems * 9 / 10);
  EXPECT_GT(at_bound, 50);
  EXPECT_GT(below, 20);
}

// w = z + b: one contact at a time has a closed form.
TEST(StateNewton, OneContactSlipsSticksOrOpens) {
  StateNewton method;
  const auto answer = [&](const Vector& b, double friction) {
    const Problem problem{Eigen::MatrixXd(Eigen::MatrixXd::Identity(b.size(), b.size())), b,
                          friction_cones(Vector::Constant(1, friction), static_cast<int>(b.size()))};
    Solution solution;
    solution.z.setZero(b.size());
    EXPECT_TRUE(method.solve(problem, 1e-13, 1e-13, solution));
    return solution.z;
  };
  const auto near = [](const Vector& a, const Vector& b) { return (a - b).lpNorm<Eigen::Infinity>() < 1e-12; };
  EXPECT_TRUE(near(answer(Eigen::Vector3d(-1, 3, -4), 0.5), Eigen::Vector3d(1, -0.3, 0.4)));
  EXPECT_TRUE(near(answer(Eigen::Vector3d(-1, 0.3, -0.4), 0.6), Eigen::Vector3d(1, -0.3, 0.4)));
  EXPECT_TRUE(near(answer(Eigen::Vector3d(1, 3, -4), 0.5), Eigen::Vector3d::Zero()));
  EXPECT_TRUE(near(answer(Eigen::Vector3d(-1, 3, -4), 0), Eigen::Vector3d(1, 0, 0)));
  EXPECT_TRUE(near(answer(Eigen::Vector2d(-1, 3), 0.5), Eigen::Vector2d(1, -0.5)));
}

// Four points of one plate share its weight; their normals' matrix has rank 3.
TEST(StateNewton, DependentContactsStartFromAndKeepTheSpreadOfTheGuess) {
  Eigen::MatrixXd J(4, 3);
  J << 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1;
  const Problem problem{Eigen::MatrixXd(J * J.transpose()), Vector::Constant(4, -1), complementary_rows(4)};
  StateNewton method;
  Solution even, spread;
  even.z.setZero(4);
  spread.z = Eigen::Vector4d(0.35, 0.15, 0.15, 0.35);
  ASSERT_TRUE(method.solve(problem, kTolerance, kTolerance, even));
  ASSERT_TRUE(method.solve(problem, kTolerance, kTolerance, spread));
  EXPECT_LE((even.z - Vector::Constant(4, 0.25)).lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_LE((spread.z - Eigen::Vector4d(0.35, 0.15, 0.15, 0.35)).lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST(StateNewton, WhatItDoesNotFindItLeavesAlone) {
  StateNewton method;
  const Problem none{Eigen::MatrixXd::Constant(1, 1, -1.0), Vector::Constant(1, -1.0), complementary_rows(1)};
  Solution solution;
  solution.z = Vector::Constant(1, 0.25);
  EXPECT_FALSE(method.solve(none, kTolerance, kAcceptable, solution));
  EXPECT_EQ(solution.z[0], 0.25);

  Random random(1);
  EXPECT_FALSE(StateNewton::takes(random_problem(random, Kind::friction, 12)));
  EXPECT_FALSE(StateNewton::takes(random_pile(random, 2, 2, 0.5, 1)));
}

// A foot on four points of which three would do: the normal velocities that a rigid body gives them span three dimensions, and what is asked of them lies
// outside by c of the speed. With σ well above c the forces stay near the guess, those that push go on pushing, and what is left of w is c; a σ
// of the size of c would move them by as much as they are.
TEST(StateNewton, RowsThatContradictEachOtherALittleAreAnsweredNearTheGuess) {
  Eigen::MatrixXd J(4, 3);
  J << 1, 0.1, 0.2, 1, -0.1, 0.2, 1, 0.1, -0.2, 1, -0.1, -0.2;
  const Vector load = J * Eigen::Vector3d(-1, 0.02, 0.03), against = Eigen::Vector4d(1, -1, -1, 1);
  ASSERT_LE((J.transpose() * against).norm(), 1e-15);
  constexpr double kContradiction = 4e-10, kSoft = 1e-6;
  Problem problem{Eigen::MatrixXd(J * J.transpose()), load + kContradiction * load.norm() * 0.5 * against,
                  complementary_rows(4)};
  StateNewton method;
  Solution solution;
  solution.z = Vector::Constant(4, 0.24);
  ASSERT_TRUE(method.solve(problem, kTolerance, kAcceptable, solution, kSoft));
  EXPECT_GT(solution.z.minCoeff(), 0);
  // The part of the forces that moves nothing is that of the guess, but for a few pushes of c/σ.
  const double scale = matrix_scale(problem.A);
  EXPECT_LE(std::abs(0.25 * against.dot(solution.z)), 10 * kContradiction * load.norm() / (kSoft * scale));
  EXPECT_LE((solution.w - 0.5 * kContradiction * load.norm() * against).norm(), kTolerance * load.norm());
}

}  // namespace state_newton_test
}  // namespace catena::solve
