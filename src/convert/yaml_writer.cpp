// Scenes as scene files.
#include <cmath>
#include <set>

#include "catena/convert/writing.h"
#include "catena/convert/yaml_drives.h"
#include "catena/convert/yaml_words.h"
#include "catena/math/elementary.h"
#include "catena/model/joint_rules.h"
#include "catena/model/material_point.h"
#include "catena/model/stretching_form.h"

namespace catena {
namespace {

class YamlWriter {
 public:
  YamlWriter(const Scene& scene, const std::string& name)
      : scene_(scene), model_(scene.model), losses_{out_.ledger, name} {
    stem_ = std::filesystem::path(name).stem().string();
  }

  WrittenScene write() {
    line("catena: 1");
    if (!model_.name.empty()) line("name: " + in_quotes(model_.name));
    line("gravity: " + list(model_.gravity));
    line("simulate: {" + settings_text(scene_.settings) + "}");
    materials();
    line("bodies:");
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) body(i);
    if (!model_.ground_shapes.empty()) {
      line("ground:");
      line("  shapes:");
      for (const Shape& shape : model_.ground_shapes) line("    - " + shape_text(shape));
    }
    if (!model_.joints.empty()) line("joints:");
    for (const Joint& written : model_.joints) joint(written);
    out_.text += sites_text(model_);
    out_.text += tendons_text(model_);
    forces();
    out_.text += sensors_text(model_, losses_);
    collide();
    unsaid();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_.text += text + "\n"; }
  std::string name_of(BodyId body) const { return body.valid() ? in_quotes(model_.bodies[body].name) : "ground"; }

  std::string material_text(const Material& m) {
    std::string friction = number(m.friction);
    if (m.grain)
      friction = fmt::format("{{along: {}, forward: {}, backward: {}, sideways: {}}}", list(m.grain->along),
                             number(m.grain->forward), number(m.grain->backward), number(m.grain->sideways));
    if (m.priority != 0 || !m.slides_with_friction)
      losses_.add(fmt::format("material '{}'", m.name), "friction", Fate::approximated,
                  "materials have no priority, and none that slides freely on everything");
    std::string soft;
    if (m.compliance != 0)
      soft = fmt::format(", compliance: {}, relaxation: {}", number(m.compliance), number(m.relaxation));
    if (m.creep != 0) soft += fmt::format(", creep: {}", number(m.creep));
    return fmt::format("{{friction: {}, restitution: {}, rolling: {}, torsion: {}{}{}}}", friction,
                       number(m.restitution), number(m.rolling), number(m.torsion), soft,
                       m.combine_by_maximum ? ", combine: maximum" : "");
  }

  void materials() {
    if (model_.materials.empty()) return;
    line("defaults: " + material_text(model_.materials[0]));
    std::set<std::string> taken{"default"};
    material_names_.emplace_back("default");
    if (model_.materials.size() > 1) line("materials:");
    for (std::size_t i = 1; i < model_.materials.size(); ++i) {
      std::string name = model_.materials[i].name;
      while (!taken.insert(name).second) name += "_";
      material_names_.push_back(name);
      line(fmt::format("  {}: {}", in_quotes(name), material_text(model_.materials[i])));
    }
  }

  std::string geometry_text(const Shape& shape) {
    if (const auto* s = std::get_if<Sphere>(&shape.geometry)) return fmt::format("sphere: {}", number(s->radius));
    if (const auto* b = std::get_if<Box>(&shape.geometry)) return "box: " + list(b->sides);
    if (const auto* c = std::get_if<Capsule>(&shape.geometry))
      return fmt::format("capsule: {{radius: {}, length: {}}}", number(c->radius), number(c->length));
    if (const auto* c = std::get_if<Cylinder>(&shape.geometry))
      return fmt::format("cylinder: {{radius: {}, length: {}}}", number(c->radius), number(c->length));
    if (const auto* p = std::get_if<Plane>(&shape.geometry))
      return fmt::format("plane: {{normal: {}, offset: {}}}", list(p->normal), number(p->offset));
    if (const auto* h = std::get_if<Hull>(&shape.geometry)) {
      std::string out = "hull: [";
      for (std::size_t i = 0; i < h->points.size(); ++i) out += (i == 0 ? "" : ", ") + list(h->points[i]);
      return out + "]";
    }
    if (const auto* m = std::get_if<Mesh>(&shape.geometry)) {
      const std::string file = fmt::format("{}_mesh{}.obj", stem_, out_.files.size());
      out_.files.push_back({file, obj_text(*m)});
      return "mesh: " + in_quotes(file);
    }
    return "point: " + list(shape.position);
  }

