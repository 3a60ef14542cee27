#include "catena/mechanism/free_flight.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "catena/math/dispatch.h"
#include "catena/mechanism/rotation_vector.h"

namespace catena {
namespace {

// ω = J⁻¹ L of a body turned by p since its inverse inertia was J_inverse. p need not be of unit length:
//   R(p) v = v + s (p_w p × v + p × (p × v)),   s = 2/|p|²
template <class Real>
Vec3T<Real> spin_of(const QuatT<Real>& p, const Sym3T<Real>& J_inverse, const Vec3T<Real>& L) {
  const Vec3T<Real> u = p.vec();
  const Real s = Real(2) / (p.w * p.w + dot(u, u));
  const Vec3T<Real> back = s * cross(u, L);
  const Vec3T<Real> w = J_inverse * (L - p.w * back + cross(u, back));
  const Vec3T<Real> forth = s * cross(u, w);
  return w + p.w * forth + cross(u, forth);
}

// ½ (0, ω) q.
template <class Real>
QuatT<Real> rate(const Vec3T<Real>& w, const QuatT<Real>& q) {
  return QuatT<Real>{Real(0), Real(0.5) * w.x, Real(0.5) * w.y, Real(0.5) * w.z} * q;
}

template <class Real>
QuatT<Real> plus(const QuatT<Real>& q, const Real& s, const QuatT<Real>& d) {
  return {q.w + s * d.w, q.x + s * d.x, q.y + s * d.y, q.z + s * d.z};
}

// The turn over h of a body that starts with spin w and momentum L under the torque: eqs. 3 and 4 by RK4, from the identity.
template <class Real>
QuatT<Real> turn_rk4(const Real& h, const Sym3T<Real>& J_inverse, const Vec3T<Real>& w, const Vec3T<Real>& L,
                     const Vec3T<Real>& torque) {
  const QuatT<Real> one{Real(1), Real(0), Real(0), Real(0)};
  const Real half = Real(0.5) * h;
  const Vec3T<Real> L_middle = L + half * torque, L_end = L + h * torque;
  const QuatT<Real> k1{Real(0), Real(0.5) * w.x, Real(0.5) * w.y, Real(0.5) * w.z};
  const QuatT<Real> p2 = plus(one, half, k1);
  const QuatT<Real> k2 = rate(spin_of(p2, J_inverse, L_middle), p2);
  const QuatT<Real> p3 = plus(one, half, k2);
  const QuatT<Real> k3 = rate(spin_of(p3, J_inverse, L_middle), p3);
  const QuatT<Real> p4 = plus(one, h, k3);
  const QuatT<Real> k4 = rate(spin_of(p4, J_inverse, L_end), p4);
  const Real sixth = h / Real(6), third = h / Real(3);
  return normalized(plus(plus(plus(plus(one, sixth, k1), third, k2), third, k3), sixth, k4));
}

// The same on the rotation vector.
Quat turn_lie(double h, const Sym3& J_inverse, const Vec3& w, const Vec3& L, const Vec3& torque) {
  const auto slope = [&](const Vec3& theta, double t) {
    return dexp_inverse(theta, spin_of(exp_rotation(theta), J_inverse, L + t * torque));
  };
  const Vec3 k1 = w;
  const Vec3 k2 = slope(0.5 * h * k1, 0.5 * h);
  const Vec3 k3 = slope(0.5 * h * k2, 0.5 * h);
  const Vec3 k4 = slope(h * k3, h);
  return exp_rotation((h / 6) * (k1 + 2.0 * k2 + 2.0 * k3 + k4));
}

// One lane of numbers that are stored side by side.
template <class Lanes>
Vec3 vec3(const Lanes& lanes, std::size_t l) {
  return {lanes[0][l], lanes[1][l], lanes[2][l]};
}
template <class Lanes>
Quat quat(const Lanes& lanes, std::size_t l) {
  return {lanes[0][l], lanes[1][l], lanes[2][l], lanes[3][l]};
}
template <class Lanes>
Sym3 sym3(const Lanes& lanes, std::size_t l) {
  return {lanes[0][l], lanes[1][l], lanes[2][l], lanes[3][l], lanes[4][l], lanes[5][l]};
}
template <class Lanes>
void set(Lanes& lanes, std::size_t l, const Vec3& v) {
  lanes[0][l] = v.x, lanes[1][l] = v.y, lanes[2][l] = v.z;
}
template <class Lanes>
void set(Lanes& lanes, std::size_t l, const Quat& q) {
  lanes[0][l] = q.w, lanes[1][l] = q.x, lanes[2][l] = q.y, lanes[3][l] = q.z;
}
template <class Lanes>
void set(Lanes& lanes, std::size_t l, const Sym3& S) {
  lanes[0][l] = S.xx, lanes[1][l] = S.yy, lanes[2][l] = S.zz, lanes[3][l] = S.xy, lanes[4][l] = S.xz,
  lanes[5][l] = S.yz;
}

}  // namespace

FreeFlight::FreeFlight(const Model& model, Integrator rule, double fast_top)
    : model_(&model), rule_(rule), fast_top_(fast_top), drops_(model.bodies.size()) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    switch (model.bodies[i].kind) {
      case BodyKind::rigid: {
        if (spins_.empty() || spins_.back().count == kLanes) spins_.emplace_back() = {};
        Spins& spins = spins_.back();
        spins.top[spins.count] = top_of(model.bodies[i]);
        spins.body[spins.count++] = BodyId(i);
        break;
      }
      case BodyKind::planar: planar_.emplace_back().body = BodyId(i); break;
      case BodyKind::scalable: scaling_.emplace_back().body = BodyId(i); break;
      case BodyKind::formed: {
        Forming& forming = forming_.emplace_back();
        forming.frame = BodyId(i);
        forming.own = model.bodies[i].partner;
        break;
      }
      case BodyKind::form:
      case BodyKind::particle: break;
    }
  }
}

