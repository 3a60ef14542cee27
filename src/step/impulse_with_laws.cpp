// The steps of the impulse method in which laws may be active: contacts, limits, dry friction, motors of limited force.    Bender §5
#include <algorithm>
#include <cmath>

#include "catena/step/impulse.h"

namespace catena {
namespace {

constexpr int kMostWithLaws = 20;  // iterations of closing at the end

}  // namespace

void ImpulseStepper::throw_back(double ahead, State& state) {
  if (!factored_) factor(state);
  dynamics_.system().set_accuracy(kFine);
  dynamics_.kinematics().update(*model_, state);
  if (!impacts_.meeting(laws_->find(dynamics_.kinematics(), ahead), settings_.restitution_threshold)) return;
  impacts_.throw_back(laws_->find(dynamics_.kinematics(), ahead), dynamics_, state, report_);
  dynamics_.kinematics().update(*model_, state);
  laws_->find(dynamics_.kinematics(), ahead);
}

// A step or the rest of one under laws; with `cut` it ends where bodies meet fast, and where its joints cannot be closed it is shortened. The
// laws have been found at the state. Returns its length.
double ImpulseStepper::lawful_part(double h, bool cut, State& state) {
  constexpr int kTries = 30;
  const double shortest = 1e-9 * settings_.step;
  for (int tries = 0;; ++tries) {
    const int damped = report_.damped;
    if (!factored_) {
      fail(Status::singular);
      return h;
    }
    load(h, state);
    if (!correct_with_laws(h, cut, state)) {
      if (tries == kTries || h < shortest) {
        open_joint("closed", settings_.position_tolerance, state);
        return h;
      }
      ++report_.halvings;
      h /= 2;
      continue;
    }
    const double meeting = cut && tries < kTries ? laws_->time_of_meeting(h, predicted_) : h;
    if (meeting >= (1 - 1e-9) * h) break;
    if (report_.damped > damped) factor(state);
    h = std::max(meeting, shortest);
  }
  report_.contacts = laws_->contacts();
  report_.penetration = std::max(report_.penetration, laws_->penetration());
  finish(h, state);
  if (report_.ok()) end_laws(h, state);
  return h;
}

// Impulses of laws and joints at t; along directions at t + h where those of t do not close the joints.
bool ImpulseStepper::correct_with_laws(double h, bool cut, const State& state) {
  predicted_.joint_angles = state.joint_angles;
  dynamics_.system().set_accuracy(kRough);
  const bool act = laws_->begin(h, cut, state);
  if (act) laws_->respond(dynamics_.kinematics(), dynamics_.system(), law_dv_);
  else std::fill(law_dv_.begin(), law_dv_.end(), BodyVector{});
  if (alternate(h, act, state)) return true;
  if (act ? close_at_end_with_laws(h, state) : close_at_end(h, state)) return true;
  factor(state);
  return false;
}

// The laws and the joints in turn, each with the impulses of the other, until nothing changes: Bender's loop over the parts (§5).
bool ImpulseStepper::alternate(double h, bool act, const State& state) {
  constexpr int kRounds = 50, kFirstLook = 3;
  restart_from_laws();
  double before = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (!correct_positions(h, round > 0, state)) return false;
    flight_.velocities(dv_, predicted_.bodies);
    if (!act) return true;
    std::fill(y_.begin(), y_.end(), BodyVector{});
    if (!laws_->look(h, dv_, y_, predicted_)) return true;
    if (laws_->asks()) answer_laws(false);
    const bool good = laws_->improve(h);
    laws_->respond_to_change(dynamics_.kinematics(), dynamics_.system(), y_);
    for (std::size_t i = 0; i < y_.size(); ++i) dv_[i] += y_[i];
    if (good) {
      predict(h, state);
      return true;
    }
    if (round >= kFirstLook && laws_->last_change() > before) return false;  // each makes it worse for the other
    before = laws_->last_change();
  }
  return false;
}

void ImpulseStepper::answer_laws(bool ahead) {
  dynamics_.system().set_accuracy(kFine);
  laws_->answer(ahead, dynamics_.kinematics(), dynamics_.system());
  dynamics_.system().set_accuracy(kRough);
}

// close_at_end() with the laws, both in every iteration.
bool ImpulseStepper::close_at_end_with_laws(double h, const State& state) {
  laws_->restart();
  restart_from_laws();
  const double allowed = gap_allowed();
  bool settled = false;
  double before = 0;
  for (int iteration = 0;; ++iteration) {
    predict(h, state);
    const double gap = largest(b_);
    if (gap <= allowed && settled) {
      ++report_.damped;
      dynamics_.kinematics().update(*model_, state);  // M at t, for the books
      return true;
    }
    if (iteration == kMostWithLaws || !(gap < (iteration == 0 ? size_ : std::max(allowed, 10 * before)))) return false;
    flight_.velocities(dv_, predicted_.bodies);
    if (!ready_at_end(iteration, gap, before, allowed)) return false;
    before = gap;
    add_joint_impulses(h);
    const bool presses = laws_->look(h, dv_, y_, predicted_);
    for (std::size_t i = 0; i < y_.size(); ++i) dv_[i] += y_[i];
    settled = !presses;
    if (!presses) continue;
    answer_laws(true);
    settled = laws_->improve(h);
    laws_->respond_to_change(dynamics_.kinematics(), dynamics_.system(), y_);
    for (std::size_t i = 0; i < y_.size(); ++i) dv_[i] += y_[i];
  }
}

// The laws' impulses at t + h. Returns the energy they give the bodies.
ImpulseLaws::Work ImpulseStepper::obey_laws(double h, State& state) {
  dynamics_.kinematics().update(*model_, state);
  dynamics_.system().set_accuracy(kFine);
  if (!laws_->end(h, dynamics_.kinematics(), dynamics_.system(), y_)) return {};
  const double motors = laws_->motor_work_at_end(y_), gained = energy_gained(y_, state);
  for (std::size_t i = 0; i < y_.size(); ++i) add_velocity(model_->bodies[i].kind, y_[i], state.bodies[i]);
  return {.contacts = gained - motors, .motors = motors};
}

void ImpulseStepper::end_laws(double h, State& state) {
  const ImpulseLaws::Work work = obey_laws(h, state);
  state.ledger.contacts += work.contacts;
  state.ledger.motors += work.motors;
  report_.complementarity = std::max(report_.complementarity, laws_->certificate().residual);
  report_.fallbacks = std::max(report_.fallbacks, laws_->certificate().fallbacks);
  laws_->report(h, state, contact_forces_, load_);
  stamp_ = 0;
}

}  // namespace catena
