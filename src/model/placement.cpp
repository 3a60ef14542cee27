#include "catena/model/placement.h"

#include <fmt/format.h>

#include <cmath>

#include "catena/model/form_blocks.h"
#include "catena/model/joint_rules.h"
#include "catena/model/stretching_form.h"

namespace catena {
namespace {

using Pair = std::array<Vec3, 2>;

[[noreturn]] void refuse(const JointSpec& spec, const std::string& why) {
  throw InputError{fmt::format("joint '{}': {}", spec.name, why)};
}

// Of unit length, which what was written need not be: validate() has yet to see it.
Quat orientation_of(const State& state, BodyId body) {
  return body.valid() ? normalized(state.bodies[body].orientation) : Quat{};
}

Vec3 position_of(const State& state, BodyId body) { return body.valid() ? state.bodies[body].position : Vec3{}; }

Vec3 unit(const JointSpec& spec, const char* key, const Vec3& v) {
  const double length = norm(v);
  if (!(length > 0) || !std::isfinite(length)) {
    refuse(spec, fmt::format("{} ({}, {}, {}) has no direction; give a vector that is not zero", key, v.x, v.y, v.z));
  }
  return v / length;
}

// The shortest turn that takes the unit vector a to b.
Quat turn_between(const Vec3& a, const Vec3& b) {
  const double c = dot(a, b);
  if (c < -1 + 1e-12) {
    const Vec3 p = perpendicular(a);
    return {0, p.x, p.y, p.z};
  }
  const Vec3 v = cross(a, b);
  return normalized(Quat{1 + c, v.x, v.y, v.z});
}

Quat quat_along(const Vec3& axis) { return from_matrix(frame_along(axis)); }

// The frame with third column `axis` and first column `first`, perpendicular to it.
Quat quat_along(const Vec3& axis, const Vec3& first) {
  return from_matrix(Mat3::from_columns(first, cross(axis, first), axis));
}

bool has_two_axes(JointKind kind) {
  return kind == JointKind::universal || kind == JointKind::perpendicular_axes || kind == JointKind::gear ||
         kind == JointKind::rack;
}

bool needs_axis(JointKind kind) {
  switch (kind) {
    case JointKind::hinge:
    case JointKind::slider:
    case JointKind::cylindrical:
    case JointKind::universal:
    case JointKind::planar:
    case JointKind::screw:
    case JointKind::point_on_line:
    case JointKind::point_on_plane:
    case JointKind::aligned_axes:
    case JointKind::perpendicular_axes:
    case JointKind::gear:
    case JointKind::rack:
    case JointKind::skate: return true;
    default: return false;
  }
}

bool needs_anchor(JointKind kind) {
  switch (kind) {
    case JointKind::ball:
    case JointKind::hinge:
    case JointKind::cylindrical:
    case JointKind::universal:
    case JointKind::planar:
    case JointKind::screw:
    case JointKind::point_on_line:
    case JointKind::point_on_plane:
    case JointKind::skate:
    case JointKind::pin: return true;
    default: return false;
  }
}

// Joints that need no anchor but have a place all the same (weld, slider, …) sit at the second body's centre of mass.
Pair world_anchors(const State& state, const JointSpec& spec, JointKind kind, BodyId a, BodyId b) {
  if (spec.anchors) return *spec.anchors;
  if (spec.anchor) return {*spec.anchor, *spec.anchor};
  if (kind == JointKind::distance) return {position_of(state, a), position_of(state, b)};
  if (needs_anchor(kind)) {
    refuse(spec, fmt::format("a {} joint needs an anchor, the point where its bodies meet at t = 0: anchor: [x, y, z]",
                             name_of(kind)));
  }
  const Vec3 place = b.valid() ? position_of(state, b) : position_of(state, a);
  return {place, place};
}

struct Frames {
  Quat a{}, b{};  // to world
};

Vec3 second_axis(const JointSpec& spec, JointKind kind, const Vec3& axis) {
  if (kind == JointKind::rack && !spec.axis2) {
    refuse(spec,
           "a rack joint needs axis2, the direction the rack moves in, fixed in the second body: axis2: [x, y, z]");
  }
  if (!spec.axis2) return kind == JointKind::gear ? axis : perpendicular(axis);
  return unit(spec, "axis2", *spec.axis2);
}

// Each body has an axis of its own. Where the axes cross, both frames start with their common normal, so that the two turns of
// a universal joint begin at zero.
Frames frames_of_two(const JointSpec& spec, JointKind kind, const Vec3& axis, const Vec3& axis2) {
  if (kind == JointKind::gear || kind == JointKind::rack) return {quat_along(axis), quat_along(axis2)};
  const Vec3 normal = cross(axis, axis2);
  if (norm(normal) < 1e-9) {
    refuse(spec, fmt::format("its two axes are parallel; a {} joint needs them perpendicular", name_of(kind)));
  }
  return {quat_along(axis, normalized(normal)), quat_along(axis2, normalized(normal))};
}

Frames world_frames(const JointSpec& spec, JointKind kind) {
  if (kind == JointKind::pin || kind == JointKind::planar_weld) return {};
  if (spec.axes) {
    const Vec3 first = unit(spec, "axes[0]", (*spec.axes)[0]), second = unit(spec, "axes[1]", (*spec.axes)[1]);
    if (has_two_axes(kind)) return frames_of_two(spec, kind, first, second);
    const Quat frame = quat_along(first);
    return {frame, normalized(turn_between(first, second) * frame)};
  }
  if (!spec.axis) {
    if (needs_axis(kind)) refuse(spec, fmt::format("a {} joint needs an axis: axis: [x, y, z]", name_of(kind)));
    return {};
  }
  const Vec3 axis = unit(spec, "axis", *spec.axis);
  if (has_two_axes(kind)) return frames_of_two(spec, kind, axis, second_axis(spec, kind, axis));
  const Quat frame = quat_along(axis);
  return {frame, frame};
}

// A wheel or ball on a plane of the ground or of another body: frame A along the plane's normal, frame B along the disc's axis,
// anchor A where they touch, anchor B the centre.
void place_rolling(const Model& model, const State& state, const JointSpec& spec, Joint& joint) {
  if (spec.anchors || spec.axes)
    refuse(spec, "a rolling joint has one anchor, its centre, and one axis, that of the disc");
  const Vec3 normal = unit(spec, "normal", spec.normal.value_or(Vec3{0, 0, 1}));
  const Vec3 centre = spec.anchor.value_or(position_of(state, joint.b));
  const Quat q_b = orientation_of(state, joint.b).conjugate();
  joint.disc = spec.axis.has_value();
  Vec3 up = normal;
  Quat frame_b = quat_along(normal);
  if (joint.disc) {
    const Vec3 axis = unit(spec, "axis", *spec.axis);
    up = normal - dot(normal, axis) * axis;
    if (norm(up) < 1e-9) refuse(spec, "the disc lies flat on the plane; its axis must not be parallel to the normal");
    up = normalized(up);
    frame_b = quat_along(axis);
  }
  joint.frame_a = normalized(orientation_of(state, joint.a).conjugate() * quat_along(normal));
  joint.frame_b = normalized(q_b * frame_b);
  joint.anchor_a = to_body(model, state, joint.a, centre - *spec.radius * up);
  joint.anchor_b = to_body(model, state, joint.b, centre);
  if (joint.b.valid()) joint.parameter /= state.bodies[joint.b].scale;  // the radius at scale 1
}

// Frames and anchors of surfaces are their own: anchor B of a point on a surface is the point.
void place_surfaces(const Model& model, const State& state, const JointSpec& spec, Joint& joint) {
  const bool tangent = joint.kind == JointKind::tangent_surfaces;
  if (!spec.surfaces[0] || (tangent && !spec.surfaces[1]))
    refuse(spec, tangent ? "needs two surfaces, of the first and of the second body: surfaces: [{plane: [0, 0, 1]}, "
                           "{ellipsoid: [0.3, 0.2, 0.1]}]"
                         : "needs a surface of the first body: surface: {sphere: 0.5}");
  if (tangent && (spec.anchor || spec.anchors)) refuse(spec, "its surfaces have places of their own: at: [x, y, z]");
  JointSurfaces surfaces{spec.surfaces[0]->surface, {}, spec.slides, spec.inside};
  const auto place = [&](const SurfaceSpec& given, BodyId body, Vec3& anchor, Quat& frame) {
    anchor = given.at ? to_body(model, state, body, *given.at) : Vec3{};
    frame = given.orientation ? normalized(orientation_of(state, body).conjugate() * *given.orientation) : Quat{};
  };
  place(*spec.surfaces[0], joint.a, joint.anchor_a, joint.frame_a);
  if (tangent) {
    surfaces.second = spec.surfaces[1]->surface;
    place(*spec.surfaces[1], joint.b, joint.anchor_b, joint.frame_b);
  } else {
    joint.anchor_b = spec.anchor ? to_body(model, state, joint.b, *spec.anchor) : Vec3{};
  }
  for (JointSurface* surface : {&surfaces.first, &surfaces.second}) {
    if (const std::string fault = fault_of(*surface); !fault.empty() && (tangent || surface == &surfaces.first))
      refuse(spec, fault);
    if (surface->kind == JointSurface::Kind::height_field) fill_spline(*surface);
  }
  joint.surfaces = std::make_shared<const JointSurfaces>(std::move(surfaces));
}

// Freedoms as written are in the world where all coordinates stand at their zero and both bodies as in `initial`.
void place_freedoms(const State& initial, const JointSpec& spec, Joint& joint, JointExtras& extras) {
  if (spec.freedoms.size() > kMaxCoordinates)
    refuse(spec, fmt::format("has {} freedoms; between two bodies there are at most six", spec.freedoms.size()));
  const Quat turn = normalized(orientation_of(initial, joint.a) * joint.frame_a).conjugate();
  const Vec3 origin = position_of(initial, joint.a) + rotate(orientation_of(initial, joint.a), joint.anchor_a);
  for (std::size_t k = 0; k < spec.freedoms.size(); ++k) {
    Freedom freedom = spec.freedoms[k];
    freedom.axis = rotate(turn, unit(spec, "axis", freedom.axis));
    freedom.anchor = rotate(turn, freedom.anchor - origin);
    extras.start[k] = freedom.start;
    joint.freedoms.push_back(std::move(freedom));
  }
}

double required(const JointSpec& spec, const std::optional<double>& number, const char* key, const char* meaning) {
  if (!number) refuse(spec, fmt::format("a {} joint needs {}, {}", name_of(spec.kind), key, meaning));
  return *number;
}

double parameter_of(const JointSpec& spec, JointKind kind, const Pair& anchors) {
  switch (kind) {
    case JointKind::distance:
      if (spec.extras.length) return spec.extras.length->value(0);
      return spec.length.value_or(norm(anchors[1] - anchors[0]));
    case JointKind::screw: return required(spec, spec.pitch, "a pitch", "how far it moves in a radian: pitch: 0.01");
    case JointKind::gear:
      return required(spec, spec.ratio, "a ratio", "the second's rate over the first's: ratio: -0.5");
    case JointKind::rack: return required(spec, spec.radius, "a radius", "of its pinion: radius: 0.1");
    case JointKind::rolling: return required(spec, spec.radius, "a radius", "of the ball or disc: radius: 0.1");
    default: return 0;
  }
}

bool is_planar(const Model& model, BodyId body) { return body.valid() && model.bodies[body].kind == BodyKind::planar; }

// Between planar bodies: hinge → pin, weld → planar weld.
JointKind kind_between(const Model& model, const JointSpec& spec, BodyId a, BodyId b) {
  const bool planar =
      (is_planar(model, a) && (!b.valid() || is_planar(model, b))) || (!a.valid() && is_planar(model, b));
  if (!planar) return spec.kind;
  const bool turns = spec.kind == JointKind::hinge || spec.kind == JointKind::pin;
  if (turns && spec.axis && norm(cross(*spec.axis, Vec3{0, 0, 1})) + std::abs(spec.axis->z - norm(*spec.axis)) > 0) {
    refuse(spec, "planar bodies turn about +z; leave the axis out");
  }
  if (spec.kind == JointKind::hinge) return JointKind::pin;
  return spec.kind == JointKind::weld ? JointKind::planar_weld : spec.kind;
}

bool says_something(const JointExtras& e) {
  const bool numbers =
      e.damping != 0 || e.stiffness != 0 || e.rest != 0 || e.friction != 0 || e.compliance != 0 || e.relaxation != 0;
  const bool start = e.start != JointArray{} || e.armature != JointArray{};
  return e.motor || e.limits || e.limits2 || e.length || e.moves || e.switching || e.curve || numbers || start ||
         !e.rows.empty();
}

// Mass, inertia and centre of a body from what was given of them.
MassProperties weigh(const BodySpec& spec) {
  const auto refuse_body = [&](const char* why) { throw InputError{fmt::format("body '{}': {}", spec.name, why)}; };
  if (spec.mass && spec.density) refuse_body("mass and density are both given; one follows from the other");
  if (!spec.mass && !spec.density) refuse_body("has no mass; give mass: in kg, or density: and shapes:");
  const bool turns = spec.kind != BodyKind::particle;
  if (spec.mass && (spec.inertia || !turns)) return {*spec.mass, {}, spec.inertia.value_or(Sym3{})};
  if (spec.shapes.empty()) {
    if (spec.density) refuse_body("density without shapes gives no mass; add shapes: or give mass:");
    refuse_body("has no inertia; give inertia: in kg m2, or shapes: to compute it from");
  }
  MassProperties whole = mass_properties(spec.shapes, spec.density.value_or(1));
  if (!(whole.mass > 0)) refuse_body("its shapes enclose no volume; give mass: and inertia:");
  const double scale = spec.mass ? *spec.mass / whole.mass : 1;
  whole.mass *= scale;
  whole.inertia = spec.inertia.value_or(scale * whole.inertia);
  return whole;
}

}  // namespace

namespace {

// A stretching body says what a rigid one says of its mass; its moments follow, and shapes around another centre move as a rigid body's do.
BodySpec weighed_form(const BodySpec& spec, const StretchingForm& form) {
  const MassProperties whole = weigh(spec);
  Stretches stretches = form.stretches();
  stretches.moments = second_moments(spec.name, whole.inertia, stretches);
  BodySpec out = spec;
  out.mass = whole.mass;
  out.density.reset();
  out.inertia.reset();
  out.form = std::make_shared<StretchingForm>(stretches);
  if (norm(whole.centre) > 1e-9 * std::sqrt(trace(whole.inertia) / whole.mass)) {
    for (Shape& shape : out.shapes) shape.position -= whole.centre;
    out.position += rotate(normalized(spec.orientation), out.form->point(whole.centre, {spec.form_start, {}, {}}).x);
  }
  return out;
}

// The frame of a body with a form, and the block of its form right after it.
BodyId append_formed(Model& model, State& initial, const BodySpec& spec) {
  const auto refuse_body = [&](const char* why) { throw InputError{fmt::format("body '{}': {}", spec.name, why)}; };
  if (spec.kind != BodyKind::formed || !spec.form) refuse_body("kind formed and a form go together");
  if (!spec.mass) refuse_body("has no mass; a form says only how its inertia follows its coordinates");
  if (spec.density || spec.inertia) refuse_body("its inertia is that of its form; give its mass alone");
  if (spec.form->coordinates() < 1 || spec.form->coordinates() > kMaxOwn)
    refuse_body("its form must have one to six coordinates");
  const BodyId frame(model.bodies.size()), own(model.bodies.size() + 1);
  Body body{spec.name,   BodyKind::formed,  *spec.mass, spec.form->mass(spec.form_start).inertia,
            spec.shapes, spec.collide_group};
  body.form = spec.form;
  body.partner = own;
  Body form;
  form.name = spec.name + ".form";
  form.kind = BodyKind::form;
  form.form = spec.form;
  form.partner = frame;
  model.bodies.push_back(std::move(body));
  model.bodies.push_back(std::move(form));
  initial.bodies.push_back({spec.position, spec.orientation, spec.velocity, spec.angular_velocity});
  initial.bodies.emplace_back();
  set_form(spec.form_start, spec.form_velocity, initial.bodies.back());
  return frame;
}

}  // namespace

BodyId append_body(Model& model, State& initial, const BodySpec& spec) {
  if (const auto* stretching = dynamic_cast<const StretchingForm*>(spec.form.get());
      stretching && stretching->stretches().moments == Vec3{})
    return append_formed(model, initial, weighed_form(spec, *stretching));
  if (spec.form || changes_form(spec.kind)) return append_formed(model, initial, spec);
  const MassProperties whole = weigh(spec);
  Body body{spec.name, spec.kind, whole.mass, whole.inertia, spec.shapes, spec.collide_group};
  BodyState state{spec.position,         spec.orientation, spec.velocity,
                  spec.angular_velocity, spec.scale,       spec.scale_velocity};
  const double size = std::sqrt(trace(whole.inertia) / whole.mass);
  if (norm(whole.centre) > 1e-9 * size) {
    for (Shape& shape : body.shapes) shape.position -= whole.centre;
    state.position += spec.scale * rotate(normalized(spec.orientation), whole.centre);
  }
  model.bodies.push_back(std::move(body));
  initial.bodies.push_back(state);
  return BodyId{model.bodies.size() - 1};
}

JointId append_joint(Model& model, const State& initial, const JointSpec& spec, BodyId a, BodyId b) {
  Joint joint;
  joint.name = spec.name;
  joint.kind = kind_between(model, spec, a, b);
  joint.primary = spec.primary;
  joint.a = a;
  joint.b = b;
  if (joint.kind != JointKind::coupling) {
    const Pair anchors = world_anchors(initial, spec, joint.kind, a, b);
    joint.parameter = parameter_of(spec, joint.kind, anchors);
    if (joint.kind == JointKind::rolling) {
      place_rolling(model, initial, spec, joint);
    } else if (joint.kind == JointKind::point_on_surface || joint.kind == JointKind::tangent_surfaces) {
      place_surfaces(model, initial, spec, joint);
    } else {
      const Frames frames = world_frames(spec, joint.kind);
      joint.anchor_a = to_body(model, initial, a, anchors[0]);
      joint.anchor_b = to_body(model, initial, b, anchors[1]);
      joint.frame_a = normalized(orientation_of(initial, a).conjugate() * frames.a);
      joint.frame_b = normalized(orientation_of(initial, b).conjugate() * frames.b);
    }
  }
  JointExtras extras = spec.extras;
  if (joint.kind == JointKind::compound) place_freedoms(initial, spec, joint, extras);
  if (extras.moves) {
    // Written in world axes at t = 0.
    extras.moves->axes = normalized(orientation_of(initial, a).conjugate() * extras.moves->axes);
    if (extras.moves->guide >= 0) extras.moves->guide = guide_count(model);
  }
  if (says_something(extras)) {
    joint.extras = static_cast<int>(model.extras.size());
    model.extras.push_back(std::move(extras));
  }
  joint.index = static_cast<int>(model.joints.size());
  model.joints.push_back(std::move(joint));
  return JointId{model.joints.size() - 1};
}

void append_spring(Model& model, const State& initial, const SpringSpec& spec, BodyId a, BodyId b) {
  const double length = spec.length.value_or(norm(spec.anchors[1] - spec.anchors[0]));
  model.springs.push_back({a, b, to_body(model, initial, a, spec.anchors[0]),
                           to_body(model, initial, b, spec.anchors[1]), spec.stiffness, spec.damping, length,
                           spec.curve});
}

Vec3 to_body(const Model& model, const State& state, BodyId body, const Vec3& point) {
  if (!body.valid()) return point;
  const BodyState& s = state.bodies[body];
  const Vec3 in_frame = rotate(orientation_of(state, body).conjugate(), point - s.position) / s.scale;
  if (model.bodies[body].kind != BodyKind::formed) return in_frame;
  const Body& frame = model.bodies[body];
  return material_point(*frame.form, form_coordinates(state.bodies[frame.partner]), in_frame);
}

}  // namespace catena
