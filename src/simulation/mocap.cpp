// Bodies that are led by hand: a weld whose frame goes where the user says (FrameMotion::guide, State::guides).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/constraint/joint_rows.h"
#include "catena/constraint/moving_frame.h"
#include "catena/simulation/simulation_impl.h"

namespace catena {
namespace {}  // namespace

JointId Simulation::Impl::guided_joint(BodyId body) const {
  check(body, "mocap");
  const auto leads = [&](JointId id) { return model->joints[id].b == body; };
  const auto found = std::find_if(guided.begin(), guided.end(), leads);
  if (found == guided.end())
    throw InputError(fmt::format("body '{}' is not led by hand: it has no joint with moves: guided (in MJCF: mocap)",
                                 model->bodies[body].name));
  return *found;
}

// Frames that begin to move or come to rest change the velocities of what they lead: the smallest change in the metric of the mass matrix that lets
// all of them satisfy the joints. The state alone decides when that is needed, so that a restored one goes on alike.
std::string Simulation::Impl::follow_guides() {
  if (state.guides.empty()) return {};
  constexpr double kFits = 1e-9;  // m/s or rad/s, or that part of what is asked for
  Dynamics& dynamics = stepper->dynamics();
  Kinematics& kinematics = dynamics.kinematics();
  kinematics.update(running(), state);
  bool fits = true;
  Rows rows;
  for (const JointId id : guided) {
    const Joint& joint = running().joints[id];
    if (is_open(id)) continue;
    joint_rows(running(), joint, kinematics, rows);
    for (int k = 0; k < rows.count; ++k) {
      const double missing = rows[k].u - rate(kinematics, joint, rows[k]);
      fits = fits && std::abs(missing) <= kFits * std::max(1.0, std::abs(rows[k].u));
    }
  }
  if (fits) return {};
  const double before = dynamics.kinetic_energy(state);
  if (!stepper->projection().velocities(state)) return "the joints of a body that is led by hand cannot be factored";
  state.ledger.motors += dynamics.kinetic_energy(state) - before;
  state.q.clear();
  state.qd.clear();
  stepper->invalidate();
  changed();
  return {};
}

void Simulation::set_mocap(BodyId body, const Vec3& position, const Quat& orientation, double over) {
  const JointId id = impl_->guided_joint(body);
  if (!finite(position) || !finite(orientation.vec()) || !(norm(orientation) > 0) || !(over >= 0) ||
      !std::isfinite(over) || !std::isfinite(orientation.w))
    throw InputError(
        fmt::format("set_mocap('{}'): a finite position, an orientation that is not zero and a time that "
                    "is not negative are needed",
                    impl_->model->bodies[body].name));
  const Joint& joint = impl_->model->joints[id];
  State& state = impl_->state;
  if (state.guides.empty()) {
    // All stand where the model has them.
    state.guides.resize(impl_->guided.size());
    for (const JointId each : impl_->guided) {
      const Joint& own = impl_->model->joints[each];
      Guide& still = state.guides[static_cast<std::size_t>(impl_->model->extras_of(own).moves->guide)];
      still.from = still.to = own.anchor_a;
      still.start = own.frame_a;
    }
  }
  Guide& guide = state.guides[static_cast<std::size_t>(impl_->model->extras_of(joint).moves->guide)];
  // What is asked for is the pose of the body's own frame in the coordinates of body a (the world); the joint's frame B is fixed in the body.
  const Body& led = impl_->model->bodies[body];
  const Quat turned = normalized(orientation);
  const FramePose now = guided_at(guide, state.time).pose;
  guide.since = state.time;
  guide.until = state.time + (over > 0 ? over : impl_->settings.step);
  guide.from = now.anchor;
  guide.start = now.frame;
  guide.to = position + rotate(turned, joint.anchor_b - led.origin);
  guide.turn = log_rotation(normalized(turned * joint.frame_b * now.frame.conjugate()));
  impl_->changed();
}

void Simulation::set_mocap(std::string_view body, const Vec3& position, const Quat& orientation, double over) {
  set_mocap(body_id(body), position, orientation, over);
}

std::pair<Vec3, Quat> Simulation::mocap(BodyId body) const {
  const Joint& joint = impl_->model->joints[impl_->guided_joint(body)];
  FramePose goal{joint.anchor_a, joint.frame_a};
  if (!impl_->state.guides.empty()) {
    const Guide& guide = impl_->state.guides[static_cast<std::size_t>(impl_->model->extras_of(joint).moves->guide)];
    goal = guided_at(guide, guide.until).pose;
  }
  const Quat q = normalized(goal.frame * joint.frame_b.conjugate());
  return {goal.anchor - rotate(q, joint.anchor_b - impl_->model->bodies[body].origin), q};
}

}  // namespace catena
