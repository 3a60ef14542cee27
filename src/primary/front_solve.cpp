// front_elimination.h: right-hand sides up, motions down.
#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/math/dispatch.h"
#include "catena/math/scalar.h"
#include "catena/primary/front_elimination.h"
#include "catena/primary/front_kernels.h"

namespace catena {

using namespace front;

namespace {

constexpr double kRounding = 1e-12;  // right-hand sides consistent to this are left as they are

CATENA_DISPATCH bool is_zero(std::span<const double> x) {
  std::size_t i = 0;
  for (; i + 2 * kLane <= x.size(); i += 2 * kLane) {
    const Quad low = quad(x.data() + i), high = quad(x.data() + i + kLane);
    if (any(LanesMask<1>{{(low != 0) | (high != 0)}})) return false;
  }
  return std::all_of(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(), [](double each) { return each == 0; });
}

}  // namespace

void FrontElimination::solve(const RowSet& rows, std::span<const double> b, std::span<BodyVector> y,
                             std::span<double> lambda, bool least) {
  found_.inconsistency = found_.force_residual = 0;
  motion_.still = is_zero(b);
  if (!lambda.empty()) std::copy(y.begin(), y.end(), motion_.force.begin());
  if (!motion_.still) carry_along(b, y);
  for (std::size_t i = 0; i < work_.size(); ++i) rise(i, rows, b, y, least);
  for (std::size_t i = work_.size(); i-- > 0;) sink(i, y, lambda, least);
  if (!motion_.still)
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += motion_.carried[i];
  if (!lambda.empty()) {
    const double largest = lack_of_forces(y);
    balance(rows, largest, lambda);
  }
}

void FrontElimination::multipliers(const RowSet& rows, std::span<const BodyVector> f, std::span<const BodyVector> y,
                                   std::span<double> lambda) {
  found_.inconsistency = found_.force_residual = 0;
  std::copy(f.begin(), f.end(), motion_.force.begin());
  const double largest = lack_of_forces(y);
  for (std::size_t i = 0; i < work_.size(); ++i) rise_in_balance(i, motion_.force);
  for (std::size_t i = work_.size(); i-- > 0;) {
    Work& w = work_[i];
    if (w.rows == 0) continue;
    for (int p = 0; p < w.pivots(); ++p)
      scratch_.coefficients[at(p)] = w.gp[p] + (p < w.solved ? 0 : w.nu[p - w.solved]);
    share_multipliers(plan_.fronts[i], w, lambda, false);
  }
  balance(rows, largest, lambda);
}

// A motion that meets the rows of the forests' joints, roots first: every body is carried along by the one it hangs on, and moves against it as the
// rows of its joint ask. What is left to find has no such part. `f`: without the forces that this motion takes.
CATENA_DISPATCH void FrontElimination::carry_along(std::span<const double> b, std::span<BodyVector> f) {
  for (const Link& link : links_) {
    BodyVector& own = motion_.carried[link.body];
    if (link.row < 0) {
      own = {};
      continue;
    }
    const Spatial c = joints_[at(link.joint)].motion(b.data() + link.row);
    Vec3 v = link.sign * (c.linear + cross(c.angular, link.from_joint)), w = link.sign * c.angular;
    if (link.parent >= 0) {
      const BodyVector& with = motion_.carried[at(link.parent)];
      v += with.linear + cross(with.angular, link.from_parent);
      w += with.angular;
    }
    own = {v, w, 0};
    BodyVector& force = f[link.body];
    force.linear -= link.m * v;
    force.angular -= link.I * w;
  }
}

namespace {

double largest_number(const double* x, int n) {
  double largest = 0;
  for (int k = 0; k < n; ++k) largest = std::max(largest, std::abs(x[k]));
  return largest;
}

// r ← E r, over all rows.
template <class Work>
CATENA_INLINE void eliminate(const Work& w, double* r, int stride_e, double* c) {
  for (int p = 0; p < w.pivots(); ++p) c[p] = std::exchange(r[p], 0);
  combine(r, padded(w.rows), w.pivots(), c, Spaced{w.E, stride_e});
}
}  // namespace

// t without the pivots of the rows: q_p = r₁ − G t, B_p = r₂ − G' t put in.
CATENA_INLINE void FrontElimination::leave_pivots(const BodyFront& F, Work& w, const RowSet& rows,
                                                  std::span<const double> b, bool least) {
  const int stride = w.stride, pivots = w.pivots();
  double *t = w.t, *c = scratch_.coefficients.data(), *u = scratch_.row;
  const double** x = scratch_.pointers.data();
  if (motion_.still) zero(w.r, padded(w.rows));
  else rows_rhs(F, w, rows, b, least);
  for (int p = 0; p < pivots; ++p) c[p] = -(w.gp[p] = t[w.pivot[p]]);
  if (!motion_.still) {
    for (int p = 0; p < pivots; ++p) x[p] = w.pivot_row(p);
    zero(u, stride);
    combine(u, stride, pivots, w.r, Listed{x});
    for (int p = 0; p < pivots; ++p) c[p] += u[w.pivot[p]];
    add_scaled(t, u, -1, stride);
  }
  combine(t, w.row_stride, pivots, c, Spaced{w.R, w.row_stride});
  for (int p = 0; p < pivots; ++p) t[w.pivot[p]] = 0;
}

// Whether forces act on its bodies or come up from its children.
CATENA_INLINE bool FrontElimination::is_pushed(const BodyFront& F, std::span<const BodyVector> f) const {
  for (const FrontChild& child : F.children)
    if (work_[at(child.front)].loaded) return true;
  for (int i = F.boundary; i < F.local(); ++i) {
    const BodyVector& force = f[F.bodies[at(i)].body];
    if (!(force.linear == Vec3{} && force.angular == Vec3{})) return true;
  }
  return false;
}
// The way up of a front that nothing pushes.
CATENA_INLINE void FrontElimination::rest(Work& w) {
  zero(w.t, w.stride);
  zero(w.r, padded(w.rows));
  zero(w.gp, padded(w.pivots()));
  zero(w.gq, padded(w.left));
}

// t: forces on the bodies of a front and from its children, along its freedoms and on its boundary.
CATENA_INLINE void FrontElimination::gather(const BodyFront& F, Work& w, std::span<const BodyVector> f) const {
  const int n = F.boundary, q = w.freedoms;
  const double length = plan_.length;
  double *t = w.t, *g = w.g;
  zero(g, kSlot * n);
  zero(t, w.stride);
  for (int i = n; i < F.local(); ++i) {
    const FrontBody& body = F.bodies[at(i)];
    const BodyVector& force = f[body.body];
    const Vec3 push = length * force.linear;
    join6(g + kSlot * i, push, force.angular + cross(w.arms[i], push));
  }
  double e[kSlot];
  for (const FrontChild& child : F.children) {
    const BodyFront& C = plan_.fronts[at(child.front)];
    const Work& c = work_[at(child.front)];
    if (!c.loaded) continue;
    const Vec3 d = load_[C.origin].x - load_[F.origin].x;
    for (int k = 0; k < c.delayed; ++k) t[c.late + k] = c.t[c.free[c.left + k]];
    for (int k = 0; k < C.boundary; ++k) {
      copy6(e, c.t + c.freedoms + 6 * k);
      if (C.origin != F.origin) carry_wrench(e, d);
      add6(g + kSlot * child.map[at(k)], e);
    }
  }
  for (int i = F.local(); i-- > n;) {
    const FrontBody& body = F.bodies[at(i)];
    for (int k = body.first; k < body.first + body.freedoms; ++k) t[k] += dot6(w.S + kSlot * k, g + kSlot * i);
    if (body.parent >= 0) add6(g + kSlot * body.parent, g + kSlot * i);
  }
  for (int k = 0; k < n; ++k) copy6(t + q + 6 * k, g + kSlot * k);
  const int reference = q + 6 * (n - 1);
  if (F.relative())
    for (int k = 0; k + 1 < n; ++k) add6(t + reference, t + q + 6 * k);
}

// What is left of t on its boundary, for its parent.
CATENA_INLINE void FrontElimination::hand_up(const BodyFront& F, Work& w) {
  double *t = w.t + w.freedoms, *reference = t + 6 * (F.boundary - 1);
  if (F.relative())
    for (int k = 0; k + 1 < F.boundary; ++k) subtract6(reference, t + 6 * k);
}

CATENA_DISPATCH void FrontElimination::rise(std::size_t index, const RowSet& rows, std::span<const double> b,
                                            std::span<const BodyVector> f, bool least) {
  const BodyFront& F = plan_.fronts[index];
  Work& w = work_[index];
  w.loaded = !motion_.still || is_pushed(F, f);
  if (!w.loaded) return rest(w);
  gather(F, w, f);
  if (w.rows > 0) leave_pivots(F, w, rows, b, least);
  for (int k = 0; k < w.left; ++k) {
    w.gq[k] = w.t[w.free[k]];
    add_scaled(w.t, w.Q + w.free[k] * w.stride, -w.gq[k] * w.inverse[k], w.stride);
  }
  hand_up(F, w);
}

// The way up of forces under which nothing moves: freedoms have no part of them.
CATENA_DISPATCH void FrontElimination::rise_in_balance(std::size_t index, std::span<const BodyVector> f) {
  const BodyFront& F = plan_.fronts[index];
  Work& w = work_[index];
  w.loaded = true;
  gather(F, w, f);
  double* c = scratch_.coefficients.data();
  for (int p = 0; p < w.pivots(); ++p) c[p] = -(w.gp[p] = w.t[w.pivot[p]]);
  combine(w.t, w.row_stride, w.pivots(), c, Spaced{w.R, w.row_stride});
  for (int p = w.solved; p < w.pivots(); ++p) w.t[w.pivot[p]] = 0;
  hand_up(F, w);
}

// What the rows of a closing joint see of the bodies that are carried along.
CATENA_INLINE void FrontElimination::carried_between(const BodyFront& F, const Work& w, const ClosingJoint& closing,
                                                     const double* wrench, double* seen) const {
  const double per_length = 1 / plan_.length;
  Vec3 v{}, turn{};
  if (closing.b >= 0) {
    const BodyVector& B = motion_.carried[F.bodies[at(closing.b)].body];
    v = per_length * B.linear - cross(B.angular, w.arms[closing.b]), turn = B.angular;
  }
  if (closing.a >= 0) {
    const BodyVector& A = motion_.carried[F.bodies[at(closing.a)].body];
    v -= per_length * A.linear - cross(A.angular, w.arms[closing.a]), turn -= A.angular;
  }
  const double motion[] = {v.x, v.y, v.z, turn.x, turn.y, turn.z};
  Quad low{}, high{};
  for (int k = 0; k < 6; ++k) {
    low += motion[k] * quad(wrench + kSlot * k);
    high += motion[k] * quad(wrench + kSlot * k + kLane);
  }
  put(low, seen), put(high, seen + kLane);
}

// r ← E r: what rows ask for beyond what the bodies do that are carried along.
CATENA_DISPATCH void FrontElimination::rows_rhs(const BodyFront& F, Work& w, const RowSet& rows,
                                                std::span<const double> b, bool least) {
  const int stride_e = w.column_stride(), pivots = w.pivots();
  double *to = w.mu, *full = scratch_.null_room.data(), *weights = scratch_.coefficients.data();
  const double* wrench = w.C;
  for (const ClosingJoint& closing : F.closing) {
    const int first = numbering_.row_start[closing.joint];
    if (closing.pair) {
      alignas(32) double seen[kSlot];
      carried_between(F, w, closing, wrench, seen);
      for (int i = 0; i < closing.rows; ++i) *to++ = row_scale_[at(first + i)] * b[at(first + i)] - seen[i];
    } else {
      for (int i = first; i < first + closing.rows; ++i)
        *to++ = row_scale_[at(i)] * (b[at(i)] - rows.times(i, motion_.carried));
    }
    wrench += kBlock;
  }
  for (const FrontChild& child : F.children) {
    const Work& c = work_[at(child.front)];
    for (int k = 0; k < c.handed; ++k) *to++ = c.r[c.solved + k];
  }
  if (!least) {  // rows that depend on others are not looked at
    for (int p = 0; p < pivots; ++p) weights[p] = w.mu[w.row_id[p]];
    zero(w.r, padded(pivots));
    return combine(w.r, padded(pivots), pivots, weights, Spaced{w.E, stride_e});
  }
  const auto load = [&] {
    for (int k = 0; k < w.rows; ++k) full[k] = w.mu[w.row_id[k]];
    std::fill(full + w.rows, full + padded(w.rows), 0.0);
  };
  load();
  const double largest = largest_number(full, w.rows);
  eliminate(w, full, stride_e, weights);
  if (const double contradiction = largest_number(full + pivots, w.rows - pivots);
      contradiction > kRounding * largest) {
    found_.inconsistency = std::max(found_.inconsistency, contradiction / largest);
    load();
    drop_null_part(w, full);
    eliminate(w, full, stride_e, weights);
  }
  copy(w.r, full, padded(pivots));
}

CATENA_DISPATCH void FrontElimination::sink(std::size_t index, std::span<BodyVector> y, std::span<double> lambda,
                                            bool least) {
  const BodyFront& F = plan_.fronts[index];
  Work& w = work_[index];
  const int n = F.boundary, q = w.freedoms, stride = w.stride, pivots = w.pivots();
  const double length = plan_.length, per_length = 1 / length;
  double *t = w.q, *a = w.g;  // a: motions of the local bodies at the origin
  alignas(32) constexpr double still[kSlot] = {};
  zero(t, stride);
  for (int k = 0; k < n; ++k) {
    const BodyVector& motion = y[F.bodies[at(k)].body];
    join6(a + kSlot * k, per_length * motion.linear - cross(motion.angular, w.arms[k]), motion.angular);
    copy6(t + q + 6 * k, a + kSlot * k);
  }
  if (F.relative())
    for (int k = 0; k + 1 < n; ++k) subtract6(t + q + 6 * k, a + kSlot * (n - 1));
  for (int k = 0; k < w.delayed; ++k) t[w.free[w.left + k]] = work_[at(F.parent)].q[w.late + k];
  for (int k = w.left; k-- > 0;) t[w.free[k]] = (w.gq[k] - dot(w.Q + w.free[k] * stride, t, stride)) * w.inverse[k];
  if (w.rows > 0) {
    // Columns of pivots are zero in G but for their own, where t is still zero.
    double* mu = w.mu;
    for (int p = 0; p < w.solved; ++p) mu[p] = w.r[p] - dot(w.row(p), t, w.row_stride);
    for (int p = 0; p < w.solved; ++p) t[w.pivot[p]] = mu[p];
    if (!lambda.empty()) {
      for (int p = 0; p < pivots; ++p)
        scratch_.coefficients[at(p)] =
            dot(w.pivot_row(p), t, stride) - w.gp[p] + (p < w.solved ? 0 : w.nu[p - w.solved]);
      share_multipliers(F, w, lambda, least);
    }
  }
  for (int i = n; i < F.local(); ++i) {
    const FrontBody& body = F.bodies[at(i)];
    double* own = a + kSlot * i;
    const double* from = body.parent >= 0 ? a + kSlot * body.parent : still;
    Quad low = quad(from);
    Pair high = pair(from + kLane);
    for (int k = body.first; k < body.first + body.freedoms; ++k) {
      low += t[k] * quad(w.S + kSlot * k);
      high += t[k] * pair(w.S + kSlot * k + kLane);
    }
    put(low, own), put(high, own + kLane);
    const Vec3 turn{low[3], high[0], high[1]};
    y[body.body] = {length * (Vec3{low[0], low[1], low[2]} + cross(turn, w.arms[i])), turn, 0};
  }
}

}  // namespace catena
