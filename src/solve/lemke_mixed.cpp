// Mixed problems for Lemke's method: free rows are eliminated, the rest is a plain LCP.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "catena/solve/lemke.h"

namespace catena::solve {
namespace {

// Pivots below this, relative to the largest entry of M, are taken for zero: the free rows left then depend on those eliminated.
constexpr double kRank = 1e-11;
// What is left in such rows below this is rounding.
constexpr double kNoise = 1e-9;

// A plain LCP in the complementary unknowns. `rows` and `columns` name the rows and columns of the form that its own stand for;
// a free row that could not be eliminated stands there twice, with both signs.
struct Reduced {
  Eigen::MatrixXd M;
  Vector q;
  std::vector<int> rows, columns;
  std::vector<double> sign;
};

class FreeElimination {
 public:
  explicit FreeElimination(const LcpForm& form) : form_(form) {
    const int n = form.size();
    dictionary_.D.resize(n, n + 1);
    dictionary_.D << form.M, form.q;
    dictionary_.basic.resize(n);
    dictionary_.nonbasic.resize(n + 1);
    std::iota(dictionary_.basic.begin(), dictionary_.basic.end(), 0);
    std::iota(dictionary_.nonbasic.begin(), dictionary_.nonbasic.end(), n);
    for (int i = 0; i < n; ++i)
      if (form.is_free[i]) {
        rows_left_.push_back(i);
        columns_left_.push_back(i);
      }
    const double most = std::max(1e-300, n > 0 ? form.M.cwiseAbs().maxCoeff() : 0);
    noise_ = kNoise * most;
    q_size_ = n > 0 ? form.q.lpNorm<Eigen::Infinity>() : 0;
    while (eliminate_one(kRank * most)) {
    }
    drop_dependent();
  }

  Reduced reduced() const {
    Reduced r;
    const auto add = [&](int row, int column, double sign) {
      r.rows.push_back(row);
      r.columns.push_back(column);
      r.sign.push_back(sign);
    };
    for (int i = 0; i < form_.size(); ++i)
      if (!form_.is_free[i]) add(i, i, 1);
    for (std::size_t k = 0; k < rows_left_.size(); ++k) {
      add(rows_left_[k], columns_left_[k], 1);
      add(rows_left_[k], columns_left_[k], -1);
    }
    const int n = static_cast<int>(r.rows.size()), plain = n - 2 * static_cast<int>(rows_left_.size());
    r.M.resize(n, n);
    r.q.resize(n);
    for (int i = 0; i < n; ++i) {
      // A constant that elimination has taken away but for its rounding is zero: its sign would send the path astray.
      const double constant = dictionary_.D(r.rows[i], form_.size());
      r.q[i] = std::abs(constant) <= 1e-14 * q_size_ ? 0 : r.sign[i] * constant;
      for (int j = 0; j < n; ++j) {
        const double entry = dictionary_.D(r.rows[i], r.columns[j]);
        // What elimination leaves of a zero must not become a pivot.
        const bool zero = (i >= plain || j >= plain) && std::abs(entry) <= noise_;
        r.M(i, j) = zero ? 0 : r.sign[i] * r.sign[j] * entry;
      }
    }
    return r;
  }

  // How the eliminated unknowns follow a direction of the others.
  void follow(Vector& direction) const {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      double sum = 0;
      for (int j = 0; j < form_.size(); ++j)
        if (!form_.is_free[j]) sum += dictionary_.D(rows_[k], j) * direction[j];
      direction[columns_[k]] = sum;
    }
  }

  const std::vector<int>& rows() const { return rows_; }  // eliminated, in pairs with columns()
  const std::vector<int>& columns() const { return columns_; }

