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

// Numbers that look the same from step to step: bodies, shapes and feature of a contact.
std::uint64_t key_of(const Contact& c) {
  std::uint64_t key = c.feature;
  for (const std::uint64_t part : {static_cast<std::uint64_t>(c.a.value()), static_cast<std::uint64_t>(c.b.value() + 1),
                                   static_cast<std::uint64_t>(c.shape_a), static_cast<std::uint64_t>(c.shape_b)})
    key = (key ^ (part + 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
  return key | 1;
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

constexpr double kAtRest = 1e-6;  // m/s: a slower slip has no direction
constexpr double kAside = 1e-6;   // of the slip: with less along the grain it is across it

// A point of a body that is at `position` in the world.
AttachedPoint point_of(const Kinematics& kinematics, BodyId body, const Vec3& position) {
  AttachedPoint at;
  at.arm = position - kinematics.body(body).position;
  at.scale = kinematics.body(body).scale;
  return at;
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

// A ball is carried by the point in its middle, and what a ball is swept over by the points of its core.
Laws::Materials Laws::materials_of(const Kinematics& kinematics, const Contact& c) const {
  if (!kinematics.has_forms()) return {};
  const auto material = [&](BodyId body, int shape, const Vec3& surface, const Vec3& inward) -> Vec3 {
    const FormPlacement* form = kinematics.form(body);
    if (!form) return {};
    const Geometry& geometry = model_->bodies[body].shapes[static_cast<std::size_t>(shape)].geometry;
    double radius = 0;
    if (const auto* sphere = std::get_if<Sphere>(&geometry)) radius = sphere->radius;
    if (const auto* capsule = std::get_if<Capsule>(&geometry)) radius = capsule->radius;
    const Vec3 core = surface + radius * inward - kinematics.body(body).position;
    return material_point(*form->form, form->motion.q, transpose_times(kinematics.R(body), core));
  };
  return {material(c.a, c.shape_a, c.on_a(), c.normal), material(c.b, c.shape_b, c.on_b(), -c.normal)};
}

bool Laws::is_flat(const Contact& c) const {
  const auto planar = [&](BodyId body) { return body.valid() && model_->bodies[body].kind == BodyKind::planar; };
  return planar(c.a) || planar(c.b);
}

// The relative velocity of the two bodies where they touch, along the normal (from b to a) and two tangents.
void Laws::add_contact(const Kinematics& kinematics, int index) {
  const Contact& c = contacts_[static_cast<std::size_t>(index)];
  LawBlock block{.kind = LawKind::contact,
                 .a = c.a,
                 .b = c.b,
                 .first = static_cast<int>(rows_.rows.size()),
                 .size = is_flat(c) ? 2 : 3,
                 .source = index,
                 .gap = c.gap,
                 .restitution = c.restitution,
                 .spring = {choices_.give_way ? c.compliance : 0, c.relaxation},
                 .across = {.friction = {c.friction, c.friction},
                            .creep = choices_.give_way ? c.creep : 0,
                            .facets = choices_.facets},
                 .key = key_of(c)};
  orient(kinematics, c, block);
  const Materials at = materials_of(kinematics, c);
  const AttachedPoint on_a = c.a.valid() ? point_of(kinematics, c.a, c.position) : AttachedPoint{},
                      on_b = c.b.valid() ? point_of(kinematics, c.b, c.position) : AttachedPoint{};
  const Vec3 directions[] = {c.normal, tangents_.back()[0], tangents_.back()[1]};
  for (const Vec3& direction : std::span(directions, static_cast<std::size_t>(block.size)))
    add_row(block, kinematics, c.a.valid() ? along(direction, on_a) : BodyVector{},
            c.b.valid() ? negative(along(direction, on_b)) : BodyVector{}, at);
  if (block.across.shift != 0) rows_.push_along(rows_.row(block), rows_, rows_.row(block, 1), block.across.shift);
  rows_.blocks.push_back(block);
  add_turns(kinematics, c, block);
}

const Material& Laws::material(BodyId body, int shape) const {
  static const Material standard;
  const std::vector<Shape>& shapes = body.valid() ? model_->bodies[body].shapes : model_->ground_shapes;
  return model_->materials.empty()
           ? standard
           : model_->materials[static_cast<std::size_t>(shapes[static_cast<std::size_t>(shape)].material)];
}

// Tangents, and friction along them. Of two materials with a grain that of a counts; the other takes part with its mean. Forward is where the
// material's own body slips: the first tangent is turned so that its row's velocity, of a over b, is then positive.
void Laws::orient(const Kinematics& kinematics, const Contact& c, LawBlock& block) {
  const Mat3 frame = frame_along(c.normal);
  tangents_.push_back(block.size == 2 ? std::array{cross(Vec3{0, 0, 1}, c.normal), Vec3{}}
                                      : std::array{frame.column(0), frame.column(1)});
  if (!choices_.grain) return;
  const Material &on_a = material(c.a, c.shape_a), &on_b = material(c.b, c.shape_b);
  if (!on_a.grain && !on_b.grain) return;
  const BodyId owner = on_a.grain ? c.a : c.b;
  const Grain& grain = on_a.grain ? *on_a.grain : *on_b.grain;
  const double other = on_a.grain ? on_b.friction : on_a.friction;
  const Vec3 along = owner.valid() ? kinematics.R(owner) * grain.along : grain.along;
  const Vec3 forward = (on_a.grain ? 1.0 : -1.0) * (along - dot(along, c.normal) * c.normal);
  const double size = norm(forward);
  const auto pair = [&](double own) { return std::sqrt(own * other); };
  const double ahead = pair(grain.forward), back = pair(grain.backward), aside = pair(grain.sideways);
  if (!(size > 1e-9)) {  // the grain stands on the other body
    block.across.friction = {aside, aside};
    return;
  }
  block.across.facets = 0;  // a pyramid has no grain
  const Vec3 first = forward / size;
  if (block.size == 3) tangents_.back() = {first, cross(c.normal, first)};
  else if (dot(tangents_.back()[0], first) < 0) tangents_.back()[0] = -1.0 * tangents_.back()[0];
  // Slipping forward the force is −ahead, backward +back: one half of an ellipse or the other. At rest it may be anything between: an
  // ellipse about the middle.
  const Materials at = materials_of(kinematics, c);
  const double along_slip = speed(kinematics, c, first, at),
               across_slip = speed(kinematics, c, cross(c.normal, first), at);
  const double slip = std::hypot(along_slip, across_slip);
  if (slip > kAtRest) {
    const bool aside_only = std::abs(along_slip) <= kAside * slip;
    block.across.friction = {aside_only ? 0.5 * (ahead + back) : along_slip > 0 ? ahead : back, aside};
    return;
  }
  block.across.friction = {0.5 * (ahead + back), aside};
  block.across.shift = 0.5 * (back - ahead);
}

// Rolling and torsional friction, the larger of the pair's. Rolling is held along the axis it turns about and across it.
void Laws::add_turns(const Kinematics& kinematics, const Contact& c, const LawBlock& contact) {
  if (!choices_.turns) return;
  const Material &on_a = material(c.a, c.shape_a), &on_b = material(c.b, c.shape_b);
  const double rolling = std::max(on_a.rolling, on_b.rolling), torsion = std::max(on_a.torsion, on_b.torsion);
  const auto add = [&](const Vec3& axis, double lever, int number) {
    LawBlock block{.kind = LawKind::turn,
                   .a = c.a,
                   .b = c.b,
                   .first = static_cast<int>(rows_.rows.size()),
                   .size = 1,
                   .source = contact.source,
                   .turn = {lever, contact.key},
                   .key = contact.key + 2 * static_cast<std::uint64_t>(number)};
    add_row(block, kinematics, c.a.valid() ? about(axis) : BodyVector{}, c.b.valid() ? about(-axis) : BodyVector{}, {});
    rows_.blocks.push_back(block);
  };
  if (torsion > 0 && contact.size == 3) add(c.normal, torsion, 1);
  if (!(rolling > 0)) return;
  if (contact.size == 2) return add({0, 0, 1}, rolling, 2);
  const auto spin = [&](BodyId body) { return body.valid() ? kinematics.body(body).angular_velocity : Vec3{}; };
  const Vec3 turning = spin(c.a) - spin(c.b), across = turning - dot(turning, c.normal) * c.normal;
  const Vec3 axis = norm(across) > 1e-9 && !choices_.rolling_axes_kept ? across / norm(across) : tangents_.back()[0];
  add(axis, rolling, 2);
  add(cross(c.normal, axis), rolling, 3);
}

// J v of a contact along a direction.
double Laws::speed(const Kinematics& kinematics, const Contact& c, const Vec3& direction, const Materials& at) const {
  double sum = 0;
  for (const BodyId body : {c.a, c.b}) {
    if (!body.valid()) continue;
    const BodyVector row =
        restricted(model_->bodies[body].kind, along(direction, point_of(kinematics, body, c.position)));
    double along_it = dot(row, velocity_of(kinematics.body(body)));
    if (const FormPlacement* form = kinematics.form(body)) [[unlikely]]
      along_it += dot(on_form(*form, kinematics.R(body), body == c.a ? at.a : at.b, row),
                      velocity_of(kinematics.body(form->own)));
    sum += (body == c.a ? 1 : -1) * along_it;
  }
  return sum;
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
