// What the tests of systems that iterate share: a right-hand side with nothing zero, and the solution to compare with.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bench/workloads.h"
#include "catena/joints/constraint_system.h"

namespace catena::testing_iterated {

struct Solution {
  std::vector<BodyVector> y;
  std::vector<double> lambda;
};

// M y − Jᵀλ = f, J y = b with every f and b different from zero.
inline Solution solve(ConstraintSystem& system, const Scene& scene) {
  Kinematics kinematics(scene.model);
  kinematics.update(scene.model, scene.initial);
  EXPECT_TRUE(system.factor(kinematics, true)) << system.failure();
  Solution solution;
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    const double s = 1.0 + static_cast<double>(i);
    solution.y.push_back(
        restricted(scene.model.bodies[i].kind, {{std::sin(s), 1, std::cos(s)}, {0.3, std::sin(2 * s), -0.5}, 0.1}));
  }
  std::vector<double> b(static_cast<std::size_t>(system.rows()));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::cos(1.0 + static_cast<double>(i));
  solution.lambda.resize(b.size());
  system.solve(b, solution.y, solution.lambda);
  return solution;
}

// The error asked for is 1e-12 of the first one; what the condition of these mechanisms (below 1e4) makes of it is the bound.
inline void expect_same(const Solution& got, const Solution& wanted) {
  double size = 1;
  for (const double l : wanted.lambda) size = std::max(size, std::abs(l));
  for (std::size_t i = 0; i < wanted.lambda.size(); ++i) EXPECT_NEAR(got.lambda[i], wanted.lambda[i], 1e-8 * size) << i;
  for (std::size_t i = 0; i < wanted.y.size(); ++i) {
    const BodyVector d = got.y[i] + -1.0 * wanted.y[i];
    EXPECT_NEAR(std::sqrt(dot(d, d)), 0, 1e-8 * size) << i;
  }
}

}  // namespace catena::testing_iterated
