// What must hold for every answer of solve(), whatever the problem.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "catena/solve/solve.h"

namespace catena::solve::fuzz {

inline void require(bool holds, const char* what, Solver solver, const Certificate& c) {
  if (holds) return;
  std::fprintf(stderr, "%s: solver %s, status %s, residual %g\n", what, name_of(solver).data(),
               name_of(c.status).data(), c.residual);
  std::abort();
}

// x ≥ 0, Aᵀx ≤ 0 and bᵀx < 0, to rounding.
inline bool proves(const Problem& problem, const Vector& x) {
  const Eigen::MatrixXd A = to_dense(problem.A);
  const Vector bound = 1e-9 * (A.cwiseAbs().transpose() * x.cwiseAbs());
  return x.size() == problem.size() && x.minCoeff() >= 0 && ((A.transpose() * x).array() <= bound.array()).all() &&
         problem.b.dot(x) < 0;
}

inline bool plain(const Problem& problem) {
  for (const Block& block : problem.blocks)
    if (block.law != Law::complementary) return false;
  return true;
}

inline void check_answer(const Problem& problem, const Options& options, const Solution& solution) {
  const Certificate& c = solution.certificate;
  const auto must = [&](bool holds, const char* what) { require(holds, what, options.solver, c); };
  must(solution.z.size() == problem.size() && solution.w.size() == problem.size(), "an answer of another size");
  must(solution.z.allFinite() && solution.w.allFinite(), "a number that is not finite");
  Vector w;
  multiply(problem.A, solution.z, w);
  w += problem.b;
  const double residual = natural_residual(problem, solution.z, w, matrix_scale(problem.A)).value;
  must(std::abs(residual - c.residual) <= 1e-12 * (1 + residual), "a residual that is not the answer's");
  if (c.status == Status::exact)
    must(residual <= std::max(options.tolerance, options.acceptable), "an exact answer that is none");
  if (c.status == Status::ray && c.proved && plain(problem))
    must(proves(problem, solution.ray), "a proof that proves nothing");
}

// Kept to `most` iterations; a solver that does not take the problem is left out.
inline void solve_with(Solver solver, const Problem& problem, int most) {
  if (!applies(solver, problem)) return;
  const Options options{.solver = solver, .max_iterations = most};
  check_answer(problem, options, solve(problem, options));
}

}  // namespace catena::solve::fuzz
