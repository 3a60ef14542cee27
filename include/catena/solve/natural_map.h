// How far (z, w) is from its laws: z − P(z − ρ ŵ), which vanishes at solutions and only there. P projects on the set a block's z must lie
// in; ŵ is w with De Saxcé's term, the slip speed times the friction, added to a normal row.
#pragma once

#include "catena/solve/problem.h"

namespace catena::solve {

// The nearest point of { ‖t‖ ≤ friction · n } to v = (n, t), in place. `tangents` is 1 or 2.
void project_on_cone(double friction, int tangents, double* v);

// The nearest point of the cone over a regular polygon with `facets` corners (cos, sin)(2πj/facets) · friction; 3 rows.
void project_on_facets(double friction, int facets, double* v);

// De Saxcé's term of a block: what its law adds to w_n. friction ‖w_t‖ for a circle, the support function in general.
double slip_term(const Block& block, const double* w);

// A block's part of z − P(z − ρ ŵ). `z` is the whole vector (a bound may depend on another row); `w` and `out` are the block's rows.
void natural_map(const Block& block, const Vector& z, const double* w, double rho, double* out);

// The scale of a problem's matrix: its largest diagonal entry, or largest entry where the diagonal vanishes, or 1 where that
// vanishes too. What is smaller than kVanishing does: its inverse would overflow.
constexpr double kVanishing = 1e-60;
double matrix_scale(const Matrix& A);

struct Residual {
  double value = 0;    // ‖z − P(z − ŵ/s)‖ s / ‖b‖, s = matrix_scale; ‖b‖ taken as 1 where b = 0
  int worst_row = -1;  // the largest component
  double gap = 0;      // largest |zᵀŵ| of a block, relative to the largest |z| and |b|
};
Residual natural_residual(const Problem& problem, const Vector& z, const Vector& w, double scale);

}  // namespace catena::solve
