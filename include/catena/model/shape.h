// Shapes: what bodies look like, weigh (with a density) and collide with. All lengths in metres, body coordinates.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "catena/math/rotation.h"

namespace catena {

struct Sphere {
  double radius;
};
struct Point {};  // a contact point at the shape's position
struct Box {
  Vec3 sides;
};  // full side lengths
struct Capsule {
  double radius, length;
};  // along z, length without the caps
struct Cylinder {
  double radius, length;
};  // along z
struct Plane {
  Vec3 normal;
  double offset;
};  // the half-space normal·x <= offset is solid; ground only
struct Hull {
  std::vector<Vec3> points;
};
struct Mesh {
  std::string file;  // as named in the scene
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise from outside
};

using Geometry = std::variant<Sphere, Point, Box, Capsule, Cylinder, Plane, Hull, Mesh>;

// Friction that depends on the direction of slip, in axes fixed in the shape's body.
struct Grain {
  Vec3 along{1, 0, 0};                             // unit, body coordinates: forward
  double forward = 0, backward = 0, sideways = 0;  // coefficients where the shape slips that way over the other
};

struct Material {
  std::string name;
  double friction = 0.5;
  double restitution = 0.0;
  double rolling = 0;     // m: a rolling shape is held back by at most so much times the normal force
  double torsion = 0;     // m: the same of spinning about the normal
  double compliance = 0;  // m/N: SPOOK's ε of one contact; 0: rigid. Those of a pair add up, as springs in a row do
  double relaxation = 0;  // s: SPOOK's τ of it; of a pair the larger counts
  double creep =
      0;  // m/s/N: Σ along the tangents: what sticks slips by so much a newton of its friction; those of a pair add up
  std::optional<Grain> grain{};  // where there is one, `friction` is the mean of its coefficients
  // How a pair's friction follows from its two materials: the geometric mean, or, where one of them says so, the larger one. The material
  // of higher priority alone counts; a pair in which no material has `slides_with_friction` has none.
  bool combine_by_maximum = false;
  bool slides_with_friction = true;
  int priority = 0;
};

struct Shape {
  Geometry geometry;
  Vec3 position{};  // in body coordinates from the centre of mass (world coordinates for the ground)
  Quat orientation{};
  int material = 0;  // index into Model::materials
  bool collide = true;
  std::uint32_t category = 1, mask = 1;  // two shapes touch where the category of one is in the mask of the other
  std::optional<std::array<float, 4>> color{};  // red, green, blue, opacity
};

// Mass, centre of mass and inertia about it (shape axes) of a solid of uniform density.
struct MassProperties {
  double mass = 0;
  Vec3 centre{};
  Sym3 inertia{};  // about `centre`
};

// Points and planes weigh nothing; hulls weigh as the convex hull of their points; meshes as the solid their (closed) surface bounds.
MassProperties mass_properties(const Geometry& geometry, double density);

// The properties of all shapes of a body together, in body coordinates.
MassProperties mass_properties(const std::vector<Shape>& shapes, double density);

}  // namespace catena
