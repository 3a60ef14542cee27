#include "catena/batch/lane_step.h"

#include <algorithm>
#include <cmath>

#include "catena/mechanism/drive_forces.h"
#include "catena/mechanism/step_energy.h"
#include "catena/model/joint_rules.h"

namespace catena {
namespace {

using Real = WorldLanes;
using Mask = decltype(Real() < Real());

std::vector<BodyVectorT<Real>> weight_of(const Model& model) {
  std::vector<BodyVectorT<Real>> out;
  for (const Body& body : model.bodies) {
    const Vec3 f = body.mass * model.gravity;
    out.push_back({{f.x, f.y, f.z}, {}, 0});
  }
  return out;
}

CATENA_INLINE Mask all_lanes() { return Real(0.0) == Real(0.0); }

CATENA_INLINE LaneBits bits_of(const Mask& mask) {
  LaneBits out = 0;
  for (int lane = 0; lane < kWorldLanes; ++lane) out |= mask.q[lane] != 0 ? 1U << lane : 0U;
  return out;
}

// The velocity of a body as VelocityMethod sees it.
CATENA_INLINE BodyVectorT<Real> velocity_in(const BodyStateT<Real>& body) {
  return {body.velocity, body.angular_velocity, 0};
}

CATENA_INLINE Mask same(const Vec3T<Real>& a, const Vec3T<Real>& b) {
  return (a.x == b.x) & (a.y == b.y) & (a.z == b.z);
}

CATENA_INLINE Mask same(const BodyStateT<Real>& a, const BodyStateT<Real>& b) {
  return same(a.position, b.position) & same(a.orientation.vec(), b.orientation.vec()) &
         (a.orientation.w == b.orientation.w) & same(a.velocity, b.velocity) &
         same(a.angular_velocity, b.angular_velocity);
}

void set(Vec3T<Real>& to, int lane, const Vec3& v) {
  to.x.set(lane, v.x);
  to.y.set(lane, v.y);
  to.z.set(lane, v.z);
}

Vec3 get(const Vec3T<Real>& from, int lane) { return {from.x[lane], from.y[lane], from.z[lane]}; }

bool is_constant(const Actuator& actuator) { return std::holds_alternative<Constant>(actuator.signal); }

bool is_minus_zero(double x) { return x == 0 && std::signbit(x); }

}  // namespace

std::string LaneStep::why_never(const PlainStep& of) {
  const Model& model = of.context.model();
  const ReducedMechanism& mechanism = of.mechanism;
  const Impedance& impedance = of.impedance;
  if (!of.midpoint) return "steps are not taken at the middle";
  if (of.swept) return "contacts are swept";
  if (of.lawful) return "there may be contacts, limits or friction";
  if (mechanism.held().rows() > 0) return "joints close loops or have prescribed motions";
  if (!std::all_of(model.bodies.begin(), model.bodies.end(),
                   [](const Body& body) { return body.kind == BodyKind::rigid && body.form == nullptr; }))
    return "some bodies are not rigid";
  if (!model.springs.empty() || !model.forces.empty() || !model.tendons.empty())
    return "there are springs between points, loads or tendons";
  if (std::any_of(model.controls.begin(), model.controls.end(), acts_by_itself))
    return "a control is no actuator on one coordinate";
  if (!std::all_of(model.actuators.begin(), model.actuators.end(), is_constant)) return "signals change with time";
  if (!impedance.is_along_rates()) return "springs, dampers or servos are along no coordinates of the forest";
  if (is_minus_zero(model.gravity.x) || is_minus_zero(model.gravity.y) || is_minus_zero(model.gravity.z))
    return "gravity has a negative zero";
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const auto joint = JointId(j);
    if (coordinate_count(model.joints[joint]) > 0 && mechanism.rate_of(joint) < 0)
      return "a joint is not of the forest";
    if (model.joints[joint].kind == JointKind::ball &&
        std::any_of(impedance.elements().begin(), impedance.elements().end(),
                    [&](const Impedance::Element& element) { return element.joint == joint; }))
      return "a ball joint has a spring, damper, rotor or actuator";
  }
  return {};
}

