// Principal pivoting for bounded problems with a symmetric positive semidefinite matrix: Dantzig's and Cottle's method in Baraff's form
// (1994). One row after another is driven to its law while those done keep theirs; the rows with w = 0 are held in an LDLᵀ that
// is updated, not recomputed. Rows that depend on others are left where they are: they are satisfied with the rest.
#pragma once

#include <cstdint>

#include "catena/solve/lemke.h"
#include "catena/solve/updatable_ldlt.h"

namespace catena::solve {

class PrincipalPivoting {
 public:
  enum class End { solution, unbounded, too_many_pivots };

  void reserve(int size);

  // lower ≤ z ≤ upper, infinite ones included. z holds a guess on entry: rows strictly inside their bounds are tried with w = 0
  // first. Does not allocate for sizes up to the reserved one.
  End solve(const Eigen::MatrixXd& A, const Vector& b, const Vector& lower, const Vector& upper, int max_pivots,
            Vector& z);

  int pivots() const { return pivots_; }
  int failed_row() const { return driven_; }  // End::unbounded: the row whose law cannot be met

 private:
  enum class Place : std::uint8_t { lower, upper, inside };

  struct Step {
    double length;
    int row;     // what stops it: the driven row, one inside that meets a bound, or one at a bound whose w meets zero
    bool bound;  // the row's z meets a bound
  };

  // The problem being solved.
  struct Given {
    const Eigen::MatrixXd* A = nullptr;
    const Vector *b = nullptr, *lower = nullptr, *upper = nullptr;
  };

  void place_guess(Vector& z);
  bool enter(int row);
  void leave(int row, Place to);
  void solve_inside(Vector& z);
  void update_w(const Vector& z);
  double violation(int row, const Vector& z) const;
  bool drive(int row, int max_pivots, Vector& z);
  void find_direction(int row, double sign);
  Step longest_step(int row, double sign, const Vector& z) const;

  Given given_;
  int size_ = 0, pivots_ = 0, driven_ = -1;
  double noise_ = 0;  // the largest of b
  double slack_ = 0;  // w below this counts as zero
  std::vector<Place> place_;
  std::vector<char> pending_;  // rows whose law does not hold yet and that are not driven: nothing stops for them
  std::vector<int> inside_;    // rows of the factorisation, in its order
  UpdatableLdlt factor_;
  Vector w_, dz_, dw_, column_;
};

// Bounded and plain problems with a symmetric matrix. Bounds that depend on another row's z are brought up to date between
// solves until they agree. Not for facets and cones, nor where A is not symmetric: applies() says so.
bool pivoting_applies(const Problem& problem);
Solution principal_pivoting(const Problem& problem, const PivotOptions& options = {}, const Vector* guess = nullptr);

}  // namespace catena::solve
