// Scenes as scene files.
#include <cmath>
#include <set>

#include "catena/convert/writing.h"
#include "catena/convert/yaml_drives.h"
#include "catena/convert/yaml_joints.h"
#include "catena/convert/yaml_words.h"
#include "catena/math/elementary.h"
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
    for (const Joint& joint : model_.joints) line("  " + joint_text(scene_, joint, losses_));
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
  std::string stem_;
  std::vector<std::string> material_names_;
};

}  // namespace

WrittenScene write_yaml(const Scene& scene, const std::string& name) { return YamlWriter(scene, name).write(); }

}  // namespace catena
