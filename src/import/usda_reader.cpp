// USD text: rigid bodies float, joints hold them where the file says, so loops are joints like all others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "catena/import/mesh_solid.h"
#include "catena/import/numbers.h"
#include "catena/import/usda.h"
#include "catena/import/usda_joints.h"

namespace catena {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

bool has_api(const XmlNode& prim, std::string_view name) {
  const std::string* list = prim.find("apiSchemas");
  if (list == nullptr) return false;
  for (std::size_t at = list->find(name); at != std::string::npos; at = list->find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || (*list)[at - 1] == ' ') && (end == list->size() || (*list)[end] == ' ')) return true;
  }
  return false;
}

class UsdaReader {
 public:
  explicit UsdaReader(const XmlTree& tree) : tree_(tree), ledger_(tree, usda_format()) {}

  BuiltRobot read() {
    length_ = number(tree_.root, "metersPerUnit", 0.01);
    mass_ = number(tree_.root, "kilogramsPerUnit", 1);
    if (!(length_ > 0) || !(mass_ > 0)) fail(tree_, tree_.root, "metersPerUnit and kilogramsPerUnit must be positive");
    const std::string* up = tree_.root.find("upAxis");
    robot_.gravity = up != nullptr && *up == "Z" ? Vec3{0, 0, -9.81} : Vec3{0, -9.81, 0};
    robot_.mend_inertias = true;
    walk(tree_.root, {}, {1, 1, 1}, -1);
    weigh();
    built_ = build_robot(std::move(robot_), tree_);
    set_velocities();
    const auto place_of = [&](const std::string& path) {
      const auto found = prims_.find(path);
      if (found == prims_.end()) return std::optional<UsdPlace>{};
      const BodyId body =
          found->second.body < 0 ? kGround : built_.body_of[static_cast<std::size_t>(found->second.body)];
      return std::optional<UsdPlace>{{body, found->second.world}};
    };
    UsdJoints joints(tree_, length_, mass_, place_of, ledger_, built_);
    for (const XmlNode* joint : joints_) joints.add(*joint);
    built_.scene.ledger = ledger_.close();
    built_.scene.warnings = warnings_;
    return std::move(built_);
  }

 private:
  struct Prim {
    Pose world{};
    int body = -1;  // the robot body it moves with
  };

  double number(const XmlNode& node, const char* key, double otherwise) const {
    const std::string* text = node.find(key);
    return text != nullptr && !text->empty() ? read_one(tree_, node, key, *text) : otherwise;
  }
  Vec3 three(const XmlNode& node, const char* key, const Vec3& otherwise) const {
    const std::string* text = node.find(key);
    return text != nullptr ? read_three(tree_, node, key, *text) : otherwise;
  }
  Quat quat(const XmlNode& node, const char* key) const {
    const std::string* text = node.find(key);
    if (text == nullptr) return {};
    const std::vector<double> x = read_numbers(tree_, node, key, *text, 4, 4);
    const Quat q{x[0], x[1], x[2], x[3]};
    return norm(q) > 1e-9 ? normalized(q) : Quat{};
  }

