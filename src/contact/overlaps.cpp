#include "catena/contact/overlaps.h"

#include <algorithm>

#include "catena/laws/near_normals.h"
#include "catena/mechanism/law_problem.h"

namespace catena {
namespace {

// Over the laws that only push; `contacts`: of shapes alone.
double deepest_overlap(const LawRows& laws, bool contacts) {
  double deepest = 0;
  for (const LawBlock& block : laws.blocks)
    if (contacts ? block.kind == LawKind::contact : is_unilateral(block)) deepest = std::max(deepest, -block.gap);
  return deepest;
}

// Of all that overlaps: the sum of squares.
double sum_of_overlaps(const LawRows& laws) {
  double sum = 0;
  for (const LawBlock& block : laws.blocks)
    if (is_unilateral(block) && block.gap < 0) sum += block.gap * block.gap;
  return sum;
}

}  // namespace

bool Overlaps::separate(const Laws& laws, const std::function<void()>& find, double h, double taken, bool swept,
                        Mechanism& mechanism, ContactSolver& solver, State& state) {
  const double shallow = swept ? tuning_.swept_overlap : tuning_.overlap;
  double deepest = gather(laws.rows(), shallow);
  if (deepest <= shallow) return false;
  taken = std::max(taken, 0.0);
  const auto go = [&](double part) {
    const bool closed = mechanism.shift(part, state);
    find();
    return closed;
  };
  for (int round = 0; round < tuning_.overlap_rounds && deepest > shallow; ++round) {
    const bool deep = swept || deepest > parts_.deep_overlap;
    const double before = mechanism.energy().total(), sum = sum_of_overlaps(laws.rows());
    mechanism.keep(state);
    find_way_apart(mechanism, solver, swept);
    const bool far = !swept && std::min(deepest, since_before_) > std::max(parts_.deep_overlap, parts_.push_out * h);
    const bool closed = go(far ? parts_.push_out * h / deepest : 1);
    const double cost = mechanism.energy().total() - before, left = gather(laws.rows(), shallow);
    if (!closed || !(left < deepest || sum_of_overlaps(laws.rows()) < sum)) {
      go(0);
      break;
    }
    if (deep) {
      state.ledger.projection += cost;
      if (far) break;  // the rest of the way in the steps that follow
    } else if (cost > taken) {
      go(taken / cost);
      state.ledger.contacts += mechanism.energy().total() - before;
      break;
    } else {
      state.ledger.contacts += cost;
      taken -= cost;
    }
    deepest = left;
  }
  return true;
}

void Overlaps::note_start(const LawRows& laws) { since_before_ = deepest_overlap(laws, false); }

double Overlaps::deepest_contact(const LawRows& laws) { return deepest_overlap(laws, true); }

// If something overlaps by more than `shallow`: what does, and what might once that is moved. Returns the deepest overlap.
double Overlaps::gather(const LawRows& laws, double shallow) {
  const double deepest = deepest_overlap(laws, false);
  if (deepest > shallow) gather_near_normals(laws, 4 * deepest, normals_);
  return deepest;
}

// The change of the mechanism's last answer is d. Overlaps that contradict each other, as limits of two joints of a loop may, are reduced as far as can be: every row
// gives way a little, so that there is an answer. Where contacts are swept they are left touching, so that they push on each other in the next
// step.
void Overlaps::find_way_apart(Mechanism& mechanism, ContactSolver& solver, bool swept) {
  mechanism.answer_directly(true);
  mechanism.factor({});
  for (const LawBlock& block : normals_.blocks) {
    LawRow& row = normals_.rows[static_cast<std::size_t>(block.first)];
    row.sigma = tuning_.overlap_soft * free_compliance(mechanism.model(), mechanism.kinematics(), normals_, block, row);
  }
  mechanism.assemble(normals_, 0);
  solve::Problem& problem = mechanism.problem();
  problem.b.resize(static_cast<Eigen::Index>(normals_.rows.size()));
  for (const LawBlock& block : normals_.blocks)
    problem.b[block.first] = block.gap + (swept && block.kind == LawKind::contact ? 0.5 * tuning_.slop : 0);
  solver.answer(problem, swept, false);
  mechanism.answer(normals_, solver.solution.z);
  mechanism.answer_directly(false);
}

}  // namespace catena
