#include "catena/model/stretching_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/model/error.h"

namespace catena {
namespace {

std::size_t index_of(int coordinate) { return static_cast<std::size_t>(coordinate); }

}  // namespace

StretchingForm::StretchingForm(const Stretches& stretches) : stretches_(stretches) {
  count_ = 1 + *std::max_element(stretches.of_axis.begin(), stretches.of_axis.end());
}

Vec3 StretchingForm::along_axes(const OwnVector& s) const {
  Vec3 out{1, 1, 1};
  for (int k = 0; k < 3; ++k)
    if (const int c = stretches_.of_axis[index_of(k)]; c >= 0) out[k] = s[index_of(c)];
  return out;
}

double StretchingForm::rate(const OwnVector& sd, int axis) const {
  const int c = stretches_.of_axis[index_of(axis)];
  return c < 0 ? 0 : sd[index_of(c)];
}

Sym3 StretchingForm::inertia(const OwnVector& s) const {
  const Vec3 a = along_axes(s);
  const double x = stretches_.moments.x * a.x * a.x, y = stretches_.moments.y * a.y * a.y,
               z = stretches_.moments.z * a.z * a.z;
  return Sym3::diagonal(y + z, x + z, x + y);
}

FormMass StretchingForm::mass(const OwnVector& s) const {
  FormMass out;
  out.inertia = inertia(s);
  for (int k = 0; k < 3; ++k)
    if (const int c = stretches_.of_axis[index_of(k)]; c >= 0)
      out.own[index_of(c)][index_of(c)] += stretches_.moments[k];
  return out;
}

FormForce StretchingForm::velocity_force(const FormMotion& m) const {
  const Vec3 a = along_axes(m.q);
  Vec3 growth{};  // d/dt of p_k s_k²
  FormForce out;
  for (int k = 0; k < 3; ++k) {
    growth[k] = 2 * stretches_.moments[k] * a[k] * rate(m.qd, k);
    const int c = stretches_.of_axis[index_of(k)];
    if (c >= 0) out.own[index_of(c)] += stretches_.moments[k] * a[k] * (dot(m.w, m.w) - m.w[k] * m.w[k]);
  }
  const double whole = growth.x + growth.y + growth.z;
  const Vec3 change{(whole - growth.x) * m.w.x, (whole - growth.y) * m.w.y, (whole - growth.z) * m.w.z};
  out.torque = -cross(m.w, inertia(m.q) * m.w) - change;
  return out;
}

FormPoint StretchingForm::point(const Vec3& material, const FormMotion& m) const {
  const Vec3 a = along_axes(m.q);
  FormPoint out;
  for (int k = 0; k < 3; ++k) {
    out.x[k] = a[k] * material[k];
    if (const int c = stretches_.of_axis[index_of(k)]; c >= 0) out.slope[index_of(c)][k] = material[k];
  }
  return out;
}

double StretchingForm::elastic_energy(const OwnVector& s) const {
  double energy = 0;
  for (int c = 0; c < count_; ++c) {
    const double by = s[index_of(c)] - 1;
    energy += 0.5 * stretches_.stiffness[index_of(c)] * by * by;
  }
  return energy;
}

OwnVector StretchingForm::elastic_force(const OwnVector& s) const {
  OwnVector out{};
  for (int c = 0; c < count_; ++c) out[index_of(c)] = -stretches_.stiffness[index_of(c)] * (s[index_of(c)] - 1);
  return out;
}

Vec3 second_moments(const std::string& name, const Sym3& inertia, const Stretches& stretches) {
  const double whole = trace(inertia);
  if (std::abs(inertia.xy) + std::abs(inertia.xz) + std::abs(inertia.yz) > 1e-9 * whole)
    throw InputError{
        fmt::format("body '{}': it stretches along its own axes, which must be its principal axes; turn its shapes or "
                    "give an inertia "
                    "[ixx, iyy, izz]",
                    name)};
  const Vec3 p{whole / 2 - inertia.xx, whole / 2 - inertia.yy, whole / 2 - inertia.zz};
  for (int k = 0; k < 3; ++k) {
    const bool stretched = stretches.of_axis[static_cast<std::size_t>(k)] >= 0;
    if (p[k] < -1e-12 * whole || (stretched && !(p[k] > 1e-12 * whole)))
      throw InputError{
          fmt::format("body '{}': with this inertia it has no mass along its {} axis, so that nothing resists a "
                      "stretch along it; of "
                      "the moments the sum of two must be more than the third",
                      name, "xyz"[k])};
  }
  return {std::max(p.x, 0.0), std::max(p.y, 0.0), std::max(p.z, 0.0)};
}

}  // namespace catena
