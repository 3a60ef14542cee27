// From what a person writes (world anchors and axes at t = 0, densities) to what a Model holds (body coordinates, frames,
// inertias). The one place where that is done, for scene files and ModelBuilder alike.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/model.h"

namespace catena {

// A body as written. Give `mass` and `inertia`, or `mass` and `shapes`, or `density` and `shapes`.
struct BodySpec {
  std::string name;
  BodyKind kind = BodyKind::rigid;
  std::optional<double> mass{};     // kg
  std::optional<double> density{};  // kg/m³, of all shapes
  std::optional<Sym3> inertia{};    // kg·m², about the centre of mass, body axes; planar bodies use zz
  Vec3 position{};                  // m; of the centre of mass, except as append_body() says
  Quat orientation{};
  Vec3 velocity{};          // m/s, of the centre of mass
  Vec3 angular_velocity{};  // rad/s, world axes
  double scale = 1, scale_velocity = 0;
  std::shared_ptr<const BodyForm> form{};   // kind formed: required; `inertia` is then the form's
  OwnVector form_start{}, form_velocity{};  // its coordinates at t = 0 and their rates
  std::vector<Shape> shapes{};
  int collide_group = 0;  // see Body
};

// A joint as written: anchors and axes in world coordinates at t = 0.
// A surface of a joint as written: in the world at t = 0.
struct SurfaceSpec {
  JointSurface surface;
  std::optional<Vec3> at{};  // its origin, default the body's centre of mass (the world's origin for the ground)
  std::optional<Quat> orientation{};  // of its axes, default the body's
};

struct JointSpec {
  std::string name;
  JointKind kind = JointKind::ball;
  std::array<std::string, 2> between{};          // names; "ground" for the ground
  std::optional<Vec3> anchor{};                  // where the bodies meet
  std::optional<std::array<Vec3, 2>> anchors{};  // instead: a point on each, which assembly brings together
  std::optional<Vec3> axis{};
  std::optional<std::array<Vec3, 2>> axes{};  // instead: a direction on each, which assembly makes parallel
  std::optional<Vec3> axis2{};                // universal, perpendicular-axes, gear, rack: fixed in the second body
  std::optional<Vec3> normal{};               // rolling: of the plane, default +z
  std::optional<double> length{};             // distance: m, default the distance of the anchors
  std::optional<double> pitch{};              // screw: m/rad
  std::optional<double> ratio{};              // gear: required
  std::optional<double> radius{};             // rack, rolling: m
  std::vector<Freedom>
      freedoms{};  // compound: axes and anchors in world coordinates at t = 0, coordinates at their zero
  std::array<std::optional<SurfaceSpec>, 2> surfaces{};  // point-on-surface: the first; tangent-surfaces: both
  bool slides = false, inside = false;                   // tangent-surfaces
  bool primary = true;
  JointExtras extras{};
};

// A spring as written; `length` defaults to the distance of the anchors.
struct SpringSpec {
  std::array<std::string, 2> between{};
  std::array<Vec3, 2> anchors{};       // world, at t = 0
  double stiffness = 0, damping = 0;   // N/m, N·s/m
  std::optional<double> length{};      // m
  std::optional<SpringCurve> curve{};  // instead of a stiffness
};

// Appends the body and its state. Where the inertia comes from the shapes so does the centre of mass: if it is not the body's
// origin, the shapes stay where they are in the world and the origin moves to it (the body's position is then
// position + R centre). Throws InputError.
BodyId append_body(Model& model, State& initial, const BodySpec& spec);

// Appends the joint between two bodies that are already there (kGround for the ground). Between planar bodies a hinge becomes
// a pin and a weld a planar weld. Throws InputError.
JointId append_joint(Model& model, const State& initial, const JointSpec& spec, BodyId a, BodyId b);

void append_spring(Model& model, const State& initial, const SpringSpec& spec, BodyId a, BodyId b);

// A world point in the coordinates of a body, from its centre of mass; the point itself for the ground.
Vec3 to_body(const Model& model, const State& state, BodyId body, const Vec3& point);

}  // namespace catena
