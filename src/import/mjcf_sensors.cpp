// MJCF: sensor and keyframe sections.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "catena/import/mjcf_reader.h"
#include "catena/math/scalar.h"
#include "catena/model/sensor_kinds.h"

namespace catena::mjcf {

// What differs from the format's own sensors.
void Reader::note_sensor(const XmlNode& node, const Sensor& sensor) {
  if (sensor_kind(sensor.kind) == nullptr)
    return ledger_.note(node, "", Fate::ignored, fmt::format("'{}' is not read", sensor.kind), false);
  if (sensor.object_kind == "geom")
    return ledger_.note(node, "", Fate::ignored, "a geom is no frame of the model; put a site there", false);
  if (sensor.kind != "force" && sensor.kind != "torque") return;
  for (const RobotSite& site : built_.robot.sites)
    if (site.name == sensor.object && site.body >= 0 && built_.robot.bodies[at(site.body)].joints.empty())
      ledger_.note(node, "", Fate::approximated, "its body is fixed in another: read at the joint of that one", false);
}

void Reader::read_sensors(const XmlNode& section) {
  for (const XmlNode& node : section.children) {
    Sensor sensor;
    sensor.name = node.find("name") ? *node.find("name") : "";
    sensor.kind = node.name;
    for (const char* kind : {"site", "joint", "actuator", "tendon", "body", "geom", "subtree", "camera"})
      if (const std::string* object = node.find(kind)) sensor.object_kind = kind, sensor.object = *object;
    if (const std::string* kind = node.find("objtype")) sensor.object_kind = *kind;
    if (const std::string* object = node.find("objname")) sensor.object = *object;
    if (const std::string* kind = node.find("reftype")) sensor.reference_kind = *kind;
    if (const std::string* object = node.find("refname")) sensor.reference = *object;
    if (const std::string* x = node.find("cutoff")) sensor.cutoff = read_one(tree_, node, "cutoff", *x);
    if (const std::string* x = node.find("noise")) sensor.noise = read_one(tree_, node, "noise", *x);
    if (sensor.name.empty()) sensor.name = fmt::format("sensor{}", built_.scene.model.sensors.size());
    note_sensor(node, sensor);
    built_.scene.model.sensors.push_back(std::move(sensor));
  }
}

// mpos and mquat: of the bodies that are led by hand, in their order.
void Reader::place_mocaps(const XmlNode& node, Keyframe& key) {
  std::vector<BodyId> led;
  for (std::size_t i = 0; i < built_.robot.bodies.size(); ++i)
    if (built_.robot.bodies[i].guided) led.push_back(built_.body_of[i]);
  const auto numbers = [&](const char* name, std::size_t each) {
    const std::string* text = node.find(name);
    std::vector<double> out = text ? read_numbers(tree_, node, name, *text) : std::vector<double>{};
    if (text != nullptr && out.size() != each * led.size())
      fail(tree_, node, fmt::format("{}: {} numbers are expected, not {}", name, each * led.size(), out.size()));
    return out;
  };
  const std::vector<double> p = numbers("mpos", 3), q = numbers("mquat", 4);
  for (std::size_t i = 0; i < led.size(); ++i) {
    BodyState& body = key.bodies[led[i]];
    const Vec3 origin = built_.scene.model.bodies[led[i]].origin;
    Vec3 at = body.position + rotate(body.orientation, origin);
    if (!p.empty()) at = {p[3 * i], p[3 * i + 1], p[3 * i + 2]};
    if (const double* x = q.data() + 4 * i; !q.empty()) body.orientation = normalized(Quat{x[0], x[1], x[2], x[3]});
    body.position = at - rotate(body.orientation, origin);
  }
}

void Reader::read_keyframes(const XmlNode& section) {
  Model& model = built_.scene.model;
  std::vector<double> at_rest(at(built_.n_q));
  for (const FileJoint& joint : built_.joints) {
    double* q = at_rest.data() + joint.q;
    if (joint.kind == RobotJoint::Kind::free) {
      const BodyState& s = built_.scene.initial.bodies[joint.body];
      const Vec3 p = s.position + rotate(s.orientation, model.bodies[joint.body].origin);
      const double x[] = {p.x, p.y, p.z, s.orientation.w, s.orientation.x, s.orientation.y, s.orientation.z};
      std::copy(std::begin(x), std::end(x), q);
    } else if (joint.kind == RobotJoint::Kind::ball) {
      q[0] = 1;
    } else {
      q[0] = joint.reference;
    }
  }
  for (const XmlNode& node : section.children) {
    if (node.name != "key") continue;
    Keyframe key;
    key.name = node.find("name") ? *node.find("name") : fmt::format("{}", model.keyframes.size());
    if (const std::string* x = node.find("time")) key.time = read_one(tree_, node, "time", *x);
    std::vector<double> q = at_rest, v;
    const auto read = [&](const char* name, std::size_t count, std::vector<double>& to) {
      const std::string* text = node.find(name);
      if (text == nullptr) return;
      to = read_numbers(tree_, node, name, *text);
      if (to.size() != count)
        fail(tree_, node, fmt::format("{}: {} numbers are expected, not {}", name, count, to.size()));
    };
    read("qpos", at(built_.n_q), q);
    read("qvel", at(built_.n_v), v);
    read("ctrl", model.controls.size(), key.ctrl);
    std::vector<double> act;
    read("act", at(std::accumulate(activations_.begin(), activations_.end(), 0)), act);
    key.activation.assign(model.controls.size(), 0);
    for (std::size_t i = 0, k = 0; i < model.controls.size() && k < act.size(); k += at(activations_[i]), ++i)
      if (activations_[i] > 0) key.activation[i] = act[k];
    place_robot(built_, q, v, key.bodies, key.coordinates);
    place_mocaps(node, key);
    model.keyframes.push_back(std::move(key));
  }
}

}  // namespace catena::mjcf
