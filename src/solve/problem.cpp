#include "catena/solve/problem.h"

#include <cmath>
#include <sstream>

namespace catena::solve {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw ProblemError(message.str());
}

constexpr const char* kWanted = "; every number must be finite and at most 1e30";
bool usable(double number) { return std::abs(number) <= kLargest; }

void check_numbers(const Problem& problem) {
  for (int i = 0; i < problem.size(); ++i)
    if (!usable(problem.b[i])) refuse("b[", i, "] is ", problem.b[i], kWanted);
  if (const auto* D = std::get_if<Eigen::MatrixXd>(&problem.A)) {
    if (D->rows() != D->cols()) refuse("the matrix is ", D->rows(), " x ", D->cols(), "; it must be square");
    for (int i = 0; i < D->rows(); ++i)
      for (int j = 0; j < D->cols(); ++j)
        if (!usable((*D)(i, j))) refuse("A[", i, "][", j, "] is ", (*D)(i, j), kWanted);
    return;
  }
  const SparseRows S = to_sparse(problem.A);
  for (int i = 0; i < S.outerSize(); ++i)
    for (SparseRows::InnerIterator at(S, i); at; ++at)
      if (!usable(at.value())) refuse("A[", i, "][", at.col(), "] is ", at.value(), kWanted);
}

void check_friction(const Block& block, std::size_t k, int axes) {
  for (int a = 0; a < axes; ++a)
    if (!(block.friction[a] >= 0) || !usable(block.friction[a]))
      refuse("block ", k, ": friction ", block.friction[a], "; it must be finite, at most 1e30 and not negative");
}

void check_block(const Problem& problem, std::size_t k) {
  const Block& block = problem.blocks[k];
  const auto rows = [&](int least, int most) {
    if (block.size < least || block.size > most)
      refuse("block ", k, " (", name_of(block.law), ") has ", block.size, " rows; it takes ", least,
             least == most ? "" : " or more");
  };
  switch (block.law) {
    case Law::free:
    case Law::complementary: rows(1, problem.size()); break;
    case Law::boxed:
      rows(1, 1);
      if (std::isnan(block.lower) || std::isnan(block.upper) || !(block.lower <= block.upper) ||
          block.lower == std::numeric_limits<double>::infinity() ||
          block.upper == -std::numeric_limits<double>::infinity())
        refuse("block ", k, ": bounds ", block.lower, " and ", block.upper, "; the lower must not exceed the upper");
      for (const double bound : {block.lower, block.upper})
        if (std::isfinite(bound) && !usable(bound))
          refuse("block ", k, ": bound ", bound, "; beyond 1e30 there must be none");
      break;
    case Law::bounded_by:
      rows(1, 1);
      check_friction(block, k, 1);
      if (block.parent < 0 || block.parent >= problem.size())
        refuse("block ", k, " is bounded by row ", block.parent, "; there are ", problem.size(), " rows");
      break;
    case Law::facets:
      rows(2, 3);
      check_friction(block, k, 1);
      if (block.size == 3 && (block.facets < 4 || block.facets > 64 || block.facets % 2 != 0))
        refuse("block ", k, ": ", block.facets, " facets; it takes an even number from 4 to 64");
      break;
    case Law::cone:
      rows(2, 3);
      check_friction(block, k, block.size - 1);
      break;
  }
}

}  // namespace

std::string_view name_of(Law law) {
  switch (law) {
    case Law::free: return "free";
    case Law::complementary: return "complementary";
    case Law::boxed: return "boxed";
    case Law::bounded_by: return "bounded by";
    case Law::facets: return "facets";
    case Law::cone: return "cone";
  }
  return "";
}

void check(const Problem& problem) {
  const int size = size_of(problem.A);
  if (size != problem.size()) refuse("the matrix has ", size, " rows and b ", problem.size(), "; they must agree");
  int row = 0;
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    if (problem.blocks[k].first != row)
      refuse("block ", k, " begins at row ", problem.blocks[k].first, "; it must follow the one before, at row ", row);
    check_block(problem, k);
    row += problem.blocks[k].size;
  }
  if (row != size) refuse("the blocks cover ", row, " rows of ", size);
  std::vector<char> carries(size, 0);
  for (const Block& block : problem.blocks)
    if (block.law == Law::complementary)
      for (int i = 0; i < block.size; ++i) carries[block.first + i] = 1;
  for (std::size_t k = 0; k < problem.blocks.size(); ++k)
    if (problem.blocks[k].law == Law::bounded_by && !carries[problem.blocks[k].parent])
      refuse("block ", k, " is bounded by row ", problem.blocks[k].parent, ", which is not complementary");
  check_numbers(problem);
}

std::vector<Block> complementary_rows(int size) {
  std::vector<Block> blocks(size);
  for (int i = 0; i < size; ++i) blocks[i].first = i;
  return blocks;
}

std::vector<Block> friction_cones(const Vector& friction, int dimension) {
  std::vector<Block> blocks(friction.size());
  for (int k = 0; k < friction.size(); ++k)
    blocks[k] = {.law = Law::cone, .first = k * dimension, .size = dimension, .friction = {friction[k], friction[k]}};
  return blocks;
}

}  // namespace catena::solve
