// Impacts: Poisson's law in two phases (Jain §7), for every method.
//   compression     impulses z that bring the velocities of what touches to w ≥ 0, with Coulomb's law: a step without time
//   decompression   each normal gives back e times what it stored, with friction up to its share of that; what then still comes
//                   together is stopped
#pragma once

#include <algorithm>
#include <vector>

#include "catena/laws/laws.h"
#include "catena/mechanism/law_problem.h"
#include "catena/mechanism/mechanism.h"
#include "catena/solve/solve.h"
#include "catena/step/impact.h"
#include "catena/step/report.h"

namespace catena {

// Largest fraction x ≤ 1 of the rebound impulses `back` for which the impact as a whole adds no energy: E(z + x·back) ≤ 0 with
// E(z) = zᵀb + ½ zᵀA z, b the approach speeds. Poisson's law alone can add energy where a body at rest is pressed by a rebounding one.
double part_without_energy(const Eigen::MatrixXd& A, const solve::Vector& b, const solve::Vector& z,
                           const solve::Vector& back);

// Two-phase Poisson impact (Jain §7): compression, then decompression with the stored impulses. `met`: the colliding contacts, whose rows come first
// in `problem`; the b of these rows are the approach speeds. `solve` solves a problem. Returns the total impulses and adds the residual of the
// compression to the report.
template <class Solve>
solve::Vector poisson_impulses(const solve::Problem& problem, const LawRows& met, double threshold, const Solve& solve,
                               StepReport& report) {
  const solve::Solution compression = solve(problem);
  report.complementarity = std::max(report.complementarity, compression.certificate.residual);
  solve::Vector z = compression.z;
  solve::Vector back = solve::Vector::Zero(z.size());
  for (const LawBlock& block : met.blocks)
    if (met.rows[static_cast<std::size_t>(block.first)].speed < -threshold)
      back[block.first] = block.restitution * compression.z[block.first];
  if (back.maxCoeff() <= 0) return z;

  // With the normals' impulses given, their rows are out of the problem: without coupling and with −z_n as b they come out so.
  const Eigen::MatrixXd A = to_dense(problem.A);
  solve::Problem release{A, compression.w + A * back, problem.blocks};
  auto& D = std::get<Eigen::MatrixXd>(release.A);
  for (const LawBlock& block : met.blocks) {
    D.row(block.first).setZero();
    D.col(block.first).setZero();
    D(block.first, block.first) = A(block.first, block.first);
    release.b[block.first] = -back[block.first] * A(block.first, block.first);
  }
  back = solve(release).z;
  z += part_without_energy(A, problem.b, z, back) * back;

  const solve::Problem rest{problem.A, problem.b + A * z, problem.blocks};
  const double fastest = rest.b.lpNorm<Eigen::Infinity>();
  const bool apart = std::all_of(met.blocks.begin(), met.blocks.end(),
                                 [&](const LawBlock& block) { return rest.b[block.first] >= -1e-9 * fastest; });
  if (!apart) z += solve(rest).z;
  return z;
}

// Of a block of `met`, whose impulses z changed the motion of the bodies by y.
Impact impact_of(const LawBlock& block, const LawRows& met, const Laws& laws, const solve::Vector& z,
                 const std::vector<BodyVector>& y, double time);

// Adds what `met` with impulses z, `y` being how they changed the motion of the bodies: nothing unless some pair met faster than the threshold,
// else every pair that pushed.
void list_impacts(const LawRows& met, const Laws& laws, const solve::Vector& z, const std::vector<BodyVector>& y,
                  double threshold, double time, std::vector<Impact>& list);

class Impacts {
 public:
  static constexpr double kTouch = 1e-8;  // m or rad: a gap below this is none

  // Keeps a reference to the model, the one `dynamics` has. `threshold` [m/s or rad/s]: slower meetings do not bounce. `tolerance` of
  // the solver.
  Impacts(const Model& model, double threshold, double tolerance);

  // Whether any touching pair approaches faster than `slowest`. `laws` were found at the state of the impact.
  bool meeting(const Laws& laws, double slowest);
  // Applies the impacts of what touches: after meeting() returned true, at that state, with `dynamics` factored there. Only velocities change.
  void throw_back(const Laws& laws, Dynamics& dynamics, State& state, StepReport& report);

  // The same for any mechanism, at the state it is placed and factored at. `solve` answers a problem.
  template <class Solve>
  void throw_back(const Laws& laws, Mechanism& mechanism, int facets, const Solve& solve, State& state,
                  StepReport& report) {
    mechanism.assemble(met_, facets);
    solve::Problem& problem = mechanism.problem();
    problem.b.resize(static_cast<Eigen::Index>(met_.rows.size()));
    for (std::size_t i = 0; i < met_.rows.size(); ++i) problem.b[static_cast<Eigen::Index>(i)] = met_.rows[i].speed;
    const solve::Vector z = poisson_impulses(problem, met_, threshold_, solve, report);
    mechanism.answer(met_, z);
    const std::size_t known = list_.size();
    list_impacts(met_, laws, z, mechanism.change(), threshold_, state.time, list_);
    if (list_.size() > known) ++report.impacts;
    const double before = mechanism.energy().kinetic;
    mechanism.strike(state);
    state.ledger.contacts += mechanism.energy().kinetic - before;
  }

  // Lists one that somebody else solved for.
  void add(const Impact& impact) { list_.push_back(impact); }
  void clear() { list_.clear(); }
  const std::vector<Impact>& list() const { return list_; }

 private:
  solve::Options options_here() const;
  solve::Vector impulses(StepReport& report);
  void apply(const solve::Vector& z, Dynamics& dynamics, State& state);

  const Model* model_;
  double threshold_, tolerance_;
  LawProblem problem_;
  LawRows met_;
  std::vector<Impact> list_;
  std::vector<BodyVector> y_;
  std::vector<double> zero_;
};

}  // namespace catena
