// Rows with laws as a problem for solve/: w = A z + b with A = J M̂⁻¹ Jᵀ + Σ, where M̂⁻¹ answers a force through the joints (Baraff §8.1, Jain
// eq. 50). Bodies without joints answer by themselves, so A is sparse by blocks; where none has joints it is not formed at all.
#pragma once

#include <vector>

#include "catena/auxiliary/constraint_system.h"
#include "catena/constraint/law_rows.h"
#include "catena/solve/problem.h"

namespace catena {

class LawProblem {
 public:
  explicit LawProblem(const Model& model);

  // Fills problem().A and its laws at the state `kinematics` was updated with and `system` is factored at; b is the caller's.
  void assemble(const Kinematics& kinematics, ConstraintSystem& system, const LawRows& laws);
  // The same with every row of every joint as a free block in front of the laws', no joint answered for: what Gauss-Seidel sweeps over.
  // `sigma` of the joints' rows, by row.
  void assemble_all(const Kinematics& kinematics, const RowSet& joints, std::span<const double> sigma,
                    const LawRows& laws);

  // The laws as solve/ knows them, their rows beginning at `first_row`.
  static void add_laws(const LawRows& laws, int first_row, std::vector<solve::Block>& blocks);

  solve::Problem& problem() { return problem_; }
  const solve::Problem& problem() const { return problem_; }

 private:
  void assemble_product(const Kinematics& kinematics, const LawRows& laws);
  void assemble_blocks(const Kinematics& kinematics, ConstraintSystem& system, const LawRows& laws);
  void add_nodes(const Kinematics& kinematics, solve::ProductBuilder& builder) const;
  void add_rows(const LawRows& laws, solve::ProductBuilder& builder) const;
  int component(BodyId body) const { return body.valid() ? component_[body] : -1; }

  const Model* model_;
  std::vector<int> component_;  // of bodies held together by joints                          (n_body)
  std::vector<char> jointed_;   // whether a component has joints                             (components)
  solve::Problem problem_;
  std::vector<BodyVector> response_;
  std::vector<double> zero_, lambda_;
};

}  // namespace catena
