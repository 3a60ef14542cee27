#include "catena/model/joint_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

Sym3 outer(const Vec3& a) { return {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z}; }

// The distance from the axis z less R: in the plane through the axis, how far out.
struct Radial {
  double rho = 0;
  Vec3 out{};  // unit
};
Radial radial(const Vec3& p) {
  const double rho = std::hypot(p.x, p.y);
  return {rho, rho > 0 ? Vec3{p.x / rho, p.y / rho, 0} : Vec3{1, 0, 0}};
}

SurfaceValue sphere(double radius, const Vec3& p) {
  const double distance = norm(p);
  if (!(distance > 0)) return {-radius, {0, 0, 1}, {}};
  const Vec3 n = p / distance;
  return {distance - radius, n, (1 / distance) * (Sym3::diagonal(1, 1, 1) + -1.0 * outer(n))};
}

SurfaceValue cylinder(double radius, const Vec3& p) {
  const Radial r = radial(p);
  if (!(r.rho > 0)) return {-radius, r.out, {}};
  return {r.rho - radius, r.out, (1 / r.rho) * outer({-r.out.y, r.out.x, 0})};
}

// In the plane through the axis the distance from the centre of the tube: s = hypot(ρ − R, z).
SurfaceValue torus(double ring, double tube, const Vec3& p) {
  const Radial r = radial(p);
  const double out = r.rho - ring, s = std::hypot(out, p.z);
  if (!(s > 0)) return {-tube, {0, 0, 1}, {}};
  const double cosine = out / s, sine = p.z / s;
  const Vec3 n{cosine * r.out.x, cosine * r.out.y, sine}, along{-sine * r.out.x, -sine * r.out.y, cosine};
  const Vec3 round{-r.out.y, r.out.x, 0};
  return {s - tube, n, (1 / s) * outer(along) + (r.rho > 0 ? cosine / r.rho : 0) * outer(round)};
}

// s (k − 1), k² = Σ (x_i/a_i)², s the geometric mean of the semi-axes: of length, and smooth everywhere but at the centre.
SurfaceValue ellipsoid(const Vec3& a, const Vec3& p) {
  const double s = std::cbrt(a.x * a.y * a.z);
  const Vec3 g{p.x / (a.x * a.x), p.y / (a.y * a.y), p.z / (a.z * a.z)};
  const double k = std::sqrt(dot(g, p));
  if (!(k > 0)) return {-s, {0, 0, 1}, {}};
  const Sym3 inverse_squares = Sym3::diagonal(1 / (a.x * a.x), 1 / (a.y * a.y), 1 / (a.z * a.z));
  return {s * (k - 1), (s / k) * g, (s / k) * (inverse_squares + (-1 / (k * k)) * outer(g))};
}

// The four cubic basis functions that are not zero at x, with two derivatives. Points lie at (i − (n − 1)/2) d.
struct Basis {
  int first = 0;
  std::array<double, 4> w{}, d{}, dd{};
};

Basis basis(double x, double spacing, int n) {
  const double u = x / spacing + 0.5 * (n - 1);
  const double inside = std::clamp(u, 0.0, static_cast<double>(n - 1));
  const int cell = std::min(static_cast<int>(inside), n - 2);
  const double t = inside - cell, beyond = u - inside, r = 1 - t;
  Basis b;
  b.first = cell;
  b.w = {r * r * r / 6, (3 * t * t * t - 6 * t * t + 4) / 6, (3 * r * r * r - 6 * r * r + 4) / 6, t * t * t / 6};
  b.d = {-r * r / 2, (3 * t * t - 4 * t) / 2, -(3 * r * r - 4 * r) / 2, t * t / 2};
  b.dd = {r, 3 * t - 2, 3 * r - 2, t};
  for (std::size_t k = 0; k < 4; ++k) {
    if (beyond != 0) {
      b.w[k] += beyond * b.d[k];
      b.dd[k] = 0;
    }
    b.d[k] /= spacing;
    b.dd[k] /= spacing * spacing;
  }
  return b;
}

