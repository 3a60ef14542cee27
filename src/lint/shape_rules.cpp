// Rules about shapes and surfaces.
#include <algorithm>

#include "catena/lint/linter.h"

namespace catena::rules {
namespace {

bool same(const Vec3& a, const Vec3& b) { return norm(a - b) < 1e-9; }

bool same(const Geometry& a, const Geometry& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<Sphere>(&a)) return x->radius == std::get<Sphere>(b).radius;
  if (const auto* x = std::get_if<Box>(&a)) return x->sides == std::get<Box>(b).sides;
  if (const auto* x = std::get_if<Capsule>(&a))
    return x->radius == std::get<Capsule>(b).radius && x->length == std::get<Capsule>(b).length;
  if (const auto* x = std::get_if<Cylinder>(&a))
    return x->radius == std::get<Cylinder>(b).radius && x->length == std::get<Cylinder>(b).length;
  if (const auto* x = std::get_if<Plane>(&a))
    return same(x->normal, std::get<Plane>(b).normal) && x->offset == std::get<Plane>(b).offset;
  if (const auto* x = std::get_if<Hull>(&a)) return x->points == std::get<Hull>(b).points;
  if (const auto* x = std::get_if<Mesh>(&a)) return x->vertices == std::get<Mesh>(b).vertices;
  return true;
}

void find_twins(Linter& l, const std::string& owner, const std::vector<Shape>& shapes) {
  if (shapes.size() > 2000) return;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const Shape &a = shapes[i], &b = shapes[k];
      if (a.collide && b.collide && same(a.position, b.position) && a.category == b.category && a.mask == b.mask &&
          same((a.orientation.conjugate() * b.orientation).vec(), {}) && same(a.geometry, b.geometry))
        l.say(fmt::format("{}: shapes {} and {} are the same", owner, k, i));
    }
}

// Any shape of a owner that can touch something.
bool touches(const std::vector<Shape>& shapes) {
  return std::any_of(shapes.begin(), shapes.end(),
                     [](const Shape& s) { return s.collide && (s.category != 0 || s.mask != 0); });
}

Vec3 middle_of(const std::vector<Vec3>& points) {
  if (points.empty()) return {};
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return 0.5 * (low + high);
}

// Of the box around points, which surfaces that are not closed have too.
Vec3 middle_of(const Geometry& geometry) {
  if (const auto* hull = std::get_if<Hull>(&geometry)) return middle_of(hull->points);
  if (const auto* mesh = std::get_if<Mesh>(&geometry)) return middle_of(mesh->vertices);
  return {};
}

}  // namespace

void shape_twice(Linter& l) {
  for (const Body& body : l.model().bodies) find_twins(l, fmt::format("body '{}'", body.name), body.shapes);
  find_twins(l, "ground", l.model().ground_shapes);
}

void shape_far_away(Linter& l) {
  for (const Body& body : l.model().bodies) {
    const double k = gyration(body);
    if (body.kind != BodyKind::rigid) continue;
    for (std::size_t i = 0; i < body.shapes.size(); ++i) {
      const Shape& shape = body.shapes[i];
      if (std::holds_alternative<Point>(shape.geometry)) continue;
      const Vec3 middle = shape.position + rotate(shape.orientation, middle_of(shape.geometry));
      const double size = reach(shape, middle), far = norm(middle);
      if (far > 10 * std::max(k, size))
        l.say(fmt::format("body '{}': shape {}, {:.3g} m in size, is {:.3g} m from the centre of mass", body.name, i,
                          size, far));
    }
  }
}

void tiny_shape(Linter& l) {
  for (const Body& body : l.model().bodies)
    for (std::size_t i = 0; i < body.shapes.size(); ++i) {
      const Shape& shape = body.shapes[i];
      if (!shape.collide || std::holds_alternative<Point>(shape.geometry)) continue;
      const double size = reach(shape, shape.position);
      if (size > 0 && size < 1e-5) l.say(fmt::format("body '{}': shape {} is {:.3g} m in size", body.name, i, size));
    }
}

void no_friction_anywhere(Linter& l) {
  const Model& model = l.model();
  bool bodies = false, slippery = true;
  const auto look = [&](const std::vector<Shape>& shapes) {
    for (const Shape& shape : shapes)
      if (shape.collide) slippery = slippery && model.materials[static_cast<std::size_t>(shape.material)].friction == 0;
  };
  for (const Body& body : model.bodies) {
    bodies = bodies || touches(body.shapes);
    look(body.shapes);
  }
  look(model.ground_shapes);
  for (const ContactPair& pair : model.contact_pairs)
    slippery = slippery && model.materials[static_cast<std::size_t>(pair.material)].friction == 0;
  if (bodies && touches(model.ground_shapes) && slippery) l.say("no shape has friction: everything slides");
}

}  // namespace catena::rules
