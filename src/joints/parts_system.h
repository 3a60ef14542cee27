// Loops by parts: the joints are split into acyclic parts, each solved in linear time, and the parts are reconciled by
// iteration.                                                                                                      Bender §5
//
// Bender repeats the parts one after the other until all are satisfied. Here all parts answer the same error at once, which makes them
// independent (they run in parallel) and their answers a symmetric preconditioner P⁻¹ = diag(A_kk⁻¹) of A = J M⁻¹ Jᵀ; conjugate
// gradients then take the best step in every direction instead of a full one. Results are the same bits for any number of threads:
// parts write apart from each other and are added up in their order.
//
// Bender's own loop is there as well: layer by layer, every part satisfies its joints with the answers of those before it, until all are
// satisfied. That is block Gauss–Seidel on A with blocks that are never singular, so it goes on where rows of different parts depend on each
// other, to impulses that depend on the order. Parts of one layer have no body in common, so they run in parallel.
#pragma once

#include "catena/joints/row_rhs.h"
#include "catena/primary/maximal_system.h"
#include "catena/primary/parts.h"

namespace catena {

class PartsSystem final : public RowRhsSystem {
 public:
  // The first factor() tries the parts at that state; where they do not agree within kPatience iterations (tight mechanisms), or rows
  // depend on each other, `direct` does all the work, and remark() says so.
  // Without `direct` the parts take turns.
  PartsSystem(const Model& model, int threads, std::unique_ptr<ConstraintSystem> direct);
  ~PartsSystem() override;

  bool factor(const Kinematics& kinematics, bool closed = false) override;
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;
  void set_accuracy(double relative) override;
  const std::vector<RowName>& redundant() const override { return direct_ ? direct_->redundant() : redundant_; }
  std::string remark() const override;

  std::size_t parts() const { return parts_.size(); }
  int iterations() const { return iterations_; }  // of the last solve

  static constexpr int kPatience = 100;
  static constexpr int kMostIterations = 10 * kPatience;
  static constexpr int kMostTurns = 20000;

 private:
  struct Crew;  // the threads, apart from the header: who includes it need not have their library
  struct Answering {
    MaximalSystem system;
    std::size_t layer;
    std::vector<int> rows{};  // of its joints
    bool factored = false;
  };

  // Of conjugate gradients; the parts that take turns use x, r and z.
  struct Iterates {
    std::vector<double> x, r, z, p, q;                     //                    (n_row)
    std::vector<BodyVector> x_motion, z_motion, p_motion;  // M⁻¹Jᵀ of x, z, p   (n_body)
  };

  template <class F>
  void for_each_part(F&& f);
  void split(const Kinematics& kinematics);
  void take_turns(std::span<const double> b);
  bool try_parts(const Kinematics& kinematics, bool closed);
  bool factor_parts(const Kinematics& kinematics);
  void precondition();
  void iterate(std::span<const double> b, int most);

  std::vector<Answering> parts_;
  std::unique_ptr<ConstraintSystem> direct_;  // kept only where it does the work
  std::string why_direct_;
  bool tried_ = false, in_turn_ = false;
  std::unique_ptr<Crew> crew_;  // nullptr: one thread
  int threads_;
  double accuracy_ = 1e-10;
  int iterations_ = 0;
  std::vector<MassBlock> M_;                      // at the state of factor()              (n_body)
  std::vector<std::vector<BodyVector>> answers_;  // motion of the parts of each layer     (n_body)
  Iterates iterates_;
};

}  // namespace catena
