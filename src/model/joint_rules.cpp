#include "catena/model/joint_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

std::string label(const Model& model, BodyId body) {
  if (!body.valid()) return "the ground";
  return fmt::format("{} '{}'", name_of(model.bodies[body].kind), model.bodies[body].name);
}

bool is(const Model& model, BodyId body, BodyKind kind) { return body.valid() && model.bodies[body].kind == kind; }

bool turns_in_space(const Model& model, BodyId body) {
  return !body.valid() || is(model, body, BodyKind::rigid) || is(model, body, BodyKind::scalable) ||
         is(model, body, BodyKind::formed);
}

// Kinds that need both bodies to have an orientation in space.
bool needs_orientation(JointKind kind) {
  switch (kind) {
    case JointKind::distance:
    case JointKind::point_on_line:
    case JointKind::point_on_plane:
    case JointKind::point_on_surface:
    case JointKind::skate:
    case JointKind::rack:
    case JointKind::coupling:
    case JointKind::pin:
    case JointKind::planar_weld: return false;
    default: return true;
  }
}

std::string fault_of_bodies(const Model& model, const Joint& joint) {
  const BodyId ends[] = {joint.a, joint.b};
  const auto kind = name_of(joint.kind);
  if (joint.a == joint.b) {
    return fmt::format("joins {} to itself; between: needs two different bodies, or a body and ground",
                       label(model, joint.a));
  }
  if (joint.kind == JointKind::rolling && (is(model, joint.a, BodyKind::scalable) || !joint.b.valid())) {
    return "a rolling joint is between the ground or a rigid body, which has the plane, and the body that rolls on it: "
           "between: [ground, BODY]";
  }
  const bool particle = is(model, joint.a, BodyKind::particle) || is(model, joint.b, BodyKind::particle);
  if (joint.kind == JointKind::ball && particle) return {};
  for (const BodyId end : ends) {
    const bool planar = is(model, end, BodyKind::planar);
    if (joint.kind == JointKind::pin || joint.kind == JointKind::planar_weld) {
      if (end.valid() && !planar) {
        return fmt::format("a {} between planar bodies cannot hold {}; a ball or hinge would", kind, label(model, end));
      }
    } else if (needs_orientation(joint.kind) && !turns_in_space(model, end)) {
      const char* instead =
          planar ? "pin, weld and distance joints go with planar bodies"
                 : "ball, distance, point-on-line, point-on-plane and point-on-surface joints go with particles";
      return fmt::format("a {} joint needs bodies that turn in space, and {} does not; {}", kind, label(model, end),
                         instead);
    }
  }
  return {};
}

// A body with a form takes joints that are made of frames alone.
std::string fault_of_forms(const Model& model, const Joint& joint) {
  const auto formed = [&](BodyId body) { return body.valid() && changes_form(model.bodies[body].kind); };
  if (is(model, joint.a, BodyKind::form) || is(model, joint.b, BodyKind::form))
    return "joins the coordinates of a form; joints go to the body they are of";
  if (!formed(joint.a) && !formed(joint.b)) return {};
  switch (joint.kind) {
    case JointKind::rolling:
    case JointKind::skate:
    case JointKind::rack:
    case JointKind::point_on_surface:
    case JointKind::tangent_surfaces:
    case JointKind::compound: return fmt::format("a {} joint cannot hold a body with a form", name_of(joint.kind));
    default: break;
  }
  const JointExtras& e = model.extras_of(joint);
  if (e.armature != JointArray{}) return "a joint of a body with a form takes no armature";
  return {};
}

