#include "catena/solve/sweep_friction.h"

#include "catena/math/dispatch.h"
#include "catena/solve/sweep_kernels.h"

namespace catena::solve {
namespace {

// How many strips ahead x is asked for: it is the only thing a sweep reads out of order, and its blocks take some 40 ns each.
constexpr std::ptrdiff_t kAhead = 12;

template <FrictionMethod method, int kWidth, bool kProduct>
inline int run(const SweepRows& rows, SweepRows::Shape shape, const SweepOrder& order, int i, double* lambda_all,
               double* x) {
  const auto strips = static_cast<std::ptrdiff_t>(rows.strips.size());
  for (; i < order.count; ++i) {
    const SweepRows::Row& row = rows.rows[order[i]];
    if (row.shape != shape) return i;
    for (std::ptrdiff_t s = row.strip + kAhead; s < std::min(row.strip + kAhead + row.strips, strips); ++s)
      __builtin_prefetch(x + rows.strips[s].start, 1);
    double* lambda = lambda_all + row.first;
    double r[3], z[3];
    kernels::residual<3, kWidth>(rows, row, lambda, x, r);                            // lines 7–10
    solve_friction<method>(rows.friction(row), 2, r, lambda, z);                      // 11
    const double change[3] = {z[0] - lambda[0], z[1] - lambda[1], z[2] - lambda[2]};  // 12
    for (int a = 0; a < 3; ++a) lambda[a] = z[a];
    if constexpr (kProduct) kernels::push<3, kWidth>(rows, row, change, x);  // 13–16
  }
  return i;
}

template <FrictionMethod method>
inline int run_of(const SweepRows& rows, const SweepOrder& order, int i, double* lambda, double* x) {
  using Shape = SweepRows::Shape;
  if (rows.rows[order[i]].shape == Shape::friction_by_six)
    return rows.product ? run<method, 6, true>(rows, Shape::friction_by_six, order, i, lambda, x)
                        : run<method, 6, false>(rows, Shape::friction_by_six, order, i, lambda, x);
  if (rows.rows[order[i]].shape == Shape::friction_by_three)
    return rows.product ? run<method, 3, true>(rows, Shape::friction_by_three, order, i, lambda, x)
                        : run<method, 3, false>(rows, Shape::friction_by_three, order, i, lambda, x);
  return i;
}

}  // namespace

CATENA_DISPATCH int sweep_friction(const SweepRows& rows, FrictionMethod method, const SweepOrder& order, int i,
                                   double* lambda, double* x) {
  switch (method) {
    case FrictionMethod::projection: return run_of<FrictionMethod::projection>(rows, order, i, lambda, x);
    case FrictionMethod::approximate: return run_of<FrictionMethod::approximate>(rows, order, i, lambda, x);
    case FrictionMethod::exact: return run_of<FrictionMethod::exact>(rows, order, i, lambda, x);
  }
  return i;
}

}  // namespace catena::solve
