#include "catena/primary/maximal_system.h"

#include "catena/constraint/compound_motion.h"
#include "catena/math/dispatch.h"
#include "catena/primary/free_directions.h"
#include "catena/primary/small_blocks.h"

namespace catena {

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
    case Kernel::compound: load_compound(kinematics, node); break;
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
  const JointPose pose(freedoms_.few.geometry[slot], A, B);
  const Directions directions = free_directions(joint.kind, model_->extras_of(joint).motor.has_value(), pose);

  FreedomJoint<double>& freedom = freedoms_.few.joints[slot];
  const Vec3 arm_a = directions.arm_to_b ? pose.pb.p - A.x : pose.pa.arm;
  freedom.arm = node.child_is_b ? pose.pb.arm : arm_a;
  freedom.arm_parent = node.child_is_b ? arm_a : pose.pb.arm;
  freedom.count = directions.count;
  freedom.F = directions.F;
  FreedomRows& rows = freedoms_.few.rows[slot];
  joint_rows(*model_, joint, pose, kinematics.state().time, rows.rows);
  rows.prepare(pose.pb.arm);
}

// Where nothing is inertia along the coordinates an orthonormal basis of what F spans does what F does, and stays regular where freedoms coincide.
void MaximalSystem::load_compound(const Kinematics& kinematics, const Node& node) {
  const auto slot = static_cast<std::size_t>(node.slot);
  const Joint& joint = model_->joints[node.joint];
  FreedomRows& rows = freedoms_.many.rows[slot];
  FreedomJoint<double, ManyFreedomsT>& compound = freedoms_.many.joints[slot];
  const Placement A = kinematics[joint.a], B = kinematics[joint.b];
  const Vec3 arm_b = B.R * joint.anchor_b, arm_a = B.x + arm_b - A.x;
  compound.arm = node.child_is_b ? arm_b : arm_a;
  compound.arm_parent = node.child_is_b ? arm_a : arm_b;
  compound.count = static_cast<int>(joint.freedoms.size());
  rows.rows.count = 0;
  compound_rows(joint, kinematics, rows.rows, compound.F);
  rows.prepare(arm_b);
  if (compound.a == JointArray{}) compound.count = orthonormalise(compound.count, compound.F);
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
    case Kernel::freedom: return through_freedoms(freedoms_.few.joints[slot]);
    case Kernel::compound: return through_freedoms(freedoms_.many.joints[slot]);
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
    case Kernel::freedom: freedoms_.few.joints[slot].c = {}; break;
    case Kernel::compound: freedoms_.many.joints[slot].c = {}; break;
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
    case Kernel::freedom: freedoms_.few.joints[slot].c = sign * freedoms_.few.rows[slot].motion(rows); break;
    case Kernel::compound: freedoms_.many.joints[slot].c = sign * freedoms_.many.rows[slot].motion(rows); break;
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
    case Kernel::freedom: through_freedoms(freedoms_.few.joints[slot]); break;
    case Kernel::compound: through_freedoms(freedoms_.many.joints[slot]); break;
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
  const auto through_freedoms = [&](const auto& joints) {
    const Spatial w = joints.joints[slot].down(blocks_.rigid[static_cast<std::size_t>(node.block)], y_parent, f);
    if (rows) joints.rows[slot].multipliers(sign * w, rows);
  };
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
    case Kernel::freedom: through_freedoms(freedoms_.few); break;
    case Kernel::compound: through_freedoms(freedoms_.many); break;
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
  const Eigen::LLT<SmallMatrix>& L = blocks_.roots[static_cast<std::size_t>(node.slot)];
  solve_lower(L, small);
  solve_upper(L, small);
  y = from_small(kind_of(node.body), small);
}

}  // namespace catena