  std::string shape_text(const Shape& shape) {
    std::string out = "{" + geometry_text(shape);
    const bool placed =
        !std::holds_alternative<Plane>(shape.geometry) && !std::holds_alternative<Point>(shape.geometry);
    if (placed && !(shape.position == Vec3{})) out += ", at: " + list(shape.position);
    if (placed && !(shape.orientation == Quat{})) out += ", orientation: " + list(shape.orientation);
    if (shape.material > 0)
      out += ", material: " + in_quotes(material_names_[static_cast<std::size_t>(shape.material)]);
    if (!shape.collide) out += ", collide: no";
    if (shape.collide && (shape.category != 1 || shape.mask != 1))
      out += fmt::format(", category: {}, mask: {}", shape.category, shape.mask);
    if (shape.color) {
      const auto& [red, green, blue, opacity] = *shape.color;
      out += fmt::format(", color: [{:.4g}, {:.4g}, {:.4g}, {:.4g}]", red, green, blue, opacity);
    }
    return out + "}";
  }

  // What a body says of its stretches: which axes go together, how far they are, how fast and how stiff.
  void stretches(const StretchingForm& form, const BodyState& own) {
    std::array<std::string, 3> words;
    for (std::size_t k = 0; k < 3; ++k)
      if (const int c = form.stretches().of_axis[k]; c >= 0) words[static_cast<std::size_t>(c)] += "xyz"[k];
    const auto values = [&](const char* key, const OwnVector& numbers) {
      std::string text;
      for (int c = 0; c < form.coordinates(); ++c)
        text += (c == 0 ? "" : ", ") + number(numbers[static_cast<std::size_t>(c)]);
      line(fmt::format("    {}: [{}]", key, text));
    };
    std::string axes;
    for (int c = 0; c < form.coordinates(); ++c)
      axes += (c == 0 ? "" : ", ") + in_quotes(words[static_cast<std::size_t>(c)]);
    line("    axes: [" + axes + "]");
    values("stretch", form_coordinates(own));
    values("stretch_velocity", form_rates(own));
    values("stiffness", form.stretches().stiffness);
  }

