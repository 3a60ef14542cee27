#include "catena/model/validate.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "catena/model/form_blocks.h"
#include "catena/model/joint_rules.h"

namespace catena {
namespace {

using Subject = Finding::Subject;

bool finite(double x) { return std::isfinite(x); }
bool finite(const Quat& q) { return finite(q.w) && finite(q.vec()); }
bool finite(const Sym3& s) { return finite(Vec3{s.xx, s.yy, s.zz}) && finite(Vec3{s.xy, s.xz, s.yz}); }
bool finite(const Signal& signal) {
  if (const auto* c = std::get_if<Constant>(&signal)) return finite(c->value);
  if (const auto* s = std::get_if<Sine>(&signal))
    return finite(Vec3{s->amplitude, s->frequency, s->phase}) && finite(s->offset);
  const auto& table = std::get<Table>(signal);
  for (const auto* numbers : {&table.times, &table.values}) {
    for (const double x : *numbers) {
      if (!finite(x)) return false;
    }
  }
  return true;
}

// A table whose times do not increase, or do not match its values, says so; otherwise an empty string.
std::string fault_of(const Signal& signal) {
  if (!finite(signal)) return "its signal is not a finite number; write numbers";
  const auto* table = std::get_if<Table>(&signal);
  if (table == nullptr) return {};
  if (table->times.empty() || table->times.size() != table->values.size()) {
    return fmt::format("its table has {} times and {} values; give as many of each, and at least one",
                       table->times.size(), table->values.size());
  }
  for (std::size_t i = 1; i < table->times.size(); ++i) {
    if (!(table->times[i] > table->times[i - 1])) {
      return fmt::format("its table's times do not increase ({} follows {}); sort them and drop repeats",
                         table->times[i], table->times[i - 1]);
    }
  }
  return {};
}

// A curve that is no function, or not finite, says so; otherwise an empty string.
std::string fault_of(const SpringCurve& curve) {
  for (const auto* numbers : {&curve.polynomial, &curve.stretches, &curve.tensions})
    for (const double x : *numbers)
      if (!finite(x)) return "its spring's numbers must be finite";
  if (curve.stretches.empty()) return curve.polynomial.empty() ? "its spring's polynomial has no coefficients" : "";
  if (curve.stretches.size() < 2 || curve.stretches.size() != curve.tensions.size())
    return "its spring's table needs two points or more, each [stretch, tension]";
  for (std::size_t i = 1; i < curve.stretches.size(); ++i)
    if (!(curve.stretches[i] > curve.stretches[i - 1]))
      return fmt::format("its spring's table does not ascend ({} follows {})", curve.stretches[i],
                         curve.stretches[i - 1]);
  return {};
}

// The least value of a signal, at the points of a table.
double least(const Signal& signal) {
  if (const auto* c = std::get_if<Constant>(&signal)) return c->value;
  if (const auto* s = std::get_if<Sine>(&signal)) return s->offset - std::abs(s->amplitude);
  const auto& values = std::get<Table>(signal).values;
  return *std::min_element(values.begin(), values.end());
}

// Collects findings about one subject at a time.
class Findings {
 public:
  explicit Findings(std::vector<Finding>& list) : list_(list) {}

  void about(Subject subject, std::size_t index, std::string label) {
    subject_ = subject;
    index_ = static_cast<int>(index);
    label_ = std::move(label);
  }
  void error(const std::string& what) {
    list_.push_back({subject_, index_, true, fmt::format("{}: {}", label_, what)});
  }
  void warn(const std::string& what) {
    list_.push_back({subject_, index_, false, fmt::format("{}: {}", label_, what)});
  }

