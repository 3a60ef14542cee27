#include "catena/step/lagrange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/mechanism/maximal_equations.h"
#include "catena/mechanism/reduced_equations.h"

namespace catena {
namespace {

std::unique_ptr<EquationsOfMotion> make_equations(StepContext& context) {
  if (context.is_reduced())
    return std::make_unique<ReducedEquations>(context.dynamics, context.scale.size, context.tuning.joints);
  return std::make_unique<MaximalEquations>(context.dynamics, context.projection, context.factored,
                                            context.tuning.joints);
}

}  // namespace

LagrangeMethod::LagrangeMethod(StepContext& context, const State& initial)
    : StepMethod(context),
      equations_(make_equations(context)),
      integrator_(*equations_, initial, settings(), tuning().step_error),
      laws_(context.laws ? std::make_unique<LagrangeLaws>(context, *equations_) : nullptr) {
  if (is_adaptive() && equations_->is_reduced() && !equations_->takes_rotors())
    throw InputError(
        "a joint that closes a loop has armature: in joint coordinates the adaptive integrator does not take it; take "
        "rk4, or another method");
}

void LagrangeMethod::begin(double /*h*/, State& state) {
  evaluations_ = rows_solved_ = shocks_ = 0;
  if (laws_) laws_->begin_step();
  equations_->factor(state);
  place(state);
}

// Without laws nothing is asked of the state before its accelerations are, unless it is to have joint coordinates.
void LagrangeMethod::place(State& state) {
  if (laws_ || equations_->is_reduced()) equations_->place(state);
}

// To the end of the part or to the first event in it.
double LagrangeMethod::advance(PartOfStep part, const State& before, State& state) {
  if (!is_adaptive() && settings().method.integrator() != Integrator::euler) kept_energy_ = kept_energy(state);
  if (!laws_) {
    integrate(part.h, state);
    return part.h;
  }
  if (!begin_part(state)) return 0;
  open_ = std::min(0.0, laws_->crossing(0));
  crossing_at_start_ = laws_->crossing(open_);
  if (!integrate(part.h, state)) return part.h;
  if (part.cut && laws_->is_inconsistent()) return locate_change(part.h, before, state);
  const double beyond = crossing(state);
  if (part.cut && beyond < 0) return locate_crossing(part.h, beyond, before, state);
  if (changes_at(state) && part.cut) return locate_change(part.h, before, state);
  return part.h;
}

bool LagrangeMethod::integrate(double h, State& state) {
  first_stage_ = true;
  const bool factored = context_.factored.is_at(state);
  const bool again = std::exchange(start_.known, false);
  const auto evaluate = [this, factored, again](const State& at, Ledger& powers) {
    if (again && first_stage_) {
      recall_start(powers);
      return true;
    }
    if (!accelerate(at, first_stage_ && factored, false, powers)) return false;
    if (!std::exchange(first_stage_, false)) return true;
    report().residual = std::max(report().residual, equations_->residual());
    if (laws_) keep_start(powers);
    return true;
  };
  const bool good = integrator_.step(h, evaluate, state);
  if (integrator_.too_short() > 0)
    context_.fail(
        Status::not_converged,
        fmt::format(
            "t = {}: the adaptive step fell below {:.3g} s: the motion cannot be resolved to the tolerance {:.3g}",
            state.time, integrator_.too_short(), settings().method.tolerance()));
  return good && report().ok();
}

// v̇ and λ at a state, with what laws push with (§8), and the powers of both.
bool LagrangeMethod::accelerate(const State& state, bool factored, bool reading, Ledger& powers) {
  if (!reading && !is_within_budget(0, state)) return false;
  const double baumgarte =
      settings().method.stabilise() == Stabilisation::baumgarte ? settings().method.baumgarte() : 0;
  // What the joints push with is reported of the first stage, and of a state that is read. Step control sees errors that finding it would correct,
  // and where nothing closes the joints these errors add up.
  const bool motion_only = !reading && !first_stage_ && !is_adaptive() && context_.factored.relies_on_closed();
  if (!equations_->accelerations(state, {baumgarte, factored, motion_only})) {
    context_.fail(Status::singular);
    return false;
  }
  if (laws_) {
    context_.find_laws(0);
    const int rows = laws_->select();
    if (!reading && rows > 0 && !is_within_budget(rows, state)) return false;
    if (!laws_->solve(context_.terms.can_be_replaced && !reading)) return false;
  }
  powers.motors = equations_->motor_power();
  powers.actuators = dynamics().powers.actuators;
  powers.external = dynamics().powers.external;
  powers.damping = dynamics().powers.damping;
  if (laws_) laws_->add_powers(state, powers);
  return true;
}

// Counts an evaluation of the forces with so many rows of laws to solve for. False, and the step has failed, where it has taken too many and
// another scheme is there.
bool LagrangeMethod::is_within_budget(int rows, const State& state) {
  if (!context_.goes_on(state)) return false;
  evaluations_ += 1;
  rows_solved_ += rows;
  if ((evaluations_ <= tuning().most_evaluations && rows_solved_ <= tuning().most_rows) ||
      !context_.terms.can_be_replaced)
    return true;
  context_.fail(Status::too_long,
                fmt::format("t = {}: the step needs more than {} evaluations of the forces, or {} rows of laws",
                            state.time, tuning().most_evaluations, tuning().most_rows));
  return false;
}

// Joints closed by the smallest change of positions, then of velocities, which costs the state a little energy that the ledger books; then what
// touches.
Closing LagrangeMethod::close(State& state) {
  Closing closing;
  if (settings().method.stabilise() == Stabilisation::projection && equations_->has_constraints()) {
    const double before = equations_->energy(state);
    closing = equations_->close(state);
    if (!closing.closed) {
      if (closing.worst.valid()) context_.fail_to_close(closing, state.time);
      else context_.fail(Status::singular);
      return closing;
    }
    state.ledger.projection += equations_->energy(state) - before;
  } else {
    closing = equations_->drift(state);
  }
  equations_->remember_angles(state);
  if (laws_) laws_->project(state);
  return closing;
}

// It gained energy by its integration, or its joints could not be closed. Only projected joints keep the energy at all, and Euler's steps only on
// average.
bool LagrangeMethod::is_refused(const PartOfStep& /*part*/, double done, const Closing& /*closing*/,
                                const State& before, const State& state) {
  if (is_adaptive()) return false;
  const bool failed = report().status == Status::not_converged || report().status == Status::diverged;
  if (!failed && !report().ok()) return true;
  const bool measured =
      settings().method.integrator() != Integrator::euler && context_.factored.relies_on_closed() && !failed;
  if (!measured && !failed) return false;
  const double gained = measured ? kept_energy(state) - kept_energy_ : 0;
  const double allowed =
      done / settings().step * tuning().motion_gain * (context_.scale.energy + dynamics().kinetic_energy(before));
  // A loss is as much an error as a gain; in the shortest parts it is taken.
  if (!failed && !(std::abs(gained) > allowed)) return false;
  if (done <= std::ldexp(settings().step, -tuning().most_halvings)) {
    if (gained > allowed && context_.terms.can_be_replaced) context_.fail_by_gain(gained, before.time);
    return !report().ok();
  }
  context_.factored.forget();
  report().status = Status::ok;
  report().message.clear();
  return true;
}

void LagrangeMethod::end(double /*h*/, const State& /*before*/, State& state) {
  if (laws_) laws_->remember(state);
}

// In joint coordinates only the laws' forces are found by the equations; reactions of all joints are read in maximal ones, with these forces.
bool LagrangeMethod::evaluate(const State& state) {
  const bool reduced = equations_->is_reduced();
  if (reduced && !laws_) return evaluate_with({}, state);
  if (!reduced && !context_.factor(state)) return false;
  Ledger powers;
  const StepReport kept = report();
  const State* at = &state;
  if (reduced) {
    reading_ = state;
    equations_->place(reading_);
    at = &reading_;
  } else if (laws_) {
    dynamics().kinematics().update(model(), state);
  }
  if (laws_) {
    context_.find_laws(0);
    laws_->begin(*at);
  }
  bool good = accelerate(*at, true, true, powers);
  if (good && laws_) laws_->report();
  report() = kept;
  if (good && reduced) good = evaluate_with(context_.load, state);
  return good;
}

// Which laws act at the beginning of a part, and the accelerations with them.
bool LagrangeMethod::begin_part(State& state) {
  laws_->begin(state);
  Ledger powers;
  if (!accelerate(state, context_.factored.is_at(state), false, powers)) return false;
  if (laws_->is_inconsistent() && shocks_++ < tuning().most_shocks) {
    laws_->end_slips_at_once(state);
    return false;
  }
  shocks_ = 0;
  if (!equations_->is_reduced()) context_.factored.note(state);
  laws_->note_beginnings();
  return true;
}

bool LagrangeMethod::retry(double h, const State& before, State& state) {
  state = before;
  start_.known = true;
  return integrate(h, state);
}

void LagrangeMethod::keep_start(const Ledger& powers) {
  equations_->keep();
  start_.powers = powers;
  start_.inconsistent = laws_->is_inconsistent();
}

void LagrangeMethod::recall_start(Ledger& powers) {
  equations_->recall();
  powers = start_.powers;
  laws_->set_inconsistent(start_.inconsistent);
  context_.factored.forget();
  first_stage_ = false;
}

double LagrangeMethod::crossing(State& state) {
  equations_->place(state);
  context_.find_laws(0);
  return laws_->crossing(open_);
}

// The crossing between 0 and h, where its value is `beyond` < 0, by regula falsi (Illinois); by halves while the lower end is the beginning
// itself and too near to zero to draw a line from: a contact that has just opened. The state ends just past it.
double LagrangeMethod::locate_crossing(double h, double beyond, const State& before, State& state) {
  double low = 0, low_weight = crossing_at_start_, high = h, high_value = beyond, high_weight = beyond, last = h;
  // Friction that turns about between two stages makes the value jump: there it is not located more closely than that.
  const auto jumps = [&] { return high - low <= 1e-9 * h && -high_value > 1e3 * tuning().located; };
  for (int tries = 0; tries < tuning().most_tries && -high_value > tuning().located && !jumps() &&
                      high - low > 1e-15 * (h + before.time);
       ++tries) {
    double next = 0.5 * (low + high);
    if (low > 0 || low_weight > tuning().sure) {
      const double edge = 1e-6 * (high - low);
      next = std::clamp(high - high_weight * (high - low) / (high_weight - low_weight), low + edge, high - edge);
    }
    if (!retry(next, before, state)) return next;
    const bool high_moved = last == high && tries > 0, low_moved = last == low;
    last = next;
    const double value = crossing(state);
    // Where the same end moves twice the other one counts for less.
    if (value < 0) {
      if (high_moved) low_weight *= 0.5;
      high = next;
      high_value = high_weight = value;
    } else {
      if (low_moved) high_weight *= 0.5;
      low = next;
      low_weight = value;
    }
  }
  if (last == high || retry(high, before, state)) changes_at(state);
  return high;
}

double LagrangeMethod::locate_change(double h, const State& before, State& state) {
  double low = 0, high = h, last = h;
  for (int k = 0; k < tuning().onset_halvings; ++k) {
    last = 0.5 * (low + high);
    if (!retry(last, before, state)) return last;
    const bool happened = laws_->is_inconsistent() || crossing(state) < 0 || changes_at(state);
    (happened ? high : low) = last;
  }
  if (last != high && retry(high, before, state)) changes_at(state);
  return high;
}

// Leaves the forces there to be reported.
bool LagrangeMethod::changes_at(const State& state) {
  Ledger powers;
  if (!accelerate(state, context_.factored.is_at(state), false, powers)) return false;
  laws_->report();
  return laws_->changes();
}

}  // namespace catena
