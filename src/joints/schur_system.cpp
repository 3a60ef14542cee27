#include "catena/joints/schur_system.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "catena/math/scalar.h"
#include "catena/model/components.h"

namespace catena {
namespace {

constexpr int kWidth = SparseCholesky::Half::kWidth;
constexpr int kPart = 3;  // numbers of a body that go together in body_compliance()

// M⁻¹ f; most bodies of a net are particles.
BodyVector accelerated(BodyKind kind, const MassBlock& M, const BodyVector& f) {
  return kind == BodyKind::particle ? BodyVector{f.linear / M.linear, {}, 0} : inverse_times(kind, M, f);
}

double norm_of(const std::vector<double>& r) {
  double sum = 0;
  for (const double x : r) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

SchurSystem::SchurSystem(const Model& model) : RowRhsSystem(model), M_(model), MJ_(rows_.terms()) {
  for (int i = 0; i < rows_.rows(); ++i)
    for (int t = rows_.start[at(i)]; t < rows_.start[at(i) + 1]; ++t) pattern_.row_of.push_back(i);
  std::vector<std::vector<int>> of_body(M_.size());
  for (std::size_t t = 0; t < rows_.terms(); ++t) of_body[rows_.body[t]].push_back(static_cast<int>(t));
  pattern_.term_start.push_back(0);
  for (const std::vector<int>& list : of_body) {
    pattern_.terms.insert(pattern_.terms.end(), list.begin(), list.end());
    pattern_.term_start.push_back(static_cast<int>(pattern_.terms.size()));
  }
  points_ = std::all_of(rows_.body.begin(), rows_.body.end(),
                        [&](BodyId body) { return model.bodies[body].kind == BodyKind::particle; });
  if (points_) point_J_.resize(rows_.terms());
  point_MJ_.resize(point_J_.size());
  build_pattern();
  cholesky_.analyse(A_);
  r_.resize(at(A_.size));
  x_.resize(at(A_.size));
}

double SchurSystem::products(const Model& model) {
  std::vector<double> count(model.bodies.size(), 0);
  for (const BodyId body : all_rows(model).body) ++count[body];
  double sum = 0;
  for (const double n : count) sum += n * n;
  return sum;
}

void SchurSystem::build_pattern() {
  A_.size = rows_.rows();
  std::vector<std::pair<int, int>> entries;  // column, row
  const auto for_each_pair = [&](auto&& f) {
    for (std::size_t body = 0; body < M_.size(); ++body)
      for (int p = pattern_.term_start[body]; p < pattern_.term_start[body + 1]; ++p)
        for (int q = p; q < pattern_.term_start[body + 1]; ++q) f(pattern_.terms[at(p)], pattern_.terms[at(q)]);
  };
  for (int i = 0; i < A_.size; ++i) entries.emplace_back(i, i);
  for_each_pair([&](int p, int q) {
    entries.emplace_back(pattern_.row_of[at(p)], pattern_.row_of[at(q)]);
    entries.emplace_back(pattern_.row_of[at(q)], pattern_.row_of[at(p)]);
  });
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  A_.start.assign(at(A_.size) + 1, 0);
  for (const auto& [column, row] : entries) {
    ++A_.start[at(column) + 1];
    A_.row.push_back(row);
  }
  for (std::size_t j = 1; j < A_.start.size(); ++j) A_.start[j] += A_.start[j - 1];
  A_.value.assign(entries.size(), 0);
  for (int i = 0; i < A_.size; ++i) pattern_.diagonal.push_back(place(i, i));
  for_each_pair([&](int p, int q) {
    pattern_.pairs.push_back({p, q, place(pattern_.row_of[at(p)], pattern_.row_of[at(q)]),
                              place(pattern_.row_of[at(q)], pattern_.row_of[at(p)])});
  });
}

std::size_t SchurSystem::place(int row, int column) const {
  const auto begin = A_.row.begin() + A_.start[at(column)], end = A_.row.begin() + A_.start[at(column) + 1];
  return static_cast<std::size_t>(std::lower_bound(begin, end, row) - A_.row.begin());
}

// A = J M⁻¹Jᵀ.
template <class Vector>
void SchurSystem::add_products(std::span<const Vector> J, std::span<const Vector> MJ) {
  for (const Pair& pair : pattern_.pairs) {
    const double product = dot(J[at(pair.first)], MJ[at(pair.second)]);
    A_.value[pair.place] += product;
    // A row may touch a body twice: then both products are the diagonal's.
    if (pair.first != pair.second) A_.value[pair.mirror] += product;
  }
}

bool SchurSystem::factor(const Kinematics& kinematics, bool /*closed*/) {
  rows_.evaluate(*model_, kinematics);
  factored_ = kinematics.stamp();
  M_.assign(kinematics.masses());
  std::fill(A_.value.begin(), A_.value.end(), 0.0);
  if (points_) {
    for (std::size_t t = 0; t < point_J_.size(); ++t) {
      point_J_[t] = rows_.J[t].linear;
      point_MJ_[t] = point_J_[t] / M_[rows_.body[t]].linear;
    }
    add_products<Vec3>(point_J_, point_MJ_);
  } else {
    for (std::size_t t = 0; t < MJ_.size(); ++t)
      MJ_[t] = accelerated(model_->bodies[rows_.body[t]].kind, M_[rows_.body[t]], rows_.J[t]);
    add_products<BodyVector>(rows_.J, MJ_);
  }
  for (const std::size_t d : pattern_.diagonal) A_.value[d] *= 1 + kRegularisation;
  if (cholesky_.factor(A_)) return true;
  failure_ = "the sparse factorisation met a pivot that is not positive";
  return false;
}

// r = b − J y: what the rows lack.
void SchurSystem::find_residual(std::span<const double> b, std::span<const BodyVector> y) {
  for (std::size_t i = 0; i < r_.size(); ++i) {
    double r = b[i];
    for (auto t = at(rows_.start[i]), end = at(rows_.start[i + 1]); t < end; ++t) {
      const BodyVector& v = y[rows_.body[t]];
      r -= points_ ? dot(point_J_[t], v.linear) : dot(rows_.J[t], v);
    }
    r_[i] = r;
  }
}

// λ += x, y += M⁻¹Jᵀ x with the x in r_.
void SchurSystem::add_impulses(std::span<BodyVector> y) {
  for (std::size_t i = 0; i < r_.size(); ++i) {
    x_[i] += r_[i];
    for (auto t = at(rows_.start[i]), end = at(rows_.start[i + 1]); t < end; ++t) {
      if (points_) y[rows_.body[t]].linear += r_[i] * point_MJ_[t];
      else y[rows_.body[t]] += r_[i] * MJ_[t];
    }
  }
}

void SchurSystem::solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = accelerated(model_->bodies[i].kind, M_[i], y[i]);
  std::fill(x_.begin(), x_.end(), 0.0);
  double best = 0;
  for (refinements_ = 0; refinements_ <= kMaxRefinements; ++refinements_) {
    find_residual(b, y);
    const double size = refinements_ > 0 ? norm_of(r_) : 0;
    // Stop when a correction no longer halves what is left: rounding, or the part of b no motion can meet.
    if (refinements_ > 1 && !(size < 0.5 * best)) break;
    best = size;
    cholesky_.solve(r_);
    add_impulses(y);
    if (accuracy_ >= kUnrefined) break;
  }
  if (!lambda.empty()) std::copy(x_.begin(), x_.end(), lambda.begin());
}

// L⁻¹ J M⁻¹ of `count` numbers of a body.
void SchurSystem::add_half(BodyId body, int first, int count, SparseCholesky::Half& out) {
  halves_.rows.clear();
  halves_.numbers.clear();
  for (int p = pattern_.term_start[body]; p < pattern_.term_start[body + 1]; ++p) {
    const int t = pattern_.terms[at(p)];
    if (halves_.rows.empty() || halves_.rows.back() != pattern_.row_of[at(t)]) {
      halves_.rows.push_back(pattern_.row_of[at(t)]);
      halves_.numbers.insert(halves_.numbers.end(), kWidth, 0.0);
    }
    std::array<double, 7> numbers{};
    components(model_->bodies[body].kind, points_ ? BodyVector{point_MJ_[at(t)], {}, 0} : MJ_[at(t)], numbers.data());
    for (int i = 0; i < count; ++i) halves_.numbers[halves_.numbers.size() - kWidth + at(i)] += numbers[at(first + i)];
  }
  cholesky_.half_solve(halves_.rows, halves_.numbers, out);
}

// W = M⁻¹ − M⁻¹Jᵀ A⁻¹ J M⁻¹ for the bodies asked for, three numbers of a body at a time.
bool SchurSystem::body_compliance(std::span<const BodyId> bodies, Eigen::MatrixXd& W) {
  std::size_t used = 0;
  const auto for_each_part = [&](auto&& f) {
    int row = 0;
    for (const BodyId body : bodies)
      for (int first = 0, d = dimension(model_->bodies[body].kind); first < d; first += kPart) {
        const int count = std::min(kPart, d - first);
        f(body, first, row, count);
        row += count;
      }
    return row;
  };
  const int size = for_each_part([&](BodyId body, int first, int /*row*/, int count) {
    if (used == halves_.found.size()) halves_.found.emplace_back();
    add_half(body, first, count, halves_.found[used++]);
  });
  W.resize(size, size);
  std::array<double, kWidth * kWidth> product{};
  std::size_t i = 0;
  for_each_part([&](BodyId, int, int row, int count) {
    std::size_t k = 0;
    for_each_part([&](BodyId, int, int column, int width) {
      if (k > i) return;
      cholesky_.product(halves_.found[i], halves_.found[k++], product);
      for (int r = 0; r < count; ++r)
        for (int c = 0; c < width; ++c) {
          W(row + r, column + c) = -product[at(r * kWidth + c)];
          W(column + c, row + r) = -product[at(r * kWidth + c)];
        }
    });
    ++i;
  });
  int row = 0;
  for (const BodyId body : bodies) {
    const BodyKind kind = model_->bodies[body].kind;
    const int d = dimension(kind);
    std::array<double, 7> unit{}, column{};
    for (int c = 0; c < d; ++c) {
      unit.fill(0);
      unit[at(c)] = 1;
      components(kind, inverse_times(kind, M_[body], from_components(kind, unit.data())), column.data());
      for (int r = 0; r < d; ++r) W(row + r, row + c) += column[at(r)];
    }
    row += d;
  }
  return true;
}

}  // namespace catena
