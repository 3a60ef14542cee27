#include "catena/solve/consistent.h"

#include <Eigen/QR>
#include <cmath>

namespace catena::solve {
namespace {

constexpr double kInside = 1 - 1e-9;  // of a bound or a cone: beyond it a row slips
constexpr double kRank = 1e-10;       // of the largest pivot: below it rows depend on each other

bool sticks(const Block& block, const Vector& z) {
  const double normal = z[block.first];
  double reach = 0;
  for (int i = 1; i < block.size; ++i) {
    const double friction =
        block.law == Law::facets ? block.friction[0] : block.friction[static_cast<std::size_t>(i - 1)];
    if (friction <= 0) return false;
    reach = std::hypot(reach, z[block.first + i] / friction);
  }
  return reach < kInside * normal;
}

}  // namespace

std::vector<int> held_rows(const Problem& problem, const Vector& z) {
  std::vector<int> held;
  for (const Block& block : problem.blocks) {
    const int i = block.first;
    switch (block.law) {
      case Law::free:
        for (int k = 0; k < block.size; ++k) held.push_back(i + k);
        break;
      case Law::complementary:
        for (int k = 0; k < block.size; ++k)
          if (z[i + k] > 0) held.push_back(i + k);
        break;
      case Law::boxed:
        if (z[i] > block.lower && z[i] < block.upper) held.push_back(i);
        break;
      case Law::bounded_by:
        if (std::abs(z[i]) < kInside * block.friction[0] * z[block.parent]) held.push_back(i);
        break;
      case Law::facets:
      case Law::cone:
        if (!(z[i] > 0)) break;
        held.push_back(i);
        for (int k = 1; k < block.size && sticks(block, z); ++k) held.push_back(i + k);
        break;
    }
  }
  return held;
}

double make_consistent(const Vector& z, Problem& problem) {
  const std::vector<int> held = held_rows(problem, z);
  if (held.empty()) return 0;
  Vector w;
  multiply(problem.A, z, w);
  w += problem.b;
  const Eigen::MatrixXd A = to_dense(problem.A)(held, held);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors;
  factors.setThreshold(kRank);
  factors.compute(A);
  const Vector asked = w(held);
  const Vector left = asked - A * factors.solve(asked);
  for (std::size_t k = 0; k < held.size(); ++k) problem.b[held[k]] -= left[static_cast<Eigen::Index>(k)];
  return left.lpNorm<Eigen::Infinity>();
}

}  // namespace catena::solve
