// Jain's pendulum, and robots that stand.
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "bench/scene_parts.h"
#include "bench/workloads.h"
#include "catena/scene/scene.h"

namespace catena::workloads {

namespace {

// Hangs `count` bodies on each other from a body's point, on hinges about x, y and z in turn; the last is named, and long.
class Limb {
 public:
  Limb(Scene& scene, BodyId from, const Vec3& at) : scene_(scene), last_(from), end_(at) {}

  BodyId add(const std::string& name, int count, const Vec3& length, double mass) {
    constexpr Vec3 kAxes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return add(name, std::span(kAxes, static_cast<std::size_t>(count)), length, mass);
  }

  BodyId add(const std::string& name, std::span<const Vec3> axes, const Vec3& length, double mass) {
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const bool whole = k + 1 == axes.size();
      const Vec3 d = whole ? length : Vec3{0, 0, 0};
      const double m = whole ? mass : 0.1 * mass, size = whole ? norm(length) : 0.05;
      const BodyId body = append_body(scene_.model, scene_.initial,
                                      {.name = whole ? name : name + "_" + std::to_string(k),
                                       .mass = m,
                                       .inertia = box_inertia(m, {0.6 * size, 0.5 * size, size}),
                                       .position = end_ + 0.5 * d});
      append_joint(
          scene_.model, scene_.initial,
          {.name = name + "_joint" + std::to_string(k), .kind = JointKind::hinge, .anchor = end_, .axis = axes[k]},
          last_, body);
      last_ = body;
    }
    end_ += length;
    return last_;
  }

 private:
  Scene& scene_;
  BodyId last_;
  Vec3 end_;
};

}  // namespace

Scene jain_pendulum(int n) {
  Scene scene;
  scene.model.name = "pendulum of " + std::to_string(n) + " spheres";
  scene.model.gravity = {0, 0, -9.8};
  scene.model.materials.push_back({"default", 0.5, 0.7});
  const double radius = 6.0 / n, angle = std::numbers::pi / 4;
  const Vec3 base{0, 0, 10}, along{-std::sin(angle), 0, -std::cos(angle)}, omega{0, -1, 0};
  catena::Shape ball;
  ball.geometry = Sphere{radius};
  for (int i = 0; i < n; ++i) {
    const Vec3 arm = (2 * i + 1) * radius * along;
    const BodyId body = append_body(scene.model, scene.initial,
                                    {.name = short_name("sphere", i),
                                     .mass = 1.0,
                                     .inertia = 0.4 * radius * radius * Sym3::diagonal(1, 1, 1),
                                     .position = base + arm,
                                     .velocity = cross(omega, arm),
                                     .angular_velocity = omega});
    scene.model.bodies[body].shapes.push_back(ball);
    append_joint(scene.model, scene.initial,
                 {.name = short_name("pin", i),
                  .kind = JointKind::hinge,
                  .anchor = base + 2 * i * radius * along,
                  .axis = Vec3{0, 1, 0}},
                 i > 0 ? BodyId(i - 1) : kGround, body);
  }
  for (const auto& [normal, offset] : {std::pair{Vec3{0, 0, 1}, 0.0}, {Vec3{-1, 0, 0}, -4.0}}) {
    catena::Shape plane;
    plane.geometry = Plane{normal, offset};
    scene.model.ground_shapes.push_back(plane);
  }
  finish(scene);
  return scene;
}

Scene cart_pole() {
  return load_text(R"({catena: 1, name: cart and pole, simulate: {step: 2e-3},
    bodies: {cart: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]},
             pole: {mass: 0.1, inertia: [0.0034, 0.0034, 1e-5], position: [0, 0, 0.5]}},
    joints: {rail: {kind: slider, between: [ground, cart], anchor: [0, 0, 0], axis: [1, 0, 0]},
             hinge: {kind: hinge, between: [cart, pole], anchor: [0, 0, 0], axis: [0, 1, 0]}}})");
}