  // The operations of xformOpOrder one after the other, outermost first.
  Pose transform(const XmlNode& prim, Vec3& scale) {
    const std::string* order = prim.find("xformOpOrder");
    Pose out;
    if (order == nullptr) return out;
    for (std::size_t at = 0; at < order->size();) {
      const std::size_t end = std::min(order->find(' ', at), order->size());
      const std::string op = order->substr(at, end - at);
      at = end + 1;
      const char* key = op.c_str();
      if (prim.find(op) == nullptr) continue;
      const auto turn = [&](double x, double y, double z) { return from_rpy({kDegree * x, kDegree * y, kDegree * z}); };
      if (op.starts_with("xformOp:translate")) out = out * Pose{length_ * three(prim, key, {}), {}};
      else if (op == "xformOp:rotateXYZ") {
        const Vec3 a = three(prim, key, {});
        out = out * Pose{{}, turn(a.x, a.y, a.z)};
      } else if (op == "xformOp:rotateX") out = out * Pose{{}, turn(number(prim, key, 0), 0, 0)};
      else if (op == "xformOp:rotateY") out = out * Pose{{}, turn(0, number(prim, key, 0), 0)};
      else if (op == "xformOp:rotateZ") out = out * Pose{{}, turn(0, 0, number(prim, key, 0))};
      else if (op.starts_with("xformOp:orient")) out = out * Pose{{}, quat(prim, key)};
      else if (op == "xformOp:scale") {
        const Vec3 s = three(prim, key, {1, 1, 1});
        scale = {scale.x * s.x, scale.y * s.y, scale.z * s.z};
      } else if (op == "xformOp:transform") {
        out = out * matrix(prim, key);
      } else {
        ledger_.note(prim, op, Fate::ignored, "this operation is not understood");
      }
    }
    return out;
  }

