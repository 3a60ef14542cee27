#include "catena/step/impulse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/joints/row_rhs.h"

namespace catena {
namespace {

constexpr int kMostIterations = 100;
// After so many without success the joints turn too far in a step for impulses along their directions at t.
constexpr int kPatience = 12;
constexpr int kMostAtEnd = 12;
constexpr int kPlainIterations = 1;  // before mixing starts: most steps need no more
// Of the tolerance: a gap below needs no impulse at all. A larger one gets one even when it would pass, or short steps would let it
// grow and then close it with a jerk.
constexpr double kIdle = 1e-3;
// After more repetitions than this the joints may have met somewhere else: a body turned the other way round also closes them. A change of
// motion much larger than the first one is not taken for a solution.
constexpr int kFewIterations = 5;
constexpr double kNear = 2;
constexpr int kMostHalvings = 10;
constexpr int kMostCuts = 20;       // where bodies meet within one step; what is left of it then goes to its end
constexpr double kShortest = 1e-9;  // of a step: a part this short would be rounding only
constexpr double kLost = 1e3;       // an error that has grown so much will not come back

double size_of(std::span<const BodyVector> motion) {
  double sum = 0;
  for (const BodyVector& v : motion) sum += dot(v, v);
  return std::sqrt(sum);
}

double fastest(std::span<const BodyState> bodies) {
  double speed2 = 0;
  for (const BodyState& s : bodies)
    speed2 = std::max({speed2, dot(s.velocity, s.velocity), dot(s.angular_velocity, s.angular_velocity)});
  return std::sqrt(speed2);
}

// Whether errors that have come down from `second`, what the first iteration left, to `gap` would need more iterations than we have
// patience for. The first one is not counted: it does what is linear, the others show how the rest converges.
bool hopeless(int iteration, double gap, double second, double allowed) {
  constexpr int kFirstLook = 3;  // where mixing has begun
  if (iteration < kFirstLook) return false;
  return std::pow(gap / second, (kPatience - 1.0) / (iteration - 1)) > allowed / second;
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

ImpulseStepper::ImpulseStepper(const Model& model, const State& initial, const Settings& settings)
    : LawlessModel(model, true),
      Stepper(lawless, initial, settings),
      laws_(has_laws(model) ? std::make_unique<ImpulseLaws>(model, lawless, dynamics_.kinematics(), settings)
                            : nullptr),
      impacts_(lawless, settings.restitution_threshold, settings.contact_tolerance),
      flight_(lawless, settings.integrator),
      mixing_(model.bodies.size(), static_cast<std::size_t>(dynamics_.system().rows())),
      size_(mechanism_size(model, initial)),
      held_begin_(lawless, velocity_joints(lawless, dynamics_.kinematics())),
      held_end_(held_begin_),
      predicted_(initial),
      f_(model.bodies.size()),
      f_end_(f_.size()),
      law_dv_(f_.size()),
      load_(f_.size()),
      dv_(f_.size()),
      y_(f_.size()),
      b_(static_cast<std::size_t>(dynamics_.system().rows())),
      x_(b_.size()),
      x_sum_(b_.size()) {
  // Rows that depend on each other when the joints are closed have pivots of the square of the gap; beyond this they would be
  // taken for independent.
  constexpr double kNearlyClosed = 1e-5;
  driven_ = std::any_of(lawless.joints.begin(), lawless.joints.end(),
                        [&](const Joint& joint) { return prescribes_velocity(lawless, joint); });
  closed_ = settings.position_tolerance <= kNearlyClosed * size_;
}

void ImpulseStepper::move(double h, State& state) {
  // Both corrections repeat their solves until the tolerance is met: a solve that iterates need not be exact.
  dynamics_.system().set_accuracy(kRough);
  if (!laws_) return part(h, 0, state);
  impacts_.clear();
  double left = h;
  for (int k = 0; left > 0 && report_.ok(); ++k) {
    throw_back(left, state);
    const double passing = k < kMostCuts ? laws_->time_to_pass(dynamics_.kinematics(), left) : left;
    left -= lawful_part(std::max(passing, kShortest * h), k < kMostCuts, state);
    if (left < kShortest * h) {
      state.time += left;
      left = 0;
    }
  }
}

bool ImpulseStepper::evaluate_here(const State& state) {
  dynamics_.system().set_accuracy(kFine);
  return laws_ ? evaluate_with(load_, state) : Stepper::evaluate_here(state);
}

// One step, or part of one. The system is factored at t. Where impulses along the joints' directions at t cannot close the joints at t + h (a
// body turns too far, a thread is pulled taut), those of t + h are tried, and then the two halves one after the other.
void ImpulseStepper::part(double h, int halvings, State& state) {
  if (!factored_) return fail(Status::singular);
  load(h, state);                                                        // F_ext, τ_ext; M at t
  restart_from_laws();                                                   // there are none
  if (!correct_positions(h, false, state) && !close_at_end(h, state)) {  // dv_
    factor(state);
    if (halvings == kMostHalvings) return open_joint("closed", settings_.position_tolerance, state);
    ++report_.halvings;
    part(h / 2, halvings + 1, state);
    if (report_.ok()) part(h / 2, halvings + 1, state);
    return;
  }
  finish(h, state);
}

// From the impulses at t to the end of the step, or part of one.
void ImpulseStepper::finish(double h, State& state) {
  book_position_impulses(state);
  integrate(h, state);  // eqs. 1–4
  factor(state);        // H at t + h
  if (!factored_) return fail(Status::singular);
  if (!correct_velocities(state)) return;
  if (!dynamics_.forces().constant(*model_, state.time - h, state.time)) end_forces(h, state.time - h, state);
  if (!report_.ok()) return;
  dynamics_.coordinates().remember(*model_, dynamics_.kinematics(), state);
  stamp_ = dynamics_.kinematics().stamp();
}

// Where rows depend on each other their velocities agree only as far as the joints are closed: there the gap must be
// smaller than what is asked for.
double ImpulseStepper::gap_allowed() const {
  constexpr double kDependent = 1e-3;
  const double asked = settings_.position_tolerance;
  if (dynamics_.system().redundant().empty()) return asked;
  return std::min(asked, std::max(kDependent * asked, Projection::kTolerance * size_));
}

void ImpulseStepper::load(double h, const State& state) {
  Kinematics& kinematics = dynamics_.kinematics();
  if (kinematics.stamp() != stamp_ || &kinematics.state() != &state) kinematics.update(*model_, state);
  dynamics_.forces().external(*model_, kinematics, dynamics_.coordinates(), f_, powers_);
  if (held_begin_.rows() > 0) held_begin_.evaluate(*model_, kinematics);
  flight_.start(kinematics, f_, h);
}

void ImpulseStepper::restart_from_laws() {
  std::copy(law_dv_.begin(), law_dv_.end(), dv_.begin());
  std::fill(x_sum_.begin(), x_sum_.end(), 0.0);
}

double ImpulseStepper::largest(std::span<const double> b) {
  double size = 0;
  for (const double x : b) size = std::max(size, std::abs(x));
  return size;
}

// Impulses at t, such that the joints are closed at t + h: e of the predicted state, Δv = e/h, A x = Δv (eqs. 5, 7), again until
// every joint is within the tolerance. The relative motion is almost linear over h, so a few repetitions do.
bool ImpulseStepper::correct_positions(double h, bool again, const State& state) {
  mixing_.restart();
  predicted_.time = state.time + h;
  const double allowed = gap_allowed();
  double first = 0, second = 0, first_change = 0;
  for (int iteration = 0;; ++iteration) {
    predict(h, state);
    const double gap = largest(b_);
    if (gap <= (iteration == 0 && !again ? kIdle * allowed : allowed))
      return iteration < kFewIterations || size_of(dv_) <= kNear * first_change;
    if (iteration == 0) first = gap;
    if (iteration == 1) second = gap;
    if (iteration == kPatience || !(gap <= kLost * first) || hopeless(iteration, gap, second, allowed)) return false;
    add_joint_impulses(h);
    // Nothing moves any more and yet something is open: its rows contradict each other (projection.h).
    if (h * size_of(y_) <= Projection::kTolerance * size_ && gap <= Projection::kContradiction) return true;
    if (iteration < kPlainIterations) {
      for (std::size_t i = 0; i < y_.size(); ++i) dv_[i] += y_[i];
    } else {
      mixing_.advance(b_, y_, dv_);
    }
    if (iteration == 0) first_change = size_of(dv_);
  }
}

// y_: what impulses for the drift −b_ change the velocities by, Δv = e/h.
void ImpulseStepper::add_joint_impulses(double h) {
  ++report_.position_iterations;
  std::fill(y_.begin(), y_.end(), BodyVector{});
  dynamics_.system().solve(b_, y_, driven_ ? std::span<double>(x_) : std::span<double>());
  for (BodyVector& y : y_) y = (1 / h) * y;
  if (driven_)
    for (std::size_t i = 0; i < x_.size(); ++i) x_sum_[i] += x_[i] / h;
}

// The same with the joints' directions where the bodies will be: the implicit counterpart of correct_positions. It is of first order and takes
// energy out of motions that are too fast for the step, where the other would put some in; its matrix is factored anew until it is close.
bool ImpulseStepper::close_at_end(double h, const State& state) {
  std::fill(dv_.begin(), dv_.end(), BodyVector{});
  std::fill(x_sum_.begin(), x_sum_.end(), 0.0);
  const double allowed = gap_allowed();
  double before = 0;
  for (int iteration = 0;; ++iteration) {
    predict(h, state);
    const double gap = largest(b_);
    if (gap <= allowed) {
      ++report_.damped;
      dynamics_.kinematics().update(*model_, state);  // M at t, for the books
      return true;
    }
    // Bodies that fly past each other's joints by more than their own size may meet again anywhere.
    if (iteration == kMostAtEnd || !(gap < (iteration == 0 ? size_ : 10 * before))) return false;
    if (!ready_at_end(iteration, gap, before, allowed)) return false;
    before = gap;
    add_joint_impulses(h);
    for (std::size_t i = 0; i < y_.size(); ++i) dv_[i] += y_[i];
  }
}

// The system as the next iteration at the end of the step needs it. Where the last one, which left `gap` of `before`, need only be repeated it
// stays as it is: Newton's error is half the curvature times the square of the change, so the same slopes again gain half as much as they did.
bool ImpulseStepper::ready_at_end(int iteration, double gap, double before, double allowed) {
  if (iteration > 0 && 2 * gap * gap <= allowed * before) return true;
  factor(predicted_);
  return factored_;
}

// b_ = −e at t + h when the bodies start dv_ faster.
void ImpulseStepper::predict(double h, const State& state) {
  Kinematics& kinematics = dynamics_.kinematics();
  flight_.positions(dv_, predicted_.bodies);
  kinematics.update_rotations(predicted_);
  dynamics_.system().position_rhs(kinematics, b_);
  if (held_begin_.rows() > 0) hold_velocities(h, state);
}

// Rows that are not holonomic have no drift; the velocity correction is theirs. What the impulses at t do for them is to hold them on
// the mean of the step, u − C v at t and at t + h cancelling: left alone until t + h they would cost the method its second order.
void ImpulseStepper::hold_velocities(double h, const State& state) {
  flight_.velocities(dv_, predicted_.bodies);
  held_end_.evaluate(*model_, dynamics_.kinematics());
  int row = 0;
  for (const JointId joint : held_begin_.joints) {
    const int first = dynamics_.system().row_start(joint), count = row_count(*model_, model_->joints[joint]);
    for (int i = 0; i < count; ++i, ++row) {
      const auto r = static_cast<std::size_t>(row);
      if (held_begin_.holonomic[r]) continue;
      double lacking = held_begin_.u[r] + held_end_.u[r];
      for (auto t = static_cast<std::size_t>(held_begin_.start[r]);
           t < static_cast<std::size_t>(held_begin_.start[r + 1]); ++t) {
        const BodyId body = held_begin_.body[t];
        lacking -= dot(held_begin_.J[t], velocity_of(state.bodies[body]) + dv_[body]) +
                   dot(held_end_.J[t], velocity_of(predicted_.bodies[body]));
      }
      b_[static_cast<std::size_t>(first + i)] = 0.5 * h * lacking;
    }
  }
}

// The impulses at t change the kinetic energy by Δv·M(v + Δv/2); what motors do of it is their work.
void ImpulseStepper::book_position_impulses(State& state) {
  const double motors = driven_ ? dynamics_.motor_power(x_sum_) : 0;
  const ImpulseLaws::Work laws = laws_ ? laws_->work(state, dv_) : ImpulseLaws::Work{};
  state.ledger.motors += motors + laws.motors;
  state.ledger.contacts += laws.contacts;
  state.ledger.projection += energy_gained(dv_, state) - motors - laws.motors - laws.contacts;
}

double ImpulseStepper::energy_gained(std::span<const BodyVector> dv, const State& state) const {
  double energy = 0;
  for (std::size_t i = 0; i < dv.size(); ++i) {
    const BodyVector own = restricted(model_->bodies[i].kind, dv[i]);
    energy += dot(dynamics_.kinematics().M(BodyId(i)) * own, velocity_of(state.bodies[i]) + 0.5 * own);
  }
  return energy;
}

void ImpulseStepper::integrate(double h, State& state) {
  const Drift left = projection_.read(b_);
  report_.drift_position = std::max(report_.drift_position, left.position);
  report_.drift_angle = std::max(report_.drift_angle, left.angle);
  flight_.velocities(dv_, predicted_.bodies);
  state.bodies.swap(predicted_.bodies);
  state.time += h;
}

// Impulses at t + h after which no joint moves in the directions it constrains. The factorisation is that of this very
// state, so one solve is exact where the system is solved directly.
bool ImpulseStepper::correct_velocities(State& state) {
  Kinematics& kinematics = dynamics_.kinematics();
  const double speed = std::max(fastest(state.bodies), std::numeric_limits<double>::min());
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0;; ++iteration) {
    dynamics_.system().velocity_rhs(kinematics, b_);
    const double left = largest(b_);
    report_.residual = std::max(report_.residual, left <= settings_.velocity_tolerance ? left / speed : 0);
    if (iteration > 0 && left <= settings_.velocity_tolerance) return true;
    if (iteration == kMostIterations || !std::isfinite(left) || !(left < before)) {
      open_joint("brought to rest", settings_.velocity_tolerance, state);
      return false;
    }
    before = left;
    ++report_.velocity_iterations;
    std::fill(y_.begin(), y_.end(), BodyVector{});
    dynamics_.system().solve(b_, y_, driven_ ? std::span<double>(x_) : std::span<double>());
    const double motors = driven_ ? dynamics_.motor_power(x_) : 0;
    state.ledger.motors += motors;
    state.ledger.projection += energy_gained(y_, state) - motors;
    for (std::size_t i = 0; i < y_.size(); ++i) add_velocity(model_->bodies[i].kind, y_[i], state.bodies[i]);
  }
}

// Eqs. 1–3 take the forces of t for the whole step. Where they vary, the mean of both ends makes it of second order.
void ImpulseStepper::end_forces(double h, double begin, State& state) {
  const Powers first = powers_;
  const double end = state.time;
  // Dampers push with the velocities the laws leave, not with those they are about to stop.
  if (laws_) {
    before_laws_ = state.bodies;
    obey_laws(h, state);
  }
  // A force that ends with this step still acts in it.
  state.time = std::max(begin, end - 4 * std::numeric_limits<double>::epsilon() * std::abs(end));
  dynamics_.forces().external(*model_, dynamics_.kinematics(), dynamics_.coordinates(), f_end_, powers_);
  state.time = end;
  if (laws_) state.bodies = before_laws_;
  state.ledger.actuators += 0.5 * h * (first.actuators + powers_.actuators);
  state.ledger.external += 0.5 * h * (first.external + powers_.external);
  state.ledger.damping += 0.5 * h * (first.damping + powers_.damping);
  for (std::size_t i = 0; i < f_.size(); ++i) {
    const BodyVector change = (0.5 * h) * (f_end_[i] + -1.0 * f_[i]);
    add_velocity(model_->bodies[i].kind,
                 inverse_times(model_->bodies[i].kind, dynamics_.kinematics().M(BodyId(i)), change), state.bodies[i]);
  }
  correct_velocities(state);
}

// What could not be closed: the worst joint or, where there is none or bodies overlap by more, the two that do.
void ImpulseStepper::open_joint(const char* what, double tolerance, const State& state) {
  const Drift left = projection_.read(b_);
  const Contact* deepest = laws_ ? laws_->deepest() : nullptr;
  const double overlap = deepest ? -deepest->gap : 0;
  if (overlap > left.position) {
    const auto name = [&](BodyId body) { return body.valid() ? model_->bodies[body].name : std::string("ground"); };
    return fail(
        Status::not_converged,
        fmt::format("t = {}: '{}' and '{}' overlap by {:.3g} m and could not be brought apart; start them apart "
                    "or try a shorter step",
                    state.time, name(deepest->a), name(deepest->b), overlap));
  }
  const std::string which =
      left.worst.valid() ? fmt::format("joint '{}'", model_->joints[left.worst].name) : "the contacts";
  fail(Status::not_converged,
       fmt::format("t = {}: {} could not be {} to {:.3g}: {:.3g} m and {:.3g} rad are left; try a shorter step",
                   state.time, which, what, tolerance, left.position, left.angle));
}

}  // namespace catena
