#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/math/elementary.h"
#include "catena/scene/generator.h"

namespace catena {
namespace {

// Point (r, c) stands at origin + c·spacing·u + r·spacing·v. Folded, every thread along u or v goes up and down by an angle, so that two
// pinned corners do not pull it taut.
struct Grid {
  long long rows = 0, columns = 0;
  double spacing_u = 0, spacing_v = 0;
  Vec3 origin, u, v;
  double fold_u = 0, fold_v = 0;

  Vec3 place(long long r, long long c) const {
    const Vec3 along = (static_cast<double>(c) * spacing_u * portable::cos(fold_u)) * u +
                       (static_cast<double>(r) * spacing_v * portable::cos(fold_v)) * v;
    const double height =
        (c % 2 == 0 ? 0 : spacing_u * portable::sin(fold_u)) + (r % 2 == 0 ? 0 : spacing_v * portable::sin(fold_v));
    return origin + along + height * normalized(cross(u, v));
  }
};

// Particles on a grid, and the threads between them.
struct Cloth {
  std::string name;
  Grid grid;
  double mass = 0;    // of a particle
  double radius = 0;  // of a particle's sphere; 0: it touches nothing
  int material = 0;
  bool diagonals = false;
  std::vector<std::pair<long long, long long>> pinned;
  JointSpec joint;  // what all distance joints share
  Position at;