  void body(std::size_t i) {
    const Body& b = model_.bodies[i];
    if (b.kind == BodyKind::form) return;  // part of the body before it
    const auto* stretching = dynamic_cast<const StretchingForm*>(b.form.get());
    if (b.kind == BodyKind::formed && !stretching)
      throw InputError{
          fmt::format("body '{}' has a form that a C++ class gives it, which a scene file cannot say", b.name)};
    const BodyState& s = scene_.initial.bodies[i];
    line(fmt::format("  {}:", in_quotes(b.name)));
    const auto put = [&](const std::string& text) { line("    " + text); };
    put("kind: " + std::string(stretching ? "stretching" : name_of_kind(b.kind)));
    put("mass: " + number(b.mass));
    const Sym3 I = stretching ? stretching->inertia({1, 1, 1}) : b.inertia;
    if (b.kind == BodyKind::planar) {
      put("inertia: " + number(I.zz));
      put(fmt::format("position: [{}, {}]", number(s.position.x), number(s.position.y)));
      put("angle: " + number(2 * portable::atan2(s.orientation.z, s.orientation.w)));
      put(fmt::format("velocity: [{}, {}]", number(s.velocity.x), number(s.velocity.y)));
      put("angular_velocity: " + number(s.angular_velocity.z));
    } else {
      put("position: " + list(s.position));
      if (!(s.velocity == Vec3{})) put("velocity: " + list(s.velocity));
      if (b.kind != BodyKind::particle) {
        put(fmt::format("inertia: [{}, {}, {}, {}, {}, {}]", number(I.xx), number(I.yy), number(I.zz), number(I.xy),
                        number(I.xz), number(I.yz)));
        put("orientation: " + list(s.orientation));
        if (!(s.angular_velocity == Vec3{})) put("angular_velocity: " + list(s.angular_velocity));
      }
      if (b.kind == BodyKind::scalable)
        put(fmt::format("scale: {}", number(s.scale))),
            put(fmt::format("scale_velocity: {}", number(s.scale_velocity)));
      if (stretching) stretches(*stretching, scene_.initial.bodies[b.partner]);
    }
    if (b.collide_group != 0)
      losses_.add(fmt::format("body '{}'", b.name), "", Fate::ignored,
                  "a group of bodies that do not touch each other");
    if (!b.shapes.empty()) put("shapes:");
    for (const Shape& shape : b.shapes) put("  - " + shape_text(shape));
  }
  static std::string_view name_of_kind(BodyKind kind) { return catena::name_of(kind); }

  void joint(const Joint& j) {
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
    line(fmt::format("  {}: {{{}}}", in_quotes(j.name), keys_));
  }

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

  std::string world_point(BodyId body, const Vec3& p) const {
    return list(body_pose(scene_.initial, body)(point_in_frame(model_, scene_.initial, body, p)));
  }

  void forces() {
    if (!model_.forces.empty()) line("forces:");
    for (const ExternalForce& f : model_.forces) {
      std::string text = fmt::format("body: {}, force: {}, torque: {}, point: {}, frame: {}", name_of(f.body),
                                     list(f.force), list(f.torque), list(f.point), f.body_frame ? "body" : "world");
      if (std::isfinite(f.from)) text += ", from: " + number(f.from);
      if (std::isfinite(f.until)) text += ", until: " + number(f.until);
      line("  - {" + text + "}");
    }
    if (!model_.springs.empty()) line("springs:");
    for (const Spring& s : model_.springs)
      line(fmt::format("  - {{between: [{}, {}], anchors: [{}, {}], {}, damping: {}, length: {}}}", name_of(s.a),
                       name_of(s.b), world_point(s.a, s.anchor_a), world_point(s.b, s.anchor_b),
                       s.curve ? "force: " + curve_text(*s.curve) : "stiffness: " + number(s.stiffness),
                       number(s.damping), number(s.length)));
    out_.text += model_.controls.empty() ? actuators_text(model_) : controls_text(model_, losses_);
  }

  void collide() {
    std::string text = fmt::format("adjacent: {}, jointed_ground: {}", model_.collide_adjacent ? "yes" : "no",
                                   model_.collide_jointed_ground ? "yes" : "no");
    std::string pairs;
    for (const auto& [a, b] : model_.collide_exclude)
      pairs += fmt::format("{}[{}, {}]", pairs.empty() ? "" : ", ", name_of(a), name_of(b));
    if (!pairs.empty()) text += fmt::format(", pairs: {{exclude: [{}]}}", pairs);
    line("collide: {" + text + "}");
  }

  void unsaid() {
    const auto lost = [&](const char* what, std::size_t count, bool physics) {
      if (count > 0)
        losses_.add(what, "", Fate::ignored, fmt::format("{} of them are not said in scene files", count), physics);
    };
    lost("contact pairs", model_.contact_pairs.size(), true);
    lost("keyframes", model_.keyframes.size(), false);
  }

  const Scene& scene_;
  const Model& model_;
  WrittenScene out_;
  Losses losses_;
  std::string stem_, keys_;
  std::vector<std::string> material_names_;
};

}  // namespace

WrittenScene write_yaml(const Scene& scene, const std::string& name) { return YamlWriter(scene, name).write(); }

}  // namespace catena
