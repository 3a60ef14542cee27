// Solves the problem of a step's laws: exactly (Newton's method on states or sweeps from the last step's impulses, then pivoting or interior
// points), or by sweeps to a tolerance.
#pragma once

#include <Eigen/Cholesky>

#include "catena/laws/law_rows.h"
#include "catena/model/settings.h"
#include "catena/model/tuning.h"
#include "catena/solve/convex_newton.h"
#include "catena/solve/gauss_seidel.h"
#include "catena/solve/solve.h"
#include "catena/solve/state_newton.h"

namespace catena {

class ContactSolver {
 public:
  // Keeps a reference to the tuning.
  ContactSolver(const VelocityTuning& tuning, const Settings& settings);
  ContactSolver(VelocityTuning&& tuning, const Settings& settings) = delete;

  // Whether contacts are swept in a step with so many rows: as the settings say, or because there are many.
  bool sweeps(int rows) const;

  // From `solution.z` as a guess, if `guessed`. The laws' rows begin at `first_row`; bounds of rolling and torsional friction are brought in
  // line with the normal forces.
  void solve(const solve::Problem& problem, std::vector<solve::Block>& blocks, LawRows& laws, int first_row, bool swept,
             bool guessed);
  // One answer, without such bounds.
  void answer(const solve::Problem& problem, bool swept, bool guessed);
  // The same where that costs little: by Newton's method from solution.z, proximal steps and continuation. False: none of them leads anywhere. True: the
  // certificate says how near to an exact answer they have come. Rows that hold and contradict each other by no more than `contradiction`, in m/s or
  // rad/s, are asked for the nearest that can be met (solve/consistent.h), and the certificate is of that.
  bool answer_nearby(const solve::Problem& problem, double contradiction);
  // Of an answer beyond the tolerance: a better one, in the same sense.
  void improve(const solve::Problem& problem, double contradiction);

  const std::atomic<bool>* stop = nullptr;  // ends the search for an exact answer (solve::Options)
  solve::Solution solution;
  int gave_up = 0;      // problems that were meant to be solved exactly and were swept instead; counted up
  int sweeps_made = 0;  // most that one problem took; counted up
  double missed = 0;    // m/s or rad/s: by how much the last sweeps miss what rows ask for, the root of the mean square
  double monitored = 0;  // largest error Algorithm 2.2 ended with (solve::GaussSeidel::monitored)

 private:
  void sweep(const solve::Problem& problem, bool swept, bool guessed);
  // The problem itself or, where it is stored by blocks most of which are not zero, a dense copy.
  const solve::Problem& as_dense(const solve::Problem& problem);
  void keep_as_exact();
  bool solve_softly(const solve::Problem& problem, const solve::Options& options);
  void settle(const solve::Problem& problem, const solve::Options& options);
  bool solve_nearby(const solve::Problem& problem, const solve::Options& options);
  bool solve_with_turns(const solve::Problem& problem, std::vector<solve::Block>& blocks, LawRows& laws, int first_row,
                        bool guessed);
  solve::StateNewton::Approach approach_steps() const;
  bool solve_from_guess(const solve::Problem& problem, const solve::Options& options);
  bool solve_patiently(const solve::Problem& problem, const solve::Options& options);
  bool search_on(const solve::Problem& problem, const solve::Options& options);
  bool solve_from_convex(const solve::Problem& problem, const solve::Options& options);
  bool settle_contradictions(const solve::Problem& problem, double most);
  void refine(const solve::Problem& problem);
  bool solve_continued(const solve::Problem& problem, const solve::Options& options);
  bool is_bounded(const solve::Problem& problem) const;
  bool solve_bounded(const solve::Problem& problem, const solve::Options& options);
  bool solve_equalities(const solve::Problem& problem);
  void solve_exactly(const solve::Problem& problem, bool guessed);
  void solve_without_free_rows(const solve::Problem& problem);

  const VelocityTuning& tuning_;
  // What the settings ask for.
  struct Asked {
    LawSolver solver;
    ContactMode mode;
    double tolerance;
    int sweeps;
    solve::GaussSeidelOptions sweep_options;
    bool order;
  } asked_;
  solve::StateNewton newton_;
  solve::ConvexNewton convex_;
  solve::GaussSeidel sweeps_, few_sweeps_;
  Eigen::LDLT<Eigen::MatrixXd> ldlt_;
  // Where the search began, what it goes on from where that is lost, the guess of a stage of it, and what certificates work on.
  struct Places {
    solve::Vector start, nearest, guess, work;
  } at_;
  // The problem in other forms: dense, with compliance, and without what contradicts itself.
  struct Forms {
    solve::Problem dense, eased, consistent;
  } forms_;
};

}  // namespace catena
