#include <fmt/format.h>

#include <cmath>

#include "catena/math/elementary.h"
#include "catena/scene/color_reader.h"
#include "catena/scene/draft.h"

namespace catena {
namespace {

constexpr std::array<std::pair<std::string_view, BodyKind>, 4> kBodyKinds = {{{"rigid", BodyKind::rigid},
                                                                              {"particle", BodyKind::particle},
                                                                              {"planar", BodyKind::planar},
                                                                              {"scalable", BodyKind::scalable}}};

Sym3 inertia_from_matrix(const Value& value) {
  Mat3 I;
  for (int i = 0; i < 3; ++i) I.row(i) = read_vec3(value.items[i], "inertia", quantity::kInertia);
  const double size = norm(I.r0) + norm(I.r1) + norm(I.r2);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < i; ++j) {
      if (std::abs(I(i, j) - I(j, i)) > 1e-9 * size) {
        fail(value.items[i].items[j].at,
             fmt::format("inertia: not symmetric: entry {} {} is {} and entry {} {} is {}; they must agree", i, j,
                         I(i, j), j, i, I(j, i)));
      }
    }
  }
  const auto mean = [&](int i, int j) { return (I(i, j) + I(j, i)) / 2; };
  return {I(0, 0), I(1, 1), I(2, 2), mean(0, 1), mean(0, 2), mean(1, 2)};
}

// A number (planar, or the same about every axis), ixx iyy izz, ixx iyy izz ixy ixz iyz, or 3x3.
Sym3 read_inertia(const Value& value, BodyKind kind) {
  const auto number = [&](const Value& item) { return read_number(item, "inertia", quantity::kInertia); };
  if (value.is_scalar()) {
    const double i = number(value);
    return Sym3::diagonal(i, i, i);
  }
  if (kind == BodyKind::planar)
    fail(value.at, fmt::format("inertia: a planar body has one number, not {}", value.describe()));
  const auto& items = read_list(value, "inertia");
  if (items.size() == 3 && items[0].is_list()) return inertia_from_matrix(value);
  if (items.size() == 3) return Sym3::diagonal(number(items[0]), number(items[1]), number(items[2]));
  if (items.size() == 6) {
    return {number(items[0]), number(items[1]), number(items[2]), number(items[3]), number(items[4]), number(items[5])};
  }
  fail(
      value.at,
      fmt::format("inertia: one number, three (ixx iyy izz), six (ixx iyy izz ixy ixz iyz) or 3x3 are expected, not {}",
                  value.describe()));
}

// Keys that a kind of body does not have.
void refuse_keys(const Fields& fields, BodyKind kind) {
  const auto refuse = [&](KeyList keys, const char* instead) {
    for (const std::string_view key : keys) {
      if (fields.has(key)) fields.refuse(key, fmt::format("a {} body has no '{}'; {}", name_of(kind), key, instead));
    }
  };
  if (kind == BodyKind::particle) refuse({"inertia", "orientation", "angle", "angular_velocity"}, "kind: rigid has");
  if (kind == BodyKind::planar) refuse({"orientation"}, "give angle:, about +z");
  if (kind == BodyKind::rigid || kind == BodyKind::scalable)
    refuse({"angle"}, "give orientation: {axis: [0, 0, 1], angle: ...}");
  if (kind != BodyKind::scalable) refuse({"scale", "scale_velocity"}, "kind: scalable has");
}

void read_motion(const Fields& fields, BodySpec& spec) {
  const bool planar = spec.kind == BodyKind::planar;
  const bool flat = planar;
  if (const Value* v = fields.find("position")) spec.position = read_vector(*v, "position", quantity::kLength, flat);
  if (const Value* v = fields.find("velocity")) spec.velocity = read_vector(*v, "velocity", quantity::kSpeed, flat);
  if (const Value* v = fields.find("orientation")) spec.orientation = read_rotation(*v, "orientation");
  if (const Value* v = fields.find("angle")) {
    const double angle = read_number(*v, "angle", quantity::kAngle);
    spec.orientation = {portable::cos(angle / 2), 0, 0, portable::sin(angle / 2)};
  }
  if (const Value* v = fields.find("angular_velocity")) {
    spec.angular_velocity = planar ? Vec3{0, 0, read_number(*v, "angular_velocity", quantity::kTurnRate)}
                                   : read_vec3(*v, "angular_velocity", quantity::kTurnRate);
  }
  spec.scale = fields.number("scale", quantity::kNumber, 1);
  spec.scale_velocity = fields.number("scale_velocity", quantity::kScaleRate, 0);
}

void require_positive(const Fields& fields, std::string_view key, const std::optional<double>& number) {
  if (number && !(*number > 0))
    fail(fields.find(key)->at, fmt::format("{}: {} {} must be positive", fields.what(), key, *number));
}

}  // namespace

BodySpec read_body(const std::string& name, const Value& body, const Position& at, const Draft& draft) {
  const Fields fields(body, fmt::format("body '{}'", name),
                      {"kind", "mass", "density", "inertia", "position", "orientation", "angle", "velocity",
                       "angular_velocity", "scale", "scale_velocity", "shapes", "color", "gravity_compensation"},
                      at);
  BodySpec spec;
  spec.name = name;
  spec.kind = draft.flat ? BodyKind::planar : BodyKind::rigid;
  if (const Value* kind = fields.find("kind")) spec.kind = read_choice(*kind, "kind", kBodyKinds);
  refuse_keys(fields, spec.kind);
  spec.mass = fields.number("mass", quantity::kMass);
  spec.density = fields.number("density", quantity::kDensity);
  require_positive(fields, "mass", spec.mass);
  require_positive(fields, "density", spec.density);
  if (const Value* inertia = fields.find("inertia")) spec.inertia = read_inertia(*inertia, spec.kind);
  read_motion(fields, spec);
  require_positive(fields, "scale", spec.scale);
  if (const Value* shapes = fields.find("shapes")) spec.shapes = read_shapes(*shapes, draft);
  if (const Value* color = fields.find("color")) {
    const std::array<float, 4> paint = read_color(*color);
    for (Shape& shape : spec.shapes)
      if (!shape.color) shape.color = paint;
  }
  return spec;
}

void read_bodies(const Value& bodies, Draft& draft) {
  if (bodies.is_null()) return;
  if (!bodies.is_map())
    fail(bodies.at, fmt::format("bodies: a map from names to bodies is expected, not {}", bodies.describe()));
  for (std::size_t i = 0; i < bodies.keys.size(); ++i) {
    BodySpec spec = read_body(bodies.keys[i].text, bodies.items[i], bodies.keys[i].at, draft);
    spec.position += draft.shift;
    const BodyId body = draft.add_body(spec, bodies.keys[i].at);
    const Value* compensated = bodies.items[i].find("gravity_compensation");
    if (compensated == nullptr) continue;
    const double part = read_number(*compensated, "gravity_compensation", quantity::kNumber);
    ExternalForce lift{.body = body, .force = (-part * draft.model().bodies[body].mass) * draft.model().gravity};
    draft.model().forces.push_back(lift);
    draft.force_at.push_back(compensated->at);
  }
}

}  // namespace catena
