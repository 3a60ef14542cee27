#include "catena/primary/maximal_system.h"

#include "catena/math/dispatch.h"
#include "catena/model/impedance.h"
#include "catena/primary/free_directions.h"
#include "catena/primary/small_blocks.h"

namespace catena {

MaximalSystem::MaximalSystem(const Model& model, Forest forest) : model_(&model), forest_(std::move(forest)) {
  row_start_ = row_starts(model);
  impeded_ = joints_with_impedance(model);
  nodes_.reserve(forest_.nodes.size());
  for (const ForestNode& node : forest_.nodes) add_node(node);
  const auto trim = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  trim(blocks_.rigid, blocks_.other, blocks_.roots, balls_.joints, balls_.anchors);
  trim(hinges_.joints, hinges_.anchors, hinges_.axes, hinges_.frames);
  trim(freedoms_.joints, freedoms_.rows, freedoms_.geometry, eliminations_);
  node_of_joint_.assign(model.joints.size(), -1);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].joint.valid()) node_of_joint_[nodes_[i].joint] = static_cast<int>(i);
}

bool MaximalSystem::carries_inertia(JointId joint) const {
  const int node = node_of_joint_[joint];
  if (node < 0) return false;
  const Kernel kernel = nodes_[static_cast<std::size_t>(node)].kernel;
  return kernel == Kernel::hinge || kernel == Kernel::freedom;
}

void MaximalSystem::set_freedom_inertia(std::span<const JointArray> a) {
  for (const Node& node : nodes_) {
    if (!node.joint.valid()) continue;
    const JointArray& own = a[node.joint];
    const Joint& joint = model_->joints[node.joint];
    const bool motor = model_->extras_of(joint).motor.has_value();
    if (node.kernel == Kernel::hinge) hinges_.joints[static_cast<std::size_t>(node.slot)].a = own[0];
    if (node.kernel != Kernel::freedom) continue;
    FreedomJoint<double>& freedom = freedoms_.joints[static_cast<std::size_t>(node.slot)];
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
    node.slot = static_cast<int>(freedoms_.joints.size());
    freedoms_.joints.emplace_back();
    freedoms_.rows.emplace_back();
    freedoms_.geometry.push_back(geometry_of(joint));
  } else {
    node.kernel = Kernel::rows;
    node.slot = static_cast<int>(eliminations_.size());
    eliminations_.emplace_back();
  }
  nodes_.push_back(node);
}

// ---------------------------------------------------------------------------------------------------------------- factor

CATENA_DISPATCH void MaximalSystem::load(const Kinematics& kinematics) {
  loaded_ = kinematics.stamp();
  for (const Node& node : nodes_) load(kinematics, node);
}

CATENA_DISPATCH bool MaximalSystem::factor(const Kinematics& kinematics) {
  failed_ = JointId();
  loaded_ = kinematics.stamp();
  for (const Node& node : nodes_) load(kinematics, node);
  for (std::size_t i = nodes_.size(); i-- > 0;)
    if (!eliminate(nodes_[i])) {
      failed_ = nodes_[i].joint;
      return false;
    }
  return true;
}

void MaximalSystem::load(const Kinematics& kinematics, const Node& node) {
  const MassBlock& M = kinematics.M(node.body);
  if (node.rigid) {
    blocks_.rigid[static_cast<std::size_t>(node.block)] = {Sym3::diagonal(M.linear, M.linear, M.linear), {}, M.angular};
  } else {
    blocks_.other[static_cast<std::size_t>(node.block)] = mass_matrix(kind_of(node.body), M);
  }
  switch (node.kernel) {
    case Kernel::ball: {
      const Anchors& anchors = balls_.anchors[static_cast<std::size_t>(node.slot)];
      BallJoint<double>& ball = balls_.joints[static_cast<std::size_t>(node.slot)];
      ball.arm = kinematics.R(node.body) * anchors.child;
      ball.arm_parent = node.parent_body.valid() ? kinematics.R(node.parent_body) * anchors.parent : anchors.parent;
      break;
    }
    case Kernel::hinge: load_hinge(kinematics, node); break;
    case Kernel::freedom: load_freedom(kinematics, node); break;
    case Kernel::rows: load_rows(kinematics, node); break;
    case Kernel::free: break;
  }
}

