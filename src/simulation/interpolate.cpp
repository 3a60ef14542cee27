#include "catena/simulation/interpolate.h"

#include <algorithm>
#include <cmath>

#include "catena/simulation/simulation_impl.h"

namespace catena {
namespace {

// Cubic Hermite: value and rate at s in [0, 1] of a step of length h.
template <class T>
void hermite(double s, double h, const T& x0, const T& v0, const T& x1, const T& v1, T& x, T& v) {
  const double s2 = s * s, s3 = s2 * s;
  x = (2 * s3 - 3 * s2 + 1) * x0 + (h * (s3 - 2 * s2 + s)) * v0 + (3 * s2 - 2 * s3) * x1 + (h * (s3 - s2)) * v1;
  v = (6 * (s2 - s) / h) * x0 + (3 * s2 - 4 * s + 1) * v0 + (6 * (s - s2) / h) * x1 + (3 * s2 - 2 * s) * v1;
}

// The same for rotations, as a product of three: R(s) = exp(s³ c) exp((3s² − 2s³) b) exp((1 − (1−s)³) a) R₀ with a = h ω₀/3, c = h ω₁/3 and
// exp(b) what is left of R₁R₀ᵀ. The ends and the angular velocities there are met exactly; b is small however fast the body spins.
void turn(double s, double h, const BodyState& begin, const BodyState& end, BodyState& out) {
  const Vec3 a = (h / 3) * begin.angular_velocity, c = (h / 3) * end.angular_velocity;
  const Quat all = end.orientation * begin.orientation.conjugate();
  const Vec3 b = log_rotation(normalized(exp_rotation(-1.0 * c) * all * exp_rotation(-1.0 * a)));
  const double r = 1 - s, ga = 1 - r * r * r, gb = (3 - 2 * s) * s * s, gc = s * s * s;
  const Quat ea = exp_rotation(ga * a), eb = exp_rotation(gb * b), ec = exp_rotation(gc * c);
  out.orientation = normalized(ec * eb * ea * begin.orientation);
  const Vec3 inner = (6 * (s - s * s) / h) * b + rotate(eb, (3 * r * r / h) * a);
  out.angular_velocity = (3 * s * s / h) * c + rotate(ec, inner);
}

void blend_form(double s, double h, const BodyState& begin, const BodyState& end, BodyState& out) {
  const OwnVector q0 = form_coordinates(begin), v0 = form_rates(begin), q1 = form_coordinates(end),
                  v1 = form_rates(end);
  OwnVector q{}, v{};
  for (std::size_t k = 0; k < q.size(); ++k) hermite(s, h, q0[k], v0[k], q1[k], v1[k], q[k], v[k]);
  set_form(q, v, out);
}

Ledger blend(double s, const Ledger& a, const Ledger& b) {
  const auto mix = [s](double x, double y) { return x + s * (y - x); };
  return {mix(a.motors, b.motors),   mix(a.actuators, b.actuators), mix(a.external, b.external),
          mix(a.damping, b.damping), mix(a.contacts, b.contacts),   mix(a.projection, b.projection)};
}

}  // namespace

void interpolate(const Model& model, const State& begin, const State& end, double time, State& out) {
  out = begin;
  out.time = time;
  out.clock = {};
  out.q.clear();  // the bodies are not where they say
  out.qd.clear();
  const double h = end.time - begin.time, s = std::clamp((time - begin.time) / h, 0.0, 1.0);
  for (std::size_t i = 0; i < out.bodies.size(); ++i) {
    const BodyState &a = begin.bodies[i], &b = end.bodies[i];
    BodyState& x = out.bodies[i];
    hermite(s, h, a.position, a.velocity, b.position, b.velocity, x.position, x.velocity);
    if (model.bodies[i].kind == BodyKind::form) {
      blend_form(s, h, a, b, x);
      continue;
    }
    if (model.bodies[i].kind != BodyKind::particle) turn(s, h, a, b, x);
    if (model.bodies[i].kind == BodyKind::scalable)
      hermite(s, h, a.scale, a.scale_velocity, b.scale, b.scale_velocity, x.scale, x.scale_velocity);
  }
  out.ledger = blend(s, begin.ledger, end.ledger);
}

SteppedRun::SteppedRun(Simulation& simulation, double end)
    : simulation_(&simulation), end_(end), begin_(simulation.state()) {}

StepReport SteppedRun::step() {
  begin_ = simulation_->state();
  return simulation_->step_towards(end_);
}

bool SteppedRun::done() const { return end_ - simulation_->time() <= simulation_->slack(); }

bool SteppedRun::is_end(double time) const {
  return std::abs(time - simulation_->time()) <= simulation_->slack() || !(simulation_->time() > begin_.time);
}

bool SteppedRun::covers(double time) const { return time <= simulation_->time() + simulation_->slack(); }

void SteppedRun::state_at(double time, State& out) {
  const State& now = simulation_->state();
  if (is_end(time)) {
    out = now;
    return;
  }
  if (simulation_->settings().method != Method::impulse) {
    const State kept = now;
    const long steps = simulation_->impl_->steps;
    const std::vector<JointEvent> events = simulation_->impl_->joint_events;
    simulation_->set_state(begin_);
    simulation_->advance_to(time);
    out = simulation_->state();
    simulation_->set_state(kept);
    simulation_->impl_->steps = steps;
    simulation_->impl_->joint_events = events;
    return;
  }
  interpolate(simulation_->model(), begin_, now, time, out);
  close(out);
}

void SteppedRun::close(State& state) {
  const double ends =
      std::max(simulation_->drift_of(begin_).scaled, simulation_->drift_of(simulation_->state()).scaled);
  const bool open = simulation_->drift_of(state).scaled > ends;
  if (open) simulation_->close(state);
  simulation_->count_turns(state);
  simulation_->impl_->stepper->invalidate();
}

}  // namespace catena
