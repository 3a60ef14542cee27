// A Simulation whose joints attach and let go (switching.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/simulation/simulation_impl.h"

namespace catena {
namespace {

bool same(const Vec3& a, const Vec3& b) { return a == b; }

// Whether both let the same model move.
bool move_alike(const std::vector<Attachment>& a, const std::vector<Attachment>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Attachment& x, const Attachment& y) {
    return x.attached == y.attached && (x.attachings > 0) == (y.attachings > 0) && same(x.shift, y.shift) &&
           same(x.turn, y.turn) &&
           (same(x.shift, {}) && same(x.turn, {}) ? true : x.since == y.since && x.over == y.over);
  });
}

bool starts_alike(const std::vector<BodyState>& a, const std::vector<BodyState>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const BodyState& x, const BodyState& y) {
    return x.position == y.position && x.orientation.vec() == y.orientation.vec() && x.orientation.w == y.orientation.w;
  });
}

}  // namespace

std::span<const Row> Simulation::Impl::read_joint(const Kinematics& kinematics, JointId joint) const {
  const bool open = is_open(joint) || !running_zero;
  return (open ? zero : *running_zero).evaluate(open ? *model : running(), kinematics, joint);
}

// Where joints have their `start`, as the state has recorded the last switch and the frames that are led by hand.
State Simulation::Impl::start_of_stepper() const {
  State start = *assembled_start;
  start.attachments = state.attachments;
  start.guides = state.guides;
  if (!state.switched.empty()) {
    start.bodies = state.switched;
    start.time = state.switched_time;
  }
  return start;
}

// Whatever happens before is of no consequence for how the stepper goes on: it is built from the state's own record of the last switch.
void Simulation::Impl::build_stepper() {
  const SharedState start = state.attachments.empty() && state.guides.empty() && state.switched.empty()
                              ? assembled_start
                              : SharedState(start_of_stepper());
  std::unique_ptr<const Model> next;
  if (!state.attachments.empty()) next = std::make_unique<const Model>(running_model(*model, state.attachments, zero));
  std::unique_ptr<Stepper> fresh = std::make_unique<Stepper>(next ? *next : *model, start, settings);
  if (stepper) {
    // What the user set goes on, at the same place in memory: spans of it stay good.
    Forces &from = stepper->dynamics().forces(), &to = fresh->dynamics().forces();
    to.joint_force = std::move(from.joint_force);
    to.body_force = std::move(from.body_force);
    to.user_forces = from.user_forces;
    to.control = std::move(from.control);
    to.acting = std::move(from.acting);
    to.point_forces = std::move(from.point_forces);
  }
  stepper = std::move(fresh);
  stepper->stop_when(stop_flag);
  running_copy = std::move(next);
  running_zero.reset();
  if (running_copy) {
    Kinematics kinematics(*running_copy);
    kinematics.update(*running_copy, *start);
    running_zero.emplace(*running_copy, kinematics);
    running_zero->part_from_kinematics();
  }
  running_attachments = state.attachments;
  running_start = state.switched;
  coordinates.to_read.clear();
  for (const JointId joint : zero.joints()) {
    const auto is_own = [joint](const CarriedCoordinate& c) { return c.joint == joint; };
    if (std::ranges::none_of(stepper->carried(), is_own)) coordinates.to_read.push_back(joint);
  }
  changed();
}

void Simulation::Impl::follow_state() {
  if (state.attachments.empty() && running_attachments.empty()) return;
  if (!move_alike(state.attachments, running_attachments) || !starts_alike(state.switched, running_start))
    build_stepper();
}

bool Simulation::Impl::open_in_forest() const {
  for (std::size_t j = 0; j < state.attachments.size(); ++j)
    if (const JointId joint(j); layout.is_of_forest(joint) && is_open(joint)) return true;
  return false;
}

