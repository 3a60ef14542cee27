#include "catena/step/impulse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/joints/row_rhs.h"
#include "catena/math/assert.h"
#include "catena/math/elementary.h"

namespace catena {
namespace {

constexpr double kWhole = 1 - 1e-9;  // of a step: a part as long is all of it

double size_of(std::span<const BodyVector> motion) {
  double sum = 0;
  for (const BodyVector& v : motion) sum += dot(v, v);
  return std::sqrt(sum);
}

// The joints some row of which is not holonomic.
std::vector<JointId> velocity_joints(const Model& model, const Kinematics& kinematics) {
  RowSet rows = all_rows(model);
  rows.evaluate(model, kinematics);
  std::vector<JointId> joints;
  for (std::size_t i = 0; i < rows.holonomic.size(); ++i)
    if (!rows.holonomic[i] && (joints.empty() || joints.back() != rows.joint_of[i])) joints.push_back(rows.joint_of[i]);
  return joints;
}

}  // namespace

ImpulseMethod::ImpulseMethod(StepContext& context, const Model& full, const State& initial)
    : StepMethod(context),
      flight_(model(), settings().method.integrator(), tuning().fast_top),
      mixing_(initial.bodies.size(), static_cast<std::size_t>(dynamics().system().rows())),
      laws_(context.laws ? std::make_unique<ImpulseLaws>(context, full) : nullptr),
      velocity_rows_{RowSet(model(), velocity_joints(model(), dynamics().kinematics())),
                     RowSet(model(), velocity_joints(model(), dynamics().kinematics()))},
      predicted_(initial),
      law_dv_(initial.bodies.size()),
      dv_(initial.bodies.size()) {
  energies_.stored = has_soft_joints(full) || has_soft_contacts(full);
  const auto rows = static_cast<std::size_t>(dynamics().system().rows());
  loads_.begin.resize(dv_.size());
  loads_.end.resize(dv_.size());
  joints_.y.resize(dv_.size());
  for (std::vector<double>* numbers : {&joints_.b, &joints_.x, &joints_.sum}) numbers->resize(rows);
  joints_.driven = std::any_of(model().joints.begin(), model().joints.end(),
                               [&](const Joint& joint) { return prescribes_velocity(model(), joint); });
  if (laws_)
    mechanism_ = std::make_unique<MaximalMechanism>(context.dynamics, context.projection,
                                                    MaximalMechanism::Options{.tuning = context.tuning.joints});
}

Integrator ImpulseMethod::integrator() const {
  return settings().method.integrator() == Integrator::automatic ? Integrator::rk4 : settings().method.integrator();
}

void ImpulseMethod::begin(double /*h*/, State& state) {
  context_.factor(state);
  place(state);
  if (laws_) laws_->begin_step();
  if (!context_.can_be_replaced) return;
  energies_.before = context_.energy_not_put_in(state);
  if (!energies_.most) energies_.most = energies_.before;
}

PartOfStep ImpulseMethod::plan(int number) const {
  const bool cut = laws_ && number < tuning().most_cuts;
  return {.whole = settings().step, .cut = cut, .watched = cut};
}

Mechanism& ImpulseMethod::factored_mechanism(State& state) {
  dynamics().system().set_accuracy(tuning().fine);
  mechanism_->place(state);
  mechanism_->factor({});
  context_.factored.forget();
  return *mechanism_;
}

// A part, or up to where bodies meet fast in it. Where impulses along the joints' directions at t cannot close the joints at t + h (a body turns too
// far, a thread is pulled taut), those of t + h are tried, and then shorter parts.
double ImpulseMethod::advance(PartOfStep part, const State& /*before*/, State& state) {
  const double shortest = context_.tuning.parts.shortest_part * settings().step;
  double h = part.h;
  for (int tries = 0;; ++tries) {
    if (!context_.factor(state)) {
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
  if (laws_ && context_.can_be_replaced && report().law_solves > tuning().most_solves &&
      laws_->rows_solved() > tuning().most_rows)
    context_.fail(Status::too_long,
                  fmt::format("t = {}: the step needs more than {} solves for contacts, of {} rows in all", state.time,
                              tuning().most_solves, tuning().most_rows));
  return context_.goes_on(state);
}

Closing ImpulseMethod::close(State& /*state*/) {
  Closing closing;
  closing.closed = closed_;
  return closing;
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
  const double scale = context_.weight_times_size + dynamics().kinetic_energy(before);
  const double now = context_.energy_not_put_in(state);
  const double over_run = now - *energies_.most, over_step = now - energies_.before;
  if (over_run > most.most_gain * scale) context_.fail_by_gain(over_run, before.time);
  else if (!energies_.stored && over_step > most.most_swing * scale) context_.fail_by_gain(over_step, before.time);
}

void ImpulseMethod::forget() {
  StepMethod::forget();
  energies_.most.reset();
  stamp_ = 0;
}

bool ImpulseMethod::evaluate(const State& state) {
  dynamics().system().set_accuracy(tuning().fine);
  return evaluate_with(laws_ ? std::span<const BodyVector>(context_.load) : std::span<const BodyVector>(), state);
}

// Where the last step has left the kinematics they are those of the state already.
void ImpulseMethod::place(State& state) {
  Kinematics& kinematics = dynamics().kinematics();
  if (kinematics.stamp() != stamp_ || &kinematics.state() != &state) kinematics.update(model(), state);
  stamp_ = kinematics.stamp();
}

void ImpulseMethod::load(double h, State& state) {
  fill_unset(loads_.begin);
  fill_unset(loads_.end);
  place(state);
  const Kinematics& kinematics = dynamics().kinematics();
  dynamics().forces().external(model(), kinematics, dynamics().coordinates(), loads_.begin, loads_.powers);
  if (velocity_rows_.begin.rows() > 0) velocity_rows_.begin.evaluate(model(), kinematics);
  leave_gaps(h);
  flight_.start(kinematics, loads_.begin, h);
}

// Impulses of laws and joints at t; along directions at t + h where those of t do not close the joints.
bool ImpulseMethod::correct(double h, bool cut, const State& state) {
  for (auto* numbers : {&joints_.b, &joints_.x}) fill_unset(*numbers);
  for (auto* motion : {&joints_.y, &law_dv_, &dv_}) fill_unset(*motion);
  // Both corrections repeat their solves until the tolerance is met: a solve that iterates need not be exact.
  dynamics().system().set_accuracy(tuning().rough);
  if (laws_) predicted_.joint_angles = state.joint_angles;
  predicted_.guides = state.guides;
  const bool act = laws_ && laws_->begin(h, cut, state);
  if (act) laws_->respond(law_dv_);
  else std::fill(law_dv_.begin(), law_dv_.end(), BodyVector{});
  return alternate(h, act, state) || close_at_end(h, act, state);
}

// The laws and the joints in turn, each with the impulses of the other, until nothing changes: Bender's loop over the parts (§5).
bool ImpulseMethod::alternate(double h, bool act, const State& state) {
  restart_from_laws();
  double before = 0;
  for (int round = 0; round < tuning().most_rounds && is_within_budget(state); ++round) {
    if (!correct_positions(h, round > 0, state)) return false;
    if (!act) return true;
    flight_.velocities(dv_, predicted_.bodies);
    std::fill(joints_.y.begin(), joints_.y.end(), BodyVector{});
    if (!laws_->evaluate_ahead(h, dv_, joints_.y, predicted_)) return true;
    if (laws_->lacks_active_law()) assemble_laws(false);
    const bool good = laws_->correct_impulses();
    laws_->respond_to_change(joints_.y);
    add_to_motion(joints_.y);
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
  std::copy(law_dv_.begin(), law_dv_.end(), dv_.begin());
  std::fill(joints_.sum.begin(), joints_.sum.end(), 0.0);
}

void ImpulseMethod::assemble_laws(bool ahead) {
  dynamics().system().set_accuracy(tuning().fine);
  laws_->assemble(ahead);
  dynamics().system().set_accuracy(tuning().rough);
}

void ImpulseMethod::add_to_motion(const std::vector<BodyVector>& dv) {
  for (std::size_t i = 0; i < dv.size(); ++i) dv_[i] += dv[i];
}

// Where rows depend on each other their velocities agree only as far as the joints are closed: there the gap must be
// smaller than what is asked for.
double ImpulseMethod::gap_allowed() const {
  const double asked = joints_.share * settings().method.position_tolerance();
  const double least = Projection::kTolerance * context_.size;
  if (dynamics().system().redundant().empty()) return std::max(asked, joints_.share < 1 ? least : 0);
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
  dynamics().system().position_rhs(dynamics().kinematics(), joints_.left);
  for (double& left : joints_.left) left *= 1 - part;
}

// Impulses at t, such that the joints are closed at t + h: e of the predicted state, Δv = e/h, A x = Δv (eqs. 5, 7), again until
// every joint is within the tolerance. The relative motion is almost linear over h, so a few repetitions do.
bool ImpulseMethod::correct_positions(double h, bool again, const State& state) {
  mixing_.restart();
  predicted_.time = state.time + h;
  const double allowed = gap_allowed();
  double first = 0, second = 0, first_change = 0, last_gap = 0, last_move = 0;
  bool shrinking = true;  // the moves
  for (int iteration = 0;; ++iteration) {
    predict(h, state);
    const double gap = largest(joints_.b);
    if (gap <= (iteration == 0 && !again ? tuning().idle * allowed : allowed))
      return iteration < tuning().few_solves || size_of(dv_) <= tuning().near * first_change;
    if (iteration == 0) first = gap;
    if (iteration == 1) second = gap;
    // Rows that contradict each other leave a gap that does not shrink, while the moves do (projection.h).
    const bool contradicts =
        iteration > 0 && gap <= Projection::kContradiction && gap > tuning().shrinks * last_gap && shrinking;
    if (iteration == tuning().patience || !(gap <= tuning().lost * first) ||
        (!contradicts && is_hopeless(iteration, gap, second, allowed)))
      return false;
    add_joint_impulses(h);
    const double move = h * size_of(joints_.y);
    if (move <= Projection::kTolerance * context_.size && gap <= Projection::kContradiction) return true;
    shrinking = iteration == 0 || move <= tuning().shrinks * last_move;
    last_gap = gap;
    last_move = move;
    if (iteration < tuning().plain_solves || contradicts) {
      add_to_motion(joints_.y);
    } else {
      mixing_.advance(joints_.b, joints_.y, dv_);
    }
    if (iteration == 0) first_change = size_of(dv_);
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
  std::fill(joints_.y.begin(), joints_.y.end(), BodyVector{});
  dynamics().system().solve(joints_.b, joints_.y, joints_.wanted());
  for (BodyVector& y : joints_.y) y = (1 / h) * y;
  if (joints_.driven)
    for (std::size_t i = 0; i < joints_.x.size(); ++i) joints_.sum[i] += joints_.x[i] / h;
}

// The same with the joints' directions where the bodies will be, and the laws where they `act`: the implicit counterpart of alternate(). It is of
// first order and takes energy out of motions that are too fast for the step, where the other would put some in; its matrix is factored anew until
// it is close.
bool ImpulseMethod::close_at_end(double h, bool act, const State& state) {
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
      dynamics().kinematics().update(model(), state);  // M at t, for the books
      return true;
    }
    // Bodies that fly past each other's joints by more than their own size may meet again anywhere.
    const double bound = iteration == 0 ? context_.size : std::max(allowed, tuning().growth * before);
    if (iteration == most || !(gap < bound) || !is_within_budget(state)) return false;
    if (act) flight_.velocities(dv_, predicted_.bodies);
    if (!is_ready_at_end(iteration, gap, before, allowed)) return false;
    before = gap;
    add_joint_impulses(h);
    const bool presses = act && laws_->evaluate_ahead(h, dv_, joints_.y, predicted_);
    add_to_motion(joints_.y);
    settled = !presses;
    if (!presses) continue;
    assemble_laws(true);
    settled = laws_->correct_impulses();
    laws_->respond_to_change(joints_.y);
    add_to_motion(joints_.y);
  }
}

// The system as the next iteration at the end of the step needs it. Where the last one, which left `gap` of `before`, need only be repeated it
// stays as it is: Newton's error is half the curvature times the square of the change, so the same slopes again gain half as much as they did.
bool ImpulseMethod::is_ready_at_end(int iteration, double gap, double before, double allowed) {
  if (iteration > 0 && 2 * gap * gap <= allowed * before) return true;
  return context_.factor(predicted_);
}

// joints_.b = −e at t + h when the bodies start dv_ faster.
void ImpulseMethod::predict(double h, const State& state) {
  Kinematics& kinematics = dynamics().kinematics();
  flight_.positions(dv_, predicted_.bodies);
  kinematics.update_rotations(predicted_);
  dynamics().system().position_rhs(kinematics, joints_.b);
  for (std::size_t i = 0; i < joints_.left.size(); ++i) joints_.b[i] -= joints_.left[i];
  if (velocity_rows_.begin.rows() > 0) hold_velocities(h, state);
}

// Rows that are not holonomic have no drift; the velocity correction is theirs. What the impulses at t do for them is to hold them on
// the mean of the step, u − C v at t and at t + h cancelling: left alone until t + h they would cost the method its second order.
void ImpulseMethod::hold_velocities(double h, const State& state) {
  flight_.velocities(dv_, predicted_.bodies);
  velocity_rows_.end.evaluate(model(), dynamics().kinematics());
  int row = 0;
  for (const JointId joint : velocity_rows_.begin.joints) {
    const int first = dynamics().system().row_start(joint), count = row_count(model(), model().joints[joint]);
    for (int i = 0; i < count; ++i, ++row) {
      const auto r = static_cast<std::size_t>(row);
      if (velocity_rows_.begin.holonomic[r]) continue;
      double lacking = velocity_rows_.begin.u[r] + velocity_rows_.end.u[r];
      for (auto t = static_cast<std::size_t>(velocity_rows_.begin.start[r]);
           t < static_cast<std::size_t>(velocity_rows_.begin.start[r + 1]); ++t) {
        const BodyId body = velocity_rows_.begin.body[t];
        lacking -= dot(velocity_rows_.begin.J[t], velocity_of(state.bodies[body]) + dv_[body]) +
                   dot(velocity_rows_.end.J[t], velocity_of(predicted_.bodies[body]));
      }
      joints_.b[static_cast<std::size_t>(first + i)] = 0.5 * h * lacking;
    }
  }
}

}  // namespace catena
