// A model without a file.
//
//   const BuiltModel pendulum =
//       ModelBuilder{}
//           .body({.name = "rod", .mass = 1.0, .inertia = Sym3::diagonal(0.08, 0.08, 0.001), .position = {0, 0, -0.5}})
//           .joint({.name = "pivot", .kind = JointKind::hinge, .between = {"ground", "rod"}, .anchor = Vec3{}, .axis = Vec3{0, 1, 0}})
//           .build();
//
// Anchors and axes are in world coordinates at t = 0, as in a scene file; joints may name bodies that are added later.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "catena/model/placement.h"

namespace catena {

struct BuiltModel {
  Model model;
  State initial;
  Warnings warnings;
};

// A force as written; `body` by name.
struct ForceSpec {
  std::string body;
  Vec3 force{}, torque{};  // N, N·m
  Vec3 point{};            // body coordinates from the centre of mass
  double from = -std::numeric_limits<double>::infinity();
  double until = std::numeric_limits<double>::infinity();  // s
  bool body_frame = false;
};

// An actuator as written; `joint` by name.
struct ActuatorSpec {
  std::string joint;
  int coordinate = 0;
  Actuator::Kind kind = Actuator::Kind::torque;
  double kp = 0, kv = 0;
  double limit = std::numeric_limits<double>::infinity();
  Signal signal{};
};

class ModelBuilder {
 public:
  ModelBuilder& name(std::string name);
  ModelBuilder& gravity(const Vec3& gravity);  // m/s², default (0, 0, −9.81)
  ModelBuilder& body(BodySpec spec);
  ModelBuilder& joint(JointSpec spec);
  ModelBuilder& spring(SpringSpec spec);
  ModelBuilder& force(ForceSpec spec);
  ModelBuilder& actuator(ActuatorSpec spec);
  // Shapes refer to materials by index: 0 is the default one, the first added is 1, …
  ModelBuilder& material(Material material);
  ModelBuilder& default_material(double friction, double restitution);
  ModelBuilder& ground_shape(Shape shape);
  ModelBuilder& collide_adjacent(bool collide);  // whether bodies joined by a joint collide, default no
  ModelBuilder& never_collide(std::string a, std::string b);

  // Checks everything and throws InputError naming the body or joint. The builder can be built from again.
  BuiltModel build() const;

 private:
  Model frame_;  // all but bodies, joints and what refers to them
  std::vector<BodySpec> bodies_;
  std::vector<JointSpec> joints_;
  std::vector<SpringSpec> springs_;
  std::vector<ForceSpec> forces_;
  std::vector<ActuatorSpec> actuators_;
  std::vector<std::pair<std::string, std::string>> excluded_;
};

}  // namespace catena
