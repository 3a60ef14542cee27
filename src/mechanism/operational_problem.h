// Contacts and other laws in operational space: w = Q Λ Qᵀ z + b.                                                    Jain eqs. 50, 53
// Q Λ Qᵀ is found by Jain's recursion over bodies (primary/compliance.h) or by half a solve a row (primary/row_compliance.h), whichever takes
// fewer operations.
// Held rows are equalities of the same problem. They are eliminated by a rank-revealing factorisation before the laws are solved for:
// what depends on each other among them (a planar loop of 3-D hinges) then gets impulses of least norm.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "catena/laws/law_rows.h"
#include "catena/mechanism/held_rows.h"
#include "catena/primary/compliance.h"
#include "catena/primary/row_compliance.h"
#include "catena/solve/problem.h"
#include "catena/solve/semidefinite.h"

namespace catena {

// Friction pyramids of n_f sides for the cones.
void use_pyramids(std::vector<solve::Block>& blocks, int n_f);

class OperationalProblem {
 public:
  explicit OperationalProblem(const ReducedSystem& system);

  // Fills W and problem() at the state the system is factored at. Held rows come first, then those of the laws. `n_f` > 0: friction by
  // pyramids of so many sides.
  void assemble(const Kinematics& kinematics, const HeldRows& held, const LawRows& laws, int n_f = 0) {
    assemble_held(kinematics, held);
    add_laws(kinematics, laws, n_f);
  }
  // The same in two parts: the held rows alone, and then, any number of times, those of other laws instead of the last.
  void assemble_held(const Kinematics& kinematics, const HeldRows& held);
  void add_laws(const Kinematics& kinematics, const LawRows& laws, int n_f = 0);

  int held() const { return held_; }
  int rows() const { return static_cast<int>(sigma_.size()); }
  Eigen::Map<const Eigen::MatrixXd> compliance() const { return {W_.data(), rows(), rows()}; }
  int dependent() const { return held_ - solver_.rank(); }  // held rows that depend on others

  // How easily a row of the laws moves: its compliance over that without joints.
  double ease(int law_row) const { return ease_[static_cast<std::size_t>(law_row)]; }

  // The laws alone, the held rows having answered; its b is set by load().
  const solve::Problem& problem() const { return problem_; }
  solve::Problem& problem() { return problem_; }
  std::vector<solve::Block>& blocks() { return problem_.blocks; }
  // b: by row, the velocity without impulses minus what is asked for.
  void load(const Eigen::VectorXd& b);
  // The same where the velocities without impulses meet the held rows already; b of the laws alone.
  void load_laws(const Eigen::VectorXd& b) { problem_.b = b; }
  // What the held rows push with to answer impulses of the laws.
  void answer_of_held(const Eigen::VectorXd& laws, Eigen::VectorXd& held) const {
    held.noalias() = X_ * laws;
    held = -held;
  }
  // z of all rows from that of the laws.
  void complete(const Eigen::VectorXd& laws, Eigen::VectorXd& z);
  // The impulses of the held rows alone that change their velocities by −b.
  void solve_held(const Eigen::VectorXd& b, Eigen::VectorXd& z) {
    z.resize(held_);
    solver_.solve(b, z);
    z = -z;
  }

 private:
  // Rows of one term each that follow each other on one body, whose components stand by themselves: six lists of all rows.
  struct Run {
    std::size_t first, last;  // one after
    std::size_t node;         // in needed_
  };

  void add_term(BodyId body, const BodyVector& J);
  void end_row(double sigma);
  void find_runs();
  void respond_to_run(const Run& run, std::size_t row);
  bool is_cheaper_by_rows();
  void fill();
  void fill_by_bodies();
  void fill_by_rows();
  void eliminate_held();
  void release_immobile_rows(const Kinematics& kinematics, const LawRows& laws);

  const ReducedSystem* system_;
  NodeCompliance nodes_;
  RowCompliance rows_;
  int held_ = 0;
  std::vector<int> term_start_;  // of each row                                        (rows + 1)
  std::vector<int> term_node_;   //                                                    (terms)
  std::vector<int> term_place_;  // of its node in needed_                             (terms)
  std::vector<Spatial> terms_;   // J at the link's origin                             (terms)
  std::vector<Run> runs_;
  std::vector<double> run_response_;  // of the needed nodes to the rows of a run          (nodes × 6 × rows at once)
  std::vector<double> components_;    //                                                   (6 rows)
  std::vector<double> sigma_;         //                                                   (rows)
  std::vector<double> ease_;          //                                                    (rows of laws)
  std::vector<int> needed_;           // nodes, ascending
  std::vector<int> local_;            // place of a node in needed_                         (n_body)
  std::vector<Spatial> response_;     // of the needed nodes
  std::vector<int> last_row_;         // of each needed node: the last row that touches it
  std::vector<double> W_;             // by column; longer than that where there were more rows (rows × rows)
  Eigen::MatrixXd X_;                 // W_hh⁻¹ W_hl
  Eigen::VectorXd size_, b_, held_free_;
  SemidefiniteSolver solver_;
  solve::Problem problem_;
};

}  // namespace catena
