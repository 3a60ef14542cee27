// Complementarity problems: w = A z + b with a law for every block of rows that ties w to z.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/solve/matrix.h"

namespace catena::solve {

enum class Law : std::uint8_t {
  free,           // w = 0
  complementary,  // 0 ≤ z ⟂ w ≥ 0, row by row
  boxed,       // lower ≤ z ≤ upper; w ≥ 0 at the lower end, w ≤ 0 at the upper, w = 0 between          (1 row)
  bounded_by,  // |z| ≤ friction · z_parent, otherwise as boxed: a side of a friction pyramid             (1 row)
  facets,  // rows (n, t) or (n, t1, t2): 0 ≤ z_n ⟂ w_n ≥ 0 and z_t in a regular polygon of radius friction · z_n, opposite
  // to w_t; Jain eq. 10 with n_f directions                                               (2 or 3 rows)
  cone,  // the same with the disc or ellipse itself: Coulomb's law                               (2 or 3 rows)
};
std::string_view name_of(Law law);

struct Block {
  Law law = Law::complementary;
  int first = 0, size = 1;
  double lower = 0, upper = std::numeric_limits<double>::infinity();  // boxed
  int parent = -1;                                                    // bounded_by: a complementary row
  std::array<double, 2> friction{};  // bounded_by: [0]; facets: [0]; cone: half axes of the ellipse at z_n = 1
  int facets = 4;                    // n_f, even, at least 4 (2 where there is one tangent)
};

struct Problem {
  Matrix A;
  Vector b;
  std::vector<Block> blocks;  // in order, covering every row once

  int size() const { return static_cast<int>(b.size()); }
};

// Numbers of a problem are at most so large, that squares of their products stay finite.
constexpr double kLargest = 1e30;

// Malformed problems: sizes that do not fit, numbers that are not finite or too large, bounds the wrong way round. Says which and where.
class ProblemError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Throws ProblemError. Solvers take a problem for checked.
void check(const Problem& problem);

// Laws for every row of a plain problem.
std::vector<Block> complementary_rows(int size);
std::vector<Block> friction_cones(const Vector& friction, int dimension);

}  // namespace catena::solve
