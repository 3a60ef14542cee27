#include "catena/step/impulse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/math/assert.h"
#include "catena/math/elementary.h"
#include "catena/mechanism/maximal_flight.h"
#include "catena/mechanism/reduced_flight.h"

namespace catena {
namespace {

constexpr double kWhole = 1 - 1e-9;  // of a step: a part as long is all of it

std::unique_ptr<Flight> make_flight(StepContext& context) {
  if (context.is_reduced())
    return std::make_unique<ReducedFlight>(context.dynamics, context.scale.size, context.tuning.joints);
  return std::make_unique<MaximalFlight>(context.dynamics, context.projection, context.factored,
                                         context.settings.method.integrator(), context.tuning);
}

}  // namespace

ImpulseMethod::ImpulseMethod(StepContext& context, const Model& full, const State& initial)
    : StepMethod(context),
      flight_(make_flight(context)),
      laws_(context.laws ? std::make_unique<ImpulseLaws>(context, *flight_, full) : nullptr),
      mixing_{{initial.bodies.size(), static_cast<std::size_t>(flight_->rows())},
              {flight_->still().rates.size(), static_cast<std::size_t>(flight_->rows())}},
      predicted_(initial),
      law_dv_(flight_->still()),
      dv_(law_dv_),
      arrived_(laws_ ? initial.bodies.size() : 0) {
  energies_.stored = has_soft_joints(full) || has_soft_contacts(full);
  loads_.begin.resize(initial.bodies.size());
  loads_.end.resize(initial.bodies.size());
  joints_.y = law_dv_;
  for (std::vector<double>* numbers : {&joints_.b, &joints_.x, &joints_.sum})
    numbers->resize(static_cast<std::size_t>(flight_->rows()));
  joints_.driven = flight_->drives();
}

void ImpulseMethod::begin(double /*h*/, State& state) {
  flight_->factor(state);
  place(state);
  if (laws_) laws_->begin_step();
  if (!context_.terms.can_be_replaced) return;
  energies_.before = flight_->energy(state) - work_put_in(state.ledger);
  if (!energies_.most) energies_.most = energies_.before;
}

Mechanism& ImpulseMethod::factored_mechanism(State& state) {
  flight_->set_accuracy(tuning().fine);
  return factored(flight_->mechanism(), state);
}

// A part, or up to where bodies meet fast in it. Where impulses along the joints' directions at t cannot close the joints at t + h (a body turns too
// far, a thread is pulled taut), those of t + h are tried, and then shorter parts.
double ImpulseMethod::advance(PartOfStep part, const State& /*before*/, State& state) {
  const double shortest = context_.tuning.parts.shortest_part * settings().step;
  double h = part.h;
  for (int tries = 0;; ++tries) {
    if (!flight_->factor(state)) {
      context_.fail(Status::singular);
      return h;
    }
    if (!context_.goes_on(state)) return h;
    load(h, state);                         // F_ext, τ_ext; M at t
    closed_ = correct(h, part.cut, state);  // dv_
    if (!closed_) {
      // With laws a shorter part is tried at once, and the rest of the step whole again: contacts come and go.
      if (!laws_ || tries == tuning().most_tries || h < shortest || !is_within_budget(state)) return h;
      ++report().halvings;
      h /= 2;
      continue;
    }
    const double meeting = part.cut && tries < tuning().most_tries ? laws_->time_of_meeting(h, predicted_) : h;
    if (meeting >= (1 - 1e-9) * h) break;
    h = std::max(meeting, shortest);
  }
  if (laws_) report().penetration = std::max(report().penetration, laws_->penetration());
  finish(h, state);
  if (laws_ && report().ok()) end_laws(h, state);
  return h;
}

// False, and the step has failed, where its laws have been solved for more often than a step may take and another scheme is there.
bool ImpulseMethod::is_within_budget(const State& state) {
  if (laws_ && context_.terms.can_be_replaced && report().law_solves > tuning().most_solves &&
      laws_->rows_solved() > tuning().most_rows)
    context_.fail(Status::too_long,
                  fmt::format("t = {}: the step needs more than {} solves for contacts, of {} rows in all", state.time,
                              tuning().most_solves, tuning().most_rows));
  return context_.goes_on(state);
}

bool ImpulseMethod::is_refused(const PartOfStep& /*part*/, double done, const Closing& closing, const State& before,
                               const State& /*state*/) {
  if (!report().ok()) return true;
  if (closing.closed) return false;
  if (laws_ || done <= std::ldexp(settings().step, -tuning().most_halvings))
    fail_open("closed", settings().method.position_tolerance(), before);
  return true;
}

// The energy of the method swings about that of the motion: it is compared over the run, and over a step only for more than it may swing by, as where
// bodies that are jammed between others receive impulses that their joints cannot answer.
void ImpulseMethod::end(double /*h*/, const State& before, State& state) {
  if (!energies_.most) return;
  const StabilityTuning& most = context_.tuning.stability;
  const double scale = context_.scale.energy + dynamics().kinetic_energy(before);
  const double now = flight_->energy(state) - work_put_in(state.ledger);
  const double over_run = now - *energies_.most, over_step = now - energies_.before;
  if (over_run > most.most_gain * scale) context_.fail_by_gain(over_run, before.time);
  else if (!energies_.stored && over_step > most.most_swing * scale) context_.fail_by_gain(over_step, before.time);
}

void ImpulseMethod::forget() {
  StepMethod::forget();
  energies_.most.reset();
  flight_->forget();
}

bool ImpulseMethod::evaluate(const State& state) {
  flight_->set_accuracy(tuning().fine);
  return evaluate_with(laws_ ? std::span<const BodyVector>(context_.load) : std::span<const BodyVector>(), state);
}

void ImpulseMethod::load(double h, State& state) {
  fill_unset(loads_.begin);
  fill_unset(loads_.end);
  place(state);
  dynamics().forces().external(model(), dynamics().kinematics(), dynamics().coordinates(), loads_.begin, loads_.powers);
  leave_gaps(h);
  flight_->start(h, loads_.begin);
}

// Impulses of laws and joints at t; along directions at t + h where those of t do not close the joints.
bool ImpulseMethod::correct(double h, bool cut, State& state) {
  for (auto* numbers : {&joints_.b, &joints_.x}) fill_unset(*numbers);
  for (auto* motion : {&joints_.y, &law_dv_, &dv_}) fill_unset(motion->bodies);
  // Both corrections repeat their solves until the tolerance is met: a solve that iterates need not be exact.
  flight_->set_accuracy(tuning().rough);
  predicted_.joint_angles = state.joint_angles;
  predicted_.guides = state.guides;
  const bool act = laws_ && laws_->begin(h, cut, state);
  if (act) laws_->respond(law_dv_);
  else law_dv_.clear();
  return alternate(h, act, state) || close_at_end(h, act, state);
}

// The laws and the joints in turn, each with the impulses of the other, until nothing changes: Bender's loop over the parts (§5).
bool ImpulseMethod::alternate(double h, bool act, const State& state) {
  restart_from_laws();
  double before = 0;
  for (int round = 0; round < tuning().most_rounds && is_within_budget(state); ++round) {
    if (!correct_positions(h, round > 0, state)) return false;
    if (!act) return true;
    flight_->find_velocities(dv_, predicted_);
    joints_.y.clear();
    if (!laws_->evaluate_ahead(h, dv_.bodies, joints_.y.bodies, predicted_)) return true;
    if (laws_->lacks_active_law()) assemble_laws(false);
    const bool good = laws_->correct_impulses();
    laws_->respond_to_change(joints_.y);
    dv_ += joints_.y;
    if (good) {
      predict(h, state);
      return true;
    }
    if (round >= tuning().first_judgement && laws_->last_change() > before)
      return false;  // each makes it worse for the other
    before = laws_->last_change();
  }
  return false;
}

void ImpulseMethod::restart_from_laws() {
  dv_ = law_dv_;
  std::fill(joints_.sum.begin(), joints_.sum.end(), 0.0);
}

void ImpulseMethod::assemble_laws(bool ahead) {
  flight_->set_accuracy(tuning().fine);
  laws_->assemble(ahead);
  flight_->set_accuracy(tuning().rough);
}

void ImpulseMethod::mix() {
  mixing_.bodies.advance(joints_.b, joints_.y.bodies, dv_.bodies);
  if (!dv_.rates.empty()) mixing_.rates.advance(joints_.b, joints_.y.rates, dv_.rates);
}

// Where rows depend on each other their velocities agree only as far as the joints are closed: there the gap must be
// smaller than what is asked for.
double ImpulseMethod::gap_allowed() const {
  const double asked = joints_.share * settings().method.position_tolerance();
  const double least = Projection::kTolerance * context_.scale.size;
  if (!flight_->has_dependent_rows()) return std::max(asked, joints_.share < 1 ? least : 0);
  return std::min(asked, std::max(tuning().dependent * asked, least));
}

// Δv = e/h of a gap that the parts before have left grows without bound where bodies meet and h is short, and then so does what contacts take of it.
// Such gaps are closed as fast as in a whole step, h/step of them in this part, to which it may add half of h/step of what is allowed: what is open stays
// below that, however many parts there are.
void ImpulseMethod::leave_gaps(double h) {
  const double part = h / settings().step;
  joints_.left.clear();
  joints_.share = 1;
  if (!laws_ || joints_.b.empty() || !(part < kWhole)) return;
  joints_.share = 0.5 * part;
  joints_.left.resize(joints_.b.size());
  flight_->gaps_here(joints_.left);
  for (double& left : joints_.left) left *= 1 - part;
}

// Impulses at t, such that the joints are closed at t + h: e of the predicted state, Δv = e/h, A x = Δv (eqs. 5, 7), again until
// every joint is within the tolerance. The relative motion is almost linear over h, so a few repetitions do.
bool ImpulseMethod::correct_positions(double h, bool again, const State& state) {
  mixing_.bodies.restart();
  mixing_.rates.restart();
  predicted_.time = state.time + h;
  const double allowed = gap_allowed();
  double first = 0, second = 0, first_change = 0, last_gap = 0, last_move = 0;
  bool shrinking = true;  // the moves
  for (int iteration = 0;; ++iteration) {
    predict(h, state);
    const double gap = largest(joints_.b);
    if (gap <= (iteration == 0 && !again ? tuning().idle * allowed : allowed))
      return iteration < tuning().few_solves || dv_.size() <= tuning().near * first_change;
    if (iteration == 0) first = gap;
    if (iteration == 1) second = gap;
    // Rows that contradict each other leave a gap that does not shrink, while the moves do (projection.h).
    const bool contradicts =
        iteration > 0 && gap <= Projection::kContradiction && gap > tuning().shrinks * last_gap && shrinking;
    if (iteration == tuning().patience || !(gap <= tuning().lost * first) ||
        (!contradicts && is_hopeless(iteration, gap, second, allowed)))
      return false;
    add_joint_impulses(h);
    const double move = h * joints_.y.size();
    if (move <= Projection::kTolerance * context_.scale.size && gap <= Projection::kContradiction) return true;
    shrinking = iteration == 0 || move <= tuning().shrinks * last_move;
    last_gap = gap;
    last_move = move;
    if (iteration < tuning().plain_solves || contradicts) dv_ += joints_.y;
    else mix();
    if (iteration == 0) first_change = dv_.size();
  }
}

// Whether errors that have come down from `second`, what the first iteration left, to `gap` would need more iterations than we have
// patience for. The first one is not counted: it does what is linear, the others show how the rest converges.
bool ImpulseMethod::is_hopeless(int iteration, double gap, double second, double allowed) const {
  if (iteration < tuning().first_judgement) return false;
  return portable::pow(gap / second, (tuning().patience - 1.0) / (iteration - 1)) > allowed / second;
}

// joints_.y: what impulses for the drift −joints_.b change the velocities by, Δv = e/h.
void ImpulseMethod::add_joint_impulses(double h) {
  ++report().position_iterations;
  flight_->solve(joints_.b, joints_.y, joints_.wanted());
  joints_.y *= 1 / h;
  if (joints_.driven)
    for (std::size_t i = 0; i < joints_.x.size(); ++i) joints_.sum[i] += joints_.x[i] / h;
}

// The same with the joints' directions where the bodies will be, and the laws where they `act`: the implicit counterpart of alternate(). It is of
// first order and takes energy out of motions that are too fast for the step, where the other would put some in; its matrix is factored anew until
// it is close.
bool ImpulseMethod::close_at_end(double h, bool act, State& state) {
  if (act) laws_->restart();
  restart_from_laws();
  const double allowed = gap_allowed();
  const int most = act ? tuning().most_at_end_with_laws : tuning().most_at_end;
  bool settled = !act;
  double before = 0;
  for (int iteration = 0;; ++iteration) {
    predict(h, state);
    const double gap = largest(joints_.b);
    if (gap <= allowed && settled) {
      ++report().damped;
      flight_->forget();
      place(state);  // M at t, for the books
      flight_->complete(dv_);
      return true;
    }
    // Bodies that fly past each other's joints by more than their own size may meet again anywhere.
    const double bound = iteration == 0 ? context_.scale.size : std::max(allowed, tuning().growth * before);
    if (iteration == most || !(gap < bound) || !is_within_budget(state)) return false;
    if (act) flight_->find_velocities(dv_, predicted_);
    if (!is_ready_at_end(iteration, gap, before, allowed)) return false;
    before = gap;
    add_joint_impulses(h);
    const bool presses = act && laws_->evaluate_ahead(h, dv_.bodies, joints_.y.bodies, predicted_);
    dv_ += joints_.y;
    settled = !presses;
    if (!presses) continue;
    assemble_laws(true);
    settled = laws_->correct_impulses();
    laws_->respond_to_change(joints_.y);
    dv_ += joints_.y;
  }
}

// The system as the next iteration at the end of the step needs it. Where the last one, which left `gap` of `before`, need only be repeated it
// stays as it is: Newton's error is half the curvature times the square of the change, so the same slopes again gain half as much as they did.
bool ImpulseMethod::is_ready_at_end(int iteration, double gap, double before, double allowed) {
  if (iteration > 0 && 2 * gap * gap <= allowed * before) return true;
  return flight_->factor(predicted_);
}

// joints_.b = −e at t + h when the bodies start dv_ faster. Rows that are not holonomic have no drift; the velocity correction is theirs. What the
// impulses at t do for them is to hold them on the mean of the step, u − C v at t and at t + h cancelling: left alone until t + h they would cost the
// method its second order.
void ImpulseMethod::predict(double h, const State& state) {
  flight_->find_positions(dv_, predicted_);
  flight_->gaps_ahead(joints_.b);
  for (std::size_t i = 0; i < joints_.left.size(); ++i) joints_.b[i] -= joints_.left[i];
  flight_->mean_gaps(h, dv_, state, predicted_, joints_.b);
}

}  // namespace catena
