#include "catena/step/impulse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {
namespace {

constexpr int kMostIterations = 200;

double largest(std::span<const double> b) {
  double size = 0;
  for (const double x : b) size = std::max(size, std::abs(x));
  return size;
}

double fastest(std::span<const BodyState> bodies) {
  double speed2 = 0;
  for (const BodyState& s : bodies)
    speed2 = std::max({speed2, dot(s.velocity, s.velocity), dot(s.angular_velocity, s.angular_velocity)});
  return std::sqrt(speed2);
}

void add(BodyKind kind, const BodyVector& dv, BodyState& s) {
  const BodyVector own = restricted(kind, dv);
  s.velocity += own.linear;
  s.angular_velocity += own.angular;
  s.scale_velocity += own.scale;
}

}  // namespace

ImpulseStepper::ImpulseStepper(const Model& model, const State& initial, const Settings& settings)
    : Stepper(model, initial, settings),
      flight_(model, settings.integrator),
      predicted_(initial),
      f_(model.bodies.size()),
      f_end_(f_.size()),
      dv_(f_.size()),
      y_(f_.size()),
      b_(static_cast<std::size_t>(dynamics_.system().rows())),
      x_(b_.size()) {
  // Rows that depend on each other when the joints are closed have pivots of the square of the gap; beyond this they would be
  // taken for independent.
  constexpr double kNearlyClosed = 1e-5;
  closed_ = settings.position_tolerance <= kNearlyClosed * mechanism_size(model, initial);
}

// One step. The system is factored at t.
void ImpulseStepper::move(double h, State& state) {
  if (!factored_) return fail(Status::singular);
  load(h, state);                            // F_ext, τ_ext; M at t
  if (!correct_positions(h, state)) return;  // dv_
  integrate(h, state);                       // eqs. 1–4
  factor(state);                             // H at t + h
  if (!factored_) return fail(Status::singular);
  if (!correct_velocities(state)) return;
  if (!dynamics_.forces().constant(*model_, before_.time, state.time)) end_forces(h, state);
  finish(state);
}

void ImpulseStepper::load(double h, const State& state) {
  Kinematics& kinematics = dynamics_.kinematics();
  if (kinematics.stamp() != stamp_ || &kinematics.state() != &state) kinematics.update(*model_, state);
  dynamics_.forces().external(*model_, kinematics, dynamics_.coordinates(), f_, powers_);
  flight_.start(kinematics, f_, h);
}

// Impulses at t, such that the joints are closed at t + h: e of the predicted state, Δv = e/h, A x = Δv (eqs. 5, 7), again until
// every joint is within the tolerance. The relative motion is almost linear over h, so a few repetitions do. Rows that are
// not holonomic keep the velocity they have.
bool ImpulseStepper::correct_positions(double h, const State& state) {
  Kinematics& kinematics = dynamics_.kinematics();
  std::fill(dv_.begin(), dv_.end(), BodyVector{});
  predicted_.time = state.time + h;
  for (int iteration = 0;; ++iteration) {
    flight_.positions(dv_, predicted_.bodies);
    kinematics.update_rotations(predicted_);
    dynamics_.system().position_rhs(kinematics, b_);
    const double gap = largest(b_);
    report_.position_iterations = iteration;
    if (gap <= settings_.position_tolerance) return true;
    if (iteration == kMostIterations || !std::isfinite(gap)) {
      open_joint("closed", settings_.position_tolerance, state);
      return false;
    }
    std::fill(y_.begin(), y_.end(), BodyVector{});
    dynamics_.system().solve(b_, y_, {});
    for (std::size_t i = 0; i < y_.size(); ++i) dv_[i] += (1 / h) * y_[i];
  }
}

void ImpulseStepper::integrate(double h, State& state) {
  const Drift left = projection_.read(b_);
  report_.drift_position = left.position;
  report_.drift_angle = left.angle;
  flight_.velocities(dv_, predicted_.bodies);
  state.bodies.swap(predicted_.bodies);
  state.time += h;
}

// Impulses at t + h after which no joint moves in the directions it constrains. The factorisation is that of this very
// state, so one solve is exact where the system is solved directly.
//   M Δv − Cᵀx = 0,  C Δv = b = u − C v:   the kinetic energy changes by xᵀ(u − b/2), of which xᵀu is the motors' work
bool ImpulseStepper::correct_velocities(State& state) {
  Kinematics& kinematics = dynamics_.kinematics();
  const double speed = std::max(fastest(state.bodies), std::numeric_limits<double>::min());
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0;; ++iteration) {
    dynamics_.system().velocity_rhs(kinematics, b_);
    const double left = largest(b_);
    report_.velocity_iterations = iteration;
    report_.residual = left / speed;
    if (iteration > 0 && left <= settings_.velocity_tolerance) return true;
    if (iteration == kMostIterations || !std::isfinite(left) || !(left < before)) {
      open_joint("brought to rest", settings_.velocity_tolerance, state);
      return false;
    }
    before = left;
    std::fill(y_.begin(), y_.end(), BodyVector{});
    dynamics_.system().solve(b_, y_, x_);
    for (std::size_t i = 0; i < y_.size(); ++i) add(model_->bodies[i].kind, y_[i], state.bodies[i]);
    state.ledger.motors += dynamics_.motor_power(x_);
    for (std::size_t i = 0; i < x_.size(); ++i) state.ledger.projection -= 0.5 * x_[i] * b_[i];
  }
}

// Eqs. 1–3 take the forces of t for the whole step. Where they vary, the mean of both ends makes it of second order.
void ImpulseStepper::end_forces(double h, State& state) {
  const Powers begin = powers_;
  const double end = state.time;
  // A force that ends with this step still acts in it.
  state.time = std::max(before_.time, end - 4 * std::numeric_limits<double>::epsilon() * std::abs(end));
  dynamics_.forces().external(*model_, dynamics_.kinematics(), dynamics_.coordinates(), f_end_, powers_);
  state.time = end;
  state.ledger.actuators += 0.5 * h * (begin.actuators + powers_.actuators);
  state.ledger.external += 0.5 * h * (begin.external + powers_.external);
  state.ledger.damping += 0.5 * h * (begin.damping + powers_.damping);
  for (std::size_t i = 0; i < f_.size(); ++i) {
    const BodyVector change = (0.5 * h) * (f_end_[i] + -1.0 * f_[i]);
    add(model_->bodies[i].kind, inverse_times(model_->bodies[i].kind, dynamics_.kinematics().M(BodyId(i)), change),
        state.bodies[i]);
  }
  correct_velocities(state);
}

void ImpulseStepper::finish(State& state) {
  if (!report_.ok()) return;
  // The velocities are new: what was computed from the old ones is stale.
  dynamics_.coordinates().remember(*model_, dynamics_.kinematics(), state);
  stamp_ = dynamics_.kinematics().stamp();
}

void ImpulseStepper::open_joint(const char* what, double tolerance, const State& state) {
  const Drift left = projection_.read(b_);
  fail(Status::not_converged,
       fmt::format("t = {}: joint '{}' could not be {} to {:.3g}: {:.3g} and {:.3g} rad are left; try a shorter step",
                   state.time, model_->joints[left.worst].name, what, tolerance, left.position, left.angle));
}

}  // namespace catena
