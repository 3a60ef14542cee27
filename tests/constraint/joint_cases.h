// Every kind of joint between every pair of bodies the rules allow, in general position, well away from where the joint is closed.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catena/constraint/joint_rows.h"
#include "constraint/row_testing.h"

namespace catena::testing_rows {

inline constexpr std::optional<BodyKind> kAnything[] = {std::nullopt, BodyKind::rigid, BodyKind::particle,
                                                        BodyKind::planar, BodyKind::scalable};

struct Case {
  std::string name;
  RandomMotion motion;
  bool has_motor = false;
};

inline std::string label(std::optional<BodyKind> kind) { return kind ? std::string(name_of(*kind)) : "ground"; }

// Every surface a point may be on, and every pair that may be tangent, rolling and sliding, one by one with the seed.
inline constexpr unsigned kSurfaceCases = 12, kTangentCases = 18;

inline JointSurface surface_case(JointSurface::Kind kind, Random& random) {
  JointSurface s;
  s.kind = kind;
  s.size = {random.uniform(0.6, 0.7), random.uniform(0.5, 0.6), random.uniform(0.45, 0.55)};
  if (kind != JointSurface::Kind::height_field) return s;
  s.columns = 6, s.rows = 5;
  for (int i = 0; i < s.columns * s.rows; ++i) s.heights.push_back(random.uniform(-0.2, 0.2));
  fill_spline(s);
  return s;
}

inline JointSurfaces surfaces_case(JointKind kind, unsigned seed, Random& random) {
  using Kind = JointSurface::Kind;
  constexpr Kind kFirst[] = {Kind::sphere,    Kind::cylinder,     Kind::torus,
                             Kind::ellipsoid, Kind::height_field, Kind::plane};
  if (kind == JointKind::point_on_surface) return {surface_case(kFirst[seed % 6], random), {}, false, false};
  struct Pair {
    Kind first, second;
    bool inside;
  };
  constexpr Pair kPairs[] = {{Kind::plane, Kind::sphere, false},        {Kind::plane, Kind::ellipsoid, false},
                             {Kind::sphere, Kind::sphere, false},       {Kind::sphere, Kind::ellipsoid, false},
                             {Kind::ellipsoid, Kind::ellipsoid, false}, {Kind::ellipsoid, Kind::sphere, false},
                             {Kind::cylinder, Kind::sphere, false},     {Kind::torus, Kind::sphere, false},
                             {Kind::cylinder, Kind::sphere, true}};
  const Pair pair = kPairs[seed % 9];
  JointSurfaces out{surface_case(pair.first, random), surface_case(pair.second, random), seed >= 9, pair.inside};
  if (pair.inside) out.second.size.x = 0.3;
  return out;
}

inline Case make_case(JointKind kind, std::optional<BodyKind> a, std::optional<BodyKind> b, bool disc, unsigned seed) {
  Random random(seed);
  Case c;
  c.name =
      fmt::format("{}{} between {} and {}, seed {}", name_of(kind), disc ? " of a disc" : "", label(a), label(b), seed);
  Model& model = c.motion.model;
  Joint joint;
  joint.name = "joint";
  joint.kind = kind;
  joint.disc = disc;
  if (a) joint.a = add_body(model, c.motion.state, *a, random);
  if (b) joint.b = add_body(model, c.motion.state, *b, random);
  joint.anchor_a = random.vector(0.5);
  joint.anchor_b = random.vector(0.5);
  joint.frame_a = random.rotation();
  // Frame B is up to a radian from frame A about each axis: well off the constraint, but no angle is near ±pi, where it jumps.
  const auto orientation = [&](BodyId body) { return body.valid() ? c.motion.state.bodies[body].orientation : Quat{}; };
  joint.frame_b = normalized(orientation(joint.b).conjugate() * exp_rotation(random.vector(1)) * orientation(joint.a) *
                             joint.frame_a);
  // A disc that lies flat has no steepest radius.
  if (disc) joint.frame_b = normalized(joint.frame_b * exp_rotation(Vec3{1.2, 0, 0}));
  // Points a tenth apart would turn about each other too fast for the differences.
  // So would normals of surfaces near the centre of their curvature.
  if (kind == JointKind::distance || kind == JointKind::tangent_surfaces || kind == JointKind::point_on_surface) {
    if (b) c.motion.state.bodies[joint.b].position.x += 3;
    else c.motion.state.bodies[joint.a].position.x += 3;
  }
  if (kind == JointKind::tangent_surfaces || kind == JointKind::point_on_surface)
    joint.surfaces = std::make_shared<const JointSurfaces>(surfaces_case(kind, seed, random));
  if (kind == JointKind::pin || kind == JointKind::planar_weld) {
    joint.anchor_a.z = joint.anchor_b.z = 0;
    joint.frame_a = exp_rotation(Vec3{0, 0, random.uniform(-1, 1)});
    joint.frame_b = exp_rotation(Vec3{0, 0, random.uniform(-1, 1)});
  }
  joint.parameter = random.uniform(0.2, 0.9);
  if (coordinate_count(kind) > 0) {
    joint.extras = 0;
    JointExtras extras;
    extras.motor = Motor{Sine{1.3, 0.7, 0.4, 0.2}, {}};
    model.extras.push_back(extras);
    c.has_motor = true;
  }
  model.joints.push_back(joint);
  c.motion.state.time = 0.37;
  for (const Body& body : model.bodies) c.motion.vdot.push_back(random.motion(body.kind));
  return c;
}

// Every kind and pair of bodies that fault_of() lets through, three states each.
inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (int k = 0; k < kJointKindCount; ++k) {
    const auto kind = static_cast<JointKind>(k);
    if (kind == JointKind::coupling || kind == JointKind::compound) continue;  // compound_motion_test.cpp
    for (const auto& a : kAnything)
      for (const auto& b : kAnything)
        for (const bool disc : {false, true}) {
          if ((!a && !b) || (disc && kind != JointKind::rolling)) continue;
          const unsigned seeds = kind == JointKind::point_on_surface ? kSurfaceCases
                               : kind == JointKind::tangent_surfaces ? kTangentCases
                                                                     : 3;
          for (unsigned seed = 1; seed <= seeds; ++seed) {
            Case c = make_case(kind, a, b, disc, seed);
            if (fault_of(c.motion.model, c.motion.model.joints[0]).empty()) cases.push_back(std::move(c));
          }
        }
  }
  return cases;
}