std::string fault_of_rows(const Model& model, const Joint& joint) {
  const auto& rows = model.extras_of(joint).rows;
  if (rows.empty()) return "a coupling needs terms: [{body, linear, angular}…] or rows: of them";
  for (const CouplingRow& row : rows) {
    bool moves = false;
    for (const CoordinateTerm& term : row.coordinates) {
      if (!term.joint.valid() || term.joint >= model.joints.size() || &model.joints[term.joint] == &joint)
        return "a coordinate it couples is of no other joint of the model";
      const Joint& other = model.joints[term.joint];
      for (const BodyId end : {other.a, other.b})
        if (end.valid() && changes_form(model.bodies[end].kind))
          return "a coordinate it couples is of a joint of a body with a form";
      if (term.coordinate < 0 || term.coordinate >= coordinate_count(other) || other.kind == JointKind::ball)
        return fmt::format("joint '{}' has no coordinate {} to couple", other.name, term.coordinate);
      if (!std::isfinite(term.reference) || !std::isfinite(term.offset)) return "its references must be finite numbers";
      for (std::size_t i = 0; i < term.polynomial.size(); ++i) {
        if (!std::isfinite(term.polynomial[i])) return "its polynomials must have finite numbers";
        moves = moves || (i > 0 && term.polynomial[i] != 0);
      }
    }
    for (std::size_t i = 0; i < row.terms.size() + row.through.size(); ++i) {
      const CouplingTerm& term = i < row.terms.size() ? row.terms[i] : row.through[i - row.terms.size()];
      if (!term.body.valid() || static_cast<std::size_t>(term.body) >= model.bodies.size()) {
        return "a term's body must be one of the model's (the ground has no velocity)";
      }
      const double size = norm(term.linear) + norm(term.angular);
      if (!std::isfinite(size)) return "a term's linear and angular parts must be finite numbers";
      moves = moves || (size > 0 && i < row.terms.size());
    }
    if (!moves) return "a row of it has no term that is not zero; give linear: or angular:";
  }
  return {};
}

std::string fault_of_freedoms(const Model& model, const Joint& joint) {
  if (joint.kind != JointKind::compound) {
    return joint.freedoms.empty() ? "" : fmt::format("a {} joint has no freedoms to list", name_of(joint.kind));
  }
  if (joint.freedoms.empty() || joint.freedoms.size() > kMaxCoordinates)
    return fmt::format("a compound joint has one to six freedoms, not {}", joint.freedoms.size());
  for (const BodyId end : {joint.a, joint.b})
    if (end.valid() && !is(model, end, BodyKind::rigid))
      return fmt::format("a compound joint joins rigid bodies and the ground, not {}", label(model, end));
  const JointExtras& e = model.extras_of(joint);
  if (e.limits || e.limits2 || e.damping != 0 || e.stiffness != 0 || e.rest != 0 || e.friction != 0 || e.curve)
    return "the limits, damping, stiffness, rest and friction of a compound joint belong to its freedoms";
  for (const Freedom& f : joint.freedoms) {
    for (const double x : {f.axis.x, f.axis.y, f.axis.z, f.anchor.x, f.anchor.y, f.anchor.z, f.zero, f.start, f.damping,
                           f.stiffness, f.rest, f.friction, f.armature})
      if (!std::isfinite(x)) return fmt::format("the numbers of its freedom '{}' must be finite", f.name);
    if (std::abs(norm(f.axis) - 1) > 1e-9) return fmt::format("the axis of its freedom '{}' has no direction", f.name);
    if (f.damping < 0 || f.stiffness < 0 || f.friction < 0 || f.armature < 0)
      return fmt::format("damping, stiffness, friction and armature of its freedom '{}' must not be negative", f.name);
    if (f.limits && !(f.limits->lower <= f.limits->upper))
      return fmt::format("the lower limit {} of its freedom '{}' is above the upper limit {}", f.limits->lower, f.name,
                         f.limits->upper);
  }
  return {};
}

