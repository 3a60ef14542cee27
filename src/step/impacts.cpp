#include "catena/step/impacts.h"

#include <algorithm>

#include "catena/solve/solve.h"
#include "catena/step/add_velocity.h"

namespace catena {

Impacts::Impacts(const Model& model, double threshold, double tolerance)
    : model_(&model), threshold_(threshold), tolerance_(tolerance), problem_(model), y_(model.bodies.size()) {}

bool Impacts::meeting(const Laws& laws, double slowest) {
  met_.clear();
  bool meeting = false;
  for (const LawBlock& block : laws.rows().blocks) {
    if ((block.kind != LawKind::contact && block.kind != LawKind::limit) || block.gap > kTouch) continue;
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
  list(z, laws, state.time);
  if (list_.size() > known) ++report.impacts;
}

solve::Vector Impacts::impulses(StepReport& report) {
  solve::Problem& problem = problem_.problem();
  problem.b.resize(static_cast<Eigen::Index>(met_.rows.size()));
  for (std::size_t i = 0; i < met_.rows.size(); ++i) problem.b[static_cast<Eigen::Index>(i)] = met_.rows[i].speed;
  const solve::Options options{.tolerance = tolerance_};
  const solve::Solution compression = solve::solve(problem, options);
  report.complementarity = std::max(report.complementarity, compression.certificate.residual);
  solve::Vector z = compression.z;
  if (!decompress(compression, z)) return z;
  problem.b += to_dense(problem.A) * z;
  const double fastest = problem.b.lpNorm<Eigen::Infinity>();
  const bool apart = std::all_of(met_.blocks.begin(), met_.blocks.end(),
                                 [&](const LawBlock& block) { return problem.b[block.first] >= -1e-9 * fastest; });
  if (!apart) z += solve::solve(problem, options).z;
  return z;
}

// Adds to z what the normals give back and the friction that goes with it. False when none gives anything back.
// With the normals' impulses given, their rows are out of the problem: without coupling and with −z_n as b they come out so.
bool Impacts::decompress(const solve::Solution& compression, solve::Vector& z) const {
  const solve::Problem& problem = problem_.problem();
  const Eigen::MatrixXd A = to_dense(problem.A);
  solve::Problem release{A, compression.w, problem.blocks};
  solve::Vector back = solve::Vector::Zero(z.size());
  for (const LawBlock& block : met_.blocks)
    if (met_.rows[static_cast<std::size_t>(block.first)].speed < -threshold_)
      back[block.first] = block.restitution * compression.z[block.first];
  if (back.maxCoeff() <= 0) return false;
  release.b += A * back;
  auto& D = std::get<Eigen::MatrixXd>(release.A);
  for (const LawBlock& block : met_.blocks) {
    D.row(block.first).setZero();
    D.col(block.first).setZero();
    D(block.first, block.first) = A(block.first, block.first);
    release.b[block.first] = -back[block.first] * A(block.first, block.first);
  }
  z += solve::solve(release, {.tolerance = tolerance_}).z;
  return true;
}

void Impacts::apply(const solve::Vector& z, Dynamics& dynamics, State& state) {
  std::fill(y_.begin(), y_.end(), BodyVector{});
  for (const LawBlock& block : met_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, met_.rows[static_cast<std::size_t>(i)], z[i], y_);
  zero_.assign(static_cast<std::size_t>(dynamics.system().rows()), 0.0);
  lambda_.resize(zero_.size());
  dynamics.system().solve(zero_, y_, lambda_);
  const double before = dynamics.kinetic_energy(state);
  for (std::size_t i = 0; i < y_.size(); ++i) add_velocity(model_->bodies[i].kind, y_[i], state.bodies[i]);
  state.ledger.contacts += dynamics.kinetic_energy(state) - before;
}

// Those that met faster than the threshold, and those they passed it on to.
void Impacts::list(const solve::Vector& z, const Laws& laws, double time) {
  const auto first_row = [&](const LawBlock& block) -> const LawRow& {
    return met_.rows[static_cast<std::size_t>(block.first)];
  };
  if (std::none_of(met_.blocks.begin(), met_.blocks.end(),
                   [&](const LawBlock& block) { return first_row(block).speed < -threshold_; }))
    return;
  for (const LawBlock& block : met_.blocks) {
    if (!(z[block.first] > 0)) continue;
    Impact impact{.time = time, .normal = z[block.first], .before = first_row(block).speed};
    impact.after = impact.before + times(block, first_row(block), y_);
    if (block.kind == LawKind::limit) {
      impact.joint = JointId(block.source);
    } else {
      impact.contact = laws.contacts()[static_cast<std::size_t>(block.source)];
      impact.impulse = impact.normal * impact.contact.normal;
      for (int i = 1; i < block.size; ++i)
        impact.impulse += z[block.first + i] * laws.tangents(block)[static_cast<std::size_t>(i - 1)];
    }
    list_.push_back(impact);
  }
}

}  // namespace catena