  std::string particle(long long r, long long c) const { return fmt::format("{}_{}_{}", name, r, c); }
};

Vec3 read_unit(const Fields& fields, const char* key, const Vec3& otherwise) {
  const Value* value = fields.find(key);
  if (value == nullptr) return otherwise;
  const Vec3 out = read_vec3(*value, key, quantity::kNumber);
  if (!(norm(out) > 0))
    fail(value->at, fmt::format("{}: (0, 0, 0) has no direction; give a vector that is not zero", key));
  return normalized(out);
}

// pinned: corners, or [[row, column]…].
void read_pinned(const Value& value, Cloth& cloth) {
  if (value.is_scalar() && value.text == "corners") {
    cloth.pinned = {
        {0, 0}, {0, cloth.grid.columns - 1}, {cloth.grid.rows - 1, 0}, {cloth.grid.rows - 1, cloth.grid.columns - 1}};
    return;
  }
  if (!value.is_list())
    fail(value.at, fmt::format("pinned: corners or [[row, column], ...] is expected, not {}", value.describe()));
  for (const Value& pair : value.items) {
    const auto& items = read_list(pair, "pinned", 2);
    const long long r = read_count(items[0], "pinned", 0), c = read_count(items[1], "pinned", 0);
    if (r >= cloth.grid.rows || c >= cloth.grid.columns) {
      fail(pair.at, fmt::format("pinned: [{}, {}] is outside the {} x {} cloth; rows and columns count from 0", r, c,
                                cloth.grid.rows, cloth.grid.columns));
    }
    cloth.pinned.emplace_back(r, c);
  }
}

// radius and material of the particles' spheres.
void read_touch(const Fields& fields, const Draft& draft, Cloth& cloth) {
  if (const Value* radius = fields.find("radius")) {
    cloth.radius = read_number(*radius, "radius", quantity::kLength);
    if (!(cloth.radius > 0))
      fail(radius->at,
           fmt::format("radius: {} of a particle must be positive; leave it out and the cloth touches nothing",
                       cloth.radius));
  }
  if (const Value* material = fields.find("material")) {
    if (!(cloth.radius > 0)) fields.refuse("material", "without radius: the cloth touches nothing");
    cloth.material = draft.material(*material);
  }
}

Cloth read_cloth(const Value& value, const Draft& draft) {
  const Fields fields(value, "cloth",
                      {"rows", "columns", "spacing", "mass", "radius", "material", "origin", "u", "v", "pinned",
                       "diagonals", "fold", "name", "joint"});
  Cloth cloth;
  cloth.at = fields.at();
  cloth.name = fields.text("name", "p");
  cloth.grid.rows = read_count(fields.need("rows", "21"), "rows", 2);
  cloth.grid.columns = read_count(fields.need("columns", "21"), "columns", 2);
  if (cloth.grid.rows > Draft::kMostBodies / cloth.grid.columns)
    fail(value.at, fmt::format("cloth: {} x {} particles; at most {} are generated", cloth.grid.rows,
                               cloth.grid.columns, Draft::kMostBodies));
  const Value& spacing = fields.need("spacing", "0.05");
  cloth.grid.spacing_u = cloth.grid.spacing_v =
      read_number(spacing.is_list() ? read_list(spacing, "spacing", 2)[0] : spacing, "spacing", quantity::kLength);
  if (spacing.is_list()) cloth.grid.spacing_v = read_number(spacing.items[1], "spacing", quantity::kLength);
  if (!(cloth.grid.spacing_u > 0) || !(cloth.grid.spacing_v > 0)) fail(spacing.at, "spacing: must be positive");
  const Value& mass = fields.need("mass", "0.005");
  cloth.mass = read_number(mass, "mass", quantity::kMass);
  if (!(cloth.mass > 0)) fail(mass.at, fmt::format("mass: {} of a particle must be positive", cloth.mass));
  read_touch(fields, draft, cloth);
  const Value* origin = fields.find("origin");
  cloth.grid.origin = origin != nullptr ? draft.point(*origin, "origin", false) : draft.shift;
  cloth.grid.u = read_unit(fields, "u", {1, 0, 0});
  cloth.grid.v = read_unit(fields, "v", {0, 1, 0});
  if (norm(cross(cloth.grid.u, cloth.grid.v)) < 1e-9) fields.refuse("v", "u and v are parallel; they span the cloth");
  if (const Value* fold = fields.find("fold")) {
    cloth.grid.fold_u = read_number(fold->is_list() ? read_list(*fold, "fold", 2)[0] : *fold, "fold", quantity::kAngle);
    if (fold->is_list()) cloth.grid.fold_v = read_number(fold->items[1], "fold", quantity::kAngle);
  }
  cloth.diagonals = fields.flag("diagonals", false);
  if (const Value* pinned = fields.find("pinned")) read_pinned(*pinned, cloth);
  if (const Value* joint = fields.find("joint")) {
    const Fields inside(*joint, "joint", {"compliance", "relaxation", "primary"});
    cloth.joint.extras.compliance = inside.number("compliance", quantity::kCompliance, 0);
    cloth.joint.extras.relaxation = inside.number("relaxation", quantity::kTime, 0);
    cloth.joint.primary = inside.flag("primary", true);
  }
  return cloth;
}

}  // namespace

void add_cloth(const Value& value, Draft& draft) {
  const Cloth cloth = read_cloth(value, draft);
  draft.expect_bodies(cloth.grid.rows * cloth.grid.columns, cloth.at);
  int group = 1;  // its own: a cloth passes through itself
  for (const Body& body : draft.model().bodies) group = std::max(group, body.collide_group + 1);
  for (long long r = 0; r < cloth.grid.rows; ++r) {
    for (long long c = 0; c < cloth.grid.columns; ++c) {
      BodySpec spec;
      spec.name = cloth.particle(r, c);
      spec.kind = BodyKind::particle;
      spec.mass = cloth.mass;
      spec.position = cloth.grid.place(r, c);
      if (cloth.radius > 0) {
        Shape& shape = spec.shapes.emplace_back();
        shape.geometry = Sphere{cloth.radius};
        shape.material = cloth.material;
        spec.collide_group = group;
      }
      draft.add_body(spec, cloth.at);
    }
  }
}

// Threads along u and v hold each particle to its right and lower neighbour; `diagonals` add both diagonals of every cell.
void join_cloth(const Value& value, Draft& draft) {
  const Cloth cloth = read_cloth(value, draft);
  draft.expect_links((cloth.diagonals ? 4 : 2) * cloth.grid.rows * cloth.grid.columns, cloth.at);
  Value corner;
  corner.kind = Value::Kind::scalar;
  corner.text = cloth.particle(0, 0);
  const BodyId first = draft.body(corner, "cloth");
  const auto id = [&](long long r, long long c) {
    return BodyId{first + static_cast<std::size_t>(r * cloth.grid.columns + c)};
  };
  const auto thread = [&](long long r, long long c, long long r2, long long c2, const char* direction) {
    if (r2 >= cloth.grid.rows || c2 < 0 || c2 >= cloth.grid.columns) return;
    JointSpec spec = cloth.joint;
    spec.name = fmt::format("{}_{}", cloth.particle(r, c), direction);
    spec.kind = JointKind::distance;
    draft.add_joint(spec, id(r, c), id(r2, c2), cloth.at);
  };
  for (long long r = 0; r < cloth.grid.rows; ++r) {
    for (long long c = 0; c < cloth.grid.columns; ++c) {
      thread(r, c, r, c + 1, "u");
      thread(r, c, r + 1, c, "v");
      if (!cloth.diagonals) continue;
      thread(r, c, r + 1, c + 1, "uv");
      thread(r, c, r + 1, c - 1, "vu");
    }
  }
  for (const auto& [r, c] : cloth.pinned) {
    JointSpec spec;
    spec.name = cloth.particle(r, c) + "_pin";
    spec.kind = JointKind::ball;
    spec.anchor = cloth.grid.place(r, c);
    draft.add_joint(spec, kGround, id(r, c), cloth.at);
  }
}

}  // namespace catena
