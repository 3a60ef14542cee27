#include "catena/convert/writing.h"

#include <algorithm>
#include <cmath>

#include "catena/math/elementary.h"
#include "catena/model/material_point.h"

namespace catena {

std::string number(double x) { return fmt::format("{}", x == 0 ? 0.0 : x); }
std::string numbers(const Vec3& v) { return fmt::format("{} {} {}", number(v.x), number(v.y), number(v.z)); }
std::string numbers(const Quat& q) {
  return fmt::format("{} {} {} {}", number(q.w), number(q.x), number(q.y), number(q.z));
}

// R = Rz(yaw) Ry(pitch) Rx(roll). Roll is read off after yaw and pitch have been undone, so that it takes up whatever yaw is at gimbal
// lock, where yaw alone is not determined.
Vec3 roll_pitch_yaw(const Quat& q) {
  const Mat3 R = to_matrix(q);
  const double pitch = portable::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
  const double yaw = portable::atan2(R(1, 0), R(0, 0));
  const Quat rest = exp_rotation(Vec3{0, -pitch, 0}) * exp_rotation(Vec3{0, 0, -yaw}) * q;
  return {2 * portable::atan2(rest.x, rest.w), pitch, yaw};
}

Pose body_pose(const State& state, BodyId body) {
  if (!body.valid()) return {};
  return {state.bodies[body].position, normalized(state.bodies[body].orientation)};
}

Pose joint_frame(const Scene& scene, const Joint& joint, bool second) {
  const BodyId body = second ? joint.b : joint.a;
  const Vec3 anchor = point_in_frame(scene.model, scene.initial, body, second ? joint.anchor_b : joint.anchor_a);
  return body_pose(scene.initial, body) * Pose{anchor, second ? joint.frame_b : joint.frame_a};
}

std::vector<Freedom> freedoms_now(const Scene& scene, const Joint& joint) {
  Pose moved = joint_frame(scene, joint, false);  // frame A, carried on by the freedoms so far
  std::vector<Freedom> out;
  for (const Freedom& f : joint.freedoms) {
    const double q = f.start - f.zero;
    const Pose motion =
        f.slides ? Pose{q * f.axis, {}} : Pose{f.anchor, exp_rotation(q * f.axis)} * Pose{-f.anchor, {}};
    Freedom now = f;
    now.axis = rotate(moved.q, f.axis);
    now.anchor = moved(f.anchor);
    now.zero = f.start;
    out.push_back(now);
    moved = moved * motion;
  }
  return out;
}

std::string coordinate_name(const Joint& joint, int k) {
  if (joint.kind == JointKind::compound) return joint.freedoms[static_cast<std::size_t>(k)].name;
  return k == 0 ? joint.name : fmt::format("{}_{}", joint.name, k);
}

std::optional<std::vector<Freedom>> as_freedoms(const Scene& scene, const Joint& joint) {
  if (joint.kind == JointKind::compound) return freedoms_now(scene, joint);
  const Pose a = joint_frame(scene, joint, false), b = joint_frame(scene, joint, true);
  struct Part {
    bool slides;
    Vec3 axis;
  };
  const auto along = [](const Pose& frame, int k) {
    return rotate(frame.q, Vec3{k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 ? 1.0 : 0});
  };
  std::vector<Part> parts;
  switch (joint.kind) {
    case JointKind::weld: break;
    case JointKind::hinge: parts = {{false, along(b, 2)}}; break;
    case JointKind::slider: parts = {{true, along(b, 2)}}; break;
    case JointKind::cylindrical: parts = {{false, along(b, 2)}, {true, along(b, 2)}}; break;
    case JointKind::universal: parts = {{false, along(a, 2)}, {false, along(b, 2)}}; break;
    case JointKind::planar: parts = {{true, along(a, 0)}, {true, along(a, 1)}, {false, along(a, 2)}}; break;
    default: return {};
  }
  std::vector<Freedom> out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const JointExtras& e = scene.model.extras_of(joint);
    const CoordinateLaw law = coordinate_law(joint, e, static_cast<int>(k));
    Freedom f{.name = coordinate_name(joint, static_cast<int>(k)),
              .slides = parts[k].slides,
              .axis = parts[k].axis,
              .anchor = b.p};
    f.zero = f.start = e.start[k];
    if (law.limits != nullptr) f.limits = *law.limits;
    f.damping = law.damping, f.stiffness = law.stiffness, f.rest = law.rest, f.friction = law.friction,
    f.armature = law.armature;
    out.push_back(f);
  }
  return out;
}

std::vector<Freedom> reversed(std::vector<Freedom> freedoms) {
  std::reverse(freedoms.begin(), freedoms.end());
  for (Freedom& f : freedoms) f.axis = -f.axis;
  return freedoms;
}

double start_of(const Model& model, JointId joint, int coordinate) {
  const Joint& j = model.joints[joint];
  if (j.kind == JointKind::compound) return j.freedoms[static_cast<std::size_t>(coordinate)].start;
  return model.extras_of(j).start[static_cast<std::size_t>(coordinate)];
}

