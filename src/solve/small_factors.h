// A dense matrix of a few dozen rows, column by column, and its factors in its place. Does not allocate when it is used again for one size.
#pragma once

#include <cstddef>
#include <vector>

namespace catena::solve {

class SmallFactors {
 public:
  // Of n rows and columns, whose numbers are then written column by column.
  void resize(std::size_t n);
  // Where a column begins.
  double* column(std::size_t j) { return M_.data() + j * stride_; }
  const double* column(std::size_t j) const { return M_.data() + j * stride_; }

  // Cholesky's factorisation of the lower triangle. False: it is not positive definite, and lost.
  bool factor_symmetric();
  // LU with partial pivoting. False: it is singular.
  bool factor();
  // x ← M⁻¹x by the factors.
  void substitute(double* x);

 private:
  void clear_padding();
  bool factor_panel(std::size_t first);
  void reduce_symmetric(std::size_t first, double* x) const;
  void substitute_symmetric(std::size_t first, double* x) const;
  void reduce(std::size_t first, double* x) const;
  void substitute_back(std::size_t first, double* x) const;

  std::size_t n_ = 0, stride_ = 0;  // stride_: n rounded up to whole panels, so that all loops run over whole vectors
  std::vector<double> M_, inverse_, x_;  // the matrix, one over what is on its diagonal, and a right-hand side
  std::vector<std::size_t> pivot_;
  std::vector<char> exchanged_;  // whether rows were exchanged in a panel
  bool symmetric_ = false;       // factored by Cholesky's method
};

}  // namespace catena::solve
