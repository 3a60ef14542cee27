// For systems that keep all rows in one RowSet: their right-hand sides.
#pragma once

#include "catena/joints/constraint_system.h"

namespace catena {

class RowRhsSystem : public ConstraintSystem {
 public:
  explicit RowRhsSystem(const Model& model);

  void acceleration_rhs(const Kinematics& kinematics, std::span<double> b) override;
  void velocity_rhs(const Kinematics& kinematics, std::span<double> b) override;
  const RowSet* rows_at(const Kinematics& kinematics) const override {
    return factored_ == kinematics.stamp() ? &rows_ : probed_ == kinematics.stamp() ? &probe_ : nullptr;
  }
  void position_rhs(const Kinematics& kinematics, std::span<double> b) override;
  // As below.
  virtual bool multipliers(std::span<const BodyVector> /*f*/, std::span<const BodyVector> /*y*/,
                           std::span<double> /*lambda*/) {
    return false;
  }

 protected:
  // Redundant rows make the matrix singular: it is factored with a little on its diagonal, and solutions are refined.
  static constexpr double kRegularisation = 1e-9;  // of the diagonal
  static constexpr int kMaxRefinements = 10;
  static constexpr double kUnrefined = 1e-3;  // what one solve with the regularised matrix is good for at least

  RowSet rows_;                 // all rows at the state of factor()
  RowSet probe_;                // all rows at the state a right-hand side is asked for
  std::uint64_t factored_ = 0;  // stamp of the kinematics of factor()
  std::uint64_t probed_ = 0;    // and of the probe; 0: it holds no rows

 private:
  const RowSet& rows_here(const Kinematics& kinematics);
};

// Any λ with M y − Jᵀλ = f of a motion y that is known, at the state of factor(). False: the system has no better way than to solve for both.
bool find_multipliers(ConstraintSystem& system, std::span<const BodyVector> f, std::span<const BodyVector> y,
                      std::span<double> lambda);

// The rows of every joint of the model, in its order.
RowSet all_rows(const Model& model);

}  // namespace catena
