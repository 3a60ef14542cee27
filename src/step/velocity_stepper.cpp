#include "catena/step/velocity_stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/constraint/basic_rows.h"
#include "catena/mechanism/maximal_mechanism.h"
#include "catena/mechanism/reduced_mechanism.h"
#include "catena/model/mechanisms.h"
#include "catena/step/warm_start.h"

namespace catena {
namespace {

// Whether joints hold bodies so different in mass that the light ones may swing faster than steps can follow.
bool has_uneven_joints(const Model& model, double ratio) {
  if (model.joints.empty() || model.bodies.empty()) return false;
  const auto [light, heavy] = std::minmax_element(model.bodies.begin(), model.bodies.end(),
                                                  [](const Body& a, const Body& b) { return a.mass < b.mass; });
  return heavy->mass > ratio * light->mass;
}

// Whoever makes a stepper has decided what `auto` means (simulation/choose_method.h).
bool is_reduced(const Settings& settings) { return settings.coordinates == Coordinates::reduced; }

std::unique_ptr<Mechanism> make_mechanism(const Settings& settings, const VelocityTuning& tuning, double size,
                                          bool always, Dynamics& dynamics, Projection& projection) {
  if (is_reduced(settings)) return std::make_unique<ReducedMechanism>(dynamics, size, !Formulations::needed(settings));
  const bool sweep_joints = settings.method == Method::spook && settings.law_solver == LawSolver::gauss_seidel;
  return std::make_unique<MaximalMechanism>(
      dynamics, projection,
      MaximalMechanism::Options{.sweep_joints = sweep_joints,
                                .project = settings.stabilise == Stabilisation::projection,
                                .pull = always,
                                .geometric_stiffness = has_uneven_joints(dynamics.model(), tuning.mass_ratio),
                                .relaxation = tuning.relaxation});
}

}  // namespace

VelocityStepper::VelocityStepper(const Model& model, const State& initial, const Settings& settings, bool always)
    : LawlessModel(model),
      Stepper(lawless, initial, Formulations::adjusted(settings)),
      always_(always),
      midpoint_(settings.integrator != Integrator::euler && !has_soft_joints(model)),
      mechanism_(make_mechanism(settings_, tuning_, mechanism_size(lawless, initial), always, dynamics_, projection_)),
      formulations_(Formulations::needed(settings_) ? std::make_unique<Formulations>(lawless, settings_) : nullptr),
      laws_(model, dynamics_.kinematics(), settings.contact_margin),
      active_(tuning_, settings.restitution_threshold),
      solver_(tuning_, settings_),
      impacts_(lawless, settings.restitution_threshold, settings.contact_tolerance),
      overlaps_(tuning_),
      impedance_(
          lawless, [this](JointId joint) { return mechanism_->carries_inertia(joint); }, tuning_.softest_spring),
      size_(mechanism_size(lawless, initial)),
      before_part_(initial),
      f_(model.bodies.size()),
      load_(f_.size()),
      mechanism_of_(mechanisms(lawless)),
      by_mean_(f_.size()) {
  if (is_reduced(settings_) && has_grain(model))
    throw InputError(
        "friction differs forward and backward: joint coordinates do not do that; spook in maximal ones does");
  factors_ = false;
  laws_.share(dynamics_.coordinates());
  dynamics_.count_rotors();
  damps_ =
      !midpoint_ || !impedance_.empty() || (!is_reduced(settings_) && has_uneven_joints(lawless, tuning_.mass_ratio));
  flies_ = settings_.integrator == Integrator::automatic && !damps_ && !is_reduced(settings_);
}

VelocityStepper::~VelocityStepper() = default;

// The parts of a step: all of it, or up to a meeting and on from there.
void VelocityStepper::move(double h, State& state) {
  impacts_.clear();
  forces_.clear();
  solver_.gave_up = 0;
  mechanism_->place(state);
  energy_scale_ = weight_times_size_ + mechanism_->energy().kinetic;
  const double kept = always_ ? kept_energy(state) : 0;
  double left = h, most = h;
  for (int count = 0; left > 0 && report_.ok(); ++count) {
    find_laws(left);
    const int rows = static_cast<int>(laws_.rows().rows.size());
    part_ = {.whole = settings_.step, .swept = solver_.sweeps(rows)};
    part_.cut = !part_.swept && count < most_cuts(rows);
    report_.swept += part_.swept && !laws_.contacts().empty() ? 1 : 0;
    const std::size_t known = impacts_.list().size();
    if (part_.cut && collide(state)) find_laws(left);
    add_impacts(known, h);
    active_.note_starts(laws_);
    overlaps_.note_start(laws_.rows());
    before_part_ = state;
    energy_before_part_ = mechanism_->energy();
    kinetic_ = energy_before_part_.kinetic;
    const double length = std::min({left, most, count < tuning_.most_cuts ? time_to_pass(left) : left});
    const bool flies = flies_ && part_.cut && is_flight(length);
    mechanism_->answer_directly(flies);
    const double done = flies ? fly(length, state) : advance(length, state);
    if (!report_.ok()) return;
    left -= done;
    if (left < tuning_.shortest_part * h) {
      state.time += left;
      left = 0;
    }
    const double booked = before_part_.ledger.contacts - state.ledger.contacts;
    const Closing closing = mechanism_->close(state);
    mechanism_->answer_directly(false);
    const double gain = mechanism_->energy().total() - energy_after_move_;
    if (is_refused(closing, gain, state)) {
      if (!report_.ok()) return;
      left += done;
      most = done / 2;
      continue;
    }
    merge_contacts(done / h);
    state.ledger.projection += gain;
    report_.drift_position = std::max(report_.drift_position, closing.position);
    report_.drift_angle = std::max(report_.drift_angle, closing.angle);
    separate(left > 0 ? left : h, booked, state);
  }
  finish(state);
  if (always_) give_nothing(kept, h, state);
}

// Whether the part just taken is to be taken again in halves: its joints could not be closed, or it gained energy by closing them (`gain`) and
// by its integration. At the last halving it has failed instead. The state is then back at the start of the part.
bool VelocityStepper::is_refused(const Closing& closing, double gain, State& state) {
  if (always_) return false;
  const bool last = report_.halvings == tuning_.most_halvings;
  const double change = part_.swept ? 0 : state.ledger.numerical - before_part_.ledger.numerical;
  const double total = part_.swept ? 0
                                   : mechanism_->energy().total() - energy_before_part_.total() -
                                         work_done(state.ledger) + work_done(before_part_.ledger);
  // Who asks for euler has its energy swing by as much as first order makes it. Integration that damps on purpose may lose energy;
  // otherwise a loss is as much an error as a gain, and taken only at the last halving.
  const bool first_order = settings_.integrator == Integrator::euler;
  const double error = first_order ? change : damps_ || last ? total : std::max(std::abs(change), total);
  const bool gains = gain > tuning_.closing_gain * energy_scale_ ||
                     error > tuning_.motion_gain * std::max(energy_scale_, force_scale());
  if (closing.closed && (!gains || (last && (first_order || !has_other())))) return false;
  if (last && !closing.closed) could_not_close(closing, state);
  else if (last)
    fail(Status::not_converged, fmt::format("t = {}: the step gains {:.3g} J", state.time, std::max(gain, total)));
  ++report_.halvings;
  state = before_part_;
  mechanism_->place(state);
  return true;
}

// How long the part may be so that bodies that would be past each other at the end of the step are met in the middle of it.
double VelocityStepper::time_to_pass(double left) {
  return std::max(laws_.time_to_pass(dynamics_.kinematics(), left), tuning_.shortest_part * settings_.step);
}

// What the forces of the part could do over the size of the mechanism: without gravity and motion there is no other scale of energy, and
// rounding would count as an error.
double VelocityStepper::force_scale() const {
  double scale = 0;
  for (const BodyVector& force : f_) scale += size_ * norm(force.linear) + norm(force.angular);
  return scale;
}

void VelocityStepper::could_not_close(const Closing& closing, const State& state) {
  fail(Status::not_converged,
       fmt::format("t = {}: joint '{}' could not be closed: {:.3g} m, {:.3g} rad are left; try a shorter step",
                   state.time, model_->joints[closing.worst].name, closing.position, closing.angle));
}

// Where many laws have to be solved for, steps are cut less often.
int VelocityStepper::most_cuts(int rows) const {
  if (settings_.contacts == ContactMode::exact) return tuning_.most_cuts;
  return std::clamp(tuning_.cut_rows / (rows + 1), tuning_.least_cuts, tuning_.most_cuts);
}

// At the state of the kinematics, once.
void VelocityStepper::find_laws(double ahead) {
  if (found_ == dynamics_.kinematics().stamp()) return;
  laws_.find(dynamics_.kinematics(), ahead);
  found_ = dynamics_.kinematics().stamp();
}

// Applies the impacts of bodies that touch and approach faster than the threshold, before the step continues.
bool VelocityStepper::collide(State& state) {
  if (!impacts_.meeting(laws_, settings_.restitution_threshold)) return false;
  impedance_.evaluate(*model_, dynamics_.kinematics(), dynamics_.coordinates(), dynamics_.forces(), 0, 0.5);
  mechanism_->answer_directly(true);
  mechanism_->factor(impedance_.inertia());
  impacts_.throw_back(
      laws_, *mechanism_, settings_.facets,
      [&](const solve::Problem& problem) {
        solver_.answer(problem, solver_.sweeps(problem.size()), false);
        return solver_.solution;
      },
      state, report_);
  mechanism_->answer_directly(false);
  return true;
}

// A part of h or, where it may be cut, to where bodies meet that come together fast. Returns its length.
double VelocityStepper::advance(double h, State& state) {
  // Bodies that meet where the part will not be cut must not be past each other at its middle.
  part_.middle = midpoint_ && (part_.cut || !active_.any_will_meet(laws_.rows(), h));
  for (int tries = 0;; ++tries) {
    part_.h = h;
    if (!prepare(state) || !solve_velocities(state)) return h;
    const bool may_cut = part_.cut && tries < tuning_.most_tries;
    const double meeting = may_cut ? active_.time_of_meeting(laws_.rows(), part_, mechanism_->motion()) : h;
    if (meeting >= (1 - 1e-9) * h) break;
    h = std::max(meeting, tuning_.shortest_part * settings_.step);
    if (!part_.middle) mechanism_->place(state);
  }
  book(state);
  report_contacts();
  if (part_.swept) {
    list_swept_impacts(state);
    find_mean_movers();
  }
  take(state);
  remember(active_.rows(), h, solver_.solution.z, mechanism_->first_row(), state);
  return h;
}

// Moves the state by the part. Inertias turn with their bodies, which the equations at one set of positions do not know: what that makes of
// the energy is the integration's own.
void VelocityStepper::take(State& state) {
  mechanism_->move(part_.h, part_.middle, part_.swept ? std::span<const char>(by_mean_) : std::span<const char>(),
                   state);
  const Mechanism::Energy& after = mechanism_->energy();
  energy_after_move_ = after.total();
  state.ledger.numerical += after.kinetic - kinetic_ - work_;
  kinetic_ = after.kinetic;
}

// Nothing touches or rests within what it closes in h at the speed below which meetings are no impacts, and no joint has friction, a motor of
// limited force or compliance. What rests a little above something would meet it again in every step, too slowly for an impact: laws hold it.
bool VelocityStepper::is_flight(double h) const {
  const LawRows& laws = laws_.rows();
  const double slow = settings_.restitution_threshold;
  return std::all_of(laws.blocks.begin(), laws.blocks.end(), [&](const LawBlock& block) {
    const double speed = laws.rows[static_cast<std::size_t>(block.first)].speed;
    const double near = std::abs(speed) <= slow ? std::max(tuning_.touching, h * slow) : tuning_.touching;
    return is_unilateral(block) && (block.gap > near || speed > slow);
  });
}

// A part in which nothing touches, of fourth order: the midpoint step is symmetric, so three of them, of lengths γ h, (1 − 2γ) h and γ h with
// γ = 1/(2 − 2^⅓), cancel its error of third order (Yoshida). It ends where the first pair meets, found by Newton's method on its gap.
double VelocityStepper::fly(double h, State& state) {
  const double gamma = 1 / (2 - std::cbrt(2.0)), whole = h;
  std::uint64_t pair = 0;  // the first to meet
  for (int tries = 0;; ++tries) {
    for (const double share : {gamma, 1 - 2 * gamma, gamma}) {
      part_.h = share * h;
      part_.middle = true;
      if (!prepare(state)) return h;
      active_.rows().clear();
      book(state);
      take(state);
      mechanism_->place(state);
    }
    state.time = before_part_.time + h;
    find_laws(0);
    const double late = active_.time_since_meeting(laws_.rows(), pair);
    if (late == 0 || tries == tuning_.most_tries) break;
    h = std::clamp(h - late, tuning_.shortest_part * settings_.step, whole);
    state = before_part_;
    mechanism_->place(state);
    kinetic_ = energy_before_part_.kinetic;
  }
  state.impulses.clear();
  part_forces_.clear();
  std::fill(load_.begin(), load_.end(), BodyVector{});
  return h;
}

// Where the part's forces, joints and laws are taken, and the motion without laws.
bool VelocityStepper::prepare(const State& state) {
  const double h = part_.h;
  if (part_.middle) {
    mechanism_->look_ahead(h / 2, state);
    find_laws(h);
  }
  Powers powers;
  dynamics_.forces().external(*model_, dynamics_.kinematics(), dynamics_.coordinates(), f_, powers);
  if (!impedance_.empty())
    impedance_.evaluate(*model_, dynamics_.kinematics(), dynamics_.coordinates(), dynamics_.forces(), h,
                        part_.middle ? 0.5 : 1);
  if (!mechanism_->factor(impedance_.inertia())) {
    fail(Status::singular);
    return false;
  }
  mechanism_->free_motion(h, part_.middle, f_);
  if (part_.middle && !mechanism_->refine(h)) {
    fail(Status::singular);
    return false;
  }
  return true;
}

bool VelocityStepper::solve_velocities(const State& state) {
  active_.gather(laws_.rows(), part_, *mechanism_);
  LawRows& laws = active_.rows();
  if (impedance_.has_rows()) {
    const std::size_t first = laws.blocks.size();
    impedance_.append_rows(laws);
    for (std::size_t k = first; k < laws.blocks.size(); ++k) {
      LawRow& row = laws.rows[static_cast<std::size_t>(laws.blocks[k].first)];
      row.target = row.speed = times(laws.blocks[k], row, mechanism_->before());
    }
  }
  solver_.solution.certificate = {};
  const bool nothing = laws.blocks.empty() && mechanism_->first_row() == 0 && !formulations_;
  if (nothing) return true;
  mechanism_->assemble(laws, settings_.facets);
  active_.set_normal_targets(part_, *mechanism_);
  active_.set_slip_targets(laws_, part_);
  if (!solve_laws(state)) return false;
  if (part_.middle && contacts_change_spin()) {
    if (!mechanism_->refine(part_.h)) return false;
    if (!solve_laws(state)) return false;
  }
  if (part_.middle && !part_.swept && active_.aim_at_mean_slips(mechanism_->motion())) {
    if (!solve_laws(state)) return false;
    if (active_.release_ended_slips(mechanism_->motion()) && !solve_laws(state)) return false;
  }
  if (part_.swept || active_.work(solver_.solution.z, mechanism_->first_row(), mechanism_->motion()) <=
                         tuning_.no_work * energy_scale_)
    return true;
  active_.aim_at_means();
  return solve_laws(state);
}

bool VelocityStepper::solve_laws(const State& state) {
  LawRows& laws = active_.rows();
  solve::Solution& solution = solver_.solution;
  if (formulations_) {
    formulations_->solve(part_.h, static_cast<ReducedMechanism&>(*mechanism_), laws, f_, solver_);
  } else {
    const int first = mechanism_->first_row();
    mechanism_->load(laws);
    solution.z.setZero(mechanism_->problem().size());
    recall(laws, part_.h, state, solution.z.tail(static_cast<Eigen::Index>(laws.rows.size())));
    solve::Problem& problem = mechanism_->problem();
    solver_.solve(problem, problem.blocks, laws, first, part_.swept || first > 0, true);
    if (solution.z.allFinite()) mechanism_->answer(laws, solution.z);
  }
  report_.complementarity = std::max(report_.complementarity, solution.certificate.residual);
  report_.fallbacks = std::max(report_.fallbacks, solution.certificate.fallbacks);
  if (solution.z.allFinite()) return true;
  fail(Status::diverged, fmt::format("t = {}: the contact problem has no finite answer", state.time));
  return false;
}

// Whether the laws change the velocities so that gyroscopic forces on the mean of the step are others than predicted without them.
bool VelocityStepper::contacts_change_spin() const {
  return mechanism_->gyration_change(part_.h) > tuning_.spin_tolerance;
}

// Mechanisms that nothing presses on fly by the mean of their velocities, which is of second order.
void VelocityStepper::find_mean_movers() {
  std::vector<char>& pressed = by_mean_;
  std::fill(pressed.begin(), pressed.end(), 0);
  const LawRows& laws = active_.rows();
  for (const LawBlock& block : laws.blocks)
    for (const BodyId body : {block.a, block.b})
      if (body.valid() && solver_.solution.z[mechanism_->first_row() + block.first] != 0)
        pressed[static_cast<std::size_t>(mechanism_of_[body])] = 1;
  for (std::size_t i = by_mean_.size(); i-- > 0;)
    if (static_cast<std::size_t>(mechanism_of_[i]) != i)
      by_mean_[i] = part_.middle || !pressed[static_cast<std::size_t>(mechanism_of_[i])] ? 1 : 0;
  for (std::size_t i = 0; i < by_mean_.size(); ++i)
    if (static_cast<std::size_t>(mechanism_of_[i]) == i) by_mean_[i] = part_.middle || !pressed[i] ? 1 : 0;
}

// Shapes that overlap are moved apart; joints are closed again after that.
void VelocityStepper::separate(double next, double taken, State& state) {
  const auto find = [&] { find_laws(next); };
  find();
  if (overlaps_.separate(laws_, find, part_.h, taken + tuning_.no_energy * energy_scale_, part_.swept, *mechanism_,
                         solver_, state)) {
    const double before = mechanism_->energy().total();
    const Closing closing = mechanism_->close(state);
    state.ledger.projection += mechanism_->energy().total() - before;
    report_.drift_position = std::max(report_.drift_position, closing.position);
    find();
  }
  report_.penetration = std::max(report_.penetration, Overlaps::deepest_contact(laws_.rows()));
}

void VelocityStepper::finish(State& state) {
  report_.swept += solver_.gave_up;
  factored_ = false;
  report_.contacts = static_cast<int>(laws_.contacts().size());
  mechanism_->remember_angles(state);
}

}  // namespace catena