LaneStep::LaneStep(const PlainStep& of)
    : model_(of.context.model()),
      context_(of.context),
      mechanism_(of.mechanism),
      damps_(of.damps),
      weight_(weight_of(model_)),
      system_(mechanism_.tree()) {
  const auto n_v = static_cast<std::size_t>(mechanism_.tree().n_v()), n_body = model_.bodies.size();
  inputs_.tau.resize(n_v);
  inputs_.f.resize(n_body);
  inputs_.control.resize(model_.actuators.size());
  motion_.f.resize(n_body);
  motion_.V.resize(n_body);
  for (std::vector<Real>* x : {&motion_.tau, &motion_.inertia, &motion_.vdot, &motion_.v}) x->resize(n_v);
  for (Worlds* worlds : {&now_, &next_}) {
    worlds->joints.q.resize(static_cast<std::size_t>(mechanism_.tree().n_q()));
    worlds->joints.v.resize(n_v);
    worlds->angles.resize(mechanism_.angles().size());
    worlds->bodies.resize(n_body);
  }
  ahead_ = {now_.joints, now_.angles, now_.bodies};
  coordinates_.values.resize(n_v);
  for (const CarriedCoordinate& c : mechanism_.carried()) {
    Value& value = coordinates_.values[static_cast<std::size_t>(c.v)];
    value = {c.q, -1, c.offset};
    for (std::size_t i = 0; i < mechanism_.angles().size() && c.counts; ++i)
      if (mechanism_.angles()[i].joint == c.joint && mechanism_.angles()[i].coordinate == c.coordinate)
        value.angle = static_cast<int>(i);
  }
  for (const JointId id : of.context.dynamics.forces().sprung())
    for (int k = 0; k < coordinate_count(model_.joints[id]); ++k) {
      const CoordinateLaw law = coordinate_law(model_.joints[id], model_.extras_of(model_.joints[id]), k);
      if (law.has_spring() || law.damping != 0) coordinates_.springs.push_back({law, mechanism_.rate_of(id) + k});
    }
  for (const Actuator& actuator : model_.actuators)
    coordinates_.actuated.push_back(mechanism_.rate_of(actuator.joint) + actuator.coordinate);
  for (const JointId id : context_.dynamics.rotors())
    for (int k = 0; k < coordinate_count(model_.joints[id]); ++k)
      coordinates_.rotors.push_back({coordinate_law(model_.joints[id], model_.extras_of(model_.joints[id]), k).armature,
                                     mechanism_.rate_of(id) + k});
  for (const Impedance::Element& element : of.impedance.elements()) elements_.push_back({element, {}, {}, {}});
}

// ------------------------------------------------------------------------------------------------------------------ states

bool LaneStep::load(int lane, const State& state) {
  if (state.q.size() != now_.joints.q.size() || state.qd.size() != now_.joints.v.size()) return false;
  for (std::size_t i = 0; i < state.q.size(); ++i) now_.joints.q[i].set(lane, state.q[i]);
  for (std::size_t i = 0; i < state.qd.size(); ++i) now_.joints.v[i].set(lane, state.qd[i]);
  for (std::size_t i = 0; i < now_.angles.size(); ++i) {
    const ReducedMechanism::Angle& angle = mechanism_.angles()[i];
    now_.angles[i].set(lane, state.joint_angles[angle.joint][static_cast<std::size_t>(angle.coordinate)]);
  }
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyState& from = state.bodies[i];
    BodyStateT<Real>& to = now_.bodies[i];
    set(to.position, lane, from.position);
    to.orientation.w.set(lane, from.orientation.w);
    to.orientation.x.set(lane, from.orientation.x);
    to.orientation.y.set(lane, from.orientation.y);
    to.orientation.z.set(lane, from.orientation.z);
    set(to.velocity, lane, from.velocity);
    set(to.angular_velocity, lane, from.angular_velocity);
  }
  const Ledger& l = state.ledger;
  now_.books.motors.set(lane, l.motors);
  now_.books.actuators.set(lane, l.actuators);
  now_.books.external.set(lane, l.external);
  now_.books.damping.set(lane, l.damping);
  now_.books.contacts.set(lane, l.contacts);
  now_.books.numerical.set(lane, l.numerical);
  return true;
}