FreeFlight::Top FreeFlight::top_of(const Body& body) {
  constexpr double kEqual = 1e-9;  // relative
  const Sym3& J = body.inertia;
  Eigen::Matrix3d full;
  full << J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(full);
  const Eigen::Vector3d& moments = principal.eigenvalues();  // ascending
  const int own = moments[1] - moments[0] < moments[2] - moments[1] ? 2 : 0;
  const Eigen::Vector3d axis = principal.eigenvectors().col(own);
  const double spread = std::abs(moments[1] - moments[2 - own]);
  return {spread <= kEqual * moments[2], {axis[0], axis[1], axis[2]}, 1 / moments[own], 1 / moments[1]};
}

CATENA_DISPATCH void FreeFlight::start(const Kinematics& kinematics, std::span<const BodyVector> f, double h) {
  h_ = h;
  for (std::size_t i = 0; i < drops_.size(); ++i) {
    const BodyState& s = kinematics.body(BodyId(i));
    const Vec3 gained = (h / kinematics.M(BodyId(i)).linear) * f[i].linear;
    drops_[i] = {s.position + h * (s.velocity + 0.5 * gained), s.velocity + gained};
  }
  for (Spins& spins : spins_)
    for (std::size_t l = 0; l < spins.count; ++l) {
      const BodyId body = spins.body[l];
      const BodyState& s = kinematics.body(body);
      set(spins.J, l, kinematics.M(body).angular);
      set(spins.J_inverse, l, inverse(kinematics.M(body).angular));
      set(spins.w, l, s.angular_velocity);
      set(spins.torque, l, f[body].angular);
      set(spins.q, l, s.orientation);
      const double turn2 = h * h * dot(s.angular_velocity, s.angular_velocity);
      spins.exact[l] = spins.top[l].is_one && (rule_ == Integrator::lie || turn2 > fast_top_ * fast_top_);
      if (spins.exact[l]) spins.axis[l] = kinematics.R(body) * spins.top[l].axis;
    }
  for (PlanarSpin& spin : planar_) {
    const BodyState& s = kinematics.body(spin.body);
    spin.w = s.angular_velocity.z;
    spin.dw = h * f[spin.body].angular.z / kinematics.M(spin.body).angular.zz;
    spin.q = s.orientation;
  }
  for (Scaling& body : scaling_) {
    body.start = kinematics.body(body.body);
    body.force = f[body.body];
  }
  for (Forming& body : forming_) {
    body.frame_start = kinematics.body(body.frame);
    body.own_start = kinematics.body(body.own);
    body.force = {f[body.frame], f[body.own]};
  }
}

// With the momentum L of the middle of the step, ω = L/J₁ + (1/J₃ − 1/J₁)(L·a) a: the body spins about its axis a at the rate of the second term,
// and with its axis goes round L at the rate of the first. Both rates are constant without torque.
void FreeFlight::turn_top(Spins& spins, std::size_t l) const {
  const Top& top = spins.top[l];
  const Vec3 L = sym3(spins.J, l) * vec3(spins.w_start, l) + (0.5 * h_) * vec3(spins.torque, l);
  const double own = (top.along - top.across) * dot(L, spins.axis[l]);
  set(spins.turn, l, exp_rotation((h_ * top.across) * L) * exp_rotation((h_ * own) * spins.axis[l]));
}

CATENA_DISPATCH void FreeFlight::turn(Spins& spins) const {
  if (rule_ == Integrator::lie) {
    for (std::size_t l = 0; l < spins.count; ++l) {
      if (spins.exact[l]) continue;
      const Vec3 w = vec3(spins.w_start, l);
      set(spins.turn, l, turn_lie(h_, sym3(spins.J_inverse, l), w, sym3(spins.J, l) * w, vec3(spins.torque, l)));
    }
    return;
  }
  // All lanes, used or not: a count fixed at compile time is what makes them one instruction.
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Vec3 w = vec3(spins.w_start, l);
    set(spins.turn, l, turn_rk4(h_, sym3(spins.J_inverse, l), w, sym3(spins.J, l) * w, vec3(spins.torque, l)));
  }
}

