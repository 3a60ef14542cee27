// The general sparse LDLᵀ of H = [M −Jᵀ; −J −εD] with a fill-reducing order, for mechanisms with so many loops that anticipating
// them one by one costs more (cloth, nets, trusses).
//
// ε makes H quasi-definite, so that any order can be factored; it is small (1e-9 of the diagonal D of J M⁻¹ Jᵀ) and its effect is
// removed by refinement against the true system. Where rows depend on each other the refined λ tends to one of least norm
// (weighted by D), and J y = b is met on the independent part.
#pragma once

#include "catena/joints/row_rhs.h"
#include "catena/solve/sparse_ldlt.h"

namespace catena {

class SparseSystem final : public RowRhsSystem {
 public:
  explicit SparseSystem(const Model& model);

  bool factor(const Kinematics& kinematics, bool closed = false) override;
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;

  void set_accuracy(double relative) override { accuracy_ = relative; }

  double flops() const { return ldlt_.flops(); }
  int refinements() const { return refinements_; }  // of the last solve

 private:
  void build_pattern();
  void fill_bodies();
  void fill_rows();
  std::size_t place(int row, int column) const;
  double residual_norm() const;

  MassBlocks M_;             //                                                    (n_body)
  std::vector<int> offset_;  // of each body's unknowns; then the rows             (n_body + 1)
  SparseSymmetric H_;
  std::vector<std::size_t> term_place_;  // places of the numbers of each term: two a number
  std::vector<std::size_t> row_place_;   // diagonal of each row                               (n_row)
  SparseLdlt ldlt_;
  std::vector<double> x_, r_;  // solution, residual                                 (n)
  std::vector<double> eps_;    //                                                    (n_row)
  int refinements_ = 0;
  double accuracy_ = 0;  // 0: refine until it no longer helps
};

}  // namespace catena
