// The end of a step: shapes that overlap, and joints past their limits, are moved apart as loops are closed, by the smallest change of positions
// in the metric of the mass matrix that leaves the loops closed:
//     M d − Gᵀλ − Jᵀz = 0,   G d = 0,   0 ≤ z ⟂ gap + J d ≥ 0
// Rates are left alone: nothing flies apart that was moved out of something. Overlaps come from slow meetings, which are stopped at the end of the
// step they fall in, and from gaps that do not change evenly as joints turn.
// To move out of an overlap takes energy. It is taken from what the contacts took in the step, and what that does not pay for stays: contacts
// never give energy, in no step. Deep overlaps, which only a scene can begin with, are left at once, and booked as what closing loops takes.
#include <algorithm>

#include "catena/laws/near_normals.h"
#include "catena/step/operational.h"

namespace catena {
namespace {

// m or rad: overlaps less deep are left alone; deeper than the second are no error of a step.
constexpr double kApart = 1e-6, kDeep = 1e-4;
constexpr int kRounds = 4;  // normals turn as bodies do
// Energy less than this is none, relative to the weight of everything times its size.
constexpr double kNoEnergy = 1e-10;

}  // namespace

void OperationalStepper::separate(double taken, State& state) {
  taken = std::max(taken, 0.0) + kNoEnergy * energy_scale_;
  double deepest = gather_overlaps();
  const bool moved = deepest > kApart;
  for (int round = 0; round < kRounds && deepest > kApart; ++round) {
    const bool deep = deepest > kDeep;
    const double before = energy(state);
    apart_from_ = now_;
    find_way_apart();
    go_apart(1, state);
    const double cost = energy(state) - before, left = gather_overlaps();
    if (!(left < deepest)) {
      go_apart(0, state);
      break;
    }
    if (deep) {
      state.ledger.projection += cost;
    } else if (cost > taken) {
      go_apart(taken / cost, state);
      state.ledger.contacts += energy(state) - before;
      break;
    } else {
      state.ledger.contacts += cost;
      taken -= cost;
    }
    deepest = left;
  }
  // The way apart is straight, loops are not.
  if (moved && held_.rows() > 0) {
    close_loops(state);
    find_laws();
  }
  for (const LawBlock& block : laws_.rows().blocks)
    if (block.kind == LawKind::contact) report_.penetration = std::max(report_.penetration, -block.gap);
}

double OperationalStepper::energy(const State& state) {
  return dynamics_.kinetic_energy(state) +
         dynamics_.forces().potential(*model_, dynamics_.kinematics(), dynamics_.coordinates());
}

// If something overlaps by more than kApart: what does, and what might once that is moved. Returns the deepest overlap.
double OperationalStepper::gather_overlaps() {
  double deepest = 0;
  for (const LawBlock& block : laws_.rows().blocks)
    if (is_unilateral(block)) deepest = std::max(deepest, -block.gap);
  if (deepest > kApart) gather_near_normals(laws_.rows(), 4 * deepest, normals_);
  return deepest;
}

// dv_ = d.
void OperationalStepper::find_way_apart() {
  held_.evaluate(dynamics_.kinematics());
  system_.factor();
  problem_.assemble(dynamics_.kinematics(), held_, normals_);
  b_.setZero(problem_.rows());
  for (const LawBlock& block : normals_.blocks) b_[held_.rows() + block.first] = block.gap;
  problem_.load(b_);
  solve_laws(problem_.problem(), false, solution_);
  problem_.complete(solution_.z, z_);
  respond_to(normals_);
}

// A part of the way dv_ from apart_from_.
void OperationalStepper::go_apart(double part, State& state) {
  now_ = apart_from_;
  tree_.integrate(part, dv_, now_.q);
  place(state);
  find_laws();
}

}  // namespace catena