// All rows of the case's only joint at time t of its motion.
inline RowSet rows_at(const Case& c, double t, State& moved, Kinematics& kinematics) {
  RowSet rows(c.motion.model, {JointId(0)});
  moved = c.motion.at(t);
  kinematics.update(c.motion.model, moved);
  rows.evaluate(c.motion.model, kinematics);
  return rows;
}

struct Evaluated {
  State moved;
  Kinematics kinematics;
  RowSet rows;

  Evaluated(const Case& c, double t) : kinematics(c.motion.model), rows(rows_at(c, t, moved, kinematics)) {}
  double velocity(int i) const {
    std::vector<BodyVector> v;
    for (const BodyState& s : moved.bodies) v.push_back(velocity_of(s));
    return rows.times(i, v);
  }
};

// The time between differences. Heights are splines over cells of a tenth of a metre, which points cross ten times as fast as other rows
// change: at 1e-3 s the truncation error would be 1e-6, at 1e-4 s it is 1e-10 and rounding 1e-12.
inline double difference_step(const Case& c) {
  const auto& surfaces = c.motion.model.joints[0].surfaces;
  return surfaces && surfaces->first.kind == JointSurface::Kind::height_field ? 1e-4 : 1e-3;
}

inline void expect_near(double got, double wanted, const char* what) {
  EXPECT_NEAR(got, wanted, kDifferenceTolerance * std::max(1.0, std::abs(wanted))) << what;
}

}  // namespace catena::testing_rows
