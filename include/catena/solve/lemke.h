// Lemke's method with the lexicographic ratio test: complementary pivots along the path from a large artificial variable z0 to z0 = 0.
// Ends for every matrix (no cycling); ends at a solution for copositive matrices whose problem has one, which friction gives.
#pragma once

#include "catena/solve/dictionary.h"
#include "catena/solve/lcp_form.h"
#include "catena/solve/solution.h"

namespace catena::solve {

struct PivotOptions {
  double tolerance = 1e-10;  // of the natural-map residual
  int max_pivots = 0;        // 0: 50 a row and 1000
  int cone_facets = 8;       // a cone is solved as a pyramid of so many
};

// w = M z + q, 0 ≤ z ⟂ w ≥ 0.
class Lemke {
 public:
  enum class End { solution, ray, too_many_pivots };

  // `cover` > 0 is what z0 adds to w: another one is another path.
  End solve(const Eigen::MatrixXd& M, const Vector& q, const Vector& cover, int max_pivots);

  const std::vector<int>& active() const {
    return active_;
  }                                           // rows with z basic: w = 0 there, z = 0 elsewhere; ascending
  const Vector& ray() const { return ray_; }  // End::ray: where z runs off to, largest entry 1
  bool proved() const { return proved_; }     // the ray shows that the problem has no feasible z
  int pivots() const { return pivots_; }

 private:
  void start(const Eigen::MatrixXd& M, const Vector& q, const Vector& cover);
  void rebuild();        // the dictionary of the present basis, from M and q
  bool drifted() const;  // rounding has spoilt the dictionary
  int leaving_row(int column) const;
  bool lexicographically_less(int i, double pivot_i, int j, double pivot_j) const;
  void find_ray(int column);

  const Eigen::MatrixXd* M_ = nullptr;
  const Vector* q_ = nullptr;
  int size_ = 0, pivots_ = 0;
  Vector cover_;
  Dictionary dictionary_;       // nonbasic column `size_ + 1` is the constant 1
  std::vector<int> column_of_;  // of nonbasic variables                                (2 size + 1)
  std::vector<int> active_;
  Vector ray_;
  bool proved_ = false;
};

// Mixed and bounded problems by way of their LCP form; free rows are eliminated first, dependent ones dropped where they agree and split
// into two inequalities where that is not clear. The active set found is solved once more with the matrix as given.
Solution lemke(const Problem& problem, const PivotOptions& options = {});

}  // namespace catena::solve
