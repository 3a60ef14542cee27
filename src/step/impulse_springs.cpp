// impulse_laws.h: contacts, limits and joints that give way.
#include "catena/step/impulse_laws.h"

#include <algorithm>

#include "catena/mechanism/law_problem.h"

namespace catena {

double ImpulseLaws::relaxation_of(const LawBlock& spring) const {
  return spring.kind == LawKind::soft ? spring.spring.relaxation : context_.relaxation_of(spring);
}

// (2ε/h) z + (φ + φ⁺)/2 + τ (φ⁺ − φ)/h over h/2 + τ, so that φ⁺ counts as φ⁺/h, as it does for what is rigid.
void ImpulseLaws::set_sigma(const LawBlock& block, LawRows& laws) const {
  set_creep(block, laws);
  if (!is_spring(block)) return;
  const double sigma = (2 * block.spring.compliance / h_) / (h_ / 2 + relaxation_of(block));
  for (int i = 0; i < block.size; ++i)
    if (is_spring_row(block, i)) laws.row(block, i).sigma = sigma;
}

// Half of the friction of a part acts at either end of it.
void ImpulseLaws::set_creep(const LawBlock& block, LawRows& laws) const {
  for (int i = 1; i < block.size && block.across.creep > 0; ++i) laws.row(block, i).sigma = creep_sigma(block, h_ / 2);
}

// w of a row: `there` is the law at the predicted end, `first` the row's speed at t with all impulses there.
double ImpulseLaws::spring_motion(const LawBlock& spring, int i, const LawBlock* there, double first) const {
  const bool joint = spring.kind == LawKind::soft;
  const LawRow& row = active_.laws.row(spring, i);
  const double phi = joint ? row.phi : spring.gap, tau = relaxation_of(spring);
  const double end = !there ? phi + h_ * first : joint ? ahead_.rows().row(*there, i).phi : there->gap;
  return (0.5 * (phi + end) + tau * (end - phi) / h_) / (h_ / 2 + tau) + row.sigma * active_.z[spring.first + i];
}

// Springs that pushed at t and have parted since push along their rows at t.
void ImpulseLaws::gather_springs_at_end() {
  for (const LawBlock& block : active_.laws.blocks)
    if (is_spring(block) && has_pushed(block.key) && !block_of(ending_.laws, block.key))
      append(active_.laws, block, ending_.laws);
}

// The second half of what springs push with is what the first was: their rows have nothing to move, and that impulse as their answer. `dv`: what it changes
// the velocities by. False: there is no spring.
bool ImpulseLaws::hold_springs(VelocityChange& dv) {
  held_springs_.clear();
  for (const LawBlock& block : ending_.laws.blocks) {
    const LawBlock* before = is_spring(block) ? block_of(active_.laws, block.key) : nullptr;
    for (int i = 0; before && i < block.size; ++i)
      if (is_spring_row(block, i)) ending_.z[block.first + i] = active_.z[before->first + i];
  }
  const bool any = std::any_of(ending_.laws.blocks.begin(), ending_.laws.blocks.end(), is_spring);
  if (!any) return false;
  flight_.respond(ending_.laws, ending_.z, dv);
  for (const LawBlock& block : ending_.laws.blocks)
    for (int i = 0; i < block.size; ++i) {
      if (!is_spring_row(block, i)) continue;
      LawRow& row = ending_.laws.row(block, i);
      held_springs_.push_back(row);
      row.sigma = free_compliance(context_.model(), context_.dynamics.kinematics(), ending_.laws, block, row);
      row.hold();
      row.push = -1;
      row.target = -row.sigma * ending_.z[block.first + i];
    }
  return true;
}

void ImpulseLaws::release_springs() {
  auto next = held_springs_.begin();
  for (const LawBlock& block : ending_.laws.blocks)
    for (int i = 0; i < block.size; ++i)
      if (is_spring_row(block, i)) ending_.laws.row(block, i) = *next++;
}

}  // namespace catena
