#include "catena/collide/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace catena {
namespace {

constexpr double kParallel2 = 1e-12;  // squared sine below which two directions have no useful cross product
constexpr double kNone = -std::numeric_limits<double>::infinity();

Vec3 half_sides(const Convex& box) { return box.vertices[7] - box.centre; }

// The edge of a box along its axis i that lies farthest along d, as a start and a direction.
std::array<Vec3, 2> support_edge(const Convex& box, const Vec3& half, int i, const Vec3& d) {
  Vec3 at = box.centre;
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = box.R.column(k);
    at += (k == i || dot(axis, d) < 0 ? -half[k] : half[k]) * axis;
  }
  return {at, 2 * half[i] * box.R.column(i)};
}

// The nearest of A's faces: the one with the largest gap to B in front of it.
struct FaceGap {
  int face = -1;
  double gap = kNone;
};
// Faces that look out of the plane a planar body lives in part nothing.
bool out_of_plane(const Convex& A, const Convex& B, const Vec3& n) {
  return (A.sides.planar || B.sides.planar) && std::abs(n.z) > 0.999;
}
FaceGap nearest_face(const Convex& A, const Convex& B, double limit, double same) {
  FaceGap best;
  const std::size_t count = A.sides.one_sided ? 1 : A.normals.size();
  for (std::size_t f = 0; f < count; ++f) {
    const Vec3& n = A.normals[f];
    if (out_of_plane(A, B, n)) continue;
    const Vec3& on = A.vertices[A.local.corners[A.local.faces[f].first]];
    double gap = std::numeric_limits<double>::infinity();
    for (const Vec3& v : B.vertices) gap = std::min(gap, dot(n, v - on));
    if (gap > best.gap + same) best = {static_cast<int>(f), gap};
    if (gap > limit) break;
  }
  return best;
}

struct EdgeGap {
  std::size_t a = 0, b = 0;
  Vec3 normal{};
  double gap = kNone;
};
// The cross product of two edges parts the shapes there when it points out of the one (into neither of its edge's faces) and into the
// other. An edge of A can meet one of B only if some normal of B's edge is perpendicular to A's: if the normals of the two faces it parts lie
// on different sides of the plane across A's edge. With those sides known, one look a pair rejects most.
EdgeGap nearest_edges(const Convex& A, const Convex& B, double same, std::vector<double>& side) {
  EdgeGap best;
  side.resize(B.normals.size());
  for (std::size_t i = 0; i < A.edges.frames.size(); ++i) {
    const Convex::EdgeFrame& a = A.edges.frames[i];
    const double a2 = dot(a.along, a.along);
    for (std::size_t f = 0; f < side.size(); ++f) side[f] = dot(B.normals[f], a.along);
    for (std::size_t j = 0; j < B.edges.frames.size(); ++j) {
      const Polytope::Edge& e = B.local.edges[j];
      if (e.left >= 0 && side[e.left] * side[e.right] > 0) continue;
      const Convex::EdgeFrame& b = B.edges.frames[j];
      const Vec3 x = cross(a.along, b.along);
      // The signs of x along the faces decide; most pairs fail at the first two.
      const double al = dot(x, a.into_left), ar = dot(x, a.into_right);
      if (al * ar < 0) continue;
      const double bl = dot(x, b.into_left), br = dot(x, b.into_right);
      const bool out = al >= 0 && ar >= 0 && bl <= 0 && br <= 0;
      const bool in = al <= 0 && ar <= 0 && bl >= 0 && br >= 0;
      if (!out && !in) continue;
      const double x2 = dot(x, x);
      if (x2 <= kParallel2 * a2 * dot(b.along, b.along)) continue;
      const Vec3 between = A.vertices[A.local.edges[i].from] - B.vertices[e.from];
      double gap = dot(x, between) / std::sqrt(x2);
      double sign = 1;
      if (!out || (in && gap < 0)) sign = -1;  // both: segments have normals all round, the better sign parts
      gap *= sign;
      if (gap > best.gap + same && !out_of_plane(A, B, x / std::sqrt(x2)))
        best = {i, j, (sign / std::sqrt(x2)) * x, gap};
    }
  }
  return best;
}

}  // namespace

ClosestPoints closest_of_segments(const Vec3& p, const Vec3& d, const Vec3& q, const Vec3& e) {
  // |p + s d − q − t e|² is least at (s, t) in the unit square: first along s for the lines, then clamp t, then s again.
  const Vec3 r = p - q;
  const double dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dr = dot(d, r), er = dot(e, r);
  const double det = dd * ee - de * de;
  const auto unit = [](double s) { return std::clamp(s, 0.0, 1.0); };
  double s = 0;
  if (dd == 0) {
    s = 0;
  } else if (ee == 0) {
    s = unit(-dr / dd);
  } else if (det > kParallel2 * dd * ee) {
    s = unit((de * er - ee * dr) / det);
  } else {
    const double s0 = unit(-dr / dd), s1 = unit((de - dr) / dd);  // where q and q + e are beside p … p + d
    s = 0.5 * (s0 + s1);
  }
  double t = ee > 0 ? unit((de * s + er) / ee) : 0;
  if (dd > 0) s = unit((de * t - dr) / dd);
  return {p + s * d, q + t * e};
}

