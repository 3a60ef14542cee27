#include "catena/simulation/switching.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/constraint/moving_frame.h"
#include "catena/laws/laws.h"
#include "catena/math/elementary.h"
#include "catena/mechanism/projection.h"
#include "catena/simulation/check_settings.h"

namespace catena {
namespace {

JointExtras& own_extras(Model& model, Joint& joint) {
  if (joint.extras < 0) {
    joint.extras = static_cast<int>(model.extras.size());
    model.extras.emplace_back();
  }
  return model.extras[static_cast<std::size_t>(joint.extras)];
}

// From `from` at a time to 0 a time later, beginning and ending at rest.
std::optional<Motion> to_zero(double from, double begin, double over) {
  if (from == 0) return std::nullopt;
  return Motion(Table{{begin, begin + over}, {from, 0}});
}

// Frame A where Attachment has it: for good, or on its way to its own place.
void place_frame(Joint& joint, JointExtras& extras, const Attachment& attachment) {
  const double angle = norm(attachment.turn);
  const bool moved = attachment.shift != Vec3{} || angle != 0;
  if (!moved) return;
  if (attachment.over == 0) {
    joint.anchor_a += attachment.shift;
    joint.frame_a = normalized(exp_rotation(attachment.turn) * joint.frame_a);
    return;
  }
  FrameMotion moves;
  for (int k = 0; k < 3; ++k)
    moves.shift[static_cast<std::size_t>(k)] = to_zero(attachment.shift[k], attachment.since, attachment.over);
  moves.angle = to_zero(angle, attachment.since, attachment.over);
  if (angle != 0) moves.axis = attachment.turn / angle;
  extras.moves = moves;
  joint.primary = false;
}

// The joint holds nothing.
void open(Joint& joint, JointExtras& extras) {
  joint.kind = JointKind::coupling;
  joint.freedoms.clear();
  const JointArray start = extras.start, offset = extras.offset.value_or(JointArray{});
  extras = {};
  extras.start = start;
  extras.offset = offset;
}

}  // namespace

bool has_switching(const Model& model) {
  return std::any_of(model.joints.begin(), model.joints.end(),
                     [&](const Joint& joint) { return model.extras_of(joint).switching.has_value(); });
}

std::vector<Attachment> first_attachments(const Model& model) {
  std::vector<Attachment> out;
  if (!has_switching(model)) return out;
  out.resize(model.joints.size());
  for (std::size_t j = 0; j < out.size(); ++j)
    if (const auto& switching = model.extras_of(model.joints[j]).switching) out[j].attached = switching->attached;
  return out;
}

Model running_model(const Model& model, const std::vector<Attachment>& attachments, const JointCoordinates& zero) {
  Model out = model;
  const auto is_open = [&](JointId joint) { return attachments[joint].attached == 0; };
  for (std::size_t j = 0; j < out.joints.size(); ++j) {
    Joint& joint = out.joints[j];
    JointExtras& extras = own_extras(out, joint);
    const bool kept =
        extras.switching && extras.switching->pose == Switching::Pose::keep && attachments[j].attachings > 0;
    extras.offset = kept ? extras.start : zero.offset(JointId(j));
    if (is_open(JointId(j))) open(joint, extras);
    else place_frame(joint, extras, attachments[j]);
  }
  // A relation between coordinates of which one is not there holds nothing either.
  for (JointExtras& extras : out.extras)
    std::erase_if(extras.rows, [&](const CouplingRow& row) {
      return std::any_of(row.coordinates.begin(), row.coordinates.end(),
                         [&](const CoordinateTerm& term) { return is_open(term.joint); });
    });
  return out;
}

Model without_switching_joints(const Model& model) {
  Model out = model;
  for (Joint& joint : out.joints)
    if (out.extras_of(joint).switching) joint.primary = false;
  return out;
}

std::optional<ScheduledSwitch> next_scheduled(const Switching& switching, std::int64_t passed) {
  auto attach = switching.attach.begin(), detach = switching.detach.begin();
  for (;; --passed) {
    const bool none = attach == switching.attach.end(), never = detach == switching.detach.end();
    if (none && never) return std::nullopt;
    const bool attaches = never || (!none && *attach < *detach);
    const ScheduledSwitch next{attaches ? *attach : *detach, attaches};
    if (passed == 0) return next;
    ++(attaches ? attach : detach);
  }
}

FrameGap frame_gap(const Model& model, const Joint& joint, const State& state) {
  const auto placed = [&](BodyId body) { return body.valid() ? state.bodies[body] : BodyState{}; };
  const BodyState a = placed(joint.a), b = placed(joint.b);
  const Vec3 point = b.position + b.scale * rotate(b.orientation, joint.anchor_b);
  const Vec3 anchor = rotate(a.orientation.conjugate(), point - a.position) / a.scale;
  const Quat frame = a.orientation.conjugate() * b.orientation * joint.frame_b;
  FramePose own{joint.anchor_a, joint.frame_a};
  if (const auto& moves = model.extras_of(joint).moves) own = frame_at(joint, *moves, state);
  // The turn comes before the one that signals make.
  const Quat moved = own.frame * joint.frame_a.conjugate();
  return {anchor - own.anchor, rotate(moved.conjugate(), log_rotation(normalized(frame * own.frame.conjugate())))};
}

namespace {

// The shortest rotation that takes a unit vector to another.
Vec3 swing(const Vec3& from, const Vec3& to) {
  const Vec3 across = cross(from, to);
  const double sine = norm(across), cosine = dot(from, to);
  if (sine > 0) return (portable::atan2(sine, cosine) / sine) * across;
  return cosine > 0 ? Vec3{} : std::numbers::pi * perpendicular(from);
}

}  // namespace

FrameGap closing_gap(const Model& model, const Joint& joint, const State& state) {
  FrameGap gap = frame_gap(model, joint, state);
  using enum JointKind;
  const JointKind kind = joint.kind;
  const Vec3 axis = rotate(joint.frame_a, Vec3{0, 0, 1});
  if (kind == ball || kind == point_on_line || kind == point_on_plane) gap.turn = {};
  if (kind == hinge || kind == cylindrical || kind == planar || kind == aligned_axes)
    gap.turn = swing(axis, rotate(exp_rotation(gap.turn), axis));
  const Vec3 turned = rotate(exp_rotation(gap.turn), axis), along = dot(gap.shift, turned) * turned;
  if (kind == slider || kind == cylindrical || kind == point_on_line) gap.shift -= along;
  if (kind == planar || kind == point_on_plane) gap.shift = along;
  if (kind == fixed_orientation || kind == aligned_axes) gap.shift = {};
  return gap;
}

void assemble_gradually(const Model& model, double speed, State& state) {
  constexpr double kClosed = 1e-9;   // m or rad
  constexpr double kSteepest = 1.5;  // of the cubic that starts and ends at rest: its largest slope over the mean
  if (state.attachments.empty()) state.attachments.resize(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    Attachment& attachment = state.attachments[j];
    if (attachment.attached == 0 || !meets_where_frames_coincide(joint.kind) || model.extras_of(joint).moves) continue;
    const FrameGap gap = closing_gap(model, joint, state);
    const double size = std::max(norm(gap.shift), norm(gap.turn));
    if (size <= kClosed) continue;
    ++attachment.attachings;
    attachment.since = state.time;
    attachment.over = kSteepest * size / speed;
    attachment.shift = gap.shift;
    attachment.turn = gap.turn;
  }
}

Closed close_joints(const Model& running, JointId joint, const Settings& settings, State& state) {
  constexpr int kIterations = 100;
  constexpr double kClosed = 1e-9;
  Closed out;
  const bool laws = has_laws(running);
  const Model lawless = laws ? without_lawful_joints(running) : running;
  Dynamics dynamics(lawless, state,
                    is_iterated(settings.method.solver()) ? LinearSolver::automatic : settings.method.solver());
  Projection projection(dynamics, state, mechanism_size(lawless, state));
  const double potential = dynamics.potential_energy(state);
  const Drift left = projection.positions(state, true, kIterations);
  if (!(left.scaled <= kClosed)) {
    out.fault = fmt::format("joint '{}' cannot be attached: {:.3g} m and {:.3g} rad are left at joint '{}'",
                            running.joints[joint].name, left.position, left.angle, running.joints[left.worst].name);
    return out;
  }
  out.displacement = dynamics.potential_energy(state) - potential;
  if (settings.method == Method::spook || settings.method == Method::operational) {
    std::vector<JointArray> rotors(lawless.joints.size());
    for (std::size_t j = 0; j < rotors.size(); ++j) rotors[j] = lawless.extras_of(lawless.joints[j]).armature;
    dynamics.system().set_freedom_inertia(rotors);
  }
  dynamics.kinematics().update(lawless, state);
  if (!dynamics.system().factor(dynamics.kinematics(), true)) {
    out.fault =
        fmt::format("joint '{}' cannot be attached: {}", running.joints[joint].name, dynamics.system().failure());
    return out;
  }
  std::vector<double> b(static_cast<std::size_t>(dynamics.row_count()));
  std::vector<BodyVector> change(state.bodies.size());
  dynamics.system().velocity_rhs(dynamics.kinematics(), b);
  dynamics.system().solve(b, change, dynamics.lambda);
  out.impulse = dynamics.reaction(joint);
  for (std::size_t i = 0; i < change.size(); ++i) add_velocity(lawless.bodies[i].kind, change[i], state.bodies[i]);
  return out;
}

}  // namespace catena
