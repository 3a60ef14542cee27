#include "catena/mechanism/mechanism.h"

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
  Rows rows;
  for (std::size_t j = 0; j < inertia_.size(); ++j) {
    if (inertia_[j] == JointArray{}) continue;
    const Joint& joint = model().joints[j];
    dynamics_->coordinates().evaluate(model(), kinematics(), JointId(j), rows);
    for (int k = 0; k < rows.count; ++k) {
      const Row& row = rows[k];
      const double speed =
          velocity(row, joint.a.valid() ? dv[joint.a] : BodyVector{}, joint.b.valid() ? dv[joint.b] : BodyVector{});
      const double force = -inertia_[j][static_cast<std::size_t>(k)] * speed;
      if (joint.a.valid()) f[joint.a] += force * row.a;
      if (joint.b.valid()) f[joint.b] += force * row.b;
    }
  }
}

double Mechanism::energy(const State& state) {
  return dynamics_->kinetic_energy(state) +
         dynamics_->forces().potential(model(), kinematics(), dynamics_->coordinates());
}

}  // namespace catena
