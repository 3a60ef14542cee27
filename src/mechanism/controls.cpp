#include "catena/mechanism/controls.h"

#include <algorithm>

#include "catena/model/body_kinds.h"
#include "catena/model/tendon_path.h"

namespace catena {
namespace {

// ℓ and ℓ̇ of what has the terms g_k q_k and pieces of g_k times their lengths.
class Length {
 public:
  Length(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates, ControlForce& out)
      : model_(model), kinematics_(kinematics), coordinates_(coordinates), out_(out) {}

  void operator()(JointId joint, int coordinate, double g) {
    if (coordinate >= coordinate_count(model_.joints[joint])) return;  // it is open (simulation/switching.h)
    const JointCoordinates::Coordinate now = coordinates_.at(model_, kinematics_, joint, coordinate);
    out_.length += g * now.value;
    out_.rate += g * now.rate;
  }
  void operator()(const Tendon::Piece& piece, double g) {
    const PathPiece now = piece_of(model_, kinematics_, piece);
    out_.length += g * now.length;
    out_.rate += g * now.rate;
  }

 private:
  const Model& model_;
  const Kinematics& kinematics_;
  const JointCoordinates& coordinates_;
  ControlForce& out_;
};

// Of its own spring, damper and stops, at the length and rate that `out` has.
void pull_by_itself(const Tendon& tendon, ControlForce& out) {
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
  if (beyond == 0) return;
  const double push = tendon.limit_stiffness * beyond + tendon.limit_damping * out.rate;
  if (push * beyond > 0) pull(beyond, tendon.limit_stiffness, tendon.limit_damping);
}

}  // namespace

PathPiece piece_of(const Model& model, const Kinematics& kinematics, const Tendon::Piece& piece) {
  const auto frame_of = [&](BodyId body) {
    const Placement at = kinematics[body];
    return BodyFrame{at.x, at.R, at.scale};
  };
  const PieceShape shape = shape_of(model, piece, frames_of(model, piece, frame_of));
  PathPiece out{shape.length, 0, shape.spans, {}};
  const auto row_of = [&](const SpanEnd& end, PathSpan& span) {
    if (!end.body.valid()) return BodyVector{};
    const Placement at = kinematics[end.body];
    BodyVector row = along(end.along, {.arm = end.point - at.x, .p = end.point, .scale = at.scale});
    row.angular += end.turning;
    row = restricted(model.bodies[end.body].kind, row);
    span.rate += dot(row, velocity_of(kinematics.body(end.body)));
    return row;
  };
  for (int k = 0; k < shape.spans; ++k) {
    const SpanEnd &from = shape.ends[static_cast<std::size_t>(2 * k)],
                  &to = shape.ends[static_cast<std::size_t>(2 * k + 1)];
    PathSpan& span = out.span[static_cast<std::size_t>(k)];
    span.a = from.body;
    span.b = to.body;
    if (span.a == span.b) continue;  // within one body it does not change
    span.row.a = row_of(from, span);
    span.row.b = row_of(to, span);
    out.rate += span.rate;
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
  double asked = 0, by_length = 0, by_rate = 0;
  if (control.muscle) {
    const MusclePull now = pull_of(*control.muscle, out.length, out.rate);
    asked = now.gain * acting + now.bias;
    by_length = now.gain_by_length * acting + now.bias_by_length;
    by_rate = now.gain_by_rate * acting;
  } else {
    asked = affine(control.gain) * acting + affine(control.bias);
    by_length = control.gain[1] * acting + control.bias[1];
    by_rate = control.gain[2] * acting + control.bias[2];
  }
  out.force = std::clamp(asked, control.force_lower, control.force_upper);
  if (asked > control.force_lower && asked < control.force_upper) {
    out.stiffness = std::max(0.0, -by_length);
    out.damping = std::max(0.0, -by_rate);
  }
  return out;
}

ControlForce tendon_force(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                          const Tendon& tendon) {
  ControlForce out;
  Length length(model, kinematics, coordinates, out);
  each_term(tendon, length);
  each_piece(tendon, length);
  pull_by_itself(tendon, out);
  return out;
}

double tendon_energy(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                     const Tendon& tendon) {
  ControlForce out;
  Length length(model, kinematics, coordinates, out);
  each_term(tendon, length);
  each_piece(tendon, length);
  pull_by_itself(tendon, out);
  return out.energy;
}

}  // namespace catena
