#include "catena/mechanism/reduced_flight.h"

#include <algorithm>
#include <cmath>

#include "catena/mechanism/rotation_vector.h"
#include "catena/primary/coordinates.h"

namespace catena {

ReducedFlight::ReducedFlight(Dynamics& dynamics, double size, const JointTuning& tuning)
    : Flight(dynamics),
      size_(size),
      mechanism_(dynamics, size, true, tuning),
      takes_rotors_(mechanism_.take_rotors()),
      ahead_{Kinematics(dynamics.model()), HeldRows(mechanism_.tree())},
      begin_(mechanism_.tree()),
      flying_(mechanism_.tree()),
      f_(dynamics.model().bodies.size()),
      p_(f_.size()),
      rates_(static_cast<std::size_t>(mechanism_.tree().n_v())),
      b_(static_cast<std::size_t>(rows())) {
  flying_.set_freedom_inertia(mechanism_.rate_inertia());
  stages_.along.resize(rates_.size());
  for (Slope& slope : stages_.slopes) {
    slope.q.resize(rates_.size());
    slope.v.resize(rates_.size());
  }
}

VelocityChange ReducedFlight::still() const {
  return {std::vector<BodyVector>(f_.size()), std::vector<double>(rates_.size())};
}

bool ReducedFlight::factor(State& state) {
  mechanism_.place(state);
  mechanism_.hold();
  return true;
}

// ------------------------------------------------------------------------------------------------------------------ flight

void ReducedFlight::start(double h, std::span<const BodyVector> f) {
  h_ = h;
  std::copy(f.begin(), f.end(), f_.begin());
  start_.q = kinematics().state().q;
  start_.v = kinematics().state().qd;
  if (rows() > 0) begin_.evaluate(kinematics());
}

// y ← y + h (k₁ + 2 k₂ + 2 k₃ + k₄)/6 of the coordinates, on their manifold, and their rates.
void ReducedFlight::fly(std::span<const double> dv) {
  constexpr std::array<double, 4> kAt = {0, 0.5, 0.5, 1}, kWeight = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const ReducedModel& tree = mechanism_.tree();
  auto& [first, now, slopes, along] = stages_;
  first = start_;
  for (std::size_t i = 0; i < dv.size(); ++i) first.v[i] += dv[i];
  std::fill(along.begin(), along.end(), 0.0);
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    now = first;
    if (k > 0) {
      along = slopes[k - 1].q;
      tree.integrate(kAt[k] * h_, along, now.q);
      for (std::size_t i = 0; i < now.v.size(); ++i) now.v[i] += kAt[k] * h_ * slopes[k - 1].v[i];
    }
    find_slope(kAt[k] * h_, slopes[k]);
  }
  now = first;
  for (std::size_t i = 0; i < along.size(); ++i) {
    along[i] = 0;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      along[i] += kWeight[k] * slopes[k].q[i];
      now.v[i] += kWeight[k] * h_ * slopes[k].v[i];
    }
  }
  tree.integrate(h_, along, now.q);
}

// At the stage, whose coordinates are those at the start moved along for t.
void ReducedFlight::find_slope(double t, Slope& slope) {
  flying_.update(stages_.now);
  flying_.forward({}, f_, {}, slope.v);
  slope.q = stages_.now.v;
  for (const ReducedNode& node : mechanism_.tree().nodes()) {
    if (node.mobility != Mobility::free && node.mobility != Mobility::ball) continue;
    const int turn = node.v + (node.mobility == Mobility::free ? 3 : 0);
    put(dexp_inverse(t * vector_at(stages_.along.data() + turn), vector_at(stages_.now.v.data() + turn)),
        slope.q.data() + turn);
  }
}

void ReducedFlight::find_positions(const VelocityChange& dv, State& out) {
  fly(dv.rates);
  const JointState& end = stages_.now;
  flying_.update(end);
  flying_.bodies(out.bodies);
  out.q = end.q;
  out.qd = end.v;
  mechanism_.write_angles(end, out);
  if (rows() == 0) return;
  ahead_.kinematics.update(model(), out);
  ahead_.held.evaluate(ahead_.kinematics);
}

void ReducedFlight::arrive(State& predicted, State& state) {
  state.bodies.swap(predicted.bodies);
  state.q.swap(predicted.q);
  state.qd.swap(predicted.qd);
}

// ------------------------------------------------------------------------------------------------------------- constraints

void ReducedFlight::read_gaps(const HeldRows& held, std::span<double> b) {
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = -held.phi[i];
}

void ReducedFlight::speeds(std::span<double> b) {
  const HeldRows& held = mechanism_.held();
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = held.u[i] - held.times(static_cast<int>(i), mechanism_.before());
}

void ReducedFlight::mean_gaps(double h, const VelocityChange& dv, const State& state, State& predicted,
                              std::span<double> b) {
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!begin_.holonomic[i]) b[i] = 0.5 * h * lacking_at_both_ends(begin_, ahead_.held, i, state, dv, predicted);
}

Drift ReducedFlight::read(std::span<const double> b) const {
  const HeldRows& held = mechanism_.held();
  Drift drift;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const bool turns = held.is_angle(i);
    double& most = turns ? drift.angle : drift.position;
    most = std::max(most, std::abs(b[i]));
    const double scaled = std::abs(b[i]) / (turns ? 1 : size_);
    if (scaled <= drift.scaled) continue;
    drift.scaled = scaled;
    drift.worst = held.joint[i];
  }
  return drift;
}

double ReducedFlight::motor_work(std::span<const double> x) const {
  double work = 0;
  for (std::size_t i = 0; i < x.size(); ++i) work += x[i] * mechanism_.held().u[i];
  return work;
}

// ---------------------------------------------------------------------------------------------------------------- impulses

void ReducedFlight::solve(std::span<const double> b, VelocityChange& y, std::span<double> x) {
  y.clear();
  if (rows() == 0) return;
  mechanism_.move_held(b, y.rates, x);
  complete(y);
}

// The forest first; what this moves the held rows by, their impulses take back.
void ReducedFlight::respond(const LawRows& laws, const solve::Vector& z, VelocityChange& dv) {
  std::fill(p_.begin(), p_.end(), BodyVector{});
  add_forces(laws, z, 0, p_);
  respond_freely(p_, dv);
  if (rows() == 0) return;
  for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = -mechanism_.held().times(static_cast<int>(i), dv.bodies);
  mechanism_.move_held(b_, rates_, {});
  for (std::size_t i = 0; i < rates_.size(); ++i) dv.rates[i] += rates_[i];
  complete(dv);
}

void ReducedFlight::respond_freely(std::span<const BodyVector> p, VelocityChange& dv) {
  mechanism_.system().respond(p, dv.rates);
  complete(dv);
}

// -------------------------------------------------------------------------------------------------------------- velocities

void ReducedFlight::add(const VelocityChange& dv, State& state) {
  for (std::size_t i = 0; i < rates_.size(); ++i) rates_[i] = mechanism_.rates()[i] + dv.rates[i];
  mechanism_.set_rates(rates_, state);
}

// With the rotors.
double ReducedFlight::energy_gained(const VelocityChange& dv, const State& state) const {
  double energy = Flight::energy_gained(dv, state);
  for (std::size_t i = 0; i < dv.rates.size(); ++i)
    energy += mechanism_.rate_inertia()[i] * dv.rates[i] * (mechanism_.rates()[i] + 0.5 * dv.rates[i]);
  return energy;
}

double ReducedFlight::energy(const State& state) {
  return mechanism_.is_placed(state) ? mechanism_.energy().total() : dynamics_->energy(state);
}

}  // namespace catena