std::string fault_of_surfaces(const Model& model, const Joint& joint) {
  using Kind = JointSurface::Kind;
  const bool point = joint.kind == JointKind::point_on_surface, tangent = joint.kind == JointKind::tangent_surfaces;
  if (!point && !tangent) return {};
  if (!joint.surfaces) return "has no surface";
  const JointSurfaces& s = *joint.surfaces;
  if (std::string fault = fault_of(s.first); !fault.empty()) return fault;
  if (joint.a.valid() && !is(model, joint.a, BodyKind::rigid))
    return fmt::format("its surface must be of a rigid body or of the ground, not of {}", label(model, joint.a));
  if (point) return joint.b.valid() ? "" : "the point on a surface must be of a body: between: [ground, BODY]";
  if (std::string fault = fault_of(s.second); !fault.empty()) return fault;
  if (joint.b.valid() && !is(model, joint.b, BodyKind::rigid))
    return fmt::format("tangent surfaces must be of rigid bodies or of the ground, not of {}", label(model, joint.b));
  const bool convex = s.first.kind == Kind::sphere || s.first.kind == Kind::ellipsoid || s.first.kind == Kind::plane;
  const bool hollow = s.first.kind == Kind::sphere || s.first.kind == Kind::cylinder || s.first.kind == Kind::torus;
  if (s.second.kind == Kind::sphere && s.inside && hollow)
    return s.second.size.x < (s.first.kind == Kind::torus ? s.first.size.y : s.first.size.x)
             ? ""
             : "a ball inside a surface must be smaller than it";
  if (s.inside) return "only a ball touches a surface from inside, and only a sphere, a cylinder or a torus";
  if (s.second.kind == Kind::sphere && (convex || hollow)) return {};
  if (s.second.kind == Kind::ellipsoid && convex) return {};
  return "tangent surfaces are a sphere or an ellipsoid on a plane, a sphere or an ellipsoid, or a sphere on a "
         "cylinder or "
         "a torus";
}

std::string fault_of_parameter(const Joint& joint) {
  switch (joint.kind) {
    case JointKind::distance:
      return joint.parameter > 0
               ? ""
               : fmt::format("length {} must be positive; use a ball joint to hold points together", joint.parameter);
    case JointKind::rack:
    case JointKind::gear:
      if (joint.parameter != 0) return {};
      return joint.kind == JointKind::gear ? "ratio 0 couples nothing; give another"
                                           : "radius 0 couples nothing; give another";
    case JointKind::rolling:
      return joint.parameter > 0 ? "" : fmt::format("radius {} must be positive", joint.parameter);
    default: return {};
  }
}

struct GeometryFault {
  static std::string positive(double x, const char* what) {
    return x > 0 && std::isfinite(x) ? "" : fmt::format("{} {} must be positive", what, x);
  }
  static std::string first(const std::string& a, const std::string& b) { return a.empty() ? b : a; }
  std::string operator()(const Sphere& s) const { return positive(s.radius, "a sphere's radius"); }
  std::string operator()(const Point&) const { return {}; }
  std::string operator()(const Box& b) const {
    return first(positive(b.sides.x, "a box's side"),
                 first(positive(b.sides.y, "a box's side"), positive(b.sides.z, "a box's side")));
  }
  std::string operator()(const Capsule& c) const {
    return first(positive(c.radius, "a capsule's radius"), positive(c.length, "a capsule's length"));
  }
  std::string operator()(const Cylinder& c) const {
    return first(positive(c.radius, "a cylinder's radius"), positive(c.length, "a cylinder's length"));
  }
  std::string operator()(const Plane& p) const {
    if (!finite(p.normal) || !std::isfinite(p.offset)) return "a plane's normal and offset must be finite numbers";
    return norm(p.normal) > 0 ? "" : "a plane's normal (0, 0, 0) has no direction; give a vector that is not zero";
  }
  std::string operator()(const Hull& h) const {
    if (h.points.size() < 4)
      return fmt::format("a hull of {} points has no inside; give four or more", h.points.size());
    return points(h.points, "a hull's");
  }
  std::string operator()(const Mesh& m) const {
    const int count = static_cast<int>(m.vertices.size());
    for (const auto& t : m.triangles) {
      for (const int v : t) {
        if (v < 0 || v >= count) return fmt::format("a triangle of mesh '{}' names vertex {} of {}", m.file, v, count);
      }
    }
    return m.triangles.empty() ? fmt::format("mesh '{}' has no triangles", m.file) : points(m.vertices, "a mesh's");
  }
  static std::string points(const std::vector<Vec3>& list, const char* whose) {
    for (const Vec3& p : list) {
      if (!finite(p)) return fmt::format("{} points must be finite numbers", whose);
    }
    return {};
  }
};

}  // namespace

