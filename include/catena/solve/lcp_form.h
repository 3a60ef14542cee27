// Any problem as a mixed LCP: w' = M y + q where a row is either free (w' = 0) or complementary (0 ≤ y ⟂ w' ≥ 0).
//     z = E y + z0,   M = Eᵀ A E + C,   q = Eᵀ (A z0 + b) + c
// A bound adds a variable for its reaction; a friction pyramid takes β ≥ 0 along its directions and a slip speed σ (Jain eq. 10), so a
// block of n_f facets becomes n_f + 2 rows. A cone becomes a pyramid of `cone_facets` facets: an approximation, and reported as such. With
// cone_facets = 0 cones stay: the form is then a Problem of free and complementary rows and cones.
#pragma once

#include "catena/solve/problem.h"

namespace catena::solve {

struct LcpForm {
  Eigen::MatrixXd M;
  Vector q;
  std::vector<char> is_free;  // by row
  SparseRows E;               // rows of z by rows of y
  Vector z0;
  std::vector<Block> cones;  // kept, by rows of y
  bool approximate = false;  // a cone was replaced by facets

  int size() const { return static_cast<int>(q.size()); }
  Vector z_of(const Vector& y) const { return E * y + z0; }
};
LcpForm to_lcp(const Problem& problem, int cone_facets);

Problem problem_of(const LcpForm& form);

}  // namespace catena::solve
