#include "catena/mechanism/forces.h"

#include <algorithm>
#include <cmath>

#include "catena/mechanism/controls.h"
#include "catena/mechanism/drive_forces.h"
#include "catena/model/joint_rules.h"

namespace catena {
namespace {

// What a force on the frame of a body with a form, at a material point, does to its form.
void push_form(const Kinematics& kinematics, BodyId body, const Vec3& material, const BodyVector& on_frame,
               std::span<BodyVector> f) {
  if (!body.valid()) return;
  if (const FormPlacement* at = kinematics.form(body))
    f[at->own] += on_form(*at, kinematics.R(body), material, on_frame);
}

// The same times how fast the form moves: `motion` of all bodies.
template <class Motion>
double form_power(const Kinematics& kinematics, BodyId body, const Vec3& material, const BodyVector& on_frame,
                  Motion&& motion) {
  const FormPlacement* const at = kinematics.form(body);
  return at ? dot(on_form(*at, kinematics.R(body), material, on_frame), motion(at->own)) : 0;
}

void push(const Kinematics& kinematics, std::span<BodyVector> f, const Joint& joint, const Row& along, double force) {
  if (joint.a.valid()) f[joint.a] += force * along.a;
  if (joint.b.valid()) f[joint.b] += force * along.b;
  if (!kinematics.has_forms()) return;
  push_form(kinematics, joint.a, joint.anchor_a, force * along.a, f);
  push_form(kinematics, joint.b, joint.anchor_b, force * along.b, f);
}

BodyVector wrench_of(const ExternalForce& load, const Placement& body) {
  const AttachedPoint at = attach(body, load.point);
  BodyVector wrench = along(load.body_frame ? body.R * load.force : load.force, at);
  wrench.angular += load.body_frame ? body.R * load.torque : load.torque;
  return wrench;
}

// A unit of a control that pushes at a site, on the site's body.
BodyVector push_of(const Control& control, const Site& site, const Placement& body) {
  const std::array<double, 6>& x = control.push;
  const auto world = [&](const Vec3& v) { return body.R * rotate(site.orientation, v); };
  BodyVector wrench = along(world({x[0], x[1], x[2]}), attach(body, site.position));
  wrench.angular += world({x[3], x[4], x[5]});
  return wrench;
}

bool is_sprung(const Joint& joint, const JointExtras& extras) {
  const auto sprung = [](const Freedom& f) { return f.damping != 0 || f.stiffness != 0 || f.curve; };
  return extras.damping != 0 || extras.stiffness != 0 || extras.curve ||
         std::any_of(joint.freedoms.begin(), joint.freedoms.end(), sprung);
}

}  // namespace

Forces::Forces(const Model& model)
    : joint_force(model.joints.size()),
      body_force(model.bodies.size()),
      control(model.actuators.size() + model.controls.size()),
      acting(model.controls.size()) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const JointExtras& extras = model.extras_of(model.joints[j]);
    if (is_sprung(model.joints[j], extras)) sprung_.emplace_back(j);
    for (int k = 0; k < coordinate_count(model.joints[j]); ++k)
      if (const CoordinateLaw law = coordinate_law(model.joints[j], extras, k); law.has_spring() || law.damping != 0)
        sprung_coordinates_.push_back({JointId(j), k, law});
    if (extras.motor) append_kinks(extras.motor->velocity, kinks_);
    if (extras.length) append_kinks(extras.length->signal(), kinks_);
    if (extras.moves) {
      for (const std::optional<Motion>& shift : extras.moves->shift)
        if (shift) append_kinks(shift->signal(), kinks_);
      if (extras.moves->angle) append_kinks(extras.moves->angle->signal(), kinks_);
    }
    for (const CouplingRow& row : extras.rows) append_kinks(row.equals ? row.equals->signal() : row.velocity, kinks_);
  }
  for (const Actuator& actuator : model.actuators) append_kinks(actuator.signal, kinks_);
  for (const Control& drive : model.controls) append_kinks(drive.signal, kinks_);
  for (const ExternalForce& force : model.forces)
    for (const double t : {force.from, force.until})
      if (std::isfinite(t)) kinks_.push_back(t);
  std::sort(kinks_.begin(), kinks_.end());
  kinks_.erase(std::unique(kinks_.begin(), kinks_.end()), kinks_.end());
}

