#include "catena/solve/solve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "catena/solve/from_guess.h"
#include "catena/solve/gauss_seidel.h"
#include "catena/solve/linear_solver.h"
#include "catena/solve/newton.h"
#include "catena/solve/principal_pivoting.h"
#include "catena/solve/split.h"
#include "catena/solve/tiny.h"

namespace catena::solve {
namespace {

constexpr std::array<std::pair<Solver, std::string_view>, 5> kNames{{{Solver::automatic, "auto"},
                                                                     {Solver::lemke, "lemke"},
                                                                     {Solver::dantzig, "dantzig"},
                                                                     {Solver::gauss_seidel, "gauss-seidel"},
                                                                     {Solver::cone, "cone"}}};

// Up to so many rows of LCP form pivoting comes first; beyond, interior points are faster (docs/methods/solvers.md).
constexpr int kPivotRows = 500;
// ε of the regularised retry, relative to the matrix.
constexpr double kRegularisation = 1e-9;
// Sweeps before Newton is tried on a guess; before interior points, which many problems do not need; before Newton is tried; and before
// Gauss-Seidel is given up.
constexpr int kWarmSweeps = 30, kFirstSweeps = 400, kFewSweeps = 300, kManySweeps = 5000;

bool has_round_cone(const Problem& problem) {
  return std::any_of(problem.blocks.begin(), problem.blocks.end(),
                     [](const Block& b) { return b.law == Law::cone && b.size == 3; });
}

int lcp_rows(const Problem& problem) {
  int rows = 0;
  for (const Block& block : problem.blocks) switch (block.law) {
      case Law::free:
      case Law::complementary: rows += block.size; break;
      case Law::boxed: rows += 2; break;
      case Law::bounded_by: rows += 3; break;
      case Law::facets:
      case Law::cone: rows += 2 + (block.size == 2 ? 2 : block.facets); break;
    }
  return rows;
}

ConeOptions steps(const Options& options, SlipPath slip = SlipPath::direct) {
  ConeOptions own{.tolerance = options.tolerance, .slip = slip};
  if (options.max_iterations > 0) own.max_iterations = options.max_iterations;
  return own;
}

Solution cone(const Problem& problem, const Options& options, SlipPath slip = SlipPath::direct) {
  return interior_point(problem, steps(options, slip));
}

// `sweeps` at most, or fewer where fewer iterations are asked for.
Solution gauss_seidel(const Problem& problem, const Options& options, const Vector* guess, int sweeps) {
  if (options.max_iterations > 0) sweeps = std::min(sweeps, options.max_iterations);
  GaussSeidel method({.warm_start = guess != nullptr, .max_sweeps = sweeps, .tolerance = options.tolerance});
  Solution solution;
  if (guess) solution.z = *guess;
  method.solve(problem, solution);
  solution.certificate.solver = "gauss-seidel";
  return solution;
}

// Sweeps find which contacts are open, stick and slide; Newton's steps then need not find it out.
Solution sweeps_then_newton(const Problem& problem, const Options& options, const Vector* guess, int sweeps) {
  Solution solution = gauss_seidel(problem, options, guess, sweeps);
  newton(problem, steps(options), solution);
  return solution;
}

// From weak friction, which is nearly convex, to the friction asked for, each answer the guess of the next.
Solution by_continuation(const Problem& problem, const Options& options) {
  constexpr int kStages = 10;
  Problem stage = problem;
  Solution solution;
  for (int k = 0; k <= kStages; ++k) {
    for (std::size_t i = 0; i < problem.blocks.size(); ++i)
      for (int a = 0; a < 2; ++a) stage.blocks[i].friction[a] = problem.blocks[i].friction[a] * k / kStages;
    solution = k == 0 ? cone(stage, options) : sweeps_then_newton(stage, options, &solution.z, kFewSweeps);
  }
  return solution;
}

// What overflowed is no answer: z = 0 is put in its place, and the residual says how good that is.
Solution finite(const Problem& problem, const Options& options, Solution solution) {
  if (solution.z.allFinite() && solution.w.allFinite() && std::isfinite(solution.certificate.residual)) return solution;
  const Certificate before = solution.certificate;
  solution.z.setZero(problem.size());
  certify(problem, matrix_scale(problem.A), options.tolerance, solution);
  solution.certificate.solver = before.solver;
  solution.certificate.iterations = before.iterations;
  if (before.status == Status::ray) solution.certificate.status = Status::ray;
  return solution;
}

Problem regularised(const Problem& problem, double epsilon) {
  Eigen::MatrixXd A = to_dense(problem.A);
  A.diagonal().array() += epsilon;
  return {A, problem.b, problem.blocks};
}

// The chain: each link is tried in turn until one is exact or proves that there is no answer; the best answer is kept.
class Chain {
 public:
  Chain(const Problem& problem, const Options& options, const Vector* guess)
      : problem_(problem), options_(options), guess_(guess) {}

