#include "catena/solve/interior_point.h"

#include <algorithm>
#include <cmath>

#include "catena/math/scalar.h"
#include "catena/solve/jordan.h"
#include "catena/solve/lcp_form.h"
#include "catena/solve/linear_solver.h"
#include "catena/solve/newton.h"

namespace catena::solve {
namespace {

// Free rows that depend on others would leave K singular; so much of a proximal term changes the way, not the end.
constexpr double kProximal = 1e-11;
// The search ends when the residual has not come down by a tenth in so many steps.
constexpr int kPatience = 30;
// Newton is first tried at this residual, and again each time it has come down by that factor.
constexpr double kFirstPolish = 1e-3, kPolishInterval = 0.03;

bool direct(const Problem& problem) {
  return std::none_of(problem.blocks.begin(), problem.blocks.end(),
                      [](const Block& b) { return b.law == Law::bounded_by || b.law == Law::facets; });
}

// One pair of x and y that must stay inside a cone of dimension 1, 2 or 3: x = sign · z + offset on its rows.
struct Pair {
  int first, size;
  double sign = 1, offset = 0;
  bool slips = false;  // w lacks the ‖y_t‖ that y has
  ConeVector x{}, y{}, dx{}, dy{}, target{};
  ConeMatrix theta{}, G{};
};

// Part of the slip term, and of its slope, that counts at complementarity μ.
struct SlipShare {
  double term, slope;
};
SlipShare slip_share(SlipPath path, double mu) {
  switch (path) {
    case SlipPath::direct: break;
    case SlipPath::ramped: {
      const double part = std::clamp(-std::log10(mu) - 1, 0.0, 1.0);
      return {part, part};
    }
    case SlipPath::halved: return {1, 0.5};
    case SlipPath::lagged: return {1, mu > 1e-3 ? 0.0 : 1.0};
  }
  return {1, 1};
}

class InteriorPoint {
 public:
  InteriorPoint(const Problem& problem, const ConeOptions& options)
      : problem_(problem), options_(options), scale_(matrix_scale(problem.A)) {
    rescale();
    make_pairs();
  }

  Solution run() {
    std::vector<int> cut;
    for (const Block& block : problem_.blocks) cut.push_back(block.first);
    cut.push_back(problem_.size());
    K_.analyse(A_, cut);
    int stale = 0;
    double next_polish = kFirstPolish;
    for (int k = 0; k <= options_.max_iterations; ++k) {
      if (!keep_best(k, stale) || stale > kPatience) break;
      if (best_.certificate.residual <= next_polish) {
        next_polish = kPolishInterval * best_.certificate.residual;
        if (polish()) break;
      }
      if (!step()) break;
    }
    if (best_.certificate.status != Status::exact) polish();
    if (polished_.z.size() > 0 && polished_.certificate.residual < best_.certificate.residual) best_ = polished_;
    best_.certificate.solver = "cone";
    return best_;
  }

 private:
  // z = S v, A ← S A S, b ← S b: cones become n ≥ ‖t‖ and numbers of the order of one.
  void rescale() {
    const int n = problem_.size();
    unit_ = Vector::Ones(n);
    for (const Block& block : problem_.blocks)
      if (block.law == Law::cone)
        for (int a = 1; a < block.size; ++a) unit_[block.first + a] = block.friction[a - 1];
    A_ = to_sparse(problem_.A);
    const Vector diagonal = A_.diagonal();
    for (const Block& block : problem_.blocks) {
      if (block.law == Law::cone) {
        scale_rows(block.first, block.size, diagonal);
      } else {
        for (int i = 0; i < block.size; ++i) scale_rows(block.first + i, 1, diagonal);
      }
    }
    A_ = unit_.asDiagonal() * A_ * unit_.asDiagonal();
    b_ = unit_.asDiagonal() * problem_.b;
    length_ = b_.norm() > 0 ? b_.norm() : 1;  // z = unit · v · length
    b_ /= length_;
    v_ = Vector::Zero(n);
  }

  // Rows of one block by one number, so that a cone stays one.
  void scale_rows(int first, int size, const Vector& diagonal) {
    double most = 0;
    for (int i = first; i < first + size; ++i) most = std::max(most, unit_[i] * unit_[i] * diagonal[i]);
    unit_.segment(first, size) /= std::sqrt(most > 1e-9 * scale_ ? most : scale_);
  }

  void make_pairs() {
    for (const Block& block : problem_.blocks) {
      if (block.law == Law::cone) add_pair({.first = block.first, .size = block.size, .slips = true});
      if (block.law == Law::complementary)
        for (int i = 0; i < block.size; ++i) add_pair({.first = block.first + i, .size = 1});
      if (block.law == Law::boxed) add_box(block);
    }
  }

  void add_pair(Pair pair) {
    pair.x = pair.y = ConeVector::Unit(pair.size, 0);
    pair.theta = pair.G = ConeMatrix::Identity(pair.size, pair.size);
    pairs_.push_back(pair);
  }

  // x = z − lower and x = upper − z, both started at what a guess between the bounds leaves.
  void add_box(const Block& block) {
    const double unit = unit_[block.first] * length_, lower = block.lower / unit, upper = block.upper / unit;
    const bool below = lower > -kInfinity, above = upper < kInfinity;
    if (below && above) v_[block.first] = (lower + upper) / 2;
    else if (below || above) v_[block.first] = below ? lower + 1 : upper - 1;
    if (below) add_pair({.first = block.first, .size = 1, .sign = 1, .offset = -lower});
    if (above) add_pair({.first = block.first, .size = 1, .sign = -1, .offset = upper});
    // Bounds that meet leave no inside: a hair is made.
    const double least = 1e-12 * (1 + std::abs(v_[block.first]));
    for (std::size_t k = pairs_.size() - (below ? 1 : 0) - (above ? 1 : 0); k < pairs_.size(); ++k)
      pairs_[k].x[0] = std::max(least, pairs_[k].sign * v_[block.first] + pairs_[k].offset);
  }

