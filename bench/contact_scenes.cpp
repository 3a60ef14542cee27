#include "bench/contact_scenes.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <random>

namespace catena::workloads {
namespace {

catena::Shape shaped(Geometry geometry, const Vec3& at = {}) {
  catena::Shape shape;
  shape.geometry = std::move(geometry);
  shape.position = at;
  return shape;
}

BodySpec solid(const std::string& name, const Geometry& geometry, double mass, const Vec3& position,
               const Quat& orientation = {}) {
  const MassProperties one = mass_properties(geometry, 1);
  BodySpec spec;
  spec.name = name;
  spec.mass = mass;
  spec.inertia = (mass / one.mass) * one.inertia;
  spec.position = position;
  spec.orientation = orientation;
  spec.shapes = {shaped(geometry)};
  return spec;
}

Scene scene_of(const ModelBuilder& builder, double step) {
  const BuiltModel built = builder.build();
  Scene scene;
  scene.model = built.model;
  scene.initial = built.initial;
  scene.settings.step = step;
  scene.settings.method = Method::spook;
  return scene;
}

ModelBuilder floor(double friction) {
  ModelBuilder builder;
  builder.default_material(friction, 0);
  builder.ground_shape(shaped(Plane{{0, 0, 1}, 0}));
  return builder;
}

}  // namespace

Scene box_stack(int count) {
  ModelBuilder builder = floor(0.5);
  for (int i = 0; i < count; ++i)
    builder.body(solid(fmt::format("box{}", i), Box{{0.5, 0.5, 0.3}}, 45, {0, 0, 0.15 + 0.301 * i + 0.001}));
  return scene_of(builder, 5e-3);
}

Scene boxes_on_a_floor(int count) {
  ModelBuilder builder = floor(0.5);
  for (int i = 0; i < count; ++i)
    builder.body(solid(fmt::format("box{}", i), Box{{0.2, 0.2, 0.2}}, 8, {0.3 * (i % 8), 0.3 * (i / 8), 0.1}));
  return scene_of(builder, 5e-3);
}

Scene ball_over_hammock(int n, double friction) {
  constexpr double kSpacing = 0.05, kFold = 0.35;  // m; rad: by which the threads go up and down
  ModelBuilder builder;
  builder.default_material(friction, 0);
  const auto name = [](int r, int c) { return fmt::format("p{}_{}", r, c); };
  const auto place = [](int r, int c) {
    return kSpacing * Vec3{c * std::cos(kFold), r * std::cos(kFold), (r % 2 + c % 2) * std::sin(kFold)};
  };
  const auto join = [&](const char* suffix, JointKind kind, const std::string& a, const std::string& b,
                        std::optional<Vec3> anchor = {}) {
    JointSpec joint;
    joint.name = b + suffix;
    joint.kind = kind;
    joint.between = {a, b};
    joint.anchor = anchor;
    builder.joint(joint);
  };
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      BodySpec particle;
      particle.name = name(r, c);
      particle.kind = BodyKind::particle;
      particle.mass = 2e-3;
      particle.position = place(r, c);
      particle.shapes = {shaped(Sphere{0.02})};
      particle.collide_group = 1;
      builder.body(particle);
    }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      if (c > 0) join("u", JointKind::distance, name(r, c - 1), name(r, c));
      if (r > 0) join("v", JointKind::distance, name(r - 1, c), name(r, c));
      if (r % (n - 1) == 0 && c % (n - 1) == 0) join("pin", JointKind::ball, "ground", name(r, c), place(r, c));
    }
  const double middle = 0.5 * (n - 1) * kSpacing * std::cos(kFold);
  builder.body(solid("ball", Sphere{0.12}, 0.5, {middle + 0.01, middle, 0.2}));
  Scene scene = scene_of(builder, 5e-3);
  scene.settings.method = Method::impulse;
  return scene;
}

Scene falling_balls(int count, double restitution, double lowest) {
  ModelBuilder builder;
  builder.default_material(0.5, restitution);
  builder.ground_shape(shaped(Plane{{0, 0, 1}, 0}));
  for (int i = 0; i < count; ++i)
    builder.body(solid(fmt::format("ball{}", i), Sphere{0.1}, 1, {0.5 * i, 0, 0.1 + lowest + 1e-3 * i}));
  return scene_of(builder, 5e-3);
}

Scene thrown_bricks(int count, double speed, double height, double friction, double restitution) {
  ModelBuilder builder;
  builder.default_material(friction, restitution);
  builder.ground_shape(shaped(Plane{{0, 0, 1}, 0}));
  const Vec3 sides{0.24, 0.115, 0.071};
  for (int i = 0; i < count; ++i) {
    BodySpec brick = solid(fmt::format("brick{}", i), Box{sides}, 3.5, {0, 0.2 * i, height + 0.5 * sides.z});
    brick.velocity = {speed, 0, 0};
    builder.body(brick);
  }
  return scene_of(builder, 2e-3);
}