int coordinate_count(JointKind kind) {
  switch (kind) {
    case JointKind::hinge:
    case JointKind::slider:
    case JointKind::screw:
    case JointKind::point_on_line:
    case JointKind::pin: return 1;
    case JointKind::cylindrical:
    case JointKind::point_on_plane:
    case JointKind::universal: return 2;
    case JointKind::ball:
    case JointKind::fixed_orientation:
    case JointKind::planar: return 3;
    default: return 0;
  }
}

int coordinate_count(const Joint& joint) {
  return joint.kind == JointKind::compound ? static_cast<int>(joint.freedoms.size()) : coordinate_count(joint.kind);
}

bool prescribes_velocity(const Model& model, const Joint& joint) {
  const JointExtras& extras = model.extras_of(joint);
  return extras.motor || extras.length || extras.moves || joint.kind == JointKind::coupling;
}

std::vector<JointId> guided_joints(const Model& model) {
  std::vector<JointId> out;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (const auto& moves = model.extras_of(model.joints[j]).moves; moves && moves->guide >= 0) out.emplace_back(j);
  return out;
}

bool meets_where_frames_coincide(JointKind kind) {
  switch (kind) {
    case JointKind::ball:
    case JointKind::hinge:
    case JointKind::slider:
    case JointKind::cylindrical:
    case JointKind::planar:
    case JointKind::weld:
    case JointKind::point_on_line:
    case JointKind::point_on_plane:
    case JointKind::fixed_orientation:
    case JointKind::aligned_axes:
    case JointKind::pin:
    case JointKind::planar_weld: return true;
    default: return false;
  }
}

namespace {

std::string fault_of_motion(const Model& model, const Joint& joint) {
  const JointExtras& e = model.extras_of(joint);
  if (!e.moves) return {};
  if (!meets_where_frames_coincide(joint.kind) && joint.kind != JointKind::universal &&
      joint.kind != JointKind::perpendicular_axes && joint.kind != JointKind::distance)
    return fmt::format("the frame of a {} joint cannot follow signals", name_of(joint.kind));
  if (e.moves->guide >= 0 && (joint.kind != JointKind::weld || joint.a.valid()))
    return "only the frame of a weld to the ground can be led by hand";
  if (joint.a.valid() && changes_size(model.bodies[joint.a].kind))
    return "a frame that follows signals needs a body that keeps its size, or the ground";
  if (e.motor || e.limits || e.limits2 || e.damping != 0 || e.stiffness != 0 || e.friction != 0 || e.compliance != 0 ||
      e.armature != JointArray{})
    return "a frame that follows signals takes no motor, limits, springs, friction, armature or compliance";
  if (!(std::abs(norm(e.moves->axis) - 1) < 1e-6)) return "the axis its frame turns about has no direction";
  return {};
}

std::string fault_of_switching(const Model& model, const Joint& joint) {
  const JointExtras& e = model.extras_of(joint);
  if (!e.switching) return {};
  const Switching& s = *e.switching;
  for (const std::vector<double>* times : {&s.attach, &s.detach})
    for (std::size_t i = 0; i < times->size(); ++i)
      if (!std::isfinite((*times)[i]) || (*times)[i] < 0 || (i > 0 && !((*times)[i] > (*times)[i - 1])))
        return "the times at which it attaches and lets go must be finite, not negative and ascending";
  for (const double time : s.attach)
    if (std::find(s.detach.begin(), s.detach.end(), time) != s.detach.end())
      return fmt::format("attaches and lets go at the same time, {} s", time);
  for (const std::optional<double>& bound : {s.within, s.force, s.torque})
    if (bound && !(*bound > 0 && std::isfinite(*bound)))
      return "the distance it attaches within, and the force and torque it lets go at, must be positive";
  if (!(s.over >= 0) || !std::isfinite(s.over)) return "the time it takes to close must not be negative";
  if (s.over > 0 && (e.moves || s.pose == Switching::Pose::keep))
    return "closes over a time, and its frame follows signals or is kept where it is: one will do";
  if ((s.over > 0 || s.pose == Switching::Pose::keep) && !meets_where_frames_coincide(joint.kind))
    return fmt::format("a {} joint can only be closed at once when it attaches", name_of(joint.kind));
  if ((s.force || s.torque) && e.compliance != 0) return "a joint with compliance lets go at a time, not at a force";
  return {};
}

}  // namespace

