#include "catena/import/mesh_solid.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <set>

#include "catena/import/mesh_file.h"
#include "catena/import/text_file.h"
#include "catena/math/elementary.h"
#include "catena/model/convex_hull.h"
#include "catena/model/error.h"

namespace catena {
namespace {

using std::numbers::pi;

void collect(const aiScene& scene, const aiNode& node, const aiMatrix4x4& above, Mesh& out) {
  const aiMatrix4x4 here = above * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const aiMesh& part = *scene.mMeshes[node.mMeshes[m]];
    const auto first = static_cast<int>(out.vertices.size());
    for (unsigned v = 0; v < part.mNumVertices; ++v) {
      const aiVector3D p = here * part.mVertices[v];
      out.vertices.push_back({p.x, p.y, p.z});
    }
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      if (face.mNumIndices != 3) continue;
      out.triangles.push_back({first + static_cast<int>(face.mIndices[0]), first + static_cast<int>(face.mIndices[1]),
                               first + static_cast<int>(face.mIndices[2])});
    }
  }
  for (unsigned c = 0; c < node.mNumChildren; ++c) collect(scene, *node.mChildren[c], here, out);
}

constexpr std::uintmax_t kLargestMesh = 256u << 20;  // bytes; what assimp reads takes several times that

Mesh load_with_assimp(const std::filesystem::path& file) {
  std::error_code error;
  if (const std::uintmax_t size = std::filesystem::file_size(file, error); error || size > kLargestMesh)
    throw InputError{fmt::format("'{}' is larger than {} MB, or is not there", file.string(), kLargestMesh >> 20)};
  Assimp::Importer importer;
  const aiScene* scene = importer.ReadFile(file.string(), aiProcess_Triangulate | aiProcess_JoinIdenticalVertices);
  if (scene == nullptr || scene->mRootNode == nullptr)
    throw InputError{fmt::format("'{}' is not a mesh that can be read: {}", file.string(), importer.GetErrorString())};
  Mesh mesh;
  mesh.file = file.lexically_normal().string();
  collect(*scene, *scene->mRootNode, {}, mesh);
  if (mesh.triangles.empty()) throw InputError{fmt::format("'{}' has no triangles", file.string())};
  return mesh;
}

// MuJoCo's own: the numbers of vertices, normals, texture coordinates and faces, then all of them; without faces: the convex hull.
Mesh parse_msh(std::string_view bytes, const std::string& name) {
  std::array<std::int32_t, 4> count{};
  const auto refuse = [&] { throw InputError{fmt::format("{}: is no mesh in MuJoCo's format", name)}; };
  if (bytes.size() < sizeof count) refuse();
  std::memcpy(count.data(), bytes.data(), sizeof count);
  const std::int64_t whole = 4 + 3LL * count[0] + 3LL * count[1] + 2LL * count[2] + 3LL * count[3];
  if (*std::min_element(count.begin(), count.end()) < 0 || count[0] < 4 ||
      static_cast<std::int64_t>(bytes.size()) != 4 * whole)
    refuse();
  Mesh mesh;
  mesh.file = name;
  const char* at = bytes.data() + sizeof count;
  for (std::int32_t i = 0; i < count[0]; ++i) {
    std::array<float, 3> p{};
    std::memcpy(p.data(), at + sizeof p * static_cast<std::size_t>(i), sizeof p);
    mesh.vertices.push_back({p[0], p[1], p[2]});
  }
  at = bytes.data() + bytes.size() - 12 * static_cast<std::size_t>(count[3]);
  for (std::int32_t i = 0; i < count[3]; ++i) {
    std::array<std::int32_t, 3> t{};
    std::memcpy(t.data(), at + sizeof t * static_cast<std::size_t>(i), sizeof t);
    if (*std::min_element(t.begin(), t.end()) < 0 || *std::max_element(t.begin(), t.end()) >= count[0]) refuse();
    mesh.triangles.push_back({t[0], t[1], t[2]});
  }
  if (mesh.triangles.empty()) mesh.triangles = convex_hull(mesh.vertices);
  return mesh;
}

struct Face {
  Vec3 centre, normal;
  double area;
};

Face face_of(const Mesh& mesh, const std::array<int, 3>& t) {
  const auto corner = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])]; };
  const Vec3 a = corner(0), b = corner(1), c = corner(2), n = cross(b - a, c - a);
  const double length = norm(n);
  return {(a + b + c) / 3, length > 0 ? n / length : Vec3{}, 0.5 * length};
}

Sym3 from_second(const Sym3& s) {
  const double t = trace(s);
  return {t - s.xx, t - s.yy, t - s.zz, -s.xy, -s.xz, -s.yz};
}

void add_outer(double w, const Vec3& p, Sym3& to) {
  to += w * Sym3{p.x * p.x, p.y * p.y, p.z * p.z, p.x * p.y, p.x * p.z, p.y * p.z};
}

Sym3 minus_point(Sym3 I, double m, const Vec3& d) {
  const double x = d.x * d.x, y = d.y * d.y, z = d.z * d.z;
  return I + Sym3{-m * (y + z), -m * (x + z), -m * (x + y), m * d.x * d.y, m * d.x * d.z, m * d.y * d.z};
}

}  // namespace

Mesh load_any_mesh(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (ending == ".msh") return parse_msh(read_text_file(file.lexically_normal()), file.lexically_normal().string());
  if (ending == ".stl") return load_mesh(file);
  if (ending != ".obj") return load_with_assimp(file);
  // Points without faces are those of their convex hull.
  Mesh mesh = parse_obj(read_text_file(file.lexically_normal()), file.lexically_normal().string(), false);
  if (mesh.triangles.empty()) mesh.triangles = convex_hull(mesh.vertices);
  if (mesh.triangles.empty())
    throw InputError{fmt::format("'{}' has no faces and no four points in space", file.string())};
  return mesh;
}

