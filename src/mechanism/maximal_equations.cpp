#include "catena/mechanism/maximal_equations.h"

namespace catena {
namespace {

std::size_t numbers_of_bodies(const Model& model) {
  std::size_t size = 0;
  for (const Body& body : model.bodies)
    size += visit(body.kind, [](auto kind) { return static_cast<std::size_t>(kind.kFlat); });
  return size;
}

Closing as_closing(const Drift& drift) {
  return {.closed = true, .position = drift.position, .angle = drift.angle, .worst = drift.worst};
}

}  // namespace

MaximalEquations::MaximalEquations(Dynamics& dynamics, Projection& projection, FactoredJoints& factored,
                                   const Closeness& closeness)
    : dynamics_(&dynamics),
      projection_(&projection),
      factored_(&factored),
      mechanism_(dynamics, projection, {}),
      closeness_(closeness),
      size_(numbers_of_bodies(dynamics.model())) {}

bool MaximalEquations::accelerations(const State& state, const Asked& asked) {
  if (!asked.factored) factored_->forget();
  return dynamics_->accelerations(state, asked.baumgarte, !asked.factored, asked.motion_only);
}

double* MaximalEquations::pack(const State& state, double* y) const {
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    y = visit(model().bodies[i].kind, [&](auto kind) { return kind.pack(state.bodies[i], y); });
  return y;
}

const double* MaximalEquations::unpack(const double* y, State& state) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    y = visit(model().bodies[i].kind, [&](auto kind) { return kind.unpack(y, state.bodies[i]); });
  return y;
}

double* MaximalEquations::rates(const State& state, double* dy) const {
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    dy = visit(model().bodies[i].kind, [&](auto kind) { return kind.rates(state.bodies[i], dynamics_->vdot[i], dy); });
  return dy;
}

void MaximalEquations::euler(double h, State& state) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyKind kind = model().bodies[i].kind;
    add_velocity(kind, h * dynamics_->vdot[i], state.bodies[i]);
    displace(kind, h * velocity_of(state.bodies[i]), state.bodies[i]);
  }
}

// By the smallest change of positions, then of velocities; the factorisation that takes is the one the next step begins with.
Closing MaximalEquations::close(State& state) {
  factored_->forget();
  const Drift left = projection_->positions(state, false, closeness_.iterations);
  Closing closing = as_closing(left);
  closing.closed = left.scaled <= closeness_.tolerance;
  if (!closing.closed) return closing;
  if (!projection_->velocities(state)) return {.closed = false, .worst = {}};
  factored_->note(state);
  return closing;
}

Closing MaximalEquations::drift(State& state) { return as_closing(projection_->drift(state)); }

void MaximalEquations::remember_angles(State& state) {
  kinematics().update(model(), state);
  dynamics_->coordinates().remember(model(), kinematics(), state);
}

}  // namespace catena
