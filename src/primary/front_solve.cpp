// front_elimination.h: right-hand sides up, motions down, multipliers.
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
}  // namespace

void FrontElimination::solve(const RowSet& rows, std::span<const double> b, std::span<BodyVector> y,
                             std::span<double> lambda, bool least) {
  found_.inconsistency = found_.force_residual = 0;
  motion_.still = std::all_of(b.begin(), b.end(), [](double x) { return x == 0; });
  if (!lambda.empty()) std::copy(y.begin(), y.end(), motion_.force.begin());
  if (!motion_.still) carry_along(b, y);
  for (std::size_t i = 0; i < work_.size(); ++i) rise(i, rows, b, y, least);
  for (std::size_t i = work_.size(); i-- > 0;) sink(i, y, lambda, least);
  if (!motion_.still)
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += motion_.carried[i];
  if (!lambda.empty()) balance(rows, y, lambda);
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
// mu ← Eᵀ mu, where mu is zero but for the rows of pivots.
template <class Work>
CATENA_INLINE void eliminate_transposed(const Work& w, double* mu, int stride_e, double* c) {
  for (int p = 0; p < w.pivots(); ++p) c[p] = dot(w.E + p * stride_e, mu, padded(w.pivots()));
  for (int p = 0; p < w.pivots(); ++p) mu[p] = c[p];
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

CATENA_DISPATCH void FrontElimination::rise(std::size_t index, const RowSet& rows, std::span<const double> b,
                                            std::span<const BodyVector> f, bool least) {
  const BodyFront& F = plan_.fronts[index];
  Work& w = work_[index];
  const int n = F.boundary, q = w.freedoms, stride = w.stride;
  const double length = plan_.length;
  double *t = w.t, *g = w.g;
  w.loaded = !motion_.still || is_pushed(F, f);
  if (!w.loaded) return rest(w);
  zero(g, kSlot * n);
  zero(t, stride);
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
  if (w.rows > 0) leave_pivots(F, w, rows, b, least);
  for (int k = 0; k < w.left; ++k) {
    w.gq[k] = t[w.free[k]];
    add_scaled(t, w.Q + w.free[k] * stride, -w.gq[k] * w.inverse[k], stride);
  }
  if (F.relative())
    for (int k = 0; k + 1 < n; ++k) subtract6(t + reference, t + q + 6 * k);
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

namespace {

// Where fewer rows are independent than not, projections onto what rows can meet need fewer vectors than those onto combinations that vanish.
template <class Work>
CATENA_INLINE bool few_pivots(const Work& w) {
  return w.pivots() < w.rows - w.pivots();
}

CATENA_INLINE void make_orthonormal(double* N, int count, int stride, int n) {
  for (int k = 0; k < count; ++k) {
    double* row = N + k * stride;
    for (int l = 0; l < k; ++l) add_scaled(row, N + l * stride, -dot(row, N + l * stride, n), n);
    const double scale = 1 / std::sqrt(dot(row, row, n));
    for (int i = 0; i < n; ++i) row[i] *= scale;
  }
}

}  // namespace

// With the rows of E that belong to rows of zeros as a basis of the combinations of rows that vanish, e_r + Σ E_rp e_p, or with the columns
// e_p − Σ E_rp e_r that are orthogonal to them, made orthonormal.
CATENA_DISPATCH void FrontElimination::find_null_rows(Work& w) {
  const int stride = w.column_stride(), n = padded(w.rows), pivots = w.pivots(), count = w.rows - pivots;
  const bool by_columns = few_pivots(w);
  zero(w.null.N, (by_columns ? pivots : count) * stride);
  for (int p = 0; p < pivots; ++p) {
    const double* e = w.E + p * stride + pivots;
    for (int k = 0; k < count; ++k) {
      if (by_columns) w.null.N[p * stride + pivots + k] = -e[k];
      else w.null.N[k * stride + p] = e[k];
    }
    if (by_columns) w.null.N[p * stride + p] = 1;
  }
  for (int k = 0; k < count && !by_columns; ++k) w.null.N[k * stride + pivots + k] = 1;
  make_orthonormal(w.null.N, by_columns ? pivots : count, stride, n);
  w.null.known = true;
}

// The nearest right-hand side that rows can meet; of multipliers the shortest with the same effect.
CATENA_DISPATCH void FrontElimination::drop_null_part(Work& w, double* x) {
  if (w.pivots() == w.rows) return;
  if (!w.null.known) find_null_rows(w);
  const int stride = w.column_stride(), n = padded(w.rows);
  for (int k = w.rows; k < n; ++k) x[k] = 0;
  if (few_pivots(w)) {
    double* kept = scratch_.null_room.data() + scratch_.null_room.size() / 2;
    zero(kept, n);
    for (int k = 0; k < w.pivots(); ++k) add_scaled(kept, w.null.N + k * stride, dot(x, w.null.N + k * stride, n), n);
    return copy(x, kept, n);
  }
  for (int k = 0; k < w.rows - w.pivots(); ++k)
    add_scaled(x, w.null.N + k * stride, -dot(x, w.null.N + k * stride, n), n);
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
      zero(mu, padded(w.rows));
      std::copy_n(scratch_.coefficients.data(), pivots, mu);
      eliminate_transposed(w, mu, w.column_stride(), scratch_.coefficients.data());
      if (least) drop_null_part(w, mu);
      for (int k = 0; k < w.rows; ++k) w.r[w.row_id[k]] = mu[k];
      const double* r = w.r;
      for (const ClosingJoint& closing : F.closing)
        for (int i = numbering_.row_start[closing.joint], end = i + closing.rows; i < end; ++i)
          lambda[at(i)] = row_scale_[at(i)] * *r++;
      for (const FrontChild& child : F.children) {
        Work& c = work_[at(child.front)];
        for (int k = 0; k < c.handed; ++k) c.nu[k] = *r++;
      }
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

// Forces of the rows of a closing joint, off what is left to balance.
CATENA_INLINE void FrontElimination::take_closing_forces(const RowSet& rows, const ClosingJoint& closing,
                                                         std::span<const double> lambda) {
  const int first = numbering_.row_start[closing.joint];
  if (!closing.pair) {
    for (int i = first; i < first + closing.rows; ++i) rows.add_force(i, -lambda[at(i)], motion_.force);
    return;
  }
  const auto term = at(rows.start[at(first)]), terms = at(rows.start[at(first) + 1]) - term;
  for (std::size_t side = 0; side < terms; ++side) {
    const BodyVector* J = rows.J.data() + term + side;
    Vec3 force{}, torque{};
    for (int i = first; i < first + closing.rows; ++i, J += terms) {
      force += lambda[at(i)] * J->linear;
      torque += lambda[at(i)] * J->angular;
    }
    BodyVector& left = motion_.force[rows.body[term + side]];
    left.linear -= force;
    left.angular -= torque;
  }
}

// λ of the forest's joints from M y − f = Σ Jᵀλ of each body, fronts and bodies leaves first: the last joint without λ carries what is left.
CATENA_DISPATCH void FrontElimination::balance(const RowSet& rows, std::span<const BodyVector> y,
                                               std::span<double> lambda) {
  const double per_length = 1 / plan_.length, per_area = per_length * per_length;
  double largest = 1e-300;
  for (std::size_t i = 0; i < motion_.force.size(); ++i) {
    const Load& load = load_[i];
    BodyVector& r = motion_.force[i];  // holds f
    const Vec3 l = (load.m * per_area) * y[i].linear, turn = load.I * y[i].angular;
    largest = std::max({largest, norm(l), norm(r.linear), per_length * norm(turn), per_length * norm(r.angular)});
    r.linear = l - r.linear;
    r.angular = turn - r.angular;
  }
  add_inertia_forces(y, 1, motion_.force);
  for (const BodyFront& F : plan_.fronts) {
    for (const ClosingJoint& closing : F.closing) take_closing_forces(rows, closing, lambda);
    for (int i = F.local(); i-- > F.boundary;) {
      const FrontBody& body = F.bodies[at(i)];
      if (!body.joint.valid()) continue;
      const FrontJoint& joint = joint_of(body);
      const Joint& of = model_->joints[body.joint];
      const bool is_b = of.b == body.body;
      const Vec3 x = plan_.length * load_[body.body].x;
      const BodyVector& r = motion_.force[body.body];
      const Vec3 &point = is_b ? joint.point : joint.point_a, &other_point = is_b ? joint.point_a : joint.point;
      const Spatial here{r.linear, r.angular + cross(x - point, r.linear)};
      const double sign = is_b ? 1 : -1;
      joint.multipliers(sign * here, lambda.data() + numbering_.row_start[body.joint]);
      for (int k = 0; k < joint.count; ++k)
        found_.force_residual = std::max(found_.force_residual, std::abs(dot(joint.F[at(k)], here)) * per_length);
      const BodyId parent = is_b ? of.a : of.b;
      if (!parent.valid()) continue;
      const Vec3 d = other_point - plan_.length * load_[parent].x;
      motion_.force[parent].linear += here.linear;
      motion_.force[parent].angular += here.angular + cross(d, here.linear);
    }
  }
  found_.force_residual /= largest;
}

}  // namespace catena