 private:
  // The largest entry left, on the diagonal where that is as good: symmetric problems stay symmetric.
  bool eliminate_one(double zero) {
    int best_row = -1, best_column = -1;
    double best = zero;
    for (std::size_t r = 0; r < rows_left_.size(); ++r)
      for (std::size_t c = 0; c < columns_left_.size(); ++c) {
        const double favour = rows_left_[r] == columns_left_[c] ? 10 : 1;
        const double entry = favour * std::abs(dictionary_.D(rows_left_[r], columns_left_[c]));
        if (entry > best) {
          best = entry;
          best_row = static_cast<int>(r);
          best_column = static_cast<int>(c);
        }
      }
    if (best_row < 0) return false;
    dictionary_.exchange(rows_left_[best_row], columns_left_[best_column]);
    rows_.push_back(rows_left_[best_row]);
    columns_.push_back(columns_left_[best_column]);
    rows_left_.erase(rows_left_.begin() + best_row);
    columns_left_.erase(columns_left_.begin() + best_column);
    return true;
  }

  // Free rows that say nothing new, and whose unknowns move nothing, keep those unknowns at zero.
  void drop_dependent() {
    const int n = form_.size();
    for (const int row : rows_left_) {
      if (std::abs(dictionary_.D(row, n)) > kNoise * q_size_) return;
      for (int j = 0; j < n; ++j)
        if (!form_.is_free[j] && std::abs(dictionary_.D(row, j)) > noise_) return;
    }
    for (const int column : columns_left_)
      for (int i = 0; i < n; ++i)
        if (!form_.is_free[i] && std::abs(dictionary_.D(i, column)) > noise_) return;
    rows_left_.clear();
    columns_left_.clear();
  }