SurfaceValue height_field(const JointSurface& s, const Vec3& p) {
  const Basis x = basis(p.x, s.size.x, s.columns), y = basis(p.y, s.size.y, s.rows);
  double h = 0, hx = 0, hy = 0, hxx = 0, hxy = 0, hyy = 0;
  for (int j = 0; j < 4; ++j) {
    const auto row = static_cast<std::size_t>((y.first + j) * (s.columns + 2) + x.first);
    const auto m = static_cast<std::size_t>(j);
    double value = 0, slope = 0, bend = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double c = s.coefficients[row + i];
      value += c * x.w[i];
      slope += c * x.d[i];
      bend += c * x.dd[i];
    }
    h += y.w[m] * value, hx += y.w[m] * slope, hxx += y.w[m] * bend;
    hy += y.d[m] * value, hxy += y.d[m] * slope, hyy += y.dd[m] * value;
  }
  return {p.z - h, {-hx, -hy, 1}, {-hxx, -hyy, 0, -hxy, 0, 0}};
}

// Coefficients c_0 … c_{n+1} of the natural cubic spline through n values: c_{i−1} + 4 c_i + c_{i+1} = 6 h_i at the inner points, no
// bend at the ends. Tridiagonal, by elimination without pivoting: the diagonal dominates.
void interpolate(std::vector<double>& line) {
  const std::size_t n = line.size() - 2;
  std::vector<double> ratio(n), c(n);
  c[0] = line[1], c[n - 1] = line[n];
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double pivot = 4 - ratio[i - 1];
    ratio[i] = 1 / pivot;
    c[i] = (6 * line[i + 1] - c[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) c[i] -= ratio[i] * c[i + 1];
  std::copy(c.begin(), c.end(), line.begin() + 1);
  line[0] = 2 * c[0] - c[1];
  line[n + 1] = 2 * c[n - 1] - c[n - 2];
}

}  // namespace

SurfaceValue evaluate(const JointSurface& surface, const Vec3& p) {
  switch (surface.kind) {
    case JointSurface::Kind::plane: return {p.z, {0, 0, 1}, {}};
    case JointSurface::Kind::cylinder: return cylinder(surface.size.x, p);
    case JointSurface::Kind::torus: return torus(surface.size.x, surface.size.y, p);
    case JointSurface::Kind::ellipsoid: return ellipsoid(surface.size, p);
    case JointSurface::Kind::height_field: return height_field(surface, p);
    case JointSurface::Kind::sphere: break;
  }
  return sphere(surface.size.x, p);
}

void fill_spline(JointSurface& s) {
  const auto columns = static_cast<std::size_t>(s.columns), rows = static_cast<std::size_t>(s.rows);
  const std::size_t width = columns + 2;
  s.coefficients.assign(width * (rows + 2), 0);
  std::vector<double> line(width);
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t i = 0; i < columns; ++i) line[i + 1] = s.heights[j * columns + i];
    interpolate(line);
    std::copy(line.begin(), line.end(), s.coefficients.begin() + static_cast<std::ptrdiff_t>((j + 1) * width));
  }
  line.resize(rows + 2);
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = 0; j < line.size(); ++j) line[j] = s.coefficients[j * width + i];
    interpolate(line);
    for (std::size_t j = 0; j < line.size(); ++j) s.coefficients[j * width + i] = line[j];
  }
}

std::string fault_of(const JointSurface& s) {
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  switch (s.kind) {
    case JointSurface::Kind::plane: return {};
    case JointSurface::Kind::sphere:
    case JointSurface::Kind::cylinder:
      return positive(s.size.x) ? "" : fmt::format("the radius {} of its surface must be positive", s.size.x);
    case JointSurface::Kind::torus:
      if (!positive(s.size.x) || !positive(s.size.y)) return "the radii of a torus must be positive";
      return s.size.y < s.size.x ? "" : "the tube of a torus must be thinner than the radius of its ring";
    case JointSurface::Kind::ellipsoid:
      return positive(s.size.x) && positive(s.size.y) && positive(s.size.z)
               ? ""
               : "the radii of an ellipsoid must be positive";
    case JointSurface::Kind::height_field: break;
  }
  if (!positive(s.size.x) || !positive(s.size.y)) return "the spacing of a height field must be positive";
  if (s.columns < 3 || s.rows < 3) return "a height field needs three rows of three heights at least";
  if (s.heights.size() != static_cast<std::size_t>(s.columns) * static_cast<std::size_t>(s.rows))
    return "all rows of a height field must have as many heights";
  for (const double h : s.heights)
    if (!std::isfinite(h)) return "the heights of a height field must be finite numbers";
  return {};
}

}  // namespace catena
