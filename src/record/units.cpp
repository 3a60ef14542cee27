// Units of the columns of a recording, by their names (simulation/sample.h).
#include "catena/record/units.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "catena/model/sensor_kinds.h"
#include "catena/record/run_info.h"

namespace catena {
namespace {

using Units = std::unordered_map<std::string_view, const char*>;

const Units& of_run() {
  static const Units units{{"time", "s"},     {"drift.position", "m"}, {"drift.angle", "rad"},
                           {"residual", "1"}, {"contacts.count", "1"}, {"contacts.normal", "N"}};
  return units;
}

const Units& of_body() {
  static const Units units{
      {"x", "m"},      {"y", "m"},      {"z", "m"},      {"qw", "1"},    {"qx", "1"},
      {"qy", "1"},     {"qz", "1"},     {"vx", "m/s"},   {"vy", "m/s"},  {"vz", "m/s"},
      {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}, {"scale", "1"}, {"scale_velocity", "1/s"}};
  return units;
}

const Units& of_joint() {
  static const Units units{{"fx", "N"}, {"fy", "N"}, {"fz", "N"}, {"tx", "N m"}, {"ty", "N m"}, {"tz", "N m"}};
  return units;
}

// Whether coordinate k of a joint of this kind is a travel rather than a turn.
bool is_travel(JointKind kind, int k) {
  switch (kind) {
    case JointKind::slider:
    case JointKind::fixed_orientation: return true;
    case JointKind::cylindrical: return k == 1;
    case JointKind::planar: return k < 2;
    default: return false;
  }
}

const char* found(const Units& units, std::string_view name) {
  const auto unit = units.find(name);
  return unit == units.end() ? "" : unit->second;
}

// "q[1]" of a joint, and what else has an index.
const char* of_coordinate(std::string_view part, JointKind kind) {
  const std::size_t bracket = part.find('[');
  if (bracket == std::string_view::npos || bracket + 2 >= part.size()) return "";
  const bool travel = is_travel(kind, part[bracket + 1] - '0');
  const std::string_view what = part.substr(0, bracket);
  if (what == "q") return travel ? "m" : "rad";
  if (what == "v") return travel ? "m/s" : "rad/s";
  return travel ? "N" : "N m";
}

std::string_view unit_of_sensor(const Model& model, std::string_view name) {
  for (const Sensor& sensor : model.sensors)
    if (name == sensor.name || name.substr(0, name.rfind('[')) == sensor.name) return reading_unit(sensor);
  return "";
}

}  // namespace

std::vector<std::string> column_units(const Model& model, const std::vector<std::string>& columns) {
  std::unordered_map<std::string_view, JointKind> joints;
  std::unordered_set<std::string_view> bodies;
  for (const Body& body : model.bodies) bodies.insert(body.name);
  for (const Joint& joint : model.joints) joints.emplace(joint.name, joint.kind);
  std::vector<std::string> units;
  for (const std::string_view column : columns) {
    const std::size_t dot = column.rfind('.');
    const std::string_view before = column.substr(0, dot == std::string_view::npos ? 0 : dot);
    const std::string_view part = column.substr(dot == std::string_view::npos ? 0 : dot + 1);
    const std::string_view joint = before.starts_with("joint.") ? before.substr(6) : std::string_view();
    if (bodies.contains(before)) units.emplace_back(found(of_body(), part));
    else if (joints.contains(joint) && part.find('[') == std::string_view::npos)
      units.emplace_back(found(of_joint(), part));
    else if (joints.contains(joint)) units.emplace_back(of_coordinate(part, joints.at(joint)));
    else if (column.starts_with("energy.")) units.emplace_back("J");
    else if (column.starts_with("sensor.")) units.emplace_back(unit_of_sensor(model, column.substr(7)));
    else units.emplace_back(found(of_run(), column));
  }
  return units;
}

std::vector<std::string> column_units(const std::vector<std::string>& columns) {
  std::vector<std::string> units;
  for (const std::string_view column : columns) {
    const std::size_t dot = column.rfind('.');
    const std::string_view part = column.substr(dot == std::string_view::npos ? 0 : dot + 1);
    if (column.starts_with("energy.")) units.emplace_back("J");
    else if (column.starts_with("joint.")) units.emplace_back(found(of_joint(), part));
    else if (const char* unit = found(of_run(), column); *unit != '\0' || dot == std::string_view::npos)
      units.emplace_back(unit);
    else units.emplace_back(found(of_body(), part));
  }
  return units;
}

}  // namespace catena
