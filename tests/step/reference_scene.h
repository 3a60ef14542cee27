// A reference problem (tests/data/references, schema catena-reference/1) as a simulation, and its outputs read from one.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/catena.h"
#include "catena/mechanism/dynamics.h"
#include "source_dir.h"

namespace catena::references {

using Json = nlohmann::json;

inline Json read(const std::string& id) {
  std::ifstream in(source_dir() + "/tests/data/references/" + id + ".json");
  return Json::parse(in);
}

inline Vec3 vec(const Json& j) { return {j[0].get<double>(), j[1].get<double>(), j[2].get<double>()}; }
inline Quat quat(const Json& j) {
  return {j[0].get<double>(), j[1].get<double>(), j[2].get<double>(), j[3].get<double>()};
}
inline std::string ground(const Json& body) { return body == "world" ? "ground" : body.get<std::string>(); }

inline int index_of(const Json& problem, const std::string& body) {
  const Json& bodies = problem["bodies"];
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i]["name"] == body) return static_cast<int>(i);
  throw std::out_of_range("no body " + body);
}

inline const Json& body_of(const Json& problem, const std::string& name) {
  return problem["bodies"][static_cast<std::size_t>(index_of(problem, name))];
}

// A point or direction of a body in the world at t = 0.
inline Vec3 turned(const Json& problem, const std::string& body, const Vec3& direction) {
  return rotate(normalized(quat(body_of(problem, body)["orientation_wxyz"])), direction);
}
inline Vec3 to_world(const Json& problem, const std::string& body, const Vec3& point) {
  return body == "world" ? point : vec(body_of(problem, body)["position"]) + turned(problem, body, point);
}

inline BodySpec body_spec(const Json& b) {
  BodySpec spec;
  spec.name = b["name"];
  spec.mass = b["mass"].get<double>();
  spec.position = vec(b["position"]);
  spec.velocity = vec(b["linear_velocity"]);
  if (b.value("particle", false)) {
    spec.kind = BodyKind::particle;
    return spec;
  }
  const Json& I = b["inertia_com_body"];
  const auto at = [&](int i, int k) { return I[i][k].get<double>(); };
  spec.inertia = Sym3{at(0, 0), at(1, 1), at(2, 2), at(0, 1), at(0, 2), at(1, 2)};
  spec.orientation = quat(b["orientation_wxyz"]);
  spec.angular_velocity = vec(b["angular_velocity"]);
  if (b.contains("scale")) {
    spec.kind = BodyKind::scalable;
    spec.scale = b["scale"].get<double>();
    spec.scale_velocity = b["scale_rate"].get<double>();
  }
  return spec;
}

inline JointKind kind_of(const std::string& type) {
  const std::pair<const char*, JointKind> kinds[] = {
      {"revolute", JointKind::hinge}, {"prismatic", JointKind::slider},
      {"ball", JointKind::ball},      {"cylindrical", JointKind::cylindrical},
      {"planar", JointKind::planar},  {"distance", JointKind::distance},
      {"fixed", JointKind::weld}};
  for (const auto& [name, kind] : kinds)
    if (type == name) return kind;
  throw std::out_of_range("joint type " + type);
}

inline JointSpec joint_spec(const Json& j, const Json& problem) {
  JointSpec spec;
  spec.name = j["name"];
  spec.kind = kind_of(j["type"]);
  spec.between = {ground(j["body_a"]), ground(j["body_b"])};
  if (spec.kind == JointKind::distance) {
    spec.anchors = {vec(j["anchor"]), vec(j["anchor_b"])};
  } else {
    spec.anchor = vec(j["anchor"]);
  }
  if (j.contains("axis")) spec.axis = vec(j["axis"]);
  for (const Json& c : problem.value("constraints", Json::array()))
    if (c["type"] == "screw" && spec.kind == JointKind::cylindrical && c["body"] == j["body_b"]) {
      spec.kind = JointKind::screw;
      spec.pitch = c["pitch_per_turn"].get<double>() / (2 * std::numbers::pi);
    }
  return spec;
}

// Constraint number i is the joint "constraintI".
inline JointSpec constraint_spec(const Json& c, const Json& problem, const std::string& name) {
  JointSpec spec;
  spec.name = name;
  const std::string type = c["type"];
  if (type == "motor_speed") {
    spec.kind = JointKind::coupling;
    const CouplingTerm term{BodyId(index_of(problem, c["body"])), {}, vec(c["axis"]), false};
    CouplingRow& row = spec.extras.rows.emplace_back();
    row.terms = {term};
    row.velocity = Constant{c["speed"].get<double>()};
  } else if (type == "gear" || type == "rack") {
    spec.kind = type == "gear" ? JointKind::gear : JointKind::rack;
    spec.between = {ground(c["body_a"]), ground(c["body_b"])};
    spec.axis = vec(c["axis_a"]);
    spec.axis2 = vec(c[type == "gear" ? "axis_b" : "direction_b"]);
    if (type == "gear") spec.ratio = c["ratio"].get<double>();
    if (type == "rack") spec.radius = c["radius"].get<double>();
  } else if (type == "knife_edge") {
    spec.kind = JointKind::skate;
    spec.between = {"ground", c["body"].get<std::string>()};
    spec.anchor = to_world(problem, c["body"], vec(c["point_body"]));
    spec.axis = turned(problem, c["body"], vec(c["lateral_body"]));
  } else {
    throw std::out_of_range("constraint type " + type);
  }
  return spec;
}

