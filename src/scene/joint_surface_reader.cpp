#include "catena/scene/joint_surface_reader.h"

#include <fmt/format.h>

#include "catena/scene/quantity.h"

namespace catena {
namespace {

void read_heights(const Value& value, JointSurface& surface) {
  const Fields fields(value, "height_field", {"spacing", "heights"});
  const Value& spacing = fields.need("spacing", "0.1");
  if (spacing.is_scalar()) {
    surface.size.x = surface.size.y = read_number(spacing, "spacing", quantity::kLength);
  } else {
    const auto& both = read_list(spacing, "spacing", 2);
    surface.size.x = read_number(both[0], "spacing", quantity::kLength);
    surface.size.y = read_number(both[1], "spacing", quantity::kLength);
  }
  const auto& rows = read_list(fields.need("heights", "[[0, 0, 0], [0, 0.1, 0], [0, 0, 0]]"), "heights");
  surface.rows = static_cast<int>(rows.size());
  for (const Value& row : rows) {
    const auto& items = read_list(row, "heights");
    if (&row == &rows.front()) surface.columns = static_cast<int>(items.size());
    if (static_cast<int>(items.size()) != surface.columns)
      fail(row.at, fmt::format("heights: this row has {} and the first has {}", items.size(), surface.columns));
    for (const Value& item : items) surface.heights.push_back(read_number(item, "heights", quantity::kLength));
  }
}

void read_kind(const Fields& fields, SurfaceSpec& out) {
  using Kind = JointSurface::Kind;
  int given = 0;
  const auto found = [&](const char* key, Kind kind) {
    const Value* v = fields.find(key);
    if (v == nullptr) return v;
    if (++given > 1) fields.refuse(key, "a surface is one thing; give one kind");
    out.surface.kind = kind;
    return v;
  };
  if (const Value* v = found("plane", Kind::plane)) {
    const Vec3 normal = read_vec3(*v, "plane", quantity::kNumber);
    if (!(norm(normal) > 0)) fail(v->at, "plane: (0, 0, 0) has no direction; give its normal, such as [0, 0, 1]");
    out.orientation = from_matrix(frame_along(normal / norm(normal)));
  }
  if (const Value* v = found("sphere", Kind::sphere)) out.surface.size.x = read_number(*v, "sphere", quantity::kLength);
  if (const Value* v = found("cylinder", Kind::cylinder))
    out.surface.size.x = read_number(*v, "cylinder", quantity::kLength);
  if (const Value* v = found("ellipsoid", Kind::ellipsoid))
    out.surface.size = read_vec3(*v, "ellipsoid", quantity::kLength);
  if (const Value* v = found("torus", Kind::torus)) {
    const Fields torus(*v, "torus", {"radius", "tube"});
    out.surface.size = {read_number(torus.need("radius", "1"), "radius", quantity::kLength),
                        read_number(torus.need("tube", "0.2"), "tube", quantity::kLength), 0};
  }
  if (const Value* v = found("height_field", Kind::height_field)) read_heights(*v, out.surface);
  if (given == 0) fail(fields.at(), "surface: give one of plane, sphere, cylinder, torus, ellipsoid, height_field");
}

SurfaceSpec read_surface(const Value& value) {
  const Fields fields(value, "surface",
                      {"plane", "sphere", "cylinder", "torus", "ellipsoid", "height_field", "at", "orientation"});
  SurfaceSpec out;
  read_kind(fields, out);
  if (const Value* v = fields.find("at")) out.at = read_vec3(*v, "at", quantity::kLength);
  if (const Value* v = fields.find("orientation")) {
    if (out.surface.kind == JointSurface::Kind::plane) fields.refuse("orientation", "a plane has a normal instead");
    out.orientation = read_rotation(*v, "orientation");
  }
  return out;
}

}  // namespace

void read_surfaces(const Fields& fields, JointSpec& spec) {
  if (const Value* v = fields.find("surface")) spec.surfaces[0] = read_surface(*v);
  if (const Value* v = fields.find("surfaces")) {
    const auto& both = read_list(*v, "surfaces", 2);
    spec.surfaces = {read_surface(both[0]), read_surface(both[1])};
  }
  spec.slides = fields.flag("slides", false);
  spec.inside = fields.flag("inside", false);
}

}  // namespace catena
