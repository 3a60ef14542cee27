// front_elimination.h: W of a few bodies.
#include <algorithm>
#include <array>

#include "catena/math/dispatch.h"
#include "catena/math/scalar.h"
#include "catena/model/components.h"
#include "catena/primary/front_elimination.h"
#include "catena/primary/front_kernels.h"

namespace catena {

using namespace front;

namespace {

// A number for each of the eight columns.
CATENA_INLINE void add_columns(double* y, const double* x, double s) {
  put(quad(y) + s * quad(x), y);
  put(quad(y + kLane) + s * quad(x + kLane), y + kLane);
}
CATENA_INLINE void add_columns(double* y, const double* x) {
  put(quad(y) + quad(x), y);
  put(quad(y + kLane) + quad(x + kLane), y + kLane);
}

// Eight wrenches at the point d away, as they act at the origin: number k of all of them is at w + kSlot k.
CATENA_INLINE void carry_wrenches(double* w, const Vec3& d) {
  double *f = w, *t = w + 3 * kSlot;
  add_columns(t, f + 2 * kSlot, d.y), add_columns(t, f + kSlot, -d.z);
  add_columns(t + kSlot, f, d.z), add_columns(t + kSlot, f + 2 * kSlot, -d.x);
  add_columns(t + 2 * kSlot, f + kSlot, d.x), add_columns(t + 2 * kSlot, f, -d.y);
}

}  // namespace

// Unit impulses on a body, one a column.
void FrontElimination::push_body(const BodyFront& F, BodyId body) {
  int local = F.boundary;
  while (F.bodies[at(local)].body != body) ++local;
  const BodyKind kind = model_->bodies[body].kind;
  double* g = half_.spots.data() + 6 * kSlot * local;
  std::array<double, 7> unit{};
  for (int c = 0; c < dimension(kind); ++c) {
    unit.fill(0);
    unit[at(c)] = 1;
    const BodyVector f = from_components(kind, unit.data());
    for (int k = 0; k < 3; ++k) {
      g[kSlot * k + c] = plan_.length * f.linear[k];
      g[kSlot * (3 + k) + c] = f.angular[k];
    }
  }
  carry_wrenches(g, arm(F, body));
}

// The way up through one front. half_.spots holds impulses on its bodies (of a way that begins here) or half_.up what its child `from` hands up.
// `kept`: what is left on the freedoms it eliminates.
CATENA_DISPATCH void FrontElimination::half_solve(std::size_t index, int from, double* kept) {
  const BodyFront& F = plan_.fronts[index];
  const Work& w = work_[index];
  const int q = w.freedoms, n = F.boundary;
  double *g = half_.spots.data(), *t = half_.t.data();
  zero(t, kSlot * w.width);
  if (from >= 0) {
    const BodyFront& C = plan_.fronts[at(from)];
    const Work& c = work_[at(from)];
    const FrontChild& child = F.children[at(C.sibling)];
    zero(g, 6 * kSlot * F.local());
    for (int k = 0; k < c.delayed; ++k)
      add_columns(t + kSlot * (c.late + k), half_.up.data() + kSlot * (6 * C.boundary + k));
    for (int b = 0; b < C.boundary; ++b) {
      double *up = half_.up.data() + 6 * kSlot * b, *to = g + 6 * kSlot * child.map[at(b)];
      if (C.origin != F.origin) carry_wrenches(up, load_[C.origin].x - load_[F.origin].x);
      for (int r = 0; r < 6; ++r) add_columns(to + kSlot * r, up + kSlot * r);
    }
  }
  for (int i = F.local(); i-- > n;) {
    const FrontBody& body = F.bodies[at(i)];
    const double* own = g + 6 * kSlot * i;
    for (int k = body.first; k < body.first + body.freedoms; ++k)
      for (int r = 0; r < 6; ++r) add_columns(t + kSlot * k, own + kSlot * r, w.S[kSlot * k + r]);
    for (int r = 0; r < 6 && body.parent >= 0; ++r) add_columns(g + kSlot * (6 * body.parent + r), own + kSlot * r);
  }
  copy(t + kSlot * q, g, 6 * kSlot * n);
  const int reference = q + 6 * (n - 1);
  for (int k = q; F.relative() && k < reference; ++k) add_columns(t + kSlot * (reference + (k - q) % 6), t + kSlot * k);
  for (int p = 0; p < w.pivots(); ++p) {
    const double *G = w.row(p), *from_t = t + kSlot * w.pivot[p];
    const Quad low = quad(from_t), high = quad(from_t + kLane);
    for (int k = 0; k < w.row_width; ++k) {
      put(quad(t + kSlot * k) - G[k] * low, t + kSlot * k);
      put(quad(t + kSlot * k + kLane) - G[k] * high, t + kSlot * k + kLane);
    }
  }
  for (int k = 0; k < w.left; ++k) {
    const double* row = w.Q + w.free[k] * w.stride;
    copy(kept + kSlot * k, t + kSlot * w.free[k], kSlot);
    for (int l = k + 1; l < w.left + w.delayed; ++l)
      add_columns(t + kSlot * w.free[l], kept + kSlot * k, -w.inverse[k] * row[w.free[l]]);
    for (int a = q; a < w.width; ++a) add_columns(t + kSlot * a, kept + kSlot * k, -w.inverse[k] * row[a]);
  }
  for (int k = q; F.relative() && k < reference; ++k)
    add_columns(t + kSlot * (reference + (k - q) % 6), t + kSlot * k, -1);
  copy(half_.up.data(), t + kSlot * q, 6 * kSlot * n);
  for (int k = 0; k < w.delayed; ++k)
    copy(half_.up.data() + kSlot * (6 * n + k), t + kSlot * w.free[w.left + k], kSlot);
}

namespace {

// W_ab of two bodies at one front: Σ_k a_k b_kᵀ / d_k.
CATENA_DISPATCH void add_products(const double* a, const double* b, const double* inverse, int count, int rows,
                                  double* sum) {
  for (int k = 0; k < count; ++k, a += kSlot, b += kSlot)
    for (int r = 0; r < rows; ++r) add_columns(sum + kSlot * r, b, inverse[k] * a[r]);
}

}  // namespace

void FrontElimination::compliance(std::span<const BodyId> bodies, Eigen::MatrixXd& W) {
  if (half_.ways.size() < bodies.size()) half_.ways.resize(bodies.size());
  std::size_t numbers = 0;
  int size = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    half_.ways[i].clear();
    for (int f = plan_.front_of[bodies[i]]; f >= 0; f = plan_.fronts[at(f)].parent) {
      half_.ways[i].push_back({f, numbers});
      numbers += at(kSlot * work_[at(f)].left);
    }
    size += dimension(model_->bodies[bodies[i]].kind);
  }
  if (half_.kept.size() < numbers) half_.kept.resize(numbers);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    int from = -1;
    for (const Stop& stop : half_.ways[i]) {
      if (from < 0) {
        zero(half_.spots.data(), 6 * kSlot * plan_.fronts[at(stop.front)].local());
        push_body(plan_.fronts[at(stop.front)], bodies[i]);
      }
      half_solve(at(stop.front), from, half_.kept.data() + stop.first);
      from = stop.front;
    }
  }
  W.resize(size, size);
  int row = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const int rows = dimension(model_->bodies[bodies[i]].kind);
    int column = 0;
    for (std::size_t k = 0; k <= i; ++k) {
      const int columns = dimension(model_->bodies[bodies[k]].kind);
      std::array<double, kSlot * 6> sum{};
      // Ways meet at the root and stay together until they part.
      for (std::size_t s = 1; s <= std::min(half_.ways[i].size(), half_.ways[k].size()); ++s) {
        const Stop &a = half_.ways[i][half_.ways[i].size() - s], &b = half_.ways[k][half_.ways[k].size() - s];
        if (a.front != b.front) break;
        const Work& w = work_[at(a.front)];
        add_products(half_.kept.data() + a.first, half_.kept.data() + b.first, w.inverse, w.left, rows, sum.data());
      }
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) W(row + r, column + c) = W(column + c, row + r) = sum[at(kSlot * r + c)];
      column += columns;
    }
    row += rows;
  }
}

}  // namespace catena
