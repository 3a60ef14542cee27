#include "catena/mechanism/maximal_flight.h"

#include <algorithm>

#include "catena/joints/row_rhs.h"

namespace catena {
namespace {

// The joints some row of which is not holonomic.
std::vector<JointId> velocity_joints(const Model& model, const Kinematics& kinematics) {
  RowSet rows = all_rows(model);
  rows.evaluate(model, kinematics);
  std::vector<JointId> joints;
  for (std::size_t i = 0; i < rows.holonomic.size(); ++i)
    if (!rows.holonomic[i] && (joints.empty() || joints.back() != rows.joint_of[i])) joints.push_back(rows.joint_of[i]);
  return joints;
}

bool prescribes_some_velocity(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [&](const Joint& joint) { return prescribes_velocity(model, joint); });
}

}  // namespace

MaximalFlight::MaximalFlight(Dynamics& dynamics, Projection& projection, FactoredJoints& factored, Integrator rule,
                             const Tuning& tuning)
    : Flight(dynamics),
      projection_(&projection),
      factored_(&factored),
      mechanism_(dynamics, projection, {.tuning = tuning.joints}),
      flight_(dynamics.model(), rule, tuning.impulse.fast_top),
      velocity_rows_{RowSet(dynamics.model(), velocity_joints(dynamics.model(), dynamics.kinematics())),
                     RowSet(dynamics.model(), velocity_joints(dynamics.model(), dynamics.kinematics()))},
      drives_(prescribes_some_velocity(dynamics.model())),
      zero_(static_cast<std::size_t>(dynamics.row_count())) {}

// Where the last part of a step has left the kinematics they are those of the state already.
void MaximalFlight::place(State& state) {
  if (kinematics().stamp() != stamp_ || &kinematics().state() != &state) kinematics().update(model(), state);
  stamp_ = kinematics().stamp();
}

void MaximalFlight::start(double h, std::span<const BodyVector> f) {
  if (velocity_rows_.begin.rows() > 0) velocity_rows_.begin.evaluate(model(), kinematics());
  flight_.start(kinematics(), f, h);
}

void MaximalFlight::find_positions(const VelocityChange& dv, State& out) {
  flight_.positions(dv.bodies, out.bodies);
  kinematics().update_rotations(out);
}

void MaximalFlight::arrive(State& predicted, State& state) {
  state.bodies.swap(predicted.bodies);
  factored_->forget();
}

void MaximalFlight::mean_gaps(double h, const VelocityChange& dv, const State& state, State& predicted,
                              std::span<double> b) {
  if (velocity_rows_.begin.rows() == 0) return;
  find_velocities(dv, predicted);
  velocity_rows_.end.evaluate(model(), kinematics());
  std::size_t row = 0;
  for (const JointId joint : velocity_rows_.begin.joints) {
    const int first = dynamics_->row_start(joint), count = row_count(model(), model().joints[joint]);
    for (int i = 0; i < count; ++i, ++row)
      if (!velocity_rows_.begin.holonomic[row])
        b[static_cast<std::size_t>(first + i)] =
            0.5 * h * lacking_at_both_ends(velocity_rows_.begin, velocity_rows_.end, row, state, dv, predicted);
  }
}

void MaximalFlight::solve(std::span<const double> b, VelocityChange& y, std::span<double> x) {
  y.clear();
  dynamics_->system().solve(b, y.bodies, x);
}

// Where it all acts on bodies without joints, they answer by themselves.
void MaximalFlight::respond(const LawRows& laws, const solve::Vector& z, VelocityChange& dv) {
  dv.clear();
  bool held = false;
  const auto pushes = [&](const LawBlock& block) { return !(z.segment(block.first, block.size).array() == 0).all(); };
  for (const LawBlock& block : laws.blocks) {
    if (!pushes(block)) continue;
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(laws, block, laws.rows[static_cast<std::size_t>(i)], z[i], dv.bodies);
    held = held || mechanism_.is_held(block.a) || mechanism_.is_held(block.b);
  }
  if (held) return dynamics_->system().solve(zero_, dv.bodies, {});
  pushed_.clear();
  for (const LawBlock& block : laws.blocks)
    for (const LawSide& side : sides_of(block))
      if (side.body.valid() && pushes(block)) pushed_.push_back(side.body);
  std::sort(pushed_.begin(), pushed_.end());
  pushed_.erase(std::unique(pushed_.begin(), pushed_.end()), pushed_.end());
  for (const BodyId body : pushed_)
    dv.bodies[body] = inverse_times(model().bodies[body].kind, kinematics().M(body), dv.bodies[body]);
}

void MaximalFlight::respond_freely(std::span<const BodyVector> p, VelocityChange& dv) {
  for (std::size_t i = 0; i < p.size(); ++i)
    dv.bodies[i] = inverse_times(model().bodies[i].kind, kinematics().M(BodyId(i)), p[i]);
}

void MaximalFlight::add(const VelocityChange& dv, State& state) {
  for (std::size_t i = 0; i < dv.bodies.size(); ++i)
    add_velocity(model().bodies[i].kind, dv.bodies[i], state.bodies[i]);
}

void MaximalFlight::remember_angles(State& state) {
  dynamics_->coordinates().remember(model(), kinematics(), state);
  stamp_ = kinematics().stamp();
}

}  // namespace catena
