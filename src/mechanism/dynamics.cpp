#include "catena/mechanism/dynamics.h"

#include "catena/joints/row_rhs.h"
#include "catena/math/assert.h"
#include "catena/model/impedance.h"

namespace catena {
namespace {

Kinematics kinematics_at(const Model& model, const State& state) {
  Kinematics kinematics(model);
  kinematics.update(model, state);
  return kinematics;
}

double energy_of_rotor(const Model& model, const Joint& joint, int coordinate, double speed) {
  return 0.5 * coordinate_law(joint, model.extras_of(joint), coordinate).armature * speed * speed;
}

}  // namespace

Dynamics::Dynamics(const Model& model, const SharedState& initial, LinearSolver solver, int threads)
    : vdot(model.bodies.size()),
      model_(&model),
      kinematics_(kinematics_at(model, *initial)),
      coordinates_(model, kinematics_),
      forces_(model),
      joints_{std::make_unique<Joints::ToCome>(Joints::ToCome{solver, threads, initial}), {}, row_starts(model)},
      f_(model.bodies.size()),
      scratch_(model.bodies.size()) {
  const auto rows = static_cast<std::size_t>(row_count());
  lambda.resize(rows);
  b_.resize(rows);
  extra_.resize(rows);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (prescribes_velocity(model, model.joints[j])) driven_.emplace_back(j);
}

ConstraintSystem& Dynamics::system() {
  if (!joints_.system) {
    const Joints::ToCome& of = *joints_.to_come;
    const Kinematics kinematics = kinematics_at(*model_, *of.initial);
    joints_.system = make_constraint_system(*model_, of.solver, of.threads, &kinematics);
  }
  return *joints_.system;
}

bool Dynamics::accelerations(const State& state, double baumgarte, bool refactor, bool motion_only) {
  CATENA_ASSERT(state.bodies.size() == model_->bodies.size());
  for (auto* numbers : {&b_, &extra_, &lambda}) fill_unset(*numbers);
  fill_unset(f_);
  kinematics_.update(*model_, state);                             // R, M
  forces_.apply(*model_, kinematics_, coordinates_, f_, powers);  // F^ext
  ConstraintSystem& joints = system();
  if (refactor && !joints.factor(kinematics_)) return false;  // §7.3, §8.1
  joints.acceleration_rhs(kinematics_, b_);                   // −c
  if (baumgarte > 0) {
    joints.velocity_rhs(kinematics_, extra_);
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] += 2 * baumgarte * extra_[i];
    joints.position_rhs(kinematics_, extra_);
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] += baumgarte * baumgarte * extra_[i];
  }
  vdot.assign(f_.begin(), f_.end());
  const bool leaves_out = motion_only && driven_.empty() && joints.multipliers_cost_extra();
  joints.solve(b_, vdot, leaves_out ? std::span<double>() : std::span<double>(lambda));  // v̇, λ   §8.2
  return true;
}

void Dynamics::push(std::span<const BodyVector> load) {
  CATENA_ASSERT(load.size() == f_.size());
  for (std::size_t i = 0; i < f_.size(); ++i) f_[i] += load[i];
  vdot.assign(f_.begin(), f_.end());
  system().solve(b_, vdot, lambda);
}

Residual Dynamics::check() { return residual(*model_, kinematics_, rows_here(), f_, b_, vdot, lambda, scratch_); }

const RowSet& Dynamics::rows() {
  if (!rows_.set) rows_.set = std::make_unique<RowSet>(all_rows(*model_));
  if (rows_.at != kinematics_.stamp()) rows_.set->evaluate(*model_, kinematics_);
  rows_.at = kinematics_.stamp();
  return *rows_.set;
}

const RowSet& Dynamics::rows_here() {
  const RowSet* evaluated = joints_.system ? joints_.system->rows_at(kinematics_) : nullptr;
  return evaluated ? *evaluated : rows();
}

// What the force of a coupling moves along: its row's velocity, or that of the terms it pushes through.
double Dynamics::speed_of(const CouplingRow& row) const {
  const double time = kinematics_.state().time;
  if (row.equals) return row.equals->rate(time);
  if (row.through.empty()) return value(row.velocity, time);
  double speed = 0;
  for (const CouplingTerm& term : row.through) {
    const Mat3 R = term.body_frame ? kinematics_.R(term.body) : Mat3::identity();
    const BodyState& s = kinematics_.body(term.body);
    speed += dot(R * term.linear, s.velocity) + dot(R * term.angular, s.angular_velocity);
  }
  return speed;
}