inline BuiltModel build(const Json& problem) {
  ModelBuilder builder;
  builder.gravity(vec(problem["gravity"]));
  for (const Json& b : problem["bodies"]) builder.body(body_spec(b));
  for (const Json& j : problem.value("joints", Json::array())) builder.joint(joint_spec(j, problem));
  const Json constraints = problem.value("constraints", Json::array());
  for (std::size_t i = 0; i < constraints.size(); ++i)
    if (constraints[i]["type"] != "screw")
      builder.joint(constraint_spec(constraints[i], problem, "constraint" + std::to_string(i)));
  for (const Json& f : problem.value("forces", Json::array())) {
    if (f["type"] == "spring_damper") {
      builder.spring({.between = {ground(f["body_a"]), ground(f["body_b"])},
                      .anchors = {to_world(problem, f["body_a"], vec(f["point_a"])),
                                  to_world(problem, f["body_b"], vec(f["point_b"]))},
                      .stiffness = f["stiffness"].get<double>(),
                      .damping = f["damping"].get<double>(),
                      .length = f["rest_length"].get<double>()});
    } else {
      ForceSpec force;
      force.body = f["body"];
      if (f.contains("force_world")) force.force = vec(f["force_world"]);
      if (f.contains("torque_world")) force.torque = vec(f["torque_world"]);
      if (f.contains("point_body")) force.point = vec(f["point_body"]);
      builder.force(force);
    }
  }
  return builder.build();
}

inline std::vector<double> list(const Vec3& v) { return {v.x, v.y, v.z}; }

// The numbers of an output at the simulation's present state; empty for kinds that are not a matter of one state.
inline std::vector<double> value_of(const Json& o, Simulation& simulation) {
  const std::string kind = o["kind"];
  if (kind == "energy_total") return {simulation.energy().total()};
  if (kind == "joint_force") return list(simulation.joint(o["joint"].get<std::string>()).reaction().linear);
  if (kind == "motor_torque")
    return {simulation.joint("constraint" + o["constraint_index"].dump()).reaction().angular.z};
  if (!o.contains("body")) return {};
  const BodyId id = simulation.model().body(o["body"].get<std::string>());
  const BodyState& s = simulation.body(id);
  const Mat3 R = to_matrix(s.orientation);
  if (kind == "com_position") return list(s.position);
  if (kind == "com_velocity") return list(s.velocity);
  if (kind == "angular_velocity") return list(s.angular_velocity);
  if (kind == "angular_velocity_body") return list(transpose_times(R, s.angular_velocity));
  if (kind == "scalar_angular_velocity_z") return {s.angular_velocity.z};
  if (kind == "com_acceleration") return list(simulation.evaluate().vdot[id].linear);
  if (kind == "angular_acceleration") return list(simulation.evaluate().vdot[id].angular);
  if (kind == "scale") return {s.scale};
  if (kind == "scale_rate") return {s.scale_velocity};
  if (kind == "rotation_matrix") return {R.r0.x, R.r0.y, R.r0.z, R.r1.x, R.r1.y, R.r1.z, R.r2.x, R.r2.y, R.r2.z};
  if (kind == "rotation_angle_z") {
    // Whole turns are not in the state: those of the answer are taken.
    const double angle = std::atan2(R.r1.x, R.r0.x), turn = 2 * std::numbers::pi;
    return {angle + turn * std::round((o["value"].get<double>() - angle) / turn)};
  }
  const Vec3 point = o.contains("point_body") ? R * vec(o["point_body"]) : Vec3{};
  if (kind == "point_position") return list(s.position + point);
  if (kind == "point_velocity") return list(s.velocity + cross(s.angular_velocity, point));
  return {};
}

inline void flatten(const Json& value, std::vector<double>& out) {
  if (value.is_array()) {
    for (const Json& v : value) flatten(v, out);
  } else {
    out.push_back(value.get<double>());
  }
}

// |got − wanted| over max(1, |wanted|), the largest over an output's numbers.
inline double error_of(const Json& output, const std::vector<double>& got) {
  std::vector<double> wanted;
  flatten(output["value"], wanted);
  if (wanted.size() != got.size()) return INFINITY;
  double error = 0, size = 1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error = std::max(error, std::abs(got[i] - wanted[i]));
    size = std::max(size, std::abs(wanted[i]));
  }
  return std::isfinite(error) ? error / size : INFINITY;
}

}  // namespace catena::references
