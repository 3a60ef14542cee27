// Light bodies that heavy ones pull on swing too fast for the step. A joint's force f at an arm r turns a body back with a stiffness of about
// K = |r||f| (1 − r̂r̂ᵀ), and a rotation whose ω² = K/I is beyond 4/h² would grow from step to step. There the torque is taken where the step
// ends, θ½ + (h/2) ω + h dω:
//     (I + h² K) dω = h τ½ − (h²/2) K ω
// What the step cannot resolve is damped, as by the backward Euler method; bodies whose swing is resolved are left alone.
#include <algorithm>

#include "catena/step/spook.h"

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

// From the joints' impulses lambda_ of a step of h from `state`, at the positions of the kinematics. True when some inertia was raised.
bool SpookStepper::stiffen(double h, const State& state) {
  const Kinematics& kinematics = dynamics_.kinematics();
  joint_rows_.evaluate(*model_, kinematics);
  raise_.assign(model_->bodies.size(), Sym3{});
  std::size_t row = 0;
  while (row < joint_rows_.joint_of.size()) {
    const JointId id = joint_rows_.joint_of[row];
    const Joint& joint = model_->joints[id];
    Vec3 on_a{}, on_b{};
    for (; row < joint_rows_.joint_of.size() && joint_rows_.joint_of[row] == id; ++row)
      for (auto t = static_cast<std::size_t>(joint_rows_.start[row]);
           t < static_cast<std::size_t>(joint_rows_.start[row + 1]); ++t)
        (joint_rows_.body[t] == joint.a ? on_a : on_b) += (lambda_[row] / h) * joint_rows_.J[t].linear;
    if (joint.kind == JointKind::coupling) continue;
    const auto add = [&](BodyId body, const Vec3& anchor, const Vec3& force) {
      if (!body.valid() || model_->bodies[body].kind != BodyKind::rigid) return;
      const Vec3 arm = attach(kinematics[body], anchor).arm;
      const double length = norm(arm);
      if (length > 0) raise_[body] += across(h * h * length * norm(force), arm / length);
    };
    add(joint.a, joint.anchor_a, on_a);
    add(joint.b, joint.anchor_b, on_b);
  }
  bool any = false;
  for (std::size_t i = 0; i < raise_.size(); ++i) {
    const bool raised = trace(raise_[i]) > kResolved * trace(model_->bodies[i].inertia);
    any |= raised;
    stiff_.bodies[i].inertia = model_->bodies[i].inertia;
    damping_[i] = {};
    if (!raised) continue;
    stiff_.bodies[i].inertia += congruence(transpose(kinematics.R(BodyId(i))), raise_[i]);
    damping_[i].angular = -0.5 * (raise_[i] * state.bodies[i].angular_velocity);
  }
  return any;
}

// Makes the turns of the same bodies dearer still. To close the joints of a taut chain that is a little too short it must be its load that
// moves, by next to nothing: links that straighten instead run past straight, and Newton's method circles.
void SpookStepper::firm() {
  constexpr double kFirm = 1e4;
  for (std::size_t i = 0; i < raise_.size(); ++i)
    if (trace(raise_[i]) > kResolved * trace(model_->bodies[i].inertia))
      stiff_.bodies[i].inertia += kFirm * congruence(transpose(dynamics_.kinematics().R(BodyId(i))), raise_[i]);
}

}  // namespace catena
