// Bytes as a problem of 1 to 12 rows under every law, of numbers that make it degenerate: zeros, ones, and 1e-9 beside 1e9.
#include <array>
#include <cstdint>
#include <span>

#include "fuzz_checks.h"

namespace catena::solve::fuzz {
namespace {

constexpr int kRows = 12;
constexpr std::array<int, 4> kIterations = {2, 4, 8, 20};
constexpr std::array<double, 16> kNumbers = {0, 1, -1, 1e-9, -1e-9, 1e9, -1e9, 2, -2, 0.5, -0.5, 3, 1e-4, 1e4, 0, 1};

class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  int below(int count) { return next() % count; }
  double number() { return kNumbers[next() % kNumbers.size()]; }
  double positive() { return std::abs(number()); }

 private:
  int next() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

Block any_block(Bytes& bytes, const Problem& so_far, int first) {
  Block block{.law = static_cast<Law>(bytes.below(6)), .first = first};
  switch (block.law) {
    case Law::free:
    case Law::complementary: block.size = 1 + bytes.below(4); break;
    case Law::boxed:
      if (bytes.below(4) == 0) block.lower = -std::numeric_limits<double>::infinity();
      else block.lower = bytes.number();
      if (bytes.below(4) > 0)
        block.upper = (std::isfinite(block.lower) ? block.lower : bytes.number()) + bytes.positive();
      break;
    case Law::bounded_by:
      block.friction = {bytes.positive(), 0};
      for (const Block& other : so_far.blocks)
        if (other.law == Law::complementary) block.parent = other.first + bytes.below(other.size);
      if (block.parent < 0) block.law = Law::complementary;
      break;
    case Law::facets:
    case Law::cone:
      block.size = 2 + bytes.below(2);
      block.friction = {bytes.positive(), bytes.positive()};
      block.facets = 4 + 2 * bytes.below(4);
      break;
  }
  return block;
}

// As the numbers come, symmetric, or B Bᵀ with few columns.
Eigen::MatrixXd any_matrix(Bytes& bytes, int size) {
  const int shape = bytes.below(3), columns = shape == 2 ? 1 + bytes.below(size) : size;
  Eigen::MatrixXd B(size, columns);
  for (double& x : B.reshaped()) x = bytes.number();
  if (shape == 0) return B;
  if (shape == 1) return B.selfadjointView<Eigen::Lower>();
  return B * B.transpose();
}

Problem any_problem(Bytes& bytes) {
  Problem problem;
  int rows = 0;
  for (const int wanted = 1 + bytes.below(kRows - 3); rows < wanted; rows += problem.blocks.back().size)
    problem.blocks.push_back(any_block(bytes, problem, rows));
  problem.b.resize(rows);
  for (double& x : problem.b) x = bytes.number();
  problem.A = any_matrix(bytes, rows);
  return problem;
}

}  // namespace
}  // namespace catena::solve::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena::solve;
  fuzz::Bytes bytes({data, size});
  // One solver an input, so that a million inputs take minutes.
  const auto solver = static_cast<Solver>(bytes.below(5));
  const int iterations = fuzz::kIterations[static_cast<std::size_t>(bytes.below(4))];
  const Problem problem = fuzz::any_problem(bytes);
  check(problem);
  fuzz::solve_with(solver, problem, iterations);
  return 0;
}
