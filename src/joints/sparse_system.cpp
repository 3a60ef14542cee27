#include "catena/joints/sparse_system.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "catena/model/components.h"

namespace catena {
namespace {

// Which pairs of a body's components its mass block couples: the rotations among themselves, of a form all.
bool coupled(BodyKind kind, int i, int k) {
  if (i == k || kind == BodyKind::form) return true;
  const bool turns = kind == BodyKind::rigid || changes_size(kind);
  return turns && i >= 3 && i < 6 && k >= 3 && k < 6;
}

double entry(BodyKind kind, const MassBlock& M, int i, int k) {
  if (M.own) return M.own->C[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  if (i < 3 && !(kind == BodyKind::planar && i == 2)) return M.linear;
  if (kind == BodyKind::planar) return M.angular.zz;
  if (i == 6) return M.scale;
  return to_matrix(M.angular)(i - 3, k - 3);
}

}  // namespace

SparseSystem::SparseSystem(const Model& model) : RowRhsSystem(model), M_(model) {
  offset_.push_back(0);
  for (const Body& body : model.bodies) offset_.push_back(offset_.back() + dimension(body.kind));
  build_pattern();
  ldlt_.analyse(H_);
  x_.resize(static_cast<std::size_t>(H_.size));
  r_.resize(static_cast<std::size_t>(H_.size));
  eps_.resize(static_cast<std::size_t>(rows_.rows()));
}

void SparseSystem::build_pattern() {
  const int n = offset_.back();
  H_.size = n + rows_.rows();
  std::vector<std::pair<int, int>> entries;  // column, row
  for (std::size_t b = 0; b < M_.size(); ++b) {
    const BodyKind kind = model_->bodies[b].kind;
    for (int i = 0; i < dimension(kind); ++i)
      for (int k = 0; k < dimension(kind); ++k)
        if (coupled(kind, i, k)) entries.emplace_back(offset_[b] + i, offset_[b] + k);
  }
  for (int i = 0; i < rows_.rows(); ++i) {
    const auto r = static_cast<std::size_t>(i);
    entries.emplace_back(n + i, n + i);
    for (auto t = static_cast<std::size_t>(rows_.start[r]); t < static_cast<std::size_t>(rows_.start[r + 1]); ++t)
      for (int k = offset_[rows_.body[t]]; k < offset_[rows_.body[t] + 1]; ++k) {
        entries.emplace_back(k, n + i);
        entries.emplace_back(n + i, k);
      }
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  H_.start.assign(static_cast<std::size_t>(H_.size) + 1, 0);
  for (const auto& [column, row] : entries) {
    ++H_.start[static_cast<std::size_t>(column) + 1];
    H_.row.push_back(row);
  }
  for (std::size_t j = 1; j < H_.start.size(); ++j) H_.start[j] += H_.start[j - 1];
  H_.value.assign(entries.size(), 0);

  for (int i = 0; i < rows_.rows(); ++i) {
    const auto r = static_cast<std::size_t>(i);
    row_place_.push_back(place(n + i, n + i));
    for (auto t = static_cast<std::size_t>(rows_.start[r]); t < static_cast<std::size_t>(rows_.start[r + 1]); ++t)
      for (int k = offset_[rows_.body[t]]; k < offset_[rows_.body[t] + 1]; ++k) {
        term_place_.push_back(place(n + i, k));
        term_place_.push_back(place(k, n + i));
      }
  }
}

std::size_t SparseSystem::place(int row, int column) const {
  const auto c = static_cast<std::size_t>(column);
  const auto begin = H_.row.begin() + H_.start[c], end = H_.row.begin() + H_.start[c + 1];
  return static_cast<std::size_t>(std::lower_bound(begin, end, row) - H_.row.begin());
}

bool SparseSystem::factor(const Kinematics& kinematics, bool /*closed*/) {
  rows_.evaluate(*model_, kinematics);
  factored_ = kinematics.stamp();
  M_.assign(kinematics.masses());
  std::fill(H_.value.begin(), H_.value.end(), 0.0);
  fill_bodies();
  fill_rows();
  if (ldlt_.factor(H_)) return true;
  failure_ = "the sparse factorisation met a zero pivot";
  return false;
}

void SparseSystem::fill_bodies() {
  for (std::size_t b = 0; b < M_.size(); ++b) {
    const BodyKind kind = model_->bodies[b].kind;
    for (int k = 0; k < dimension(kind); ++k) {
      // A column of H begins with the entries of the body's own block: rows come later in the order of unknowns.
      auto at = static_cast<std::size_t>(H_.start[static_cast<std::size_t>(offset_[b] + k)]);
      for (int i = 0; i < dimension(kind); ++i)
        if (coupled(kind, i, k)) H_.value[at++] = entry(kind, M_[b], i, k);
    }
  }
}

void SparseSystem::fill_rows() {
  std::size_t next = 0;
  for (std::size_t r = 0; r < eps_.size(); ++r) {
    double diagonal = 0;
    for (auto t = static_cast<std::size_t>(rows_.start[r]); t < static_cast<std::size_t>(rows_.start[r + 1]); ++t) {
      const BodyId body = rows_.body[t];
      const BodyKind kind = model_->bodies[body].kind;
      std::array<double, 7> j{};
      const int d = components(kind, rows_.J[t], j.data());
      for (int k = 0; k < d; ++k) {
        H_.value[term_place_[next++]] -= j[static_cast<std::size_t>(k)];
        H_.value[term_place_[next++]] -= j[static_cast<std::size_t>(k)];
      }
      diagonal += dot(rows_.J[t], inverse_times(kind, M_[body], rows_.J[t]));
    }
    eps_[r] = kRegularisation * diagonal;
    H_.value[row_place_[r]] = -eps_[r];
  }
}

// Refinement: H x = (f, −b) with the true H, whose lower right block is zero.
void SparseSystem::solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
  const auto n = static_cast<std::size_t>(offset_.back());
  std::fill(x_.begin(), x_.end(), 0.0);
  double best = 0;
  for (refinements_ = 0; refinements_ <= kMaxRefinements; ++refinements_) {
    // r = (f, −b) − H x
    for (std::size_t i = 0; i < y.size(); ++i)
      components(model_->bodies[i].kind, y[i], &r_[static_cast<std::size_t>(offset_[i])]);
    for (std::size_t i = 0; i < eps_.size(); ++i) r_[n + i] = -b[i] - eps_[i] * x_[n + i];
    for (std::size_t c = 0; c < x_.size(); ++c)
      for (auto p = static_cast<std::size_t>(H_.start[c]); p < static_cast<std::size_t>(H_.start[c + 1]); ++p)
        r_[static_cast<std::size_t>(H_.row[p])] -= H_.value[p] * x_[c];
    const double size = residual_norm();
    // Stop when a correction no longer halves what is left: rounding, or the part of b no motion can meet.
    if (refinements_ > 1 && !(size < 0.5 * best)) break;
    best = size;
    ldlt_.solve(r_);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += r_[i];
    if (accuracy_ >= kUnrefined) break;
  }
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = from_components(model_->bodies[i].kind, &x_[static_cast<std::size_t>(offset_[i])]);
  if (!lambda.empty()) std::copy(x_.begin() + offset_.back(), x_.end(), lambda.begin());
}

double SparseSystem::residual_norm() const {
  double sum = 0;
  for (const double r : r_) sum += r * r;
  return std::sqrt(sum);
}

}  // namespace catena
