// front_elimination.h: the rows of joints that close loops, over the freedoms and the boundary of their front.
#include <algorithm>
#include <cmath>

#include "catena/math/dispatch.h"
#include "catena/math/scalar.h"
#include "catena/primary/front_elimination.h"
#include "catena/primary/front_kernels.h"

namespace catena {

using namespace front;

// The rows of a joint that sees the relative motion of two bodies: all of them at once, in the lanes of two vectors.
CATENA_INLINE void FrontElimination::close_pair(const BodyFront& F, const Work& w, const RowSet& rows,
                                                const ClosingJoint& closing, double* R) {
  const int first = numbering_.row_start[closing.joint], count = closing.rows;
  alignas(32) double wrench[6 * kSlot];  // number k of all rows at kSlot k
  zero(wrench, 6 * kSlot);
  zero(R, count * w.row_stride);
  const Vec3 d = arm(F, F.bodies[at(closing.b)].body);
  for (int i = 0; i < count; ++i) {
    // The term of b follows that of a.
    const BodyVector& J = rows.J[at(rows.start[at(first + i)] + 1)];
    const Vec3 force = plan_.length * J.linear;
    const double size = dot(force, force) + dot(J.angular, J.angular);
    const double scale = row_scale_[at(first + i)] = size > 0 ? 1 / std::sqrt(size) : 1;
    const Vec3 f = scale * force, t = scale * J.angular + cross(d, f);
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
  double* R = w.R;
  for (const ClosingJoint& closing : F.closing) {
    if (closing.relative) close_pair(F, w, rows, closing, R);
    else close_any(F, w, rows, closing, R);
    R += closing.rows * w.row_stride;
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
