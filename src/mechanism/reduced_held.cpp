// reduced_mechanism.h: the held rows, loops and prescribed motions, answering and closed.
#include <algorithm>
#include <cmath>

#include "catena/math/assert.h"
#include "catena/mechanism/reduced_mechanism.h"

namespace catena {

void ReducedMechanism::factor_here() {
  if (!here_.factored) system_.factor();
  here_.factored = true;
}

void ReducedMechanism::assemble_held() {
  problem_.assemble_held(kinematics(), held_);
  here_.assembled = true;
}

void ReducedMechanism::hold() {
  factor_here();
  if (here_.assembled) return;
  if (held_.rows() > 0) held_.evaluate(kinematics());
  assemble_held();
}

void ReducedMechanism::move_held(std::span<const double> by, std::span<double> rates, std::span<double> x) {
  CATENA_ASSERT(here_.assembled && by.size() == held_speeds_.target.size() && rates.size() == rates_.dv.size());
  impulses_.b = -Eigen::Map<const Eigen::VectorXd>(by.data(), held_.rows());
  answer_rows();
  std::copy(rates_.dv.begin(), rates_.dv.end(), rates.begin());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = impulses_.z_free[static_cast<Eigen::Index>(i)];
}

// The impulses of the held rows that change their speeds by −impulses_.b, by W as it was assembled last, and the rates that follow.
void ReducedMechanism::answer_rows() {
  problem_.solve_held(impulses_.b, impulses_.z_free);
  std::fill(p_.begin(), p_.end(), BodyVector{});
  for (int i = 0; i < held_.rows(); ++i) held_.add_force(i, impulses_.z_free[i], p_);
  system_.respond(p_, rates_.dv);
}

// Newton's method on phi = 0 in joint coordinates, by the smallest change in the metric of the mass matrix; then G v = u. W is assembled once:
// the corrections are small beside the mechanism, and each gains as many digits as it is smaller. Where one gains less than a digit W is
// assembled anew.
Closing ReducedMechanism::close(State& state) {
  Closing closing;
  if (held_.rows() == 0) return closing;
  HeldRows::Gap left;
  bool contradicts = false, assembled = false;
  double before = 0;
  for (int iteration = 0;; ++iteration) {
    held_.evaluate(kinematics());
    left = held_.gap(options_.size);
    if (contradicts || left.scaled <= options_.tuning.loops_closed ||
        iteration == options_.tuning.most_loop_projections || !std::isfinite(left.scaled))
      break;
    factor_here();
    if (!assembled || left.scaled > options_.tuning.slow * before) assemble_held();
    assembled = true;
    before = left.scaled;
    impulses_.b = Eigen::Map<const Eigen::VectorXd>(held_.phi.data(), held_.rows());
    answer_rows();
    // Nothing moves any more and yet something is open: its rows contradict each other (projection.h).
    contradicts = left.scaled <= Projection::kContradiction &&
                  std::all_of(rates_.dv.begin(), rates_.dv.end(),
                              [&](double d) { return std::abs(d) <= options_.tuning.loops_closed; });
    tree_.integrate(1, rates_.dv, at_.now.q);
    put(state);
  }
  closing = {left.scaled <= options_.tuning.loops_open || contradicts, left.scaled * options_.size, 0, left.worst};
  if (!closing.closed) return closing;
  factor_here();
  if (!assembled) assemble_held();
  close_velocities();
  put(state);
  return closing;
}

// A second correction, by a W of other positions, leaves what rounding does.
void ReducedMechanism::close_velocities() {
  impulses_.b.resize(held_.rows());
  speeds_.assign(before_.begin(), before_.end());
  for (int k = 0; k < options_.tuning.loop_velocity_corrections; ++k) {
    if (k > 0) system_.motion(at_.now.v, speeds_);
    for (int i = 0; i < held_.rows(); ++i)
      impulses_.b[i] = held_.times(i, speeds_) - held_.u[static_cast<std::size_t>(i)];
    answer_rows();
    for (std::size_t i = 0; i < rates_.v.size(); ++i) at_.now.v[i] += rates_.dv[i];
  }
}

Closing ReducedMechanism::open() {
  if (held_.rows() == 0) return {};
  held_.evaluate(kinematics());
  const HeldRows::Gap left = held_.gap(options_.size);
  return {.closed = true, .position = left.scaled * options_.size, .angle = 0, .worst = left.worst};
}

}  // namespace catena
