// Scenes that are stepped in joint and in maximal coordinates, and how far two states are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "step/reference_scene.h"
#include "step/step_testing.h"

namespace catena::testing_step {

inline Scene scene_of(const std::string& text) { return load_text("catena: 1\n" + text); }
inline Scene scene_of(const BuiltModel& built) {
  Scene scene;
  scene.model = built.model;
  scene.initial = built.initial;
  return scene;
}

inline double distance(const State& a, const State& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    most = std::max(most, norm(a.bodies[i].position - b.bodies[i].position));
    const Quat& p = a.bodies[i].orientation;
    const Quat& q = b.bodies[i].orientation;
    const double sign = p.w * q.w + dot(p.vec(), q.vec()) < 0 ? -1 : 1;
    most = std::max({most, std::abs(p.w - sign * q.w), norm(p.vec() - sign * q.vec())});
  }
  return most;
}

// A tree of ball joints that branches, with a spin about nothing in particular.
inline const char* const kBallTree = R"(
bodies:
  trunk: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [0.1, 0, -0.5], angular_velocity: [0.3, 1, 2]}
  left: {mass: 1, inertia: [0.05, 0.04, 0.02], position: [-0.3, 0.1, -1.2], angular_velocity: [1, -2, 0.5]}
  right: {mass: 0.5, inertia: [0.03, 0.02, 0.01], position: [0.5, -0.1, -1.1], angular_velocity: [-1, 0.5, 3]}
joints:
  root: {kind: ball, between: [ground, trunk], anchor: [0, 0, 0]}
  l: {kind: ball, between: [trunk, left], anchor: [0, 0.05, -0.9]}
  r: {kind: ball, between: [right, trunk], anchor: [0.3, 0, -0.8]}
)";

// A body that tumbles about its middle axis and flies.
inline const char* const kTumbling = R"(
bodies:
  brick: {mass: 1, inertia: [0.1, 0.2, 0.4], velocity: [1, 2, 3], angular_velocity: [0.02, 4, 0.01]}
)";

// Every kind of joint that has coordinates but hinge and ball.
inline const char* const kOtherJoints = R"(
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.2, 0, -0.3]}
  b: {mass: 1, inertia: [0.05, 0.04, 0.02], position: [0.6, 0.1, -0.6]}
  c: {mass: 0.5, inertia: [0.03, 0.02, 0.01], position: [0.9, -0.1, -1.1]}
  d: {mass: 0.5, inertia: [0.03, 0.02, 0.01], position: [0.3, -0.4, -0.2]}
  e: {mass: 0.5, inertia: [0.03, 0.02, 0.01], position: [1.2, -0.4, -1.2]}
joints:
  u: {kind: universal, between: [ground, a], anchor: [0, 0, 0], axis: [1, 0, 0]}
  s: {kind: slider, between: [a, b], anchor: [0.4, 0, -0.4], axis: [0, 0.6, 0.8]}
  y: {kind: cylindrical, between: [b, c], anchor: [0.7, 0, -0.8], axis: [0, 1, 0]}
  w: {kind: screw, between: [ground, d], anchor: [0.3, -0.4, 0], axis: [0, 0, 1], pitch: 0.1}
  p: {kind: planar, between: [c, e], anchor: [1, 0, -1.1], axis: [0.6, 0, 0.8]}
springs:
  - {between: [ground, c], anchors: [[1, 0, 0], [0.9, -0.1, -1.1]], stiffness: 30, damping: 0.5}
  - {between: [ground, e], anchors: [[1.5, 0, 0], [1.2, -0.4, -1.2]], stiffness: 30}
)";

// An arm with springs, dampers, a servo, a torque and a load that begins inside a step.
inline const char* const kPushed = R"(
bodies:
  upper: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0, 0, -0.5]}
  lower: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0, 0, -1.5]}
joints:
  shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0], axis: [0, 1, 0], stiffness: 5, damping: 0.3}
  elbow: {kind: hinge, between: [upper, lower], anchor: [0, 0, -1], axis: [0.6, 0.8, 0]}
