#include "catena/simulation/sensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "catena/mechanism/controls.h"
#include "catena/mechanism/dynamics.h"
#include "catena/simulation/joint_forces.h"
#include "catena/simulation/simulation.h"

namespace catena {
namespace {

using Of = SensorKind::Of;

// A frame fixed in a body, or in the world.
struct Frame {
  BodyId body;
  Vec3 position{};  // from the centre of mass
  Quat orientation{};
};

template <class List>
int index_of(const List& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.name == name; });
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

// `body`: at the centre of mass; `xbody`: where its file has its frame. Bodies that became part of others are sites.
std::optional<Frame> frame_of(const Model& model, std::string_view kind, std::string_view name) {
  if (kind != "site")
    if (const int i = index_of(model.bodies, name); i >= 0)
      return Frame{BodyId(i), kind == "xbody" ? model.bodies[static_cast<std::size_t>(i)].origin : Vec3{}, {}};
  if (const int i = index_of(model.sites, name); i >= 0 && kind != "geom") {
    const Site& site = model.sites[static_cast<std::size_t>(i)];
    return Frame{site.body, site.position, site.orientation};
  }
  return std::nullopt;
}

struct Coordinate {
  JointId joint;
  int index = 0;
};
// A joint, or a freedom of a compound one.
std::optional<Coordinate> coordinate_of(const Model& model, std::string_view name) {
  if (const int j = index_of(model.joints, name); j >= 0) return Coordinate{JointId(j), 0};
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (const int k = index_of(model.joints[j].freedoms, name); k >= 0) return Coordinate{JointId(j), k};
  return std::nullopt;
}

struct SensedMotion {
  Vec3 p, v, w, a, alpha;  // of the frame's origin, world; `a` as an accelerometer feels it: at rest −g
  Quat q;
};

void write(const Vec3& v, std::span<double> out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }
void write(const Quat& q, std::span<double> out) { out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z; }

SensedMotion motion_of(const Simulation& simulation, const Frame& frame, bool accelerations) {
  const Model& model = simulation.model();
  SensedMotion m{frame.position, {}, {}, -1.0 * model.gravity, {}, frame.orientation};
  if (!frame.body.valid()) return m;
  const BodyState& s = simulation.state().bodies[frame.body];
  const Vec3 arm = rotate(s.orientation, frame.position);
  m.p = s.position + arm;
  m.q = normalized(s.orientation * frame.orientation);
  m.w = s.angular_velocity;
  m.v = s.velocity + cross(m.w, arm);
  if (!accelerations) return m;
  const BodyVector& vdot = simulation.evaluate().vdot[frame.body];
  m.alpha = vdot.angular;
  m.a += vdot.linear + cross(m.alpha, arm) + cross(m.w, cross(m.w, arm));
  return m;
}

// Force of the actuators along one coordinate of a joint.
double actuator_force_at(const Model& model, double time, Dynamics& dynamics, const Coordinate& at) {
  const std::vector<double>& input = dynamics.forces().control;
  const Row& row =
      dynamics.coordinates().evaluate(model, dynamics.kinematics(), at.joint)[static_cast<std::size_t>(at.index)];
  const double q = row.phi, qd = rate(dynamics.kinematics(), model.joints[at.joint], row);
  double force = 0;
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const Actuator& a = model.actuators[i];
    if (a.joint != at.joint || a.coordinate != at.index) continue;
    force += std::clamp(force_of(a, q, qd, time, input[i]), -a.limit, a.limit);
  }
  for (std::size_t i = 0; i < model.controls.size(); ++i) {
    const Control& c = model.controls[i];
    if (!acts_by_itself(c)) continue;
    each_term(model, c, [&](JointId joint, int coordinate, double g) {
      if (joint == at.joint && coordinate == at.index)
        force +=
            g *
            control_force(model, dynamics.kinematics(), dynamics.coordinates(), c, dynamics.forces().acting[i]).force;
    });
  }
  return force;
}

// What the joint that carries the body pushes it with, at its centre of mass.
BodyVector carried(const Simulation& simulation, BodyId body) {
  const Model& model = simulation.model();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (joint.b != body || !joint.primary || joint.kind == JointKind::coupling) continue;
    const Spatial wrench = joint_wrench(model, simulation.state(), simulation.evaluate(), JointId(j));
    const Vec3 arm = rotate(simulation.state().bodies[body].orientation, joint.anchor_b);
    return {wrench.linear, wrench.angular + cross(arm, wrench.linear), 0};
  }
  return {};
}

