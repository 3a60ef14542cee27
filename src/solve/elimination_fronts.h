// The order in which a sparse symmetric positive definite matrix is eliminated, and which of its columns go together: a front is a run of
// columns with (nearly) the same rows below the diagonal, which are treated as one dense block. Depends on the pattern only.
#pragma once

#include <vector>

#include "catena/solve/sparse_ldlt.h"

namespace catena {

struct Front {
  int first = 0, width = 0;  // its columns, in the order of elimination
  int parent = -1;           // the front its rows below go to; −1: none
  std::vector<int> rows{};   // of its block, in the order of elimination: its own columns, then those below, ascending
  std::vector<int> above{};  // where each row below is in the parent's block
  std::size_t panel = 0;     // where its numbers begin: stride() x width, by columns

  int height() const { return static_cast<int>(rows.size()); }
  int below() const { return height() - width; }
  // A column of its panel: its own rows, those below and its own again, each part followed by zeros up to a multiple of kLanes.
  int lead() const { return padded(width); }
  int low() const { return padded(below()); }
  int stride() const { return 2 * lead() + low(); }
  int place(int row) const { return row < width ? row : lead() + row - width; }  // in a column, of a row of its block

  static constexpr int kLanes = 4;
  static int padded(int count) { return (count + kLanes - 1) / kLanes * kLanes; }
};

struct Fronts {
  std::vector<int> order;     // order[k]: the row of the matrix that is eliminated k-th
  std::vector<int> place;     // its inverse
  std::vector<Front> fronts;  // children before their parents, and those of one parent one after the other
  std::vector<int> front_of;  // by column, in the order of elimination
  std::size_t numbers = 0;    // of all panels
  double flops = 0;           // multiplications of a factorisation
};

// Of a minimum-degree order (AMD).
Fronts elimination_fronts(const SparseSymmetric& A);

}  // namespace catena