actuators:
  - {joint: elbow, kind: position, kp: 20, kv: 1, signal: {sine: {amplitude: 1, frequency: 1}}}
  - {joint: shoulder, kind: torque, signal: 2}
forces:
  - {body: lower, force: [1, 2, 0], from: 0.1005, until: 0.7003}
)";

struct ReducedCase {
  std::string name;
  Scene scene;
  double until = 0.5;
};

inline std::vector<ReducedCase> smooth_cases() {
  std::vector<ReducedCase> list{
      {"double pendulum", scene_of(double_pendulum().build())},
      {"crank and rocker", scene_of(references::build(references::read("s06c_crank_rocker")))},
      {"tree of balls", scene_of(kBallTree)},
      {"tumbling body", scene_of(kTumbling)},
      {"other joints", scene_of(kOtherJoints)},
      {"springs, dampers and servos", scene_of(kPushed)}};
  for (const char* name : {"stewart", "jansen_legs", "gear_train", "rolling_coin", "bennett"})
    list.push_back({name, load(example(name)), 0.2});
  return list;
}

inline std::vector<ReducedCase> lawful_cases() {
  const std::string floor = "ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n";
  return {
      {"box that sticks on a slope", scene_of("gravity: [2, 0, -9.7]\ndefaults: {friction: 0.4}\n" + floor +
                                              "bodies:\n  box: {mass: 2, inertia: [0.03, 0.03, 0.05], position: [0, 0, "
                                              "0.1], shapes: [{box: [0.4, 0.4, 0.2]}]}\n")},
      {"box that slips and turns", scene_of("defaults: {friction: 0.2}\n" + floor +
                                            "bodies:\n  box: {mass: 2, inertia: [0.03, 0.03, 0.05], position: [0, 0, "
                                            "0.1], velocity: [0.6, 0.2, 0], angular_velocity: [0, 0, 2], shapes: "
                                            "[{box: [0.4, 0.4, 0.2]}]}\n")},
      {"ball that bounces", scene_of("defaults: {friction: 0.3, restitution: 0.7}\n" + floor +
                                     "bodies:\n  ball: {mass: 0.5, inertia: [0.002, 0.002, 0.002], position: [0, 0, "
                                     "0.4], velocity: [1, 0.5, 0], angular_velocity: [0, 5, 2], shapes: [{sphere: "
                                     "0.1}]}\n")},
      {"chain that meets its limits", scene_of(R"(
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.5, 0, 0]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [1.5, 0, 0]}
  c: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [2.5, 0, 0]}
joints:
  one: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0], limits: {lower: -1, upper: 0.5}, friction: 0.3}
  two: {kind: hinge, between: [a, b], anchor: [1, 0, 0], axis: [0, 1, 0], limits: {lower: -0.3, upper: 0.3}}
  three: {kind: hinge, between: [b, c], anchor: [2, 0, 0], axis: [0, 1, 0], motor: {velocity: 2, max_force: 3}}
)")},
      {"loop that drops on the floor", scene_of("defaults: {friction: 0.5}\n" + floor + R"(
bodies:
  crank: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [0, 0, 0.35], shapes: [{sphere: 0.02}]}
  coupler: {mass: 1, inertia: [0.1, 0.1, 0.001], position: [0.5, 0, 0.6], shapes: [{point: [0.9, 0, 0]}]}
  rocker: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [1, 0, 0.35]}
joints:
  base: {kind: hinge, between: [ground, crank], anchor: [0, 0, 0.1], axis: [0, 1, 0]}
  left: {kind: hinge, between: [crank, coupler], anchor: [0, 0, 0.6], axis: [0, 1, 0]}
  right: {kind: hinge, between: [coupler, rocker], anchor: [1, 0, 0.6], axis: [0, 1, 0]}
  post: {kind: hinge, between: [rocker, ground], anchor: [1, 0, 0.1], axis: [0, 1, 0]}
forces: [{body: coupler, force: [5, 0, 0]}]
)")}};
}

}  // namespace catena::testing_step
