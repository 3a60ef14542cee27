// Problems that are several side by side: rows that no entry of the matrix ties together, as of boxes that lie here and there on a floor.
#pragma once

#include <vector>

#include "catena/solve/problem.h"

namespace catena::solve {

struct Part {
  Problem problem;        // dense where it is small
  std::vector<int> rows;  // of the whole, in order
};

// The parts of a block-sparse or product problem, in order of their first rows. Empty where the matrix is dense or there is only one.
std::vector<Part> split(const Problem& problem);

}  // namespace catena::solve
