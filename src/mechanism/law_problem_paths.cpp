// law_problem.h: the compliance of laws through the joints of a forest, by half a solve a row.
#include <algorithm>
#include <array>

#include "catena/mechanism/law_problem.h"
#include "catena/primary/path_compliance.h"

namespace catena {

// Where the joints form a forest and forces are along their own rows: by half a solve a row, if that costs less. False: not so.
bool LawProblem::fill_by_paths(const ConstraintSystem& system, const LawRows& laws, solve::BlockSparse& A) {
  const MaximalSystem* const forest = system.forest();
  if (!forest || std::any_of(laws.rows.begin(), laws.rows.end(), [](const LawRow& row) { return row.is_oblique(); }))
    return false;
  if (!paths_ || paths_->system() != forest) paths_ = std::make_unique<PathCompliance>(*forest);
  if (!is_cheaper_by_paths(laws)) return false;
  fill_from_paths(laws, A);
  return true;
}

// Multiplications: of a solve of the whole forest for every row and products of its motion with every row, against half solves and products of these.
bool LawProblem::is_cheaper_by_paths(const LawRows& laws) const {
  constexpr double kNode = 120, kProduct = 12;
  const auto rows = static_cast<double>(laws.rows.size());
  const double by_columns = rows * (kNode * static_cast<double>(model_->bodies.size()) + kProduct * rows);
  double by_paths = 0;
  for (const LawBlock& block : laws.blocks)
    for (const LawSide& side : sides_of(block))
      if (side.body.valid())
        by_paths += block.size * (paths_->cost_of_term(side.body) + 0.5 * rows * paths_->cost_of_entry(side.body));
  return by_paths < by_columns;
}

void LawProblem::fill_from_paths(const LawRows& laws, solve::BlockSparse& A) const {
  const std::size_t count = laws.blocks.size();
  std::array<PathCompliance::Term, 4> terms;
  paths_->clear();
  for (std::size_t r = 0; r < count; ++r) {
    const LawBlock& block = laws.blocks[r];
    for (int i = 0; i < block.size; ++i) {
      std::size_t sides = 0;
      for (const LawSide& side : sides_of(block))
        if (side.body.valid()) terms[sides++] = {side.body, J_at(side, laws, laws.row(block, i))};
      const std::span<const double> W = paths_->add(std::span(terms).first(sides));
      for (std::size_t c = 0; c <= r; ++c) {
        if (place_[r * count + c] < 0) continue;
        const LawBlock& column = laws.blocks[c];
        double* const below = A.values.data() + place_[r * count + c];
        double* const above = A.values.data() + place_[c * count + r];
        for (int j = 0; j < (r == c ? i + 1 : column.size); ++j)
          below[i * column.size + j] = above[j * block.size + i] = W[static_cast<std::size_t>(column.first + j)];
      }
    }
  }
}

}  // namespace catena
