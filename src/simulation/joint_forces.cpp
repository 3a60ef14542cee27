#include "catena/simulation/joint_forces.h"

#include "catena/constraint/joint_coordinates.h"
#include "catena/contact/warm_start.h"
#include "catena/laws/joint_law_key.h"
#include "catena/mechanism/dynamics.h"
#include "catena/simulation/sensors.h"

namespace catena {
namespace {

double law_force(const State& state, JointId joint, LawKind kind, int number, bool opposite = false) {
  const WarmImpulse* warm = remembered(state, joint_law_key(joint, kind, number, opposite));
  return warm ? warm->z[0] : 0;
}

// The coordinate a motor of the joint drives; -1 where it has none.
int motor_coordinate(const Model& model, const Joint& joint) {
  const JointExtras& extras = model.extras_of(joint);
  return extras.motor && joint.kind != JointKind::coupling ? extras.motor->coordinate : -1;
}

// A motor of unlimited force is a row of the joint: its force is a multiplier, and part of the reaction.
double prescribed_motor_force(const Dynamics& dynamics, JointId id, const Joint& joint) {
  const auto row = static_cast<std::size_t>(dynamics.row_start(id) + dimension(joint));
  return row < dynamics.lambda.size() ? dynamics.lambda[row] : 0;
}

// Motor, limit and friction: what acts as a law, and is not part of the reaction.
CoordinateForces forces_of_laws(const State& state, JointId id, int k, bool bounded_motor) {
  CoordinateForces forces;
  forces.limit = law_force(state, id, LawKind::limit, k) - law_force(state, id, LawKind::limit, k, true);
  forces.friction = law_force(state, id, LawKind::dry_friction, k);
  if (bounded_motor) forces.motor = law_force(state, id, LawKind::motor, 0);
  return forces;
}

// Of the rows of a joint with compliance: in the last step, or of the spring it is where the method keeps no such force.
BodyVector soft_wrench(const Model& model, const State& state, const Dynamics& dynamics, JointId id) {
  const Joint& joint = model.joints[id];
  const JointExtras& extras = model.extras_of(joint);
  Rows rows;
  joint_rows(model, joint, dynamics.kinematics(), rows);
  BodyVector wrench;
  for (int i = 0; i < rows.count; ++i) {
    const WarmImpulse* warm = remembered(state, warm_key(joint_law_key(id, LawKind::soft, 0, false), i));
    const double speed = rate(dynamics.kinematics(), joint, rows[i]);
    const double force = warm ? warm->z[static_cast<std::size_t>(i % 3)]
                              : -(rows[i].phi + extras.relaxation * speed) / extras.compliance;
    wrench += force * rows[i].b;
  }
  return wrench;
}

// It lets go and comes back while the simulation runs (simulation/switching.h).
bool is_open(const State& state, JointId id) {
  return !state.attachments.empty() && state.attachments[id].attached == 0;
}

}  // namespace

CoordinateForces coordinate_forces(const Model& model, const State& state, Dynamics& dynamics, JointId id, int k) {
  if (is_open(state, id)) return {};
  const Joint& joint = model.joints[id];
  const JointExtras& extras = model.extras_of(joint);
  const bool has_motor = motor_coordinate(model, joint) == k;
  CoordinateForces forces = forces_of_laws(state, id, k, has_motor && extras.motor->max_force);
  if (has_motor && !extras.motor->max_force) forces.motor = prescribed_motor_force(dynamics, id, joint);
  const Row& row = dynamics.coordinates().evaluate(model, dynamics.kinematics(), id)[static_cast<std::size_t>(k)];
  const CoordinateLaw law = coordinate_law(joint, extras, k);
  forces.actuator = actuator_force(model, state.time, dynamics, id, k);
  forces.passive = -law.spring_force(row.phi) - law.damping * rate(dynamics.kinematics(), joint, row) +
                   dynamics.forces().joint_force[static_cast<std::size_t>(id.value())][static_cast<std::size_t>(k)];
  return forces;
}

Spatial joint_wrench(const Model& model, const State& state, Dynamics& dynamics, JointId id) {
  if (is_open(state, id)) return {};
  const Joint& joint = model.joints[id];
  const Spatial reaction = dynamics.reaction(id);
  if (joint.kind == JointKind::coupling || !joint.b.valid()) return reaction;
  BodyVector more;
  if (model.extras_of(joint).compliance != 0) more = soft_wrench(model, state, dynamics, id);
  const std::span<const Row> rows = dynamics.coordinates().evaluate(model, dynamics.kinematics(), id);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const int coordinate = static_cast<int>(k);
    CoordinateForces f = coordinate_forces(model, state, dynamics, id, coordinate);
    const bool in_reaction = motor_coordinate(model, joint) == coordinate && !model.extras_of(joint).motor->max_force;
    more += ((in_reaction ? 0 : f.motor) + f.limit + f.friction + f.actuator + f.passive) * rows[k].b;
  }
  const Vec3 arm = rotate(state.bodies[joint.b].orientation, joint.anchor_b);
  return reaction + Spatial{more.linear, more.angular - cross(arm, more.linear)};
}

}  // namespace catena
