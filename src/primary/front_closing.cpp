// front_elimination.h: the rows of joints that close loops, over the freedoms and the boundary of their front.
#include <algorithm>
#include <cmath>

#include "catena/math/dispatch.h"
#include "catena/math/scalar.h"
#include "catena/primary/front_elimination.h"
#include "catena/primary/front_kernels.h"

namespace catena {

using namespace front;

// The rows of a joint between two bodies, or a body and the ground: all of them at once, in the lanes of two vectors. They stay in `wrench`, on b at the
// origin, number k of all rows at kSlot k.
CATENA_INLINE void FrontElimination::close_pair(const BodyFront& F, const Work& w, const RowSet& rows,
                                                const ClosingJoint& closing, double* R, double* wrench) {
  const int first = numbering_.row_start[closing.joint], count = closing.rows;
  zero(wrench, kBlock);
  zero(R, count * w.row_stride);
  // The term of b follows that of a. Without b the ground is pushed by the opposite of what a is.
  const bool on_b = closing.b >= 0, on_both = on_b && closing.a >= 0;
  const double sign = on_b ? plan_.length : -plan_.length, turn_sign = on_b ? 1 : -1;
  const Vec3 d = w.arms[on_b ? closing.b : closing.a];
  const BodyVector* J = rows.J.data() + rows.start[at(first)] + (on_both ? 1 : 0);
  for (int i = 0; i < count; ++i, J += on_both ? 2 : 1) {
    const Vec3 force = sign * J->linear;
    const double size = dot(force, force) + dot(J->angular, J->angular);
    const double scale = row_scale_[at(first + i)] = size > 0 ? 1 / std::sqrt(size) : 1;
    const Vec3 f = scale * force, t = (turn_sign * scale) * J->angular + cross(d, f);
    wrench[i] = f.x, wrench[kSlot + i] = f.y, wrench[2 * kSlot + i] = f.z;
    wrench[3 * kSlot + i] = t.x, wrench[4 * kSlot + i] = t.y, wrench[5 * kSlot + i] = t.z;
  }
  alignas(32) double sum[kSlot];
  for (const ClosingJoint::Sight& sight : closing.freedoms) {
    const double* S = w.S + kSlot * sight.where;
    Quad low{}, high{};
    for (int k = 0; k < 6; ++k) {
      const double s = sight.sign * S[k];
      low += s * quad(wrench + kSlot * k);
      high += s * quad(wrench + kSlot * k + kLane);
    }
    put(low, sum), put(high, sum + kLane);
    for (int i = 0; i < count; ++i) R[i * w.row_stride + sight.where] = sum[i];
  }
  for (const ClosingJoint::Sight& sight : closing.ends) {
    double* to = R + w.freedoms + 6 * sight.where;
    for (int i = 0; i < count; ++i, to += w.row_stride) {
      for (int k = 0; k < 6; ++k) to[k] = sight.sign * wrench[kSlot * k + i];
      mask(model_->bodies[F.bodies[at(sight.where)].body].kind, to);
    }
  }
}

// Rows of the closing joints, scaled to coefficients of about 1.
CATENA_DISPATCH void FrontElimination::close(const BodyFront& F, Work& w, const RowSet& rows) {
  double *R = w.R, *wrench = w.C;
  for (const ClosingJoint& closing : F.closing) {
    if (closing.pair) close_pair(F, w, rows, closing, R, wrench);
    else close_any(F, w, rows, closing, R);
    R += closing.rows * w.row_stride;
    wrench += kBlock;
  }
}

void FrontElimination::close_any(const BodyFront& F, const Work& w, const RowSet& rows, const ClosingJoint& closing,
                                 double* R) {
  double e[kSlot];
  const int* place = closing.places.data();
  for (int i = numbering_.row_start[closing.joint], end = i + closing.rows; i < end; ++i, R += w.row_stride) {
    zero(R, w.row_stride);
    for (const int x : closing.path) zero(scratch_.spots + kSlot * x, kSlot);
    for (const int x : closing.roots) zero(scratch_.spots + kSlot * x, kSlot);
    double size = 0;
    for (int t = rows.start[at(i)]; t < rows.start[at(i) + 1]; ++t, ++place) {
      const BodyVector& J = rows.J[at(t)];
      write6(e, plan_.length * J.linear, J.angular);
      size = std::max(size, dot6(e, e));
      carry_wrench(e, arm(F, rows.body[at(t)]));
      add6(scratch_.spots + kSlot * *place, e);
    }
    const double scale = row_scale_[at(i)] = size > 0 ? 1 / std::sqrt(size) : 1;
    for (const int x : closing.path) {
      const FrontBody& body = F.bodies[at(x)];
      for (int q = body.first; q < body.first + body.freedoms; ++q)
        R[q] = scale * dot6(scratch_.spots + kSlot * x, w.S + kSlot * q);
      if (body.parent >= 0) add6(scratch_.spots + kSlot * body.parent, scratch_.spots + kSlot * x);
    }
    for (const int x : closing.roots) {
      if (6 * x >= F.row_columns) continue;
      double* to = R + w.freedoms + 6 * x;
      for (int k = 0; k < 6; ++k) to[k] = scale * scratch_.spots[kSlot * x + k];
      mask(model_->bodies[F.bodies[at(x)].body].kind, to);
    }
  }
}

}  // namespace catena
