// front_elimination.h: storage, and the quadratic form of a front.
#include "catena/primary/front_elimination.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "catena/math/dispatch.h"
#include "catena/math/scalar.h"
#include "catena/primary/front_kernels.h"

namespace catena {

using namespace front;

FrontElimination::FrontElimination(const Model& model, FrontPlan plan)
    : model_(&model), plan_(std::move(plan)), load_(model.bodies.size()), work_(plan_.fronts.size()) {
  motion_.carried.resize(model.bodies.size());
  motion_.force.resize(model.bodies.size());
  numbering_.joint_at.assign(model.bodies.size(), -1);
  numbering_.row_start = row_starts(model);
  row_scale_.assign(at(numbering_.row_start.back()), 1);
  for (const BodyFront& F : plan_.fronts)
    for (int i = F.boundary; i < F.local(); ++i) {
      const FrontBody& body = F.bodies[at(i)];
      if (!body.joint.valid()) continue;
      numbering_.joint_at[body.body] = static_cast<int>(joints_.size());
      joints_.emplace_back(model, body.joint);
    }
  for (std::size_t k = plan_.fronts.size(); k-- > 0;) {
    const BodyFront& F = plan_.fronts[k];
    for (int i = F.boundary; i < F.local(); ++i) {
      const FrontBody& body = F.bodies[at(i)];
      const bool hangs = body.joint.valid();
      const bool is_a = hangs && !(model.joints[body.joint].b == body.body);
      links_.push_back({.body = body.body,
                        .parent = hangs && body.parent >= 0 ? F.bodies[at(body.parent)].body.value() : -1,
                        .joint = numbering_.joint_at[body.body],
                        .row = hangs ? numbering_.row_start[body.joint] : -1,
                        .sign = is_a ? -1.0 : 1.0,
                        .m = model.bodies[body.body].mass});
    }
  }
  find_closers();
  lay_out();
}

namespace {

// How many numbers a front needs with so many freedoms and rows.
struct FrontRoom {
  int S, C, Q, V, R, E, q, m, pivots, handed, N, stride;

  FrontRoom(const BodyFront& F, int freedoms, int rows)
      : S(padded(kSlot * F.freedoms)),
        C(kBlock * static_cast<int>(F.closing.size())),
        q(padded(freedoms)),
        m(padded(rows)),
        pivots(std::min(rows, freedoms + F.row_columns)),
        handed(std::min(rows, F.row_columns)) {
    stride = padded(freedoms + 6 * F.boundary);
    Q = (freedoms + 6 * F.boundary) * stride;
    V = handed * stride;
    R = rows * padded(freedoms + F.row_columns);
    E = (pivots + 1) * m;
    N = rows * m;
  }
  int size() const { return S + C + Q + V + R + E + 2 * q + padded(pivots) + m + 2 * stride + padded(handed) + N; }
};

}  // namespace

void FrontElimination::lay_out() {
  int most_scratch = 0, most_pivots = 0, most_local = 0, most_width = 0, most_rows = 0, rows = 0, freedoms = 0;
  int most_U = 0, most_D = 0;
  std::size_t numbers = 0, bodies = 0;
  for (const BodyFront& F : plan_.fronts) {
    const int q = F.most.freedoms, pivots = q + F.row_columns, stride = padded(q + 6 * F.boundary);
    numbers += at(FrontRoom(F, q, F.most.rows).size());
    bodies += at(F.local());
    rows += F.most.rows;
    freedoms += q;
    most_scratch = std::max(most_scratch, (pivots + 1) * stride);
    most_pivots = std::max(most_pivots, pivots);
    most_local = std::max(most_local, F.local());
    most_width = std::max(most_width, stride);
    most_rows = std::max(most_rows, F.most.rows);
    most_U = std::max(most_U, q * kSlot * F.interior);
    most_D = std::max(most_D, kBlock * F.fold.blocks);
  }
  const int shared = most_scratch + kSlot * most_local + most_U + most_D + padded(most_rows);
  arena_.numbers.assign(numbers + at(shared) + kLane, 0);
  constexpr std::uintptr_t kAlign = sizeof(Quad);
  const auto begin = reinterpret_cast<std::uintptr_t>(arena_.numbers.data());
  scratch_.row = reinterpret_cast<double*>((begin + kAlign - 1) / kAlign * kAlign);
  scratch_.spots = scratch_.row + most_scratch;
  scratch_.U = scratch_.spots + kSlot * most_local;
  scratch_.D = scratch_.U + most_U;
  scratch_.mu = scratch_.D + most_D;
  arena_.first = scratch_.mu + padded(most_rows);
  arena_.integers.assign(at(2 * rows + freedoms), 0);
  arena_.arms.resize(bodies);
  Vec3* arms = arena_.arms.data();
  int* ints = arena_.integers.data();
  const auto take = [&ints](int*& to, int size) { to = std::exchange(ints, ints + size); };
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const BodyFront& F = plan_.fronts[i];
    Work& w = work_[i];
    w.arms = std::exchange(arms, arms + F.local());
    w.U = scratch_.U, w.D = scratch_.D, w.g = scratch_.spots, w.mu = scratch_.mu;
    for (int** list : {&w.row_id, &w.pivot}) take(*list, F.most.rows);
    take(w.free, F.most.freedoms);
  }
  half_.spots.resize(at(6 * kSlot * most_local));
  half_.t.resize(at(kSlot * most_width));
  half_.up.resize(half_.t.size());
  scratch_.pointers.assign(at(2 * most_pivots), nullptr);
  scratch_.coefficients.assign(at(2 * most_pivots), 0);
  scratch_.null_room.assign(at(2 * padded(most_rows)), 0);
}

