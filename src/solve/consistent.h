// Rows that hold at once but cannot all be met: contacts of one body that stick, whose targets are those of a motion of the second order, which no
// velocities of a rigid body are. The nearest targets that can be met.
#pragma once

#include "catena/solve/problem.h"

namespace catena::solve {

// Rows whose w is zero under the laws at z: normals that push, tangents that stick, bounded rows inside of their bounds.
std::vector<int> held_rows(const Problem& problem, const Vector& z);

// Takes from b, on the rows that hold at z, the part of w = A z + b that no impulses of these rows can change. Returns the largest change of a row.
double make_consistent(const Vector& z, Problem& problem);

}  // namespace catena::solve
