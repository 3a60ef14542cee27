#include "catena/primary/reduced_model.h"

#include "catena/constraint/joint_rows.h"
#include "catena/primary/coordinates.h"
#include "catena/primary/reduced_places.h"

namespace catena {
namespace {

Mobility mobility_of(JointKind kind) {
  if (kind == JointKind::hinge || kind == JointKind::pin) return Mobility::hinge;
  if (kind == JointKind::compound) return Mobility::compound;
  return kind == JointKind::ball ? Mobility::ball : Mobility::other;
}

}  // namespace

bool ReducedModel::has_coordinates(const Model& model, const Joint& joint) {
  if (model.extras_of(joint).compliance != 0 || model.extras_of(joint).moves) return false;
  switch (joint.kind) {
    case JointKind::ball:
    case JointKind::hinge:
    case JointKind::slider:
    case JointKind::cylindrical:
    case JointKind::universal:
    case JointKind::planar:
    case JointKind::weld:
    case JointKind::screw:
    case JointKind::compound:
    case JointKind::pin:
    case JointKind::planar_weld: return true;
    default: return false;
  }
}

ReducedModel::ReducedModel(const Model& model) : model_(&model), forest_(build_forest(model, has_coordinates)) {
  for (const Body& body : model.bodies)
    if (changes_size(body.kind))
      throw InputError("body '" + body.name + "' is " + std::string(name_of(body.kind)) +
                       ", and joint coordinates are of bodies that keep their size");
  nodes_.reserve(forest_.nodes.size());
  for (const ForestNode& node : forest_.nodes) add_node(node);
}

void ReducedModel::add_node(const ForestNode& n) {
  ReducedNode node;
  node.child_is_b = n.child_is_b;
  node.parent = n.parent;
  node.body = n.body;
  node.joint = n.joint;
  node.q = n_q_;
  node.v = n_v_;
  const BodyKind kind = model_->bodies[n.body].kind;
  if (!n.joint.valid()) {
    node.count = 6;
    n_q_ += 7;
    freedoms_ += dimension(kind);
  } else {
    const Joint& joint = model_->joints[n.joint];
    node.kind = joint.kind;
    node.mobility = mobility_of(joint.kind);
    node.parameter = joint.parameter;
    node.count = coordinate_count(joint);
    node.turn = n.child_is_b ? joint.frame_b : joint.frame_a;
    node.anchor = n.child_is_b ? joint.anchor_b : joint.anchor_a;
    node.com = -1.0 * rotate(node.turn.conjugate(), node.anchor);
    node.turn_parent = n.child_is_b ? joint.frame_a : joint.frame_b;
    if (n.parent >= 0)
      node.turn_parent = normalized(nodes_[static_cast<std::size_t>(n.parent)].turn.conjugate() * node.turn_parent);
    n_q_ += node.mobility == Mobility::ball ? 4 : node.count;
    freedoms_ += kind == BodyKind::particle ? 0 : node.count;
  }
  n_v_ += node.count;
  nodes_.push_back(node);
}

void ReducedModel::read(const Kinematics& kinematics, JointState& out) const {
  out.q.resize(static_cast<std::size_t>(n_q_));
  out.v.resize(static_cast<std::size_t>(n_v_));
  Rows rows;
  for (const ReducedNode& node : nodes_) {
    double *const q = out.q.data() + node.q, *const v = out.v.data() + node.v;
    if (node.mobility == Mobility::free) {
      const BodyState& body = kinematics.body(node.body);
      put(body.position, q);
      put(body.orientation, q + 3);
      put(body.velocity, v);
      put(body.angular_velocity, v + 3);
      continue;
    }
    const Joint& joint = model_->joints[node.joint];
    joint_coordinates(joint, kinematics, rows);
    const BodyVector va = joint.a.valid() ? velocity_of(kinematics.body(joint.a)) : BodyVector{};
    const BodyVector vb = joint.b.valid() ? velocity_of(kinematics.body(joint.b)) : BodyVector{};
    for (int k = 0; k < rows.count; ++k) {
      if (node.mobility != Mobility::ball) q[k] = rows[k].phi;
      v[k] = velocity(rows[k], va, vb);
    }
    if (node.mobility == Mobility::ball) {
      const auto frame = [&](BodyId body, const Quat& own) {
        return body.valid() ? kinematics.body(body).orientation * own : own;
      };
      put(normalized(frame(joint.a, joint.frame_a).conjugate() * frame(joint.b, joint.frame_b)), q);
    }
  }
}

void ReducedModel::integrate(double h, std::span<const double> rates, std::span<double> coordinates) const {
  integrate_coordinates(nodes_, h, rates.data(), coordinates.data());
}

}  // namespace catena
