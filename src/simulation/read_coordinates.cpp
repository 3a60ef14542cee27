// Coordinates and rates of a state, as Layout has them.
#include "catena/math/scalar.h"
#include "catena/primary/coordinates.h"
#include "catena/simulation/simulation_impl.h"

namespace catena {
namespace {

void put_carried(std::span<const CarriedCoordinate> carried, const Layout& layout, const State& state, double* q,
                 double* v) {
  for (const CarriedCoordinate& c : carried) {
    const Layout::Slot& slot = layout.of(c.joint);
    q[slot.q + c.coordinate] = c.counts ? state.joint_angles[c.joint][at(c.coordinate)] : state.q[at(c.q)] + c.offset;
    v[slot.v + c.coordinate] = state.qd[at(c.v)];
  }
}

void put_floating(const Layout& layout, const State& state, double* q, double* v) {
  for (std::size_t i = 0; i < layout.floating().size(); ++i) {
    const BodyState& body = state.bodies[layout.floating()[i]];
    const Layout::Slot& slot = layout.of_floating(i);
    put(body.position, q + slot.q);
    put(body.orientation, q + slot.q + 3);
    put(body.velocity, v + slot.v);
    put(body.angular_velocity, v + slot.v + 3);
  }
}

}  // namespace

// What the state carries is taken as it is, a function of the state alone: a state that is restored reads the same. False: nothing is carried.
bool Simulation::Impl::take_carried_coordinates() {
  if (stepper->carried().empty() || state.q.empty() || running_copy || !state.attachments.empty()) return false;
  put_carried(stepper->carried(), layout, state, coordinates.q.data(), coordinates.v.data());
  return true;
}

bool Simulation::Impl::read_carried(const State& from, double* q, double* v) const {
  if (!coordinates.to_read.empty() || (from.q.empty() && !zero.joints().empty()) || running_copy ||
      !from.attachments.empty())
    return false;
  put_carried(stepper->carried(), layout, from, q, v);
  put_floating(layout, from, q, v);
  return true;
}

void Simulation::Impl::read_coordinates() {
  if (coordinates.fresh) return;
  const std::vector<JointId>& joints = take_carried_coordinates() ? coordinates.to_read : zero.joints();
  if (!joints.empty()) coordinates.kinematics_of(*model).update(*model, state);
  put_floating(layout, state, coordinates.q.data(), coordinates.v.data());
  for (const JointId id : joints) {
    const Joint& joint = joint_now(id);
    const Layout::Slot& slot = layout.of(id);
    const std::span<const Row> rows = read_joint(*coordinates.kinematics, id);
    for (int k = 0; k < static_cast<int>(rows.size()); ++k) {
      if (joint.kind != JointKind::ball) coordinates.q[at(slot.q + k)] = rows[at(k)].phi;
      coordinates.v[at(slot.v + k)] = rate(*coordinates.kinematics, joint, rows[at(k)]);
    }
    if (joint.kind != JointKind::ball) continue;
    const auto frame = [&](BodyId body, const Quat& own) {
      return body.valid() ? state.bodies[body].orientation * own : own;
    };
    put(normalized(frame(joint.a, joint.frame_a).conjugate() * frame(joint.b, joint.frame_b)),
        coordinates.q.data() + slot.q);
  }
  coordinates.fresh = true;
}

}  // namespace catena