namespace {

// Mass, centre and inertia of the tetrahedra from `apex` to every face, by the signs of their volumes or, `legacy`, without them; of a shell,
// of the faces.
MassProperties weigh_faces(const Mesh& mesh, MeshInertia how, const Vec3& apex) {
  MassProperties out;
  Sym3 second{};
  Vec3 moment{};
  const bool shell = how == MeshInertia::shell;
  for (const auto& t : mesh.triangles) {
    const Face f = face_of(mesh, t);
    double weight = shell ? f.area : dot(f.centre - apex, f.normal) * f.area / 3;
    if (how == MeshInertia::legacy) weight = std::abs(weight);
    const auto corner = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])] - apex; };
    const Vec3 a = corner(0), b = corner(1), c = corner(2), s = a + b + c;
    out.mass += weight;
    moment += (weight / (shell ? 3 : 4)) * s;
    for (const Vec3& p : {s, a, b, c}) add_outer(weight / (shell ? 12 : 20), p, second);
  }
  if (!(out.mass > 0)) return {};
  const Vec3 d = moment / out.mass;
  out.centre = apex + d;
  out.inertia = minus_point(from_second(second), out.mass, d);
  return out;
}

}  // namespace

// As MuJoCo's compiler: the centre of mass from the tetrahedra over the centroid of the surface, mass and inertia from those over that
// centre. Where signs count the apex does not matter.
MassProperties weigh_mesh(const Mesh& given, MeshInertia how) {
  Mesh hull;
  if (how == MeshInertia::convex) {
    hull.vertices = given.vertices;
    hull.triangles = convex_hull(given.vertices);
  }
  const Mesh& mesh = how == MeshInertia::convex ? hull : given;
  double area = 0;
  Vec3 centre{};
  for (const auto& t : mesh.triangles) {
    const Face f = face_of(mesh, t);
    area += f.area;
    centre += f.area * f.centre;
  }
  if (!(area > 0)) return {};
  const MassProperties first = weigh_faces(mesh, how, centre / area);
  if (how != MeshInertia::legacy || !(first.mass > 0)) return first;
  const MassProperties second = weigh_faces(mesh, how, first.centre);
  // The inertia about the apex is what counts there, though the tetrahedra without their signs balance elsewhere.
  return {second.mass, first.centre, minus_point(second.inertia, -second.mass, second.centre - first.centre)};
}

Hull hull_of(const std::vector<Vec3>& points) {
  std::set<int> used;
  for (const auto& t : convex_hull(points, 1e-3)) used.insert(t.begin(), t.end());
  Hull out;
  for (const int i : used) out.points.push_back(points[static_cast<std::size_t>(i)]);
  return out;
}

MassProperties weigh_shell(const Geometry& geometry) {
  if (const auto* s = std::get_if<Sphere>(&geometry)) {
    const double m = 4 * pi * s->radius * s->radius, i = 2.0 / 3 * m * s->radius * s->radius;
    return {m, {}, Sym3::diagonal(i, i, i)};
  }
  if (const auto* b = std::get_if<Box>(&geometry)) {
    MassProperties out;
    Sym3 second{};
    for (int k = 0; k < 3; ++k) {
      const double u = b->sides[(k + 1) % 3], v = b->sides[(k + 2) % 3], area = 2 * u * v, d = b->sides[k] / 2;
      out.mass += area;
      Vec3 diagonal;
      diagonal[k] = area * d * d;
      diagonal[(k + 1) % 3] = area * u * u / 12;
      diagonal[(k + 2) % 3] = area * v * v / 12;
      second += Sym3::diagonal(diagonal.x, diagonal.y, diagonal.z);
    }
    out.inertia = from_second(second);
    return out;
  }
  const auto* cylinder = std::get_if<Cylinder>(&geometry);
  const auto* capsule = std::get_if<Capsule>(&geometry);
  if (cylinder == nullptr && capsule == nullptr) return {};
  const double r = cylinder ? cylinder->radius : capsule->radius, l = cylinder ? cylinder->length : capsule->length;
  const double side = 2 * pi * r * l;
  double zz = side * r * r, across = side * (r * r / 2 + l * l / 12), mass = side;
  if (cylinder) {
    const double ends = 2 * pi * r * r;
    mass += ends;
    zz += ends * r * r / 2;
    across += ends * (r * r / 4 + l * l / 4);
  } else {
    // Two half spheres, each with its centre of mass r/2 beyond the cylinder's end.
    const double caps = 4 * pi * r * r, h = l / 2;
    mass += caps;
    zz += caps * 2.0 / 3 * r * r;
    across += caps * (2.0 / 3 * r * r + h * h + h * r);
  }
  return {mass, {}, Sym3::diagonal(across, across, zz)};
}

std::vector<Vec3> ellipsoid_points(const Vec3& radii) {
  constexpr int kRings = 12, kAround = 24;
  std::vector<Vec3> out{{0, 0, radii.z}, {0, 0, -radii.z}};
  for (int i = 1; i < kRings; ++i)
    for (int k = 0; k < kAround; ++k) {
      const double u = pi * i / kRings, v = 2 * pi * k / kAround;
      out.push_back({radii.x * portable::sin(u) * portable::cos(v), radii.y * portable::sin(u) * portable::sin(v),
                     radii.z * portable::cos(u)});
    }
  return out;
}

}  // namespace catena
