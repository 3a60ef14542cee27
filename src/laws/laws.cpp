#include "catena/laws/laws.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "catena/collide/collide_filter.h"
#include "catena/constraint/basic_rows.h"
#include "catena/laws/rope.h"
#include "catena/model/same_positions.h"

namespace catena {
namespace {

bool is_lawful(const Joint& joint, const JointExtras& extras) {
  const auto lawful = [](const Freedom& f) { return f.limits || f.friction != 0; };
  return std::any_of(joint.freedoms.begin(), joint.freedoms.end(), lawful) || extras.limits || extras.limits2 ||
         extras.friction != 0 || (extras.motor && extras.motor->max_force) || extras.compliance != 0;
}

// Whether some material has a grain; rolling or torsional friction.
bool has_grains(const Model& model) {
  return std::any_of(model.materials.begin(), model.materials.end(),
                     [](const Material& material) { return material.grain.has_value(); });
}
bool has_turns(const Model& model) {
  const auto turns = [](const Material& material) { return material.rolling > 0 || material.torsion > 0; };
  return std::any_of(model.materials.begin(), model.materials.end(), turns) || turns(Material{});
}

}  // namespace

bool has_laws(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [&](const Joint& joint) { return is_lawful(joint, model.extras_of(joint)); }) ||
         CollideFilter(model).any_may_touch(model);
}

bool has_grain(const Model& model) {
  return std::any_of(model.materials.begin(), model.materials.end(), [](const Material& material) {
    return material.grain && material.grain->forward != material.grain->backward;
  });
}

bool has_soft_joints(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [&](const Joint& joint) { return model.extras_of(joint).compliance != 0; });
}

bool has_soft_contacts(const Model& model) {
  return std::any_of(model.materials.begin(), model.materials.end(),
                     [](const Material& material) { return material.compliance > 0; });
}

bool has_creep(const Model& model) {
  return std::any_of(model.materials.begin(), model.materials.end(),
                     [](const Material& material) { return material.creep > 0; });
}

Model without_lawful_joints(const Model& model) {
  Model out = model;
  for (Joint& joint : out.joints) {
    if (joint.extras < 0) continue;
    JointExtras& extras = out.extras[static_cast<std::size_t>(joint.extras)];
    if (extras.motor && extras.motor->max_force) extras.motor.reset();
    if (!is_rope(joint, extras) && extras.compliance == 0) continue;
    joint.kind = JointKind::coupling;
    extras.rows.clear();
  }
  return out;
}

namespace {

bool has_joints_held_by_laws(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
    const JointExtras& extras = model.extras_of(joint);
    return (extras.motor && extras.motor->max_force) || extras.compliance != 0 || is_rope(joint, extras);
  });
}

}  // namespace

LawlessModel::LawlessModel(const Model& model, bool enforced)
    : changed_(enforced && has_joints_held_by_laws(model) ? std::optional<Model>(without_lawful_joints(model))
                                                          : std::nullopt),
      lawless(changed_ ? *changed_ : model) {}

Laws::Laws(const Model& model, const Kinematics& kinematics, double margin, int facets)
    : model_(&model),
      choices_{.facets = facets, .grain = has_grains(model), .turns = has_turns(model)},
      collider_(model, margin),
      clearance_(model, margin),
      coordinates_(model, kinematics) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (is_lawful(model.joints[j], model.extras_of(model.joints[j]))) add_lawful(JointId(j));
}

void Laws::find(const Kinematics& kinematics, double ahead) {
  ahead_ = ahead;
  find_contacts(kinematics.state(), ahead);
  fill(kinematics);
}

void Laws::find_among(const std::vector<Contact>& which, const Kinematics& kinematics) {
  search_.at.clear();
  collider_.find_among(which, kinematics.state(), contacts_);
  fill(kinematics);
}

// The rows of the contacts found, and of the joints.
void Laws::fill(const Kinematics& kinematics) {
  rows_.clear();
  tangents_.clear();
  rows_.rows.reserve(3 * contacts_.size());
  for (std::size_t i = 0; i < contacts_.size(); ++i) add_contact(kinematics, static_cast<int>(i));
  const auto rests = [&](BodyId body) { return !resting_.empty() && body.valid() && resting_[body] != 0; };
  for (const Lawful& lawful : joints_)
    if (resting_.empty() || (!rests(model_->joints[lawful.joint].a) && !rests(model_->joints[lawful.joint].b)))
      add_joint(kinematics, lawful);
}

void Laws::leave_out(const std::vector<char>& resting) {
  resting_ = resting;
  collider_.leave_out(resting);
  search_.at.clear();
}

void Laws::find_contacts(const State& state, double ahead) {
  if (is_known(state, ahead)) return;
  search_.at.clear();
  if (clearance_.holds(state, ahead)) return contacts_.clear();
  ++search_.count;
  collider_.find(state, contacts_, ahead);
  if (contacts_.empty() && resting_.empty()) return clearance_.renew(state);
  search_.at = state.bodies;
  search_.ahead = ahead;
}