void MaximalSystem::load_hinge(const Kinematics& kinematics, const Node& node) {
  const auto slot = static_cast<std::size_t>(node.slot);
  const Anchors& anchors = hinges_.anchors[slot];
  const Axes& axes = hinges_.axes[slot];
  HingeJoint<double>& hinge = hinges_.joints[slot];
  const Mat3 ground = Mat3::identity();
  const Mat3& child = kinematics.R(node.body);
  const Mat3& parent = node.parent_body.valid() ? kinematics.R(node.parent_body) : ground;
  const Mat3& A = node.child_is_b ? parent : child;
  const Mat3& B = node.child_is_b ? child : parent;
  hinge.arm = child * anchors.child;
  hinge.arm_parent = parent * anchors.parent;
  hinge.axis = B * axes.axis_b;
  hinges_.frames[3 * slot] = A * axes.t1;
  hinges_.frames[3 * slot + 1] = A * axes.t2;
  hinges_.frames[3 * slot + 2] = cross(hinges_.frames[3 * slot], hinges_.frames[3 * slot + 1]);
}

void MaximalSystem::load_freedom(const Kinematics& kinematics, const Node& node) {
  const auto slot = static_cast<std::size_t>(node.slot);
  const Joint& joint = model_->joints[node.joint];
  const Placement A = kinematics[joint.a], B = kinematics[joint.b];
  const JointPose pose(freedoms_.geometry[slot], A, B);
  const Directions directions = free_directions(joint.kind, model_->extras_of(joint).motor.has_value(), pose);

  FreedomJoint<double>& freedom = freedoms_.joints[slot];
  const Vec3 arm_a = directions.arm_to_b ? pose.pb.p - A.x : pose.pa.arm;
  freedom.arm = node.child_is_b ? pose.pb.arm : arm_a;
  freedom.arm_parent = node.child_is_b ? arm_a : pose.pb.arm;
  freedom.count = directions.count;
  freedom.F = directions.F;
  FreedomRows& rows = freedoms_.rows[slot];
  joint_rows(*model_, joint, pose, kinematics.state().time, rows.rows);
  rows.prepare(pose.pb.arm);
}

void MaximalSystem::load_rows(const Kinematics& kinematics, const Node& node) {
  const Joint& joint = model_->joints[node.joint];
  Rows rows;
  joint_rows(*model_, joint, kinematics, rows);
  RowElimination& e = eliminations_[static_cast<std::size_t>(node.slot)];
  const BodyKind kind = kind_of(node.body);
  const int d_parent = node.parent_body.valid() ? dimension(kind_of(node.parent_body)) : 0;
  e.J.resize(rows.count, dimension(kind));
  e.J_parent.resize(rows.count, d_parent);
  for (int i = 0; i < rows.count; ++i) {
    e.J.row(i) = to_small(kind, node.child_is_b ? rows[i].b : rows[i].a).transpose();
    if (d_parent > 0)
      e.J_parent.row(i) = to_small(kind_of(node.parent_body), node.child_is_b ? rows[i].a : rows[i].b).transpose();
  }
  e.sigma = SmallVector::Zero(rows.count);
  e.b.resize(rows.count);
}

SmallMatrix MaximalSystem::block_of(const Node& node) const {
  return node.rigid ? to_small(blocks_.rigid[static_cast<std::size_t>(node.block)])
                    : blocks_.other[static_cast<std::size_t>(node.block)];
}

void MaximalSystem::add_block(int index, const SmallMatrix& S) {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  if (node.rigid) {
    blocks_.rigid[static_cast<std::size_t>(node.block)] += from_small(S);
  } else {
    blocks_.other[static_cast<std::size_t>(node.block)] += S;
  }
}