CATENA_DISPATCH void FreeFlight::positions(std::span<const BodyVector> dv, std::span<BodyState> out) {
  for (std::size_t i = 0; i < drops_.size(); ++i) out[i].position = drops_[i].c + h_ * dv[i].linear;
  for (Spins& spins : spins_) {
    for (std::size_t l = 0; l < spins.count; ++l) set(spins.w_start, l, vec3(spins.w, l) + dv[spins.body[l]].angular);
    turn(spins);
    for (std::size_t l = 0; l < spins.count; ++l)
      if (spins.exact[l]) turn_top(spins, l);
    for (std::size_t l = 0; l < spins.count; ++l)
      out[spins.body[l]].orientation = normalized(quat(spins.turn, l) * quat(spins.q, l));
  }
  for (const PlanarSpin& spin : planar_) {
    const double angle = h_ * (spin.w + dv[spin.body].angular.z + 0.5 * spin.dw);
    out[spin.body].orientation = normalized(exp_rotation(Vec3{0, 0, angle}) * spin.q);
  }
  for (Scaling& body : scaling_) {
    fly(body, dv[body.body]);
    out[body.body] = body.end;
  }
  for (Forming& body : forming_) {
    fly(body, dv[body.frame], dv[body.own]);
    out[body.frame] = body.frame_end;
    out[body.own] = body.own_end;
  }
}

void FreeFlight::velocities(std::span<const BodyVector> dv, std::span<BodyState> out) const {
  for (std::size_t i = 0; i < drops_.size(); ++i) out[i].velocity = drops_[i].v + dv[i].linear;
  for (const Spins& spins : spins_)
    for (std::size_t l = 0; l < spins.count; ++l) {
      const Vec3 L = sym3(spins.J, l) * vec3(spins.w_start, l) + h_ * vec3(spins.torque, l);
      out[spins.body[l]].angular_velocity = spin_of(quat(spins.turn, l), sym3(spins.J_inverse, l), L);
    }
  for (const PlanarSpin& spin : planar_)
    out[spin.body].angular_velocity = {0, 0, spin.w + dv[spin.body].angular.z + spin.dw};
  for (const Scaling& body : scaling_) out[body.body] = body.end;
  for (const Forming& body : forming_) {
    out[body.frame] = body.frame_end;
    out[body.own] = body.own_end;
  }
}

namespace {

// y(t + h) of ẏ = slope(y), by the classical Runge–Kutta method.
template <std::size_t kSize, class Slope>
std::array<double, kSize> runge_kutta(const std::array<double, kSize>& y, double h, Slope&& slope) {
  const auto plus = [](std::array<double, kSize> sum, double s, const std::array<double, kSize>& d) {
    for (std::size_t i = 0; i < kSize; ++i) sum[i] += s * d[i];
    return sum;
  };
  const auto k1 = slope(y), k2 = slope(plus(y, h / 2, k1)), k3 = slope(plus(y, h / 2, k2)), k4 = slope(plus(y, h, k3));
  return plus(plus(plus(plus(y, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
}

}  // namespace

void FreeFlight::fly(Scaling& body, const BodyVector& dv) const {
  const Body& model = model_->bodies[body.body];
  using Flat = std::array<double, ScalableBody::kFlat>;
  const auto slope = [&](const Flat& y) {
    BodyState s;
    ScalableBody::unpack(y.data(), s);
    const MassBlock M = mass_block(model, to_matrix(s.orientation), s.scale);
    const BodyVector f = body.force + velocity_force(model, M, s);
    const BodyVector a{f.linear / M.linear, inverse(M.angular) * f.angular, f.scale / M.scale};
    Flat dy;
    ScalableBody::rates(s, a, dy.data());
    return dy;
  };
  BodyState s = body.start;
  s.velocity += dv.linear;
  s.angular_velocity += dv.angular;
  s.scale_velocity += dv.scale;
  Flat y;
  ScalableBody::pack(s, y.data());
  y = runge_kutta(y, h_, slope);
  ScalableBody::unpack(y.data(), body.end);
}

void FreeFlight::fly(Forming& body, const BodyVector& dv_frame, const BodyVector& dv_own) const {
  using Flat = std::array<double, FormedBody::kFlat + FormCoordinates::kFlat>;
  const auto unpack = [](const Flat& y, BodyState& frame, BodyState& own) {
    FormCoordinates::unpack(FormedBody::unpack(y.data(), frame), own);
  };
  const auto slope = [&](const Flat& y) {
    BodyState frame, own;
    unpack(y, frame, own);
    const FormMotions a = form_acceleration(model_->bodies[body.frame], frame, own, body.force);
    Flat dy;
    FormCoordinates::rates(own, a.own, FormedBody::rates(frame, a.frame, dy.data()));
    return dy;
  };
  BodyState frame = body.frame_start, own = body.own_start;
  add_velocity(BodyKind::formed, dv_frame, frame);
  add_velocity(BodyKind::form, dv_own, own);
  Flat y;
  FormCoordinates::pack(own, FormedBody::pack(frame, y.data()));
  unpack(runge_kutta(y, h_, slope), body.frame_end, body.own_end);
}

}  // namespace catena
