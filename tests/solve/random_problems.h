// Random problems with fixed seeds, shared by the tests of the solvers.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "catena/solve/problem.h"

namespace catena::solve::testing_problems {

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
      problem.blocks.push_back(
          {.law = Law::facets, .first = 3 * k, .size = 3, .friction = {0.2 * between(random, 0, 6), 0}, .facets = 4});
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

// Blocks on top of each other at random: contacts between near bodies and with the floor, b = G v with v falling. There is a motion that
// opens every contact (all move apart), so a solution exists (Acary and Cadoux). `heaviest` is relative to the lightest.
inline Problem random_pile(Random& random, int bodies, int contacts, double friction, double heaviest) {
  using Eigen::Vector3d;
  std::vector<Vector3d> place(bodies);
  ProductBuilder builder;
  Vector v(6 * bodies);
  const double extent = std::cbrt(static_cast<double>(bodies));
  for (int i = 0; i < bodies; ++i) {
    place[i] = {normal(random) * extent, normal(random) * extent, std::abs(normal(random)) * extent};
    const double mass = std::pow(heaviest, between(random, 0, 1000) / 1000.0);
    Eigen::Matrix<double, 6, 6> inverse = Eigen::Matrix<double, 6, 6>::Zero();
    inverse.diagonal() << 1 / mass, 1 / mass, 1 / mass, 10 / mass, 7.7 / mass, 6.2 / mass;
    builder.node(6, {inverse.data(), 36});
    for (int k = 0; k < 6; ++k) v[6 * i + k] = 0.01 * normal(random);
    v[6 * i + 2] -= 0.0981;
  }
  Problem problem;
  problem.b = Vector::Zero(3 * contacts);
  for (int c = 0; c < contacts; ++c) {
    const int a = between(random, 0, bodies - 1);
    int other = -1;  // the floor
    for (int tries = between(random, 0, 3) == 0 ? 0 : 8; tries > 0; --tries) {
      const int next = between(random, 0, bodies - 1);
      if (next == a) continue;
      if (other < 0 || (place[next] - place[a]).norm() < (place[other] - place[a]).norm()) other = next;
    }
    const Vector3d n = other < 0 ? Vector3d::UnitZ() : (place[a] - place[other]).normalized();
    const Vector3d t1 = n.unitOrthogonal(), t2 = n.cross(t1);
    const Vector3d middle = other < 0 ? Vector3d(place[a] - 0.5 * n) : Vector3d((place[a] + place[other]) / 2);
    const Vector3d point = middle + 0.2 * normal(random) * t1 + 0.2 * normal(random) * t2;
    const double rigid[3] = {0, 0, 0};
    builder.rows(rigid);
    for (const int body : {a, other}) {
      if (body < 0) continue;
      Eigen::Matrix<double, 3, 6, Eigen::RowMajor> G;
      int row = 0;
      for (const Vector3d& direction : {n, t1, t2})
        G.row(row++) << direction.transpose(), (point - place[body]).cross(direction).transpose();
      if (body == other) G = -G;
      builder.entry(body, {G.data(), 18});
      problem.b.segment<3>(3 * c) += G * v.segment<6>(6 * body);
    }
  }
  problem.A = builder.build();
  problem.blocks = friction_cones(Vector::Constant(contacts, friction), 3);
  return problem;
}

}  // namespace catena::solve::testing_problems
