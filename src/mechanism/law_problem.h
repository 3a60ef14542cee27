// Rows with laws as a problem for solve/: w = A z + b with A = J M̂⁻¹ K + Σ, K = Jᵀ but for oblique rows, where M̂⁻¹ answers a force through the joints (Baraff §8.1, Jain
// eq. 50). Bodies without joints answer by themselves, so A is sparse by blocks; where none has joints it is not formed at all.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "catena/joints/constraint_system.h"
#include "catena/laws/law_rows.h"
#include "catena/solve/problem.h"

namespace catena {

class PathCompliance;

class LawProblem {
 public:
  explicit LawProblem(const Model& model);
  ~LawProblem();

  // Fills problem().A and its laws at the state `kinematics` was updated with and `system` is factored at; b is the caller's.
  void assemble(const Kinematics& kinematics, ConstraintSystem& system, const LawRows& laws);
  // The same with the rows of every joint as free blocks in front of the laws', no joint answered for: what Gauss-Seidel sweeps over.
  // `sigma` of the joints' rows, by row.
  void assemble_all(const Kinematics& kinematics, const RowSet& joints, std::span<const double> sigma,
                    const LawRows& laws);

  // The laws as solve/ knows them, their rows beginning at `first_row`.
  static void add_laws(const LawRows& laws, int first_row, std::vector<solve::Block>& blocks);

  // Whether it answers through joints.
  bool is_held(BodyId body) const { return body.valid() && jointed_[static_cast<std::size_t>(component(body))]; }

  // After assemble(): regularises rows with almost no compliance (released_compliance()).
  void release_immobile_rows(const Kinematics& kinematics, const LawRows& laws);
  // How easily a row of the laws moves: its compliance over that without joints. After release_immobile_rows().
  double ease(int row) const { return ease_.empty() ? 1 : ease_[static_cast<std::size_t>(row)]; }

  solve::Problem& problem() { return problem_; }
  const solve::Problem& problem() const { return problem_; }

 private:
  void assemble_product(const Kinematics& kinematics, const LawRows& laws);
  void assemble_blocks(const Kinematics& kinematics, ConstraintSystem& system, const LawRows& laws);
  void lay_out(const LawRows& laws, solve::BlockSparse& A);
  bool fill_by_paths(const ConstraintSystem& system, const LawRows& laws, solve::BlockSparse& A);
  bool is_cheaper_by_paths(const LawRows& laws) const;
  void fill_from_paths(const LawRows& laws, solve::BlockSparse& A) const;
  void fill_by_columns(const Kinematics& kinematics, ConstraintSystem& system, const LawRows& laws,
                       solve::BlockSparse& A);
  void find_compliance(ConstraintSystem& system, const LawRows& laws);
  void respond(const Kinematics& kinematics, ConstraintSystem& system, const LawRows& laws, const LawBlock& block,
               const LawRow& push);
  solve::ProductBuilder begin_product();
  void add_nodes(const Kinematics& kinematics, solve::ProductBuilder& builder) const;
  void add_rows(const LawRows& laws, solve::ProductBuilder& builder) const;
  static int block_size(const RowSet& joints, int row);
  void add_joint(const RowSet& joints, int row, int size, std::span<const double> sigma,
                 solve::ProductBuilder& builder) const;
  int component(BodyId body) const { return body.valid() ? component_[body] : -1; }

  const Model* model_;
  std::vector<int> component_;  // of bodies held together by joints                          (n_body)
  std::vector<char> jointed_;   // whether a component has joints                             (components)
  solve::Problem problem_;
  std::vector<BodyVector> response_;
  std::vector<double> zero_, lambda_;
  std::vector<BodyId> touched_;  // bodies of the laws, some more than once
  struct Held {                  // those with joints
    std::vector<BodyId> bodies;
    std::vector<int> at;  // where their numbers begin in `compliance`, −1: not among them  (n_body)
    bool has_compliance = false;
    Eigen::MatrixXd compliance;
    Eigen::VectorXd pushed;
  } held_;
  std::unique_ptr<PathCompliance> paths_;  // of the last system that is a forest
  std::vector<double> ease_;               //                                                            (rows of laws)
  std::vector<int> place_;                 // of each pair of blocks in A's numbers; −1: none
};

// What a row would answer without joints.
double free_compliance(const Model& model, const Kinematics& kinematics, const LawRows& laws, const LawBlock& block,
                       const LawRow& row);
// The same of all rows of a block.
void free_compliances(const Model& model, const Kinematics& kinematics, const LawRows& laws, const LawBlock& block,
                      double* out);

// Rows along which nothing can move (the friction of a planar linkage across its plane) would make the problem singular: below 1e-13 of the
// compliance without joints a row gets that one, and so an impulse of about zero. Rows along which next to nothing can move (a stretched
// chain along itself) would be pushed with any force for the rounding of their velocity: they get a millionth of it, which moves a contact
// by nanometres a step.
double released_compliance(double compliance, double alone);

// Sets the bounds of rolling and torsional friction to what the normal forces in z allow. The laws' blocks are the last of `blocks`, their rows
// begin at `first_row`. Returns the largest change, relative to the largest bound; 0 where there are none.
double bind_turns(LawRows& laws, std::vector<solve::Block>& blocks, const solve::Vector& z, int first_row = 0);

// Says that they are bounded by the normal forces of the problem itself; bind_turns() takes that back. False where there are none.
bool follow_normals(const LawRows& laws, std::vector<solve::Block>& blocks, int first_row);

// Solves the problem of `blocks` with `answer(z)`, which starts from and returns z, again until the bounds of rolling and torsional friction fit
// the normal forces they come from.
template <class Answer>
void solve_bound(std::vector<solve::Block>& blocks, LawRows& laws, solve::Vector& z, int first_row, Answer&& answer) {
  constexpr int kRounds = 20;
  constexpr double kFits = 1e-9;
  bind_turns(laws, blocks, z, first_row);
  for (int round = 0; round < kRounds; ++round) {
    answer(z);
    if (bind_turns(laws, blocks, z, first_row) <= kFits) return;
  }
}
template <class Answer>
void solve_bound(LawProblem& problem, LawRows& laws, solve::Vector& z, int first_row, Answer&& answer) {
  solve_bound(problem.problem().blocks, laws, z, first_row, std::forward<Answer>(answer));
}

}  // namespace catena