bool MaximalSystem::eliminate(const Node& node) {
  const auto slot = static_cast<std::size_t>(node.slot);
  const auto through_freedoms = [&](auto& joint) {
    Sym6& D = blocks_.rigid[static_cast<std::size_t>(node.block)];
    joint.eliminate(D);
    operations_ += 4;  // shift, D'F, inverse, update
    if (node.parent >= 0) {
      joint.add_to_parent(D,
                          blocks_.rigid[static_cast<std::size_t>(nodes_[static_cast<std::size_t>(node.parent)].block)]);
      ++operations_;
    }
    return true;
  };
  switch (node.kernel) {
    case Kernel::ball: return through_freedoms(balls_.joints[slot]);
    case Kernel::hinge: return through_freedoms(hinges_.joints[slot]);
    case Kernel::freedom: return through_freedoms(freedoms_.joints[slot]);
    case Kernel::rows: {
      RowElimination& e = eliminations_[slot];
      operations_ += 4;  // D⁻¹, D⁻¹Jᵀ, J D⁻¹ Jᵀ, C⁻¹
      if (!e.eliminate(block_of(node))) return false;
      if (node.parent >= 0) {
        add_block(node.parent, e.parent_block());
        operations_ += 2;
      }
      return true;
    }
    case Kernel::free: break;
  }
  ++operations_;
  blocks_.roots[slot].compute(block_of(node));
  return blocks_.roots[slot].info() == Eigen::Success;
}

// ----------------------------------------------------------------------------------------------------------------- solve

CATENA_DISPATCH void MaximalSystem::solve(std::span<const double> b, std::span<BodyVector> y,
                                          std::span<double> lambda) {
  rhs_set_ = true;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    set_rhs(nodes_[i], b);
    up(nodes_[i], y);
  }
  for (const Node& node : nodes_) down(node, y, lambda);
}

CATENA_DISPATCH void MaximalSystem::respond(std::span<const int> active, std::span<BodyVector> y) {
  if (rhs_set_) {
    for (const Node& node : nodes_) clear_rhs(node);
    rhs_set_ = false;
  }
  for (std::size_t i = active.size(); i-- > 0;) up(nodes_[static_cast<std::size_t>(active[i])], y);
  for (const int i : active) down(nodes_[static_cast<std::size_t>(i)], y, {});
}

void MaximalSystem::clear_rhs(const Node& node) {
  const auto slot = static_cast<std::size_t>(node.slot);
  switch (node.kernel) {
    case Kernel::ball: balls_.joints[slot].c = {}; break;
    case Kernel::hinge: hinges_.joints[slot].c = {}; break;
    case Kernel::freedom: freedoms_.joints[slot].c = {}; break;
    case Kernel::rows: eliminations_[slot].b.setZero(); break;
    case Kernel::free: break;
  }
}

// The relative motion c (body minus parent) with P c = b.
void MaximalSystem::set_rhs(const Node& node, std::span<const double> b) {
  const auto slot = static_cast<std::size_t>(node.slot);
  const double sign = node.child_is_b ? 1 : -1;
  const double* const rows = b.data() + node.row;
  switch (node.kernel) {
    case Kernel::ball: balls_.joints[slot].c = {sign * rows[0], sign * rows[1], sign * rows[2]}; break;
    case Kernel::hinge: {
      // Rows 3 and 4 are (a × t_k)·z = b_k with z ⟂ a: z = a × s, s = b_3 t1 + b_4 t2 + σ a_A, a·s = 0.
      HingeJoint<double>& hinge = hinges_.joints[slot];
      const Vec3 *t = &hinges_.frames[3 * slot], &a = hinge.axis;
      const Vec3 s = rows[3] * t[0] + rows[4] * t[1];
      const double sigma = -dot(a, s) / dot(a, t[2]);
      hinge.c = {{sign * rows[0], sign * rows[1], sign * rows[2]}, sign * cross(a, s + sigma * t[2])};
      break;
    }
    case Kernel::freedom: freedoms_.joints[slot].c = sign * freedoms_.rows[slot].motion(rows); break;
    case Kernel::rows: {
      SmallVector& to = eliminations_[slot].b;
      for (Eigen::Index k = 0; k < to.size(); ++k) to[k] = rows[k];
      break;
    }
    case Kernel::free: break;
  }
}

