#include "catena/mechanism/held_rows.h"

#include <algorithm>
#include <cmath>

namespace catena {

HeldRows::HeldRows(const ReducedModel& model) : model_(&model.model()), loops_(*model_, model.forest().auxiliary) {
  if (!loops_.workless())
    throw InputError("a coupling pushes through other terms than it holds: joint coordinates do not do that");
  start = loops_.start;
  body = loops_.body;
  joint = loops_.joint_of;
  for (std::size_t i = 0; i < joint.size(); ++i) row.push_back(i > 0 && joint[i] == joint[i - 1] ? row.back() + 1 : 0);
  for (const ReducedNode& node : model.nodes()) {
    if (!node.joint.valid() || !model_->extras_of(model_->joints[node.joint]).motor) continue;
    motors_.push_back(node.joint);
    joint.push_back(node.joint);
    row.push_back(dimension(model_->joints[node.joint]));  // a joint's motor comes last
    const Joint& driven = model_->joints[node.joint];
    if (driven.a.valid()) body.push_back(driven.a);
    if (driven.b.valid()) body.push_back(driven.b);
    start.push_back(static_cast<int>(body.size()));
  }
  drives_ = !motors_.empty() || std::any_of(loops_.joints.begin(), loops_.joints.end(), [&](JointId id) {
    return prescribes_velocity(*model_, model_->joints[id]);
  });
  J.resize(body.size());
  u.resize(joint.size());
  phi.resize(joint.size());
  c.resize(joint.size());
  holonomic.resize(joint.size());
}

void HeldRows::evaluate(const Kinematics& kinematics) {
  loops_.evaluate(*model_, kinematics);
  std::copy(loops_.J.begin(), loops_.J.end(), J.begin());
  const auto loops = static_cast<std::size_t>(loops_.rows());
  for (std::size_t i = 0; i < loops; ++i) {
    u[i] = loops_.u[i];
    c[i] = loops_.c[i];
    holonomic[i] = loops_.holonomic[i] ? 1 : 0;
    phi[i] = holonomic[i] ? loops_.phi[i] : 0;
  }
  Rows rows;
  for (std::size_t k = 0; k < motors_.size(); ++k) {
    const Joint& driven = model_->joints[motors_[k]];
    joint_rows(*model_, driven, kinematics, rows);
    const Row& motor = rows[rows.count - 1];
    auto term = static_cast<std::size_t>(start[loops + k]);
    if (driven.a.valid()) J[term++] = restricted(model_->bodies[driven.a].kind, motor.a);
    if (driven.b.valid()) J[term] = restricted(model_->bodies[driven.b].kind, motor.b);
    u[loops + k] = motor.u;
    c[loops + k] = motor.c;
    phi[loops + k] = 0;
  }
}

double HeldRows::times(int i, const std::vector<BodyVector>& v) const {
  double sum = 0;
  const auto r = static_cast<std::size_t>(i);
  for (auto t = static_cast<std::size_t>(start[r]); t < static_cast<std::size_t>(start[r + 1]); ++t)
    sum += dot(J[t], v[body[t]]);
  return sum;
}

void HeldRows::add_force(int i, double impulse, std::vector<BodyVector>& f) const {
  const auto r = static_cast<std::size_t>(i);
  for (auto t = static_cast<std::size_t>(start[r]); t < static_cast<std::size_t>(start[r + 1]); ++t)
    f[body[t]] += impulse * J[t];
}

bool HeldRows::is_angle(std::size_t i) const {
  return std::all_of(J.begin() + start[i], J.begin() + start[i + 1],
                     [](const BodyVector& term) { return term.linear == Vec3{}; });
}

HeldRows::Gap HeldRows::gap(double size) const {
  Gap worst;
  for (std::size_t i = 0; i < phi.size(); ++i) {
    const double scaled = std::abs(phi[i]) / (is_angle(i) ? 1 : size);
    if (!(scaled <= worst.scaled)) worst = {scaled, joint[i]};
  }
  return worst;
}

}  // namespace catena
