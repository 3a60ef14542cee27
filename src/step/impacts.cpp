#include "catena/step/impacts.h"

#include <algorithm>
#include <cmath>

namespace catena {

// Of the part x the work is w + u x + a x².
double part_without_energy(const Eigen::MatrixXd& A, const solve::Vector& b, const solve::Vector& z,
                           const solve::Vector& back) {
  const solve::Vector Az = A * z;
  const double w = z.dot(b) + 0.5 * z.dot(Az), u = back.dot(b + Az), a = 0.5 * back.dot(A * back);
  if (w + u + a <= 0) return 1;
  // The larger root; w ≤ 0 but for rounding, since z stops what comes together.
  return w < 0 ? std::clamp(-2 * w / (u + std::sqrt(u * u - 4 * a * w)), 0.0, 1.0) : 0;
}

Impact impact_of(const LawBlock& block, const LawRows& met, const Laws& laws, const solve::Vector& z,
                 const std::vector<BodyVector>& y, double time) {
  const LawRow& normal = met.rows[static_cast<std::size_t>(block.first)];
  Impact impact{.time = time, .normal = z[block.first], .before = normal.speed};
  impact.after = impact.before + times(block, normal, y);
  if (block.kind == LawKind::limit) {
    impact.joint = JointId(block.source);
    return impact;
  }
  impact.contact = laws.contacts()[static_cast<std::size_t>(block.source)];
  impact.impulse = impact.normal * impact.contact.normal;
  for (int i = 1; i < block.size; ++i)
    impact.impulse += z[block.first + i] * laws.tangents(block)[static_cast<std::size_t>(i - 1)];
  return impact;
}

void list_impacts(const LawRows& met, const Laws& laws, const solve::Vector& z, const std::vector<BodyVector>& y,
                  double threshold, double time, std::vector<Impact>& list) {
  if (std::none_of(met.blocks.begin(), met.blocks.end(), [&](const LawBlock& block) {
        return met.rows[static_cast<std::size_t>(block.first)].speed < -threshold;
      }))
    return;
  for (const LawBlock& block : met.blocks)
    if (z[block.first] > 0) list.push_back(impact_of(block, met, laws, z, y, time));
}

Impacts::Impacts(const Model& model, double threshold, double tolerance)
    : model_(&model), threshold_(threshold), tolerance_(tolerance), problem_(model), y_(model.bodies.size()) {}

bool Impacts::meeting(const Laws& laws, double slowest) {
  met_.clear();
  bool meeting = false;
  for (const LawBlock& block : laws.rows().blocks) {
    if (!is_unilateral(block) || block.gap > kTouch) continue;
    append(laws.rows(), block, met_);
    meeting |= laws.rows().rows[static_cast<std::size_t>(block.first)].speed < -slowest;
  }
  return meeting;
}

void Impacts::throw_back(const Laws& laws, Dynamics& dynamics, State& state, StepReport& report) {
  problem_.assemble(dynamics.kinematics(), dynamics.system(), met_);
  const solve::Vector z = impulses(report);
  apply(z, dynamics, state);
  const std::size_t known = list_.size();
  list_impacts(met_, laws, z, y_, threshold_, state.time, list_);
  if (list_.size() > known) ++report.impacts;
}

solve::Vector Impacts::impulses(StepReport& report) {
  solve::Problem& problem = problem_.problem();
  problem.b.resize(static_cast<Eigen::Index>(met_.rows.size()));
  for (std::size_t i = 0; i < met_.rows.size(); ++i) problem.b[static_cast<Eigen::Index>(i)] = met_.rows[i].speed;
  const solve::Options options = options_here();
  return poisson_impulses(
      problem, met_, threshold_, [&](const solve::Problem& p) { return solve::solve(p, options); }, report);
}

// Exact where that is quick; the exact ways may take seconds on many contacts that leave open which of them carries how much. Those are swept, as in
// the step that follows.
solve::Options Impacts::options_here() const {
  constexpr int kManyRows = 60, kSweeps = 200, kVisits = 100'000;
  const int rows = static_cast<int>(met_.rows.size());
  if (rows <= kManyRows) return {.tolerance = tolerance_};
  return {.solver = solve::Solver::gauss_seidel,
          .tolerance = tolerance_,
          .max_iterations = std::max(kSweeps, kVisits / rows)};
}

void Impacts::apply(const solve::Vector& z, Dynamics& dynamics, State& state) {
  std::fill(y_.begin(), y_.end(), BodyVector{});
  for (const LawBlock& block : met_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, met_.rows[static_cast<std::size_t>(i)], z[i], y_);
  zero_.assign(static_cast<std::size_t>(dynamics.system().rows()), 0.0);
  dynamics.system().solve(zero_, y_, {});
  const double before = dynamics.kinetic_energy(state);
  for (std::size_t i = 0; i < y_.size(); ++i) add_velocity(model_->bodies[i].kind, y_[i], state.bodies[i]);
  state.ledger.contacts += dynamics.kinetic_energy(state) - before;
}

}  // namespace catena
