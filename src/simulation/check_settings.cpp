#include "catena/simulation/check_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/laws/laws.h"
#include "catena/model/impedance.h"
#include "catena/model/setting_names.h"
#include "catena/step/stepper.h"

namespace catena {

bool is_iterated(LinearSolver solver) {
  return solver == LinearSolver::iterative || solver == LinearSolver::parts || solver == LinearSolver::parts_in_turn ||
         is_conjugate(solver);
}
bool is_conjugate(LinearSolver solver) { return solver == LinearSolver::cg || solver == LinearSolver::cg_tree; }

namespace {

void check_impulse(const Settings& settings) {
  if (settings.method.integrator() == Integrator::euler || settings.method.integrator() == Integrator::adaptive ||
      settings.method.integrator() == Integrator::midpoint)
    throw InputError("the impulse method integrates rotations by rk4 or lie: give one of these as the integrator");
  if (settings.method.stabilise() != Stabilisation::projection)
    throw InputError("the impulse method has no drift to stabilise; `stabilise` is for the lagrange method");
  if (!(settings.method.position_tolerance() > 0) || !(settings.method.velocity_tolerance() > 0))
    throw InputError("the tolerances of positions and velocities must be positive");
}

void check_operational(const Settings& settings) {
  if (settings.method.integrator() == Integrator::rk4 || settings.method.integrator() == Integrator::adaptive ||
      settings.method.integrator() == Integrator::lie)
    throw InputError("the operational method takes the integrators midpoint and euler");
  if (settings.method.stabilise() != Stabilisation::projection)
    throw InputError("the operational method has no drift to stabilise; `stabilise` is for the lagrange method");
  if (is_iterated(settings.method.solver()))
    throw InputError(
        "the solvers iterative and parts are for the impulse method, cg and cg-tree for lagrange and impulse");
}

void check_spook(const Settings& settings) {
  if (settings.method.integrator() == Integrator::rk4 || settings.method.integrator() == Integrator::adaptive ||
      settings.method.integrator() == Integrator::lie)
    throw InputError("the spook method takes the integrators midpoint and euler");
  if (is_iterated(settings.method.solver()))
    throw InputError(
        "the solvers iterative and parts are for the impulse method, cg and cg-tree for lagrange and impulse; "
        "spook takes direct, split or gauss-seidel");
}

void check_lagrange(const Settings& settings) {
  if (settings.method.integrator() == Integrator::midpoint)
    throw InputError("the integrator midpoint is for the spook method; lagrange takes euler, rk4 or adaptive");
  if (settings.method.integrator() == Integrator::lie)
    throw InputError("the integrator lie is for the impulse method; lagrange takes euler, rk4 or adaptive");
  if (is_iterated(settings.method.solver()) && !is_conjugate(settings.method.solver()))
    throw InputError(
        "the solvers iterative and parts are for the impulse method; lagrange takes tree, sparse, dense or cg");
}

}  // namespace

void check_settings(const Settings& settings) {
  const bool operational = settings.method == Method::operational;
  if (!operational && settings.method.formulation() != Formulation::operational_space)
    throw InputError("a formulation is of the operational method: ask for that too");
  if (!operational &&
      (settings.method.law_solver() == LawSolver::lemke || settings.method.law_solver() == LawSolver::cone))
    throw InputError(
        "the solvers lemke and cone are for the operational method; spook takes direct, split or gauss-seidel");
  if (settings.method.coordinates() == Coordinates::maximal &&
      settings.method.formulation() != Formulation::operational_space)
    throw InputError("the formulations are set up in joint coordinates: leave `coordinates` to auto or reduced");
  if (settings.facets != 0 && (settings.facets < 4 || settings.facets % 2 != 0))
    throw InputError("facets: a friction pyramid has an even number of sides, at least 4; 0 is the cone itself");
  if (!(settings.step > 0) || !std::isfinite(settings.step))
    throw InputError("the step must be a positive number of seconds");
  if (settings.threads < 1) throw InputError("there must be at least one thread");
  if (!(settings.method.tolerance() > 0)) throw InputError("the tolerance must be positive");
  if (settings.method == Method::impulse) {
    check_impulse(settings);
  } else if (settings.method == Method::spook) {
    check_spook(settings);
  } else if (settings.method == Method::operational) {
    check_operational(settings);
  } else {
    check_lagrange(settings);
  }
}

namespace {

// What the model asks for and this method does not do: said, not passed over.
void warn_of_missing(const Model& model, const Settings& settings, Warnings& warnings) {
  const bool laws = enforces_laws(settings);
  for (const Joint& joint : model.joints) {
    const JointExtras& extras = model.extras_of(joint);
    bool limits = extras.limits.has_value(), friction = extras.friction != 0;
    for (const Freedom& freedom : joint.freedoms) {
      limits = limits || freedom.limits;
      friction = friction || freedom.friction != 0;
    }
    if (!laws && has_armature(model, joint) && settings.method.coordinates() != Coordinates::reduced)
      warnings.push_back(fmt::format("joint '{}': its armature is left out by the adaptive integrator", joint.name));
    const char* what = !laws && limits                                  ? "limits are"
                     : !laws && friction                                ? "friction is"
                     : !laws && extras.motor && extras.motor->max_force ? "max_force of its motor is"
                     : !laws && extras.compliance != 0                  ? "compliance is"
                                                                        : nullptr;
    if (what)
      warnings.push_back(fmt::format("joint '{}': {} not enforced by the adaptive integrator; ask for the spook method",
                                     joint.name, what));
  }
  for (const Material& material : model.materials) {
    if (material.relaxation != 0 && material.compliance == 0)
      warnings.push_back(fmt::format("material '{}': relaxation has no effect without compliance", material.name));
  }
  if (!laws && std::any_of(model.ground_shapes.begin(), model.ground_shapes.end(),
                           [](const Shape& shape) { return shape.collide; }))
    warnings.emplace_back(
        "contacts are not simulated by the adaptive integrator: bodies pass through each other; ask for rk4");
}

// Of the solvers and the integrator.
void warn_of_solvers(const Settings& asked, const Settings& used, Warnings& warnings) {
  const std::string_view method = word_of(kMethodNames, used.method);
  const bool sweeps = used.method == Method::spook || used.method == Method::operational;
  if (used.method.law_solver() != LawSolver::automatic && !sweeps)
    warnings.push_back(
        fmt::format("solver {}: the {} method has its own way with contacts and does not use it; it is "
                    "for spook and operational",
                    word_of(kLawSolverNames, used.method.law_solver()), method));
  const bool flies_reduced = used.method == Method::impulse && used.method.coordinates() == Coordinates::reduced;
  if (asked.method.solver() != LinearSolver::automatic && (used.method == Method::operational || flies_reduced))
    warnings.push_back(fmt::format(
        "solver {}: the {} method has no joints to solve for{}; only accelerations and reactions that are "
        "read are solved so",
        word_of(kLinearSolverNames, asked.method.solver()), method, flies_reduced ? " in joint coordinates" : ""));
  if (used.method.contacts() != ContactMode::automatic && !sweeps)
    warnings.push_back(
        fmt::format("contacts: the {} method solves them exactly; exact and swept are for spook and "
                    "operational",
                    method));
  const Settings usual;
  const bool asks_of_sweeps = used.method.sweeps().algorithm != usual.method.sweeps().algorithm ||
                              used.method.sweeps().order != usual.method.sweeps().order ||
                              used.method.sweeps().friction != usual.method.sweeps().friction ||
                              used.method.sweeps().relaxation != usual.method.sweeps().relaxation;
  if (asks_of_sweeps && !(sweeps && (used.method.law_solver() == LawSolver::split ||
                                     used.method.law_solver() == LawSolver::gauss_seidel ||
                                     used.method.contacts() == ContactMode::swept)))
    warnings.emplace_back(
        "sweep_algorithm, sweep_order, sweep_friction and sweep_relaxation are for sweeps that are asked for: solver "
        "split or gauss-seidel, or contacts swept, of spook and operational");
  if (used.method.sweeps().most != 0 && !sweeps)
    warnings.push_back(fmt::format("sweeps: the {} method makes no Gauss-Seidel sweeps", method));
  if (used.facets != 0 && used.method == Method::lagrange)
    warnings.emplace_back(
        "facets: the lagrange method has friction pyramids only where contacts stick; slip has the cone");
  const bool parts = used.method.solver() == LinearSolver::parts || used.method.solver() == LinearSolver::parts_in_turn;
  if (used.threads > 1 && !(used.method == Method::impulse && parts))
    warnings.emplace_back(
        "threads: only the solver parts of the impulse method uses more than one; the result is the same");
}

// Of tolerances and the like: what differs from its default and is of another method or integrator.
void warn_of_numbers(const Settings& used, Warnings& warnings) {
  const Settings usual;
  const bool adaptive = used.method.integrator() == Integrator::adaptive;
  if (used.seed != usual.seed) warnings.emplace_back("seed: nothing is random in this run");
  if (used.method != Method::impulse && !adaptive &&
      (used.method.tolerance() != usual.method.tolerance() ||
       used.method.position_tolerance() != usual.method.position_tolerance() ||
       used.method.velocity_tolerance() != usual.method.velocity_tolerance()))
    warnings.emplace_back(
        "tolerances: they are for the adaptive integrator and for the impulse method; contact_tolerance is for "
        "contacts");
  if (used.method.baumgarte() != usual.method.baumgarte() && used.method.stabilise() != Stabilisation::baumgarte)
    warnings.emplace_back("baumgarte: it has an effect with `stabilise: baumgarte` only");
  if (used.method.stabilise() == Stabilisation::baumgarte && used.method == Method::spook)
    warnings.emplace_back(
        "stabilise baumgarte: spook pulls joints back by its own regularisation, two steps long; the gain has no "
        "effect");
}

// Numbers of a method that does not run.
void warn_of_tuning(const Settings& used, Warnings& warnings) {
  const bool sweeps = used.method == Method::spook || used.method == Method::operational;
  for (const auto& [name, value] : changes(used.tuning)) {
    const std::string part = name.substr(0, name.find('.'));
    const bool idle = (part == "velocity" && !sweeps) || (part == "lagrange" && used.method != Method::lagrange) ||
                      (part == "impulse" && used.method != Method::impulse) || (part == "sleep" && !used.sleep);
    if (idle)
      warnings.push_back(fmt::format("tuning {}: {}", name,
                                     part == "sleep" ? "nothing sleeps in this run, as `sleep: yes` would have it"
                                     : part == "velocity"
                                         ? "it is of spook and operational, which take only steps that no other can"
                                         : "it is of a method that does not run"));
  }
}

void warn_of_relaxation(const Model& model, Warnings& warnings) {
  for (const Joint& joint : model.joints) {
    const JointExtras& extras = model.extras_of(joint);
    if (extras.relaxation != 0 && extras.compliance == 0)
      warnings.push_back(fmt::format("joint '{}': relaxation has no effect without compliance", joint.name));
  }
}

}  // namespace

void warn_of_settings(const Model& model, const Settings& asked, const Settings& used, Warnings& warnings) {
  warn_of_missing(model, used, warnings);
  warn_of_relaxation(model, warnings);
  warn_of_solvers(asked, used, warnings);
  warn_of_numbers(used, warnings);
  warn_of_tuning(used, warnings);
}

}  // namespace catena
