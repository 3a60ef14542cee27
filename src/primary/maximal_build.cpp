// How a forest is laid out for its elimination: the kernel of each joint, and where its numbers are.
#include "catena/model/impedance.h"
#include "catena/primary/free_directions.h"
#include "catena/primary/maximal_system.h"

namespace catena {

MaximalSystem::MaximalSystem(const Model& model, Forest forest) : model_(&model), forest_(std::move(forest)) {
  row_start_ = row_starts(model);
  impeded_ = joints_with_impedance(model);
  nodes_.reserve(forest_.nodes.size());
  for (const ForestNode& node : forest_.nodes) add_node(node);
  const auto trim = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  trim(blocks_.rigid, blocks_.other, blocks_.roots, balls_.joints, balls_.anchors);
  trim(hinges_.joints, hinges_.anchors, hinges_.axes, hinges_.frames);
  trim(freedoms_.few.joints, freedoms_.few.rows, freedoms_.few.geometry, freedoms_.many.joints, freedoms_.many.rows,
       freedoms_.many.geometry, eliminations_);
  node_of_joint_.assign(model.joints.size(), -1);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].joint.valid()) node_of_joint_[nodes_[i].joint] = static_cast<int>(i);
}

bool MaximalSystem::carries_inertia(JointId joint) const {
  const int node = node_of_joint_[joint];
  if (node < 0) return false;
  const Kernel kernel = nodes_[static_cast<std::size_t>(node)].kernel;
  return kernel == Kernel::hinge || kernel == Kernel::freedom || kernel == Kernel::compound;
}

void MaximalSystem::set_freedom_inertia(std::span<const JointArray> a) {
  for (const Node& node : nodes_) {
    if (!node.joint.valid()) continue;
    const JointArray& own = a[node.joint];
    const Joint& joint = model_->joints[node.joint];
    const bool motor = model_->extras_of(joint).motor.has_value();
    if (node.kernel == Kernel::hinge) hinges_.joints[static_cast<std::size_t>(node.slot)].a = own[0];
    if (node.kernel == Kernel::compound) freedoms_.many.joints[static_cast<std::size_t>(node.slot)].a = own;
    if (node.kernel != Kernel::freedom) continue;
    FreedomJoint<double>& freedom = freedoms_.few.joints[static_cast<std::size_t>(node.slot)];
    freedom.a = {};
    for (int k = 0; k < 3; ++k)
      if (const int along = direction_of(joint.kind, motor, k); along >= 0)
        freedom.a[along] = own[static_cast<std::size_t>(k)];
  }
}

void MaximalSystem::add_node(const ForestNode& n) {
  const auto kind_is_rigid = [this](BodyId body) { return !body.valid() || kind_of(body) == BodyKind::rigid; };
  Node node{};
  node.body = n.body;
  node.parent = n.parent;
  node.joint = n.joint;
  node.child_is_b = n.child_is_b;
  node.rigid = kind_of(n.body) == BodyKind::rigid;
  node.block = static_cast<int>(node.rigid ? blocks_.rigid.size() : blocks_.other.size());
  if (node.rigid) {
    blocks_.rigid.emplace_back();
  } else {
    blocks_.other.emplace_back();
  }

  if (!n.joint.valid()) {
    node.kernel = Kernel::free;
    node.slot = static_cast<int>(blocks_.roots.size());
    blocks_.roots.emplace_back(SmallMatrix::Identity(1, 1));  // defined from the start, as growing copies it
    nodes_.push_back(node);
    return;
  }
  const Joint& joint = model_->joints[n.joint];
  node.parent_body = n.child_is_b ? joint.a : joint.b;
  node.row = row_start_[n.joint];
  const bool motor = model_->extras_of(joint).motor.has_value();
  const bool soft = model_->extras_of(joint).compliance != 0;
  const bool rigid = kind_is_rigid(joint.a) && kind_is_rigid(joint.b) && !soft;
  const Anchors anchors =
      n.child_is_b ? Anchors{joint.anchor_b, joint.anchor_a} : Anchors{joint.anchor_a, joint.anchor_b};
  if (rigid && joint.kind == JointKind::ball && !motor && !impeded_[n.joint]) {
    node.kernel = Kernel::ball;
    node.slot = static_cast<int>(balls_.joints.size());
    balls_.joints.emplace_back();
    balls_.anchors.push_back(anchors);
  } else if (rigid && joint.kind == JointKind::hinge && !motor) {
    const JointGeometry geometry = geometry_of(joint);
    node.kernel = Kernel::hinge;
    node.slot = static_cast<int>(hinges_.joints.size());
    hinges_.joints.emplace_back();
    hinges_.anchors.push_back(anchors);
    hinges_.axes.push_back({geometry.frame_b.column(2), geometry.frame_a.column(0), geometry.frame_a.column(1)});
    hinges_.frames.resize(hinges_.frames.size() + 3);
  } else if (rigid && has_free_directions(joint.kind, motor)) {
    node.kernel = Kernel::freedom;
    node.slot = static_cast<int>(freedoms_.few.joints.size());
    freedoms_.few.joints.emplace_back();
    freedoms_.few.rows.emplace_back();
    freedoms_.few.geometry.push_back(geometry_of(joint));
  } else if (rigid && joint.kind == JointKind::compound && !motor && !model_->extras_of(joint).moves) {
    node.kernel = Kernel::compound;
    node.slot = static_cast<int>(freedoms_.many.joints.size());
    freedoms_.many.joints.emplace_back();
    freedoms_.many.rows.emplace_back();
    freedoms_.many.geometry.push_back(geometry_of(joint));
  } else {
    node.kernel = Kernel::rows;
    node.slot = static_cast<int>(eliminations_.size());
    eliminations_.emplace_back();
  }
  nodes_.push_back(node);
}

std::size_t MaximalSystem::bytes() const {
  const auto size = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return size(row_start_) + size(nodes_) + size(forest_.nodes) + size(forest_.node_of) + size(blocks_.rigid) +
         size(blocks_.other) + size(balls_.joints) + size(balls_.anchors) + size(hinges_.joints) +
         size(hinges_.anchors) + size(hinges_.axes) + size(hinges_.frames) + size(freedoms_.few.joints) +
         size(freedoms_.many.joints) + size(freedoms_.few.rows) + size(freedoms_.few.geometry) +
         size(freedoms_.many.rows) + size(freedoms_.many.geometry) + size(eliminations_) + size(blocks_.roots);
}

}  // namespace catena
