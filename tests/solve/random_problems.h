// Random problems with fixed seeds, shared by the tests of the solvers.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>

#include "catena/solve/problem.h"

namespace catena::solve::testing {

using Random = std::mt19937_64;

inline double normal(Random& random) { return std::normal_distribution<double>()(random); }
inline int between(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

inline Eigen::MatrixXd random_matrix(Random& random, int rows, int columns) {
  Eigen::MatrixXd X(rows, columns);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) X(i, j) = normal(random);
  return X;
}

enum class Kind { spd, p_matrix, semidefinite, duplicated, friction, friction_deficient };

// Every problem made here has a solution.
//   spd: A = BBᵀ + small;  p_matrix: plus a skew part (positive definite, not symmetric)
//   semidefinite: rank about half, b in the reach of A plus something positive;  duplicated: rows and columns repeated
//   friction: n_f = 4 pyramids (Stewart and Trinkle), full rank or many more contacts than freedoms; b = J v
inline Problem random_problem(Random& random, Kind kind, int size) {
  Problem problem;
  const auto rows_in_reach = [&](const Eigen::MatrixXd& A) {
    Vector z(size), w(size);
    for (int i = 0; i < size; ++i) {
      const bool active = between(random, 0, 1) == 1;
      z[i] = active ? std::abs(normal(random)) : 0;
      w[i] = active ? 0 : std::abs(normal(random));
    }
    return Vector(w - A * z);
  };
  if (kind == Kind::friction || kind == Kind::friction_deficient) {
    const int contacts = std::max(1, size / 6);
    const int freedoms = kind == Kind::friction ? 3 * contacts + 2 : std::max(3, contacts);
    const Eigen::MatrixXd J = random_matrix(random, 3 * contacts, freedoms);
    problem.A = Eigen::MatrixXd(J * J.transpose());
    problem.b = J * random_matrix(random, freedoms, 1);
    for (int k = 0; k < contacts; ++k)
      problem.blocks.push_back({.law = Law::facets,
                                .first = 3 * k,
                                .size = 3,
                                .friction = {0.2 * between(random, 0, 6), 0},
                                .facets = 4});
    return problem;
  }
  Eigen::MatrixXd A;
  if (kind == Kind::semidefinite) {
    const Eigen::MatrixXd B = random_matrix(random, size, std::max(1, size / 2));
    A = B * B.transpose();
  } else if (kind == Kind::duplicated) {
    const Eigen::MatrixXd B = random_matrix(random, std::max(1, size / 3), size);
    Eigen::MatrixXd repeated(size, size);
    for (int i = 0; i < size; ++i) repeated.row(i) = B.row(between(random, 0, static_cast<int>(B.rows()) - 1));
    A = repeated * repeated.transpose();
  } else {
    const Eigen::MatrixXd B = random_matrix(random, size, size);
    A = B * B.transpose() / size + 0.01 * Eigen::MatrixXd::Identity(size, size);
    if (kind == Kind::p_matrix) {
      const Eigen::MatrixXd S = random_matrix(random, size, size);
      A += S - S.transpose();
    }
  }
  problem.A = A;
  problem.b = rows_in_reach(A);
  problem.blocks = complementary_rows(size);
  return problem;
}

}  // namespace catena::solve::testing