// Forces along the coordinates of joints: on their bodies through the rows, or among the loads of a mechanism that steps in them.
class Forces::JointPush {
 public:
  const Model& model;
  const Kinematics& kinematics;
  const JointCoordinates& coordinates;
  std::span<BodyVector> f;
  JointLoads* loads;

  int count(JointId joint) const { return coordinate_count(model.joints[joint]); }
  JointCoordinates::Coordinate at(JointId joint, std::size_t k) const {
    if (is_load(joint)) return coordinates.at(model, kinematics, joint, static_cast<int>(k));
    const Row& row = coordinates.evaluate(model, kinematics, joint)[k];
    return {row.phi, catena::rate(kinematics, model.joints[joint], row)};
  }
  double rate(JointId joint, std::size_t k) const {
    return is_load(joint) ? loads->rates[loads->at(joint, k)] : at(joint, k).rate;
  }
  void push(JointId joint, std::size_t k, double force) {
    if (is_load(joint)) loads->tau[loads->at(joint, k)] += force;
    else catena::push(kinematics, f, model.joints[joint], coordinates.evaluate(model, kinematics, joint)[k], force);
  }

 private:
  bool is_load(JointId joint) const { return loads && loads->has(joint); }
};

void Forces::apply(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                   std::span<BodyVector> f, Powers& powers) const {
  external(model, kinematics, coordinates, f, powers);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] += velocity_force(model, kinematics, BodyId(i));
}

bool Forces::constant(const Model& model, double from, double until) const {
  const auto acts = [&](const ExternalForce& load) { return load.from < until && load.until > from; };
  const bool forms =
      std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return body.form != nullptr; });
  return !forms && model.springs.empty() && model.actuators.empty() && model.controls.empty() &&
         model.tendons.empty() && sprung_.empty() && !user_forces &&
         std::none_of(model.forces.begin(), model.forces.end(), acts);
}

void Forces::external(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                      std::span<BodyVector> f, Powers& powers, JointLoads* joint_loads) const {
  powers = {};
  JointPush joints{model, kinematics, coordinates, f, joint_loads};
  if (joint_loads) std::fill(joint_loads->tau.begin(), joint_loads->tau.end(), 0.0);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = {model.bodies[i].mass * model.gravity, {}, 0};
  springs(model, kinematics, f, powers);
  loads(model, kinematics, f, powers);
  joint_springs(joints, powers);
  actuators(joints, powers);
  pull(joints, powers);
  if (user_forces) user(joints, powers);
  if (kinematics.has_forms()) elasticity(model, kinematics, f);
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = restricted(model.bodies[i].kind, f[i]);
  for (std::size_t i = 0; i < asleep.size(); ++i)
    if (asleep[i] != 0) f[i] = {};
}

void Forces::elasticity(const Model& model, const Kinematics& kinematics, std::span<BodyVector> f) {
  for (std::size_t i = 0; i < f.size(); ++i)
    if (const Body& body = model.bodies[i]; body.kind == BodyKind::form)
      f[i] += own_vector(body.form->elastic_force(form_coordinates(kinematics.body(BodyId(i)))));
}

void Forces::springs(const Model& model, const Kinematics& kinematics, std::span<BodyVector> f, Powers& powers) const {
  for (const Spring& spring : model.springs) {
    const AttachedPoint pa = attach(kinematics[spring.a], spring.anchor_a),
                        pb = attach(kinematics[spring.b], spring.anchor_b);
    const Vec3 d = pb.p - pa.p;
    const double length = norm(d);
    if (length == 0) continue;  // no direction to pull in
    const Vec3 n = d / length;
    const double stretching = dot(n, pb.v - pa.v);
    const double tension = spring.tension(length) + spring.damping * stretching;
    if (spring.a.valid()) f[spring.a] += tension * along(n, pa);
    if (spring.b.valid()) f[spring.b] += -tension * along(n, pb);
    push_form(kinematics, spring.a, spring.anchor_a, tension * along(n, pa), f);
    push_form(kinematics, spring.b, spring.anchor_b, -tension * along(n, pb), f);
    powers.damping -= spring.damping * stretching * stretching;
  }
}

