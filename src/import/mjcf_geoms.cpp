// MJCF: geoms as shapes, materials, masses.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/import/mjcf_reader.h"
#include "catena/math/elementary.h"
#include "catena/math/scalar.h"
#include "catena/model/convex_hull.h"

namespace catena::mjcf {
namespace {

using std::numbers::pi;

MassProperties solid_ellipsoid(const Vec3& r) {
  const double m = 4.0 / 3 * pi * r.x * r.y * r.z;
  return {m,
          {},
          Sym3::diagonal(m / 5 * (r.y * r.y + r.z * r.z), m / 5 * (r.x * r.x + r.z * r.z),
                         m / 5 * (r.x * r.x + r.y * r.y))};
}

// The points of a fromto as a length and the pose of its middle, z from the first to the second.
Pose along_points(const std::vector<double>& x, double& length) {
  const Vec3 a{x[0], x[1], x[2]}, b{x[3], x[4], x[5]}, d = b - a;
  length = norm(d);
  Pose out{0.5 * (a + b), {}};
  if (length > 0) {
    const Vec3 z = d / length, axis = cross(Vec3{0, 0, 1}, z);
    const double s = norm(axis);
    if (s < 1e-10) out.q = z.z > 0 ? Quat{} : Quat{0, 1, 0, 0};
    else out.q = normalized(exp_rotation(portable::atan2(s, z.z) / s * axis));
  }
  return out;
}

}  // namespace

void Reader::read_geom(const XmlNode& node, const Around& around) {
  const Item here = item(node, around.defaults);
  const std::string name = name_of(here, around),
                    type = word(here, "type", node.find("mesh") && !here.find("type") ? "mesh" : "sphere");
  const int contype = integer(here, "contype", 1), affinity = integer(here, "conaffinity", 1);
  const bool collides = preamble_.option.contacts && (contype != 0 || affinity != 0);
  Pose place = pose(here);
  std::vector<double> size = read_numbers(tree_, node, "size", word(here, "size", ""), 0, 3);
  if (const std::string* text = here.find("fromto")) {
    if (type != "capsule" && type != "cylinder" && type != "box" && type != "ellipsoid")
      fail(tree_, node, fmt::format("fromto: belongs to capsules, cylinders, boxes and ellipsoids, not to a {}", type));
    double length = 0;
    place = along_points(read_numbers(tree_, node, "fromto", *text, 6, 6), length);
    if (size.empty()) fail(tree_, node, "size: a radius is expected beside fromto");
    if (type == "box" || type == "ellipsoid") size = {size[0], size[0], length / 2};  // the first number is both
    else size = {size[0], length / 2};
  }
  MassProperties unit;  // at density 1
  const std::optional<Geometry> geometry = geometry_of(here, type, size, collides, place, unit);
  const Pose pose = around.frame * place;
  const int group = integer(here, "group", 0);
  const bool weighs = group >= compiler(node).group_first && group <= compiler(node).group_last && around.body != 0;
  if (weighs && unit.mass > 0) {
    double scale = number(here, "density", 1000);
    if (here.find("mass")) scale = number(here, "mass", 0) / unit.mass;
    if (scale < 0) fail(tree_, node, "mass and density must not be negative");
    MassProperties m{scale * unit.mass, unit.centre, scale * unit.inertia};
    if (m.mass > 0) add_mass(body_notes_.from_geoms[at(around.body)], moved(pose, m));
  }
  if (!geometry) return;
  Shape shape{*geometry, pose.p, pose.q};
  shape.collide = collides;
  shape.category = static_cast<std::uint32_t>(contype);
  shape.mask = static_cast<std::uint32_t>(affinity);
  shape.material = material_of(here, name);
  if (const std::string* material = here.find("material"); material && assets_.colors.contains(*material))
    shape.color = assets_.colors[*material];
  if (const std::string* rgba = here.find("rgba"); rgba && !rgba->empty()) {
    const std::vector<double> x = read_numbers(tree_, node, "rgba", *rgba, 4, 4);
    shape.color = {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]),
                   static_cast<float>(x[3])};
  }
  RobotBody& body = robot_.bodies[at(around.body)];
  note_softness(here, around.body, body.shapes.size());
  if (!name.empty()) names_.geoms[name] = {around.body, static_cast<int>(body.shapes.size())};
  body.shapes.push_back({name, std::move(shape)});
}

