#include "catena/contact/impacts.h"

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
  const LawRow& normal = met.row(block);
  Impact impact{.time = time, .normal = z[block.first], .before = normal.speed};
  impact.after = impact.before + times(met, block, normal, y);
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

solve::Vector poisson_impulses(const solve::Problem& problem, const LawRows& met, double threshold,
                               const ContactAnswer& answer, double& residual) {
  const solve::Solution compression = answer(problem);
  residual = compression.certificate.residual;
  solve::Vector z = compression.z;
  solve::Vector back = solve::Vector::Zero(z.size());
  for (const LawBlock& block : met.blocks)
    if (met.row(block).speed < -threshold) back[block.first] = block.restitution * compression.z[block.first];
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
  back = answer(release).z;
  z += part_without_energy(A, problem.b, z, back) * back;

  const solve::Problem rest{problem.A, problem.b + A * z, problem.blocks};
  const double fastest = rest.b.lpNorm<Eigen::Infinity>();
  const bool apart = std::all_of(met.blocks.begin(), met.blocks.end(),
                                 [&](const LawBlock& block) { return rest.b[block.first] >= -1e-9 * fastest; });
  if (!apart) z += answer(rest).z;
  return z;
}

bool Impacts::meeting(const Laws& laws, double slowest) {
  met_.clear();
  const auto touches = [&](const LawBlock& block) { return is_unilateral(block) && block.gap <= tuning_.touching; };
  const std::vector<LawBlock>& blocks = laws.rows().blocks;
  if (std::none_of(blocks.begin(), blocks.end(),
                   [&](const LawBlock& block) { return touches(block) && laws.rows().row(block).speed < -slowest; }))
    return false;
  for (const LawBlock& block : blocks)
    if (touches(block)) append(laws.rows(), block, met_);
  return true;
}

ImpactReport Impacts::throw_back(const Laws& laws, Mechanism& mechanism, int facets, const ContactAnswer& answer,
                                 State& state) {
  ImpactReport out;
  mechanism.assemble(met_, facets);
  solve::Problem& problem = mechanism.problem();
  problem.b.resize(static_cast<Eigen::Index>(met_.rows.size()));
  for (std::size_t i = 0; i < met_.rows.size(); ++i) problem.b[static_cast<Eigen::Index>(i)] = met_.rows[i].speed;
  const solve::Vector z = poisson_impulses(problem, met_, threshold_, answer, out.residual);
  mechanism.answer(met_, z);
  // Nothing is listed unless some pair met faster than the threshold; then every pair that pushed is.
  bool fast = false;
  for (const LawBlock& block : met_.blocks) fast = fast || met_.row(block).speed < -threshold_;
  const std::size_t known = list_.size();
  for (const LawBlock& block : met_.blocks)
    if (fast && z[block.first] > 0) add(impact_of(block, met_, laws, z, mechanism.change(), state.time));
  out.listed = list_.size() > known;
  const double before = mechanism.energy().kinetic;
  mechanism.strike(state);
  state.ledger.contacts += mechanism.energy().kinetic - before;
  return out;
}

solve::Solution Impacts::answer(const solve::Problem& problem) const {
  const int rows = static_cast<int>(met_.rows.size());
  if (rows <= tuning_.impact_rows) return solve::solve(problem, {.tolerance = tolerance_});
  return solve::solve(problem, {.solver = solve::Solver::gauss_seidel,
                                .tolerance = tolerance_,
                                .max_iterations = std::max(tuning_.impact_sweeps, tuning_.impact_visits / rows)});
}

}  // namespace catena