Scene brick_wall() {
  ModelBuilder builder = floor(0.6);
  const Vec3 brick{0.24, 0.115, 0.071};
  const double joint = 0.002;
  const auto lay = [&](int course, double left, double length) {
    const Vec3 sides{length, brick.y, brick.z};
    builder.body(solid(fmt::format("brick{}_{:.0f}", course, 1e3 * left), Box{sides}, 3.5 * length / brick.x,
                       {left + 0.5 * length, 0, brick.z * (course + 0.5)}));
  };
  const double half = 0.5 * (brick.x - joint);
  for (int course = 0; course < 10; ++course) {
    const bool odd = course % 2 == 1;  // begins and ends with half a brick
    if (odd) lay(course, 0, half);
    for (int i = 0; i < (odd ? 9 : 10); ++i) lay(course, (odd ? half + joint : 0) + i * (brick.x + joint), brick.x);
    if (odd) lay(course, half + joint + 9 * (brick.x + joint), half);
  }
  return scene_of(builder, 5e-3);
}

Scene mixed_pile(int count) {
  ModelBuilder builder = floor(0.5);
  const double pitch = 0.26, side = std::ceil(std::cbrt(count));
  for (const auto& [normal, offset] : {std::pair{Vec3{1, 0, 0}, 0.0},
                                       {Vec3{-1, 0, 0}, -pitch * side},
                                       {Vec3{0, 1, 0}, 0.0},
                                       {Vec3{0, -1, 0}, -pitch * side}})
    builder.ground_shape(shaped(Plane{normal, offset}));
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Geometry kinds[] = {Sphere{0.08}, Box{{0.16, 0.14, 0.12}}, Capsule{0.05, 0.1}, Cylinder{0.07, 0.12}};
  const int n = static_cast<int>(side);
  for (int i = 0; i < count; ++i) {
    const Vec3 at{pitch * (i % n + 0.5), pitch * (i / n % n + 0.5), pitch * (i / (n * n) + 0.5)};
    const Quat turn = normalized(Quat{1 + uniform(rng), uniform(rng), uniform(rng), uniform(rng)});
    builder.body(solid(fmt::format("b{}", i), kinds[i % 4], 2, at, turn));
  }
  return scene_of(builder, 5e-3);
}

namespace {

struct Bone {
  const char* name;
  const char* parent;  // nullptr: the first
  Vec3 centre;         // from the middle of the pelvis
  Geometry shape;
  double mass;
  Vec3 joint;  // where it meets its parent
  bool hinge;
};

std::vector<Bone> skeleton() {
  std::vector<Bone> bones{{"pelvis", nullptr, {}, Box{{0.2, 0.32, 0.16}}, 12, {}, false},
                          {"chest", "pelvis", {0, 0, 0.3}, Box{{0.2, 0.34, 0.34}}, 22, {0, 0, 0.1}, false},
                          {"head", "chest", {0, 0, 0.64}, Sphere{0.11}, 5, {0, 0, 0.5}, false}};
  for (const double side : {1.0, -1.0}) {
    const bool left = side > 0;
    bones.push_back({left ? "l_arm" : "r_arm",
                     "chest",
                     {0, side * 0.25, 0.29},
                     Capsule{0.045, 0.2},
                     2.2,
                     {0, side * 0.25, 0.43},
                     false});
    bones.push_back({left ? "l_hand" : "r_hand",
                     left ? "l_arm" : "r_arm",
                     {0, side * 0.25, 0},
                     Capsule{0.04, 0.2},
                     1.6,
                     {0, side * 0.25, 0.15},
                     true});
    bones.push_back({left ? "l_thigh" : "r_thigh",
                     "pelvis",
                     {0, side * 0.1, -0.3},
                     Capsule{0.07, 0.26},
                     8,
                     {0, side * 0.1, -0.1},
                     false});
    bones.push_back({left ? "l_shin" : "r_shin",
                     left ? "l_thigh" : "r_thigh",
                     {0, side * 0.1, -0.73},
                     Capsule{0.055, 0.28},
                     4,
                     {0, side * 0.1, -0.52},
                     true});
  }
  return bones;
}

}  // namespace

Scene ragdolls_on_stairs(int count) {
  ModelBuilder builder = floor(0.6);
  for (int step = 0; step < 10; ++step)
    builder.ground_shape(shaped(Box{{0.3, 6, 0.2 * (10 - step)}}, {0.3 * step, 0, 0.1 * (10 - step)}));
  const std::vector<Bone> bones = skeleton();
  for (int k = 0; k < count; ++k) {
    const Vec3 at{0.3 + 0.2 * (k % 3), 1.0 * (k % 5) - 2.0, 3.2 + 2.2 * (k / 5)};
    const Quat lean = exp_rotation(Vec3{0.3 * std::sin(k), 0.8, 0.2 * std::cos(k)});
    const auto name = [&](const char* bone) { return fmt::format("d{}_{}", k, bone); };
    for (const Bone& bone : bones)
      builder.body(solid(name(bone.name), bone.shape, bone.mass, at + rotate(lean, bone.centre), lean));
    for (const Bone& bone : bones) {
      if (!bone.parent) continue;
      JointSpec joint;
      joint.name = fmt::format("d{}_{}_joint", k, bone.name);
      joint.kind = bone.hinge ? JointKind::hinge : JointKind::ball;
      joint.between = {name(bone.parent), name(bone.name)};
      joint.anchor = at + rotate(lean, bone.joint);
      if (bone.hinge) joint.axis = rotate(lean, Vec3{0, 1, 0});
      builder.joint(joint);
    }
  }
  return scene_of(builder, 5e-3);
}

