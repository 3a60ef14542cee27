// Touching bodies in general position and motion, and the laws between them at any time of that motion.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "catena/laws/laws.h"
#include "constraint/row_testing.h"

namespace catena::testing_laws {

using testing_rows::derivative_at_zero;
using testing_rows::Random;
using testing_rows::RandomMotion;

inline constexpr double kFind = 0.5;  // m: all that is near counts

inline BodyId add_shaped(RandomMotion& motion, BodyKind kind, const Geometry& geometry, Random& random,
                         int material = 0) {
  const BodyId id = testing_rows::add_body(motion.model, motion.state, kind, random);
  Shape shape;
  shape.geometry = geometry;
  shape.material = material;
  motion.model.bodies[id].shapes = {shape};
  motion.vdot.push_back({});
  return id;
}

inline void add_floor(RandomMotion& motion, const Geometry& geometry, int material = 0, const Vec3& position = {}) {
  Shape shape;
  shape.geometry = geometry;
  shape.position = position;
  shape.material = material;
  motion.model.ground_shapes.push_back(shape);
}

inline std::vector<BodyVector> velocities_of(const State& state) {
  std::vector<BodyVector> v;
  for (const BodyState& s : state.bodies) v.push_back(velocity_of(s));
  return v;
}

// The laws at a time of the motion, found by themselves.
struct Found {
  State state;
  Kinematics kinematics;
  Laws laws;

  explicit Found(const RandomMotion& motion, double t = 0, double margin = kFind, int facets = 0)
      : Found(motion.model, motion.at(t), margin, facets) {}
  Found(const Model& model, State at, double margin = kFind, int facets = 0)
      : state(std::move(at)), kinematics(updated(model, state)), laws(model, kinematics, margin, facets) {
    laws.find(kinematics);
  }
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;

  const LawBlock& only(LawKind kind) const {
    const auto of_kind = [&](const LawBlock& block) { return block.kind == kind; };
    EXPECT_EQ(std::count_if(laws.rows().blocks.begin(), laws.rows().blocks.end(), of_kind), 1);
    return *std::find_if(laws.rows().blocks.begin(), laws.rows().blocks.end(), of_kind);
  }
  const LawBlock& contact() const { return only(LawKind::contact); }
  const Contact& touch() const { return laws.contacts()[static_cast<std::size_t>(contact().source)]; }
  double speed(const LawBlock& block, int row = 0) const { return laws.rows().row(block, row).speed; }

  // The velocity of a over b where they touch, from the motion of the bodies alone.
  Vec3 slip(const Contact& c) const { return velocity_at(c.a, c.position) - velocity_at(c.b, c.position); }
  Vec3 velocity_at(BodyId body, const Vec3& p) const {
    if (!body.valid()) return {};
    const BodyState& s = state.bodies[body];
    const Vec3 arm = p - s.position;
    return s.velocity + cross(s.angular_velocity, arm) + (s.scale_velocity / s.scale) * arm;
  }

 private:
  static Kinematics updated(const Model& model, const State& state) {
    Kinematics kinematics(model);
    kinematics.update(model, state);
    return kinematics;
  }
};

// Two shapes in the air whose surfaces are a few centimetres apart: b is moved along x until they are.
inline RandomMotion near_pair(const Geometry& first, const Geometry& second, unsigned seed) {
  Random random(seed);
  RandomMotion motion;
  add_shaped(motion, BodyKind::rigid, first, random);
  const BodyId b = add_shaped(motion, BodyKind::rigid, second, random);
  motion.state.bodies[0].position = {0.1, -0.2, 0.3};
  const double gap = random.uniform(0.02, 0.05);
  double near = 0, far = 4;
  for (int i = 0; i < 50; ++i) {
    const double x = 0.5 * (near + far);
    motion.state.bodies[b].position = Vec3{0.1 + x, -0.15, 0.37};
    const Found found(motion.model, motion.state, 4);
    (found.laws.contacts().empty() || found.touch().gap > gap ? far : near) = x;
  }
  return motion;
}

// Pairs with one contact whose normal turns and whose points of touch wander.
inline std::vector<RandomMotion> smooth_pairs() {
  std::vector<RandomMotion> out;
  unsigned seed = 1;
  const Geometry ball = Sphere{0.3}, rod = Capsule{0.2, 0.7}, brick = Box{{0.5, 0.4, 0.3}};
  for (const auto& [first, second] : {std::pair{ball, ball}, {ball, rod}, {rod, rod}, {ball, brick}})
    for (int i = 0; i < 4; ++i) out.push_back(near_pair(first, second, seed++));
  return out;
}

}  // namespace catena::testing_laws