  const LcpForm& form_;
  Dictionary dictionary_;
  double noise_ = 0, q_size_ = 0;
  std::vector<int> rows_, columns_, rows_left_, columns_left_;
};

// The same LCP seen from another complementary basis: z and w change places on `exchanged`.
struct Seen {
  Eigen::MatrixXd M;
  Vector q;
  std::vector<char> exchanged;
};

// A ray does not say that there is no solution where it is no proof: from elsewhere the path may end well. Start k exchanges row k with
// itself, or where its diagonal is zero with the row it is tied to most (bimatrix games).
std::optional<Seen> from_elsewhere(const Reduced& reduced, int k) {
  const int n = static_cast<int>(reduced.q.size());
  int partner = k;
  if (std::abs(reduced.M(k, k)) <= kRank * reduced.M.row(k).lpNorm<Eigen::Infinity>()) {
    double most = 0;
    for (int j = 0; j < n; ++j)
      if (std::abs(reduced.M(k, j) * reduced.M(j, k)) > most) {
        most = std::abs(reduced.M(k, j) * reduced.M(j, k));
        partner = j;
      }
    if (partner == k) return std::nullopt;
  }
  Dictionary dictionary;
  dictionary.D.resize(n, n + 1);
  dictionary.D << reduced.M, reduced.q;
  dictionary.basic.resize(n);
  dictionary.nonbasic.resize(n + 1);
  Seen seen{{}, {}, std::vector<char>(n, 0)};
  dictionary.exchange(k, partner);
  if (partner != k) {
    dictionary.exchange(partner, k);
    dictionary.D.row(k).swap(dictionary.D.row(partner));
    dictionary.D.col(k).swap(dictionary.D.col(partner));
  }
  seen.exchanged[k] = seen.exchanged[partner] = 1;
  seen.M = dictionary.D.leftCols(n);
  seen.q = dictionary.D.col(n);
  return seen;
}

struct Path {
  Lemke::End end;
  std::vector<int> active;
  Vector ray;
  bool proved;
  int pivots;
};

// z0 in units of each row, so that rows of different size enter alike; or the same for all; or at random.
Vector cover_for(const Eigen::MatrixXd& M, int attempt) {
  const int n = static_cast<int>(M.rows());
  if (attempt == 1) return Vector::Ones(n);
  Vector cover(n);
  std::minstd_rand random(static_cast<unsigned>(attempt));
  for (int i = 0; i < n; ++i) {
    const double size = std::max(M.row(i).lpNorm<Eigen::Infinity>(), M.col(i).lpNorm<Eigen::Infinity>());
    cover[i] = size > 0 ? size : 1;
    if (attempt > 1) cover[i] *= 0.1 + std::uniform_real_distribution<double>()(random);
  }
  return cover;
}

// The first path that ends at a solution or in a proof that there is none.
Path follow_path(const Reduced& reduced, int max_pivots) {
  constexpr int kCovers = 40, kMaxStarts = 40;
  const int n = static_cast<int>(reduced.q.size());
  Lemke method;
  Path path{Lemke::End::ray, {}, Vector::Zero(n), false, 0};
  for (int k = 0; k < kCovers && path.end != Lemke::End::solution && !path.proved; ++k) {
    path.end = method.solve(reduced.M, reduced.q, cover_for(reduced.M, k), max_pivots);
    path.active = method.active();
    path.proved = method.proved();
    if (path.end == Lemke::End::ray) path.ray = method.ray();
    path.pivots += method.pivots();
  }
  for (int k = 0; k < std::min(n, kMaxStarts) && path.end == Lemke::End::ray && !path.proved; ++k) {
    const std::optional<Seen> seen = from_elsewhere(reduced, k);
    if (!seen || !seen->M.allFinite()) continue;
    const Lemke::End end = method.solve(seen->M, seen->q, cover_for(seen->M, 0), max_pivots);
    path.pivots += method.pivots();
    if (end != Lemke::End::solution) continue;
    path.end = end;
    std::vector<char> active = seen->exchanged;
    for (const int i : method.active()) active[i] = active[i] ? 0 : 1;
    path.active.clear();
    for (int i = 0; i < n; ++i)
      if (active[i]) path.active.push_back(i);
  }
  return path;
}

// y on an active set: M(rows, columns) y = −q(rows), with the numbers as given and two steps of refinement.
Vector solve_active(const LcpForm& form, const std::vector<int>& rows, const std::vector<int>& columns) {
  Vector y = Vector::Zero(form.size());
  if (rows.empty()) return y;
  const int size = static_cast<int>(rows.size());
  Eigen::MatrixXd M(size, size);
  Vector q(size);
  for (int i = 0; i < size; ++i) {
    q[i] = form.q[rows[i]];
    for (int j = 0; j < size; ++j) M(i, j) = form.M(rows[i], columns[j]);
  }
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(M);
  Vector x = lu.solve(-q);
  for (int k = 0; k < 2; ++k) x -= lu.solve(M * x + q);
  for (int j = 0; j < size; ++j) y[columns[j]] = x[j];
  for (int i = 0; i < form.size(); ++i)
    if (!form.is_free[i]) y[i] = std::max(y[i], 0.0);
  return y;
}

}  // namespace

Solution lemke(const Problem& problem, const PivotOptions& options) {
  const LcpForm form = to_lcp(problem, options.cone_facets);
  const FreeElimination elimination(form);
  const Reduced reduced = elimination.reduced();
  const int size = static_cast<int>(reduced.q.size());
  const Path path = follow_path(reduced, options.max_pivots > 0 ? options.max_pivots : 1000 + 50 * size);

  std::vector<int> rows = elimination.rows(), columns = elimination.columns();
  for (const int k : path.active) {
    rows.push_back(reduced.rows[k]);
    columns.push_back(reduced.columns[k]);
  }
  Solution solution;
  solution.z = form.z_of(solve_active(form, rows, columns));
  certify(problem, matrix_scale(problem.A), options.tolerance, solution);
  Certificate& c = solution.certificate;
  c.solver = "lemke";
  c.iterations = path.pivots;
  if (path.end == Lemke::End::ray && c.status != Status::exact) {
    Vector direction = Vector::Zero(form.size());
    for (int k = 0; k < size; ++k) direction[reduced.columns[k]] += reduced.sign[k] * path.ray[k];
    elimination.follow(direction);
    solution.ray = form.E * direction;
    c.status = Status::ray;
    c.proved = path.proved && !form.approximate;
  }
  return solution;
}

}  // namespace catena::solve
