#include "catena/solve/convex_newton.h"

#include <algorithm>
#include <cmath>

#include "catena/math/dispatch.h"
#include "catena/math/scalar.h"
#include "catena/solve/natural_map.h"

namespace catena::solve {
namespace {

constexpr std::size_t kSlopes = 9;  // of a block
// The search along a step ends where the slope is this part of the first one.
constexpr double kFlat = 0.1;
constexpr int kSearches = 12;

struct Range {
  double lower, upper;
};
Range range_of(const Block& block) {
  if (block.law == Law::boxed) return {block.lower, block.upper};
  return {block.law == Law::free ? -kInfinity : 0, kInfinity};
}

double length_of_tangents(const double* v, int size) {
  return size == 3 ? std::sqrt(v[1] * v[1] + v[2] * v[2]) : std::abs(v[1]);
}

// dP/dv of the projection of v on { ‖t‖ ≤ friction · n }: 3 × 3, row by row.
void slopes_of_cone(double friction, int size, const double* v, double* out) {
  std::fill(out, out + kSlopes, 0.0);
  const double t = length_of_tangents(v, size);
  if (v[0] >= 0 && t <= friction * v[0]) {
    for (int i = 0; i < size; ++i) out[4 * i] = 1;
    return;
  }
  if (friction * t <= -v[0]) return;
  const double share = 1 / (1 + friction * friction), n = share * (v[0] + friction * t);
  const double e[2] = {v[1] / t, size == 3 ? v[2] / t : 0};
  out[0] = share;
  for (int i = 0; i + 1 < size; ++i) {
    out[1 + i] = out[3 * (i + 1)] = share * friction * e[i];
    for (int j = 0; j + 1 < size; ++j)
      out[3 * (i + 1) + 1 + j] =
          share * friction * friction * e[i] * e[j] + friction * n / t * ((i == j ? 1 : 0) - e[i] * e[j]);
  }
  if (size == 2) out[4] = share * friction * friction;
}

}  // namespace

bool ConvexNewton::takes(const Problem& problem) {
  return std::holds_alternative<Eigen::MatrixXd>(problem.A) &&
         std::all_of(problem.blocks.begin(), problem.blocks.end(), [](const Block& block) {
           return (block.size <= 3 && (block.law == Law::free || block.law == Law::complementary)) ||
                  block.law == Law::boxed ||
                  (block.law == Law::cone && (block.size == 2 || block.friction[0] == block.friction[1]));
         });
}

void ConvexNewton::begin(const Problem& problem, double compliance, const Vector& z) {
  const auto& A = std::get<Eigen::MatrixXd>(problem.A);
  const double scale = matrix_scale(problem.A);
  size_ = static_cast<std::size_t>(problem.size());
  for (std::vector<double>* row : {&rows_.R, &rows_.slip, &rows_.gamma, &rows_.dy, &rows_.dw, &rows_.tried})
    row->assign(size_, 0.0);
  for (const Block& block : problem.blocks) {
    const double most = A.diagonal().segment(block.first, block.size).maxCoeff();
    for (int i = block.first; i < block.first + block.size; ++i)
      rows_.R[static_cast<std::size_t>(i)] = compliance * (most > kVanishing ? most : scale);
  }
  slopes_.resize(kSlopes * problem.blocks.size());
  rows_.y.assign(z.data(), z.data() + z.size());
  rows_.w.assign(problem.b.data(), problem.b.data() + problem.b.size());
  for (std::size_t j = 0; j < size_; ++j)
    for (std::size_t i = 0; i < size_; ++i) rows_.w[i] += A.data()[j * size_ + i] * rows_.y[j];
}

bool ConvexNewton::solve(const Problem& problem, const Options& options, Vector& z) {
  begin(problem, options.compliance, z);
  const double size_b = problem.b.norm(), most = options.tolerance * (size_b > 0 ? size_b : 1);
  bool found = false;
  for (int step = 0; step < options.steps && !found; ++step) {
    follow_slips(problem);
    find_forces(problem, rows_.w.data());
    find_slopes(problem);
    if (!find_step(problem)) break;
    double miss = 0;
    for (const double d : rows_.dw) miss += d * d;
    found = std::sqrt(miss) <= most;
    const double length = found ? 1 : length_of_step(problem);
    for (std::size_t i = 0; i < size_; ++i) {
      rows_.y[i] += length * rows_.dy[i];
      rows_.w[i] += length * rows_.dw[i];
    }
  }
  find_forces(problem, rows_.w.data());
  std::copy(rows_.gamma.begin(), rows_.gamma.end(), z.data());
  return found;
}

void ConvexNewton::follow_slips(const Problem& problem) {
  for (const Block& block : problem.blocks)
    if (block.law == Law::cone)
      rows_.slip[static_cast<std::size_t>(block.first)] =
          block.friction[0] * length_of_tangents(rows_.w.data() + block.first, block.size);
}

// γ(w).
void ConvexNewton::find_forces(const Problem& problem, const double* w) {
  for (const Block& block : problem.blocks) {
    const auto first = static_cast<std::size_t>(block.first), size = static_cast<std::size_t>(block.size);
    double* const out = rows_.gamma.data() + first;
    for (std::size_t i = 0; i < size; ++i) out[i] = -(w[first + i] + rows_.slip[first + i]) / rows_.R[first + i];
    if (block.law == Law::cone) {
      project_on_cone(block.friction[0], block.size - 1, out);
      continue;
    }
    const Range range = range_of(block);
    for (std::size_t i = 0; i < size; ++i) out[i] = std::clamp(out[i], range.lower, range.upper);
  }
}

// −dγ/dw at rows_.w.
void ConvexNewton::find_slopes(const Problem& problem) {
  double* out = slopes_.data();
  for (const Block& block : problem.blocks) {
    const auto first = static_cast<std::size_t>(block.first);
    double v[3] = {0, 0, 0};
    for (std::size_t i = 0; i < static_cast<std::size_t>(block.size); ++i)
      v[i] = -(rows_.w[first + i] + rows_.slip[first + i]) / rows_.R[first + i];
    if (block.law == Law::cone) {
      slopes_of_cone(block.friction[0], block.size, v, out);
    } else {
      std::fill(out, out + kSlopes, 0.0);
      const Range range = range_of(block);
      for (int i = 0; i < block.size; ++i) out[4 * i] = v[i] > range.lower && v[i] < range.upper ? 1 : 0;
    }
    for (std::size_t i = 0; i < kSlopes; ++i) out[i] /= rows_.R[first];  // one for all rows of a block
    out += kSlopes;
  }
}

// (1 + G A) dy = γ − y, G = −dγ/dw, and dw = A dy.
CATENA_DISPATCH bool ConvexNewton::find_step(const Problem& problem) {
  const double* const A = std::get<Eigen::MatrixXd>(problem.A).data();
  factors_.resize(size_);
  for (std::size_t j = 0; j < size_; ++j) {
    const double* const a = A + j * size_;
    double* const to = factors_.column(j);
    const double* G = slopes_.data();
    for (const Block& block : problem.blocks) {
      const auto first = static_cast<std::size_t>(block.first), size = static_cast<std::size_t>(block.size);
      for (std::size_t i = 0; i < size; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < size; ++k) sum += G[3 * i + k] * a[first + k];
        to[first + i] = sum;
      }
      G += kSlopes;
    }
    to[j] += 1;
  }
  if (!factors_.factor()) return false;
  for (std::size_t i = 0; i < size_; ++i) rows_.dy[i] = rows_.gamma[i] - rows_.y[i];
  factors_.substitute(rows_.dy.data());
  std::fill(rows_.dw.begin(), rows_.dw.end(), 0.0);
  for (std::size_t j = 0; j < size_; ++j)
    for (std::size_t i = 0; i < size_; ++i) rows_.dw[i] += A[j * size_ + i] * rows_.dy[j];
  return std::isfinite(rows_.dy[0]);
}