void MaximalSystem::up(const Node& node, std::span<BodyVector> y) {
  const auto slot = static_cast<std::size_t>(node.slot);
  BodyVector& f = y[node.body];
  operations_ += 2;
  const auto through_freedoms = [&](auto& joint) {
    const Spatial to_parent = joint.up(blocks_.rigid[static_cast<std::size_t>(node.block)], f);
    if (node.parent >= 0) static_cast<Spatial&>(y[node.parent_body]) += to_parent;
  };
  switch (node.kernel) {
    case Kernel::ball: through_freedoms(balls_.joints[slot]); break;
    case Kernel::hinge: through_freedoms(hinges_.joints[slot]); break;
    case Kernel::freedom: through_freedoms(freedoms_.joints[slot]); break;
    case Kernel::rows: {
      SmallVector small = to_small(kind_of(node.body), f);
      const SmallVector to_parent = eliminations_[slot].up(small);
      f = from_small(kind_of(node.body), small);
      if (node.parent >= 0) y[node.parent_body] += from_small(kind_of(node.parent_body), to_parent);
      break;
    }
    case Kernel::free: break;
  }
}

void MaximalSystem::down(const Node& node, std::span<BodyVector> y, std::span<double> lambda) {
  const auto slot = static_cast<std::size_t>(node.slot);
  BodyVector& f = y[node.body];
  const Spatial still{};
  const Spatial& y_parent = node.parent >= 0 ? y[node.parent_body] : still;
  const double sign = node.child_is_b ? 1 : -1;
  double* const rows = lambda.empty() ? nullptr : lambda.data() + node.row;
  operations_ += 2;
  switch (node.kernel) {
    case Kernel::ball: {
      const Vec3 w = sign * balls_.joints[slot].down(blocks_.rigid[static_cast<std::size_t>(node.block)], y_parent, f);
      if (rows) rows[0] = w.x, rows[1] = w.y, rows[2] = w.z;
      break;
    }
    case Kernel::hinge: {
      const HingeJoint<double>& hinge = hinges_.joints[slot];
      const Spatial w = hinge.down(blocks_.rigid[static_cast<std::size_t>(node.block)], y_parent, f);
      if (!rows) break;
      // w = a × q with q = λ_3 t1 + λ_4 t2.
      const Vec3* t = &hinges_.frames[3 * slot];
      const Vec3 across = cross(w.angular, hinge.axis);
      const Vec3 q = across - (dot(t[2], across) / dot(t[2], hinge.axis)) * hinge.axis;
      rows[0] = sign * w.linear.x, rows[1] = sign * w.linear.y, rows[2] = sign * w.linear.z;
      rows[3] = sign * dot(t[0], q), rows[4] = sign * dot(t[1], q);
      break;
    }
    case Kernel::freedom: {
      const Spatial w = freedoms_.joints[slot].down(blocks_.rigid[static_cast<std::size_t>(node.block)], y_parent, f);
      if (rows) freedoms_.rows[slot].multipliers(sign * w, rows);
      break;
    }
    case Kernel::rows: {
      SmallVector small = to_small(kind_of(node.body), f), parent;
      if (node.parent >= 0) parent = to_small(kind_of(node.parent_body), y[node.parent_body]);
      const SmallVector l = eliminations_[slot].down(parent, small);
      f = from_small(kind_of(node.body), small);
      if (rows)
        for (Eigen::Index k = 0; k < l.size(); ++k) rows[k] = l[k];
      break;
    }
    case Kernel::free: solve_free(node, f); break;
  }
}

void MaximalSystem::solve_free(const Node& node, BodyVector& y) const {
  SmallVector small = to_small(kind_of(node.body), y);
  blocks_.roots[static_cast<std::size_t>(node.slot)].solveInPlace(small);
  y = from_small(kind_of(node.body), small);
}

std::size_t MaximalSystem::bytes() const {
  const auto size = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return size(row_start_) + size(nodes_) + size(forest_.nodes) + size(forest_.node_of) + size(blocks_.rigid) +
         size(blocks_.other) + size(balls_.joints) + size(balls_.anchors) + size(hinges_.joints) +
         size(hinges_.anchors) + size(hinges_.axes) + size(hinges_.frames) + size(freedoms_.joints) +
         size(freedoms_.rows) + size(freedoms_.geometry) + size(eliminations_) + size(blocks_.roots);
}

}  // namespace catena