void LaneStep::store(int lane, State& state) const {
  for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] = now_.joints.q[i][lane];
  for (std::size_t i = 0; i < state.qd.size(); ++i) state.qd[i] = now_.joints.v[i][lane];
  for (std::size_t i = 0; i < now_.angles.size(); ++i) {
    const ReducedMechanism::Angle& angle = mechanism_.angles()[i];
    state.joint_angles[angle.joint][static_cast<std::size_t>(angle.coordinate)] = now_.angles[i][lane];
  }
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyStateT<Real>& from = now_.bodies[i];
    BodyState& to = state.bodies[i];
    to.position = get(from.position, lane);
    to.orientation = {from.orientation.w[lane], from.orientation.x[lane], from.orientation.y[lane],
                      from.orientation.z[lane]};
    to.velocity = get(from.velocity, lane);
    to.angular_velocity = get(from.angular_velocity, lane);
  }
  Ledger& l = state.ledger;
  l.actuators = now_.books.actuators[lane];
  l.external = now_.books.external[lane];
  l.damping = now_.books.damping[lane];
  l.numerical = now_.books.numerical[lane];
}

// As ReducedMechanism::place(): the system at the coordinates, and the bodies where it puts them.
CATENA_DISPATCH LaneBits LaneStep::place() {
  system_.update(now_.joints);
  system_.bodies(ahead_.bodies);
  Mask placed = all_lanes();
  for (std::size_t i = 0; i < ahead_.bodies.size(); ++i) placed = placed & same(ahead_.bodies[i], now_.bodies[i]);
  find_energies(now_);
  return bits_of(placed);
}

void LaneStep::push_body(int lane, BodyId body, int component, double value) {
  BodyVectorT<Real>& to = inputs_.f[body];
  (component < 3 ? to.linear[component] : to.angular[component - 3]).set(lane, value);
}

// -------------------------------------------------------------------------------------------------------------------- step

CATENA_DISPATCH LaneBits LaneStep::take(double h) {
  look_ahead(h / 2);
  add_forces(h);
  system_.forward(motion_.tau, motion_.f, {}, motion_.vdot);
  refine(h);
  book(h);
  // The second half of the step, by the rates after it.
  next_.joints.q = ahead_.joints.q;
  next_.joints.v = motion_.v;
  integrate(mechanism_.tree(), h / 2, motion_.v, next_.joints.q);
  system_.update(next_.joints);
  system_.bodies(next_.bodies);
  write_angles(next_.joints, now_.angles, next_.angles);
  find_energies(next_);
  next_.books = motion_.books;
  next_.books.numerical += next_.kinetic - now_.kinetic - motion_.work;
  return bits_of(finite_bodies() & accepted());
}

CATENA_INLINE void LaneStep::write_angles(const JointStateT<Real>& joints, const std::vector<Real>& last,
                                          std::vector<Real>& out) const {
  const std::vector<ReducedMechanism::Angle>& angles = mechanism_.angles();
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const Real q = joints.q[static_cast<std::size_t>(angles[i].q)] + angles[i].offset;
    out[i] = angles[i].counted ? q : with_turns_of(q, last[i]);
  }
}

CATENA_INLINE Real LaneStep::value_of(int rate, const JointStateT<Real>& joints,
                                      const std::vector<Real>& angles) const {
  const Value& value = coordinates_.values[static_cast<std::size_t>(rate)];
  return value.angle >= 0 ? angles[static_cast<std::size_t>(value.angle)]
                          : joints.q[static_cast<std::size_t>(value.q)] + value.offset;
}

CATENA_INLINE void LaneStep::look_ahead(double t) {
  ahead_.joints.q = now_.joints.q;
  ahead_.joints.v = now_.joints.v;
  integrate(mechanism_.tree(), t, now_.joints.v, ahead_.joints.q);
  system_.update(ahead_.joints);
  system_.bodies(ahead_.bodies);
  write_angles(ahead_.joints, now_.angles, ahead_.angles);
}