Scene humanoid() {
  Scene scene;
  const BodyId pelvis = append_body(scene.model, scene.initial,
                                    {.name = "pelvis",
                                     .mass = 10.0,
                                     .inertia = box_inertia(10, {0.15, 0.3, 0.15}),
                                     .position = {0, 0, 1},
                                     .velocity = {0.1, 0.2, 0.3},
                                     .angular_velocity = {}});
  const BodyId chest = Limb(scene, pelvis, {0, 0, 1.1}).add("chest", 3, {0, 0, 0.4}, 20);
  Limb(scene, chest, {0, 0, 1.55}).add("head", 3, {0, 0, 0.2}, 5);
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "_left" : "_right";
    Limb arm(scene, chest, {0, 0.2 * side, 1.45});
    arm.add("upper_arm" + name, 3, {0, 0.3 * side, 0}, 2);
    arm.add("forearm" + name, 3, {0, 0.25 * side, 0}, 1.2);
    arm.add("hand" + name, 3, {0, 0.15 * side, 0}, 0.5);
    Limb leg(scene, pelvis, {0, 0.1 * side, 0.95});
    leg.add("thigh" + name, 3, {0, 0, -0.42}, 8);
    leg.add("shank" + name, 3, {0, 0, -0.4}, 4);
    leg.add("foot" + name, 3, {0.2, 0, -0.05}, 1);
  }
  Limb(scene, chest, {-0.1, 0, 1.4}).add("pack", 3, {0, 0, -0.3}, 3);
  finish(scene);
  return scene;
}

namespace {

void hold(Scene& scene, const std::string& joint, double kp, double kv, double swing = 0) {
  Actuator actuator;
  actuator.joint = scene.model.joint(joint);
  actuator.kind = Actuator::Kind::position;
  actuator.kp = kp;
  actuator.kv = kv;
  if (swing != 0) actuator.signal = Sine{swing, 1, 0, 0};
  scene.model.actuators.push_back(actuator);
}

}  // namespace

Scene biped() {
  constexpr Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  constexpr double kHip = 0.9;  // m above the floor
  Scene scene;
  scene.model.name = "biped";
  scene.model.materials.push_back({"default", 0.6, 0});
  const BodyId pelvis = append_body(
      scene.model, scene.initial,
      {.name = "pelvis", .mass = 10.0, .inertia = box_inertia(10, {0.15, 0.3, 0.15}), .position = {0, 0, kHip + 0.05}});
  const BodyId chest = Limb(scene, pelvis, {0, 0, kHip + 0.1}).add("chest", std::array{y, z}, {0, 0, 0.4}, 20);
  Limb(scene, chest, {0, 0, kHip + 0.5}).add("head", std::array{y, z}, {0, 0, 0.2}, 4);
  for (const char* joint : {"chest_joint0", "chest_joint1"}) hold(scene, joint, 800, 30);
  for (const char* joint : {"head_joint0", "head_joint1"}) hold(scene, joint, 50, 1);
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "_left" : "_right";
    Limb arm(scene, chest, {0, 0.2 * side, kHip + 0.45});
    arm.add("upper_arm" + name, std::array{y, x, z}, {0, 0, -0.3}, 2);
    arm.add("forearm" + name, std::array{y}, {0, 0, -0.3}, 1.5);
    hold(scene, "upper_arm" + name + "_joint0", 80, 4, side > 0 ? 0.3 : -0.1);
    for (const char* joint : {"_joint1", "_joint2"}) hold(scene, "upper_arm" + name + joint, 80, 2);
    hold(scene, "forearm" + name + "_joint0", 40, 1);
    Limb leg(scene, pelvis, {0, 0.1 * side, kHip});
    leg.add("thigh" + name, std::array{z, x, y}, {0, 0, -0.42}, 8);
    leg.add("shank" + name, std::array{y}, {0, 0, -0.4}, 4);
    const BodyId foot = leg.add("foot" + name, std::array{x, y}, {0, 0, -0.08}, 2);
    for (const char* joint : {"_joint0", "_joint1", "_joint2"}) hold(scene, "thigh" + name + joint, 1500, 20);
    hold(scene, "shank" + name + "_joint0", 1500, 20);
    for (const char* joint : {"_joint0", "_joint1"}) hold(scene, "foot" + name + joint, 800, 1);
    catena::Shape& sole = scene.model.bodies[foot].shapes.emplace_back();
    sole.geometry.emplace<Box>(Vec3{0.22, 0.1, 0.04});
    sole.position = {0.03, 0, -0.02};
    scene.model.bodies[foot].inertia = box_inertia(2, {0.22, 0.1, 0.08});
  }
  catena::Shape& floor = scene.model.ground_shapes.emplace_back();
  floor.geometry.emplace<Plane>(z, 0.0);
  finish(scene);
  scene.settings.step = 1e-3;
  return scene;
}

}  // namespace catena::workloads