// A front takes as much of the arena as it needs at this state, right after the one before it: few fronts delay freedoms or have rows handed up by
// as many as might, and long mechanisms are as fast as their numbers are close together.
void FrontElimination::place(const BodyFront& F, Work& w) {
  const FrontRoom room(F, w.freedoms, w.rows);
  const auto take = [this](int size) { return std::exchange(arena_.next, arena_.next + size); };
  w.S = take(room.S), w.C = take(room.C), w.Q = take(room.Q), w.R = take(room.R), w.E = take(room.E);
}

// The rest, once it is known which rows depend on others.
void FrontElimination::place_by_rank(Work& w) {
  const int m = padded(w.rows), q = padded(w.freedoms), null = std::min(w.pivots(), w.rows - w.pivots());
  arena_.next = w.E + (w.rows > 0 ? (w.pivots() + 1) * m : 0);
  const auto take = [this](int size) { return std::exchange(arena_.next, arena_.next + size); };
  w.V = take(w.handed * w.stride), w.inverse = take(q);
  w.gp = take(padded(w.pivots())), w.gq = take(q), w.r = take(m), w.t = take(w.stride), w.q = take(w.stride);
  w.nu = take(padded(w.handed)), w.null.N = take(null * m);
}

CATENA_DISPATCH void FrontElimination::load(const Kinematics& kinematics) {
  const double per_length = 1 / plan_.length;
  for (std::size_t i = 0; i < load_.size(); ++i) {
    const MassBlock& M = kinematics.M(BodyId(i));
    load_[i] = {per_length * kinematics.body(BodyId(i)).position, M.linear * plan_.length * plan_.length, M.angular};
  }
  found_.largest_gap = 0;
  for (FrontJoint& joint : joints_) {
    joint.load(*model_, kinematics);
    found_.largest_gap = std::max(found_.largest_gap, per_length * norm(joint.point - joint.point_a));
  }
  for (Closer& closer : closers_)
    if (closer.joint.has_inertia()) closer.joint.load(*model_, kinematics);
  for (Link& link : links_) {
    if (link.row < 0) continue;
    const Vec3& x = kinematics.body(BodyId(link.body)).position;
    link.I = load_[link.body].I;
    link.from_joint = x - joints_[at(link.joint)].point;
    if (link.parent >= 0) link.from_parent = x - kinematics.body(BodyId(link.parent)).position;
  }
}

