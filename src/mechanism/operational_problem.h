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
  // Rows of laws along which next to nothing moves are released (law_problem.h).
  void add_laws(const Kinematics& kinematics, const LawRows& laws, int n_f = 0);
  // The laws with the compliance as it is, released nowhere.
  void add_rigid_laws(const LawRows& laws);

  int held() const { return held_; }
  int rows() const { return held_ + own_; }
  // Of held rows and laws; then of what oblique rows push along.
  Eigen::Map<const Eigen::MatrixXd> compliance() const {
    const auto all = static_cast<Eigen::Index>(terms_.sigma.size());
    return {W_.data(), all, all};
  }
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
    std::size_t node;         // among the needed ones
  };

  void add_term(BodyId body, const BodyVector& J);
  void end_row(double sigma);
  void find_runs();
  void find_last_rows();
  void respond_to_run(const Run& run);
  void respond_to_row(std::size_t row);
  template <class Response>
  void fill_column(std::size_t j, std::size_t run, const Response& response);
  bool is_cheaper_by_rows();
  void fill();
  void fill_by_bodies();
  void fill_by_rows();
  void add_pushes(const LawRows& laws);
  void eliminate_held();
  void release_immobile_rows(const Kinematics& kinematics, const LawRows& laws);

  struct Terms {                // of the rows
    std::vector<int> start;     //                                                  (rows + 1)
    std::vector<int> node;      //                                                  (terms)
    std::vector<int> place;     // of its node among the needed ones                (terms)
    std::vector<Spatial> J;     // at the link's origin                             (terms)
    std::vector<double> sigma;  //                                                  (rows)
    std::vector<int> push;      // the row of W that each row of the laws pushes along (rows of laws)
  };
  struct Runs {
    std::vector<Run> list;
    std::vector<std::size_t> others;  // rows of no run
    std::vector<double> response;     // of the needed nodes to the rows of a run     (nodes × 6 × rows at once)
    std::vector<double> components;   //                                              (6 rows + 3)
  };
  struct Needed {                   // nodes that rows touch
    std::vector<int> nodes;         // ascending
    std::vector<int> local;         // place of a node among them                    (n_body)
    std::vector<Spatial> response;  // of each
    std::vector<int> last_row;      // that touches each
  };

  const ReducedSystem* system_;
  NodeCompliance nodes_;
  RowCompliance rows_;
  int held_ = 0, own_ = 0;  // rows that are held, and of the laws
  Terms terms_;
  Runs runs_;
  Needed needed_;
  std::vector<double> ease_;  //                                                      (rows of laws)
  std::vector<double> W_;     // by column; longer than that where there were more rows (rows × rows + 3)
  Eigen::MatrixXd X_;         // W_hh⁻¹ W_hl
  Eigen::VectorXd size_, held_free_;
  SemidefiniteSolver solver_;
  solve::Problem problem_;
};

}  // namespace catena
