// Two shapes, two poses: the contacts between them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "catena/collide/collider.h"

namespace catena::testing {

struct Pose {
  Vec3 position{};
  Quat orientation{};
};

inline Vec3 random_vector(std::mt19937& rng, double size = 1) {
  std::uniform_real_distribution<double> u(-size, size);
  const double x = u(rng), y = u(rng), z = u(rng);
  return {x, y, z};
}
inline Vec3 random_direction(std::mt19937& rng) {
  std::normal_distribution<double> g;
  const double x = g(rng), y = g(rng), z = g(rng);
  return normalized(Vec3{x, y, z});
}
inline Quat random_rotation(std::mt19937& rng) {
  std::normal_distribution<double> g;
  const double w = g(rng), x = g(rng), y = g(rng), z = g(rng);
  return normalized(Quat{w, x, y, z});
}

inline Shape shape_of(Geometry geometry) {
  Shape shape;
  shape.geometry = std::move(geometry);
  return shape;
}

// Bodies with one shape each, and the ground's shapes.
struct World {
  Model model;
  State state;

  World& body(const Geometry& geometry, const Pose& pose) {
    Body b;
    b.name = "body" + std::to_string(model.bodies.size());
    b.mass = 1;
    b.inertia = Sym3::diagonal(1, 1, 1);
    b.shapes = {shape_of(geometry)};
    model.bodies.push_back(b);
    BodyState s;
    s.position = pose.position;
    s.orientation = pose.orientation;
    state.bodies.push_back(s);
    return *this;
  }
  World& ground(const Geometry& geometry, const Pose& pose = {}) {
    Shape shape = shape_of(geometry);
    shape.position = pose.position;
    shape.orientation = pose.orientation;
    model.ground_shapes.push_back(shape);
    return *this;
  }
  std::vector<Contact> contacts(double margin = Collider::kMargin) const {
    std::vector<Contact> out;
    Collider(model, margin).find(state, out);
    return out;
  }
};

inline std::vector<Contact> contacts_between(const Geometry& a, const Pose& pose_a, const Geometry& b,
                                             const Pose& pose_b, double margin = Collider::kMargin) {
  return World{}.body(a, pose_a).body(b, pose_b).contacts(margin);
}
inline std::vector<Contact> contacts_on_plane(const Geometry& a, const Pose& pose, double margin = Collider::kMargin) {
  return World{}.body(a, pose).ground(Plane{{0, 0, 1}, 0}).contacts(margin);
}

inline double least_gap(const std::vector<Contact>& contacts) {
  double least = 1e300;
  for (const Contact& c : contacts) least = std::min(least, c.gap);
  return least;
}

inline bool has_point(const std::vector<Contact>& contacts, const Vec3& p, double tolerance) {
  return std::any_of(contacts.begin(), contacts.end(),
                     [&](const Contact& c) { return norm(c.position - p) <= tolerance; });
}

inline void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

inline const Quat kQuarterAboutY{std::sqrt(0.5), 0, std::sqrt(0.5), 0};  // z to x
inline const Quat kQuarterAboutX{std::sqrt(0.5), std::sqrt(0.5), 0, 0};  // y to z

}  // namespace catena::testing
