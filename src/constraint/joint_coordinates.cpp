#include "catena/constraint/joint_coordinates.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace catena {

bool is_angle(JointKind kind, int coordinate) {
  switch (kind) {
    case JointKind::hinge:
    case JointKind::pin: return true;
    case JointKind::cylindrical: return coordinate == 0;
    case JointKind::universal:
    case JointKind::compound: return true;
    case JointKind::planar: return coordinate == 2;
    default: return false;
  }
}

JointCoordinates::JointCoordinates(const Model& model, const Kinematics& kinematics)
    : own_(&kinematics), offset_(model.joints.size()) {
  Rows rows;
  first_.reserve(model.joints.size() + 1);
  first_.push_back(0);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const std::optional<JointArray>& given = model.extras_of(joint).offset;
    if (given) offset_[j] = *given;
    first_.push_back(first_.back() + coordinate_count(joint));
    if (coordinate_count(joint) == 0) continue;
    joints_.emplace_back(j);
    if (joint.kind == JointKind::compound || given) continue;  // a compound joint counts from the zero of each freedom
    joint_coordinates(joint, kinematics, rows);
    for (int k = 0; k < rows.count; ++k) {
      const auto c = static_cast<std::size_t>(k);
      offset_[j][c] = model.extras_of(joint).start[c] - rows[k].phi;
    }
  }
}

std::span<const Row> JointCoordinates::evaluate(const Model& model, const Kinematics& kinematics, JointId id) const {
  const auto j = static_cast<std::size_t>(id.value());
  const int count = first_[j + 1] - first_[j];
  // A model in which laws hold the joint has it without coordinates of its own.
  if (&kinematics != own_ || coordinate_count(model.joints[id]) != count) {
    Rows& other = work();
    evaluate(model, kinematics, id, other);
    return {other.row.data(), static_cast<std::size_t>(other.count)};
  }
  if (stamp_.empty()) {
    kept_.resize(static_cast<std::size_t>(first_.back()));
    stamp_.resize(offset_.size());
  }
  Row* const rows = kept_.data() + first_[j];
  if (stamp_[j] != kinematics.stamp()) {
    Rows& own = work();
    evaluate(model, kinematics, id, own);
    std::copy_n(own.row.begin(), count, rows);
    stamp_[j] = kinematics.stamp();
  }
  return {rows, static_cast<std::size_t>(count)};
}

Rows& JointCoordinates::work() const {
  if (work_.empty()) work_.resize(1);
  return work_.front();
}

JointCoordinates::Coordinate JointCoordinates::read(const Model& model, const Kinematics& kinematics, JointId id,
                                                    int coordinate) const {
  const Row& row = evaluate(model, kinematics, id)[static_cast<std::size_t>(coordinate)];
  return {row.phi, catena::rate(kinematics, model.joints[id], row)};
}

void JointCoordinates::listen() {
  told_.resize(static_cast<std::size_t>(first_.back()));
  told_stamp_.resize(offset_.size());
}

namespace {

// With so many whole turns that it is nearest to the last one.
double with_turns(double angle, double last) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle + kTurn * std::round((last - angle) / kTurn);
}

}  // namespace

void JointCoordinates::evaluate(const Model& model, const Kinematics& kinematics, JointId id, Rows& out) const {
  const Joint& joint = model.joints[id];
  joint_coordinates(joint, kinematics, out);
  const auto& last = kinematics.state().joint_angles;
  for (int k = 0; k < out.count; ++k) {
    const auto c = static_cast<std::size_t>(k);
    double& q = out[k].phi;
    q += offset_[id][c];
    if (joint.kind == JointKind::compound) continue;  // found near the last ones
    if (is_angle(joint.kind, k) && !last.empty()) q = with_turns(q, last[id][c]);
  }
}

void JointCoordinates::remember(const Model& model, const Kinematics& kinematics, State& state) const {
  Rows rows;
  for (const JointId joint : joints_) {
    if (!is_angle(model.joints[joint].kind, 0) && !is_angle(model.joints[joint].kind, 2)) continue;
    if (model.joints[joint].kind == JointKind::hinge) {
      const double angle = hinge_angle(model.joints[joint], kinematics) + offset_[joint][0];
      const auto& last = kinematics.state().joint_angles;
      state.joint_angles[joint][0] = last.empty() ? angle : with_turns(angle, last[joint][0]);
      continue;
    }
    evaluate(model, kinematics, joint, rows);
    for (int k = 0; k < rows.count; ++k) state.joint_angles[joint][static_cast<std::size_t>(k)] = rows[k].phi;
  }
}

double rate(const Kinematics& kinematics, const Joint& joint, const Row& coordinate) {
  const BodyVector va = joint.a.valid() ? velocity_of(kinematics.body(joint.a)) : BodyVector{};
  const BodyVector vb = joint.b.valid() ? velocity_of(kinematics.body(joint.b)) : BodyVector{};
  double rate = velocity(coordinate, va, vb);
  if (!kinematics.has_forms()) return rate;
  const auto add = [&](BodyId body, const Vec3& anchor, const BodyVector& row) {
    if (!body.valid()) return;
    if (const FormPlacement* at = kinematics.form(body))
      rate += dot(on_form(*at, kinematics.R(body), anchor, row), velocity_of(kinematics.body(at->own)));
  };
  add(joint.a, joint.anchor_a, coordinate.a);
  add(joint.b, joint.anchor_b, coordinate.b);
  return rate;
}

}  // namespace catena