  double complementarity() const {
    double sum = 0;
    for (const Pair& p : pairs_) sum += p.x.dot(p.y);
    return pairs_.empty() ? 0 : sum / static_cast<double>(pairs_.size());
  }

  Vector z_of(const Vector& v) const { return unit_.cwiseProduct(v) * length_; }

  // False when this is the end: good enough, or no longer finite.
  bool keep_best(int iteration, int& stale) {
    for (const Pair& p : pairs_)
      if (p.slips) v_.segment(p.first, p.size) = p.x;
    for (const Pair& p : pairs_)
      if (!p.slips && p.offset == 0 && p.sign > 0) v_[p.first] = p.x[0];
    if (!v_.allFinite()) return false;
    Solution now;
    now.z = z_of(v_);
    certify(problem_, scale_, options_.tolerance, now);
    now.certificate.iterations = iteration;
    const bool first = best_.z.size() == 0;
    stale = first || now.certificate.residual < 0.9 * best_.certificate.residual ? 0 : stale + 1;
    if (first || now.certificate.residual < best_.certificate.residual) best_ = now;
    return best_.certificate.status != Status::exact;
  }

  // True where Newton on the natural map takes hold and goes to the end.
  bool polish() {
    Solution trial = best_;
    newton(problem_, options_, trial);
    if (polished_.z.size() == 0 || trial.certificate.residual < polished_.certificate.residual) polished_ = trial;
    return trial.certificate.status == Status::exact;
  }

  // F = A v + b − G(y), and the matrix A + G' Θ with dy = target − Θ dx.
  bool linearise(SlipShare slip) {
    F_ = A_ * v_ + b_;
    K_.reset();
    for (const Block& block : problem_.blocks)
      if (block.law == Law::free || block.law == Law::boxed)
        for (int i = 0; i < block.size; ++i) K_.add(block.first + i, block.first + i, kProximal);
    for (Pair& p : pairs_) {
      p.theta = nesterov_todd(p.x, p.y);
      F_.segment(p.first, p.size) -= p.sign * p.y;
      if (p.slips) {
        const double t = tangent_norm(p.y);
        F_[p.first] += slip.term * t;
        for (int a = 1; a < p.size; ++a) p.G(0, a) = t > 0 ? -slip.slope * p.y[a] / t : 0;
      }
      const ConeMatrix block = p.G * p.theta;
      for (int i = 0; i < p.size; ++i)
        for (int j = 0; j < p.size; ++j) K_.add(p.first + i, p.first + j, block(i, j));
    }
    return K_.factor();
  }

  // The Newton direction to x ∘ y = centre · e: target = −y + centre x⁻¹.
  void direction(double sigma, double mu) {
    const double centre = sigma * mu;
    Vector r = -(1 - sigma) * F_;
    for (Pair& p : pairs_) {
      p.target = -p.y;
      if (centre > 0) p.target += centre * inverse(p.x);
      r.segment(p.first, p.size) += p.sign * (p.G * p.target);
    }
    dv_ = K_.solve(r);
    for (Pair& p : pairs_) {
      p.dx = p.sign * dv_.segment(p.first, p.size);
      p.dy = p.target - p.theta * p.dx;
    }
  }

  double longest() const {
    double step = 1e300;
    for (const Pair& p : pairs_) step = std::min({step, longest_step(p.x, p.dx), longest_step(p.y, p.dy)});
    return step;
  }

  // Predictor, then a corrector whose centring follows from how far the predictor could go (Mehrotra).
  bool step() {
    const double mu = complementarity();
    if (!linearise(slip_share(options_.slip, mu))) return false;
    direction(0, mu);
    const double reach = std::min(1.0, 0.999 * longest());
    direction(std::max(std::pow(1 - reach, 3), 1e-8), mu);
    if (!dv_.allFinite()) return false;
    const double a = std::min(1.0, (reach < 0.9 ? 0.9 : 0.995) * longest());
    if (!(a > 1e-10)) return false;
    v_ += a * dv_;
    for (Pair& p : pairs_) {
      p.x += a * p.dx;
      p.y += a * p.dy;
      if (!(determinant(p.x) > 0) || !(determinant(p.y) > 0)) return false;
    }
    return true;
  }

  const Problem& problem_;
  ConeOptions options_;
  double scale_, length_ = 1;
  SparseRows A_;
  Vector unit_, b_, v_, dv_, F_;
  std::vector<Pair> pairs_;
  NewtonMatrix K_;
  Solution best_, polished_;
};

}  // namespace

Solution interior_point(const Problem& problem, const ConeOptions& options) {
  if (direct(problem)) return InteriorPoint(problem, options).run();
  const LcpForm form = to_lcp(problem, 0);
  const Problem expanded = problem_of(form);
  const Solution inner = InteriorPoint(expanded, options).run();
  Solution solution;
  solution.z = form.z_of(inner.z);
  certify(problem, matrix_scale(problem.A), options.tolerance, solution);
  solution.certificate.solver = inner.certificate.solver;
  solution.certificate.iterations = inner.certificate.iterations;
  return solution;
}

}  // namespace catena::solve
