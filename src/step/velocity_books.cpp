// velocity_stepper.h: what a step has done, in the ledger, as contact forces and as impacts.
#include <algorithm>
#include <cmath>

#include "catena/constraint/basic_rows.h"
#include "catena/step/velocity_stepper.h"

namespace catena {
namespace {

bool is_same_feature(const Contact& x, const Contact& y) {
  return x.a == y.a && x.b == y.b && x.shape_a == y.shape_a && x.shape_b == y.shape_b && x.feature == y.feature;
}

}  // namespace

// Impulses work with the mean of the velocities before and after, exactly.
void VelocityStepper::book(State& state) {
  const LawRows& laws = active_.rows();
  Ledger& ledger = state.ledger;
  const int first = mechanism_->first_row();
  work_ = 0;
  for (const LawBlock& block : laws.blocks) {
    if (block.kind == LawKind::inertia) continue;
    double& account = block.kind == LawKind::motor ? ledger.motors : ledger.contacts;
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      const double work = 0.5 * solver_.solution.z[first + i] * (row.speed + times(block, row, mechanism_->motion()));
      account += work;
      work_ += work;
    }
  }
  const double motors = mechanism_->motor_work();
  ledger.motors += motors;
  work_ += motors;
  for (std::size_t i = 0; i < f_.size(); ++i)
    work_ += 0.5 * part_.h * dot(f_[i], mechanism_->before()[i] + mechanism_->motion()[i]);
  if (!impedance_.empty()) work_ += impedance_.book(mechanism_->before(), mechanism_->motion(), ledger);
  dynamics_.forces().book(*model_, dynamics_.kinematics(), dynamics_.coordinates(), part_.h, mechanism_->before(),
                          mechanism_->motion(), ledger);
}

// Takes what the step of h has gained, above `before`, out of the velocities of all bodies. Where they have not as much, its motion is cut until
// it gains nothing, or there is none.
void VelocityStepper::give_nothing(double before, double h, State& state) {
  const double gained = kept_energy(state) - before, kinetic = dynamics_.kinetic_energy(state);
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
  const double at_start = dynamics_.kinetic_energy(before_) + dynamics_.potential_energy(before_);
  const std::vector<BodyState> moved = state.bodies;
  double now = 0;
  for (int halvings = 1; halvings <= tuning_.most_shortenings + 1; ++halvings) {
    const double part = halvings <= tuning_.most_shortenings ? std::ldexp(1.0, -halvings) : 0;
    state.bodies = before_.bodies;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      BodyState& body = state.bodies[i];
      body.velocity = moved[i].velocity;
      body.angular_velocity = moved[i].angular_velocity;
      body.scale_velocity = moved[i].scale_velocity;
      slow_down(part, body);
      displace(model_->bodies[i].kind, h * velocity_of(body), body);
    }
    mechanism_->place(state);
    if (part > 0) mechanism_->close(state);
    now = mechanism_->energy().total();
    if (now <= at_start) break;
  }
  state.ledger = before_.ledger;
  state.ledger.numerical += now - at_start;
}

// Rotors are inertia at any moment, springs and dampers only over a step.
bool VelocityStepper::evaluate_here(const State& state) {
  if (!impedance_.empty()) {
    dynamics_.kinematics().update(*model_, state);
    impedance_.evaluate(*model_, dynamics_.kinematics(), dynamics_.coordinates(), dynamics_.forces(), 0, 0.5);
    dynamics_.system().set_freedom_inertia(impedance_.inertia());
    factored_ = false;
  }
  return evaluate_with(load_, state);
}

void VelocityStepper::report_contacts() {
  part_forces_.clear();
  std::fill(load_.begin(), load_.end(), BodyVector{});
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
      if (block.kind != LawKind::inertia) add_force(block, row, pushed, load_);
      if (block.kind != LawKind::contact) continue;
      force[static_cast<std::size_t>(i)] = pushed;
      if (i > 0) slip[static_cast<std::size_t>(i - 1)] = times(block, row, mechanism_->motion());
    }
    if (block.kind != LawKind::contact) continue;
    part_forces_.push_back(contact_force(laws_.contacts()[static_cast<std::size_t>(block.source)],
                                         laws_.tangents(block), block.friction, block.shift, force, slip));
  }
  report_.residual = std::max(report_.residual, mechanism_->residual(h, f_, laws, z));
}

// The forces of a contact are its impulses over the whole step, those of its parts and of impacts together. `share`: of the step that
// the last part took.
void VelocityStepper::merge_contacts(double share) {
  if (share == 1 && forces_.empty()) {
    forces_.swap(part_forces_);
    return;
  }
  for (ContactForce& force : part_forces_) {
    const Vec3 part = share * force.force;
    const auto same = [&](const ContactForce& f) { return is_same_feature(f.contact, force.contact); };
    const auto known = std::find_if(forces_.begin(), forces_.end(), same);
    const Vec3 total = part + (known != forces_.end() ? known->force : Vec3{});
    force.force = total;
    force.normal = dot(total, force.contact.normal);
    force.tangential = {dot(total, force.tangent), dot(total, cross(force.contact.normal, force.tangent))};
    if (known != forces_.end()) *known = force;
    else forces_.push_back(force);
  }
  part_forces_.clear();
}

void VelocityStepper::add_impacts(std::size_t from, double h) {
  for (std::size_t k = from; k < impacts_.list().size(); ++k) {
    const Impact& impact = impacts_.list()[k];
    if (impact.joint.valid()) continue;
    ContactForce force;
    force.contact = impact.contact;
    force.force = (1 / h) * impact.impulse;
    force.normal = impact.normal / h;
    force.tangent = frame_along(impact.contact.normal).column(0);
    force.tangential = {dot(force.force, force.tangent), dot(force.force, cross(impact.contact.normal, force.tangent))};
    force.state = ContactForce::State::stick;
    const auto known = std::find_if(forces_.begin(), forces_.end(),
                                    [&](const ContactForce& f) { return is_same_feature(f.contact, force.contact); });
    if (known != forces_.end()) known->force += force.force, known->normal += force.normal;
    else forces_.push_back(force);
  }
}

// What met fast in a step that is not cut, and was stopped or left with e times its speed.
void VelocityStepper::list_swept_impacts(const State& state) {
  const LawRows& laws = active_.rows();
  const std::size_t known = impacts_.list().size();
  for (const LawBlock& block : laws.blocks) {
    const LawRow& row = laws.rows[static_cast<std::size_t>(block.first)];
    if (is_unilateral(block) && row.speed < -settings_.restitution_threshold &&
        solver_.solution.z[mechanism_->first_row() + block.first] > 0 && mechanism_->first_row() == 0)
      impacts_.add(impact_of(block, laws, laws_, solver_.solution.z, mechanism_->change(), state.time));
  }
  if (impacts_.list().size() > known) ++report_.impacts;
}

}  // namespace catena
