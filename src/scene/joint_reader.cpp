#include <fmt/format.h>

#include <algorithm>

#include "catena/scene/carrier.h"
#include "catena/scene/coordinate_quantity.h"
#include "catena/scene/draft.h"
#include "catena/scene/joint_motion_reader.h"
#include "catena/scene/joint_surface_reader.h"
#include "catena/scene/relative.h"

namespace catena {
namespace {

JointKind read_kind(const Value& value) {
  const std::string word = read_text(value, "kind");
  std::vector<std::string> known;
  for (int i = 0; i < kJointKindCount; ++i) {
    const auto kind = static_cast<JointKind>(i);
    if (name_of(kind) == word) return kind;  // "weld" finds the spatial one first
    known.emplace_back(name_of(kind));
  }
  known.pop_back();  // the planar weld, named like the other
  fail(value.at, unknown("kind of joint", word, known));
}

// Keys that only some kinds have.
void refuse_keys(const Fields& fields, JointKind kind) {
  struct Rule {
    std::string_view key;
    std::initializer_list<JointKind> kinds;
  };
  using enum JointKind;
  const Rule rules[] = {{"axis2", {universal, perpendicular_axes, gear, rack}},
                        {"pitch", {screw}},
                        {"ratio", {gear}},
                        {"radius", {rack, rolling}},
                        {"normal", {rolling}},
                        {"length", {distance}},
                        {"carrier", {gear, rack}},
                        {"terms", {coupling}},
                        {"through", {coupling}},
                        {"rows", {coupling}},
                        {"coordinates", {coupling}},
                        {"velocity", {coupling}},
                        {"equals", {coupling}},
                        {"freedoms", {compound}},
                        {"surface", {point_on_surface}},
                        {"surfaces", {tangent_surfaces}},
                        {"slides", {tangent_surfaces}},
                        {"inside", {tangent_surfaces}}};
  for (const Rule& rule : rules) {
    bool right = false;
    std::string owners;
    for (const JointKind owner : rule.kinds) {
      right = right || owner == kind;
      owners += fmt::format("{}{}", owners.empty() ? "" : ", ", name_of(owner));
    }
    if (!right && fields.has(rule.key)) {
      fields.refuse(rule.key,
                    fmt::format("a {} joint has no '{}'; that belongs to {}", name_of(kind), rule.key, owners));
    }
  }
  if (kind != coupling) return;
  for (const std::string_view key : {"between", "anchor", "anchors", "axis", "axes", "motor", "limits"}) {
    if (fields.has(key)) fields.refuse(key, fmt::format("a coupling has no '{}'; its terms name the bodies", key));
  }
}

std::array<Vec3, 2> read_pair(const Value& value, std::string_view what, const Quantity& quantity, bool planar) {
  const auto& items = read_list(value, what, 2);
  return {read_vector(items[0], what, quantity, planar), read_vector(items[1], what, quantity, planar)};
}

void read_start(const Value& value, JointKind kind, JointArray& start) {
  const auto number = [&](const Value& item, int k) {
    return read_number(item, "start", coordinate_quantity(kind, k));
  };
  if (value.is_scalar()) {
    start[0] = number(value, 0);
    return;
  }
  const auto& items = read_list(value, "start");
  if (items.empty() || items.size() > 3)
    fail(value.at, fmt::format("start: one to three numbers are expected, not {}", value.describe()));
  for (std::size_t k = 0; k < items.size(); ++k) start[k] = number(items[k], static_cast<int>(k));
}

// Of a coordinate; a ball joint's are a cone about its axis and the twist about it.
Limits read_limits(const Value& value, std::string_view key, JointKind kind, int coordinate) {
  const bool ball = kind == JointKind::ball;
  const Fields limits(value, std::string(key), {"lower", "upper", "restitution", "cone"});
  const Quantity& quantity = ball                        ? quantity::kAngle
                           : kind == JointKind::distance ? quantity::kLength
                                                         : coordinate_quantity(kind, coordinate);
  Limits out;
  out.lower = limits.number("lower", quantity, out.lower);
  out.upper = limits.number("upper", quantity, out.upper);
  out.restitution = limits.number("restitution", quantity::kNumber, 0);
  if (const Value* cone = limits.find("cone")) {
    if (!ball) fail(cone->at, "cone: is of ball joints; others have lower and upper");
    out.cone = read_number(*cone, "cone", quantity::kAngle);
    if (!(out.cone > 0)) fail(cone->at, fmt::format("cone: {} must be positive", out.cone));
  }
  if (!(out.lower <= out.upper))
    fail(value.at, fmt::format("{}: lower {} is above upper {}", key, out.lower, out.upper));
  return out;
}

// One freedom of a compound joint: {hinge: axis, anchor: point, …} or {slide: axis, …}; `zero` is its coordinate at t = 0 unless `start`
// says otherwise. An anchor that is not given is the joint's.
Freedom read_freedom(const Value& value, const std::string& name, const std::optional<Vec3>& anchor) {
  const Fields fields(value, "freedom",
                      {"hinge", "slide", "name", "anchor", "zero", "limits", "damping", "stiffness", "spring", "rest",
                       "friction", "armature"});
  if (fields.has("hinge") == fields.has("slide"))
    fail(value.at, "freedom: hinge: [x, y, z] or slide: [x, y, z] is expected");
  Freedom out;
  out.name = fields.text("name", name);
  out.slides = fields.has("slide");
  const JointKind kind = out.slides ? JointKind::slider : JointKind::hinge;
  const Value& axis = *fields.find(out.slides ? "slide" : "hinge");
  out.axis = read_vec3(axis, "axis", quantity::kNumber);
  if (!(norm(out.axis) > 0)) fail(axis.at, "axis: (0, 0, 0) has no direction; give a vector that is not zero");
  out.anchor = anchor.value_or(Vec3{});
  if (const Value* v = fields.find("anchor")) out.anchor = read_vec3(*v, "anchor", quantity::kLength);
  else if (!anchor && !out.slides) fail(value.at, "freedom: needs an anchor, its own or the joint's");
  out.zero = out.start = fields.number("zero", coordinate_quantity(kind, 0), 0);
  if (const Value* v = fields.find("limits")) out.limits = read_limits(*v, "limits", kind, 0);
  out.damping = fields.number("damping", damping_quantity(kind, 0), 0);
  out.stiffness = fields.number("stiffness", stiffness_quantity(kind, 0), 0);
  if (const Value* v = fields.find("spring"))
    out.curve = read_curve(*v, coordinate_quantity(kind, 0), force_quantity(kind, 0));
  if (out.curve && out.stiffness != 0) fields.refuse("spring", "a stiffness and a spring are both given; one will do");
  out.rest = fields.number("rest", coordinate_quantity(kind, 0), 0);
  out.friction = fields.number("friction", force_quantity(kind, 0), 0);
  out.armature = fields.number("armature", out.slides ? quantity::kMass : quantity::kInertia, 0);
  return out;
}

void read_extras(const Fields& fields, JointKind kind, JointExtras& extras) {
  extras.damping = fields.number("damping", damping_quantity(kind, 0), 0);
  extras.stiffness = fields.number("stiffness", stiffness_quantity(kind, 0), 0);
  if (const Value* v = fields.find("spring"))
    extras.curve = read_curve(*v, coordinate_quantity(kind, 0), force_quantity(kind, 0));
  if (extras.curve && extras.stiffness != 0)
    fields.refuse("spring", "a stiffness and a spring are both given; one will do");
  extras.rest = fields.number("rest", coordinate_quantity(kind, 0), 0);
  extras.friction = fields.number("friction", force_quantity(kind, 0), 0);
  if (fields.has("armature"))
    extras.armature[0] = fields.number("armature", is_travel(kind, 0) ? quantity::kMass : quantity::kInertia, 0);
  if (kind == JointKind::ball) extras.armature[1] = extras.armature[2] = extras.armature[0];
  extras.compliance = fields.number("compliance", quantity::kCompliance, 0);
  extras.relaxation = fields.number("relaxation", quantity::kTime, 0);
  if (const Value* start = fields.find("start")) read_start(*start, kind, extras.start);
  if (const Value* value = fields.find("limits")) extras.limits = read_limits(*value, "limits", kind, 0);
  if (const Value* value = fields.find("limits2")) extras.limits2 = read_limits(*value, "limits2", kind, 1);
  if (const Value* value = fields.find("motor")) {
    const Fields motor(*value, "motor", {"velocity", "max_force"});
    extras.motor = Motor{read_signal(motor.need("velocity", "2"), "velocity", velocity_quantity(kind, 0)),
                         motor.number("max_force", force_quantity(kind, 0))};
  }
}

CouplingTerm read_term(const Value& value, const Draft& draft) {
  const Fields fields(value, "term", {"body", "linear", "angular", "frame"});
  CouplingTerm term;
  term.body = draft.moving_body(fields.need("body", "crank"), "body");
  const bool planar = draft.is_planar(term.body);
  if (!fields.has("linear") && !fields.has("angular"))
    fail(value.at, "term: needs linear: [x, y, z] or angular: [x, y, z]");
  if (const Value* v = fields.find("linear")) term.linear = read_vector(*v, "linear", quantity::kNumber, planar);
  if (const Value* v = fields.find("angular")) {
    term.angular = v->is_scalar() && planar ? Vec3{0, 0, read_number(*v, "angular", quantity::kNumber)}
                                            : read_vec3(*v, "angular", quantity::kNumber);
  }
  if (const Value* v = fields.find("frame")) {
    term.body_frame =
        read_choice(*v, "frame", std::array<std::pair<std::string_view, bool>, 2>{{{"world", false}, {"body", true}}});
  }
  return term;
}

// A polynomial p(q − reference) of a coordinate of a joint written before, as that joint reports it.
CoordinateTerm read_coordinate(const Value& value, const Draft& draft) {
  const Fields fields(value, "coordinate term", {"joint", "coordinate", "polynomial", "reference"});
  CoordinateTerm out;
  out.joint = draft.joint(fields.need("joint", "elbow"), "joint");
  const Joint& joint = draft.model().joints[out.joint];
  if (const Value* v = fields.find("coordinate")) {
    out.coordinate = static_cast<int>(std::min(read_count(*v, "coordinate", 0), 99LL));
    if (out.coordinate >= kMaxCoordinates)
      fail(v->at, fmt::format("coordinate: {} is not one of a joint's six", out.coordinate));
  }
  const Value& polynomial = fields.need("polynomial", "[0, 1]");
  const auto& items = read_list(polynomial, "polynomial");
  if (items.empty() || items.size() > 5)
    fail(polynomial.at,
         fmt::format("polynomial: one to five numbers p0 … p4 are expected, not {}", polynomial.describe()));
  for (std::size_t k = 0; k < items.size(); ++k)
    out.polynomial[k] = read_number(items[k], "polynomial", quantity::kNumber);
  out.reference = fields.number("reference", quantity::kNumber, 0);
  // The joint counts from where its frames coincide, which is where it starts.
  if (joint.kind != JointKind::compound)
    out.offset = draft.model().extras_of(joint).start[static_cast<std::size_t>(out.coordinate)];
  return out;
}

CouplingRow read_row(const Fields& fields, const Draft& draft) {
  CouplingRow row;
  if (const Value* coordinates = fields.find("coordinates")) {
    if (const Value* v = fields.find("equals")) row.equals = Motion(read_signal(*v, "equals", quantity::kNumber));
    for (const std::string_view key : {"terms", "velocity", "through"})
      if (fields.has(key)) fields.refuse(key, fmt::format("a row over coordinates has no '{}'", key));
    for (const Value& term : read_list(*coordinates, "coordinates"))
      row.coordinates.push_back(read_coordinate(term, draft));
    if (row.coordinates.empty()) fail(coordinates->at, "coordinates: at least one is expected");
    return row;
  }
  for (const Value& term : read_list(fields.need("terms", "[{body: crank, angular: [0, 0, 1]}]"), "terms")) {
    row.terms.push_back(read_term(term, draft));
  }
  // A row over turning alone is an angular velocity, one over moving alone a speed.
  bool moves = false, turns = false;
  for (const CouplingTerm& term : row.terms) {
    moves = moves || norm(term.linear) > 0;
    turns = turns || norm(term.angular) > 0;
  }
  const Quantity& quantity = moves && turns ? quantity::kNumber : turns ? quantity::kTurnRate : quantity::kSpeed;
  if (fields.has("equals")) fields.refuse("equals", "a row over velocities has 'velocity'; 'equals' is of coordinates");
  if (const Value* v = fields.find("velocity")) row.velocity = read_signal(*v, "velocity", quantity);
  if (const Value* through = fields.find("through")) {
    for (const Value& term : read_list(*through, "through")) row.through.push_back(read_term(term, draft));
  }
  return row;
}

std::vector<CouplingRow> read_rows(const std::string& name, const Value& joint, const Position& at,
                                   const Draft& draft) {
  const Fields fields(joint, fmt::format("joint '{}'", name),
                      {"kind", "terms", "velocity", "through", "rows", "coordinates", "equals", "compliance",
                       "relaxation", "primary", "attach", "detach", "attached"},
                      at);
  const Value* rows = fields.find("rows");
  if (rows == nullptr) return {read_row(fields, draft)};
  for (const std::string_view key : {"terms", "velocity", "through", "coordinates", "equals"}) {
    if (fields.has(key)) fields.refuse(key, fmt::format("'{}' belongs into a row of rows:", key));
  }
  std::vector<CouplingRow> out;
  for (const Value& row : read_list(*rows, "rows"))
    out.push_back(read_row(Fields(row, "row", {"terms", "velocity", "through", "coordinates", "equals"}), draft));
  return out;
}

void read_one(const Key& key, const Value& given, Draft& draft) {
  const Value value = given.is_map() ? in_world(given, draft) : given;
  const Value* kind = value.is_map() ? value.find("kind") : nullptr;
  if (kind != nullptr && kind->is_scalar() && kind->text == "coupling") {
    JointSpec spec = read_joint(key.text, value, key.at, draft.flat);
    spec.extras.rows = read_rows(key.text, value, key.at, draft);
    return draft.add_joint(spec, kGround, kGround, key.at);
  }
  BodyId a = kGround, b = kGround;
  if (const Value* between = value.is_map() ? value.find("between") : nullptr) {
    const auto& ends = read_list(*between, "between", 2);
    a = draft.body(ends[0], "between");
    b = draft.body(ends[1], "between");
  }
  const bool planar = draft.flat || draft.is_planar(a) || draft.is_planar(b);
  JointSpec spec = read_joint(key.text, value, key.at, planar);
  if (value.find("between") == nullptr) {
    fail(key.at, fmt::format("joint '{}' needs 'between', such as between: [ground, BODY]", key.text));
  }
  if (a == b) {
    fail(value.find("between")->at,
         fmt::format("joint '{}' joins {} to itself; between: needs two different bodies, or a body and ground",
                     key.text, a.valid() ? "'" + draft.model().bodies[a].name + "'" : "the ground"));
  }
  if (spec.anchor) *spec.anchor += draft.shift;
  if (spec.anchors) {
    for (Vec3& anchor : *spec.anchors) anchor += draft.shift;
  }
  for (Freedom& freedom : spec.freedoms) freedom.anchor += draft.shift;
  for (const std::size_t i : {0, 1}) {
    std::optional<SurfaceSpec>& surface = spec.surfaces[i];
    if (surface && (surface->at || !(i == 0 ? a : b).valid())) surface->at = surface->at.value_or(Vec3{}) + draft.shift;
  }
  const Value* carrier = value.find("carrier");
  if (carrier == nullptr) return draft.add_joint(spec, a, b, key.at);
  // Checked as the joint it is named, built as a coupling.
  if (!spec.axis || (spec.kind == JointKind::gear ? !spec.ratio : !spec.radius || !spec.axis2))
    fail(key.at, fmt::format("joint '{}' with a carrier needs {}", key.text,
                             spec.kind == JointKind::gear ? "axis and ratio" : "axis, axis2 and radius"));
  spec.extras.rows = {carried_row(spec, a, b, draft.moving_body(*carrier, "carrier"), draft.scene.initial)};
  JointSpec coupling{.name = spec.name, .kind = JointKind::coupling, .primary = spec.primary, .extras = spec.extras};
  draft.add_joint(coupling, kGround, kGround, key.at);
}

}  // namespace

JointSpec read_joint(const std::string& name, const Value& joint, const Position& at, bool planar) {
  const Fields fields(
      joint, fmt::format("joint '{}'", name),
      {"kind",       "between",  "anchor",   "anchors", "axis",    "axes",      "axis2",    "normal",      "length",
       "pitch",      "ratio",    "radius",   "terms",   "through", "rows",      "velocity", "coordinates", "limits",
       "limits2",    "armature", "freedoms", "motor",   "damping", "stiffness", "rest",     "friction",    "compliance",
       "relaxation", "start",    "primary",  "equals",  "spring",  "carrier",   "moves",    "attach",      "detach",
       "attached",   "surface",  "surfaces", "slides",  "inside"},
      at);
  JointSpec spec;
  spec.name = name;
  spec.kind = read_kind(fields.need("kind", "hinge"));
  refuse_keys(fields, spec.kind);
  if (fields.has("anchor") && fields.has("anchors"))
    fields.refuse("anchors", "anchor and anchors are both given; one will do");
  if (fields.has("axis") && fields.has("axes")) fields.refuse("axes", "axis and axes are both given; one will do");
  if (const Value* v = fields.find("anchor")) spec.anchor = read_vector(*v, "anchor", quantity::kLength, planar);
  if (const Value* v = fields.find("anchors")) spec.anchors = read_pair(*v, "anchors", quantity::kLength, planar);
  const auto direction = [&](const char* key, std::optional<Vec3>& out) {
    const Value* v = fields.find(key);
    if (v == nullptr) return;
    out =
        planar && v->items.size() == 2 ? read_vec2(*v, key, quantity::kNumber) : read_vec3(*v, key, quantity::kNumber);
    if (!(norm(*out) > 0))
      fail(v->at, fmt::format("{}: (0, 0, 0) has no direction; give a vector that is not zero", key));
  };
  direction("axis", spec.axis);
  direction("axis2", spec.axis2);
  direction("normal", spec.normal);
  if (const Value* v = fields.find("axes")) spec.axes = read_pair(*v, "axes", quantity::kNumber, false);
  if (const Value* v = fields.find("length")) {
    if (v->is_scalar()) spec.length = read_number(*v, "length", quantity::kLength);
    else spec.extras.length = Motion(read_signal(*v, "length", quantity::kLength));
  }
  spec.pitch = fields.number("pitch", quantity::kPitch);
  spec.ratio = fields.number("ratio", quantity::kNumber);
  spec.radius = fields.number("radius", quantity::kLength);
  spec.primary = fields.flag("primary", true);
  if (spec.kind == JointKind::compound) {
    for (const Value& v : read_list(fields.need("freedoms", "[{hinge: [1, 0, 0]}, {slide: [0, 0, 1]}]"), "freedoms"))
      spec.freedoms.push_back(read_freedom(v, fmt::format("f{}", spec.freedoms.size()), spec.anchor));
    if (!spec.anchor && !spec.anchors && !spec.freedoms.empty()) spec.anchor = spec.freedoms[0].anchor;
  }
  read_surfaces(fields, spec);
  read_extras(fields, spec.kind, spec.extras);
  if (const Value* v = fields.find("moves")) spec.extras.moves = read_frame_motion(*v);
  spec.extras.switching = read_switching(fields);
  return spec;
}

void read_joints(const Value& joints, Draft& draft) {
  if (joints.is_null()) return;
  if (!joints.is_map())
    fail(joints.at, fmt::format("joints: a map from names to joints is expected, not {}", joints.describe()));
  for (std::size_t i = 0; i < joints.keys.size(); ++i) read_one(joints.keys[i], joints.items[i], draft);
}

}  // namespace catena
