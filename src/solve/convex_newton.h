// Newton's method on a convex problem near that of dry friction, from any start. Coulomb's law with De Saxcé's term s = friction ‖w_t‖ taken as known
// is the law of a convex problem; with a compliance R on every row its forces follow from velocities,
//     γ(w) = P_K(−R⁻¹(w + s)),      w = b + A y,
// and y = γ(w) is where ½ yᵀA y + ½ ‖γ(b + A y)‖²_R is least: Newton's steps with a search along each of them come down to it from anywhere
// (Castro, Permenter and Han 2022). s follows the slip from step to step, which need not converge but mostly does. What is found is not
// the answer to the problem as given, but tells which contacts are open, hold and slip: Newton's method on states goes on from there.
#pragma once

#include "catena/solve/problem.h"
#include "catena/solve/small_factors.h"

namespace catena::solve {

class ConvexNewton {
 public:
  struct Options {
    double compliance = 1e-3;  // R over the largest diagonal entry of A in a block
    double tolerance = 1e-6;   // of A(γ − y) relative to b
    int steps = 20;
  };

  // Dense problems of free, complementary and boxed rows and round cones.
  static bool takes(const Problem& problem);

  // From z, which becomes γ. Returns whether that is within the tolerance. Does not allocate when it is called again with problems of one size.
  bool solve(const Problem& problem, const Options& options, Vector& z);

 private:
  void begin(const Problem& problem, double compliance, const Vector& z);
  void follow_slips(const Problem& problem);
  void find_forces(const Problem& problem, const double* w);
  void find_slopes(const Problem& problem);
  bool find_step(const Problem& problem);
  double slope_at(const Problem& problem, double length);
  double length_of_step(const Problem& problem);

  std::size_t size_ = 0;
  SmallFactors factors_;
  // Of all rows: compliance, De Saxcé's term, forces y and γ, velocities, the step of both, and velocities tried along it.
  struct Rows {
    std::vector<double> R, slip, y, gamma, w, dy, dw, tried;
  } rows_;
  std::vector<double> slopes_;  // −dγ/dw of every block, 3 × 3, row by row        (blocks)
};

}  // namespace catena::solve
