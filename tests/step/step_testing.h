// What the tests of stepping share.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "catena/catena.h"
#include "catena/contact/impacts.h"
#include "catena/joints/constraint_system.h"
#include "catena/mechanism/dynamics.h"
#include "source_dir.h"

namespace catena::testing_step {

inline std::string example(const std::string& name) { return source_dir() + "/examples/" + name + ".yaml"; }

// A rod of 1 kg and 1 m from `top` downwards, turned by `angle` about y, spinning at `rate`.
inline BodySpec rod(const std::string& name, const Vec3& top, double angle, double rate = 0) {
  BodySpec spec;
  spec.name = name;
  spec.mass = 1;
  spec.inertia = Sym3::diagonal(1.0 / 12, 1.0 / 12, 1e-3);
  spec.orientation = exp_rotation(Vec3{0, angle, 0});
  const Vec3 arm = rotate(spec.orientation, Vec3{0, 0, -0.5});
  spec.position = top + arm;
  spec.angular_velocity = {0, rate, 0};
  spec.velocity = cross(spec.angular_velocity, arm);
  return spec;
}

inline JointSpec hinge(const std::string& name, const std::string& a, const std::string& b, const Vec3& at,
                       JointExtras extras = {}) {
  JointSpec spec;
  spec.name = name;
  spec.kind = JointKind::hinge;
  spec.between = {a, b};
  spec.anchor = at;
  spec.axis = Vec3{0, 1, 0};
  spec.extras = std::move(extras);
  return spec;
}

// A pendulum of one rod: joint "pivot", body "rod".
inline ModelBuilder pendulum(double angle, double rate = 0, const JointExtras& extras = {}) {
  ModelBuilder builder;
  builder.body(rod("rod", {}, angle, rate)).joint(hinge("pivot", "ground", "rod", {}, extras));
  return builder;
}

// Two rods, turned against each other: moves with all of Coriolis' terms.
inline ModelBuilder double_pendulum() {
  ModelBuilder builder;
  const BodySpec upper = rod("upper", {}, 0.9, 1);
  const Vec3 elbow = 2.0 * upper.position;
  BodySpec lower = rod("lower", elbow, -0.4, -2);
  lower.velocity += cross(upper.angular_velocity, elbow);
  builder.body(upper)
      .body(lower)
      .joint(hinge("shoulder", "ground", "upper", {}))
      .joint(hinge("elbow", "upper", "lower", elbow));
  return builder;
}

inline Options adaptive(double tolerance = 1e-12) {
  return {.method = MethodWords{.integrator = Integrator::adaptive, .tolerance = tolerance}, .step = 1e-2};
}

inline void advance(Simulation& simulation, double time) {
  const StepReport report = simulation.advance_to(time);
  ASSERT_TRUE(report.ok()) << report.message;
}

}  // namespace catena::testing_step
