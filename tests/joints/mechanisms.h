// Mechanisms whose rows depend on each other, as people build them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "catena/catena.h"

namespace catena::testing_mechanisms {

inline BodySpec rod(std::string name, const Vec3& from, const Vec3& to, double mass = 1) {
  const Vec3 d = to - from;
  const double length = norm(d);
  BodySpec spec;
  spec.name = std::move(name);
  spec.mass = mass;
  spec.inertia = mass * length * length / 12 * Sym3::diagonal(0.01, 1, 1);
  spec.position = 0.5 * (from + to);
  spec.orientation = exp_rotation(std::atan2(-d.z, d.x) * Vec3{0, 1, 0});
  return spec;
}

inline JointSpec hinge(std::string name, std::string a, std::string b, const Vec3& at) {
  JointSpec spec;
  spec.name = std::move(name);
  spec.kind = JointKind::hinge;
  spec.between = {std::move(a), std::move(b)};
  spec.anchor = at;
  spec.axis = Vec3{0, 1, 0};
  return spec;
}

// A coupling of a model that is built already, with the rows of `extras`.
inline void add_coupling(Model& model, std::string name, const JointExtras& extras) {
  Joint joint;
  joint.name = std::move(name);
  joint.kind = JointKind::coupling;
  joint.extras = static_cast<int>(model.extras.size());
  model.extras.push_back(extras);
  model.joints.push_back(joint);
}

// A planar polygon of rods in the x–z plane, the ground its last side; every corner a 3-D hinge about y. Corner i joins rod i − 1
// to rod i. One loop of n + 1 hinges: 5 (n + 1) rows on 6 n freedoms, 3 of them dependent, n − 2 freedoms left.
inline BuiltModel polygon(const std::vector<Vec3>& corners) {
  ModelBuilder builder;
  const std::size_t rods = corners.size() - 1;
  for (std::size_t i = 0; i < rods; ++i) builder.body(rod("rod" + std::to_string(i), corners[i], corners[i + 1]));
  for (std::size_t i = 0; i <= rods; ++i)
    builder.joint(hinge("hinge" + std::to_string(i), i == 0 ? "ground" : "rod" + std::to_string(i - 1),
                        i == rods ? "ground" : "rod" + std::to_string(i), corners[i]));
  return builder.build();
}
inline BuiltModel four_bar() { return polygon({{0, 0, 0}, {0.15, 0, 0.26}, {1.0, 0, 0.8}, {0.9, 0, 0}}); }
// Watt's six-bar: a four-bar with a second loop of two rods from its coupler to the ground.
inline BuiltModel six_bar() {
  const Vec3 O{0, 0, 0}, A{0.15, 0, 0.26}, B{1.0, 0, 0.8}, C{0.9, 0, 0}, P{0.6, 0, 0.9}, Q{1.5, 0, 1.1}, G{1.7, 0, 0.1};
  ModelBuilder builder;
  builder.body(rod("crank", O, A))
      .body(rod("coupler", A, B))
      .body(rod("rocker", C, B))
      .body(rod("link", P, Q))
      .body(rod("swing", G, Q));
  builder.joint(hinge("o", "ground", "crank", O))
      .joint(hinge("a", "crank", "coupler", A))
      .joint(hinge("b", "coupler", "rocker", B));
  builder.joint(hinge("c", "rocker", "ground", C))
      .joint(hinge("p", "coupler", "link", P))
      .joint(hinge("q", "link", "swing", Q));
  builder.joint(hinge("g", "swing", "ground", G));
  return builder.build();
}

// n rods along x held at both ends by ball joints: pulled straight, A is singular along the chain (Baraff, footnote 4).
inline BuiltModel straight_chain(int n) {
  ModelBuilder builder;
  for (int i = 0; i <= n; ++i) {
    if (i < n) builder.body(rod("rod" + std::to_string(i), {1.0 * i, 0, 0}, {1.0 * i + 1, 0, 0}));
    JointSpec joint;
    joint.name = "ball" + std::to_string(i);
    joint.kind = JointKind::ball;
    joint.between = {i == 0 ? "ground" : "rod" + std::to_string(i - 1), i == n ? "ground" : "rod" + std::to_string(i)};
    joint.anchor = Vec3{1.0 * i, 0, 0};
    builder.joint(joint);
  }
  return builder.build();
}

}  // namespace catena::testing_mechanisms
