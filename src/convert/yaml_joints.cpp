#include "catena/convert/yaml_joints.h"

#include "catena/convert/yaml_drives.h"
#include "catena/convert/yaml_words.h"
#include "catena/model/joint_rules.h"

namespace catena {
namespace {

class JointWriter {
 public:
  JointWriter(const Scene& scene, Losses& losses) : scene_(scene), model_(scene.model), losses_(losses) {}

  std::string text(const Joint& j) {
    keys_ = fmt::format("kind: {}", catena::name_of(j.kind));
    const JointExtras& e = model_.extras_of(j);
    if (j.kind == JointKind::coupling) {
      key("rows", rows_text(e.rows));
    } else {
      key("between", fmt::format("[{}, {}]", name_of(j.a), name_of(j.b)));
      place(j);
    }
    if (!j.primary && !e.moves) key("primary", "no");
    if (e.moves) key("moves", motion_text(*e.moves));
    if (e.moves &&
        norm(((j.a.valid() ? scene_.initial.bodies[j.a].orientation : Quat{}) * e.moves->axes).vec()) > 1e-12)
      losses_.add(fmt::format("joint '{}'", j.name), "moves", Fate::approximated,
                  "along the axes of the world at the start");
    if (e.switching) keys_ += switching_text(*e.switching);
    value("compliance", e.compliance);
    value("relaxation", e.relaxation);
    if (j.kind == JointKind::compound) {
      std::string list_text;
      for (const Freedom& f : freedoms_now(scene_, j)) list_text += (list_text.empty() ? "" : ", ") + freedom_text(f);
      key("freedoms", "[" + list_text + "]");
      if (e.motor) losses_.add(fmt::format("joint '{}'", j.name), "motor", Fate::ignored, "of one freedom of several");
    } else if (j.kind != JointKind::coupling) {
      extras(j, e);
    }
    return fmt::format("{}: {{{}}}", in_quotes(j.name), keys_);
  }

 private:
  std::string name_of(BodyId body) const { return body.valid() ? in_quotes(model_.bodies[body].name) : "ground"; }
  void key(const char* name, const std::string& text) { keys_ += fmt::format(", {}: {}", name, text); }
  void value(const char* name, double x) {
    if (x != 0) key(name, number(x));
  }

  void extras(const Joint& j, const JointExtras& e) {
    value("damping", e.damping);
    value("stiffness", e.stiffness);
    if (e.curve) key("spring", curve_text(*e.curve));
    value("rest", e.rest);
    value("friction", e.friction);
    value("armature", e.armature[0]);
    for (std::size_t k = 1; k < kMaxCoordinates; ++k)
      if (e.armature[k] != (j.kind == JointKind::ball && k < 3 ? e.armature[0] : 0))
        losses_.add(fmt::format("joint '{}'", j.name), "armature", Fate::ignored, fmt::format("of coordinate {}", k));
    if (e.limits) key("limits", limits_text(*e.limits));
    if (e.limits2) key("limits2", limits_text(*e.limits2));
    int used = 0;
    for (int k = 0; k < 3; ++k)
      if (e.start[static_cast<std::size_t>(k)] != 0) used = k + 1;
    if (used > 0) key("start", fmt::format("[{}, {}, {}]", number(e.start[0]), number(e.start[1]), number(e.start[2])));
    if (e.motor)
      key("motor", fmt::format("{{velocity: {}{}}}", signal_text(e.motor->velocity),
                               e.motor->max_force ? ", max_force: " + number(*e.motor->max_force) : ""));
  }

  std::string freedom_text(const Freedom& f) {
    std::string out = fmt::format("{{{}: {}, name: {}, anchor: {}", f.slides ? "slide" : "hinge", list(f.axis),
                                  in_quotes(f.name), list(f.anchor));
    const auto add = [&](const char* name, double x) {
      if (x != 0) out += fmt::format(", {}: {}", name, number(x));
    };
    add("zero", f.zero);
    if (f.limits) out += ", limits: " + limits_text(*f.limits);
    add("damping", f.damping);
    add("stiffness", f.stiffness);
    if (f.curve) out += ", spring: " + curve_text(*f.curve);
    add("rest", f.rest);
    add("friction", f.friction);
    add("armature", f.armature);
    return out + "}";
  }