// The derivative of ½ yᵀA y + ½ ‖γ‖²_R along the step.
double ConvexNewton::slope_at(const Problem& problem, double length) {
  for (std::size_t i = 0; i < size_; ++i) rows_.tried[i] = rows_.w[i] + length * rows_.dw[i];
  find_forces(problem, rows_.tried.data());
  double slope = 0;
  for (std::size_t i = 0; i < size_; ++i) slope += (rows_.y[i] + length * rows_.dy[i] - rows_.gamma[i]) * rows_.dw[i];
  return slope;
}

// The whole step, or where that is too long the length at which the slope nearly vanishes, by the rule of false position.
double ConvexNewton::length_of_step(const Problem& problem) {
  double far = slope_at(problem, 1);
  if (!(far > 0)) return 1;
  const double first = slope_at(problem, 0);
  double near = first, lower = 0, upper = 1, length = 1;
  for (int k = 0; k < kSearches; ++k) {
    length = lower + (upper - lower) * std::clamp(near / (near - far), 0.1, 0.9);
    const double slope = slope_at(problem, length);
    if (std::abs(slope) <= kFlat * std::abs(first)) break;
    if (slope > 0) {
      upper = length;
      far = slope;
    } else {
      lower = length;
      near = slope;
    }
  }
  return length;
}

}  // namespace catena::solve