void FrontElimination::factor(const Kinematics& kinematics, const RowSet& rows, bool closed) {
  load(kinematics);
  found_.redundant = 0;
  arena_.next = arena_.first;
  found_.least_pivot = std::numeric_limits<double>::max();
  found_.largest_null = 0;
  for (std::size_t i = 0; i < work_.size(); ++i) factor(i, rows, closed);
}

namespace {

// m, I at the centre of mass as a 6x6 block at the origin, d: from the origin to the centre.
CATENA_INLINE void write_inertia(double m, const Sym3& I, const Vec3& d, double* D) {
  const Vec3 h = m * d;
  const double xy = I.xy - h.x * d.y, xz = I.xz - h.x * d.z, yz = I.yz - h.y * d.z;
  put(Quad{m, 0, 0, 0}, D), put(Pair{h.z, -h.y}, D + 4);
  put(Quad{0, m, 0, -h.z}, D + kSlot), put(Pair{0, h.x}, D + kSlot + 4);
  put(Quad{0, 0, m, h.y}, D + 2 * kSlot), D[2 * kSlot + 4] = -h.x, D[2 * kSlot + 5] = 0;
  put(Quad{0, -h.z, h.y, I.xx + h.y * d.y + h.z * d.z}, D + 3 * kSlot), put(Pair{xy, xz}, D + 3 * kSlot + 4);
  put(Quad{h.z, 0, -h.x, xy}, D + 4 * kSlot), put(Pair{I.yy + h.x * d.x + h.z * d.z, yz}, D + 4 * kSlot + 4);
  put(Quad{-h.y, h.x, 0, xz}, D + 5 * kSlot), put(Pair{yz, I.zz + h.x * d.x + h.y * d.y}, D + 5 * kSlot + 4);
}

// One freedom: the twist (linear, angular) at the point d from the origin.
CATENA_INLINE void write_freedom(double* S, const Vec3& linear, const Vec3& angular, const Vec3& d) {
  write6(S, linear + cross(d, angular), angular);
}

// A body that floats: translations and rotations about its own centre, as its kind has them.
CATENA_INLINE void write_floating(double* S, BodyKind kind, const Vec3& d) {
  constexpr Vec3 e[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int translations = kind == BodyKind::planar ? 2 : 3;
  for (int k = 0; k < translations; ++k, S += kSlot) write_freedom(S, e[k], {}, d);
  for (int k = kind == BodyKind::rigid ? 0 : 2; k < 3 && kind != BodyKind::particle; ++k, S += kSlot)
    write_freedom(S, {}, e[k], d);
}

}  // namespace

CATENA_DISPATCH void FrontElimination::factor(std::size_t index, const RowSet& rows, bool closed) {
  const BodyFront& F = plan_.fronts[index];
  Work& w = work_[index];
  w.freedoms = F.freedoms;
  w.rows = F.own_rows;
  for (const FrontChild& child : F.children) {
    Work& c = work_[at(child.front)];
    c.late = w.freedoms;
    w.freedoms += c.delayed;
    w.rows += c.handed;
  }
  place(F, w);
  w.row_width = w.freedoms + F.row_columns;
  w.width = w.freedoms + 6 * F.boundary;
  w.row_stride = padded(w.row_width);
  w.stride = padded(w.width);
  zero(w.Q, w.width * w.stride);
  zero(w.U, w.freedoms * kSlot * F.interior);
  zero(w.D + kBlock * F.interior, kBlock * (F.fold.blocks - F.interior));
  for (int i = 0; i < F.local(); ++i) w.arms[i] = arm(F, F.bodies[at(i)].body);
  for (int i = F.boundary; i < F.local(); ++i) {
    const FrontBody& body = F.bodies[at(i)];
    const Vec3 d = w.arms[i];
    const Load& load = load_[body.body];
    write_inertia(load.m, load.I, d, w.D + kBlock * (i - F.boundary));
    double* S = w.S + kSlot * body.first;
    if (!body.joint.valid()) {
      write_floating(S, model_->bodies[body.body].kind, d);
      continue;
    }
    const FrontJoint& joint = joint_of(body);
    const Vec3 p = joint_arm(F, joint);
    for (int k = 0; k < joint.count; ++k) {
      const Spatial& f = joint.F[at(k)];
      // A translation has the unit of length, whatever that is; only screws tie lengths to angles.
      const bool turns = !(f.angular == Vec3{});
      write_freedom(S + kSlot * k, turns ? (1 / plan_.length) * f.linear : f.linear, f.angular, p);
    }
  }
  w.rows = F.own_rows;
  w.null.known = false;
  for (const FrontChild& child : F.children) assemble(F, w, child);
  fold(F, w);
  if (has_inertia_) {
    add_freedom_inertia(F, w);
    add_closing_inertia(index, w);
  }
  close(F, w, rows);
  eliminate_rows(F, w, closed);
  place_by_rank(w);
  reduce(F, w);
}

namespace {

// The diagonal block of a local body and its stride.
template <class Work>
CATENA_INLINE double* diagonal(const BodyFront& F, const Work& w, int x) {
  return x < F.boundary ? w.Q + (w.freedoms + 6 * x) * w.stride + w.freedoms + 6 * x : w.D + kBlock * (x - F.boundary);
}
template <class Work>
CATENA_INLINE int stride_of(const BodyFront& F, const Work& w, int x) {
  return x < F.boundary ? w.stride : kSlot;
}
// Coupling of freedom j with the motion of local body x.
template <class Work>
CATENA_INLINE double* coupling(const BodyFront& F, const Work& w, int j, int x) {
  return x < F.boundary ? w.Q + j * w.stride + w.freedoms + 6 * x : w.U + kSlot * (j * F.interior + x - F.boundary);
}

// Adds the block s of the pair (a, b).
template <class Work>
CATENA_INLINE void add_pair(const BodyFront& F, const Work& w, int a, int b, const double* s, int stride) {
  if (a == b) {
    add_block(diagonal(F, w, a), stride_of(F, w, a), s, stride);
  } else if (a < F.boundary && b < F.boundary) {  // both triangles
    add_block(w.Q + (w.freedoms + 6 * a) * w.stride + w.freedoms + 6 * b, w.stride, s, stride);
    add_transposed(w.Q + (w.freedoms + 6 * b) * w.stride + w.freedoms + 6 * a, w.stride, s, stride);
  } else if (a > b) {
    add_block(w.D + kBlock * F.fold.block_of[at(a * F.local() + b)], kSlot, s, stride);
  } else {
    add_transposed(w.D + kBlock * F.fold.block_of[at(b * F.local() + a)], kSlot, s, stride);
  }
}

}  // namespace

// What a child leaves: energy of its boundary, delayed freedoms, rows.
CATENA_DISPATCH void FrontElimination::assemble(const BodyFront& F, Work& w, const FrontChild& child) {
  const BodyFront& C = plan_.fronts[at(child.front)];
  const Work& c = work_[at(child.front)];
  const Vec3 d = load_[C.origin].x - load_[F.origin].x;
  const bool moves = C.origin != F.origin;
  double moved[kBlock];
  for (int k = 0; k < C.boundary; ++k)
    for (int l = k; l < C.boundary; ++l) {
      const double* s = c.Q + (c.freedoms + 6 * k) * c.stride + c.freedoms + 6 * l;
      if (moves) carry_block(moved, s, c.stride, d);
      add_pair(F, w, child.map[at(k)], child.map[at(l)], moves ? moved : s, moves ? kSlot : c.stride);
    }
  double e[kSlot];
  for (int k = 0; k < c.delayed; ++k) {
    const double* s = c.Q + c.free[c.left + k] * c.stride;
    for (int l = k; l < c.delayed; ++l)
      w.Q[(c.late + k) * w.stride + c.late + l] = w.Q[(c.late + l) * w.stride + c.late + k] = s[c.free[c.left + l]];
    for (int b = 0; b < C.boundary; ++b) {
      copy6(e, s + c.freedoms + 6 * b);
      if (moves) carry_wrench(e, d);
      add6(coupling(F, w, c.late + k, child.map[at(b)]), e);
    }
  }
  for (int k = 0; k < c.handed; ++k, ++w.rows) {
    const double* from = c.row(c.solved + k);
    double *R = w.R + w.rows * w.row_stride, last[kSlot] = {};
    zero(R, w.row_stride);
    zero(scratch_.spots, kSlot * F.boundary);
    for (const int x : child.path) zero(scratch_.spots + kSlot * x, kSlot);
    for (int l = 0; l < c.delayed; ++l) R[c.late + l] = from[c.free[c.left + l]];
    for (int b = 0; 6 * b < C.row_columns; ++b) {
      copy6(e, from + c.freedoms + 6 * b);
      if (moves) carry_wrench(e, d);
      add6(scratch_.spots + kSlot * child.map[at(b)], e);
      subtract6(last, e);
    }
    if (!C.absolute) add6(scratch_.spots + kSlot * child.map[at(C.boundary - 1)], last);
    for (const int x : child.path) {
      const FrontBody& body = F.bodies[at(x)];
      for (int q = body.first; q < body.first + body.freedoms; ++q)
        R[q] = dot6(scratch_.spots + kSlot * x, w.S + kSlot * q);
      if (body.parent >= 0) add6(scratch_.spots + kSlot * body.parent, scratch_.spots + kSlot * x);
    }
    for (int b = 0; 6 * b < F.row_columns; ++b) {
      copy6(R + w.freedoms + 6 * b, scratch_.spots + kSlot * b);
      mask(model_->bodies[F.bodies[at(b)].body].kind, R + w.freedoms + 6 * b);
    }
  }
}

// a_i = a_p + S q: the quadratic form in q_i and a_p instead of a_i, last body first.
CATENA_DISPATCH void FrontElimination::fold(const BodyFront& F, Work& w) {
  double u[kSlot];
  for (int i = F.local(); i-- > F.boundary;) {
    const FrontBody& body = F.bodies[at(i)];
    const int p = body.parent, I = i - F.boundary, stride = w.stride;
    const double* D = w.D + kBlock * I;
    const int first_met = F.fold.met_start[at(I)], last_met = F.fold.met_start[at(I) + 1];
    const int first = F.fold.coupling_start[at(I)], last = F.fold.coupling_start[at(I) + 1];
    // Freedoms that couple with this body: those below it, and all that children delayed.
    const auto each_met = [&](auto&& work) {
      for (int k = first_met; k < last_met; ++k) work(F.fold.met[at(k)]);
      for (int r = F.freedoms; r < w.freedoms; ++r) work(r);
    };
    for (int j = body.first; j < body.first + body.freedoms; ++j) {
      const double* S = w.S + kSlot * j;
      times(u, D, S);
      for (int l = body.first; l <= j; ++l) w.Q[j * stride + l] = w.Q[l * stride + j] = dot6(u, w.S + kSlot * l);
      if (p >= 0) add6(coupling(F, w, j, p), u);
      for (int c = first; c < last; ++c) {
        times(u, w.D + kBlock * F.fold.couplings[at(c)].block, S);
        add6(coupling(F, w, j, F.fold.couplings[at(c)].other), u);
      }
      each_met([&](int r) { w.Q[j * stride + r] = w.Q[r * stride + j] = dot6(coupling(F, w, r, i), S); });
    }
    if (p < 0) continue;
    each_met([&](int r) { add6(coupling(F, w, r, p), coupling(F, w, r, i)); });
    add_block(diagonal(F, w, p), stride_of(F, w, p), D, kSlot);
    for (int c = first; c < last; ++c) {
      const auto [x, block] = F.fold.couplings[at(c)];
      add_pair(F, w, p, x, w.D + kBlock * block, kSlot);
      if (x == p) add_transposed(diagonal(F, w, p), stride_of(F, w, p), w.D + kBlock * block, kSlot);
    }
  }
}

}  // namespace catena