  // Anchors and axes in the world at t = 0; one of each where the frames coincide.
  void place(const Joint& j) {
    if (j.kind == JointKind::rolling) return place_rolling(j);
    if (j.surfaces) return place_surfaces(j);
    if (j.kind == JointKind::planar_weld) return;
    if (j.kind == JointKind::compound) return key("anchor", list(freedoms_now(scene_, j).front().anchor));
    const Pose a = joint_frame(scene_, j, false), b = joint_frame(scene_, j, true);
    const bool planar = j.kind == JointKind::pin;
    const auto point = [&](const Vec3& p) {
      return planar ? fmt::format("[{}, {}]", number(p.x), number(p.y)) : list(p);
    };
    const double size = 1 + norm(a.p);
    if (norm(a.p - b.p) < 1e-14 * size) key("anchor", point(b.p));
    else key("anchors", fmt::format("[{}, {}]", point(a.p), point(b.p)));
    if (planar) return;
    const auto axis = [](const Pose& p) { return rotate(p.q, Vec3{0, 0, 1}); };
    switch (j.kind) {
      case JointKind::universal:
      case JointKind::perpendicular_axes:
      case JointKind::gear:
      case JointKind::rack:
        key("axis", list(axis(a)));
        key("axis2", list(axis(b)));
        break;
      case JointKind::weld:
      case JointKind::fixed_orientation:
      case JointKind::distance: break;
      case JointKind::ball:
        if (norm(a.q.vec()) < 1e-14 && norm(b.q.vec()) < 1e-14) break;  // frames of the world: no axis was given
        [[fallthrough]];
      default:
        if (norm(axis(a) - axis(b)) < 1e-14) key("axis", list(axis(a)));
        else key("axes", fmt::format("[{}, {}]", list(axis(a)), list(axis(b))));
    }
    const double twist = norm((a.q.conjugate() * b.q).vec());
    if ((j.kind == JointKind::weld || j.kind == JointKind::fixed_orientation) && twist > 1e-12)
      losses_.add(fmt::format("joint '{}'", j.name), "frame", Fate::approximated,
                  "held as the bodies stand at the start, which the joint would turn first");
    if (const std::optional<Motion>& length = model_.extras_of(j).length) key("length", signal_text(length->signal()));
    else if (j.kind == JointKind::distance) key("length", number(j.parameter));
    if (j.kind == JointKind::screw) key("pitch", number(j.parameter));
    if (j.kind == JointKind::gear) key("ratio", number(j.parameter));
    if (j.kind == JointKind::rack) key("radius", number(j.parameter));
  }

  void place_surfaces(const Joint& j) {
    const Pose a = joint_frame(scene_, j, false), b = joint_frame(scene_, j, true);
    if (j.kind == JointKind::point_on_surface) {
      key("surface", surface_text(j.surfaces->first, a.p, a.q));
      return key("anchor", list(b.p));
    }
    key("surfaces",
        fmt::format("[{}, {}]", surface_text(j.surfaces->first, a.p, a.q), surface_text(j.surfaces->second, b.p, b.q)));
    if (j.surfaces->slides) key("slides", "yes");
    if (j.surfaces->inside) key("inside", "yes");
  }

  void place_rolling(const Joint& j) {
    const Pose b = joint_frame(scene_, j, true);
    key("anchor", list(b.p));
    key("normal", list(rotate(joint_frame(scene_, j, false).q, Vec3{0, 0, 1})));
    if (j.disc) key("axis", list(rotate(b.q, Vec3{0, 0, 1})));
    key("radius", number(j.parameter * (j.b.valid() ? scene_.initial.bodies[j.b].scale : 1)));
  }

  std::string term_text(const CouplingTerm& t) const {
    return fmt::format("{{body: {}, linear: {}, angular: {}, frame: {}}}", name_of(t.body), list(t.linear),
                       list(t.angular), t.body_frame ? "body" : "world");
  }

  std::string coordinate_text(const CoordinateTerm& t) const {
    const Joint& j = model_.joints[t.joint];
    const auto& p = t.polynomial;
    // The scene counts from `start`; the model from where the frames coincide, plus the term's offset.
    double reference = t.reference;
    if (j.kind != JointKind::compound)
      reference += model_.extras_of(j).start[static_cast<std::size_t>(t.coordinate)] - t.offset;
    return fmt::format("{{joint: {}, coordinate: {}, polynomial: [{}, {}, {}, {}, {}], reference: {}}}",
                       in_quotes(j.name), t.coordinate, number(p[0]), number(p[1]), number(p[2]), number(p[3]),
                       number(p[4]), number(reference));
  }

  std::string rows_text(const std::vector<CouplingRow>& rows) const {
    std::string out;
    for (const CouplingRow& row : rows) {
      std::string terms, through, coordinates;
      for (const CouplingTerm& t : row.terms) terms += (terms.empty() ? "" : ", ") + term_text(t);
      for (const CouplingTerm& t : row.through) through += (through.empty() ? "" : ", ") + term_text(t);
      for (const CoordinateTerm& t : row.coordinates)
        coordinates += (coordinates.empty() ? "" : ", ") + coordinate_text(t);
      out += out.empty() ? "{" : ", {";
      if (!coordinates.empty()) out += "coordinates: [" + coordinates + "]";
      else out += fmt::format("terms: [{}], velocity: {}", terms, signal_text(row.velocity));
      if (row.equals) out += ", equals: " + signal_text(row.equals->signal());
      if (!through.empty()) out += ", through: [" + through + "]";
      out += "}";
    }
    return "[" + out + "]";
  }

  const Scene& scene_;
  const Model& model_;
  Losses& losses_;
  std::string keys_;
};

}  // namespace

std::string joint_text(const Scene& scene, const Joint& joint, Losses& losses) {
  return JointWriter(scene, losses).text(joint);
}

}  // namespace catena