// As Forces::external() and Impedance::evaluate(): weight, springs and dampers, actuators, what the user pushes with. What depends on the
// state of a joint in ways of its own is evaluated lane by lane.
CATENA_INLINE void LaneStep::add_forces(double h) {
  std::fill(motion_.tau.begin(), motion_.tau.end(), Real(0.0));
  const auto rate_at = [&](int rate) -> const Real& { return now_.joints.v[static_cast<std::size_t>(rate)]; };
  for (const Sprung& spring : coordinates_.springs) {
    const Real q = value_of(spring.rate, ahead_.joints, ahead_.angles), s = rate_at(spring.rate);
    Real force;
    each_lane([&](int lane) { force.set(lane, spring_and_damper(spring.law, q[lane], s[lane])); });
    motion_.tau[static_cast<std::size_t>(spring.rate)] += force;
  }
  for (std::size_t i = 0; i < coordinates_.actuated.size(); ++i) {
    const Real q = value_of(coordinates_.actuated[i], ahead_.joints, ahead_.angles),
               s = rate_at(coordinates_.actuated[i]);
    Real force;
    each_lane([&](int lane) {
      force.set(lane, limited_force(model_.actuators[i], q[lane], s[lane], 0, inputs_.control[i][lane]));
    });
    motion_.tau[static_cast<std::size_t>(coordinates_.actuated[i])] += force;
  }
  for (std::size_t i = 0; i < motion_.tau.size(); ++i) motion_.tau[i] += inputs_.tau[i];
  for (std::size_t i = 0; i < motion_.f.size(); ++i) motion_.f[i] = weight_[i] + inputs_.f[i];
  if (elements_.empty()) return;
  std::fill(motion_.inertia.begin(), motion_.inertia.end(), Real(0.0));
  for (Element& element : elements_) {
    const Real q = value_of(element.own.rate, ahead_.joints, ahead_.angles), s = rate_at(element.own.rate);
    each_lane([&](int lane) {
      const double control =
          element.own.servo < 0 ? 0 : inputs_.control[static_cast<std::size_t>(element.own.servo)][lane];
      Impedance::act(model_, {q[lane], s[lane]}, 0, control, h, 0.5, element.own);
      element.inertia.set(lane, element.own.inertia);
      element.force.set(lane, element.own.force);
      element.damper.set(lane, element.own.damper);
    });
    motion_.inertia[static_cast<std::size_t>(element.own.rate)] += element.inertia;
  }
  system_.set_freedom_inertia(motion_.inertia);
}

// The motion with the velocity-dependent forces of its mean rates, as ReducedMechanism::refine().
CATENA_INLINE void LaneStep::refine(double h) {
  const std::vector<Real>& before = now_.joints.v;
  for (std::size_t i = 0; i < motion_.v.size(); ++i) {
    motion_.v[i] = before[i] + h * motion_.vdot[i];
    ahead_.joints.v[i] = 0.5 * (before[i] + motion_.v[i]);
  }
  system_.update_rates(ahead_.joints);
  system_.accelerations(motion_.tau, motion_.f, {}, motion_.vdot);
  for (std::size_t i = 0; i < motion_.v.size(); ++i) motion_.v[i] = before[i] + h * motion_.vdot[i];
  system_.motion(motion_.v, motion_.V);
}

