#include "catena/solve/natural_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/math/elementary.h"
#include "catena/math/scalar.h"

namespace catena::solve {
namespace {

double norm(const double* t, int count) { return count == 1 ? std::abs(t[0]) : std::sqrt(t[0] * t[0] + t[1] * t[1]); }

struct Point3 {
  double n, x, y;
};
double dot(const Point3& a, const Point3& b) { return a.n * b.n + a.x * b.x + a.y * b.y; }
Point3 scaled(double s, const Point3& a) { return {s * a.n, s * a.x, s * a.y}; }

// Half axes of a cone relative to the longer one: coordinates z/s, s w make an ellipse the circle of that axis.
struct Axes {
  double friction;
  double s[2];
};
Axes axes_of(const Block& block) {
  const double other = block.size == 3 ? block.friction[1] : block.friction[0];
  const double longest = std::max(block.friction[0], other);
  if (longest == 0) return {0, {1, 1}};
  return {longest, {block.friction[0] / longest, other / longest}};
}

// max over the corners of −friction dᵀw_t.
double polygon_support(const Block& block, const double* w) {
  if (block.size == 2) return block.friction[0] * std::abs(w[1]);
  double most = 0;
  for (int j = 0; j < block.facets; ++j) {
    const double angle = 2 * std::numbers::pi * j / block.facets;
    most = std::max(most, -(portable::cos(angle) * w[1] + portable::sin(angle) * w[2]));
  }
  return block.friction[0] * most;
}

// `slip` of slip_term().
void cone_map(const Block& block, const double* z, const double* w, double slip, double rho, double* out) {
  const int tangents = block.size - 1;
  double v[3];
  v[0] = z[0] - rho * (w[0] + slip);
  if (block.size == 2 || block.friction[0] == block.friction[1]) {  // a circle
    for (int i = 1; i < block.size; ++i) v[i] = z[i] - rho * w[i];
    project_on_cone(block.friction[0], tangents, v);
    for (int i = 0; i < block.size; ++i) out[i] = z[i] - v[i];
    return;
  }
  const Axes axes = axes_of(block);
  for (int a = 0; a < tangents; ++a) v[1 + a] = axes.s[a] > 0 ? z[1 + a] / axes.s[a] - rho * axes.s[a] * w[1 + a] : 0;
  project_on_cone(axes.friction, tangents, v);
  out[0] = z[0] - v[0];
  for (int a = 0; a < tangents; ++a) out[1 + a] = axes.s[a] > 0 ? z[1 + a] / axes.s[a] - v[1 + a] : z[1 + a];
}

void facets_map(const Block& block, const double* z, const double* w, double slip, double rho, double* out) {
  double v[3];
  v[0] = z[0] - rho * (w[0] + slip);
  for (int i = 1; i < block.size; ++i) v[i] = z[i] - rho * w[i];
  if (block.size == 2) project_on_cone(block.friction[0], 1, v);
  else project_on_facets(block.friction[0], block.facets, v);
  for (int i = 0; i < block.size; ++i) out[i] = z[i] - v[i];
}

}  // namespace

void project_on_cone(double friction, int tangents, double* v) {
  const double t = norm(v + 1, tangents);
  if (v[0] >= 0 && t <= friction * v[0]) return;
  if (friction * t <= -v[0]) {
    std::fill(v, v + 1 + tangents, 0.0);
    return;
  }
  const double n = (v[0] + friction * t) / (1 + friction * friction);
  const double shrink = friction * n / t;
  v[0] = n;
  for (int a = 1; a <= tangents; ++a) v[a] *= shrink;
}

// Inside, on a face, on an edge ray or at the tip: the nearest of the candidates that lie in the cone. Faces are spanned by
// neighbouring corners, so coordinates in that basis that are not negative say whether a foot lies on the face.
void project_on_facets(double friction, int facets, double* v) {
  const Point3 p{v[0], v[1], v[2]};
  const auto corner = [&](int j) {
    const double angle = 2 * std::numbers::pi * j / facets;
    return Point3{1, friction * portable::cos(angle), friction * portable::sin(angle)};
  };
  Point3 best{0, 0, 0};
  double best_distance = dot(p, p);
  bool inside = true;
  const auto consider = [&](const Point3& q) {
    const Point3 d{p.n - q.n, p.x - q.x, p.y - q.y};
    if (dot(d, d) < best_distance) {
      best_distance = dot(d, d);
      best = q;
    }
  };
  for (int j = 0; j < facets; ++j) {
    const Point3 a = corner(j), c = corner(j + 1);
    const Point3 outward{-(a.x * c.y - a.y * c.x), a.n * c.y - a.y * c.n, -(a.n * c.x - a.x * c.n)};
    if (dot(outward, p) > 0) inside = false;
    const double along = dot(p, a) / dot(a, a);
    if (along > 0) consider(scaled(along, a));
    const double aa = dot(a, a), ac = dot(a, c), cc = dot(c, c), pa = dot(p, a), pc = dot(p, c);
    const double det = aa * cc - ac * ac;
    if (!(det > 0)) continue;
    const double s = (pa * cc - pc * ac) / det, t = (pc * aa - pa * ac) / det;
    if (s > 0 && t > 0) consider({s * a.n + t * c.n, s * a.x + t * c.x, s * a.y + t * c.y});
  }
  if (inside && p.n >= 0 && (friction > 0 || (p.x == 0 && p.y == 0))) return;
  v[0] = best.n;
  v[1] = best.x;
  v[2] = best.y;
}

double slip_term(const Block& block, const double* w) {
  switch (block.law) {
    case Law::cone: {
      const double slip[2] = {block.friction[0] * w[1], block.size == 3 ? block.friction[1] * w[2] : 0};
      return norm(slip, block.size - 1);
    }
    case Law::facets: return polygon_support(block, w);
    default: return 0;
  }
}

namespace {

void map_block(const Block& block, const Vector& z, const double* w, double slip, double rho, double* out) {
  const double* own = z.data() + block.first;
  const auto clamped = [&](int i, double lower, double upper) {
    return own[i] - std::clamp(own[i] - rho * w[i], lower, upper);
  };
  switch (block.law) {
    case Law::free:
      for (int i = 0; i < block.size; ++i) out[i] = rho * w[i];
      break;
    case Law::complementary:
      for (int i = 0; i < block.size; ++i) out[i] = clamped(i, 0, kInfinity);
      break;
    case Law::boxed: out[0] = clamped(0, block.lower, block.upper); break;
    case Law::bounded_by: {
      const double reach = block.friction[0] * std::max(z[block.parent], 0.0);
      out[0] = clamped(0, -reach, reach);
      break;
    }
    case Law::facets: facets_map(block, own, w, slip, rho, out); break;
    case Law::cone: cone_map(block, own, w, slip, rho, out); break;
  }
}

}  // namespace

void natural_map(const Block& block, const Vector& z, const double* w, double rho, double* out) {
  map_block(block, z, w, slip_term(block, w), rho, out);
}

double matrix_scale(const Matrix& A) {
  if (size_of(A) == 0) return 1;
  const auto* dense = std::get_if<Eigen::MatrixXd>(&A);
  const double most = dense ? dense->diagonal().maxCoeff() : diagonal(A).maxCoeff();
  if (most > kVanishing) return most;
  const double entry = largest_entry(A);
  return entry > kVanishing ? entry : 1;
}

Residual natural_residual(const Problem& problem, const Vector& z, const Vector& w, double scale) {
  Residual residual;
  const double rho = 1 / scale;
  double sum = 0, worst = -1, gap = 0;
  double out[3];
  for (const Block& block : problem.blocks) {
    const double* own_w = w.data() + block.first;
    // Laws of more than three rows speak of each row alone.
    const bool wide = block.size > 3;
    const double slip = slip_term(block, own_w);
    if (!wide) map_block(block, z, own_w, slip, rho, out);
    double work = z[block.first] * slip;
    for (int i = 0; i < block.size; ++i) {
      if (wide) natural_map({.law = block.law, .first = block.first + i}, z, own_w + i, rho, out);
      const double miss = std::abs(out[wide ? 0 : i]);
      sum += miss * miss;
      // A NaN must win: a comparison the other way round would pass it over.
      if (!(miss <= worst)) {
        worst = miss;
        residual.worst_row = block.first + i;
      }
      const bool at_bound = block.law == Law::boxed || block.law == Law::bounded_by;
      work += at_bound ? 0 : z[block.first + i] * own_w[i];
    }
    gap = std::max(gap, std::abs(work));
  }
  const double size_b = problem.b.norm();
  residual.value = std::sqrt(sum) * scale / (size_b > 0 ? size_b : 1);
  const double reach = problem.size() > 0 ? z.lpNorm<Eigen::Infinity>() * problem.b.lpNorm<Eigen::Infinity>() : 0;
  residual.gap = reach > 0 ? gap / reach : gap;
  return residual;
}

}  // namespace catena::solve
