#include "catena/mechanism/mechanism.h"

#include <algorithm>

namespace catena {

Mechanism::Mechanism(Dynamics& dynamics)
    : dynamics_(&dynamics),
      before_(dynamics.model().bodies.size()),
      free_(before_.size()),
      motion_(before_.size()),
      change_(before_.size()) {}

void Mechanism::set_before(const State& state) {
  for (std::size_t i = 0; i < before_.size(); ++i)
    before_[i] = restricted(model().bodies[i].kind, velocity_of(state.bodies[i]));
}

void Mechanism::set_inertia(std::span<const JointArray> inertia) { inertia_.assign(inertia.begin(), inertia.end()); }

void Mechanism::subtract_inertia(const std::vector<BodyVector>& dv, std::vector<BodyVector>& f) const {
  for (std::size_t j = 0; j < inertia_.size(); ++j) {
    if (inertia_[j] == JointArray{}) continue;
    const Joint& joint = model().joints[j];
    const std::span<const Row> rows = dynamics_->coordinates().evaluate(model(), kinematics(), JointId(j));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Row& row = rows[k];
      const double speed =
          velocity(row, joint.a.valid() ? dv[joint.a] : BodyVector{}, joint.b.valid() ? dv[joint.b] : BodyVector{});
      const double force = -inertia_[j][k] * speed;
      if (joint.a.valid()) f[joint.a] += force * row.a;
      if (joint.b.valid()) f[joint.b] += force * row.b;
    }
  }
}

double Mechanism::gyration_change(double h) const {
  double most = 0;
  for (std::size_t i = 0; i < change_.size(); ++i) {
    const double change = norm(change_[i].angular), spin = norm(before_[i].angular);
    most = std::max(most, h * change * (spin + change));
  }
  return most;
}

const Mechanism::Energy& Mechanism::energy() {
  if (energy_of_ != kinematics().stamp()) {
    energy_ = {dynamics_->kinetic_energy(),
               dynamics_->forces().potential(model(), kinematics(), dynamics_->coordinates())};
    energy_of_ = kinematics().stamp();
  }
  return energy_;
}

}  // namespace catena
