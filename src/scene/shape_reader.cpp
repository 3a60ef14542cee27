#include <fmt/format.h>
#include <fmt/ranges.h>

#include "catena/import/mesh_file.h"
#include "catena/import/mesh_solid.h"
#include "catena/model/joint_rules.h"
#include "catena/scene/color_reader.h"
#include "catena/scene/draft.h"

namespace catena {
namespace {

constexpr std::array<std::string_view, 9> kGeometries = {"sphere", "point", "box",  "capsule",  "cylinder",
                                                         "plane",  "hull",  "mesh", "ellipsoid"};

template <class Round>
Round read_round(const Value& value, const char* what) {
  const Fields fields(value, what, {"radius", "length"});
  return {read_number(fields.need("radius", "0.05"), "radius", quantity::kLength),
          read_number(fields.need("length", "0.3"), "length", quantity::kLength)};
}

Sphere read_sphere(const Value& value) {
  if (!value.is_map()) return {read_number(value, "sphere", quantity::kLength)};
  const Fields fields(value, "sphere", {"radius"});
  return {read_number(fields.need("radius", "0.05"), "radius", quantity::kLength)};
}

// With a unit normal: normal·x = offset is the same plane when both are divided by the normal's length.
Plane read_plane(const Value& value) {
  const Fields fields(value, "plane", {"normal", "offset"});
  const Value* given = fields.find("normal");
  const Vec3 normal = given != nullptr ? read_vec3(*given, "normal", quantity::kNumber) : Vec3{0, 0, 1};
  const double length = norm(normal);
  if (!(length > 0)) fail(given->at, "normal: (0, 0, 0) has no direction; give a vector that is not zero");
  return {normal / length, fields.number("offset", quantity::kLength, 0) / length};
}

Hull read_hull(const Value& value) {
  Hull hull;
  for (const Value& point : read_list(value, "hull"))
    hull.points.push_back(read_vec3(point, "hull", quantity::kLength));
  return hull;
}

// mesh: file, or {file, scale}.
Mesh read_mesh(const Value& value) {
  const Value* file = &value;
  double scale = 1;
  if (value.is_map()) {
    const Fields fields(value, "mesh", {"file", "scale"});
    file = &fields.need("file", "part.obj");
    scale = fields.number("scale", quantity::kNumber, 1);
  }
  const std::string name = read_text(*file, "mesh");
  try {
    Mesh mesh = load_mesh(file->at.source->folder / name);
    mesh.file = name;
    for (Vec3& vertex : mesh.vertices) vertex *= scale;
    return mesh;
  } catch (const InputError& error) {
    fail(file->at, fmt::format("mesh: {}", error.what()));
  }
}

// The polyhedron of points on it that stands for it.
Hull read_ellipsoid(const Value& value) {
  const Vec3 radii = read_vec3(value, "ellipsoid", quantity::kLength);
  if (!(radii.x > 0 && radii.y > 0 && radii.z > 0)) fail(value.at, "ellipsoid: three positive radii are expected");
  return {ellipsoid_points(radii)};
}

Geometry read_geometry(std::string_view kind, const Value& value) {
  if (kind == "sphere") return read_sphere(value);
  if (kind == "box") return Box{read_vec3(value, "box", quantity::kLength)};
  if (kind == "capsule") return read_round<Capsule>(value, "capsule");
  if (kind == "cylinder") return read_round<Cylinder>(value, "cylinder");
  if (kind == "plane") return read_plane(value);
  if (kind == "hull") return read_hull(value);
  if (kind == "mesh") return read_mesh(value);
  if (kind == "ellipsoid") return read_ellipsoid(value);
  return Point{};
}

Shape read_shape(const Value& value, const Draft& draft) {
  const Fields fields(value, "shape",
                      {"sphere", "point", "box", "capsule", "cylinder", "plane", "hull", "mesh", "ellipsoid", "at",
                       "orientation", "material", "collide", "color", "category", "mask"});
  std::string_view kind;
  for (const std::string_view key : kGeometries) {
    if (!fields.has(key)) continue;
    if (!kind.empty()) fields.refuse(key, fmt::format("is a {} already; write another shape for the {}", kind, key));
    kind = key;
  }
  if (kind.empty()) fail(value.at, fmt::format("shape: needs one of {}", fmt::join(kGeometries, ", ")));
  Shape shape{read_geometry(kind, *fields.find(kind))};
  if (const std::string fault = fault_of(shape.geometry); !fault.empty()) fail(fields.find(kind)->at, fault);
  for (const std::string_view key : {"at", "orientation"}) {
    if (kind == "plane" && fields.has(key)) fields.refuse(key, "a plane is placed by its normal and offset");
    if (kind == "point" && fields.has(key)) fields.refuse(key, "a point is placed by point: [x, y, z]");
  }
  if (kind == "point") shape.position = read_vec3(*fields.find("point"), "point", quantity::kLength);
  if (const Value* at = fields.find("at"))
    shape.position = read_vector(*at, "at", quantity::kLength, draft.flat && at->items.size() == 2);
  if (const Value* turn = fields.find("orientation"))
    shape.orientation = normalized(read_rotation(*turn, "orientation"));
  if (const Value* material = fields.find("material")) shape.material = draft.material(*material);
  shape.collide = fields.flag("collide", true);
  if (const Value* color = fields.find("color")) shape.color = read_color(*color);
  for (auto [key, bits] : {std::pair{"category", &shape.category}, std::pair{"mask", &shape.mask}})
    if (const Value* v = fields.find(key))
      *bits = static_cast<std::uint32_t>(std::min(read_count(*v, key, 0), 0xFFFFFFFFLL));
  return shape;
}

}  // namespace

std::vector<Shape> read_shapes(const Value& shapes, const Draft& draft) {
  std::vector<Shape> out;
  for (const Value& shape : read_list(shapes, "shapes")) out.push_back(read_shape(shape, draft));
  return out;
}

}  // namespace catena