std::string Simulation::Impl::set_attached(JointId id, bool attached) {
  if (is_open(id) != attached) return {};
  const State before = state;
  const Joint& joint = model->joints[id];
  const Switching rule = model->extras_of(joint).switching.value_or(Switching{});
  Energy energy{stepper->dynamics().kinetic_energy(state), stepper->dynamics().potential_energy(state), {}};
  if (state.attachments.empty()) state.attachments.resize(model->joints.size());
  Attachment& attachment = state.attachments[id];
  attachment.attached = attached ? 1 : 0;
  attachment.since = state.time;
  attachment.shift = attachment.turn = {};
  JointEvent event{state.time, id, attached, {}};
  if (attached) {
    ++attachment.attachings;
    attachment.over = rule.over;
    if (rule.pose == Switching::Pose::keep || rule.over > 0) {
      const bool keep = rule.pose == Switching::Pose::keep;
      const FrameGap gap = keep ? frame_gap(*model, joint, state) : closing_gap(*model, joint, state);
      attachment.shift = gap.shift;
      attachment.turn = gap.turn;
    }
    const Closed closed = close_joints(running_model(*model, state.attachments, zero), id, settings, state);
    if (!closed.fault.empty()) {
      state = before;
      return closed.fault;
    }
    event.impulse = closed.impulse;
    state.ledger.projection += closed.displacement;
    energy.potential += closed.displacement;
  }
  state.rests.clear();  // whoever sleeps wakes
  state.switched = state.bodies;
  state.switched_time = state.time;
  state.q.clear();
  state.qd.clear();
  try {
    build_stepper();
  } catch (const InputError& error) {
    state = before;
    return error.what();
  }
  state.ledger.contacts += stepper->dynamics().kinetic_energy(state) + stepper->dynamics().potential_energy(state) -
                           energy.kinetic - energy.potential;
  joint_events.push_back(event);
  return {};
}

std::string Simulation::Impl::switch_joints() {
  for (const JointId id : switching)
    if (std::string fault = switch_joint(id); !fault.empty()) return fmt::format("t = {}: {}", state.time, fault);
  return {};
}

std::string Simulation::Impl::switch_joint(JointId id) {
  const Joint& joint = model->joints[id];
  static const Switching kNone;
  const std::optional<Switching>& given = model->extras_of(joint).switching;
  const Switching& rule = given ? *given : kNone;
  while (const auto due = next_scheduled(rule, state.attachments[id].scheduled)) {
    if (due->time > state.time + slack()) break;
    if (std::string fault = set_attached(id, due->attach); !fault.empty()) return fault;
    ++state.attachments[id].scheduled;
    ++running_attachments[id].scheduled;
  }
  const Attachment& now = state.attachments[id];
  if (now.attached == 0) {
    const bool near = rule.within && now.attachings == 0 && norm(frame_gap(*model, joint, state).shift) <= *rule.within;
    return near ? set_attached(id, true) : std::string();
  }
  if (now.over > 0 && now.attachings > 0 && state.time >= now.since + now.over - slack() &&
      !(same(now.shift, {}) && same(now.turn, {}))) {
    state.attachments[id].shift = state.attachments[id].turn = {};
    state.switched = state.bodies;
    state.switched_time = state.time;
    state.q.clear();
    state.qd.clear();
    build_stepper();
  }
  if (!(rule.force || rule.torque) || !(state.time > now.since || now.attachings == 0)) return {};
  evaluate();
  const Spatial reaction = stepper->dynamics().reaction(id);
  const bool breaks =
      (rule.force && norm(reaction.linear) > *rule.force) || (rule.torque && norm(reaction.angular) > *rule.torque);
  return breaks ? set_attached(id, false) : std::string();
}

// The next time at which a schedule asks for something, no later than `time`.
double Simulation::Impl::next_switch(double time) const {
  double next = time;
  const auto take = [&](double at) {
    if (at > state.time + slack() && at < next - slack()) next = at;
  };
  for (const JointId id : switching) {
    const std::optional<Switching>& rule = model->extras_of(model->joints[id]).switching;
    const Attachment& now = state.attachments[id];
    if (rule)
      if (const auto due = next_scheduled(*rule, now.scheduled)) take(due->time);
    if (now.over > 0 && now.attached != 0 && now.attachings > 0) take(now.since + now.over);
  }
  for (const Guide& guide : state.guides) take(guide.until);
  return next;
}

bool Simulation::JointView::attached() const { return !impl_->is_open(id_); }

void Simulation::JointHandle::attach() {
  if (const std::string fault = impl_->set_attached(id_, true); !fault.empty()) throw InputError(fault);
}

void Simulation::JointHandle::detach() { impl_->set_attached(id_, false); }

}  // namespace catena