std::optional<Geometry> Reader::geometry_of(const Item& here, const std::string& type, const std::vector<double>& size,
                                            bool collides, Pose& pose, MassProperties& unit) {
  if (type != "mesh" && type != "sdf" && here.find("mesh")) {
    const std::optional<std::vector<double>> fitted = fit_to_mesh(here, type, collides, pose);
    return fitted ? primitive(here, type, *fitted, unit) : std::nullopt;
  }
  if (type == "mesh") return mesh_geometry(here, collides, unit);
  if (type == "hfield") {
    MeshAsset field;
    field.mesh.file = missing_heights(here);
    field.missing = !field.mesh.file.empty();
    if (is_missing(here, field, collides)) return {};
  }
  return primitive(here, type, size, unit);
}

std::optional<Geometry> Reader::primitive(const Item& here, const std::string& type, const std::vector<double>& size,
                                          MassProperties& unit) {
  const XmlNode& node = *here.node;
  const auto need = [&](std::size_t count) {
    if (size.size() < count)
      fail(tree_, node, fmt::format("size: a {} needs {} numbers, not {}", type, count, size.size()));
    for (std::size_t k = 0; k < count; ++k)
      if (!(size[k] > 0)) fail(tree_, node, fmt::format("size: the numbers of a {} must be positive", type));
  };
  const std::string* shell = here.find("shellinertia");
  const bool hollow = shell && read_flag(tree_, node, "shellinertia", *shell);
  const auto weighed = [&](Geometry g) {
    unit = hollow ? weigh_shell(g) : mass_properties(g, 1);
    return g;
  };
  if (type == "sphere") return need(1), weighed(Sphere{size[0]});
  if (type == "capsule") return need(2), weighed(Capsule{size[0], 2 * size[1]});
  if (type == "cylinder") return need(2), weighed(Cylinder{size[0], 2 * size[1]});
  if (type == "box") return need(3), weighed(Box{{2 * size[0], 2 * size[1], 2 * size[2]}});
  if (type == "ellipsoid") {
    need(3);
    const Vec3 radii{size[0], size[1], size[2]};
    unit = solid_ellipsoid(radii);
    if (hollow) ledger_.note(node, "shellinertia", Fate::ignored, "an ellipsoid weighs as a solid");
    if (size[0] == size[1] && size[1] == size[2]) return Sphere{size[0]};
    ledger_.note(node, "type", Fate::approximated, "an ellipsoid collides as a polyhedron of 266 points on it");
    return Hull{ellipsoid_points(radii)};
  }
  if (type == "plane") {
    if (!node.find("size") && size.empty()) return Plane{{0, 0, 1}, 0};
    return Plane{{0, 0, 1}, 0};
  }
  if (type == "hfield") return height_field(here);
  if (type == "sdf") {
    ledger_.note(node, "", Fate::ignored, fmt::format("a geom of type {} is not modelled", type));
    return {};
  }
  fail(tree_, node, fmt::format("type: '{}' is not a type of geom", type));
}

const MeshAsset& Reader::mesh_asset(const Item& here, const std::string& name) {
  const auto found = assets_.meshes.find(name);
  if (found == assets_.meshes.end())
    fail(tree_, *here.node, fmt::format("there is no mesh '{}' among the assets", name));
  MeshAsset& asset = found->second;
  if (asset.mesh.vertices.empty() && !asset.missing) load_mesh_asset(item(*asset.node, nullptr), asset);
  return asset;
}

