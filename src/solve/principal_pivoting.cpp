#include "catena/solve/principal_pivoting.h"

#include <algorithm>
#include <cmath>

#include "catena/math/scalar.h"

namespace catena::solve {
namespace {

// A pivot below this part of its diagonal entry is rounding: the row depends on those inside.
constexpr double kDependent = 1e-11;
// Motion of w below this part of what it was summed from is rounding.
constexpr double kStill = 1e-11;
constexpr double kSlack = 1e-13;
// What a dependent row may miss its law by, relative to the numbers its w was summed from.
constexpr double kNoise = 1e-10;

}  // namespace

void PrincipalPivoting::reserve(int size) {
  if (w_.size() >= size) return;
  factor_.reserve(size);
  place_.resize(size);
  pending_.resize(size);
  inside_.reserve(size);
  for (Vector* v : {&w_, &dz_, &dw_, &column_}) v->resize(size);
}

bool PrincipalPivoting::enter(int row) {
  auto a = column_.head(factor_.size());
  for (int k = 0; k < factor_.size(); ++k) a[k] = (*given_.A)(inside_[k], row);
  const double diagonal = (*given_.A)(row, row);
  if (!factor_.append(a, diagonal, kDependent * std::abs(diagonal))) return false;
  inside_.push_back(row);
  place_[row] = Place::inside;
  ++pivots_;
  return true;
}

void PrincipalPivoting::leave(int row, Place to) {
  const auto at = std::find(inside_.begin(), inside_.end(), row);
  factor_.remove(static_cast<int>(at - inside_.begin()));
  inside_.erase(at);
  place_[row] = to;
  ++pivots_;
}

void PrincipalPivoting::update_w(const Vector& z) {
  auto w = w_.head(size_);
  w = *given_.b;
  w.noalias() += *given_.A * z;
}

// w = 0 on the rows inside, the others' z as they are; once more to take back the rounding of the updates.
void PrincipalPivoting::solve_inside(Vector& z) {
  for (int round = 0; round < 2; ++round) {
    update_w(z);
    auto x = column_.head(factor_.size());
    for (int k = 0; k < factor_.size(); ++k) x[k] = -w_[inside_[k]];
    factor_.solve(x);
    for (int k = 0; k < factor_.size(); ++k) z[inside_[k]] += x[k];
  }
  update_w(z);
}

// Rows of the guess that lie strictly between their bounds are solved for; those that then leave their bounds are put there.
void PrincipalPivoting::place_guess(Vector& z) {
  factor_.clear();
  inside_.clear();
  for (int i = 0; i < size_; ++i) {
    const double lower = (*given_.lower)[i], upper = (*given_.upper)[i];
    if (!std::isfinite(z[i])) z[i] = 0;
    z[i] = std::clamp(z[i], lower, upper);
    place_[i] = z[i] >= upper && upper < kInfinity && z[i] > lower ? Place::upper : Place::lower;
    if (z[i] > lower && z[i] < upper && (lower > -kInfinity || upper < kInfinity || z[i] != 0)) enter(i);
  }
  for (bool moved = true; moved;) {
    solve_inside(z);
    moved = false;
    for (int k = static_cast<int>(inside_.size()) - 1; k >= 0; --k) {
      const int i = inside_[k];
      if (z[i] > (*given_.lower)[i] && z[i] < (*given_.upper)[i]) continue;
      const bool low = z[i] <= (*given_.lower)[i];
      z[i] = low ? (*given_.lower)[i] : (*given_.upper)[i];
      leave(i, low ? Place::lower : Place::upper);
      moved = true;
    }
  }
}

// Positive where the law of a row does not hold: how far w is on the wrong side.
double PrincipalPivoting::violation(int row, const Vector& z) const {
  if (place_[row] == Place::inside) return 0;
  const bool may_rise = z[row]<(*given_.upper)[row], may_fall = z[row]>(*given_.lower)[row];
  return std::max(may_rise ? -w_[row] : 0.0, may_fall ? w_[row] : 0.0);
}

// dz of the rows inside as z_row moves by `sign`, and the dw of all.
void PrincipalPivoting::find_direction(int row, double sign) {
  auto x = column_.head(factor_.size());
  for (int k = 0; k < factor_.size(); ++k) x[k] = -sign * (*given_.A)(inside_[k], row);
  factor_.solve(x);
  auto dz = dz_.head(size_);
  dz.setZero();
  for (int k = 0; k < factor_.size(); ++k) dz[inside_[k]] = x[k];
  dz[row] = sign;
  auto dw = dw_.head(size_);
  dw = sign * given_.A->col(row);
  for (int k = 0; k < factor_.size(); ++k) dw.noalias() += x[k] * given_.A->col(inside_[k]);
  for (const int i : inside_) dw[i] = 0;
  // What rounding leaves of a zero would stop a step anywhere.
  for (int i = 0; i < size_; ++i) {
    const double size = std::sqrt(std::abs((*given_.A)(i, i)) * std::abs((*given_.A)(row, row)));
    if (std::abs(dw[i]) <= kStill * size) dw[i] = 0;
  }
}

PrincipalPivoting::Step PrincipalPivoting::longest_step(int row, double sign, const Vector& z) const {
  Step step{kInfinity, -1, false};
  const auto consider = [&](double length, int i, bool bound) {
    if (length < step.length) step = {std::max(length, 0.0), i, bound};
  };
  if (dw_[row] * sign > 0) consider(-w_[row] / dw_[row], row, false);
  consider(sign > 0 ? (*given_.upper)[row] - z[row] : z[row] - (*given_.lower)[row], row, true);
  for (const int i : inside_) {
    if (dz_[i] > 0) consider(((*given_.upper)[i] - z[i]) / dz_[i], i, true);
    if (dz_[i] < 0) consider(((*given_.lower)[i] - z[i]) / dz_[i], i, true);
  }
  for (int i = 0; i < size_; ++i) {
    if (i == row || pending_[i] || place_[i] == Place::inside || (*given_.lower)[i] == (*given_.upper)[i]) continue;
    const bool may_rise = z[i]<(*given_.upper)[i], may_fall = z[i]>(*given_.lower)[i];
    if (may_rise && dw_[i] < 0) consider(-w_[i] / dw_[i], i, false);
    if (may_fall && dw_[i] > 0) consider(-w_[i] / dw_[i], i, false);
  }
  return step;
}

// Moves z_row until its law holds. False: nothing stops it and w does not come (the problem has no solution), or too many pivots.
bool PrincipalPivoting::drive(int row, int max_pivots, Vector& z) {
  while (violation(row, z) > slack_) {
    if (pivots_ >= max_pivots) return false;
    const double sign = w_[row] < 0 ? 1 : -1;
    find_direction(row, sign);
    const Step step = longest_step(row, sign, z);
    // Nothing moves w: the row depends on those inside, and what it misses is theirs or rounding.
    if (step.length == kInfinity) return violation(row, z) <= kNoise * noise_;
    z += step.length * dz_.head(size_);
    w_.head(size_) += step.length * dw_.head(size_);
    const int i = step.row;
    if (step.bound) {
      const bool low = i == row ? sign < 0 : dz_[i] < 0;
      z[i] = low ? (*given_.lower)[i] : (*given_.upper)[i];
      if (i == row) {
        place_[row] = low ? Place::lower : Place::upper;
        return true;
      }
      leave(i, low ? Place::lower : Place::upper);
    } else {
      w_[i] = 0;
      if (!enter(i)) ++pivots_;
      if (i == row) return true;
    }
  }
  return true;
}

PrincipalPivoting::End PrincipalPivoting::solve(const Eigen::MatrixXd& A, const Vector& b, const Vector& lower,
                                                const Vector& upper, int max_pivots, Vector& z) {
  given_ = {&A, &b, &lower, &upper};
  size_ = static_cast<int>(b.size());
  pivots_ = 0;
  driven_ = -1;
  reserve(size_);
  place_guess(z);
  noise_ = size_ > 0 ? b.lpNorm<Eigen::Infinity>() : 0;
  slack_ = kSlack * noise_;
  for (int round = 0; round < 3; ++round) {
    bool all = true;
    for (int i = 0; i < size_; ++i) pending_[i] = violation(i, z) > slack_ ? 1 : 0;
    for (int i = 0; i < size_; ++i) {
      if (!pending_[i]) continue;
      all = false;
      pending_[i] = 0;
      driven_ = i;
      if (!drive(i, max_pivots, z)) return pivots_ >= max_pivots ? End::too_many_pivots : End::unbounded;
    }
    // Rounding of many steps is taken back; what it hid is driven once more.
    solve_inside(z);
    for (int i = 0; i < size_; ++i) z[i] = std::clamp(z[i], lower[i], upper[i]);
    if (all) break;
  }
  return End::solution;
}

bool pivoting_applies(const Problem& problem) {
  for (const Block& block : problem.blocks)
    if (block.law == Law::facets || block.law == Law::cone) return false;
  const Eigen::MatrixXd A = to_dense(problem.A);
  const double size = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
  return A.size() == 0 || ((A - A.transpose()).cwiseAbs().maxCoeff() <= 1e-14 * size && A.diagonal().minCoeff() >= 0);
}

Solution principal_pivoting(const Problem& problem, const PivotOptions& options, const Vector* guess) {
  constexpr int kMaxRounds = 100;  // of bringing dependent bounds up to date
  const int size = problem.size();
  Vector lower = Vector::Constant(size, -kInfinity), upper = Vector::Constant(size, kInfinity);
  bool dependent = false;
  for (const Block& block : problem.blocks) {
    if (block.law == Law::complementary) lower.segment(block.first, block.size).setZero();
    if (block.law == Law::boxed) {
      lower[block.first] = block.lower;
      upper[block.first] = block.upper;
    }
    dependent |= block.law == Law::bounded_by;
  }
  const auto update_bounds = [&](const Vector& z) {
    for (const Block& block : problem.blocks)
      if (block.law == Law::bounded_by) {
        upper[block.first] = block.friction[0] * std::max(0.0, z[block.parent]);
        lower[block.first] = -upper[block.first];
      }
  };
  const Eigen::MatrixXd A = to_dense(problem.A);
  const double scale = matrix_scale(problem.A);
  const int max_pivots = options.max_pivots > 0 ? options.max_pivots : 1000 + 50 * size;
  PrincipalPivoting method;
  Solution solution;
  solution.z = guess ? *guess : Vector::Zero(size);
  Vector z = solution.z;
  int pivots = 0;
  for (int round = 0; round < (dependent ? kMaxRounds : 1); ++round) {
    if (dependent) update_bounds(z);
    const auto end = method.solve(A, problem.b, lower, upper, max_pivots, z);
    pivots += method.pivots();
    Solution next;
    next.z = z;
    certify(problem, scale, options.tolerance, next);
    if (round == 0 || next.certificate.residual < solution.certificate.residual) solution = next;
    if (end == PrincipalPivoting::End::unbounded && !dependent) solution.certificate.status = Status::ray;
    if (end != PrincipalPivoting::End::solution || solution.certificate.status == Status::exact) break;
  }
  solution.certificate.solver = "dantzig";
  solution.certificate.iterations = pivots;
  return solution;
}

}  // namespace catena::solve
