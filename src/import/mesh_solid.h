// Meshes of robot files: found, read, weighed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "catena/model/shape.h"

namespace catena {

// .obj and .stl by mesh_file.h, everything else by assimp (units and up axis of the file applied). Throws InputError.
Mesh load_any_mesh(const std::filesystem::path& file);

// How MuJoCo weighs a mesh.
enum class MeshInertia { convex, exact, legacy, shell };
// At density 1 (kg/m³, or kg/m² of a shell). `legacy` counts the volume of every face's tetrahedron as positive.
MassProperties weigh_mesh(const Mesh& mesh, MeshInertia how);

// The points of the convex hull, without corners that stick out by less than a thousandth of its size: CAD meshes have thousands of
// those, and every contact would look at them.
Hull hull_of(const std::vector<Vec3>& points);

// A shell of uniform density on the surface of a geometry; at density 1.
MassProperties weigh_shell(const Geometry& geometry);

// The points of an ellipsoid about the origin, for a hull.
std::vector<Vec3> ellipsoid_points(const Vec3& radii);

}  // namespace catena
