#include "catena/step/velocity_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/constraint/basic_rows.h"
#include "catena/contact/warm_start.h"
#include "catena/math/assert.h"
#include "catena/mechanism/maximal_mechanism.h"
#include "catena/mechanism/reduced_mechanism.h"
#include "catena/mechanism/step_energy.h"
#include "catena/model/mechanisms.h"

namespace catena {
namespace {

// Whether joints hold bodies so different in mass that the light ones may swing faster than steps can follow.
bool has_uneven_joints(const Model& model, double ratio) {
  if (model.joints.empty() || model.bodies.empty()) return false;
  const auto [light, heavy] = std::minmax_element(model.bodies.begin(), model.bodies.end(),
                                                  [](const Body& a, const Body& b) { return a.mass < b.mass; });
  return heavy->mass > ratio * light->mass;
}

std::unique_ptr<Mechanism> make_mechanism(StepContext& context, bool always) {
  const Settings& settings = context.settings;
  const VelocityTuning& tuning = context.tuning.velocity;
  if (context.is_reduced())
    return std::make_unique<ReducedMechanism>(context.dynamics, context.scale.size, !Formulations::needed(settings),
                                              context.tuning.joints);
  const bool sweep_joints = settings.method == Method::spook && settings.method.law_solver() == LawSolver::gauss_seidel;
  return std::make_unique<MaximalMechanism>(
      context.dynamics, context.projection,
      MaximalMechanism::Options{.sweep_joints = sweep_joints,
                                .project = settings.method.stabilise() == Stabilisation::projection,
                                .pull = always,
                                .geometric_stiffness = has_uneven_joints(context.model(), tuning.mass_ratio),
                                .relaxation = tuning.relaxation,
                                .tuning = context.tuning.joints});
}

}  // namespace

VelocityMethod::VelocityMethod(StepContext& context, const Model& full, const State& initial, bool always)
    : StepMethod(context),
      scheme_{.always = always,
              .midpoint = settings().method.integrator() != Integrator::euler && !has_soft_joints(full) &&
                          !has_soft_contacts(full),
              .lawful = has_laws(full)},
      mechanism_(make_mechanism(context, always)),
      formulations_(Formulations::needed(settings()) ? std::make_unique<Formulations>(model(), settings()) : nullptr),
      impedance_(
          model(), [this](JointId joint) { return mechanism_->carries_inertia(joint); },
          [this](JointId joint) { return mechanism_->rate_of(joint); }, tuning().softest_spring),
      active_(context_.tuning, settings().restitution_threshold, settings().method.sweeps().most > 0),
      solver_(tuning(), settings()),
      overlaps_(context_.tuning),
      f_(initial.bodies.size()),
      mechanism_of_(mechanisms(model())),
      by_mean_(f_.size()) {
  if (context_.is_reduced() && has_grain(full))
    throw InputError(
        "friction differs forward and backward: joint coordinates do not do that; spook in maximal ones does");
  dynamics().count_rotors();
  for (std::size_t j = 0; j < model().joints.size(); ++j) loads_.first.push_back(mechanism_->rate_of(JointId(j)));
  loads_.tau.resize(mechanism_->reaches().size());
  scheme_.damps = !scheme_.midpoint || !impedance_.empty() ||
                  (!context_.is_reduced() && has_uneven_joints(model(), tuning().mass_ratio));
  scheme_.flies = settings().method.integrator() == Integrator::automatic && !scheme_.damps && !context_.is_reduced();
}

VelocityMethod::~VelocityMethod() = default;

std::optional<PlainStep> VelocityMethod::plain_step() {
  if (!context_.is_reduced() || formulations_) return {};
  const auto& mechanism = static_cast<const ReducedMechanism&>(*mechanism_);
  return PlainStep{context_, mechanism, impedance_, scheme_.midpoint, scheme_.damps, solver_.sweeps(0), scheme_.lawful};
}

void VelocityMethod::begin(double /*h*/, State& state) {
  solver_.gave_up = solver_.sweeps_made = 0;
  solver_.monitored = 0;
  solver_.stop = context_.terms.stop;
  context_.factored.forget();  // the mechanism factors where it needs to
  mechanism_->place(state);
  energies_.scale = context_.scale.energy + mechanism_->energy().kinetic;
  energies_.at_start = scheme_.always ? context_.kept_energy(state) : 0;
}

PartOfStep VelocityMethod::plan(int number) const {
  const int rows = static_cast<int>(context_.laws->rows().rows.size());
  PartOfStep part{.whole = settings().step, .swept = solver_.sweeps(rows), .watched = number < tuning().most_cuts};
  part.cut = !part.swept && number < most_cuts(rows);
  return part;
}

// Where many laws have to be solved for, steps are cut less often.
int VelocityMethod::most_cuts(int rows) const {
  if (settings().method.contacts() == ContactMode::exact) return tuning().most_cuts;
  return std::clamp(tuning().cut_rows / (rows + 1), tuning().least_cuts, tuning().most_cuts);
}

Mechanism& VelocityMethod::factored_mechanism(State& /*state*/) {
  impedance_.evaluate(model(), dynamics().kinematics(), dynamics().coordinates(), dynamics().forces(), 0, 0.5);
  mechanism_->answer_directly(true);
  mechanism_->factor(impedance_.inertia());
  return *mechanism_;
}

solve::Solution VelocityMethod::answer_impact(const solve::Problem& problem) {
  solver_.answer(problem, solver_.sweeps(problem.size()), false);
  return solver_.solution;
}

double VelocityMethod::advance(PartOfStep part, const State& before, State& state) {
  part_ = part;
  report().swept += part_.swept && !context_.laws->contacts().empty() ? 1 : 0;
  active_.note_starts(*context_.laws);
  overlaps_.note_start(context_.laws->rows());
  energies_.before_part = mechanism_->energy();
  energies_.kinetic = energies_.before_part.kinetic;
  const bool flies = scheme_.flies && part_.cut && is_flight(part.h);
  mechanism_->answer_directly(flies);
  return flies ? fly(part.h, before, state) : march(part.h, state);
}

// Before joints are closed the state is placed nowhere yet.
Closing VelocityMethod::close(State& state) {
  const Closing closing = mechanism_->close(state);
  mechanism_->answer_directly(false);
  energies_.by_closing = mechanism_->energy().total() - energies_.after_move;
  state.ledger.projection += energies_.by_closing;
  return closing;
}

// Its joints could not be closed, or it gained energy by closing them and by its integration.
bool VelocityMethod::is_refused(const PartOfStep& /*part*/, double /*done*/, const Closing& closing,
                                const State& before, const State& state) {
  if (!report().ok()) return true;
  if (scheme_.always) return false;
  const bool last = report().halvings == tuning().most_halvings;
  const double change = part_.swept ? 0 : state.ledger.numerical - before.ledger.numerical;
  const double total = part_.swept ? 0
                                   : mechanism_->energy().total() - energies_.before_part.total() -
                                         work_done(state.ledger) + work_done(before.ledger);
  // Who asks for euler, or for joints or contacts that give way, has the energy swing by as much as first order makes it. Integration that damps on purpose may lose energy;
  // otherwise a loss is as much an error as a gain, and taken only at the last halving.
  const bool first_order =
      settings().method.integrator() == Integrator::euler || has_soft_joints(model()) || has_soft_contacts(model());
  const double error = first_order ? change : energy_error(scheme_.damps || last, change, total);
  const bool gains = energies_.by_closing > tuning().closing_gain * energies_.scale ||
                     (error > tuning().motion_gain * energies_.scale && error > tuning().motion_gain * force_scale());
  if (closing.closed && (!gains || (last && (first_order || !context_.terms.can_be_replaced)))) return false;
  if (last && !closing.closed) context_.fail_to_close(closing, state.time);
  else if (last) context_.fail_by_gain(std::max(energies_.by_closing, total), state.time);
  return true;
}

// What the forces of the part could do over the size of the mechanism: without gravity and motion there is no other scale of energy, and
// rounding would count as an error.
double VelocityMethod::force_scale() const {
  double scale = 0;
  for (const BodyVector& force : f_) scale += context_.scale.size * norm(force.linear) + norm(force.angular);
  // On both bodies of a joint.
  for (std::size_t i = 0; i < loads_.tau.size(); ++i) scale += 2 * mechanism_->reaches()[i] * std::abs(loads_.tau[i]);
  return scale;
}

// A part of h or, where it may be cut, to where bodies meet that come together fast. Returns its length.
double VelocityMethod::march(double h, State& state) {
  // Bodies that meet where the part will not be cut must not be past each other at its middle.
  part_.middle = scheme_.midpoint && (part_.cut || !active_.any_will_meet(context_.laws->rows(), h));
  const double whole = h, shortest = parts().shortest_part * settings().step;
  std::uint64_t pair = 0;  // that the part is cut for
  if (part_.cut) h = std::max(active_.foreseen_meeting(context_.laws->rows(), h, pair), std::min(h, shortest));
  for (int tries = 0;; ++tries) {
    part_.h = h;
    if (!context_.goes_on(state)) return h;
    if (!prepare(state) || !solve_velocities(state)) return h;
    const bool may_cut = part_.cut && tries < tuning().most_tries;
    const double meeting =
        may_cut ? active_.time_of_meeting(context_.laws->rows(), part_, whole, tries == 0, mechanism_->motion(), pair)
                : h;
    if (std::abs(meeting - h) <= 1e-9 * h) break;
    h = std::max(meeting, shortest);
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
void VelocityMethod::take(State& state) {
  const double height = part_.swept ? energy_of_weights(model(), state.bodies) : 0;
  mechanism_->move(part_.h, part_.middle, part_.swept ? std::span<const char>(by_mean_) : std::span<const char>(),
                   state);
  const Mechanism::Energy& after = mechanism_->energy();
  // What swept contacts press on is moved by its velocity after the part: weights do less than by the mean velocity, and contacts take less.
  if (part_.swept)
    state.ledger.contacts += energy_of_weights(model(), state.bodies) - height +
                             work_of_weights(model(), part_.h, mechanism_->before(), mechanism_->motion());
  energies_.after_move = after.total();
  state.ledger.numerical += after.kinetic - energies_.kinetic - energies_.work;
  energies_.kinetic = after.kinetic;
}

// Nothing touches or rests within what it closes in h at the speed below which meetings are no impacts, and no joint has friction, a motor of
// limited force or compliance. What rests a little above something would meet it again in every step, too slowly for an impact: laws hold it.
bool VelocityMethod::is_flight(double h) const {
  const LawRows& laws = context_.laws->rows();
  const double slow = settings().restitution_threshold;
  return std::all_of(laws.blocks.begin(), laws.blocks.end(), [&](const LawBlock& block) {
    const double speed = laws.rows[static_cast<std::size_t>(block.first)].speed;
    const double near = std::abs(speed) <= slow ? std::max(parts().touching, h * slow) : parts().touching;
    return is_unilateral(block) && (block.gap > near || speed > slow);
  });
}

// A part in which nothing touches, of fourth order: the midpoint step is symmetric, so three of them, of lengths γ h, (1 − 2γ) h and γ h with
// γ = 1/(2 − 2^⅓), cancel its error of third order (Yoshida). It ends where the first pair meets, found by Newton's method on its gap.
double VelocityMethod::fly(double h, const State& before, State& state) {
  const double gamma = 1 / (2 - std::cbrt(2.0)), whole = h;
  std::uint64_t pair = 0;  // the first to meet
  for (int tries = 0;; ++tries) {
    active_.rows().clear();
    part_.middle = true;
    for (int third = 0; third < 3; ++third) {
      part_.h = (third == 1 ? 1 - 2 * gamma : gamma) * h;
      if (!prepare(state) || !refine()) return h;
      book(state);
      if (third == 2) report_contacts();  // none: the residual alone
      take(state);
      mechanism_->place(state);
    }
    state.time = before.time + h;
    context_.find_laws(0);
    const double late = active_.time_since_meeting(context_.laws->rows(), pair);
    if (late == 0 || tries == tuning().most_tries) break;
    h = std::clamp(h - late, parts().shortest_part * settings().step, whole);
    state = before;
    mechanism_->place(state);
    energies_.kinetic = energies_.before_part.kinetic;
  }
  state.impulses.clear();
  return h;
}

// Where the part's forces, joints and laws are taken, and the motion without laws.
bool VelocityMethod::prepare(const State& state) {
  const double h = part_.h;
  fill_unset(f_);
  if (part_.middle) {
    mechanism_->look_ahead(h / 2, state);
    context_.find_laws(h);
  }
  Powers powers;
  loads_.rates = mechanism_->rates_before();
  dynamics().forces().external(model(), dynamics().kinematics(), dynamics().coordinates(), f_, powers, &loads_);
  if (!impedance_.empty())
    impedance_.evaluate(model(), dynamics().kinematics(), dynamics().coordinates(), dynamics().forces(), h,
                        part_.middle ? 0.5 : 1);
  if (!mechanism_->factor(impedance_.inertia())) {
    context_.fail(Status::singular);
    return false;
  }
  mechanism_->free_motion(h, part_.middle, f_, loads_.tau);
  return true;
}

// The motion with the gyroscopic forces of its mean velocities.
bool VelocityMethod::refine() {
  if (!part_.middle || mechanism_->refine(part_.h)) return true;
  context_.fail(Status::singular);
  return false;
}

bool VelocityMethod::solve_velocities(const State& state) {
  const bool waits = mechanism_->refines_once();
  if (!waits && !refine()) return false;
  active_.gather(context_.laws->rows(), part_, *mechanism_);
  LawRows& laws = active_.rows();
  if (impedance_.has_rows()) {
    const std::size_t first = laws.blocks.size();
    impedance_.append_rows(laws);
    for (std::size_t k = first; k < laws.blocks.size(); ++k) {
      LawRow& row = laws.rows[static_cast<std::size_t>(laws.blocks[k].first)];
      row.target = row.speed = times(laws, laws.blocks[k], row, mechanism_->before());
    }
  }
  solver_.solution.certificate = {};
  const bool nothing = laws.blocks.empty() && mechanism_->first_row() == 0 && !formulations_;
  if (nothing) return !waits || refine();
  mechanism_->assemble(laws, settings().facets);
  active_.set_normal_targets(part_, *mechanism_);
  active_.set_slip_targets(*context_.laws, part_);
  if (!solve_laws(state, Begin::last_step)) return false;
  const double still = std::max(tuning().spin_tolerance, part_.swept ? solver_.missed : 0);
  const bool spins = part_.middle && mechanism_->gyration_change(part_.h) > (waits ? Mechanism::kStill : still);
  const bool slips = part_.middle && !part_.swept && active_.aim_at_mean_slips(mechanism_->motion());
  if (spins && !refine()) return false;
  if ((spins || slips) && !solve_laws(state, Begin::last_answer)) return false;
  if (slips && active_.release_ended_slips(mechanism_->motion()) && !solve_laws(state, Begin::last_answer))
    return false;
  if (part_.swept || active_.work(solver_.solution.z, mechanism_->first_row(), mechanism_->motion()) <=
                         tuning().no_work * energies_.scale)
    return true;
  active_.aim_at_means();
  return solve_laws(state, Begin::last_answer);
}

bool VelocityMethod::solve_laws(const State& state, Begin begin) {
  LawRows& laws = active_.rows();
  solve::Solution& solution = solver_.solution;
  ++report().law_solves;
  if (formulations_) {
    formulations_->solve(part_.h, static_cast<ReducedMechanism&>(*mechanism_), laws, f_, solver_);
  } else {
    const int first = mechanism_->first_row();
    mechanism_->load(laws);
    if (begin == Begin::last_step) {
      solution.z.setZero(mechanism_->problem().size());
      recall(laws, part_.h, state, solution.z.tail(static_cast<Eigen::Index>(laws.rows.size())));
    }
    solve::Problem& problem = mechanism_->problem();
    solver_.solve(problem, problem.blocks, laws, first, part_.swept || first > 0, true);
    if (solution.z.allFinite()) mechanism_->answer(laws, solution.z);
  }
  report().complementarity = std::max(report().complementarity, solution.certificate.residual);
  report().fallbacks = std::max(report().fallbacks, solution.certificate.fallbacks);
  if (solution.z.allFinite()) return true;
  context_.fail(Status::diverged, fmt::format("t = {}: the contact problem has no finite answer", state.time));
  return false;
}

// Mechanisms that nothing presses on fly by the mean of their velocities, which is of second order.
void VelocityMethod::find_mean_movers() {
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

// Shapes that overlap are moved apart, paid for by what contacts took in the part; joints are closed again after that.
void VelocityMethod::separate(double next, const State& before, State& state) {
  const auto find = [&] { context_.find_laws(next); };
  find();
  const double taken = before.ledger.contacts - state.ledger.contacts;
  if (overlaps_.separate(*context_.laws, find, part_.h, taken + tuning().no_energy * energies_.scale, part_.swept,
                         *mechanism_, solver_, state)) {
    const double energy = mechanism_->energy().total();
    const Closing closing = mechanism_->close(state);
    state.ledger.projection += mechanism_->energy().total() - energy;
    report().drift_position = std::max(report().drift_position, closing.position);
    find();
  }
  report().penetration = std::max(report().penetration, Overlaps::deepest_contact(context_.laws->rows()));
}

void VelocityMethod::end(double h, const State& before, State& state) {
  report().swept += solver_.gave_up;
  report().sweeps = solver_.sweeps_made;
  if (settings().method.sweeps().algorithm == SweepAlgorithm::monitored) report().monitored = solver_.monitored;
  mechanism_->remember_angles(state);
  if (scheme_.always) give_nothing(h, before, state);
}

}  // namespace catena
