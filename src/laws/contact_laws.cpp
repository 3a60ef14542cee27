// Contacts as rows with laws: along their normals, across them, rolling and turning.
#include <algorithm>
#include <cmath>
#include <span>

#include "catena/constraint/basic_rows.h"
#include "catena/laws/laws.h"

namespace catena {
namespace {

// Numbers that look the same from step to step: bodies, shapes and feature of a contact.
std::uint64_t key_of(const Contact& c) {
  std::uint64_t key = c.feature;
  for (const std::uint64_t part : {static_cast<std::uint64_t>(c.a.value()), static_cast<std::uint64_t>(c.b.value() + 1),
                                   static_cast<std::uint64_t>(c.shape_a), static_cast<std::uint64_t>(c.shape_b)})
    key = (key ^ (part + 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
  return key | 1;
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

// A row of a rigid body along a direction at a point of the world.
void push_rigid(const BodyState& body, const Vec3& position, const Vec3& direction, BodyVector& J, double& speed) {
  J.linear = direction;
  J.angular = cross(position - body.position, direction);
  speed += dot(J.linear, body.velocity) + dot(J.angular, body.angular_velocity);
}

}  // namespace

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
  const Vec3 directions[] = {c.normal, tangents_.back()[0], tangents_.back()[1]};
  const std::span<const Vec3> along_rows(directions, static_cast<std::size_t>(block.size));
  const auto is_rigid = [&](BodyId body) { return !body.valid() || model_->bodies[body].kind == BodyKind::rigid; };
  if (is_rigid(c.a) && is_rigid(c.b)) {
    for (const Vec3& direction : along_rows) {
      LawRow& row = rows_.rows.emplace_back();
      if (c.a.valid()) push_rigid(kinematics.body(c.a), c.position, direction, row.a, row.speed);
      if (c.b.valid()) push_rigid(kinematics.body(c.b), c.position, -direction, row.b, row.speed);
    }
  } else {
    const Materials at = materials_of(kinematics, c);
    const AttachedPoint on_a = c.a.valid() ? point_of(kinematics, c.a, c.position) : AttachedPoint{},
                        on_b = c.b.valid() ? point_of(kinematics, c.b, c.position) : AttachedPoint{};
    for (const Vec3& direction : along_rows)
      add_row(block, kinematics, c.a.valid() ? along(direction, on_a) : BodyVector{},
              c.b.valid() ? negative(along(direction, on_b)) : BodyVector{}, at);
  }
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

}  // namespace catena