  Solution run() {
    const bool round = has_round_cone(problem_);
    const bool small = lcp_rows(problem_) <= kPivotRows;
    const bool pivot_first = !round && small;
    if (round && guess_ && attempt(sweeps_then_newton(problem_, options_, guess_, kWarmSweeps))) return finish();
    if (pivot_first && pivoting()) return finish();
    Vector swept;
    if (!pivot_first) {
      const Solution first = gauss_seidel(problem_, options_, guess_, kFirstSweeps);
      if (attempt(first)) return finish();
      swept = first.z;
    }
    if (attempt(cone(problem_, options_))) return finish();
    if (attempt(sweeps_then_newton(problem_, options_, pivot_first ? guess_ : &swept, kFewSweeps))) return finish();
    if (heavy()) return finish();
    for (const SlipPath slip : {SlipPath::ramped, SlipPath::lagged, SlipPath::halved})
      if (attempt(cone(problem_, options_, slip))) return finish();
    if (!round && !pivot_first && pivoting()) return finish();
    if (round && attempt(by_continuation(problem_, options_))) return finish();
    if (attempt(sweeps_then_newton(problem_, options_, &best_.z, kManySweeps))) return finish();
    regularise();
    return finish();
  }

 private:
  // Where one factorisation takes seconds, the second choices are not worth their time.
  bool heavy() const {
    const SparseRows A = to_sparse(problem_.A);
    return A.rows() > 1000 && !worth_sparse(A);
  }

  // True when the chain ends here.
  bool attempt(Solution next) {
    next.certificate.fallbacks = tried_++;
    const auto rank = [](const Solution& s) { return s.z.allFinite() ? s.certificate.residual : 1e300; };
    if (next.certificate.status == Status::ray) {
      ray_ = next;
      if (next.certificate.proved) return true;
    } else if (best_.z.size() == 0 || rank(next) < rank(best_)) {
      best_ = std::move(next);
    }
    // The first links cost little beside the rest, which are for problems they do not solve at all.
    constexpr int kFirstLinks = 3;
    if (options_.stop && *options_.stop) return true;
    return best_.certificate.status == Status::exact ||
           (tried_ >= kFirstLinks && best_.z.size() > 0 && rank(best_) <= options_.acceptable);
  }

  bool pivoting() {
    if (pivoting_applies(problem_) && attempt(own(Solver::dantzig))) return true;
    return attempt(own(Solver::lemke));
  }

  Solution own(Solver solver) const {
    Options one = options_;
    one.solver = solver;
    return solve(problem_, one, guess_);
  }

  // A + ε makes dependent rows independent; Newton on the problem as given then takes the ε out where it can.
  void regularise() {
    const double epsilon = kRegularisation * matrix_scale(problem_.A);
    const Problem soft = regularised(problem_, epsilon);
    Options one = options_;
    one.solver = has_round_cone(problem_) ? Solver::cone : Solver::lemke;
    Solution next = solve(soft, one, nullptr);
    if (next.certificate.status == Status::ray) return;
    const bool held = next.certificate.status == Status::exact;
    const int iterations = next.certificate.iterations;
    certify(problem_, matrix_scale(problem_.A), options_.tolerance, next);
    next.certificate.iterations = iterations;
    newton(problem_, steps(options_), next);
    if (held && next.certificate.status != Status::exact) {
      next.certificate.status = Status::regularised;
      next.certificate.regularisation = epsilon;
    }
    attempt(std::move(next));
  }

