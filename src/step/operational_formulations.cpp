// The same velocities by the other formulations of the contact problem (auxiliary/formulation.h).
#include <algorithm>

#include "catena/step/operational.h"

namespace catena {

// J v⁺ of the held rows, then of the laws.
void OperationalStepper::read_after() {
  const int held = held_.rows();
  system_.motion(v_, y_);
  after_.resize(z_.size());
  for (int i = 0; i < held; ++i) after_[i] = held_.times(i, y_);
  for (const LawBlock& block : active_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      after_[held + i] = times(block, active_.rows[static_cast<std::size_t>(i)], y_);
}

// nmc, mc, rmc, nmc-os.
bool OperationalStepper::solve_formulated(double h, const State& state) {
  const int held = held_.rows();
  std::vector<double> u(static_cast<std::size_t>(held));
  for (int i = 0; i < held; ++i) u[static_cast<std::size_t>(i)] = free_[i] - b_[i];
  // The velocity-dependent forces are those of the velocities the system is at, which at the middle of a step are not those it starts
  // with: only their momentum is.
  const ContactStep step{dynamics_.kinematics(), system_, held_, active_, now_.v, f_, u, h};
  FormulationProblem formulated(settings_.formulation, step, settings_.facets);
  const int size = formulated.problem().size(), first = size - static_cast<int>(active_.rows.size());
  solution_.z.setZero(size);
  solve_bound(formulated.blocks(), active_, solution_.z, first,
              [&](solve::Vector&) { solve_laws(formulated.problem(), false, solution_); });
  if (!accept(solution_, state)) return false;
  formulated.read(solution_.z, z_, v_);
  read_after();
  return true;
}

// maximal-os: the compliance of the laws column by column, by Baraff's anticipation. All joints answer there, loops too, so that the held
// rows are met before the laws are solved for.
bool OperationalStepper::solve_by_anticipation(const State& state) {
  const int held = held_.rows();
  ConstraintSystem& maximal = dynamics_.system();
  if (!maximal.factor(dynamics_.kinematics())) {
    fail(Status::singular);
    return false;
  }
  if (held > 0) {
    problem_.assemble(dynamics_.kinematics(), held_, {});
    respond_to_held(b_.head(held));
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += dv_[i];
    system_.motion(v_, y_);
  }
  const Eigen::VectorXd held_alone = held > 0 ? z_ : Eigen::VectorXd();
  solve::Vector own;
  if (!active_.rows.empty()) {
    anticipated_.assemble(dynamics_.kinematics(), maximal, active_);
    solve::Problem& problem = anticipated_.problem();
    if (settings_.facets > 0) use_pyramids(problem.blocks, settings_.facets);
    problem.b.resize(static_cast<Eigen::Index>(active_.rows.size()));
    for (const LawBlock& block : active_.blocks)
      for (int i = block.first; i < block.first + block.size; ++i) {
        const LawRow& row = active_.rows[static_cast<std::size_t>(i)];
        problem.b[i] = times(block, row, y_) - row.target;
      }
    solution_.z.setZero(problem.size());
    solve_bound(anticipated_, active_, solution_.z, 0, [&](solve::Vector&) { solve_laws(problem, false, solution_); });
    if (!accept(solution_, state)) return false;
    own = solution_.z;
  }
  // What the laws push with, and how all joints answer.
  std::vector<BodyVector>& push = p_;
  std::fill(push.begin(), push.end(), BodyVector{});
  for (const LawBlock& block : active_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, active_.rows[static_cast<std::size_t>(i)], own[i], push);
  const std::vector<double> zero(static_cast<std::size_t>(maximal.rows()), 0.0);
  std::vector<double> lambda(zero.size());
  std::vector<BodyVector> answer = push;
  maximal.solve(zero, answer, lambda);
  z_.setZero(held + own.size());
  z_.tail(own.size()) = own;
  for (int i = 0; i < held; ++i) {
    z_[i] = lambda[static_cast<std::size_t>(maximal.row_start(held_.joint[static_cast<std::size_t>(i)]) +
                                            held_.row[static_cast<std::size_t>(i)])];
    held_.add_force(i, z_[i], push);
    z_[i] += held_alone[i];
  }
  system_.respond(push, dv_);
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += dv_[i];
  read_after();
  return true;
}

}  // namespace catena
