// Answers from a guess: exact where Newton's method on states finds them, good enough where contacts leave open which of them carries how much.
#include "catena/solve/from_guess.h"

#include <gtest/gtest.h>

#include "solve/random_problems.h"

namespace catena::solve {
namespace from_guess_test {

using namespace testing_problems;

constexpr int kContacts = 20;

// A ball of unit mass and inertia pressed from below by many contacts with strong friction that do not move by themselves: 60 rows, six freedoms. With
// `noise` the contacts move, relative to b, in ways no force on the ball can stop, as parts of a net do whose threads are closed to a tolerance.
struct Held {
  Eigen::MatrixXd G;  // rows of contacts by the ball's freedoms
  Problem problem;

  Held(Random& random, double noise) : G(3 * kContacts, 6) {
    for (int i = 0; i < kContacts; ++i) {
      const Eigen::Vector3d side(0.4 * normal(random), 0.4 * normal(random), 1), n = side.normalized();
      const Eigen::Vector3d t = n.unitOrthogonal(), s = n.cross(t);
      for (int a = 0; a < 3; ++a) {
        const Eigen::Vector3d d = a == 0 ? n : a == 1 ? t : s;
        G.row(3 * i + a) << d.transpose(), (-n).cross(d).transpose();
      }
    }
    Eigen::VectorXd v(6);
    v << 0, 0, -1, 0, 0, 0;
    problem.A = Eigen::MatrixXd(G * G.transpose());
    problem.b = G * v;
    const Eigen::VectorXd any = random_matrix(random, 3 * kContacts, 1);
    const Eigen::VectorXd unanswered = any - G * (G.transpose() * G).ldlt().solve(G.transpose() * any);
    problem.b += noise * problem.b.norm() * unanswered.normalized();
    problem.blocks = friction_cones(Vector::Constant(kContacts, 0.9), 3);
  }
};

double residual_of(const Problem& problem, const Vector& z) {
  const Vector w = std::get<Eigen::MatrixXd>(problem.A) * z + problem.b;
  return natural_residual(problem, z, w, matrix_scale(problem.A)).value;
}

TEST(FromGuess, FindsExactForcesNearTheGuess) {
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const Held held(random, 0);
    const Options options{.tolerance = 1e-10, .enough = 1e-3};
    const Vector guess = (1 + 0.01 * normal(random)) * solve(held.problem).z;
    const std::optional<Solution> found = from_guess(held.problem, options, guess);
    ASSERT_TRUE(found) << k;
    EXPECT_EQ(found->certificate.status, Status::exact);
    EXPECT_LE(residual_of(held.problem, found->z), options.acceptable) << k;
  }
}

// The contradiction is below what is enough: contacts share their forces some way that holds the ball, in few sweeps.
TEST(FromGuess, ContradictionsBelowWhatIsEnoughAreLeftAlone) {
  Random random(4);
  constexpr double kNoise = 1e-4, kEnough = 1e-3;
  for (int k = 0; k < 20; ++k) {
    const Held held(random, kNoise);
    const Vector guess = Vector::Zero(held.problem.size());
    const std::optional<Solution> found = from_guess(held.problem, {.tolerance = 1e-10, .enough = kEnough}, guess);
    ASSERT_TRUE(found) << k;
    EXPECT_LE(residual_of(held.problem, found->z), kEnough) << k;
    EXPECT_EQ(found->certificate.residual, residual_of(held.problem, found->z)) << "it says how good it is";
    // Momentum 1 arrives, and is stopped to what is enough of the contacts' speeds.
    const Eigen::VectorXd pushed = held.G.transpose() * found->z;
    EXPECT_NEAR(pushed[2], 1, kEnough * held.problem.b.norm()) << k;
    EXPECT_LE(found->certificate.iterations, 500);
  }
}

TEST(FromGuess, SaysWhenNothingItFoundIsEnough) {
  Random random(5);
  const Held held(random, 1e-2);
  const Vector guess = Vector::Zero(held.problem.size());
  EXPECT_FALSE(from_guess(held.problem, {.tolerance = 1e-10, .enough = 1e-9}, guess));
  // The whole chain then has its turn.
  const Solution whole = solve(held.problem, {.tolerance = 1e-10, .enough = 1e-9}, &guess);
  EXPECT_NE(whole.certificate.solver, "states");
  EXPECT_LE(whole.certificate.residual, 1e-2);
}

}  // namespace from_guess_test
}  // namespace catena::solve
