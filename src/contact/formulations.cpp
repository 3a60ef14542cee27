#include "catena/contact/formulations.h"

#include "catena/mechanism/formulation.h"

namespace catena {
namespace {

constexpr int kFacets = 4;  // sides of friction pyramids where nothing else is asked for: the paper's

}  // namespace

bool Formulations::needed(const Settings& settings) {
  return settings.method == Method::operational && settings.method.formulation() != Formulation::operational_space;
}

Settings Formulations::adjusted(Settings settings) {
  if (settings.method != Method::operational) return settings;
  const bool pivots = settings.method.law_solver() == LawSolver::lemke;
  const bool large = settings.method.formulation() == Formulation::non_minimal ||
                     settings.method.formulation() == Formulation::minimal ||
                     settings.method.formulation() == Formulation::non_minimal_os;
  if (settings.facets == 0 && (pivots || large)) settings.facets = kFacets;
  if (large && settings.method.law_solver() == LawSolver::automatic)
    settings.method.change({.law_solver = LawSolver::lemke});
  return settings;
}

Formulations::Formulations(const Model& model, const Settings& settings)
    : formulation_(settings.method.formulation()), facets_(settings.facets), anticipated_(model) {}

void Formulations::solve(double h, ReducedMechanism& mechanism, LawRows& laws, std::span<const BodyVector> f,
                         ContactSolver& solver) {
  if (formulation_ == Formulation::maximal_os) solve_by_anticipation(mechanism, laws, solver);
  else solve_formulated(h, mechanism, laws, f, solver);
  if (solver.solution.z.allFinite()) mechanism.answer(laws, solver.solution.z);
}

// nmc, mc, rmc, nmc-os. The velocity-dependent forces are those of the velocities the system is at, which at the middle of a step are not
// those it starts with: only their momentum is.
void Formulations::solve_formulated(double h, ReducedMechanism& mechanism, LawRows& laws, std::span<const BodyVector> f,
                                    ContactSolver& solver) {
  f_.assign(f.begin(), f.end());
  const ContactStep step{mechanism.kinematics(),   mechanism.system(),
                         mechanism.held(),         laws,
                         mechanism.rates(),        f_,
                         mechanism.held_targets(), h};
  FormulationProblem formulated(formulation_, step, facets_);
  const int size = formulated.problem().size(), first = size - static_cast<int>(laws.rows.size());
  solver.solution.z.setZero(size);
  solver.solve(formulated.problem(), formulated.blocks(), laws, first, false, false);
  const solve::Vector own = solver.solution.z.tail(static_cast<Eigen::Index>(laws.rows.size()));
  solver.solution.z = own;
}

// maximal-os: the compliance of the laws column by column, all joints answering, loops too.
void Formulations::solve_by_anticipation(ReducedMechanism& mechanism, LawRows& laws, ContactSolver& solver) {
  ConstraintSystem& maximal = mechanism.dynamics().system();
  if (!maximal.factor(mechanism.kinematics())) return;
  anticipated_.assemble(mechanism.kinematics(), maximal, laws);
  solve::Problem& problem = anticipated_.problem();
  if (facets_ > 0) use_pyramids(problem.blocks, facets_);
  problem.b.resize(static_cast<Eigen::Index>(laws.rows.size()));
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      problem.b[i] = times(laws, block, row, mechanism.unforced()) - row.target;
    }
  solver.solution.z.setZero(problem.size());
  solver.solve(problem, problem.blocks, laws, 0, false, false);
}

}  // namespace catena
