#include "catena/constraint/joint_rows.h"

#include "catena/constraint/framed_rows.h"
#include "catena/constraint/joint_kinds.h"
#include "catena/constraint/moving_frame.h"

namespace catena {

int dimension(JointKind kind) {
  switch (kind) {
    case JointKind::weld: return 6;
    case JointKind::hinge:
    case JointKind::slider:
    case JointKind::screw: return 5;
    case JointKind::cylindrical:
    case JointKind::universal: return 4;
    case JointKind::ball:
    case JointKind::planar:
    case JointKind::fixed_orientation:
    case JointKind::rolling:
    case JointKind::tangent_surfaces:
    case JointKind::planar_weld: return 3;
    case JointKind::point_on_line:
    case JointKind::aligned_axes:
    case JointKind::pin: return 2;
    case JointKind::distance:
    case JointKind::point_on_plane:
    case JointKind::point_on_surface:
    case JointKind::perpendicular_axes:
    case JointKind::gear:
    case JointKind::rack:
    case JointKind::skate: return 1;
    case JointKind::coupling:
    case JointKind::compound: break;
  }
  return 0;
}

int dimension(const Joint& joint) {
  if (joint.kind == JointKind::compound) return 6 - static_cast<int>(joint.freedoms.size());
  if (joint.surfaces && joint.surfaces->slides) return 1;
  return dimension(joint.kind);
}

int row_count(const Model& model, const Joint& joint) {
  const JointExtras& extras = model.extras_of(joint);
  if (joint.kind == JointKind::coupling) return static_cast<int>(extras.rows.size());
  return dimension(joint) + (extras.motor ? 1 : 0);
}

std::vector<int> row_starts(const Model& model) {
  std::vector<int> starts{0};
  starts.reserve(model.joints.size() + 1);
  for (const Joint& joint : model.joints) starts.push_back(starts.back() + row_count(model, joint));
  return starts;
}

namespace {

// Where the coordinates of a joint stood last, if the state remembers.
const double* last_coordinates(const Joint& joint, const State& state) {
  const auto& all = state.joint_angles;
  const auto index = static_cast<std::size_t>(joint.index);
  return joint.index >= 0 && index < all.size() ? all[index].data() : nullptr;
}

}  // namespace

void joint_rows(const Model& model, const Joint& joint, const Kinematics& kinematics, Rows& out) {
  if (const std::optional<FrameMotion>& moves = model.extras_of(joint).moves) {
    const double time = kinematics.state().time;
    const Placement B = kinematics[joint.b];
    const MovingFrame frame(joint, *moves, kinematics[joint.a], kinematics.state());
    joint_rows(model, joint, JointPose(frame.geometry, frame.carrier, B), time, out);
    return frame.correct(out);
  }
  const JointGeometry geometry = geometry_of(joint);
  const Placement A = kinematics[joint.a], B = kinematics[joint.b];
  JointPose pose(geometry, A, B);
  pose.guess = last_coordinates(joint, kinematics.state());
  joint_rows(model, joint, pose, kinematics.state().time, out);
}

void compound_rows(const Joint& joint, const Kinematics& kinematics, Rows& out,
                   std::array<Spatial, kMaxCoordinates>& F) {
  const JointGeometry geometry = geometry_of(joint);
  const Placement A = kinematics[joint.a], B = kinematics[joint.b];
  JointPose pose(geometry, A, B);
  pose.guess = last_coordinates(joint, kinematics.state());
  out.count = 0;
  Compound::rows(pose, out, &F);
}

void joint_rows(const Model& model, const Joint& joint, const JointPose& pose, double time, Rows& out) {
  out.count = 0;
  visit(joint.kind, [&](auto kind) { kind.rows(pose, out); });
  if (joint.extras < 0) return;
  // A length L(t):  phi = |d| − L,  J v = L̇,  J v̇ + c = 0 with −L̈ in c.                                    Baraff §4.2
  if (const std::optional<Motion>& length = model.extras_of(joint).length) {
    out[0].phi += joint.parameter - length->value(time);
    out[0].u = length->rate(time);
    out[0].c -= length->acceleration(time);
  }
  if (!model.extras_of(joint).motor) return;

  // The motor prescribes the rate of its coordinate.
  const Motor& motor = *model.extras_of(joint).motor;
  Rows coordinates;
  visit(joint.kind, [&](auto kind) { kind.coordinates(pose, coordinates); });
  Row row = coordinates[motor.coordinate];
  row.u = value(motor.velocity, time);
  row.c -= derivative(motor.velocity, time);
  row.phi = 0;
  row.holonomic = false;
  out.add(row);
}

namespace {

void coordinates(const Joint& joint, const Placement& A, const Placement& B, const double* guess, Rows& out) {
  out.count = 0;
  const JointGeometry geometry = geometry_of(joint);
  JointPose pose(geometry, A, B);
  pose.guess = guess;
  visit(joint.kind, [&](auto kind) { kind.coordinates(pose, out); });
}

}  // namespace

namespace {

Vec3 turned(const Kinematics& kinematics, BodyId body, const Vec3& axis) {
  return body.valid() ? kinematics.R(body) * axis : axis;
}

// angle_row() of basic_rows.h of a hinge, whose points do not matter.
void hinge_row(const Joint& hinge, const Kinematics& kinematics, Row& out) {
  const Vec3 axis_a = to_matrix(hinge.frame_a).column(2), axis_b = to_matrix(hinge.frame_b).column(2);
  const auto spin = [&](BodyId body) { return body.valid() ? kinematics.body(body).angular_velocity : Vec3{}; };
  const Vec3 a = turned(kinematics, hinge.a, axis_a), b = turned(kinematics, hinge.b, axis_b);
  const Vec3 wa = spin(hinge.a), wb = spin(hinge.b), adot = cross(wa, a), bdot = cross(wb, b);
  const double D = 1 + dot(a, b), Ddot = dot(adot, b) + dot(a, bdot);
  const Vec3 u = (a + b) / D, udot = (adot + bdot) / D - (Ddot / D) * u;
  out = {about(-u), about(u), dot(udot, wb - wa), 0, hinge_angle(hinge, kinematics)};
}

}  // namespace

// Of the turn q of frame b against frame a, angle_row() takes the angle of (x_a·x_b + y_a·y_b, y_a·x_b − x_a·y_b) = 2 (w² − z², 2 w z).
double hinge_angle(const Joint& hinge, const Kinematics& kinematics) {
  const auto frame = [&](BodyId body, const Quat& own) {
    return body.valid() ? kinematics.body(body).orientation * own : own;
  };
  const Quat a = frame(hinge.a, hinge.frame_a), b = frame(hinge.b, hinge.frame_b);
  const double w = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, z = a.w * b.z - a.x * b.y + a.y * b.x - a.z * b.w;
  return portable::atan2(2 * w * z, (w - z) * (w + z));
}

namespace {

// Between bodies that do not scale, and have no forms.
bool is_rigid(const Joint& joint, const Kinematics& kinematics) {
  const auto keeps_size = [&](BodyId body) {
    return !body.valid() || (kinematics.body(body).scale == 1 && kinematics.body(body).scale_velocity == 0);
  };
  return !kinematics.has_forms() && keeps_size(joint.a) && keeps_size(joint.b);
}

// travel_row() of basic_rows.h of a slider between such bodies.
void slider_row(const Joint& slider, const Kinematics& kinematics, Row& out) {
  const FramedJoint j(kinematics, slider);
  const Vec3 n = j.of_a(2);
  out = {
      {-n, -cross(j.arm_a + j.gap, n), -dot(n, j.arm_a)}, {n, cross(j.arm_b, n), dot(n, j.arm_b)}, 0, 0, dot(n, j.gap)};
  rates_of(j, kinematics, slider, &out.c).plane(2);
}

}  // namespace

void joint_coordinates(const Joint& joint, const Kinematics& kinematics, Rows& out) {
  if (joint.kind == JointKind::hinge) {
    out.count = 1;
    return hinge_row(joint, kinematics, out[0]);
  }
  if (joint.kind == JointKind::slider && is_rigid(joint, kinematics)) {
    out.count = 1;
    return slider_row(joint, kinematics, out[0]);
  }
  coordinates(joint, kinematics[joint.a], kinematics[joint.b], last_coordinates(joint, kinematics.state()), out);
}

void joint_coordinates(const Joint& joint, const State& state, Rows& out) {
  const auto placed = [&](BodyId body) { return body.valid() ? place(state.bodies[body]) : Placement{}; };
  coordinates(joint, placed(joint.a), placed(joint.b), last_coordinates(joint, state), out);
}

}  // namespace catena