void Reader::load_mesh_asset(const Item& here, MeshAsset& asset) {
  const XmlNode& node = *here.node;
  const std::string how = word(here, "inertia", compiler(*asset.node).exact_mesh_inertia ? "exact" : "legacy");
  asset.inertia = how == "convex" ? MeshInertia::convex
                : how == "exact"  ? MeshInertia::exact
                : how == "shell"  ? MeshInertia::shell
                                  : MeshInertia::legacy;
  if (const std::string* text = here.find("vertex")) {
    const std::vector<double> x = read_numbers(tree_, node, "vertex", *text);
    if (x.size() % 3 != 0 || x.size() < 12)
      fail(tree_, node, "vertex: three numbers a point are expected, and four points");
    for (std::size_t i = 0; i < x.size(); i += 3)
      asset.mesh.vertices.push_back(
          {static_cast<float>(x[i]), static_cast<float>(x[i + 1]), static_cast<float>(x[i + 2])});
    if (const std::string* faces = here.find("face")) {
      const std::vector<double> f = read_numbers(tree_, node, "face", *faces);
      const auto count = static_cast<double>(asset.mesh.vertices.size());
      for (std::size_t i = 0; i + 2 < f.size(); i += 3) {
        for (std::size_t k = 0; k < 3; ++k)
          if (f[i + k] < 0 || f[i + k] >= count || f[i + k] != std::floor(f[i + k]))
            fail(tree_, node, "face: names a vertex that is not there");
        asset.mesh.triangles.push_back(
            {static_cast<int>(f[i]), static_cast<int>(f[i + 1]), static_cast<int>(f[i + 2])});
      }
    } else {
      asset.mesh.triangles = convex_hull(asset.mesh.vertices);
    }
  } else {
    std::filesystem::path file = word(here, "file", "");
    if (file.empty()) {  // of a plugin, or one that MuJoCo makes up
      asset.missing = true;
      asset.mesh.file = word(here, "name", "");
      ledger_.note(node, "", Fate::ignored, "has neither a file nor vertices");
      return;
    }
    if (compiler(node).strip_path) file = file.filename();
    std::filesystem::path whole = folder_ / compiler(node).mesh_folder / file;
    std::error_code error;
    // Written in an included file it may be beside that one.
    if (!std::filesystem::is_regular_file(whole, error)) {
      const std::filesystem::path included = tree_.files[static_cast<std::size_t>(node.file)];
      if (const auto beside = included.parent_path() / compiler(node).mesh_folder / file;
          std::filesystem::is_regular_file(beside, error))
        whole = beside;
    }
    if (!std::filesystem::is_regular_file(whole, error)) {
      asset.missing = true;
      asset.mesh.file = whole.lexically_normal().string();
      return;
    }
    try {
      asset.mesh = load_any_mesh(whole);
      // As MuJoCo keeps them.
      for (Vec3& v : asset.mesh.vertices)
        for (int k = 0; k < 3; ++k) v[k] = static_cast<float>(v[k]);
    } catch (const InputError& problem) {
      fail(tree_, node, problem.what());
    }
  }
  const Vec3 scale = three(here, "scale", {1, 1, 1}), ref = three(here, "refpos", {});
  Quat turn{};
  if (const std::string* text = here.find("refquat")) {
    const std::vector<double> x = read_numbers(tree_, node, "refquat", *text, 4, 4);
    turn = normalized(Quat{x[0], x[1], x[2], x[3]}).conjugate();
  }
  // Moved, turned, scaled: in this order.
  for (Vec3& v : asset.mesh.vertices) {
    const Vec3 turned = rotate(turn, v - ref);
    v = {scale.x * turned.x, scale.y * turned.y, scale.z * turned.z};
  }
  if (scale.x * scale.y * scale.z < 0)
    for (auto& t : asset.mesh.triangles) std::swap(t[1], t[2]);
}

// A mesh collides as its hull and looks as itself. A missing one that only looks is left out with a warning.
std::optional<Geometry> Reader::mesh_geometry(const Item& here, bool collides, MassProperties& unit) {
  const XmlNode& node = *here.node;
  const MeshAsset& asset = mesh_of(here);
  if (is_missing(here, asset, collides)) return {};
  unit = weigh_mesh(asset.mesh, asset.inertia);
  if (!collides) return asset.mesh;
  Hull hull = hull_of(asset.mesh.vertices);
  if (hull.points.size() < 4) {
    ledger_.note(node, "", Fate::ignored, "the points of its mesh lie in one plane");
    return {};
  }
  return hull;
}

const MeshAsset& Reader::mesh_of(const Item& here) {
  const std::string* name = here.find("mesh");
  if (name == nullptr) fail(tree_, *here.node, "a geom of type mesh needs mesh=\"NAME\"");
  return mesh_asset(here, *name);
}

// Whether there is no file, which is said, or fails where the mesh collides.
bool Reader::is_missing(const Item& here, const MeshAsset& asset, bool collides) {
  const XmlNode& node = *here.node;
  if (asset.missing) {
    if (collides && !options_.missing_meshes)
      fail(tree_, node,
           fmt::format(
               "the mesh '{}' that this geom collides with is not there; --missing-meshes skip goes on without it",
               asset.mesh.file));
    warnings_.push_back(
        fmt::format("{}mesh '{}' is not there; the geom is left out", tree_.where(node), asset.mesh.file));
    ledger_.note(node, "", Fate::ignored, fmt::format("mesh '{}' is not there", asset.mesh.file), collides);
  }
  return asset.missing;
}

