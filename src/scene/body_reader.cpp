#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "catena/math/elementary.h"
#include "catena/model/stretching_form.h"
#include "catena/scene/color_reader.h"
#include "catena/scene/draft.h"

namespace catena {
namespace {

constexpr std::array<std::pair<std::string_view, BodyKind>, 5> kBodyKinds = {{{"rigid", BodyKind::rigid},
                                                                              {"particle", BodyKind::particle},
                                                                              {"planar", BodyKind::planar},
                                                                              {"scalable", BodyKind::scalable},
                                                                              {"stretching", BodyKind::formed}}};

std::string_view word_of_kind(BodyKind kind) {
  return std::find_if(kBodyKinds.begin(), kBodyKinds.end(), [&](const auto& word) { return word.second == kind; })
      ->first;
}

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
      if (fields.has(key))
        fields.refuse(key, fmt::format("a {} body has no '{}'; {}", word_of_kind(kind), key, instead));
    }
  };
  if (kind == BodyKind::particle) refuse({"inertia", "orientation", "angle", "angular_velocity"}, "kind: rigid has");
  if (kind == BodyKind::planar) refuse({"orientation"}, "give angle:, about +z");
  if (kind == BodyKind::rigid || changes_size(kind))
    refuse({"angle"}, "give orientation: {axis: [0, 0, 1], angle: ...}");
  if (kind != BodyKind::scalable) refuse({"scale", "scale_velocity"}, "kind: scalable has");
  if (kind != BodyKind::formed) refuse({"axes", "stretch", "stretch_velocity", "stiffness"}, "kind: stretching has");
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

// Which coordinate stretches each axis: axes: [x, y, z] is one each, [xy, z] two together, [xyz] all.
std::array<int, 3> read_axes(const Value& value) {
  std::array<int, 3> of_axis{-1, -1, -1};
  const auto& items = read_list(value, "axes");
  const auto wrong = [](const Value& item) {
    fail(item.at, "axes: a list of x, y and z is expected, each once at most: [x, y, z], [xy, z], [xyz] or [z]");
  };
  if (items.empty()) wrong(value);
  for (std::size_t c = 0; c < items.size(); ++c) {
    const std::string word = read_text(items[c], "axes");
    if (word.empty()) wrong(items[c]);
    for (const char letter : word) {
      const std::size_t axis = std::string_view("xyz").find(letter);
      if (axis == std::string_view::npos || of_axis[axis] >= 0) wrong(items[c]);
      of_axis[axis] = static_cast<int>(c);
    }
  }
  return of_axis;
}

// A number a coordinate, or one for all of them.
OwnVector read_own(const Fields& fields, std::string_view key, const Quantity& quantity, int count, double usual) {
  OwnVector out{};
  const Value* const value = fields.find(key);
  if (value != nullptr && value->is_list() && value->items.size() != static_cast<std::size_t>(count))
    fail(value->at, fmt::format("{}: a number, or one for each of its {} stretches is expected", key, count));
  for (std::size_t c = 0; c < static_cast<std::size_t>(count); ++c)
    out[c] = value == nullptr ? usual : read_number(value->is_list() ? value->items[c] : *value, key, quantity);
  return out;
}

void read_stretches(const Fields& fields, BodySpec& spec) {
  Stretches stretches;
  if (const Value* axes = fields.find("axes")) stretches.of_axis = read_axes(*axes);
  const int count = StretchingForm(stretches).coordinates();
  stretches.stiffness = read_own(fields, "stiffness", quantity::kEnergy, count, 0);
  spec.form = std::make_shared<StretchingForm>(stretches);
  spec.form_start = read_own(fields, "stretch", quantity::kNumber, count, 1);
  spec.form_velocity = read_own(fields, "stretch_velocity", quantity::kScaleRate, count, 0);
  for (int c = 0; c < count; ++c) {
    if (!(spec.form_start[static_cast<std::size_t>(c)] > 0)) fields.refuse("stretch", "a stretch must be positive");
    if (stretches.stiffness[static_cast<std::size_t>(c)] < 0)
      fields.refuse("stiffness", "a stiffness must not be negative");
  }
}

void require_positive(const Fields& fields, std::string_view key, const std::optional<double>& number) {
  if (number && !(*number > 0))
    fail(fields.find(key)->at, fmt::format("{}: {} {} must be positive", fields.what(), key, *number));
}

}  // namespace

BodySpec read_body(const std::string& name, const Value& body, const Position& at, const Draft& draft) {
  const Fields fields(body, fmt::format("body '{}'", name),
                      {"kind", "mass", "density", "inertia", "position", "orientation", "angle", "velocity",
                       "angular_velocity", "scale", "scale_velocity", "axes", "stretch", "stretch_velocity",
                       "stiffness", "shapes", "color", "gravity_compensation"},
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
  if (spec.kind == BodyKind::formed) read_stretches(fields, spec);
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
    draft.places.forces.push_back(compensated->at);
  }
}

}  // namespace catena