double Dynamics::motor_power(std::span<const double> multipliers) const {
  double power = 0;
  for (const JointId id : driven_) {
    const Joint& joint = model_->joints[id];
    const JointExtras& extras = model_->extras_of(joint);
    auto row = static_cast<std::size_t>(row_start(id));
    if (joint.kind == JointKind::coupling) {
      for (const CouplingRow& coupling : extras.rows) power += multipliers[row++] * speed_of(coupling);
    } else if (extras.moves) {
      Rows rows;
      joint_rows(*model_, joint, kinematics_, rows);
      for (int i = 0; i < rows.count; ++i) power += multipliers[row++] * rows[i].u;
    } else if (extras.length) {
      power += multipliers[row] * extras.length->rate(kinematics_.state().time);
    } else {
      row += static_cast<std::size_t>(dimension(joint));
      power += multipliers[row] * value(extras.motor->velocity, kinematics_.state().time);
    }
  }
  return power;
}

Spatial Dynamics::reaction(JointId id) const {
  const Joint& joint = model_->joints[id];
  const auto first = static_cast<std::size_t>(row_start(id));
  BodyVector wrench;
  if (joint.kind == JointKind::coupling) {
    const std::vector<CouplingRow>& rows = model_->extras_of(joint).rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].terms.empty()) continue;  // over coordinates: it has no body of its own to push on
      const CouplingTerm& term = rows[i].through.empty() ? rows[i].terms.front() : rows[i].through.front();
      const Mat3 R = term.body_frame ? kinematics_.R(term.body) : Mat3::identity();
      wrench += lambda[first + i] * BodyVector{R * term.linear, R * term.angular, 0};
    }
    return wrench;
  }
  Rows rows;
  joint_rows(*model_, joint, kinematics_, rows);
  for (int i = 0; i < rows.count; ++i) wrench += lambda[first + static_cast<std::size_t>(i)] * rows[i].b;
  const Vec3 arm = attach(kinematics_[joint.b], joint.anchor_b).arm;
  return {wrench.linear, wrench.angular - cross(arm, wrench.linear)};
}

double Dynamics::kinetic_energy(const State& state) const {
  double energy = 0;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyState& s = state.bodies[i];
    if (const Body& body = model_->bodies[i]; changes_form(body.kind)) {
      if (body.kind == BodyKind::formed) energy += form_kinetic_energy(body, s, state.bodies[body.partner]);
      continue;
    }
    const MassBlock M = mass_block(model_->bodies[i], to_matrix(s.orientation), s.scale);
    energy += catena::kinetic_energy(M, restricted(model_->bodies[i].kind, velocity_of(s)));
  }
  Rows rows;
  for (const JointId id : rotors_) {
    joint_coordinates(model_->joints[id], state, rows);
    energy += rotor_energy(id, {rows.row.data(), static_cast<std::size_t>(rows.count)}, state);
  }
  return energy;
}

double Dynamics::rotor_energy(JointId id, std::span<const Row> coordinates, const State& state) const {
  const Joint& joint = model_->joints[id];
  const auto motion = [&](BodyId body) { return body.valid() ? velocity_of(state.bodies[body]) : BodyVector{}; };
  double energy = 0;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const double speed = velocity(coordinates[k], motion(joint.a), motion(joint.b));
    energy += energy_of_rotor(*model_, joint, static_cast<int>(k), speed);
  }
  return energy;
}

double Dynamics::kinetic_energy() const {
  double energy = 0;
  for (std::size_t i = 0; i < model_->bodies.size(); ++i) {
    const BodyId body(i);
    energy += catena::kinetic_energy(kinematics_.M(body),
                                     restricted(model_->bodies[i].kind, velocity_of(kinematics_.body(body))));
  }
  for (const JointId id : rotors_) {
    const Joint& joint = model_->joints[id];
    for (int k = 0; k < coordinate_count(joint); ++k)
      energy += energy_of_rotor(*model_, joint, k, coordinates_.at(*model_, kinematics_, id, k).rate);
  }
  return energy;
}

void Dynamics::count_rotors() {
  rotors_.clear();
  for (std::size_t j = 0; j < model_->joints.size(); ++j)
    if (has_armature(*model_, model_->joints[j])) rotors_.emplace_back(j);
}

// Of weight alone it needs no kinematics.
double Dynamics::energy(const State& state) {
  kinematics_.update(*model_, state);
  const double kinetic = kinematics_.has_forms() ? kinetic_energy(state) : kinetic_energy();
  if (!forces_.constant(*model_, state.time, state.time)) return kinetic + potential_energy(state);
  double potential = 0;
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    potential -= model_->bodies[i].mass * dot(model_->gravity, state.bodies[i].position);
  return kinetic + potential;
}

double Dynamics::potential_energy(const State& state) {
  kinematics_.update(*model_, state);
  return forces_.potential(*model_, kinematics_, coordinates_);
}

}  // namespace catena