void Forces::loads(const Model& model, const Kinematics& kinematics, std::span<BodyVector> f, Powers& powers) const {
  const double t = kinematics.state().time;
  const auto now = [&](BodyId body) { return velocity_of(kinematics.body(body)); };
  for (const ExternalForce& load : model.forces) {
    if (t < load.from || t >= load.until) continue;
    const BodyVector wrench = wrench_of(load, kinematics[load.body]);
    f[load.body] += wrench;
    push_form(kinematics, load.body, load.point, wrench, f);
    powers.external += dot(wrench, velocity_of(kinematics.body(load.body))) +
                       form_power(kinematics, load.body, load.point, wrench, now);
  }
}

void Forces::joint_springs(JointPush& joints, Powers& powers) const {
  for (const auto& [id, coordinate, law] : sprung_coordinates_) {
    const auto k = static_cast<std::size_t>(coordinate);
    const auto [q, qd] = joints.at(id, k);
    joints.push(id, k, spring_and_damper(law, q, qd));
    powers.damping -= law.damping * qd * qd;
  }
}

void Forces::actuators(JointPush& joints, Powers& powers) const {
  const double time = joints.kinematics.state().time;
  for (std::size_t i = 0; i < joints.model.actuators.size(); ++i) {
    const Actuator& actuator = joints.model.actuators[i];
    if (actuator.coordinate >= joints.count(actuator.joint)) continue;  // it is open (simulation/switching.h)
    const auto k = static_cast<std::size_t>(actuator.coordinate);
    const auto [q, qd] = joints.at(actuator.joint, k);
    const double force = limited_force(actuator, q, qd, time, control[i]);
    joints.push(actuator.joint, k, force);
    powers.actuators += force * qd;
  }
}

// What controls and tendons pull with.
void Forces::pull(JointPush& joints, Powers& powers) const {
  const Model& model = joints.model;
  const Kinematics& kinematics = joints.kinematics;
  const JointCoordinates& coordinates = joints.coordinates;
  const std::span<BodyVector> f = joints.f;
  double force = 0;
  const auto push_term = [&](JointId joint, int coordinate, double g) {
    if (coordinate < joints.count(joint))  // else the joint is open
      joints.push(joint, static_cast<std::size_t>(coordinate), g * force);
  };
  const auto push_piece = [&](const Tendon::Piece& piece, double g) {
    const PathPiece now = piece_of(model, kinematics, piece);
    for (int k = 0; k < now.spans; ++k) {
      const PathSpan& span = now.span[static_cast<std::size_t>(k)];
      if (span.a.valid()) f[span.a] += g * force * span.row.a;
      if (span.b.valid()) f[span.b] += g * force * span.row.b;
    }
  };
  for (std::size_t i = 0; i < model.controls.size(); ++i) {
    const Control& drive = model.controls[i];
    if (!acts_by_itself(drive)) continue;
    const ControlForce now = control_force(model, kinematics, coordinates, drive, acting[i]);
    force = now.force;
    each_term(model, drive, push_term);
    each_piece(model, drive, push_piece);
    powers.actuators += now.force * now.rate;
    if (drive.site < 0) continue;
    const Site& site = model.sites[static_cast<std::size_t>(drive.site)];
    if (!site.body.valid()) continue;
    const BodyVector wrench = now.force * push_of(drive, site, kinematics[site.body]);
    f[site.body] += wrench;
    powers.actuators += dot(wrench, velocity_of(kinematics.body(site.body)));
  }
  for (const Tendon& tendon : model.tendons) {
    if (!tendon.is_passive()) continue;
    const ControlForce now = tendon_force(model, kinematics, coordinates, tendon);
    force = now.force;
    each_term(tendon, push_term);
    each_piece(tendon, push_piece);
    powers.damping -= now.damping * now.rate * now.rate;
  }
}

