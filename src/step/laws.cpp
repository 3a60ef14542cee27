#include "catena/step/laws.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace catena {
namespace {

bool is_lawful(const JointExtras& extras) {
  return extras.limits || extras.friction != 0 || (extras.motor && extras.motor->max_force) || extras.compliance != 0;
}

// Numbers that look the same from step to step: bodies, shapes and feature of a contact.
std::uint64_t key_of(const Contact& c) {
  std::uint64_t key = c.feature;
  for (const std::uint64_t part : {static_cast<std::uint64_t>(c.a.value()), static_cast<std::uint64_t>(c.b.value() + 1),
                                   static_cast<std::uint64_t>(c.shape_a), static_cast<std::uint64_t>(c.shape_b)})
    key = (key ^ (part + 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
  return key | 1;
}

}  // namespace

bool has_laws(const Model& model) {
  const auto collides = [](const std::vector<Shape>& shapes) {
    return std::any_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return shape.collide; });
  };
  // Mechanisms: bodies held together by joints.
  std::vector<std::size_t> root(model.bodies.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const Joint& joint : model.joints)
    if (joint.a.valid() && joint.b.valid()) root[find(joint.a)] = find(joint.b);
  std::vector<std::size_t> mechanisms;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (collides(model.bodies[i].shapes)) mechanisms.push_back(find(i));
  const bool apart =
      std::any_of(mechanisms.begin(), mechanisms.end(), [&](std::size_t m) { return m != mechanisms[0]; });
  const bool contacts = apart || (!mechanisms.empty() && collides(model.ground_shapes));
  return contacts || std::any_of(model.joints.begin(), model.joints.end(),
                                 [&](const Joint& joint) { return is_lawful(model.extras_of(joint)); });
}

bool has_soft_joints(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [&](const Joint& joint) { return model.extras_of(joint).compliance != 0; });
}

Model without_lawful_joints(const Model& model) {
  Model out = model;
  for (Joint& joint : out.joints) {
    if (joint.extras < 0) continue;
    JointExtras& extras = out.extras[static_cast<std::size_t>(joint.extras)];
    if (extras.motor && extras.motor->max_force) extras.motor.reset();
    if (extras.compliance == 0) continue;
    joint.kind = JointKind::coupling;
    extras.rows.clear();
  }
  return out;
}

Laws::Laws(const Model& model, const Kinematics& kinematics, double margin)
    : model_(&model), collider_(model, margin), coordinates_(model, kinematics) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (is_lawful(model.extras_of(model.joints[j]))) joints_.emplace_back(j);
}

void Laws::find(const Kinematics& kinematics) {
  rows_.clear();
  collider_.find(kinematics.state(), contacts_);
  for (std::size_t i = 0; i < contacts_.size(); ++i) add_contact(kinematics, static_cast<int>(i));
  for (const JointId joint : joints_) add_joint(kinematics, joint);
}

void Laws::add_row(LawBlock& block, const Kinematics& kinematics, const BodyVector& a, const BodyVector& b) {
  LawRow row;
  if (block.a.valid()) {
    row.a = restricted(model_->bodies[block.a].kind, a);
    row.speed += dot(row.a, velocity_of(kinematics.body(block.a)));
  }
  if (block.b.valid()) {
    row.b = restricted(model_->bodies[block.b].kind, b);
    row.speed += dot(row.b, velocity_of(kinematics.body(block.b)));
  }
  rows_.rows.push_back(row);
}

// The relative velocity of the two bodies where they touch, along the normal (from b to a) and two tangents.
void Laws::add_contact(const Kinematics& kinematics, int index) {
  const Contact& c = contacts_[static_cast<std::size_t>(index)];
  LawBlock block{.kind = LawKind::contact,
                 .a = c.a,
                 .b = c.b,
                 .first = static_cast<int>(rows_.rows.size()),
                 .size = 3,
                 .source = index,
                 .gap = c.gap,
                 .restitution = c.restitution,
                 .friction = {c.friction, c.friction},
                 .key = key_of(c)};
  const auto point = [&](BodyId body) {
    AttachedPoint at;
    at.arm = c.position - kinematics.body(body).position;
    at.scale = kinematics.body(body).scale;
    return at;
  };
  const auto planar = [&](BodyId body) { return body.valid() && model_->bodies[body].kind == BodyKind::planar; };
  const bool flat = planar(c.a) || planar(c.b);
  const Mat3 frame = flat ? Mat3::from_columns(cross(Vec3{0, 0, 1}, c.normal), {}, c.normal) : frame_along(c.normal);
  block.size = flat ? 2 : 3;
  const Vec3 directions[] = {c.normal, frame.column(0), frame.column(1)};
  for (const Vec3& direction : std::span(directions, static_cast<std::size_t>(block.size))) {
    const BodyVector on_a = c.a.valid() ? along(direction, point(c.a)) : BodyVector{};
    const BodyVector on_b = c.b.valid() ? negative(along(direction, point(c.b))) : BodyVector{};
    add_row(block, kinematics, on_a, on_b);
  }
  rows_.blocks.push_back(block);
}

void Laws::add_joint(const Kinematics& kinematics, JointId id) {
  const Joint& joint = model_->joints[id];
  const JointExtras& extras = model_->extras_of(joint);
  const auto add = [&](LawKind kind, const Row& along_row, double sign, double gap, double force) {
    LawBlock block{.kind = kind,
                   .a = joint.a,
                   .b = joint.b,
                   .first = static_cast<int>(rows_.rows.size()),
                   .size = 1,
                   .source = id.value(),
                   .gap = gap,
                   .restitution = kind == LawKind::limit ? extras.limits->restitution : 0,
                   .force = force,
                   .key = (static_cast<std::uint64_t>(id.value()) << 8) + (static_cast<std::uint64_t>(kind) << 1) +
                          (sign < 0 ? 1u : 0u)};
    add_row(block, kinematics, sign * along_row.a, sign * along_row.b);
    rows_.blocks.push_back(block);
  };
  if (extras.compliance != 0) add_soft(kinematics, id);
  Rows q;
  coordinates_.evaluate(*model_, kinematics, id, q);
  if (q.count == 0) return;
  if (extras.limits) {
    if (extras.limits->lower > -1e299) add(LawKind::limit, q[0], 1, q[0].phi - extras.limits->lower, 0);
    if (extras.limits->upper < 1e299) add(LawKind::limit, q[0], -1, extras.limits->upper - q[0].phi, 0);
  }
  if (extras.friction != 0) add(LawKind::dry_friction, q[0], 1, 0, extras.friction);
  if (extras.motor && extras.motor->max_force) {
    add(LawKind::motor, q[0], 1, 0, *extras.motor->max_force);
    rows_.rows.back().phi = value(extras.motor->velocity, kinematics.state().time);
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
                 .compliance = extras.compliance,
                 .relaxation = extras.relaxation,
                 .key = static_cast<std::uint64_t>(id.value()) << 8};
  for (int i = 0; i < rows.count; ++i) {
    add_row(block, kinematics, rows[i].a, rows[i].b);
    rows_.rows.back().phi = rows[i].phi;
  }
  rows_.blocks.push_back(block);
}

}  // namespace catena
