// velocity_method.h: what a step has done, in the ledger, as contact forces and as impacts.
#include <algorithm>
#include <cmath>

#include "catena/constraint/basic_rows.h"
#include "catena/mechanism/step_energy.h"
#include "catena/step/velocity_method.h"

namespace catena {

// Impulses work with the mean of the velocities before and after, exactly.
void VelocityMethod::book(State& state) {
  const LawRows& laws = active_.rows();
  Ledger& ledger = state.ledger;
  const int first = mechanism_->first_row();
  energies_.work = 0;
  for (const LawBlock& block : laws.blocks) {
    if (block.kind == LawKind::inertia) continue;
    double& account = block.kind == LawKind::motor ? ledger.motors : ledger.contacts;
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      const double work =
          0.5 * solver_.solution.z[first + i] * (row.speed + times(laws, block, row, mechanism_->motion()));
      account += work;
      energies_.work += work;
    }
  }
  const double motors = mechanism_->motor_work();
  ledger.motors += motors;
  energies_.work += motors;
  for (std::size_t i = 0; i < f_.size(); ++i)
    energies_.work += work_over(part_.h, f_[i], mechanism_->before()[i], mechanism_->motion()[i]);
  const std::span<const double> rates = mechanism_->rates_before(), after = mechanism_->rates_after();
  for (std::size_t i = 0; i < loads_.tau.size(); ++i)
    energies_.work += work_over(part_.h, loads_.tau[i], rates[i], after[i]);
  if (!impedance_.empty())
    energies_.work += impedance_.book({mechanism_->before(), rates}, {mechanism_->motion(), after}, ledger);
  dynamics().forces().book(model(), dynamics().kinematics(), dynamics().coordinates(), part_.h, mechanism_->before(),
                           mechanism_->motion(), loads_, after, ledger);
}

// Takes what the step of h from `before` has gained out of the velocities of all bodies. Where they have not as much, its motion is cut until
// it gains nothing, or there is none.
void VelocityMethod::give_nothing(double h, const State& before, State& state) {
  const double gained = context_.kept_energy(state) - energies_.at_start, kinetic = dynamics().kinetic_energy(state);
  if (!(gained > 0)) return;
  const auto slow_down = [](double scale, BodyState& body) {
    body.velocity = scale * body.velocity;
    body.angular_velocity = scale * body.angular_velocity;
    body.scale_velocity *= scale;
  };
  if (gained < kinetic) {
    for (BodyState& body : state.bodies) slow_down(std::sqrt(1 - gained / kinetic), body);
    state.ledger.numerical -= gained;
    mechanism_->place(state);
    return;
  }
  const double at_start = dynamics().kinetic_energy(before) + dynamics().potential_energy(before);
  const std::vector<BodyState> moved = state.bodies;
  double now = 0;
  for (int halvings = 1; halvings <= tuning().most_shortenings + 1; ++halvings) {
    const double part = halvings <= tuning().most_shortenings ? std::ldexp(1.0, -halvings) : 0;
    state.bodies = before.bodies;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      BodyState& body = state.bodies[i];
      body.velocity = moved[i].velocity;
      body.angular_velocity = moved[i].angular_velocity;
      body.scale_velocity = moved[i].scale_velocity;
      slow_down(part, body);
      displace(model().bodies[i].kind, h * velocity_of(body), body);
    }
    mechanism_->place(state);
    if (part > 0) mechanism_->close(state);
    now = mechanism_->energy().total();
    if (now <= at_start) break;
  }
  state.ledger = before.ledger;
  state.ledger.numerical += now - at_start;
}

// Rotors are inertia at any moment, springs and dampers only over a step.
bool VelocityMethod::evaluate(const State& state) {
  if (!impedance_.empty()) {
    dynamics().kinematics().update(model(), state);
    impedance_.evaluate(model(), dynamics().kinematics(), dynamics().coordinates(), dynamics().forces(), 0, 0.5);
    dynamics().system().set_freedom_inertia(impedance_.inertia());
    context_.factored.forget();
  }
  return evaluate_with(context_.load, state);
}

void VelocityMethod::report_contacts() {
  context_.contacts.drop_part();
  std::fill(context_.load.begin(), context_.load.end(), BodyVector{});
  const LawRows& laws = active_.rows();
  const solve::Vector& z = solver_.solution.z;
  const int first = mechanism_->first_row();
  const double h = part_.h;
  for (const LawBlock& block : laws.blocks) {
    std::array<double, 3> force{};
    std::array<double, 2> slip{};
    for (int i = 0; i < block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(block.first + i)];
      const double pushed = z[first + block.first + i] / h;
      // Implicit springs and servos correct what they push with by such rows; at the state after the step they need no correction.
      if (block.kind != LawKind::inertia) add_force(laws, block, row, pushed, context_.load);
      if (block.kind != LawKind::contact) continue;
      force[static_cast<std::size_t>(i)] = pushed;
      if (i > 0) slip[static_cast<std::size_t>(i - 1)] = times(laws, block, row, mechanism_->motion());
    }
    if (block.kind != LawKind::contact) continue;
    context_.contacts.add(*context_.laws, block, force, slip);
  }
  report().residual = std::max(report().residual, mechanism_->residual(h, f_, laws, z));
}

// What met fast in a step that is not cut, and was stopped or left with e times its speed.
void VelocityMethod::list_swept_impacts(const State& state) {
  const LawRows& laws = active_.rows();
  const std::size_t known = context_.impacts.list().size();
  for (const LawBlock& block : laws.blocks) {
    const LawRow& row = laws.rows[static_cast<std::size_t>(block.first)];
    if (is_unilateral(block) && row.speed < -settings().restitution_threshold &&
        solver_.solution.z[mechanism_->first_row() + block.first] > 0 && mechanism_->first_row() == 0)
      context_.impacts.add(
          impact_of(block, laws, *context_.laws, solver_.solution.z, mechanism_->change(), state.time));
  }
  if (context_.impacts.list().size() > known) ++report().impacts;
}

}  // namespace catena
