#include "catena/mechanism/geometric_stiffness.h"

namespace catena {
namespace {

constexpr double kResolved = 1;  // h² K over the inertia: with less a body swings slowly enough as it is

// k (1 − uuᵀ).
Sym3 across(double k, const Vec3& u) {
  return {k * (1 - u.x * u.x), k * (1 - u.y * u.y), k * (1 - u.z * u.z),
          -k * u.x * u.y,      -k * u.x * u.z,      -k * u.y * u.z};
}

double trace(const Sym3& a) { return a.xx + a.yy + a.zz; }

}  // namespace

GeometricStiffness::GeometricStiffness(const Model& model)
    : model_(&model), added_(model.bodies.size()), raised_(model.bodies.size()), damping_(model.bodies.size()) {}

bool GeometricStiffness::evaluate(double h, const Kinematics& kinematics, const RowSet& rows,
                                  std::span<const double> lambda, const std::vector<BodyVector>& before) {
  added_.assign(model_->bodies.size(), Sym3{});
  std::size_t row = 0;
  while (row < rows.joint_of.size()) {
    const JointId id = rows.joint_of[row];
    const Joint& joint = model_->joints[id];
    Vec3 on_a{}, on_b{};
    for (; row < rows.joint_of.size() && rows.joint_of[row] == id; ++row)
      for (auto t = static_cast<std::size_t>(rows.start[row]); t < static_cast<std::size_t>(rows.start[row + 1]); ++t)
        (rows.body[t] == joint.a ? on_a : on_b) += (lambda[row] / h) * rows.J[t].linear;
    if (joint.kind == JointKind::coupling) continue;
    const auto add = [&](BodyId body, const Vec3& anchor, const Vec3& force) {
      if (!body.valid() || model_->bodies[body].kind != BodyKind::rigid) return;
      const Vec3 arm = attach(kinematics[body], anchor).arm;
      const double length = norm(arm);
      if (length > 0) added_[body] += across(h * h * length * norm(force), arm / length);
    };
    add(joint.a, joint.anchor_a, on_a);
    add(joint.b, joint.anchor_b, on_b);
  }
  bool any = false;
  for (std::size_t i = 0; i < added_.size(); ++i) {
    raised_[i] = trace(added_[i]) > kResolved * trace(model_->bodies[i].inertia);
    any |= raised_[i] != 0;
    damping_[i] = {};
    if (raised_[i]) damping_[i].angular = -0.5 * (added_[i] * before[i].angular);
  }
  return any;
}

void GeometricStiffness::raise(Kinematics& kinematics, double factor) const {
  for (std::size_t i = 0; i < added_.size(); ++i)
    if (raised_[i]) kinematics.add_inertia(BodyId(i), factor * added_[i]);
}

}  // namespace catena