// As VelocityMethod::book().
CATENA_INLINE void LaneStep::book(double h) {
  const std::vector<Real>& before = now_.joints.v;
  motion_.work = Real(0.0);
  motion_.books = now_.books;
  for (std::size_t i = 0; i < motion_.f.size(); ++i)
    motion_.work += work_over(h, motion_.f[i], velocity_in(ahead_.bodies[i]), motion_.V[i]);
  for (std::size_t i = 0; i < motion_.tau.size(); ++i)
    motion_.work += work_over(h, motion_.tau[i], before[i], motion_.v[i]);
  Real inertia_work(0.0);
  for (const Element& element : elements_) {
    const auto r = static_cast<std::size_t>(element.own.rate);
    const Impedance::Work<Real> work = Impedance::work_of(element.own.armature, element.inertia, element.force,
                                                          element.damper, h, 0.5, before[r], motion_.v[r]);
    motion_.books.damping -= work.damping;
    inertia_work -= work.inertia;
    if (element.own.servo >= 0) motion_.books.actuators += work.servo;
  }
  if (!elements_.empty()) motion_.work += inertia_work;
  for (const JointId id : context_.dynamics.coordinates().joints())
    for (int k = 0; k < coordinate_count(model_.joints[id]); ++k) {
      const auto r = static_cast<std::size_t>(mechanism_.rate_of(id) + k);
      motion_.books.actuators += h * inputs_.tau[r] * (0.5 * (before[r] + motion_.v[r]));
    }
  for (std::size_t i = 0; i < motion_.f.size(); ++i)
    motion_.books.external += h * dot(inputs_.f[i], Real(0.5) * (velocity_in(ahead_.bodies[i]) + motion_.V[i]));
}

// As Dynamics::kinetic_energy() and Forces::potential().
CATENA_INLINE void LaneStep::find_energies(Worlds& worlds) const {
  worlds.kinetic = Real(0.0);
  worlds.potential = Real(0.0);
  const Vec3T<Real> gravity{model_.gravity.x, model_.gravity.y, model_.gravity.z};
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& body = model_.bodies[i];
    const BodyStateT<Real>& at = worlds.bodies[i];
    const Real mass(body.mass);
    const Sym3T<Real> inertia{body.inertia.xx, body.inertia.yy, body.inertia.zz,
                              body.inertia.xy, body.inertia.xz, body.inertia.yz};
    worlds.kinetic += kinetic_energy(mass, congruence(to_matrix(at.orientation), inertia), Real(0.0), velocity_in(at));
    worlds.potential -= mass * dot(gravity, at.position);
  }
  for (const Rotor& rotor : coordinates_.rotors) {
    const Real& speed = worlds.joints.v[static_cast<std::size_t>(rotor.rate)];
    worlds.kinetic += 0.5 * rotor.armature * speed * speed;
  }
  for (const Sprung& spring : coordinates_.springs) {
    if (!spring.law.has_spring()) continue;
    const Real q = value_of(spring.rate, worlds.joints, worlds.angles);
    Real energy;
    each_lane([&](int lane) { energy.set(lane, spring.law.spring_energy(q[lane])); });
    worlds.potential += energy;
  }
}

// As StepContext::find_not_finite().
CATENA_INLINE LaneStep::Mask LaneStep::finite_bodies() const {
  Mask good = all_lanes();
  const auto small = [](const Vec3T<Real>& v) { return dot(v, v) < Real(1e290); };
  for (const BodyStateT<Real>& body : next_.bodies)
    good = good & small(body.position) & small(body.orientation.vec()) & finite(body.orientation.w) &
           small(body.velocity) & small(body.angular_velocity);
  return good;
}

// What is_refused() says of a step whose joints are closed and that was not halved.
CATENA_INLINE LaneStep::Mask LaneStep::accepted() const {
  const Real change = next_.books.numerical - now_.books.numerical;
  const Real total = (next_.kinetic + next_.potential) - (now_.kinetic + now_.potential) - work_done(next_.books) +
                     work_done(now_.books);
  const Real error = damps_ ? total : larger(magnitude(change), total);
  const double gain = context_.tuning.velocity.motion_gain;
  const Real scale = context_.scale.energy + now_.kinetic;
  const Mask gains = error > gain * scale;
  if (!any(gains)) return no(gains);
  return no(error > gain * larger(scale, force_scale()));
}

CATENA_INLINE Real LaneStep::force_scale() const {
  Real scale(0.0);
  for (const BodyVectorT<Real>& force : motion_.f)
    scale += context_.scale.size * norm(force.linear) + norm(force.angular);
  for (std::size_t i = 0; i < motion_.tau.size(); ++i) scale += 2 * mechanism_.reaches()[i] * magnitude(motion_.tau[i]);
  return scale;
}

}  // namespace catena
