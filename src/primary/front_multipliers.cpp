// front_elimination.h: multipliers.
#include <algorithm>
#include <cmath>

#include "catena/math/dispatch.h"
#include "catena/math/scalar.h"
#include "catena/primary/front_elimination.h"
#include "catena/primary/front_kernels.h"

namespace catena {

using namespace front;

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

namespace {

// mu ← Eᵀ mu, where mu is zero but for the rows of pivots.
template <class Work>
CATENA_INLINE void eliminate_transposed(const Work& w, double* mu, int stride_e, double* c) {
  for (int p = 0; p < w.pivots(); ++p) c[p] = dot(w.E + p * stride_e, mu, padded(w.pivots()));
  for (int p = 0; p < w.pivots(); ++p) mu[p] = c[p];
}

}  // namespace

// μ of the rows of a front, from those of its pivots in scratch_.coefficients: λ of its closing joints, and what its children are told of the rows
// they handed up.
CATENA_DISPATCH void FrontElimination::share_multipliers(const BodyFront& F, Work& w, std::span<double> lambda,
                                                         bool least) {
  double *mu = w.mu, *r = w.r;
  zero(mu, padded(w.rows));
  std::copy_n(scratch_.coefficients.data(), w.pivots(), mu);
  eliminate_transposed(w, mu, w.column_stride(), scratch_.coefficients.data());
  if (least) drop_null_part(w, mu);
  for (int k = 0; k < w.rows; ++k) r[w.row_id[k]] = mu[k];
  for (const ClosingJoint& closing : F.closing)
    for (int i = numbering_.row_start[closing.joint], end = i + closing.rows; i < end; ++i)
      lambda[at(i)] = row_scale_[at(i)] * *r++;
  for (const FrontChild& child : F.children) {
    Work& c = work_[at(child.front)];
    for (int k = 0; k < c.handed; ++k) c.nu[k] = *r++;
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

// What joints have yet to balance: M y − f. Returns the largest force of all.
CATENA_DISPATCH double FrontElimination::lack_of_forces(std::span<const BodyVector> y) {
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
  return largest;
}

// λ of the forest's joints from M y − f = Σ Jᵀλ of each body, fronts and bodies leaves first: the last joint without λ carries what is left.
CATENA_DISPATCH void FrontElimination::balance(const RowSet& rows, double largest, std::span<double> lambda) {
  const double per_length = 1 / plan_.length;
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
