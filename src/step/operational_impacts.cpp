// Where bodies meet in a step, and what throws them back: Jain §7.
#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/step/operational.h"

namespace catena {
namespace {

constexpr double kTouch = 1e-8;  // m or rad: a gap below this is none

bool is_unilateral(const LawBlock& block) { return block.kind == LawKind::contact || block.kind == LawKind::limit; }

}  // namespace

void OperationalStepper::note_gaps() {
  start_gaps_.clear();
  for (const LawBlock& block : laws_.rows().blocks)
    if (is_unilateral(block)) start_gaps_.emplace_back(block.key, block.gap);
  std::sort(start_gaps_.begin(), start_gaps_.end());
}

// As it was found there. Points move on curves when joints turn: what the middle says of the start errs by h² of their curvature.
double OperationalStepper::gap_at_start(const LawBlock& block, double speed, double h) const {
  if (!midpoint_) return block.gap;
  const auto at = std::lower_bound(start_gaps_.begin(), start_gaps_.end(), std::pair(block.key, -1e300));
  return at != start_gaps_.end() && at->first == block.key ? at->second : block.gap - h / 2 * speed;
}

// Open at the start of the step, and coming together faster than the threshold.
bool OperationalStepper::will_meet(const LawBlock& block, double h) const {
  const double speed = laws_.rows().rows[static_cast<std::size_t>(block.first)].speed;
  return gap_at_start(block, speed, h) > kTouch && speed < -settings_.restitution_threshold;
}

// When the first such pair meets: gap + speed t + c a t² = 0, with c = ½ where positions follow the mean velocity.
double OperationalStepper::time_of_impact(double h) {
  double first = h;
  bool moved = false;
  for (const LawBlock& block : laws_.rows().blocks) {
    if (!is_unilateral(block) || !will_meet(block, h)) continue;
    if (!std::exchange(moved, true)) system_.motion(v_, y_);
    const LawRow& row = laws_.rows().rows[static_cast<std::size_t>(block.first)];
    const double gap = gap_at_start(block, row.speed, h);
    const double acceleration = (times(block, row, y_) - row.speed) / h;
    const double root = row.speed * row.speed - (midpoint_ ? 2 : 4) * acceleration * gap;
    if (root < 0) continue;
    first = std::min(first, 2 * gap / (-row.speed + std::sqrt(root)));
  }
  return first;
}

// Bodies that touch and come together faster than the threshold are thrown back before the step goes on.
bool OperationalStepper::collide(State& state) {
  bool bounces = false;
  const LawRows& laws = laws_.rows();
  for (const LawBlock& block : laws.blocks)
    bounces |= is_unilateral(block) && block.gap <= kTouch &&
               laws.rows[static_cast<std::size_t>(block.first)].speed < -settings_.restitution_threshold;
  if (!bounces) return false;
  std::vector<int> touching;
  for (std::size_t k = 0; k < laws.blocks.size(); ++k)
    if (is_unilateral(laws.blocks[k]) && laws.blocks[k].gap <= kTouch) touching.push_back(static_cast<int>(k));
  throw_back(touching, state);
  ++report_.impacts;
  return true;
}

// Compression (eq. 54): impulses z that bring the bodies to w ≥ 0, in no time. Decompression (eqs. 56–58): each normal gives back e times what
// it stored, with friction up to its share of that; what then still comes together is stopped.
void OperationalStepper::throw_back(const std::vector<int>& touching, State& state) {
  LawRows met;
  for (const int k : touching) append(laws_.rows(), laws_.rows().blocks[static_cast<std::size_t>(k)], met);
  held_.evaluate(dynamics_.kinematics());
  system_.factor();
  problem_.assemble(dynamics_.kinematics(), held_, met, settings_.facets);
  const int held = held_.rows();
  b_.setZero(held + static_cast<Eigen::Index>(met.rows.size()));
  for (std::size_t i = 0; i < met.rows.size(); ++i) b_[held + static_cast<Eigen::Index>(i)] = met.rows[i].speed;
  const Eigen::VectorXd speeds = b_;
  problem_.load(b_);
  const solve::Solution compression = solve_laws(problem_.problem(), nullptr);
  report_.complementarity = std::max(report_.complementarity, compression.certificate.residual);
  solve::Vector z = compression.z;
  if (decompress(met, compression, z)) {
    const auto& A = std::get<Eigen::MatrixXd>(problem_.problem().A);
    solve::Problem rest{A, problem_.problem().b + A * z, problem_.problem().blocks};
    const double fastest = rest.b.lpNorm<Eigen::Infinity>();
    const bool apart = std::all_of(met.blocks.begin(), met.blocks.end(),
                                   [&](const LawBlock& block) { return rest.b[block.first] >= -1e-9 * fastest; });
    if (!apart) z += solve_laws(rest, nullptr).z;
  }
  problem_.complete(z, z_);
  std::fill(p_.begin(), p_.end(), BodyVector{});
  for (int i = 0; i < held; ++i) held_.add_force(i, z_[i], p_);
  for (const LawBlock& block : met.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, met.rows[static_cast<std::size_t>(i)], z_[held + i], p_);
  system_.respond(p_, dv_);
  for (std::size_t i = 0; i < dv_.size(); ++i) now_.v[i] += dv_[i];
  const Eigen::VectorXd after = speeds + problem_.compliance() * z_;
  for (Eigen::Index i = 0; i < z_.size(); ++i)
    (i < held ? state.ledger.motors : state.ledger.contacts) += 0.5 * z_[i] * (speeds[i] + after[i]);
}

// Adds to z what the normals give back and the friction that goes with it. False when none gives anything back.
// With the normals' impulses given, their rows are out of the problem: without coupling and with −z_n as b they come out so.
bool OperationalStepper::decompress(const LawRows& met, const solve::Solution& compression, solve::Vector& z) {
  const auto& A = std::get<Eigen::MatrixXd>(problem_.problem().A);
  solve::Vector back = solve::Vector::Zero(z.size());
  for (const LawBlock& block : met.blocks)
    if (met.rows[static_cast<std::size_t>(block.first)].speed < -settings_.restitution_threshold)
      back[block.first] = block.restitution * compression.z[block.first];
  if (back.maxCoeff() <= 0) return false;
  solve::Problem release{A, compression.w + A * back, problem_.problem().blocks};
  auto& D = std::get<Eigen::MatrixXd>(release.A);
  for (const LawBlock& block : met.blocks) {
    D.row(block.first).setZero();
    D.col(block.first).setZero();
    D(block.first, block.first) = A(block.first, block.first);
    release.b[block.first] = -back[block.first] * A(block.first, block.first);
  }
  z += solve_laws(release, nullptr).z;
  return true;
}

}  // namespace catena
