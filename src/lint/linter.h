// What the rules share: the scene, quantities of it that several rules need, and where findings go.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "catena/lint/lint.h"
#include "catena/model/joint_rules.h"

namespace catena {

// Loads and inertias along every coordinate of the joints that have rates of their own, at the assembled start.
struct JointLoads {
  struct Coordinate {
    JointId joint;
    int coordinate = 0;
    double weight = 0;   // the force that holds the coordinate against gravity, N or N·m
    double inertia = 0;  // what a force along it moves while the others are free: 1 / (M⁻¹)ᵢᵢ, kg or kg·m²
  };
  std::vector<Coordinate> coordinates;

  const Coordinate* find(JointId joint, int coordinate) const;
};

class Linter {
 public:
  explicit Linter(const LintInput& input);

  const Scene& scene() const { return input_.scene; }
  const Model& model() const { return input_.scene.model; }
  const State& initial() const { return input_.scene.initial; }
  const Settings& settings() const { return input_.scene.settings; }
  const Simulation* simulation() const { return input_.simulation; }
  const std::string& refusal() const { return input_.refusal; }
  // Null where the scene cannot be assembled or has more than 400 rates, whose mass matrix would take long.
  const JointLoads* loads();

  std::string name(BodyId body) const {
    return body.valid() ? "body '" + model().bodies[body].name + "'" : "the ground";
  }
  bool turns(JointId joint, int coordinate) const;  // an angle, else a length
  const char* unit(JointId joint, int coordinate) const { return turns(joint, coordinate) ? "rad" : "m"; }
  const char* force_unit(JointId joint, int coordinate) const { return turns(joint, coordinate) ? "N m" : "N"; }
  // "joint 'elbow'", or "joint 'hip', freedom 2".
  std::string name(JointId joint, int coordinate = 0) const;
  CoordinateLaw law(JointId joint, int coordinate) const;
  double start(JointId joint, int coordinate) const;  // of the coordinate at t = 0

  void say(std::string message);                        // of the scene
  void say(JointId joint, const std::string& message);  // at the place of a joint, whose name is put before

  std::vector<LintFinding> run();

 private:
  const LintInput& input_;
  std::string_view rule_;
  std::vector<LintFinding> found_;
  bool weighed_ = false;
  std::optional<JointLoads> loads_;
};

// The largest distance of a point of the shape from `centre`; infinite planes and points have none (0).
double reach(const Shape& shape, const Vec3& centre = {});
// √(trace I / 2m): the radius of gyration. Particles and planar bodies: 0, and √(I/m).
double gyration(const Body& body);

// The rules, by subject. Each is a function of the table in lint.cpp.
namespace rules {
void inertia_of_no_body(Linter&);
void inertia_too_large(Linter&);
void inertia_too_small(Linter&);
void mass_ratio(Linter&);
void tiny_mass(Linter&);
void too_dense(Linter&);
void too_light(Linter&);

void millimetres(Linter&);
void gravity_odd(Linter&);
void fast_start(Linter&);
void falls_forever(Linter&);
void sample_below_step(Linter&);
void bad_names(Linter&);

void degrees(Linter&);
void start_outside_limits(Linter&);
void limits_without_width(Linter&);
void loop_cannot_close(Linter&);
void start_not_closed(Linter&);
void axis_not_unit(Linter&);
void zero_distance(Linter&);
void anchor_far_away(Linter&);
void joint_twice(Linter&);
void odd_ratio(Linter&);
void keyframe_outside_limits(Linter&);

void zero_effort(Linter&);
void effort_below_weight(Linter&);
void gain_below_weight(Linter&);
void stiff_spring(Linter&);
void stiff_servo(Linter&);
void undamped_servo(Linter&);
void target_outside_limits(Linter&);
void driven_twice(Linter&);

void shape_twice(Linter&);
void shape_far_away(Linter&);
void tiny_shape(Linter&);
void no_friction_anywhere(Linter&);
}  // namespace rules

}  // namespace catena