void Forces::user(JointPush& joints, Powers& powers) const {
  const Kinematics& kinematics = joints.kinematics;
  const std::span<BodyVector> f = joints.f;
  for (const JointId id : joints.coordinates.joints()) {
    const auto& force = joint_force[id];
    if (force == JointArray{}) continue;
    for (std::size_t k = 0; k < static_cast<std::size_t>(joints.count(id)); ++k) {
      joints.push(id, k, force[k]);
      powers.actuators += force[k] * joints.rate(id, k);
    }
  }
  for (std::size_t i = 0; i < f.size(); ++i) {
    f[i] += body_force[i];
    powers.external += dot(body_force[i], velocity_of(kinematics.body(BodyId(i))));
  }
  for (const PointForce& force : point_forces) {
    const BodyVector wrench = along(force.force, attach(kinematics[force.body], force.point));
    f[force.body] += wrench;
    push_form(kinematics, force.body, force.point, wrench, f);
    const auto now = [&](BodyId body) { return velocity_of(kinematics.body(body)); };
    powers.external += dot(wrench, now(force.body)) + form_power(kinematics, force.body, force.point, wrench, now);
  }
}

void Forces::book(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates, double h,
                  const std::vector<BodyVector>& before, const std::vector<BodyVector>& after,
                  const JointLoads& joint_loads, std::span<const double> rates_after, Ledger& ledger) const {
  const auto mean = [&](BodyId body) { return body.valid() ? 0.5 * (before[body] + after[body]) : BodyVector{}; };
  const double t = kinematics.state().time;
  for (const ExternalForce& load : model.forces)
    if (t >= load.from && t < load.until) {
      const BodyVector wrench = wrench_of(load, kinematics[load.body]);
      ledger.external +=
          h * (dot(wrench, mean(load.body)) + form_power(kinematics, load.body, load.point, wrench, mean));
    }
  for (std::size_t i = 0; i < model.controls.size(); ++i) {
    const Control& drive = model.controls[i];
    if (drive.site < 0) continue;
    const Site& site = model.sites[static_cast<std::size_t>(drive.site)];
    if (!site.body.valid()) continue;
    const double force = control_force(model, kinematics, coordinates, drive, acting[i]).force;
    ledger.actuators += h * force * dot(push_of(drive, site, kinematics[site.body]), mean(site.body));
  }
  if (!user_forces) return;
  for (const JointId id : coordinates.joints()) {
    const auto& force = joint_force[id];
    if (force == JointArray{}) continue;
    const Joint& joint = model.joints[id];
    if (joint_loads.has(id)) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(coordinate_count(joint)); ++k) {
        const std::size_t r = joint_loads.at(id, k);
        ledger.actuators += h * force[k] * (0.5 * (joint_loads.rates[r] + rates_after[r]));
      }
      continue;
    }
    const std::span<const Row> rows = coordinates.evaluate(model, kinematics, id);
    for (std::size_t k = 0; k < rows.size(); ++k)
      ledger.actuators += h * force[k] * velocity(rows[k], mean(joint.a), mean(joint.b));
  }
  for (std::size_t i = 0; i < body_force.size(); ++i) ledger.external += h * dot(body_force[i], mean(BodyId(i)));
  for (const PointForce& force : point_forces) {
    const BodyVector wrench = along(force.force, attach(kinematics[force.body], force.point));
    ledger.external +=
        h * (dot(wrench, mean(force.body)) + form_power(kinematics, force.body, force.point, wrench, mean));
  }
}

double Forces::potential(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates) const {
  double energy = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    energy -= body.mass * dot(model.gravity, kinematics.body(BodyId(i)).position);
    if (body.kind == BodyKind::form) energy += body.form->elastic_energy(form_coordinates(kinematics.body(BodyId(i))));
  }
  for (const Spring& spring : model.springs) {
    const Vec3 d = attach(kinematics[spring.b], spring.anchor_b).p - attach(kinematics[spring.a], spring.anchor_a).p;
    energy += spring.energy(norm(d));
  }
  for (const Tendon& tendon : model.tendons)
    if (tendon.is_passive()) energy += tendon_energy(model, kinematics, coordinates, tendon);
  for (const auto& [id, k, law] : sprung_coordinates_)
    if (law.has_spring()) energy += law.spring_energy(coordinates.at(model, kinematics, id, k).value);
  return energy;
}

void Forces::take_inputs(const Forces& other) {
  joint_force = other.joint_force;
  body_force = other.body_force;
  user_forces = other.user_forces;
  control = other.control;
  acting = other.acting;
  point_forces = other.point_forces;
}

}  // namespace catena
