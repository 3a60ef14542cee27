// Conjugate gradients on A = J M⁻¹ Jᵀ, which is never formed: the iterative way that Baraff compares with (§9, after Gleicher). A product
// with A is one pass over the rows to add up Jᵀp, one over the bodies for M⁻¹, one over the rows for J.
// `cg-tree`, where the forest answers exactly and only the rows that close loops are iterated over, is TreeSystem.
#pragma once

#include "catena/joints/row_rhs.h"
#include "catena/solve/conjugate_gradients.h"

namespace catena {

class ConjugateSystem final : public RowRhsSystem {
 public:
  // Throws InputError where some force is not along its row: A is not symmetric then.
  explicit ConjugateSystem(const Model& model);

  // There is nothing to factor: rows and mass blocks are taken down.
  bool factor(const Kinematics& kinematics, bool closed = false) override;
  // λ with the least Σ A_ii λ_i² where rows depend on each other; such rows are not found, and not named.
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;
  void set_accuracy(double relative) override { accuracy_ = relative; }
  std::string remark() const override;

  const ConjugateReport& last() const { return last_; }  // of the last solve

  // Where the residual is to come down to, and the iterations a row that are allowed for it.
  static constexpr double kAccuracy = 1e-14;
  static constexpr int kMostIterations = 100;

 private:
  void multiply(std::span<const double> p, std::span<double> q);

  MassBlocks M_;                     // at the state of factor()                              (n_body)
  std::vector<double> diagonal_;     // of A                                                  (n_row)
  std::vector<double> rhs_, force_;  //                                                       (n_row)
  std::vector<BodyVector> motion_;   // M⁻¹Jᵀp                                                (n_body)
  ConjugateGradients gradients_;
  ConjugateReport last_, worst_;
  double accuracy_ = kAccuracy;
};

// How the iterations went, for remark().
std::string describe(const ConjugateReport& worst);

}  // namespace catena
