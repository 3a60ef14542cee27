// The joints' impulses of a hanging chain as a problem for Gauss-Seidel, beside their direct solution.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "bench/workloads.h"
#include "catena/joints/row_rhs.h"
#include "catena/mechanism/law_problem.h"

namespace catena::bench {

// A chain of hinges that hangs straight down, every joint carrying what is below it: M y − Jᵀλ = h f, J y = 0. Its joints' impulses by sweeps.
struct ChainProblem {
  // `load`: the last link is so many times as heavy as it was.
  explicit ChainProblem(int n, double load = 1)
      : scene(loaded(workloads::peer_chain(n), load)),
        kinematics(scene.model),
        system(make_constraint_system(scene.model, LinearSolver::tree)),
        rows(all_rows(scene.model)),
        law_problem(scene.model),
        exact(static_cast<std::size_t>(system->rows())) {
    kinematics.update(scene.model, scene.initial);
    for (std::size_t i = 0; i < scene.model.bodies.size(); ++i)
      weight.push_back({1e-2 * scene.model.bodies[i].mass * scene.model.gravity, {}, 0});
    system->factor(kinematics, true);
    solve_directly();
    rows.evaluate(scene.model, kinematics);
    const std::vector<double> sigma(exact.size(), 0.0);
    law_problem.assemble_all(kinematics, rows, sigma, {});
    std::vector<BodyVector> free(weight.size());
    for (std::size_t i = 0; i < free.size(); ++i)
      free[i] = inverse_times(scene.model.bodies[i].kind, kinematics.M(BodyId(i)), weight[i]);
    law_problem.problem().b.resize(rows.rows());
    for (int i = 0; i < rows.rows(); ++i) law_problem.problem().b[i] = rows.times(i, free);
  }
  static Scene loaded(Scene scene, double load) {
    Body& last = scene.model.bodies[BodyId(scene.model.bodies.size() - 1)];
    last.mass *= load;
    last.inertia = load * last.inertia;
    return scene;
  }
  void solve_directly() {
    std::vector<BodyVector> y = weight;
    const std::vector<double> zero(exact.size(), 0.0);
    system->solve(zero, y, exact);
  }
  double error(const solve::Vector& z) const {
    double miss = 0, size = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      miss += std::pow(z[static_cast<Eigen::Index>(i)] - exact[i], 2);
      size += exact[i] * exact[i];
    }
    return std::sqrt(miss / size);
  }

  Scene scene;
  Kinematics kinematics;
  std::unique_ptr<ConstraintSystem> system;
  RowSet rows;
  LawProblem law_problem;
  std::vector<double> exact;
  std::vector<BodyVector> weight;
};

}  // namespace catena::bench