Axis box_axis(const Convex& A, const Convex& B, double limit) {
  const double same = same_length(A, B);
  const Vec3 between = A.centre - B.centre;
  const Vec3 ha = transpose_times(A.R, half_sides(A)), hb = transpose_times(B.R, half_sides(B));
  double C[3][3], D[3][3];  // cosines between the axes, and their sizes
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      C[i][j] = dot(A.R.column(i), B.R.column(j));
      D[i][j] = std::abs(C[i][j]);
    }
  }
  Axis best;
  best.gap = kNone;
  for (int i = 0; i < 6; ++i) {
    const bool of_a = i < 3;
    const int k = of_a ? i : i - 3;
    const Vec3 axis = of_a ? A.R.column(k) : B.R.column(k);
    const double along = dot(axis, between);
    const double reach = of_a ? ha[k] + hb.x * D[k][0] + hb.y * D[k][1] + hb.z * D[k][2]
                              : hb[k] + ha.x * D[0][k] + ha.y * D[1][k] + ha.z * D[2][k];
    const double gap = std::abs(along) - reach;
    if (gap <= best.gap + same || out_of_plane(A, B, axis)) continue;
    best.gap = gap;
    best.normal = along < 0 ? -axis : axis;
    best.kind = of_a ? Axis::Kind::face_a : Axis::Kind::face_b;
    best.face = 2 * k + ((along < 0) == of_a ? 1 : 0);
    if (gap > limit) return best;
  }
  int edge_a = -1, edge_b = -1;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double sine2 = 1 - C[i][j] * C[i][j];
      if (sine2 <= kParallel2) continue;
      const Vec3 x = cross(A.R.column(i), B.R.column(j));
      const double along = dot(x, between);
      double reach = 0;  // |x·a_k| = |a_k × a_i · b_j| is the cosine of the third axis with b_j
      for (int k = 1; k < 3; ++k) {
        const int p = (i + k) % 3, q = (i + 3 - k) % 3, r = (j + k) % 3, s = (j + 3 - k) % 3;
        reach += ha[p] * D[q][j] + hb[r] * D[i][s];
      }
      const double length = norm(x), gap = (std::abs(along) - reach) / length;
      if (gap <= best.gap + same || out_of_plane(A, B, x / length)) continue;
      best.gap = gap;
      best.normal = (along < 0 ? -1 / length : 1 / length) * x;
      best.kind = Axis::Kind::general;
      edge_a = i, edge_b = j;
      if (gap > limit) return best;
    }
  }
  if (edge_a >= 0) {
    const auto [p, d] = support_edge(A, ha, edge_a, -best.normal);
    const auto [q, e] = support_edge(B, hb, edge_b, best.normal);
    const ClosestPoints c = closest_of_segments(p, d, q, e);
    best.on_a = c.on_a, best.on_b = c.on_b;
  }
  return best;
}

Axis polytope_axis(Convex& A, Convex& B, double limit) {
  const double same = same_length(A, B);
  Axis best;
  best.gap = kNone;
  if (const FaceGap a = nearest_face(A, B, limit, same); a.face >= 0)
    best = {Axis::Kind::face_a, a.face, -A.normals[a.face], a.gap, {}, {}};
  if (best.gap > limit) return best;
  if (const FaceGap b = nearest_face(B, A, limit, same); b.gap > best.gap + same)
    best = {Axis::Kind::face_b, b.face, B.normals[b.face], b.gap, {}, {}};
  if (best.gap > limit) return best;
  place_edges(A);
  place_edges(B);
  const EdgeGap e = nearest_edges(A, B, same, A.edges.scratch);
  if (e.gap <= best.gap + same) return best;
  const Polytope::Edge &a = A.local.edges[e.a], &b = B.local.edges[e.b];
  const ClosestPoints c =
      closest_of_segments(A.vertices[a.from], A.edges.frames[e.a].along, B.vertices[b.from], B.edges.frames[e.b].along);
  return {Axis::Kind::general, -1, e.normal, e.gap, c.on_a, c.on_b};
}

Axis refined_axis(const Convex& A, const Convex& B, const Axis& axis) {
  constexpr double kNear = 0.02;  // rad: features farther off than the iteration's error cannot be the ones it met
  Axis best = axis;
  best.gap = std::min(axis.gap, separation(A, B, axis.normal));
  const double same = 1e-2 * same_length(A, B);
  const auto offer = [&](Vec3 n, Axis::Kind kind, int face) {
    if (dot(n, n) < 0.25) return;
    n = normalized(n);
    if (dot(n, axis.normal) < 1 - 0.5 * kNear * kNear) return;
    const double gap = separation(A, B, n);
    const bool flat_first = best.kind == Axis::Kind::general && kind != Axis::Kind::general;
    if (flat_first ? gap < best.gap - 10 * same : gap <= best.gap + same) return;
    best = {kind, face, n, gap, axis.on_a, axis.on_b};
  };
  for (const bool of_a : {true, false}) {
    const Convex& C = of_a ? A : B;
    const Axis::Kind kind = of_a ? Axis::Kind::face_a : Axis::Kind::face_b;
    for (std::size_t f = 0; f < C.normals.size(); ++f)
      offer(of_a ? -C.normals[f] : C.normals[f], kind, static_cast<int>(f));
    if (C.core == Core::cylinder) {
      const Vec3 n = C.R.column(2);
      offer(dot(n, axis.normal) < 0 ? -n : n, kind, -1);
      offer(axis.normal - dot(axis.normal, n) * n, Axis::Kind::general, -1);
    }
  }
  if (A.core != Core::cylinder && B.core != Core::cylinder) return best;
  // Straight lines against each other: the side of a cylinder and sides, segments, edges.
  for_each_line(A, [&](const Vec3& a) {
    for_each_line(B, [&](const Vec3& b) {
      const Vec3 x = cross(a, b);
      const double length = norm(x);
      if (length > 1e-3) offer((dot(x, axis.normal) < 0 ? -1 / length : 1 / length) * x, Axis::Kind::general, -1);
    });
  });
  return best;
}

}  // namespace catena
