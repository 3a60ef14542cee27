#include "catena/import/link_mesh.h"

#include <fmt/format.h>

#include "catena/import/mesh_path.h"
#include "catena/import/mesh_solid.h"
#include "catena/import/numbers.h"

namespace catena {

std::optional<Geometry> link_mesh(const MeshReading& reading, const XmlNode& node, const std::string& name,
                                  const std::optional<Vec3>& scale, bool collides) {
  const auto file = find_mesh(name, reading.folder, reading.options.packages);
  if (!file) {
    if (collides && !reading.options.missing_meshes)
      fail(reading.tree, node,
           fmt::format(
               "the mesh '{}' that this link collides with is not found; --package NAME=DIR says where a package "
               "or model is, --missing-meshes skip goes on without it",
               name));
    reading.warnings.push_back(
        fmt::format("{}mesh '{}' is not found; the shape is left out", reading.tree.where(node), name));
    reading.ledger.note(node, "", Fate::ignored, fmt::format("'{}' is not found", name), collides);
    return {};
  }
  Mesh mesh;
  try {
    mesh = load_any_mesh(*file);
  } catch (const InputError& error) {
    fail(reading.tree, node, error.what());
  }
  if (scale)
    for (Vec3& v : mesh.vertices) v = {scale->x * v.x, scale->y * v.y, scale->z * v.z};
  if (!collides) return mesh;
  Hull hull = hull_of(mesh.vertices);
  if (hull.points.size() < 4) return {};
  return hull;
}

}  // namespace catena
