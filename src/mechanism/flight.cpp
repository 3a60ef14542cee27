#include "catena/mechanism/flight.h"

#include <algorithm>
#include <cmath>

namespace catena {

void VelocityChange::clear() {
  std::fill(bodies.begin(), bodies.end(), BodyVector{});
  std::fill(rates.begin(), rates.end(), 0.0);
}

void VelocityChange::operator+=(const VelocityChange& other) {
  for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i] += other.bodies[i];
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] += other.rates[i];
}

void VelocityChange::operator*=(double factor) {
  for (BodyVector& v : bodies) v = factor * v;
  for (double& rate : rates) rate *= factor;
}

double VelocityChange::size() const {
  double sum = 0;
  for (const BodyVector& v : bodies) sum += dot(v, v);
  return std::sqrt(sum);
}

double Flight::energy_gained(const VelocityChange& dv, const State& state) const {
  double energy = 0;
  for (std::size_t i = 0; i < dv.bodies.size(); ++i) {
    const BodyVector own = restricted(model().bodies[i].kind, dv.bodies[i]);
    energy += dot(kinematics().M(BodyId(i)) * own, velocity_of(state.bodies[i]) + 0.5 * own);
  }
  return energy;
}

}  // namespace catena