// The normal forces of the contacts of the site's body that lie in the site.
double touch(const Simulation& simulation, const Site& site) {
  const BodyState own = site.body.valid() ? simulation.state().bodies[site.body] : BodyState{};
  const Quat back = normalized(own.orientation * site.orientation).conjugate();
  const Vec3 centre = own.position + rotate(own.orientation, site.position);
  double sum = 0;
  for (const ContactForce& contact : simulation.contact_forces())
    if ((contact.contact.a == site.body || contact.contact.b == site.body) &&
        site.contains(rotate(back, contact.contact.position - centre)))
      sum += contact.normal;
  return sum;
}

bool is_local(std::string_view kind) {
  return kind == "accelerometer" || kind == "gyro" || kind == "velocimeter" || kind == "force" || kind == "torque";
}

void read_frame(const Simulation& simulation, const Sensor& sensor, const Frame& frame, std::span<double> out) {
  const std::string_view kind = sensor.kind;
  const bool accelerates = kind == "accelerometer" || kind == "framelinacc" || kind == "frameangacc";
  SensedMotion m = motion_of(simulation, frame, accelerates);
  if (kind == "touch") {
    const int site = sensor.object_kind == "site" ? index_of(simulation.model().sites, sensor.object) : -1;
    out[0] = touch(simulation, site < 0 ? Site{"", frame.body, frame.position, frame.orientation}
                                        : simulation.model().sites[static_cast<std::size_t>(site)]);
    return;
  }
  if (is_local(kind)) {
    Vec3 x = kind == "gyro" ? m.w : kind == "velocimeter" ? m.v : m.a;
    if ((kind == "force" || kind == "torque") && frame.body.valid()) {
      const BodyVector wrench = carried(simulation, frame.body);
      const Vec3 arm = m.p - simulation.state().bodies[frame.body].position;
      x = kind == "force" ? wrench.linear : wrench.angular - cross(arm, wrench.linear);
    }
    return write(rotate(m.q.conjugate(), x), out);
  }
  // Against another frame: its axes, and velocities as seen by somebody who moves with it.
  if (!sensor.reference.empty())
    if (const auto reference = frame_of(simulation.model(), sensor.reference_kind, sensor.reference)) {
      const SensedMotion r = motion_of(simulation, *reference, false);
      const Quat back = r.q.conjugate();
      m.v = rotate(back, m.v - r.v - cross(r.w, m.p - r.p));
      m.w = rotate(back, m.w - r.w);
      m.p = rotate(back, m.p - r.p);
      m.q = normalized(back * m.q);
    }
  if (kind == "framequat") return write(m.q, out);
  write(kind == "framepos"      ? m.p
        : kind == "framelinvel" ? m.v
        : kind == "frameangvel" ? m.w
        : kind == "framelinacc" ? m.a
        : kind == "frameangacc" ? m.alpha
        : kind == "framexaxis"  ? rotate(m.q, Vec3{1, 0, 0})
        : kind == "frameyaxis"  ? rotate(m.q, Vec3{0, 1, 0})
                                : rotate(m.q, Vec3{0, 0, 1}),
        out);
}

void read_joint(const Simulation& simulation, const Sensor& sensor, std::span<double> out) {
  const Coordinate at = *coordinate_of(simulation.model(), sensor.object);
  const auto joint = simulation.joint(at.joint);
  if (sensor.kind == "jointactuatorfrc")
    out[0] = actuator_force_at(simulation.model(), simulation.time(), simulation.evaluate(), at);
  else if (sensor.kind == "jointpos") out[0] = joint.position(at.index);
  else if (sensor.kind == "jointvel") out[0] = joint.velocity(at.index);
  else std::copy_n((sensor.kind == "ballquat" ? joint.q() : joint.v()).begin(), out.size(), out.begin());
}