// The size of a primitive that stands for a mesh: that of the box with the mesh's mass and inertia, in its principal axes and at its centre
// of mass, longest along z; or, with fitaabb, of the box around it.
std::optional<std::vector<double>> Reader::fit_to_mesh(const Item& here, const std::string& type, bool collides,
                                                       Pose& pose) {
  const MeshAsset& asset = mesh_of(here);
  if (is_missing(here, asset, collides)) return {};
  const MassProperties m = weigh_mesh(asset.mesh, asset.inertia);
  if (!(m.mass > 0)) fail(tree_, *here.node, "its mesh has no volume to fit a shape to");
  const Sym3& I = m.inertia;
  Eigen::Matrix3d matrix;
  matrix << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(matrix);
  // Ascending moments: the least is about the longest axis, which becomes z.
  const Eigen::Vector3d e = solver.eigenvalues().reverse();
  const auto axis = [&](int k) {
    const Eigen::Vector3d v = solver.eigenvectors().col(2 - k);
    return Vec3{v[0], v[1], v[2]};
  };
  const Vec3 x = axis(0), y = axis(1);
  Vec3 half;
  for (int k = 0; k < 3; ++k) half[k] = 0.5 * std::sqrt(std::max(0.0, 6 * (e.sum() - 2 * e[k]) / m.mass));
  Pose fitted{m.centre, from_matrix(Mat3::from_columns(x, y, cross(x, y)))};
  if (compiler(*here.node).fit_box) {
    Vec3 low = asset.mesh.vertices[0], high = low;
    for (const Vec3& v : asset.mesh.vertices)
      for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], v[k]), high[k] = std::max(high[k], v[k]);
    half = 0.5 * (high - low);
    fitted = {0.5 * (low + high), {}};
    ledger_.note(*here.node, "mesh", Fate::approximated, "fitted to the box around the mesh in the mesh's own axes");
  }
  pose = pose * fitted;
  const double scale = number(here, "fitscale", 1), mean = (half.x + half.y) / 2;
  if (type == "sphere") return std::vector{scale * (half.x + half.y + half.z) / 3};
  if (type == "capsule") return std::vector{scale * mean, scale * std::max(1e-9, half.z - mean / 2)};
  if (type == "cylinder") return std::vector{scale * mean, scale * half.z};
  if (type == "box" || type == "ellipsoid") return std::vector{scale * half.x, scale * half.y, scale * half.z};
  fail(tree_, *here.node, fmt::format("type: a {} cannot be fitted to a mesh", type));
}

int Reader::material_of(const Item& here, const std::string& name) {
  Material m;
  const std::vector<double> friction = read_numbers(tree_, *here.node, "friction", word(here, "friction", "1"), 0, 3);
  const int dimension = integer(here, "condim", 3);
  m.friction = friction.empty() ? 1 : friction[0];
  m.torsion = dimension >= 4 ? (friction.size() > 1 ? friction[1] : 0.005) : 0;
  m.rolling = dimension >= 6 ? (friction.size() > 2 ? friction[2] : 0.0001) : 0;
  if (m.friction < 0 || m.torsion < 0 || m.rolling < 0) fail(tree_, *here.node, "friction: must not be negative");
  m.combine_by_maximum = true;
  m.slides_with_friction = dimension > 1;
  m.priority = integer(here, "priority", 0);
  // The direct form (−stiffness, −damping) of little damping is an impact that gives back e = exp(−πζ/√(1−ζ²)).
  const std::vector<double> solref = read_numbers(tree_, *here.node, "solref", word(here, "solref", "0.02 1"), 1, 5);
  if (solref.size() >= 2 && solref[0] < 0 && solref[1] <= 0) {
    const double zeta = -solref[1] / (2 * std::sqrt(-solref[0]));
    if (zeta < 1) m.restitution = portable::exp(-pi * zeta / std::sqrt(1 - zeta * zeta));
    ledger_.note(*here.node, here.node->find("solref") ? "solref" : "", Fate::approximated,
                 fmt::format("a rigid contact with restitution {:.3g}", m.restitution), false);
  }
  (void)name;
  for (std::size_t i = 0; i < robot_.materials.size(); ++i) {
    const Material& o = robot_.materials[i];
    if (i > 0 && o.friction == m.friction && o.torsion == m.torsion && o.rolling == m.rolling &&
        o.restitution == m.restitution && o.priority == m.priority && o.slides_with_friction == m.slides_with_friction)
      return static_cast<int>(i);
  }
  m.name = fmt::format("material{}", robot_.materials.size());
  robot_.materials.push_back(m);
  return static_cast<int>(robot_.materials.size()) - 1;
}

}  // namespace catena::mjcf
