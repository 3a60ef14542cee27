// Where bodies meet in a step, and what throws them back.
#include <algorithm>
#include <cmath>

#include "catena/step/add_velocity.h"
#include "catena/step/spook.h"

namespace catena {
namespace {

constexpr double kTouch = 1e-8;  // m or rad: a gap below this is none

}  // namespace

double SpookStepper::gap_at_start(const LawBlock& block, double speed, double h) const {
  return block.gap - (midpoint_ ? h / 2 * speed : 0);
}

// Open at the start of the step, and coming together faster than the threshold.
bool SpookStepper::will_meet(const LawBlock& block, double h) const {
  const double speed = laws_.rows().rows[static_cast<std::size_t>(block.first)].speed;
  return gap_at_start(block, speed, h) > kTouch && speed < -settings_.restitution_threshold;
}

// When the first such pair meets: gap + speed t + c a t² = 0, with c = ½ where positions follow the mean velocity.
double SpookStepper::time_of_impact(double h) const {
  double first = h;
  for (const LawBlock& block : laws_.rows().blocks) {
    if ((block.kind != LawKind::contact && block.kind != LawKind::limit) || !will_meet(block, h)) continue;
    const LawRow& row = laws_.rows().rows[static_cast<std::size_t>(block.first)];
    const double gap = gap_at_start(block, row.speed, h);
    const double acceleration = times(block, row, y_) / h;
    const double root = row.speed * row.speed - (midpoint_ ? 2 : 4) * acceleration * gap;
    if (root < 0) continue;
    first = std::min(first, 2 * gap / (-row.speed + std::sqrt(root)));
  }
  return first;
}

// Bodies that touch and come together faster than the threshold are thrown back before the step goes on.
bool SpookStepper::collide(State& state) {
  bool bounces = false;
  std::vector<int> touching;
  const LawRows& laws = laws_.rows();
  for (std::size_t k = 0; k < laws.blocks.size(); ++k) {
    const LawBlock& block = laws.blocks[k];
    if ((block.kind != LawKind::contact && block.kind != LawKind::limit) || block.gap > kTouch) continue;
    touching.push_back(static_cast<int>(k));
    const double speed = laws.rows[static_cast<std::size_t>(block.first)].speed;
    bounces |= speed < -settings_.restitution_threshold;
  }
  if (!bounces) return false;
  throw_back(touching, state);
  ++report_.impacts;
  return true;
}

// Poisson's law in two phases (Jain §7). Compression: impulses z that bring the bodies together to w ≥ 0, as in a step without time.
// Decompression: each normal gives back e times what it stored, friction up to its share of that; what then still comes together is
// stopped.
void SpookStepper::throw_back(const std::vector<int>& touching, State& state) {
  LawRows met;
  for (const int k : touching) append(laws_.rows(), laws_.rows().blocks[static_cast<std::size_t>(k)], met);
  if (!factored_) factor(state);
  problem_.assemble(dynamics_.kinematics(), dynamics_.system(), met);
  solve::Problem& problem = problem_.problem();
  problem.b.resize(static_cast<Eigen::Index>(met.rows.size()));
  for (std::size_t i = 0; i < met.rows.size(); ++i) problem.b[static_cast<Eigen::Index>(i)] = met.rows[i].speed;
  const solve::Options options{.tolerance = settings_.contact_tolerance};
  const solve::Solution compression = solve::solve(problem, options);
  report_.complementarity = std::max(report_.complementarity, compression.certificate.residual);
  solve::Vector z = compression.z;
  if (decompress(met, compression, z)) {
    problem.b += to_dense(problem.A) * z;
    const double fastest = problem.b.lpNorm<Eigen::Infinity>();
    const bool apart = std::all_of(met.blocks.begin(), met.blocks.end(),
                                   [&](const LawBlock& block) { return problem.b[block.first] >= -1e-9 * fastest; });
    if (!apart) z += solve::solve(problem, options).z;
  }

  std::fill(y_.begin(), y_.end(), BodyVector{});
  for (const LawBlock& block : met.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, met.rows[static_cast<std::size_t>(i)], z[i], y_);
  std::fill(b_.begin(), b_.end(), 0.0);
  dynamics_.system().solve(b_, y_, lambda_);
  const double before = dynamics_.kinetic_energy(state);
  for (std::size_t i = 0; i < y_.size(); ++i) add_velocity(model_->bodies[i].kind, y_[i], state.bodies[i]);
  state.ledger.contacts += dynamics_.kinetic_energy(state) - before;
}

// Adds to z what the normals give back and the friction that goes with it. False when none gives anything back.
// With the normals' impulses given, their rows are out of the problem: without coupling and with −z_n as b they come out so.
bool SpookStepper::decompress(const LawRows& met, const solve::Solution& compression, solve::Vector& z) const {
  const solve::Problem& problem = problem_.problem();
  const Eigen::MatrixXd A = to_dense(problem.A);
  solve::Problem release{A, compression.w, problem.blocks};
  solve::Vector back = solve::Vector::Zero(z.size());
  for (const LawBlock& block : met.blocks)
    if (met.rows[static_cast<std::size_t>(block.first)].speed < -settings_.restitution_threshold)
      back[block.first] = block.restitution * compression.z[block.first];
  if (back.maxCoeff() <= 0) return false;
  release.b += A * back;
  auto& D = std::get<Eigen::MatrixXd>(release.A);
  for (const LawBlock& block : met.blocks) {
    D.row(block.first).setZero();
    D.col(block.first).setZero();
    D(block.first, block.first) = A(block.first, block.first);
    release.b[block.first] = -back[block.first] * A(block.first, block.first);
  }
  z += solve::solve(release, {.tolerance = settings_.contact_tolerance}).z;
  return true;
}

}  // namespace catena