  Solution finish() {
    Certificate& c = best_.certificate;
    if (best_.z.size() > 0 && c.status == Status::not_converged && c.residual <= options_.acceptable)
      c.status = Status::exact;
    const bool exact = best_.z.size() > 0 && c.status == Status::exact;
    if (!exact && ray_.z.size() > 0) return std::move(ray_);
    return std::move(best_);
  }

  const Problem& problem_;
  const Options& options_;
  const Vector* guess_;
  int tried_ = 0;
  Solution best_, ray_;
};

Solution automatic(const Problem& problem, const Options& options, const Vector* guess);

// What the certificates of parts say of the whole: the work of all, the status of the worst.
void add_part(const Part& part, const Solution& own, Solution& whole) {
  const auto rank = [](Status s) {
    return s == Status::ray ? 3 : s == Status::not_converged ? 2 : s == Status::regularised ? 1 : 0;
  };
  Certificate& c = whole.certificate;
  const Certificate& o = own.certificate;
  if (c.solver.empty() || rank(o.status) > rank(c.status)) {
    c.status = o.status;
    c.solver = o.solver;
    c.proved = o.proved;
    whole.ray.setZero(o.status == Status::ray ? whole.z.size() : 0);
    for (int i = 0; i < own.ray.size(); ++i) whole.ray[part.rows[i]] = own.ray[i];
  }
  c.iterations += o.iterations;
  c.fallbacks = std::max(c.fallbacks, o.fallbacks);
  c.regularisation = std::max(c.regularisation, o.regularisation);
  for (int i = 0; i < own.z.size(); ++i) whole.z[part.rows[i]] = own.z[i];
}

// Each part by itself: none waits for the others, and small ones have closed forms.
Solution by_parts(const std::vector<Part>& parts, const Problem& problem, const Options& options, const Vector* guess) {
  Solution whole;
  whole.z.setZero(problem.size());
  Vector own_guess;
  for (const Part& part : parts) {
    own_guess.resize(guess ? part.problem.size() : 0);
    for (int i = 0; i < own_guess.size(); ++i) own_guess[i] = (*guess)[part.rows[i]];
    add_part(part, automatic(part.problem, options, guess ? &own_guess : nullptr), whole);
  }
  const Certificate before = whole.certificate;
  certify(problem, matrix_scale(problem.A), options.tolerance, whole);
  // A ray in one part leaves no answer to the whole. Otherwise the whole's own residual speaks.
  if (before.status == Status::ray ||
      (before.status == Status::regularised && whole.certificate.status != Status::exact))
    whole.certificate.status = before.status;
  if (whole.certificate.status == Status::not_converged && whole.certificate.residual <= options.acceptable)
    whole.certificate.status = Status::exact;
  return whole;
}

Solution automatic(const Problem& problem, const Options& options, const Vector* guess) {
  if (std::optional<Solution> tiny = solve_tiny(problem, options.tolerance)) return std::move(*tiny);
  if (const std::vector<Part> parts = split(problem); !parts.empty()) return by_parts(parts, problem, options, guess);
  if (guess && options.enough > 0)
    if (std::optional<Solution> quick = from_guess(problem, options, *guess)) return std::move(*quick);
  return Chain(problem, options, guess).run();
}

}  // namespace

std::string_view name_of(Solver solver) {
  for (const auto& [value, name] : kNames)
    if (value == solver) return name;
  return "";
}

std::optional<Solver> solver_named(std::string_view name) {
  for (const auto& [value, known] : kNames)
    if (known == name) return value;
  return std::nullopt;
}

bool applies(Solver solver, const Problem& problem) { return solver != Solver::dantzig || pivoting_applies(problem); }

Solution solve(const Problem& problem, const Options& options, const Vector* guess) {
  const PivotOptions pivots{options.tolerance, options.max_iterations, options.cone_facets};
  const auto answer = [&] {
    switch (options.solver) {
      case Solver::lemke: return lemke(problem, pivots);
      case Solver::dantzig: return principal_pivoting(problem, pivots, guess);
      case Solver::gauss_seidel:
        return gauss_seidel(problem, options, guess, options.max_iterations > 0 ? options.max_iterations : kManySweeps);
      case Solver::cone: return cone(problem, options);
      case Solver::automatic: break;
    }
    return automatic(problem, options, guess);
  };
  return finite(problem, options, answer());
}

}  // namespace catena::solve