std::string fault_of(const Model& model, const Joint& joint) {
  for (const BodyId end : {joint.a, joint.b}) {
    if (end.value() >= static_cast<int>(model.bodies.size())) return "joins a body that is not in the model";
  }
  if (joint.kind == JointKind::coupling) {
    if (model.extras_of(joint).moves) return "a coupling has no frame that could follow signals";
    if (std::string fault = fault_of_rows(model, joint); !fault.empty()) return fault;
    return fault_of_switching(model, joint);
  }
  if (std::string fault = fault_of_forms(model, joint); !fault.empty()) return fault;
  if (std::string fault = fault_of_bodies(model, joint); !fault.empty()) return fault;
  if (std::string fault = fault_of_parameter(joint); !fault.empty()) return fault;
  if (std::string fault = fault_of_surfaces(model, joint); !fault.empty()) return fault;
  if (std::string fault = fault_of_freedoms(model, joint); !fault.empty()) return fault;
  const JointExtras& e = model.extras_of(joint);
  const bool numbers = e.start != JointArray{} || e.armature != JointArray{};
  const bool rope = joint.kind == JointKind::distance && e.limits;  // between a shortest and a longest distance
  if (rope && (e.length || e.compliance != 0)) return "a distance with limits has neither a length nor a compliance";
  const bool drives = e.motor || (e.limits && !rope) || e.limits2 || e.damping != 0 || e.stiffness != 0 ||
                      e.rest != 0 || e.friction != 0 || e.curve || numbers;
  if (e.motor && (e.motor->coordinate < 0 || e.motor->coordinate >= std::max(1, coordinate_count(joint))))
    return fmt::format("its motor drives coordinate {}, and it has {}", e.motor->coordinate, coordinate_count(joint));
  if (drives && coordinate_count(joint) == 0) {
    return fmt::format(
        "a {} joint has no coordinate for motor, limits, damping, stiffness, rest, friction or start; hinge, slider, "
        "cylindrical, universal, planar, fixed-orientation, screw, ball and pin have",
        name_of(joint.kind));
  }
  if (e.length && joint.kind != JointKind::distance)
    return fmt::format("a {} joint has no length that could follow time; a distance joint has", name_of(joint.kind));
  if (e.length && e.compliance != 0) return "a length that follows time takes no compliance";
  if (std::string fault = fault_of_motion(model, joint); !fault.empty()) return fault;
  if (std::string fault = fault_of_switching(model, joint); !fault.empty()) return fault;
  if (e.limits2 && coordinate_count(joint) < 2)
    return fmt::format("a {} joint has no second coordinate for limits2", name_of(joint.kind));
  if (e.limits2 && joint.kind == JointKind::ball) return "a ball joint is limited by limits: {cone, lower, upper}";
  if (e.limits && e.limits->cone < 1e299 && joint.kind != JointKind::ball)
    return fmt::format("a {} joint has no cone; limits: {{cone}} is of ball joints", name_of(joint.kind));
  return {};
}

std::string fault_of(const Geometry& geometry) { return std::visit(GeometryFault{}, geometry); }

}  // namespace catena
