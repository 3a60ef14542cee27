// What laws hold of joints: limits, dry friction, motors of limited force, compliance.
#include <algorithm>
#include <cmath>
#include <span>

#include "catena/constraint/basic_rows.h"
#include "catena/laws/joint_law_key.h"
#include "catena/laws/laws.h"
#include "catena/laws/rope.h"

namespace catena {

void Laws::add_lawful(JointId id) {
  const Joint& joint = model_->joints[id];
  const JointExtras& extras = model_->extras_of(joint);
  Lawful lawful{id,
                joint.kind != JointKind::ball && !is_rope(joint, extras) && !(extras.motor && extras.motor->max_force),
                stops_.size(), 0};
  for (int k = 0; k < coordinate_count(joint) && lawful.limits_only; ++k) {
    const CoordinateLaw law = coordinate_law(joint, extras, k);
    lawful.limits_only = law.friction == 0;
    if (law.limits) stops_.push_back({k, law.limits->lower, law.limits->upper});
  }
  lawful.count = stops_.size() - lawful.first;
  joints_.push_back(lawful);
}

// Whether limits are the only law on a joint's coordinates, and all of them too far away to count.
bool Laws::is_far_from_limits(const JointCoordinates& coordinates, const Kinematics& kinematics,
                              const Lawful& lawful) const {
  if (!lawful.limits_only) return false;
  for (std::size_t i = lawful.first; i < lawful.first + lawful.count; ++i) {
    const Stop& stop = stops_[i];
    const auto [value, rate] = coordinates.at(*model_, kinematics, lawful.joint, stop.coordinate);
    const double gap = std::min(value - stop.lower, stop.upper - value);
    if (!(gap > std::max(choices_.far_limit, 4 * ahead_ * std::abs(rate)))) return false;
  }
  return true;
}

void Laws::add_joint(const Kinematics& kinematics, const Lawful& lawful) {
  const JointId id = lawful.joint;
  const JointCoordinates& coordinates = shared_ != nullptr && shared_->has(id) ? *shared_ : coordinates_;
  const bool far = is_far_from_limits(coordinates, kinematics, lawful);
  const Joint& joint = model_->joints[id];
  const JointExtras& extras = model_->extras_of(joint);
  if (far && extras.compliance == 0) return;
  double restitution = 0;
  const auto add = [&](LawKind kind, const Row& along_row, double sign, double gap, double force, int number = 0) {
    LawBlock block{.kind = kind,
                   .a = joint.a,
                   .b = joint.b,
                   .first = static_cast<int>(rows_.rows.size()),
                   .size = 1,
                   .source = id.value(),
                   .gap = gap,
                   .restitution = kind == LawKind::limit ? restitution : 0,
                   .force = force,
                   .spring = {choices_.give_way && kind == LawKind::limit ? extras.compliance : 0, extras.relaxation},
                   .key = joint_law_key(id, kind, number, sign < 0)};
    add_row(block, kinematics, sign * along_row.a, sign * along_row.b, {joint.anchor_a, joint.anchor_b});
    rows_.rows.back().c = sign * along_row.c;
    rows_.blocks.push_back(block);
  };
  const auto limit = [&](const Limits& limits, const Row& row, int number) {
    restitution = limits.restitution;
    if (limits.lower > -1e299) add(LawKind::limit, row, 1, row.phi - limits.lower, 0, number);
    if (limits.upper < 1e299) add(LawKind::limit, row, -1, limits.upper - row.phi, 0, number);
  };
  if (is_rope(joint, extras)) {
    Rows rope;
    joint_rows(*model_, joint, kinematics, rope);
    rope[0].phi += joint.parameter;  // the distance itself
    return limit(*extras.limits, rope[0], 0);
  }
  if (extras.compliance != 0) add_soft(kinematics, id);
  if (far) return;
  const std::span<const Row> q = coordinates.evaluate(*model_, kinematics, id);
  if (q.empty()) return;
  if (extras.limits && joint.kind == JointKind::ball) {
    const JointGeometry geometry = geometry_of(joint);
    const Placement A = kinematics[joint.a], B = kinematics[joint.b];
    const JointPose pose(geometry, A, B);
    limit(*extras.limits, angle_row(pose), 0);
    if (extras.limits->cone < 1e299) {
      const Row swing = swing_row(pose);
      add(LawKind::limit, swing, -1, extras.limits->cone - swing.phi, 0, 1);
    }
  }
  for (int k = 0; k < static_cast<int>(q.size()); ++k) {
    const CoordinateLaw law = coordinate_law(joint, extras, k);
    const Row& row = q[static_cast<std::size_t>(k)];
    if (law.limits) limit(*law.limits, row, k);
    if (law.friction != 0) add(LawKind::dry_friction, row, 1, 0, law.friction, k);
  }
  if (extras.motor && extras.motor->max_force) {
    add(LawKind::motor, q[static_cast<std::size_t>(extras.motor->coordinate)], 1, 0, *extras.motor->max_force);
    rows_.rows.back().phi = value(extras.motor->velocity, kinematics.state().time);
    rows_.rows.back().c -= derivative(extras.motor->velocity, kinematics.state().time);
  }
}

// A joint with compliance: its rows are equalities with Σ (SPOOK), next to what else presses on its bodies.
void Laws::add_soft(const Kinematics& kinematics, JointId id) {
  const Joint& joint = model_->joints[id];
  const JointExtras& extras = model_->extras_of(joint);
  Rows rows;
  joint_rows(*model_, joint, kinematics, rows);
  LawBlock block{.kind = LawKind::soft,
                 .a = joint.a,
                 .b = joint.b,
                 .first = static_cast<int>(rows_.rows.size()),
                 .size = rows.count,
                 .source = id.value(),
                 .spring = {extras.compliance, extras.relaxation},
                 .key = joint_law_key(id, LawKind::soft, 0, false)};
  for (int i = 0; i < rows.count; ++i) {
    add_row(block, kinematics, rows[i].a, rows[i].b, {joint.anchor_a, joint.anchor_b});
    rows_.rows.back().phi = rows[i].phi;
  }
  rows_.blocks.push_back(block);
}

}  // namespace catena