std::optional<PolynomialCoupling> as_polynomial(const Model& model, const CouplingRow& row) {
  if (row.coordinates.empty() || row.coordinates.size() > 2 || row.equals) return {};
  // p(q − reference) as a polynomial in q − q₀.
  const auto about_start = [&](const CoordinateTerm& t) {
    const double q0 = start_of(model, t.joint, t.coordinate);
    const bool compound = model.joints[t.joint].kind == JointKind::compound;
    const double d = compound ? q0 - t.reference : t.offset - t.reference;
    std::array<double, 5> out{};
    constexpr double kBinomial[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
    for (std::size_t n = 0; n < 5; ++n)
      for (std::size_t k = 0; k <= n; ++k)
        out[k] += t.polynomial[n] * kBinomial[n][k] * (n == k ? 1 : portable::pow(d, static_cast<double>(n - k)));
    return out;
  };
  for (std::size_t i = 0; i < row.coordinates.size(); ++i) {
    const auto p = about_start(row.coordinates[i]);
    if (p[1] == 0 || p[2] != 0 || p[3] != 0 || p[4] != 0) continue;
    PolynomialCoupling out{row.coordinates[i].joint, {}, row.coordinates[i].coordinate, 0, {}};
    out.a[0] = -p[0] / p[1];
    if (row.coordinates.size() == 2) {
      const CoordinateTerm& other = row.coordinates[1 - i];
      const auto r = about_start(other);
      out.x = other.joint;
      out.x_coordinate = other.coordinate;
      for (std::size_t k = 0; k < 5; ++k) out.a[k] -= r[k] / p[1];
    }
    return out;
  }
  return {};
}

namespace {

// Kinds of joints by which MJCF and URDF hang a body on another.
bool carries(const Joint& joint) {
  switch (joint.kind) {
    case JointKind::weld:
    case JointKind::hinge:
    case JointKind::slider:
    case JointKind::cylindrical:
    case JointKind::universal:
    case JointKind::planar:
    case JointKind::compound:
    case JointKind::ball: return true;
    default: return false;
  }
}

}  // namespace

BodyTree body_tree(const Model& model) {
  BodyTree tree;
  std::vector<char> placed(model.bodies.size()), used(model.joints.size());
  std::vector<std::vector<std::size_t>> joints_of(model.bodies.size());
  std::vector<std::size_t> grounded;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!carries(joint) || !joint.primary || joint.a == joint.b) continue;
    if (joint.a.valid()) joints_of[joint.a].push_back(j);
    if (joint.b.valid()) joints_of[joint.b].push_back(j);
    if (!joint.a.valid() || !joint.b.valid()) grounded.push_back(j);
  }
  // Breadth first, so that the tree is no deeper than it has to be.
  std::vector<BodyId> queue;
  const auto place = [&](BodyId body, BodyId parent, JointId joint) {
    placed[body] = 1;
    if (joint.valid()) used[joint] = 1;
    tree.links.push_back({body, parent, joint, joint.valid() && model.joints[joint].a == body});
    queue.push_back(body);
  };
  std::size_t done = 0;
  const auto grow = [&] {
    for (; done < queue.size(); ++done) {
      const BodyId from = queue[done];
      for (const std::size_t j : joints_of[from]) {
        const Joint& joint = model.joints[j];
        const BodyId to = joint.a == from ? joint.b : joint.a;
        if (to.valid() && !placed[to]) place(to, from, JointId{j});
      }
    }
  };
  for (const std::size_t j : grounded) {
    const Joint& joint = model.joints[j];
    const BodyId body = joint.a.valid() ? joint.a : joint.b;
    if (!placed[body]) place(body, kGround, JointId{j});
  }
  grow();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (placed[i]) continue;
    place(BodyId{i}, kGround, JointId{});
    grow();
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (!used[j]) tree.loops.emplace_back(j);
  return tree;
}

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

}  // namespace

void XmlWriter::tag(const std::string& name, const Attributes& attributes, const char* end) {
  out_ += std::string(2 * open_.size(), ' ') + "<" + name;
  for (const auto& [key, value] : attributes)
    if (!value.empty()) out_ += fmt::format(" {}=\"{}\"", key, escaped(value));
  out_ += end;
}

void XmlWriter::open(const std::string& name, const Attributes& attributes) {
  tag(name, attributes, ">\n");
  open_.push_back(name);
}

void XmlWriter::close() {
  const std::string name = open_.back();
  open_.pop_back();
  out_ += std::string(2 * open_.size(), ' ') + "</" + name + ">\n";
}

void XmlWriter::leaf(const std::string& name, const Attributes& attributes) { tag(name, attributes, "/>\n"); }

std::string obj_text(const Mesh& mesh) {
  std::string out;
  for (const Vec3& v : mesh.vertices) out += fmt::format("v {}\n", numbers(v));
  for (const auto& t : mesh.triangles) out += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return out;
}

void note_unsaid(const Model& model, Losses& losses) {
  for (const ExternalForce& f : model.forces)
    losses.add(fmt::format("force on '{}'", model.bodies[f.body].name), "", Fate::ignored, "the format has no loads");
  for (std::size_t i = 0; i < model.springs.size(); ++i)
    losses.add(fmt::format("spring {}", i), "", Fate::ignored, "springs between bodies are not written");
  for (const Actuator& a : model.actuators) {
    const auto* constant = std::get_if<Constant>(&a.signal);
    if (constant == nullptr || constant->value != 0)
      losses.add(fmt::format("actuator of '{}'", model.joints[a.joint].name), "signal", Fate::ignored,
                 "inputs come from a program");
  }
  for (const Joint& joint : model.joints)
    if (model.extras_of(joint).motor)
      losses.add(fmt::format("joint '{}'", joint.name), "motor", Fate::ignored,
                 "the format has no prescribed velocities");
}

}  // namespace catena
