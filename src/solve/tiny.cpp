#include "catena/solve/tiny.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/solve/local_friction.h"

namespace catena::solve {
namespace {

constexpr int kRows = 12;

bool is_plain_lcp(const Problem& problem) {
  return problem.size() <= kRows && std::all_of(problem.blocks.begin(), problem.blocks.end(),
                                                [](const Block& block) { return block.law == Law::complementary; });
}

// basic = D · nonbasic. Variables are numbered w: 0…n−1, z: n…2n−1, z0: 2n, the constant: 2n + 1, whose column never moves.
class TinyLemke {
 public:
  TinyLemke(const Eigen::MatrixXd& M, const Vector& q) : n_(static_cast<int>(q.size())) {
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) {
        D_[i][j] = M(i, j);
        zero_ = std::max(zero_, 1e-11 * std::abs(M(i, j)));
      }
      D_[i][n_] = 1;
      D_[i][n_ + 1] = q[i];
      basic_[i] = i;
      nonbasic_[i] = n_ + i;
    }
    nonbasic_[n_] = 2 * n_;
  }

  // False: the path ends on a ray, or goes on for too long.
  bool solve() {
    int row = most_negative();
    if (row < 0) return true;
    int column = n_;
    for (const int most = 10 + 5 * n_; pivots_ < most;) {
      const int left = basic_[row];
      exchange(row, column);
      if (left == 2 * n_) return true;
      column = column_of(left < n_ ? left + n_ : left - n_);
      row = leaving_row(column);
      if (row < 0) return false;
    }
    return false;
  }

  void read(Vector& z) const {
    z.setZero(n_);
    for (int i = 0; i < n_; ++i)
      if (basic_[i] >= n_ && basic_[i] < 2 * n_) z[basic_[i] - n_] = std::max(D_[i][n_ + 1], 0.0);
  }
  int pivots() const { return pivots_; }

 private:
  int most_negative() const {
    int row = -1;
    double least = 0;
    for (int i = 0; i < n_; ++i)
      if (D_[i][n_ + 1] < least) {
        least = D_[i][n_ + 1];
        row = i;
      }
    return row;
  }

  int column_of(int variable) const {
    return static_cast<int>(std::find(nonbasic_, nonbasic_ + n_ + 1, variable) - nonbasic_);
  }

  // z0 is preferred among equals: it ends the search.
  int leaving_row(int column) const {
    int best = -1;
    double least = 0;
    for (int i = 0; i < n_; ++i) {
      const double pivot = -D_[i][column];
      if (!(pivot > zero_)) continue;
      const double ratio = D_[i][n_ + 1] / pivot;
      if (best < 0 || ratio < least || (ratio == least && basic_[i] == 2 * n_)) {
        best = i;
        least = ratio;
      }
    }
    return best;
  }

  void exchange(int row, int column) {
    const double p = 1 / D_[row][column];
    for (int j = 0; j < n_ + 2; ++j) D_[row][j] *= -p;
    D_[row][column] = p;
    for (int i = 0; i < n_; ++i) {
      if (i == row) continue;
      const double factor = std::exchange(D_[i][column], 0.0);
      for (int j = 0; j < n_ + 2; ++j) D_[i][j] += factor * D_[row][j];
    }
    std::swap(basic_[row], nonbasic_[column]);
    ++pivots_;
  }

  int n_, pivots_ = 0;
  double zero_ = 0;  // entries up to this are taken for what rounding leaves
  double D_[kRows][kRows + 2];
  int basic_[kRows], nonbasic_[kRows + 1];
};

// Coulomb's law by itself; the symmetric part of A counts.
void solve_cone(const Eigen::MatrixXd& A, const Problem& problem, Vector& z) {
  const int size = problem.size();
  double D[9], held[3] = {};
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) D[i * size + j] = A(i, j);
  const FrictionBlock block = friction_block(problem.blocks[0], D);
  z.resize(size);
  solve_friction<FrictionMethod::exact>(block, size - 1, problem.b.data(), held, z.data());
}

}  // namespace

std::optional<Solution> solve_tiny(const Problem& problem, double tolerance) {
  const auto* A = std::get_if<Eigen::MatrixXd>(&problem.A);
  if (A == nullptr || problem.size() == 0) return std::nullopt;
  std::optional<Solution> solution(std::in_place);
  if (problem.blocks.size() == 1 && problem.blocks[0].law == Law::cone) {
    solve_cone(*A, problem, solution->z);
    solution->certificate.solver = "cone";
    solution->certificate.iterations = 1;
  } else if (is_plain_lcp(problem)) {
    TinyLemke method(*A, problem.b);
    if (!method.solve()) return std::nullopt;
    method.read(solution->z);
    solution->certificate.solver = "lemke";
    solution->certificate.iterations = method.pivots();
  } else {
    return std::nullopt;
  }
  certify(problem, matrix_scale(problem.A), tolerance, *solution);
  if (solution->certificate.status != Status::exact) return std::nullopt;
  return solution;
}

}  // namespace catena::solve
