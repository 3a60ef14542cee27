// Small dense problems from a good guess: Newton's method on states. Each law is taken to be in the state that z − ρ w points to (Alart and
// Curnier): open, held or slipping; at a bound or between them. What is open or at a bound is known, what is held has w = 0, and what slips has
//     w_n = 0,    z_t = friction · z_n e,    e = v_t/‖v_t‖,    v = z − ρ w
// with the direction's own derivative. Rows bounded by another's z (rolling and torsional friction) are held, or at their bound, which comes with
// the force it belongs to. One linear solve gives the next z; where the states stay the same, that was the answer. From the impulses
// of the last step this is most often one solve, where sweeps or interior points need dozens. A step that leads astray is cut where the first
// contact comes to slip or opens. From afar it need not converge: then it says so.
//
// Where contacts leave open which of them carries how much (a foot on four points that slips), A is singular, and Newton's steps run far along
// what hardly changes w. approach() takes proximal steps instead: each solves with A + σ, σ shrinking from step to step, so that z moves only
// as far as w asks for. It finds most answers that solve() does not, in a few dozen steps; for the rest there are the general methods (solve.h).
#pragma once

#include <cstdint>
#include <vector>

#include "catena/solve/small_factors.h"
#include "catena/solve/solution.h"

namespace catena::solve {

class StateNewton {
 public:
  static constexpr double kHard = 1e-9;  // the least σ
  static constexpr int kSteps = 12;

  // Dense problems of free, complementary and boxed rows, rows bounded by another, and round cones.
  static bool takes(const Problem& problem);

  // From solution.z, for a problem that takes() is true of and whose matrix is symmetric. True: the answer is exact to the tolerance or, where
  // dependent rows contradict each other so that this is out of reach, to what is acceptable. False: z is what it was, with its own w and residual. Does not allocate
  // when it is called again with problems of one size.
  // `soft` is σ on the diagonal, relative to the matrix: rows that depend on each other (a foot on four points) share a change of their force evenly, and
  // Newton's steps take out what it leaves of w. Rows that depend on each other and contradict each other by c are pushed by c/σ in a step: a larger σ,
  // well above what rounding and targets of second order leave of c, leads to more answers where rows are alike; the least one leads to answers of
  // stiff rows beside soft ones.
  bool solve(const Problem& problem, double tolerance, double acceptable, Solution& solution, double soft = kHard,
             int most_steps = kSteps);
  // The same by proximal steps: σ begins with `soft`, relative to the matrix, and is multiplied by `shrink` at each of at most `steps`.
  struct Approach {
    int steps = 30;
    double soft = 1e-2, shrink = 0.3;
  };
  bool approach(const Problem& problem, double tolerance, double acceptable, const Approach& by, Solution& solution);

 private:
  enum class Role : std::uint8_t {
    fixed,   // z is known
    held,    // w = 0
    slides,  // normal of a cone that slips: w_n = 0, and the force along e comes with it
    across,  // its first tangent: the force across e
    along,   // its other tangent: no unknown of its own
    above,   // at the upper bound that another row's z gives it: no unknown of its own
    below,   // at the lower one
  };
  enum class Forced : std::uint8_t { no, slip, open };
  struct Slip {
    double e[2];       // direction of the friction force
    double friction;   // 0 where the contact does not slip
    double stiffness;  // of the row across: (1 − a)/(a ρ), a = friction · v_n/‖v_t‖
    double pull;       // and what it starts from: −z_p/(a ρ)
  };

  // A row at a bound: its z changes by `factor` times that of its parent.
  struct Follower {
    std::size_t row, parent;
    double factor;
  };

  struct Unknown {
    std::size_t row;
    bool is_across;  // of a contact that slips along e: its component of a vector of all rows is the one across e
    double e[2];
  };

  void begin(const Problem& problem, double soft, const Solution& solution);
  bool finish(const Problem& problem, double tolerance, double acceptable, double least, int steps, Solution& solution);
  bool find_step(const Problem& problem, const Solution& solution);
  void choose(const Problem& problem, const Solution& solution);
  void choose_cone(const Block& block, const double* z, const double* w, std::size_t k);
  void choose_row(int row, double v, double lower, double upper, double z);
  void choose_follower(const Block& block, const Solution& solution);
  void add_known(const Problem& problem, const Solution& solution);
  void fill(bool lower);
  void column(std::size_t unknown, double* out) const;
  double row_of(std::size_t unknown, const double* v) const;
  void take_out_softness();
  void solve_step(const Solution& solution);
  double to_first_change(const Problem& problem, const Vector& z);

  const double* A_ = nullptr;  // column by column
  double scale_ = 1;           // of the matrix
  struct Softness {
    double over_scale = 0;   // σ
    bool taken_out = false;  // what it leaves of w, of each step
  } soft_;
  std::size_t size_ = 0;
  bool changed_ = true;  // the states are not those the matrix is factored for
  struct States {
    std::vector<Role> role;
    std::vector<int> block_of;  // row -> cone                                           (rows)
    std::vector<Slip> slip;     //                                                       (blocks)
    std::vector<Follower> followers;
    std::vector<Forced> forced;  // what cones are taken to do that a step was cut at     (blocks)
  } states_;
  std::vector<double> dz_, r_;       // change of z; w after what is known of it              (rows)
  std::vector<Unknown> unknown_;     //                                                      (unknowns)
  std::vector<std::size_t> across_;  // those of them that are across a slip
  // The linear system of a step.
  struct System {
    SmallFactors factors;         // of its matrix
    std::vector<double> x, full;  // its right-hand side; a column of all rows
    std::vector<double>
        factored_of;      // A of which it was factored: one with the same numbers and states is not factored again
    bool copied = false;  // it is that of the problem
  } system_;
  Vector start_, best_, work_;
};

}  // namespace catena::solve