// Whether contacts_ are those of these positions, and of these velocities where these matter.
bool Laws::is_known(const State& state, double ahead) const {
  if (ahead != 0 && ahead != search_.ahead) return false;
  if (!have_same_positions(search_.at, state.bodies)) return false;
  return ahead == 0 || std::equal(search_.at.begin(), search_.at.end(), state.bodies.begin(),
                                  [](const BodyState& x, const BodyState& y) {
                                    return x.velocity == y.velocity && x.angular_velocity == y.angular_velocity;
                                  });
}

void Laws::add_row(LawBlock& block, const Kinematics& kinematics, const BodyVector& a, const BodyVector& b,
                   const Materials& at) {
  LawRow& row = rows_.rows.emplace_back();
  const auto set = [&](BodyId body, const BodyVector& on_body, BodyVector& J) {
    const BodyState& state = kinematics.body(body);
    const BodyKind kind = model_->bodies[body].kind;
    if (kind == BodyKind::rigid) {
      J.linear = on_body.linear;
      J.angular = on_body.angular;
      row.speed += dot(J.linear, state.velocity) + dot(J.angular, state.angular_velocity);
      return;
    }
    J = restricted(kind, on_body);
    row.speed += dot(J, velocity_of(state));
  };
  if (block.a.valid()) set(block.a, a, row.a);
  if (block.b.valid()) set(block.b, b, row.b);
  if (kinematics.has_forms()) [[unlikely]] {
    const auto add_form = [&](BodyId body, const Vec3& material, const BodyVector& on_frame, BodyId& own,
                              BodyVector& J) {
      const FormPlacement* form = kinematics.form(body);
      if (!form) return;
      own = form->own;
      J = on_form(*form, kinematics.R(body), material, on_frame);
      row.speed += dot(J, velocity_of(kinematics.body(own)));
    };
    LawRows::OnForms on_forms{};
    add_form(block.a, at.a, row.a, block.own.a, on_forms.a);
    add_form(block.b, at.b, row.b, block.own.b, on_forms.b);
    if (block.own.a.valid() || block.own.b.valid()) {
      row.on_forms = static_cast<int>(rows_.forms.size());
      rows_.forms.push_back(on_forms);
    }
  }
}

void Laws::find_bias(const Kinematics& kinematics) {
  // A normal turns no faster than the bodies, or than they pass over a curvature of a centimetre; it is to turn by 1e-4 rad.
  constexpr double kTurn = 1e-4, kCurvature = 100;
  if (contacts_.empty()) return;
  double rate = 1;
  for (const BodyState& s : kinematics.state().bodies)
    rate = std::max({rate, norm(s.angular_velocity), kCurvature * norm(s.velocity)});
  const double dt = kTurn / rate;
  if (!moved_) moved_.emplace(Moved{kinematics.state(), Kinematics(*model_), {}, {}});
  moved_->sides.assign(contacts_.size(), 0);
  difference(kinematics, dt);
  difference(kinematics, -dt);
  for (const LawBlock& block : rows_.blocks) {
    if (block.kind != LawKind::contact || moved_->sides[static_cast<std::size_t>(block.source)] == 0) continue;
    for (int i = block.first; i < block.first + block.size; ++i)
      rows_.rows[static_cast<std::size_t>(i)].c /= moved_->sides[static_cast<std::size_t>(block.source)];
  }
}

// c += (J v dt later − J v)/dt, with the velocities of now, for the contacts that are there then too.
void Laws::difference(const Kinematics& kinematics, double dt) {
  auto& [state, moved, contacts, sides] = *moved_;
  state = kinematics.state();
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    displace(model_->bodies[i].kind, dt * velocity_of(state.bodies[i]), state.bodies[i]);
  moved.update(*model_, state);
  collider_.find_among(contacts_, state, contacts);
  auto next = contacts.begin();  // both lists are in the same order
  const auto same = [](const Contact& x, const Contact& y) {
    return x.a == y.a && x.b == y.b && x.shape_a == y.shape_a && x.shape_b == y.shape_b && x.feature == y.feature;
  };
  for (const LawBlock& block : rows_.blocks) {
    if (block.kind != LawKind::contact) continue;
    const Contact& here = contacts_[static_cast<std::size_t>(block.source)];
    const auto found = std::find_if(next, contacts.end(), [&](const Contact& c) { return same(c, here); });
    if (found == contacts.end()) continue;
    next = found + 1;
    ++sides[static_cast<std::size_t>(block.source)];
    LawRow* rows = rows_.rows.data() + block.first;
    const Materials at = materials_of(moved, *found);
    rows[0].c += (speed(moved, *found, found->normal, at) - rows[0].speed) / dt;
    for (int i = 1; i < block.size; ++i) {
      // The tangent turns with the normal.
      const Vec3& t = tangents(block)[static_cast<std::size_t>(i - 1)];
      const Vec3 turned = t - dot(t, found->normal) * found->normal;
      rows[i].c += (speed(moved, *found, turned / norm(turned), at) - rows[i].speed) / dt;
    }
  }
}

}  // namespace catena
