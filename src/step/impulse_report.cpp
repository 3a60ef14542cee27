// impulse_laws.h: work of the laws' impulses, and what is told of them.
#include <algorithm>

#include "catena/contact/warm_start.h"
#include "catena/solve/solve.h"
#include "catena/step/impulse_laws.h"

namespace catena {

ImpulseLaws::Work ImpulseLaws::work(const State& state, const std::vector<BodyVector>& dv) const {
  Work sum;
  for (const LawBlock& block : active_.laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = active_.laws.rows[static_cast<std::size_t>(i)];
      double& account = block.kind == LawKind::motor ? sum.motors : sum.contacts;
      account += active_.z[i] * (speed_of(active_.laws, block, row, state) + 0.5 * times(active_.laws, block, row, dv));
    }
  return sum;
}

// At the mean of the velocities before and after all impulses there, those of the joints that came first among them: as at t, where they act together.
ImpulseLaws::Work ImpulseLaws::work_at_end(const std::vector<BodyVector>& dv,
                                           const std::vector<BodyVector>& all) const {
  Work sum;
  for (const LawBlock& block : ending_.laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = ending_.laws.rows[static_cast<std::size_t>(i)];
      double& account = block.kind == LawKind::motor ? sum.motors : sum.contacts;
      account +=
          ending_.z[i] * (row.speed + times(ending_.laws, block, row, dv) - 0.5 * times(ending_.laws, block, row, all));
    }
  return sum;
}

// The impulses of a block at t along the directions its contact has at t + h: one vector, whichever way it is written.
std::array<double, 3> ImpulseLaws::turned(const LawBlock& first, const LawBlock& last) const {
  std::array<double, 3> z{};
  for (int i = 0; i < first.size; ++i) z[static_cast<std::size_t>(i)] = active_.z[first.first + i];
  if (first.kind != LawKind::contact || first.across.shift != 0 || last.across.shift != 0) return z;
  const auto frame = [](const Laws& laws, const LawBlock& block) {
    const std::array<Vec3, 2>& tangents = laws.tangents(block);
    return std::array{laws.contacts()[static_cast<std::size_t>(block.source)].normal, tangents[0], tangents[1]};
  };
  const auto here = frame(*context_.laws, first), there = frame(ahead_, last);
  const Vec3 impulse = z[0] * here[0] + z[1] * here[1] + z[2] * here[2];
  for (std::size_t i = 0; i < 3; ++i) z[i] = dot(impulse, there[i]);
  return z;
}

void ImpulseLaws::report(double h, State& state) {
  std::fill(context_.load.begin(), context_.load.end(), BodyVector{});
  for (const Pushing* pushing : {&active_, &ending_}) add_forces(pushing->laws, pushing->z / h, 0, context_.load);
  context_.report.complementarity = std::max(context_.report.complementarity, certificate_.residual);
  context_.report.fallbacks = std::max(context_.report.fallbacks, certificate_.fallbacks);
  if (certificate_.residual > std::max(context_.settings.contact_tolerance, solve::Options{}.acceptable))
    ++context_.report.swept;
  context_.contacts.drop_part();
  state.impulses.clear();
  for (const LawBlock& block : ahead_.rows().blocks) {
    if (block.kind == LawKind::soft) continue;  // what it carries follows from how far it gives way
    const LawBlock *first = block_of(active_.laws, block.key), *last = block_of(ending_.laws, block.key);
    std::array<double, 3> force{};
    std::array<double, 2> slip{};
    if (first) force = turned(*first, block);
    for (int i = 0; i < block.size; ++i) {
      auto& f = force[static_cast<std::size_t>(i)];
      f /= h;
      if (last) f += ending_.z[last->first + i] / h;
      const LawRow& row = ahead_.rows().row(block, i);
      if (i > 0) slip[static_cast<std::size_t>(i - 1)] = speed_of(ahead_.rows(), block, row, state);
    }
    if (first || last) state.impulses.push_back({block.key, force});
    if (block.kind == LawKind::contact) context_.contacts.add(ahead_, block, force, slip);
  }
  sort_impulses(state);
}

}  // namespace catena
