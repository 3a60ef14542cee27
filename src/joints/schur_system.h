// The impulses first: A λ = b − J M⁻¹ f with A = J M⁻¹ Jᵀ (Bender eq. 5), formed sparse and factored by fronts (solve/sparse_cholesky.h), then
// y = M⁻¹ (f + Jᵀλ). Rows that share a body fill a block of A, so this suits bodies with few joints: of a cloth A has a third of the unknowns
// of H, and its fronts are dense where those of H are scattered.
//
// A + εD is factored, D the diagonal of A, so that rows that depend on each other do no harm; refinement removes the effect.
#pragma once

#include "catena/joints/row_rhs.h"
#include "catena/solve/sparse_cholesky.h"

namespace catena {

class SchurSystem final : public RowRhsSystem {
 public:
  // For models whose forces are along their own rows (RowSet::workless()).
  explicit SchurSystem(const Model& model);

  // Products that make up A: the squares of the numbers of rows that share a body.
  static double products(const Model& model);

  bool factor(const Kinematics& kinematics, bool closed = false) override;
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;
  void set_accuracy(double relative) override { accuracy_ = relative; }
  bool body_compliance(std::span<const BodyId> bodies, Eigen::MatrixXd& W) override;

  double flops() const { return cholesky_.flops(); }
  int refinements() const { return refinements_; }  // of the last solve

 private:
  // Two terms of one body, and where their product goes in A, on either side of the diagonal.
  struct Pair {
    int first, second;
    std::size_t place, mirror;
  };
  // Which terms of the rows meet in A, from the model.
  struct Pattern {
    std::vector<int> term_start, terms;  // of each body; the terms of rows_ that touch it     (n_body + 1, n_term)
    std::vector<int> row_of;             // of each term
    std::vector<Pair> pairs;
    std::vector<std::size_t> diagonal;  // places                                             (n_row)
  };
  // Of body_compliance(): L⁻¹ J M⁻¹, and the rows and numbers of the one being found.
  struct Halves {
    std::vector<SparseCholesky::Half> found;
    std::vector<int> rows;
    std::vector<double> numbers;
  };
  void build_pattern();
  std::size_t place(int row, int column) const;
  template <class Vector>
  void add_products(std::span<const Vector> J, std::span<const Vector> MJ);
  void find_residual(std::span<const double> b, std::span<const BodyVector> y);
  void add_impulses(std::span<BodyVector> y);
  void add_half(BodyId body, int first, int count, SparseCholesky::Half& out);

  bool points_ = false;  // all rows are between particles: linear parts say it all
  MassBlocks M_;         //                                                    (n_body)
  Pattern pattern_;
  std::vector<BodyVector> MJ_;  // M⁻¹Jᵀ of each term                                 (n_term)
  std::vector<Vec3> point_J_;   // linear parts, where they say it all                (n_term)
  std::vector<Vec3> point_MJ_;  //                                                    (n_term)
  SparseSymmetric A_;
  SparseCholesky cholesky_;
  std::vector<double> r_, x_;  //                                                    (n_row)
  int refinements_ = 0;
  double accuracy_ = 0;  // 0: refine until it no longer helps
  Halves halves_;
};

}  // namespace catena