void read_control(const Simulation& simulation, const Sensor& sensor, std::span<double> out) {
  const Model& model = simulation.model();
  const auto i = static_cast<std::size_t>(index_of(model.controls, sensor.object));
  Dynamics& dynamics = simulation.evaluate();
  const ControlForce now = control_force(model, dynamics.kinematics(), dynamics.coordinates(), model.controls[i],
                                         dynamics.forces().acting[i]);
  out[0] = sensor.kind == "actuatorpos" ? now.length : sensor.kind == "actuatorvel" ? now.rate : now.force;
}

void read_tendon(const Simulation& simulation, const Sensor& sensor, std::span<double> out) {
  const Model& model = simulation.model();
  const Tendon& tendon = model.tendons[static_cast<std::size_t>(index_of(model.tendons, sensor.object))];
  const bool length = sensor.kind == "tendonpos";
  out[0] = 0;
  for (const Tendon::Term& t : tendon.terms) {
    const auto joint = simulation.joint(t.joint);
    out[0] += t.coefficient * (length ? joint.position(t.coordinate) : joint.velocity(t.coordinate));
  }
  if (!tendon.is_path()) return;
  const ControlForce now =
      tendon_force(model, simulation.evaluate().kinematics(), simulation.evaluate().coordinates(), tendon);
  out[0] = length ? now.length : now.rate;
}

// Of a body and everything its joints carry.
void read_subtree(const Simulation& simulation, const Sensor& sensor, std::span<double> out) {
  const Model& model = simulation.model();
  std::vector<char> in(model.bodies.size(), 0);
  in[static_cast<std::size_t>(index_of(model.bodies, sensor.object))] = 1;
  for (bool more = true; more;) {
    more = false;
    for (const Joint& joint : model.joints)
      if (joint.primary && joint.a.valid() && joint.b.valid() && in[joint.a] != 0 && in[joint.b] == 0)
        in[joint.b] = more = true;
  }
  double mass = 0;
  Vec3 sum{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i] == 0) continue;
    const BodyState& s = simulation.state().bodies[i];
    mass += model.bodies[i].mass;
    sum += model.bodies[i].mass * (sensor.kind == "subtreecom" ? s.position : s.velocity);
  }
  write(sum / mass, out);
}

}  // namespace

double actuator_force(const Model& model, double time, Dynamics& dynamics, JointId joint, int coordinate) {
  return actuator_force_at(model, time, dynamics, {joint, coordinate});
}

std::string fault_of(const Model& model, const Sensor& sensor) {
  const SensorKind* kind = sensor_kind(sensor.kind);
  if (kind == nullptr) return fmt::format("sensors of kind '{}' are not read", sensor.kind);
  const auto missing = [&](bool there) {
    return there ? std::string() : fmt::format("there is no {} '{}'", sensor.object_kind, sensor.object);
  };
  const auto joint = coordinate_of(model, sensor.object);
  switch (kind->of) {
    case Of::frame: return missing(frame_of(model, sensor.object_kind, sensor.object).has_value());
    case Of::joint: return missing(joint && coordinate_count(model.joints[joint->joint]) > 0);
    case Of::ball: return missing(joint && model.joints[joint->joint].kind == JointKind::ball);
    case Of::control: return missing(index_of(model.controls, sensor.object) >= 0);
    case Of::tendon: return missing(index_of(model.tendons, sensor.object) >= 0);
    case Of::body: return missing(index_of(model.bodies, sensor.object) >= 0);
    case Of::run: break;
  }
  return {};
}

void read_sensor(const Simulation& simulation, const Sensor& sensor, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  if (!fault_of(simulation.model(), sensor).empty()) return;
  switch (sensor_kind(sensor.kind)->of) {
    case Of::frame:
      read_frame(simulation, sensor, *frame_of(simulation.model(), sensor.object_kind, sensor.object), out);
      break;
    case Of::joint:
    case Of::ball: read_joint(simulation, sensor, out); break;
    case Of::control: read_control(simulation, sensor, out); break;
    case Of::tendon: read_tendon(simulation, sensor, out); break;
    case Of::body: read_subtree(simulation, sensor, out); break;
    case Of::run:
      out[0] = sensor.kind == "clock"       ? simulation.time()
             : sensor.kind == "e_potential" ? simulation.energy().potential
                                            : simulation.energy().kinetic;
  }
  if (sensor.cutoff > 0)
    for (double& x : out) x = std::clamp(x, -sensor.cutoff, sensor.cutoff);
}

}  // namespace catena