  // Rows of a rotation that acts on row vectors; the last row is the translation.
  Pose matrix(const XmlNode& prim, const char* key) {
    const std::vector<double> m = read_numbers(tree_, prim, key, *prim.find(key), 16, 16);
    const Mat3 R = Mat3::from_columns({m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]});
    if (std::abs(determinant(R) - 1) > 1e-4)
      fail(tree_, prim, "xformOp:transform: is not a rotation and a translation");
    return {length_ * Vec3{m[12], m[13], m[14]}, normalized(from_matrix(R))};
  }

  void walk(const XmlNode& node, const Pose& parent, const Vec3& parent_scale, int body) {
    for (const XmlNode& prim : node.children) {
      if (prim.name.starts_with("Physics") && prim.name.ends_with("Joint")) {
        joints_.push_back(&prim);
        continue;
      }
      if (prim.name == "PhysicsScene") read_scene(prim);
      Vec3 scale = parent_scale;
      const Pose world = parent * transform(prim, scale);
      int own = body;
      if (has_api(prim, "PhysicsRigidBodyAPI") && number(prim, "physics:rigidBodyEnabled", 1) != 0)
        own = add_body(prim, world);
      prims_[*prim.find("path")] = {world, own};
      add_shape(prim, world, scale, own);
      walk(prim, world, scale, own);
    }
  }

  void read_scene(const XmlNode& prim) {
    const double g = prim.find("physics:gravityMagnitude") != nullptr &&
                             prim.find("physics:gravityMagnitude")->find("inf") == std::string::npos
                       ? number(prim, "physics:gravityMagnitude", -1) * length_
                       : -1;
    const Vec3 direction = three(prim, "physics:gravityDirection", {});
    const double magnitude = g >= 0 ? g : 9.81;
    robot_.gravity = magnitude * (norm(direction) > 0 ? normalized(direction) : normalized(robot_.gravity));
  }

  int add_body(const XmlNode& prim, const Pose& world) {
    RobotBody body{.name = *prim.find("name"), .pose = world, .node = &prim};
    body.joints.push_back({.name = "free " + body.name, .kind = RobotJoint::Kind::free, .node = &prim});
    robot_.bodies.push_back(std::move(body));
    shapes_of_.emplace_back();
    if (number(prim, "physics:kinematicEnabled", 0) == 0 && prim.find("physics:kinematicEnabled") != nullptr)
      ledger_.note(prim, "physics:kinematicEnabled", Fate::used, "");
    return static_cast<int>(robot_.bodies.size()) - 1;
  }

  void add_shape(const XmlNode& prim, const Pose& world, const Vec3& scale, int body) {
    const bool collides = has_api(prim, "PhysicsCollisionAPI") && number(prim, "physics:collisionEnabled", 1) != 0;
    if (prim.name == "prim" && collides)
      ledger_.note(prim, "", Fate::ignored, "a shape in another file, which is not followed");
    Pose turned = world;
    const std::optional<Geometry> g = geometry_of(prim, scale, collides, turned);
    if (!g) return;
    if (std::holds_alternative<Plane>(*g) && body >= 0)
      return ledger_.note(prim, "", Fate::ignored, "a plane belongs to the ground", collides);
    const Pose pose = body >= 0 ? inverse(robot_.bodies[static_cast<std::size_t>(body)].pose) * turned : turned;
    Shape shape{*g, pose.p, pose.q};
    shape.collide = collides;
    if (body >= 0) {
      shapes_of_[static_cast<std::size_t>(body)].push_back({*g, pose, number(prim, "physics:density", 0), collides});
      robot_.bodies[static_cast<std::size_t>(body)].shapes.push_back({"", std::move(shape)});
      return;
    }
    RobotBody still{.name = *prim.find("name"), .node = &prim};
    still.shapes.push_back({"", std::move(shape)});
    robot_.bodies.push_back(std::move(still));
    shapes_of_.emplace_back();
  }

  std::optional<Geometry> geometry_of(const XmlNode& prim, const Vec3& scale, bool collides, Pose& pose) {
    const auto positive = [&](const char* key, double otherwise, double factor) {
      const double x = number(prim, key, otherwise) * length_ * std::abs(factor);
      if (!(x > 0)) fail(tree_, prim, fmt::format("{}: must be positive", key));
      return x;
    };
    // Along X or Y: turned so that z lies there.
    const auto along = [&](const char* otherwise) {
      const std::string axis = prim.find("axis") != nullptr ? *prim.find("axis") : otherwise;
      if (axis == "X") pose.q = normalized(pose.q * exp_rotation(Vec3{0, std::numbers::pi / 2, 0}));
      if (axis == "Y") pose.q = normalized(pose.q * exp_rotation(Vec3{-std::numbers::pi / 2, 0, 0}));
      return axis;
    };
    if (prim.name == "Cube") {
      const double side = positive("size", 2, 1);
      return Box{{side * std::abs(scale.x), side * std::abs(scale.y), side * std::abs(scale.z)}};
    }
    if (prim.name == "Sphere") return Sphere{positive("radius", 1, scale.x)};
    if (prim.name == "Capsule" || prim.name == "Cylinder") {
      const std::string axis = along("Z");
      const double own = axis == "X" ? scale.x
                       : axis == "Y" ? scale.y
                                     : scale.z,
                   across = axis == "X" ? scale.y : scale.x;
      const bool capsule = prim.name == "Capsule";
      const double radius = positive("radius", capsule ? 0.5 : 1, across),
                   height = positive("height", capsule ? 1 : 2, own);
      if (capsule) return Capsule{radius, height};
      return Cylinder{radius, height};
    }
    if (prim.name == "Plane") {
      along("Z");
      return Plane{{0, 0, 1}, 0};
    }
    if (prim.name == "Mesh") return mesh_of(prim, scale, collides);
    return {};
  }

  std::optional<Geometry> mesh_of(const XmlNode& prim, const Vec3& scale, bool collides) {
    const std::string *points = prim.find("points"), *counts = prim.find("faceVertexCounts"),
                      *indices = prim.find("faceVertexIndices");
    if (points == nullptr) return {};
    const std::vector<double> x = read_numbers(tree_, prim, "points", *points);
    if (x.size() % 3 != 0) fail(tree_, prim, "points: three numbers a point are expected");
    Mesh mesh;
    for (std::size_t i = 0; i < x.size(); i += 3)
      mesh.vertices.push_back(length_ * Vec3{scale.x * x[i], scale.y * x[i + 1], scale.z * x[i + 2]});
    if (collides) {
      Hull hull = hull_of(mesh.vertices);
      if (hull.points.size() < 4) return {};
      return hull;
    }
    if (counts == nullptr || indices == nullptr) return {};
    const std::vector<double> c = read_numbers(tree_, prim, "faceVertexCounts", *counts),
                              f = read_numbers(tree_, prim, "faceVertexIndices", *indices);
    std::size_t next = 0;
    for (const double count : c) {
      if (!(count >= 0) || count > static_cast<double>(f.size() - next))
        fail(tree_, prim, "faceVertexCounts: more than there are indices");
      const auto n = static_cast<std::size_t>(count);
      for (std::size_t k = 0; k < n; ++k)
        if (!(f[next + k] >= 0) || f[next + k] >= static_cast<double>(mesh.vertices.size()))
          fail(tree_, prim, "faceVertexIndices: names a point that is not there");
      for (std::size_t k = 2; k < n; ++k)
        mesh.triangles.push_back(
            {static_cast<int>(f[next]), static_cast<int>(f[next + k - 1]), static_cast<int>(f[next + k])});
      next += n;
    }
    if (mesh.triangles.empty()) return {};
    return mesh;
  }

  // Mass, centre and inertia as written; what is zero or missing comes from the shapes that collide.
  void weigh() {
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i) {
      RobotBody& body = robot_.bodies[i];
      if (body.joints.empty()) continue;
      const XmlNode& prim = *body.node;
      MassProperties shapes;
      const double density = number(prim, "physics:density", 0);
      for (const Weighed& s : shapes_of_[i]) {
        if (!s.collides) continue;
        const double own = density > 0 ? density : s.density;
        add_mass(shapes, moved(s.pose, mass_properties(s.geometry,
                                                       own > 0 ? own * mass_ / (length_ * length_ * length_) : 1000)));
      }
      const double given = mass_ * number(prim, "physics:mass", 0);
      MassProperties m = shapes;
      if (given > 0) {
        m.inertia = shapes.mass > 0 ? (given / shapes.mass) * shapes.inertia : Sym3{};
        m.mass = given;
      }
      const Vec3 moments = mass_ * length_ * length_ * three(prim, "physics:diagonalInertia", {});
      if (const std::string* centre = prim.find("physics:centerOfMass");
          centre != nullptr && centre->find("inf") == std::string::npos)
        m.centre = length_ * three(prim, "physics:centerOfMass", {});
      if (norm(moments) > 0)
        m.inertia =
            congruence(to_matrix(quat(prim, "physics:principalAxes")), Sym3::diagonal(moments.x, moments.y, moments.z));
      if (!(m.mass > 0))
        fail(tree_, prim, fmt::format("body '{}' has no mass; give physics:mass, or shapes that collide", body.name));
      body.inertial = m;
    }
  }

  void set_velocities() {
    for (std::size_t i = 0; i < built_.robot.bodies.size(); ++i) {
      const RobotBody& body = built_.robot.bodies[i];
      if (body.joints.empty()) continue;
      BodyState& state = built_.scene.initial.bodies[built_.body_of[i]];
      state.velocity = length_ * three(*body.node, "physics:velocity", {});
      state.angular_velocity = kDegree * three(*body.node, "physics:angularVelocity", {});
    }
    for (const int i : built_.mended) {
      const XmlNode& prim = *built_.robot.bodies[static_cast<std::size_t>(i)].node;
      ledger_.note(prim, "", Fate::approximated,
                   "the inertia is not positive definite, so of no body; its principal moments were raised");
    }
  }

  struct Weighed {
    Geometry geometry;
    Pose pose;
    double density;
    bool collides;
  };
  const XmlTree& tree_;
  LedgerWriter ledger_;
  Robot robot_;
  BuiltRobot built_;
  Warnings warnings_;
  double length_ = 1, mass_ = 1;
  std::map<std::string, Prim> prims_;
  std::vector<std::vector<Weighed>> shapes_of_;  // of every robot body
  std::vector<const XmlNode*> joints_;
};

}  // namespace

BuiltRobot read_usda(const XmlTree& tree) { return UsdaReader(tree).read(); }

}  // namespace catena