Scene loaded_chain(int links, double ratio) {
  ModelBuilder builder;
  const double length = 0.2;
  const Quat level = exp_rotation(Vec3{0, std::numbers::pi / 2, 0});
  const auto joint = [&](const std::string& a, const std::string& b, double x) {
    JointSpec spec;
    spec.name = b + "_joint";
    spec.kind = JointKind::ball;
    spec.between = {a, b};
    spec.anchor = Vec3{x, 0, 0};
    builder.joint(spec);
  };
  for (int i = 0; i < links; ++i) {
    builder.body(solid(fmt::format("link{}", i), Capsule{0.02, length - 0.04}, 0.1, {length * (i + 0.5), 0, 0}, level));
    joint(i == 0 ? "ground" : fmt::format("link{}", i - 1), fmt::format("link{}", i), length * i);
  }
  builder.body(solid("load", Sphere{1}, 0.1 * ratio, {length * links + 1, 0, 0}));
  joint(fmt::format("link{}", links - 1), "load", length * links);
  return scene_of(builder, 1.0 / 60);
}

Scene pinched_capsule() {
  const double weight = 0.045 * 9.81, friction = 0.5, press = 20 * weight / (2 * friction);
  ModelBuilder builder;
  builder.default_material(friction, 0);
  builder.body(solid("capsule", Capsule{0.01, 0.04}, 0.045, {0, 0, 0}, exp_rotation(Vec3{0, 0, 0.3})));
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "left" : "right";
    builder.body(solid(name, Box{{0.02, 0.04, 0.04}}, 0.2, {side * 0.02, 0, 0}));
    JointSpec rail;
    rail.name = name + "_rail";
    rail.kind = JointKind::slider;
    rail.between = {"ground", name};
    rail.anchor = Vec3{side * 0.02, 0, 0};
    rail.axis = Vec3{1, 0, 0};
    builder.joint(rail);
    builder.force({.body = name, .force = {-side * press, 0, 0}});
  }
  return scene_of(builder, 1e-2);
}

namespace {

std::string numbers(std::initializer_list<double> list) {
  std::string text;
  for (const double x : list) text += fmt::format(" {:.17g}", x);
  return text;
}

std::string geometry_text(const Geometry& geometry) {
  if (const auto* box = std::get_if<Box>(&geometry)) return numbers({box->sides.x, box->sides.y, box->sides.z});
  if (const auto* sphere = std::get_if<Sphere>(&geometry)) return numbers({sphere->radius, 0, 0});
  if (const auto* capsule = std::get_if<Capsule>(&geometry)) return numbers({capsule->radius, capsule->length, 0});
  const auto& cylinder = std::get<Cylinder>(geometry);
  return numbers({cylinder.radius, cylinder.length, 0});
}

const char* kind_text(const Geometry& geometry) {
  return std::holds_alternative<Box>(geometry)     ? "box"
       : std::holds_alternative<Sphere>(geometry)  ? "sphere"
       : std::holds_alternative<Capsule>(geometry) ? "capsule"
                                                   : "cylinder";
}

std::string pose_text(const Vec3& p, const Quat& q) { return numbers({p.x, p.y, p.z, q.w, q.x, q.y, q.z}); }

}  // namespace

std::string plain_text(const Scene& scene) {
  const Model& model = scene.model;
  std::string text = fmt::format("friction {:.17g}\n", model.materials.front().friction);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& b = model.bodies[i];
    const BodyState& s = scene.initial.bodies[i];
    text += fmt::format("body {}{}{}{}\n", kind_text(b.shapes[0].geometry),
                        numbers({b.mass, b.inertia.xx, b.inertia.yy, b.inertia.zz}),
                        pose_text(s.position, s.orientation), geometry_text(b.shapes[0].geometry));
  }
  for (const catena::Shape& shape : model.ground_shapes) {
    if (const auto* plane = std::get_if<Plane>(&shape.geometry)) {
      text += fmt::format("plane{}\n", numbers({plane->normal.x, plane->normal.y, plane->normal.z, plane->offset}));
    } else {
      text += fmt::format("fixed {}{}{}\n", kind_text(shape.geometry), pose_text(shape.position, shape.orientation),
                          geometry_text(shape.geometry));
    }
  }
  for (const Joint& j : model.joints) {
    const BodyState& b = scene.initial.bodies[j.b];
    const Vec3 anchor = b.position + rotate(b.orientation, j.anchor_b);
    const Vec3 axis = rotate(b.orientation * j.frame_b, Vec3{0, 0, 1});
    text += fmt::format("joint {} {} {}{}\n", name_of(j.kind), j.a.value(), j.b.value(),
                        numbers({anchor.x, anchor.y, anchor.z, axis.x, axis.y, axis.z}));
  }
  return text;
}

}  // namespace catena::workloads