 private:
  std::vector<Finding>& list_;
  Subject subject_ = Subject::model;
  int index_ = -1;
  std::string label_;
};

// Brings q to unit length; false when it has none.
bool normalise(Quat& q, const char* what, Findings& out) {
  const double length = norm(q);
  if (!finite(q) || !(length > 1e-12)) {
    out.error(fmt::format("{} is not a rotation; a quaternion w x y z of unit length is needed", what));
    return false;
  }
  if (std::abs(length - 1) > 1e-6) out.warn(fmt::format("{} has length {:.9g} and was normalised", what, length));
  if (length != 1) q = normalized(q);
  return true;
}

void inspect_inertia(const Body& body, Findings& out) {
  if (!finite(body.inertia)) return out.error("inertia is not finite; write numbers");
  if (body.kind == BodyKind::particle) return;
  if (body.kind == BodyKind::planar) {
    if (!(body.inertia.zz > 0)) out.error(fmt::format("inertia {} must be positive", body.inertia.zz));
    return;
  }
  const Sym3& I = body.inertia;
  Eigen::Matrix3d matrix;
  matrix << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::Vector3d e =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(e[0] > 1e-14 * e[2])) {
    return out.error(
        fmt::format("inertia is not positive definite (principal moments {:.6g}, {:.6g}, {:.6g}); all three must be "
                    "positive",
                    e[0], e[1], e[2]));
  }
  if (e[2] > (e[0] + e[1]) * (1 + 1e-9)) {
    out.warn(
        fmt::format("no body has principal moments {:.6g}, {:.6g}, {:.6g}: the largest exceeds the sum of the others",
                    e[0], e[1], e[2]));
  }
}

void inspect_shapes(const Model& model, std::vector<Shape>& shapes, bool ground, Findings& out) {
  for (Shape& shape : shapes) {
    if (!finite(shape.position)) return out.error("a shape's position is not finite; write numbers");
    if (!normalise(shape.orientation, "a shape's orientation", out)) return;
    if (shape.material < 0 ||
        static_cast<std::size_t>(shape.material) >= std::max<std::size_t>(1, model.materials.size())) {
      return out.error("a shape's material is not one of the model's");
    }
    if (!ground && std::holds_alternative<Plane>(shape.geometry)) {
      return out.error("a plane can only belong to the ground; use a box");
    }
    if (const std::string fault = fault_of(shape.geometry); !fault.empty()) return out.error(fault);
  }
}

// Whether a shape follows the form of its body, by its vertices.
bool deforms(const Geometry& geometry) {
  return !std::holds_alternative<Cylinder>(geometry) && !std::holds_alternative<Mesh>(geometry) &&
         !std::holds_alternative<Plane>(geometry);
}

// The coordinates of a form, and what its frame cannot have yet.
void inspect_form(const Model& model, std::size_t i, const BodyState& state, Findings& out) {
  const Body& own = model.bodies[i];
  const bool paired = own.form && own.partner.valid() && own.partner < model.bodies.size() &&
                      model.bodies[own.partner].partner.value() == static_cast<int>(i);
  if (!paired) return out.error("a form belongs to the body before it; ModelBuilder adds both");
  const OwnVector q = form_coordinates(state), qd = form_rates(state);
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (!finite(q[k]) || !finite(qd[k])) return out.error("its coordinates and their rates must be finite numbers");
    if (static_cast<int>(k) >= own.form->coordinates() && (q[k] != 0 || qd[k] != 0))
      return out.error(fmt::format("it has {} coordinates; the others must be zero", own.form->coordinates()));
  }
  const FormMass mass = own.form->mass(q);
  Eigen::MatrixXd C(own.form->coordinates(), own.form->coordinates());
  for (Eigen::Index r = 0; r < C.rows(); ++r)
    for (Eigen::Index c = 0; c < C.cols(); ++c)
      C(r, c) = mass.own[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
  if (!(C - C.transpose()).isZero(1e-12 * C.norm()) || C.llt().info() != Eigen::Success)
    out.error("the mass block of its coordinates is not symmetric and positive definite");
  for (const Shape& shape : model.bodies[own.partner].shapes)
    if (shape.collide && !deforms(shape.geometry))
      return out.error(
          "a body with a form touches with points, spheres, capsules, boxes and hulls; give its other shapes "
          "collide = false");
}

void inspect_body(Model& model, std::size_t i, BodyState& state, Findings& out) {
  Body& body = model.bodies[i];
  out.about(Subject::body, i, fmt::format("body '{}'", body.name));
  if (body.kind == BodyKind::form) return inspect_form(model, i, state, out);
  if (!finite(body.mass) || !(body.mass > 0))
    return out.error(fmt::format("mass {} must be positive and finite", body.mass));
  if (!finite(state.position) || !finite(state.velocity) || !finite(state.angular_velocity)) {
    return out.error("position and velocities must be finite numbers");
  }
  if (!normalise(state.orientation, "orientation", out)) return;
  if (!finite(state.scale) || !(state.scale > 0) || !finite(state.scale_velocity)) {
    return out.error(fmt::format("scale {} must be positive and finite", state.scale));
  }
  if (body.kind == BodyKind::planar) {
    const bool flat = state.position.z == 0 && state.velocity.z == 0 && state.angular_velocity.x == 0 &&
                      state.angular_velocity.y == 0 && state.orientation.x == 0 && state.orientation.y == 0;
    if (!flat) return out.error("a planar body lies in the x-y plane and turns about z only");
  }
  inspect_inertia(body, out);
  inspect_shapes(model, body.shapes, false, out);
}

void inspect_extras(const JointExtras& e, Findings& out) {
  for (std::size_t k = 0; k < kMaxCoordinates; ++k) {
    if (!finite(e.start[k]))
      return out.error("damping, stiffness, rest, friction, compliance, relaxation and start must be finite numbers");
    if (!finite(e.armature[k]) || e.armature[k] < 0) return out.error("armature must be finite and not negative");
  }
  for (const double x : {e.damping, e.stiffness, e.rest, e.friction, e.compliance, e.relaxation}) {
    if (!finite(x))
      return out.error("damping, stiffness, rest, friction, compliance, relaxation and start must be finite numbers");
  }
  if (e.damping < 0 || e.stiffness < 0 || e.friction < 0 || e.compliance < 0 || e.relaxation < 0) {
    return out.error("damping, stiffness, friction, compliance and relaxation must not be negative");
  }
  for (const std::optional<Limits>& limits : {e.limits, e.limits2}) {
    if (!limits) continue;
    if (!finite(limits->restitution) || limits->restitution < 0 || limits->restitution > 1) {
      return out.error(fmt::format("restitution {} of its limits must lie between 0 and 1", limits->restitution));
    }
    if (!(limits->lower <= limits->upper)) {
      return out.error(fmt::format("its lower limit {} is above its upper limit {}", limits->lower, limits->upper));
    }
    if (!(limits->cone > 0)) return out.error(fmt::format("its cone {} must be positive", limits->cone));
  }
  if (e.curve)
    if (const std::string fault = fault_of(*e.curve); !fault.empty()) return out.error(fault);
  if (e.length) {
    if (const std::string fault = fault_of(e.length->signal()); !fault.empty()) return out.error("length: " + fault);
    if (!(least(e.length->signal()) > 0)) return out.error("its length must stay positive at all times");
  }
  if (e.moves) {
    for (const std::optional<Motion>& motion :
         {e.moves->shift[0], e.moves->shift[1], e.moves->shift[2], e.moves->angle})
      if (motion)
        if (const std::string fault = fault_of(motion->signal()); !fault.empty()) return out.error("moves: " + fault);
  }
  for (const CouplingRow& row : e.rows) {
    const std::string fault = fault_of(row.equals ? row.equals->signal() : row.velocity);
    if (!fault.empty()) return out.error((row.equals ? "equals: " : "velocity: ") + fault);
  }
  if (!e.motor) return;
  if (const std::string fault = fault_of(e.motor->velocity); !fault.empty()) return out.error("motor: " + fault);
  if (e.motor->max_force && !(*e.motor->max_force >= 0)) out.error("its motor's max_force must not be negative");
}

void inspect_joint(Model& model, std::size_t i, Findings& out) {
  Joint& joint = model.joints[i];
  joint.index = static_cast<int>(i);
  out.about(Subject::joint, i, fmt::format("joint '{}'", joint.name));
  if (!finite(joint.anchor_a) || !finite(joint.anchor_b) || !finite(joint.parameter)) {
    return out.error("its anchors and numbers must be finite");
  }
  if (!normalise(joint.frame_a, "frame A", out) || !normalise(joint.frame_b, "frame B", out)) return;
  if (const std::string fault = fault_of(model, joint); !fault.empty()) return out.error(fault);
  for (const Freedom& freedom : joint.freedoms)
    if (freedom.curve)
      if (const std::string fault = fault_of(*freedom.curve); !fault.empty()) return out.error(fault);
  inspect_extras(model.extras_of(joint), out);
  if (model.extras_of(joint).moves)
    joint.primary = false;  // the kernels of trees know joints whose frames stay in their bodies
}

bool known(const Model& model, BodyId body) { return body.value() < static_cast<int>(model.bodies.size()); }

void inspect_forces(const Model& model, Findings& out) {
  for (std::size_t i = 0; i < model.forces.size(); ++i) {
    const ExternalForce& f = model.forces[i];
    out.about(Subject::force, i, fmt::format("force {}", i));
    if (!f.body.valid() || !known(model, f.body)) out.error("acts on no body; name one of the model's");
    if (!finite(f.force) || !finite(f.torque) || !finite(f.point))
      out.error("force, torque and point must be finite numbers");
    if (!(f.from <= f.until)) out.error(fmt::format("ends at {} s, before it begins at {} s", f.until, f.from));
  }
  for (std::size_t i = 0; i < model.springs.size(); ++i) {
    const Spring& s = model.springs[i];
    out.about(Subject::spring, i, fmt::format("spring {}", i));
    if (!known(model, s.a) || !known(model, s.b) || s.a == s.b)
      out.error("must join two different bodies, or a body and the ground");
    if (!finite(s.anchor_a) || !finite(s.anchor_b)) out.error("its anchors must be finite numbers");
    for (const double x : {s.stiffness, s.damping, s.length}) {
      if (!finite(x) || x < 0) out.error("stiffness, damping and length must be finite and not negative");
    }
    if (!s.curve) continue;
    if (const std::string fault = fault_of(*s.curve); !fault.empty()) out.error(fault);
  }
  for (std::size_t i = 0; i < model.actuators.size(); ++i) {
    const Actuator& a = model.actuators[i];
    out.about(Subject::actuator, i, fmt::format("actuator {}", i));
    if (!a.joint.valid() || a.joint >= model.joints.size()) {
      out.error("drives no joint; name one of the model's");
      continue;
    }
    const Joint& joint = model.joints[a.joint];
    const int count = coordinate_count(joint);
    if (a.coordinate < 0 || a.coordinate >= count) {
      out.error(fmt::format("drives coordinate {} of joint '{}', but a {} joint has {}", a.coordinate, joint.name,
                            name_of(joint.kind), count));
    }
    if (!finite(a.kp) || !finite(a.kv) || !(a.limit >= 0)) out.error("kp and kv must be finite, limit not negative");
    if (const std::string fault = fault_of(a.signal); !fault.empty()) out.error(fault);
  }
}

void inspect_materials(Model& model, Findings& out) {
  for (std::size_t i = 0; i < model.materials.size(); ++i) {
    const Material& m = model.materials[i];
    out.about(Subject::material, i, fmt::format("material '{}'", m.name));
    if (!finite(m.friction) || m.friction < 0)
      out.error(fmt::format("friction {} must be finite and not negative", m.friction));
    if (!(m.restitution >= 0 && m.restitution <= 1)) {
      out.error(fmt::format("restitution {} must lie between 0 and 1", m.restitution));
    }
    if (!finite(m.rolling) || m.rolling < 0 || !finite(m.torsion) || m.torsion < 0)
      out.error("rolling and torsion must be finite and not negative");
    if (!finite(m.compliance) || m.compliance < 0 || !finite(m.relaxation) || m.relaxation < 0)
      out.error("compliance and relaxation must be finite and not negative");
    if (!finite(m.creep) || m.creep < 0) out.error(fmt::format("creep {} must be finite and not negative", m.creep));
    if (m.grain && !(finite(m.grain->along) && std::abs(norm(m.grain->along) - 1) < 1e-9 && m.grain->forward >= 0 &&
                     m.grain->backward >= 0 && m.grain->sideways >= 0))
      out.error("friction by direction must have a unit vector along and coefficients that are not negative");
  }
  out.about(Subject::ground, 0, "ground");
  inspect_shapes(model, model.ground_shapes, true, out);
}

template <class Things>
void find_repeats(const Things& things, Subject subject, const char* what, Findings& out) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < things.size(); ++i) {
    out.about(subject, i, fmt::format("{} '{}'", what, things[i].name));
    if (things[i].name.empty()) out.error("has no name; every one needs its own");
    if (!seen.emplace(things[i].name, i).second) out.error("the name is taken by another; every one needs its own");
  }
}

}  // namespace

std::vector<Finding> inspect(Model& model, State& initial) {
  std::vector<Finding> list;
  Findings out(list);
  out.about(Subject::model, 0, "model");
  if (!finite(model.gravity)) out.error("gravity must be three finite numbers");
  if (initial.bodies.size() != model.bodies.size()) {
    out.error(fmt::format("the state has {} bodies, the model {}", initial.bodies.size(), model.bodies.size()));
    return list;
  }
  find_repeats(model.bodies, Subject::body, "body", out);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) inspect_body(model, i, initial.bodies[i], out);
  find_repeats(model.joints, Subject::joint, "joint", out);
  for (std::size_t i = 0; i < model.joints.size(); ++i) inspect_joint(model, i, out);
  inspect_forces(model, out);
  inspect_materials(model, out);
  return list;
}

Warnings validate(Model& model, State& initial) {
  Warnings warnings;
  for (const Finding& finding : inspect(model, initial)) {
    if (finding.error) throw InputError{finding.message};
    warnings.push_back(finding.message);
  }
  return warnings;
}

}  // namespace catena
