#include "catena/step/impulse_laws.h"

#include <algorithm>
#include <cmath>

#include "catena/solve/solve.h"

namespace catena {
namespace {

constexpr double kSettled = 1e-11;  // m or rad: impulses that change the motion over a step by less are good
constexpr double kReach = 4;        // gaps wider than so many times what can be closed in a step have no say

const LawBlock* block_of(const LawRows& laws, std::uint64_t key) {
  const auto at =
      std::find_if(laws.blocks.begin(), laws.blocks.end(), [&](const LawBlock& block) { return block.key == key; });
  return at == laws.blocks.end() ? nullptr : &*at;
}

double speed_of(const LawBlock& block, const LawRow& row, const State& state) {
  double sum = 0;
  if (block.a.valid()) sum += dot(row.a, velocity_of(state.bodies[block.a]));
  if (block.b.valid()) sum += dot(row.b, velocity_of(state.bodies[block.b]));
  return sum;
}

}  // namespace

ImpulseLaws::ImpulseLaws(const Model& full, const Model& lawless, const Kinematics& kinematics,
                         const Settings& settings)
    : lawless_(&lawless),
      settings_(settings),
      laws_(full, kinematics, settings.contact_margin, settings.facets),
      ahead_(full, kinematics, settings.contact_margin, settings.facets),
      problem_(lawless),
      kinematics_ahead_(lawless) {
  laws_.keep_rolling_axes();
  ahead_.keep_rolling_axes();
}

const Laws& ImpulseLaws::find(const Kinematics& kinematics, double ahead) {
  laws_.find(kinematics, ahead);
  return laws_;
}

double ImpulseLaws::penetration() const {
  double deepest = 0;
  for (const Contact& contact : laws_.contacts()) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

bool ImpulseLaws::begin(double h, bool cut, const Kinematics& kinematics, ConstraintSystem& system,
                        const State& state) {
  active_.clear();
  ending_.clear();
  fast_.clear();
  certificate_ = {};
  double fastest = 10 * h * norm(lawless_->gravity);
  for (const LawRow& row : laws_.rows().rows) fastest = std::max(fastest, std::abs(row.speed));
  std::uint64_t pressed = 0;  // the contact whose turns may follow
  for (const LawBlock& block : laws_.rows().blocks) {
    if (block.kind == LawKind::turn && block.parent != pressed) continue;
    const double speed = laws_.rows().rows[static_cast<std::size_t>(block.first)].speed;
    if (block.kind == LawKind::soft || (is_unilateral(block) && block.gap > kReach * fastest * h)) continue;
    if (cut && is_unilateral(block) && block.gap > Impacts::kTouch && speed < -settings_.restitution_threshold) {
      fast_.push_back({block.key, block.gap, speed});
      continue;
    }
    if (block.kind == LawKind::contact) pressed = block.key;
    append(laws_.rows(), block, active_).bound = 0.5 * h * block.force;
  }
  z_ = solve::Vector::Zero(static_cast<Eigen::Index>(active_.rows.size()));
  if (active_.blocks.empty()) return false;
  problem_.assemble(kinematics, system, active_);
  for (const LawBlock& block : active_.blocks) {
    const auto warm = std::lower_bound(state.impulses.begin(), state.impulses.end(), block.key,
                                       [](const WarmImpulse& w, std::uint64_t key) { return w.key < key; });
    if (warm == state.impulses.end() || warm->key != block.key) continue;
    for (int i = 0; i < block.size; ++i) z_[block.first + i] = 0.5 * h * warm->z[static_cast<std::size_t>(i)];
  }
  return true;
}

void ImpulseLaws::respond(ConstraintSystem& system, std::vector<BodyVector>& dv) {
  std::fill(dv.begin(), dv.end(), BodyVector{});
  for (const LawBlock& block : active_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, active_.rows[static_cast<std::size_t>(i)], z_[i], dv);
  zero_.assign(static_cast<std::size_t>(system.rows()), 0.0);
  lambda_.resize(zero_.size());
  system.solve(zero_, dv, lambda_);
}

// w of a normal is the gap at t + h over h, of what slides or turns the mean of its velocities at t and at t + h.
bool ImpulseLaws::improve(double h, const std::vector<BodyVector>& dv, const State& predicted) {
  kinematics_ahead_.update(*lawless_, predicted);
  ahead_.find(kinematics_ahead_);
  solve::Problem& problem = problem_.problem();
  problem.b.resize(z_.size());
  for (const LawBlock& block : active_.blocks) {
    const LawBlock* there = block_of(ahead_.rows(), block.key);
    for (int i = 0; i < block.size; ++i) {
      const LawRow& row = active_.rows[static_cast<std::size_t>(block.first + i)];
      const double first = row.speed + times(block, row, dv);
      if (i == 0 && is_unilateral(block)) {
        problem.b[block.first] = (there ? there->gap : block.gap + h * first) / h;
        continue;
      }
      const double last = there ? ahead_.rows().rows[static_cast<std::size_t>(there->first + i)].speed
                                : speed_of(block, row, predicted);
      const double asked = there ? 0.5 * (row.phi + ahead_.rows().rows[static_cast<std::size_t>(there->first)].phi) : 0;
      problem.b[block.first + i] = 0.5 * (first + last) - (is_unilateral(block) ? 0 : asked);
    }
  }
  solve::Vector answered;
  solve::multiply(problem.A, z_, answered);
  problem.b -= answered;
  solve::Vector z = z_;
  solve(active_, z);
  solve::Vector change;
  solve::multiply(problem.A, z - z_, change);
  const bool good = h * change.lpNorm<Eigen::Infinity>() <= kSettled;
  z_ = z;
  return good;
}

void ImpulseLaws::solve(LawRows& laws, solve::Vector& z) {
  solve_bound(problem_, laws, z, 0, [&](solve::Vector& from) {
    const solve::Solution solution =
        solve::solve(problem_.problem(), {.tolerance = settings_.contact_tolerance}, &from);
    if (solution.certificate.residual > certificate_.residual) certificate_ = solution.certificate;
    from = solution.z;
  });
}

// gap + speed t + c t² = 0, with c from the gap at h.
double ImpulseLaws::time_of_meeting(double h, const State& predicted) {
  if (fast_.empty()) return h;
  kinematics_ahead_.update(*lawless_, predicted);
  ahead_.find(kinematics_ahead_);
  double first = h;
  for (const Fast& pair : fast_) {
    const LawBlock* there = block_of(ahead_.rows(), pair.key);
    if (!there || there->gap >= 0) continue;
    const double c = (there->gap - pair.gap - pair.speed * h) / (h * h);
    const double root = pair.speed * pair.speed - 4 * c * pair.gap;
    if (root >= 0) first = std::min(first, 2 * pair.gap / (-pair.speed + std::sqrt(root)));
  }
  return first;
}

bool ImpulseLaws::rests(std::uint64_t key) const {
  const LawBlock* block = block_of(active_, key);
  return block && z_[block->first] > 0;
}

// What touches obeys the laws with its velocities. Pairs that have just met, and fast, are left to be thrown back.
bool ImpulseLaws::end(double h, const Kinematics& kinematics, ConstraintSystem& system, std::vector<BodyVector>& dv) {
  ahead_.find(kinematics);
  ending_.clear();
  std::uint64_t pressed = 0;
  for (const LawBlock& block : ahead_.rows().blocks) {
    if (block.kind == LawKind::soft || (block.kind == LawKind::turn && block.parent != pressed)) continue;
    const double speed = ahead_.rows().rows[static_cast<std::size_t>(block.first)].speed;
    if (is_unilateral(block) &&
        (block.gap > Impacts::kTouch || (speed < -settings_.restitution_threshold && !rests(block.key))))
      continue;
    if (block.kind == LawKind::contact) pressed = block.key;
    append(ahead_.rows(), block, ending_).bound = 0.5 * h * block.force;
  }
  z_end_ = solve::Vector::Zero(static_cast<Eigen::Index>(ending_.rows.size()));
  if (ending_.blocks.empty()) return false;
  problem_.assemble(kinematics, system, ending_);
  solve::Problem& problem = problem_.problem();
  problem.b.resize(z_end_.size());
  for (const LawBlock& block : ending_.blocks) {
    const LawBlock* before = block_of(active_, block.key);
    for (int i = 0; i < block.size; ++i) {
      const LawRow& row = ending_.rows[static_cast<std::size_t>(block.first + i)];
      problem.b[block.first + i] = row.speed - row.phi;
      if (before) z_end_[block.first + i] = z_[before->first + i];
    }
  }
  solve(ending_, z_end_);
  std::fill(dv.begin(), dv.end(), BodyVector{});
  for (const LawBlock& block : ending_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, ending_.rows[static_cast<std::size_t>(i)], z_end_[i], dv);
  zero_.assign(static_cast<std::size_t>(system.rows()), 0.0);
  lambda_.resize(zero_.size());
  system.solve(zero_, dv, lambda_);
  return true;
}

double ImpulseLaws::work(const State& state, const std::vector<BodyVector>& dv) const {
  double sum = 0;
  for (const LawBlock& block : active_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = active_.rows[static_cast<std::size_t>(i)];
      sum += z_[i] * (speed_of(block, row, state) + 0.5 * times(block, row, dv));
    }
  return sum;
}

void ImpulseLaws::report(double h, State& state, std::vector<ContactForce>& forces,
                         std::vector<BodyVector>& load) const {
  std::fill(load.begin(), load.end(), BodyVector{});
  for (const auto& [laws, z] : {std::pair{&active_, &z_}, {&ending_, &z_end_}})
    for (const LawBlock& block : laws->blocks)
      for (int i = block.first; i < block.first + block.size; ++i)
        add_force(block, laws->rows[static_cast<std::size_t>(i)], (*z)[i] / h, load);
  forces.clear();
  state.impulses.clear();
  for (const LawBlock& block : ahead_.rows().blocks) {
    if (block.kind == LawKind::soft) continue;
    const LawBlock *first = block_of(active_, block.key), *last = block_of(ending_, block.key);
    std::array<double, 3> force{};
    std::array<double, 2> slip{};
    for (int i = 0; i < block.size; ++i) {
      auto& f = force[static_cast<std::size_t>(i)];
      if (first) f += z_[first->first + i] / h;
      if (last) f += z_end_[last->first + i] / h;
      const LawRow& row = ahead_.rows().rows[static_cast<std::size_t>(block.first + i)];
      if (i > 0) slip[static_cast<std::size_t>(i - 1)] = speed_of(block, row, state);
    }
    if (first || last) state.impulses.push_back({block.key, force});
    if (block.kind == LawKind::contact)
      forces.push_back(contact_force(ahead_.contacts()[static_cast<std::size_t>(block.source)], ahead_.tangents(block),
                                     block.friction, block.shift, force, slip));
  }
  std::sort(state.impulses.begin(), state.impulses.end(),
            [](const WarmImpulse& a, const WarmImpulse& b) { return a.key < b.key; });
}

}  // namespace catena
