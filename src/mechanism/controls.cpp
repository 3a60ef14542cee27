#include "catena/mechanism/controls.h"

#include <algorithm>
#include <cmath>

#include "catena/constraint/basic_rows.h"
#include "catena/model/body_kinds.h"

namespace catena {
namespace {

// ℓ and ℓ̇ of what has the terms g_k q_k and pieces of g_k times their lengths.
class Length {
 public:
  Length(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates, ControlForce& out)
      : model_(model), kinematics_(kinematics), coordinates_(coordinates), out_(out) {}

  void operator()(JointId joint, int coordinate, double g) {
    coordinates_.evaluate(model_, kinematics_, joint, rows_);
    out_.length += g * rows_[coordinate].phi;
    out_.rate += g * rate(kinematics_, model_.joints[joint], rows_[coordinate]);
  }
  void operator()(const Tendon::Piece& piece, double g) {
    const PathPiece now = piece_of(model_, kinematics_, piece);
    out_.length += g * now.row.phi;
    out_.rate += g * now.rate;
  }

 private:
  const Model& model_;
  const Kinematics& kinematics_;
  const JointCoordinates& coordinates_;
  ControlForce& out_;
  Rows rows_;
};

}  // namespace

// Pieces of no length have no direction to pull in.
PathPiece piece_of(const Model& model, const Kinematics& kinematics, const Tendon::Piece& piece) {
  const Site &from = model.sites[static_cast<std::size_t>(piece.from)],
             &to = model.sites[static_cast<std::size_t>(piece.to)];
  PathPiece out{from.body, to.body, {}};
  const AttachedPoint pa = attach(kinematics[from.body], from.position), pb = attach(kinematics[to.body], to.position);
  const Vec3 d = pb.p - pa.p;
  Vec3 n, turning{};  // the length changes by n with d and, where the body of `from` turns, by `turning` with its angle
  if (piece.crank > 0) {
    // ℓ = a·d − √((a·d)² + r² − d·d), with a the axis of the slider.
    const Vec3 a = kinematics[from.body].R * rotate(from.orientation, {0, 0, 1});
    const double reach = dot(a, d), inside = reach * reach + piece.crank * piece.crank - dot(d, d);
    const double root = std::sqrt(std::max(inside, 0.0)), bend = root > 0 ? reach / root : 0;
    out.row.phi = reach - root;
    n = root > 0 ? (1 - bend) * a + d / root : a;
    turning = cross(a, (1 - bend) * d);
  } else {
    out.row.phi = norm(d);
    if (out.row.phi == 0) return out;
    n = d / out.row.phi;
  }
  if (from.body == to.body) return out;
  if (out.a.valid()) {
    BodyVector row = negative(along(n, pa));
    row.angular += turning;
    out.row.a = restricted(model.bodies[out.a].kind, row);
    out.rate += dot(out.row.a, velocity_of(kinematics.body(out.a)));
  }
  if (out.b.valid()) {
    out.row.b = restricted(model.bodies[out.b].kind, along(n, pb));
    out.rate += dot(out.row.b, velocity_of(kinematics.body(out.b)));
  }
  return out;
}

ControlForce control_force(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                           const Control& control, double acting) {
  ControlForce out;
  Length length(model, kinematics, coordinates, out);
  each_term(model, control, length);
  each_piece(model, control, length);
  const auto affine = [&](const std::array<double, 3>& c) { return c[0] + c[1] * out.length + c[2] * out.rate; };
  const double asked = affine(control.gain) * acting + affine(control.bias);
  out.force = std::clamp(asked, control.force_lower, control.force_upper);
  if (asked > control.force_lower && asked < control.force_upper) {
    out.stiffness = std::max(0.0, -(control.gain[1] * acting + control.bias[1]));
    out.damping = std::max(0.0, -(control.gain[2] * acting + control.bias[2]));
  }
  return out;
}

ControlForce tendon_force(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                          const Tendon& tendon) {
  ControlForce out;
  Length length(model, kinematics, coordinates, out);
  each_term(tendon, length);
  each_piece(tendon, length);
  const auto pull = [&](double stretch, double stiffness, double damping) {
    out.force -= stiffness * stretch + damping * out.rate;
    out.stiffness += stiffness;
    out.damping += damping;
    out.energy += 0.5 * stiffness * stretch * stretch;
  };
  const double stretch = out.length - std::clamp(out.length, tendon.rest, tendon.rest_upper);
  pull(stretch, stretch != 0 ? tendon.stiffness : 0, tendon.damping);
  // A stop pushes back and never holds what is leaving it.
  const double beyond = out.length - std::clamp(out.length, tendon.lower, tendon.upper);
  if (beyond == 0) return out;
  const double push = tendon.limit_stiffness * beyond + tendon.limit_damping * out.rate;
  if (push * beyond > 0) pull(beyond, tendon.limit_stiffness, tendon.limit_damping);
  return out;
}

}  // namespace catena
