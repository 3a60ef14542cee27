#include "catena/constraint/row_set.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/constraint/four_pivots.h"
#include "catena/constraint/framed_rows.h"
#include "catena/constraint/joint_coordinates.h"
#include "catena/math/dispatch.h"

namespace catena {
namespace {

constexpr Mat3 kGroundR = Mat3::identity();

bool is_thread(const Model& model, const Joint& joint) {
  const auto is_point = [&](BodyId body, const Vec3& anchor) {
    return body.valid() && model.bodies[body].kind == BodyKind::particle && anchor == Vec3{};
  };
  return joint.kind == JointKind::distance && joint.extras < 0 && is_point(joint.a, joint.anchor_a) &&
         is_point(joint.b, joint.anchor_b);
}

bool is_pivot(const Model& model, const Joint& joint) {
  const auto turns = [&](BodyId body) { return !body.valid() || model.bodies[body].kind == BodyKind::rigid; };
  return (joint.kind == JointKind::hinge || joint.kind == JointKind::ball) && !model.extras_of(joint).motor &&
         !model.extras_of(joint).moves && turns(joint.a) && turns(joint.b);
}

}  // namespace

RowSet::RowSet(const Model& model, std::vector<JointId> which) : joints(std::move(which)) {
  start.push_back(0);
  K_start.push_back(0);
  for (const JointId joint : joints) add_structure(model, joint);
  const auto trim = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  trim(joint_of, start, body, K_start, K_body, ways_.threads, ways_.pivots, ways_.others);
  J.resize(body.size());
  K.resize(K_body.size());
  const std::size_t n = joint_of.size();
  c.resize(n);
  u.resize(n);
  phi.resize(n);
  holonomic.resize(n, true);
  std::vector<char> of_pivot(n, 0);
  for (const Pivot& pivot : ways_.pivots) {
    std::fill_n(of_pivot.begin() + pivot.row, pivot.hinge ? 5 : 3, char{1});
    BodyVector* to = J.data() + pivot.term;
    for (int k = 0; k < 3; ++k) {
      if (pivot.a.valid()) (to++)->linear[k] = -1;
      if (pivot.b.valid()) (to++)->linear[k] = 1;
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    if (of_pivot[i] == 0) ways_.not_of_pivots.push_back(static_cast<int>(i));
}

void RowSet::add_structure(const Model& model, JointId id) {
  const Joint& joint = model.joints[id];
  const auto first = static_cast<int>(joint_of.size());
  if (is_thread(model, joint))
    ways_.threads.push_back({joint.a, joint.b, joint.parameter, first, static_cast<int>(body.size())});
  else if (is_pivot(model, joint)) {
    const Mat3 frame_a = to_matrix(joint.frame_a), frame_b = to_matrix(joint.frame_b);
    ways_.pivots.push_back({joint.a, joint.b, joint.anchor_a, joint.anchor_b, frame_a.column(0), frame_a.column(1),
                            frame_b.column(2), joint.kind == JointKind::hinge, first, static_cast<int>(body.size())});
  } else ways_.others.push_back({id, first});
  if (joint.kind == JointKind::coupling) {
    for (const CouplingRow& row : model.extras_of(joint).rows) {
      for (const CouplingTerm& term : row.terms) body.push_back(term.body);
      for (const CoordinateTerm& term : row.coordinates)
        for (const BodyId end : {model.joints[term.joint].a, model.joints[term.joint].b})
          if (end.valid()) body.push_back(end);
      for (const CouplingTerm& term : row.through) K_body.push_back(term.body);
      start.push_back(static_cast<int>(body.size()));
      K_start.push_back(static_cast<int>(K_body.size()));
      joint_of.push_back(id);
    }
    return;
  }
  for (int i = 0, n = row_count(model, joint); i < n; ++i) {
    for (const BodyId end : {joint.a, joint.b})
      if (end.valid()) body.push_back(end);
    for (const BodyId end : {joint.a, joint.b})
      if (end.valid() && model.bodies[end].partner.valid()) body.push_back(model.bodies[end].partner);
    start.push_back(static_cast<int>(body.size()));
    K_start.push_back(static_cast<int>(K_body.size()));
    joint_of.push_back(id);
  }
}

void RowSet::evaluate(const Model& model, const Kinematics& kinematics) {
  evaluate_places(model, kinematics);
  rate_pivots(kinematics);
  for (const Other& other : ways_.others)
    if (const Joint& joint = model.joints[other.joint]; has_framed_rows(model, joint))
      framed_rates(kinematics, joint, c.data() + other.row);
}

void RowSet::evaluate_places(const Model& model, const Kinematics& kinematics) {
  place_pivots(kinematics);
  for (const Thread& thread : ways_.threads) evaluate_thread(kinematics, thread);
  for (const Other& other : ways_.others) {
    const Joint& joint = model.joints[other.joint];
    const auto r = static_cast<std::size_t>(other.row);
    if (has_framed_rows(model, joint)) framed_places(kinematics, joint, J.data() + start[r], phi.data() + other.row);
    else evaluate_other(model, kinematics, other);
  }
}

void RowSet::evaluate_rates(const Model& model, const Kinematics& kinematics) {
  rate_pivots(kinematics);
  for (const Thread& thread : ways_.threads) evaluate_thread(kinematics, thread);
  for (const Other& other : ways_.others) {
    const Joint& joint = model.joints[other.joint];
    if (has_framed_rows(model, joint)) framed_rates(kinematics, joint, c.data() + other.row);
    else evaluate_other(model, kinematics, other);
  }
}

// distance.h for points that carry no frame.
void RowSet::evaluate_thread(const Kinematics& kinematics, const Thread& thread) {
  const BodyState &a = kinematics.body(thread.a), &b = kinematics.body(thread.b);
  const Vec3 d = b.position - a.position, v = b.velocity - a.velocity;
  const double length = norm(d);
  const Vec3 n = d / length;
  const double vn = dot(n, v);
  const auto r = static_cast<std::size_t>(thread.row), term = static_cast<std::size_t>(thread.term);
  J[term].linear = -n;
  J[term + 1].linear = n;
  c[r] = (dot(v, v) - vn * vn) / length;
  phi[r] = length - thread.length;
}

// point_rows() and aligned_rows() of basic_rows.h, written out: J and phi.
CATENA_INLINE void RowSet::place_pivot(const Kinematics& kinematics, const Pivot& pivot) {
  const bool on_a = pivot.a.valid(), on_b = pivot.b.valid();
  const Mat3 &RA = on_a ? kinematics.R(pivot.a) : kGroundR, &RB = on_b ? kinematics.R(pivot.b) : kGroundR;
  const Vec3 xa = on_a ? kinematics.body(pivot.a).position : Vec3{},
             xb = on_b ? kinematics.body(pivot.b).position : Vec3{};
  const Vec3 ra = RA * pivot.anchor_a, rb = RB * pivot.anchor_b, gap = xb + rb - xa - ra;
  double* out = phi.data() + pivot.row;
  BodyVector* to = J.data() + pivot.term;
  // Forces along the axes stay as they were built.
  const Vec3 arms_a[] = {{0, -ra.z, ra.y}, {ra.z, 0, -ra.x}, {-ra.y, ra.x, 0}},
             arms_b[] = {{0, rb.z, -rb.y}, {-rb.z, 0, rb.x}, {rb.y, -rb.x, 0}};
  for (int k = 0; k < 3; ++k) {
    if (on_a) (to++)->angular = arms_a[k];
    if (on_b) (to++)->angular = arms_b[k];
    out[k] = gap[k];
  }
  if (!pivot.hinge) return;
  const Vec3 f = RB * pivot.axis;
  const Vec3 t[] = {RA * pivot.t1, RA * pivot.t2};
  for (int k = 0; k < 2; ++k) {
    const Vec3 across = cross(f, t[k]);
    if (on_a) (to++)->angular = -across;
    if (on_b) (to++)->angular = across;
    out[3 + k] = dot(t[k], f);
  }
}

// c of the same rows.
CATENA_INLINE void RowSet::rate_pivot(const Kinematics& kinematics, const Pivot& pivot) {
  const bool on_a = pivot.a.valid(), on_b = pivot.b.valid();
  const Mat3 &RA = on_a ? kinematics.R(pivot.a) : kGroundR, &RB = on_b ? kinematics.R(pivot.b) : kGroundR;
  const Vec3 wa = on_a ? kinematics.body(pivot.a).angular_velocity : Vec3{},
             wb = on_b ? kinematics.body(pivot.b).angular_velocity : Vec3{};
  const Vec3 ra = RA * pivot.anchor_a, rb = RB * pivot.anchor_b;
  const Vec3 bias = cross(wb, cross(wb, rb)) - cross(wa, cross(wa, ra));
  double* out = c.data() + pivot.row;
  for (int k = 0; k < 3; ++k) out[k] = bias[k];
  if (!pivot.hinge) return;
  const Vec3 f = RB * pivot.axis, f_rate = cross(wb, f), w = wb - wa, t[] = {RA * pivot.t1, RA * pivot.t2};
  for (int k = 0; k < 2; ++k) out[3 + k] = dot(cross(f_rate, t[k]) + cross(f, cross(wa, t[k])), w);
}

CATENA_INLINE void RowSet::evaluate_pivot_phi(const Kinematics& kinematics, const Pivot& pivot) {
  const bool on_a = pivot.a.valid(), on_b = pivot.b.valid();
  const Mat3 &RA = on_a ? kinematics.R(pivot.a) : kGroundR, &RB = on_b ? kinematics.R(pivot.b) : kGroundR;
  const Vec3 xa = on_a ? kinematics.body(pivot.a).position : Vec3{},
             xb = on_b ? kinematics.body(pivot.b).position : Vec3{};
  const Vec3 gap = xb + RB * pivot.anchor_b - xa - RA * pivot.anchor_a;
  double* to = phi.data() + pivot.row;
  for (int k = 0; k < 3; ++k) to[k] = gap[k];
  if (!pivot.hinge) return;
  const Vec3 axis = transpose_times(RA, RB * pivot.axis);
  to[3] = dot(pivot.t1, axis);
  to[4] = dot(pivot.t2, axis);
}

CATENA_DISPATCH void RowSet::evaluate_phi(const Model& model, const Kinematics& kinematics) {
  for (const Thread& thread : ways_.threads)
    phi[static_cast<std::size_t>(thread.row)] =
        norm(kinematics.body(thread.b).position - kinematics.body(thread.a).position) - thread.length;
  std::size_t i = 0;
  for (; i + Four::kCount <= ways_.pivots.size(); i += Four::kCount)
    evaluate_four_phi(kinematics, ways_.pivots.data() + i, phi.data());
  for (; i < ways_.pivots.size(); ++i) evaluate_pivot_phi(kinematics, ways_.pivots[i]);
  for (const Other& other : ways_.others) {
    const Joint& joint = model.joints[other.joint];
    if (has_framed_rows(model, joint)) framed_phi(kinematics, joint, phi.data() + other.row);
    else evaluate_other(model, kinematics, other);
  }
}

CATENA_DISPATCH void RowSet::place_pivots(const Kinematics& kinematics) {
  const auto joins_two = [](const Pivot& pivot) { return pivot.hinge && pivot.a.valid() && pivot.b.valid(); };
  std::size_t i = 0;
  for (; i + Four::kCount <= ways_.pivots.size(); i += Four::kCount) {
    const Pivot* four = ways_.pivots.data() + i;
    if (std::all_of(four, four + Four::kCount, joins_two)) {
      place_four_hinges(kinematics, four, J.data(), phi.data());
      continue;
    }
    for (int lane = 0; lane < Four::kCount; ++lane) place_pivot(kinematics, four[lane]);
  }
  for (; i < ways_.pivots.size(); ++i) place_pivot(kinematics, ways_.pivots[i]);
}
CATENA_DISPATCH void RowSet::rate_pivots(const Kinematics& kinematics) {
  for (const Pivot& pivot : ways_.pivots) rate_pivot(kinematics, pivot);
}

CATENA_DISPATCH void RowSet::missing_gaps(std::span<double> out) const {
  for (std::size_t i = 0; i < phi.size(); ++i) out[i] = -phi[i];
  for (const int i : ways_.not_of_pivots)
    if (holonomic[static_cast<std::size_t>(i)] == 0) out[static_cast<std::size_t>(i)] = 0;
}

void RowSet::evaluate_other(const Model& model, const Kinematics& kinematics, const Other& other) {
  if (model.joints[other.joint].kind == JointKind::coupling)
    evaluate_coupling(model, kinematics, other.joint, other.row);
  else evaluate_joint(model, kinematics, other.joint, other.row);
}

void RowSet::evaluate_joint(const Model& model, const Kinematics& kinematics, JointId id, int row) {
  const Joint& joint = model.joints[id];
  Rows rows;
  joint_rows(model, joint, kinematics, rows);
  for (int i = 0; i < rows.count; ++i, ++row) {
    const auto r = static_cast<std::size_t>(row);
    auto term = static_cast<std::size_t>(start[r]);
    if (joint.a.valid()) J[term++] = restricted(model.bodies[joint.a].kind, rows[i].a);
    if (joint.b.valid()) J[term++] = restricted(model.bodies[joint.b].kind, rows[i].b);
    if (kinematics.has_forms()) [[unlikely]]
      evaluate_forms(kinematics, joint, rows[i], term);
    c[r] = rows[i].c;
    u[r] = rows[i].u;
    phi[r] = rows[i].phi;
    holonomic[r] = rows[i].holonomic;
  }
}

// The blocks of a row on the forms of its bodies.
void RowSet::evaluate_forms(const Kinematics& kinematics, const Joint& joint, const Row& row, std::size_t term) {
  const auto put = [&](BodyId end, const Vec3& anchor, const BodyVector& on_frame) {
    if (!end.valid()) return;
    if (const FormPlacement* at = kinematics.form(end)) J[term++] = on_form(*at, kinematics.R(end), anchor, on_frame);
  };
  put(joint.a, joint.anchor_a, row.a);
  put(joint.b, joint.anchor_b, row.b);
}

namespace {

BodyVector direction(const Model& model, const Kinematics& kinematics, const CouplingTerm& term) {
  const Mat3 R = term.body_frame ? kinematics.R(term.body) : Mat3::identity();
  return restricted(model.bodies[term.body].kind, {R * term.linear, R * term.angular, 0});
}

}  // namespace

void RowSet::evaluate_coupling(const Model& model, const Kinematics& kinematics, JointId id, int row) {
  for (const CouplingRow& coupling : model.extras_of(model.joints[id]).rows) {
    const auto r = static_cast<std::size_t>(row);
    auto k = static_cast<std::size_t>(start[r]);
    c[r] = 0;
    for (const CouplingTerm& term : coupling.terms) {
      J[k] = direction(model, kinematics, term);
      const BodyState& s = kinematics.body(term.body);
      // A direction fixed in its body turns with it; (ω × angular)·ω is zero.
      if (term.body_frame) c[r] += dot(cross(s.angular_velocity, J[k].linear), s.velocity);
      ++k;
    }
    k = static_cast<std::size_t>(K_start[r]);
    for (const CouplingTerm& term : coupling.through) K[k++] = direction(model, kinematics, term);
    const double time = kinematics.state().time;
    u[r] = value(coupling.velocity, time);
    c[r] -= derivative(coupling.velocity, time);
    phi[r] = 0;
    holonomic[r] = 0;
    ++row;
    if (!coupling.coordinates.empty()) evaluate_coordinates(model, kinematics, coupling, r);
  }
}

// phi = Σ p(x) − r(t),   J = Σ p'(x) J_q,   u = ṙ,   c = Σ p'(x) c_q + p''(x) q̇² − r̈,   x = q − reference, r: what the row equals.
void RowSet::evaluate_coordinates(const Model& model, const Kinematics& kinematics, const CouplingRow& coupling,
                                  std::size_t r) {
  auto k = static_cast<std::size_t>(start[r]) + coupling.terms.size();
  holonomic[r] = 1;
  if (coupling.equals) {
    const double time = kinematics.state().time;
    phi[r] = -coupling.equals->value(time);
    u[r] = coupling.equals->rate(time);
    c[r] = -coupling.equals->acceleration(time);
  }
  Rows rows;
  for (const CoordinateTerm& term : coupling.coordinates) {
    const Joint& joint = model.joints[term.joint];
    joint_coordinates(joint, kinematics, rows);
    const Row& q = rows[term.coordinate];
    double value = q.phi + term.offset;
    const auto& last = kinematics.state().joint_angles;
    constexpr double kTurn = 6.283185307179586;
    if (joint.kind != JointKind::compound && is_angle(joint.kind, term.coordinate) && !last.empty())
      value += kTurn * std::round((last[term.joint][static_cast<std::size_t>(term.coordinate)] - value) / kTurn);
    const double x = value - term.reference;
    const std::array<double, 5>& p = term.polynomial;
    const double slope = p[1] + x * (2 * p[2] + x * (3 * p[3] + x * 4 * p[4]));
    const double bend = 2 * p[2] + x * (6 * p[3] + x * 12 * p[4]);
    const double qd = rate(kinematics, joint, q);
    phi[r] += p[0] + x * (p[1] + x * (p[2] + x * (p[3] + x * p[4])));
    c[r] += slope * q.c + bend * qd * qd;
    if (joint.a.valid()) J[k++] = slope * restricted(model.bodies[joint.a].kind, q.a);
    if (joint.b.valid()) J[k++] = slope * restricted(model.bodies[joint.b].kind, q.b);
  }
}

double RowSet::times(int i, const std::vector<BodyVector>& v) const {
  double sum = 0;
  for (auto t = static_cast<std::size_t>(start[static_cast<std::size_t>(i)]),
            end = static_cast<std::size_t>(start[static_cast<std::size_t>(i) + 1]);
       t < end; ++t)
    sum += dot(J[t], v[body[t]]);
  return sum;
}

// J v, row by row. The first three rows of a pivot are the relative velocity of its points along the axes, the others turn only.
template <class Velocity, class Put>
CATENA_INLINE void RowSet::multiply(const Velocity& v, const Put& put) const {
  for (const Pivot& pivot : ways_.pivots) {
    const bool on_a = pivot.a.valid(), on_b = pivot.b.valid();
    const BodyVector A = on_a ? v(pivot.a) : BodyVector{}, B = on_b ? v(pivot.b) : BodyVector{};
    const std::size_t step = on_a && on_b ? 2 : 1;
    const BodyVector *a = J.data() + pivot.term, *b = a + (on_a ? 1 : 0);
    auto row = static_cast<std::size_t>(pivot.row);
    const Vec3 turn = B.angular - A.angular;
    // The arms, out of rows 1 and 2 (place_pivot()).
    Vec3 gap = B.linear - A.linear;
    if (on_a) gap += cross(Vec3{a[2 * step].angular.y, -a[2 * step].angular.x, a[step].angular.x}, A.angular);
    if (on_b) gap += cross(B.angular, Vec3{-b[2 * step].angular.y, b[2 * step].angular.x, -b[step].angular.x});
    a += 3 * step, b += 3 * step;
    for (int k = 0; k < 3; ++k) put(row++, gap[k]);
    for (int k = 0; pivot.hinge && k < 2; ++k, a += step, b += step)
      put(row++, on_b ? dot(b->angular, turn) : dot(a->angular, A.angular));
  }
  for (const int i : ways_.not_of_pivots) {
    const auto r = static_cast<std::size_t>(i);
    double sum = 0;
    for (auto t = static_cast<std::size_t>(start[r]); t < static_cast<std::size_t>(start[r + 1]); ++t)
      sum += dot(J[t], v(body[t]));
    put(r, sum);
  }
}

CATENA_DISPATCH double RowSet::largest_error(const std::vector<BodyVector>& v, std::span<const double> b) const {
  double largest = 0;
  multiply([&](BodyId id) -> const BodyVector& { return v[id]; },
           [&](std::size_t r, double speed) { largest = std::max(largest, std::abs(speed - b[r])); });
  return largest;
}

CATENA_DISPATCH void RowSet::missing_speeds(const Kinematics& kinematics, std::span<double> out) const {
  multiply([&](BodyId id) { return velocity_of(kinematics.body(id)); },
           [&](std::size_t r, double speed) { out[r] = u[r] - speed; });
}

CATENA_DISPATCH void RowSet::add_forces(std::span<const double> lambda, std::vector<BodyVector>& f) const {
  for (const Pivot& pivot : ways_.pivots) {
    const bool on_a = pivot.a.valid(), on_b = pivot.b.valid();
    const std::size_t step = on_a && on_b ? 2 : 1;
    const double* l = lambda.data() + pivot.row;
    const Vec3 force{l[0], l[1], l[2]};
    const auto push = [&](BodyId id, double sign, const BodyVector* at) {
      BodyVector& to = f[id];
      Vec3 torque{};
      for (int k = 0; k < (pivot.hinge ? 5 : 3); ++k, at += step) torque += l[k] * at->angular;
      to.linear += sign * force;
      to.angular += torque;
    };
    if (on_a) push(pivot.a, -1, J.data() + pivot.term);
    if (on_b) push(pivot.b, 1, J.data() + pivot.term + (on_a ? 1 : 0));
  }
  for (const int i : ways_.not_of_pivots) add_force(i, lambda[static_cast<std::size_t>(i)], f);
}

void RowSet::add_force(int i, double lambda, std::vector<BodyVector>& f) const {
  const auto r = static_cast<std::size_t>(i);
  for (auto t = static_cast<std::size_t>(K_start[r]); t < static_cast<std::size_t>(K_start[r + 1]); ++t)
    f[K_body[t]] += lambda * K[t];
  if (K_start[r] != K_start[r + 1]) return;
  for (auto t = static_cast<std::size_t>(start[r]); t < static_cast<std::size_t>(start[r + 1]); ++t)
    f[body[t]] += lambda * J[t];
}

}  // namespace catena
