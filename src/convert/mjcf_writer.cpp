// Scenes as MJCF: bodies nested by a spanning tree, loops as equalities. Bodies keep the frames their file gave them.
#include <algorithm>
#include <cmath>
#include <set>

#include "catena/convert/mjcf_drives.h"
#include "catena/convert/writing.h"
#include "catena/model/joint_rules.h"

namespace catena {
namespace {

using Attributes = XmlWriter::Attributes;

class MjcfWriter {
 public:
  MjcfWriter(const Scene& scene, const std::string& name)
      : scene_(scene), model_(scene.model), losses_{out_.ledger, name}, tree_(body_tree(scene.model)) {}

  WrittenScene write() {
    refuse_bodies();
    children_.resize(model_.bodies.size() + 1);
    for (std::size_t i = 0; i < tree_.links.size(); ++i)
      children_[static_cast<std::size_t>(tree_.links[i].parent.value() + 1)].push_back(i);
    xml_.open("mujoco", {{"model", model_.name}});
    xml_.leaf("compiler", {{"angle", "radian"}, {"autolimits", "true"}});
    xml_.leaf("option", {{"timestep", number(scene_.settings.step)}, {"gravity", numbers(model_.gravity)}});
    assets();
    xml_.open("worldbody");
    for (const Shape& shape : model_.ground_shapes) geom(shape, {}, "ground");
    sites(kGround, {});
    for (const std::size_t i : children_[0]) body(tree_.links[i], {});
    xml_.close();
    equalities();
    contacts();
    MjcfDrives drives(model_, xml_, losses_);
    drives.tendons();
    drives.actuators();
    xml_.close();
    note_unsaid(model_, losses_);
    unsaid();
    out_.text = xml_.text();
    return std::move(out_);
  }

 private:
  void refuse_bodies() const {
    for (const Body& b : model_.bodies)
      if (b.kind != BodyKind::rigid)
        throw InputError{
            fmt::format("body '{}' is {}, and MJCF has rigid bodies alone", b.name, catena::name_of(b.kind))};
  }

  std::string mesh_name(const Shape* shape) {
    return fmt::format("mesh{}", std::find(meshes_.begin(), meshes_.end(), shape) - meshes_.begin());
  }

  void assets() {
    const auto look = [&](const std::vector<Shape>& shapes) {
      for (const Shape& s : shapes)
        if (std::holds_alternative<Hull>(s.geometry) || std::holds_alternative<Mesh>(s.geometry)) meshes_.push_back(&s);
    };
    look(model_.ground_shapes);
    for (const Body& b : model_.bodies) look(b.shapes);
    if (meshes_.empty()) return;
    xml_.open("asset");
    for (const Shape* s : meshes_) {
      std::string vertices, faces;
      const auto* mesh = std::get_if<Mesh>(&s->geometry);
      for (const Vec3& v : mesh ? mesh->vertices : std::get<Hull>(s->geometry).points)
        vertices += (vertices.empty() ? "" : " ") + numbers(v);
      if (mesh)
        for (const auto& t : mesh->triangles)
          faces += fmt::format("{}{} {} {}", faces.empty() ? "" : " ", t[0], t[1], t[2]);
      xml_.leaf("mesh", {{"name", mesh_name(s)}, {"vertex", vertices}, {"face", faces}});
    }
    xml_.close();
  }

  Pose frame_of(BodyId body) const {
    if (!body.valid()) return {};
    return body_pose(scene_.initial, body) * Pose{model_.bodies[body].origin, {}};
  }

  void body(const BodyTree::Link& link, const Pose& parent) {
    const Body& b = model_.bodies[link.body];
    const BodyState& state = scene_.initial.bodies[link.body];
    const Pose frame = frame_of(link.body), here = inverse(parent) * frame;
    const bool led = is_led(link.body);
    XmlWriter::Attributes own{{"name", b.name}, {"pos", numbers(here.p)}, {"quat", numbers(here.q)}};
    if (led) own.emplace_back("mocap", "true");
    xml_.open("body", own);
    const Sym3& I = b.inertia;
    xml_.leaf("inertial", {{"pos", numbers(-b.origin)},
                           {"mass", number(b.mass)},
                           {"fullinertia", fmt::format("{} {} {} {} {} {}", number(I.xx), number(I.yy), number(I.zz),
                                                       number(I.xy), number(I.xz), number(I.yz))}});
    if (link.joint.valid()) joint(link, frame);
    else if (!led) xml_.leaf("freejoint", {{"name", "free_" + b.name}});
    if (!(state.velocity == Vec3{}) || !(state.angular_velocity == Vec3{}))
      losses_.add(fmt::format("body '{}'", b.name), "velocity", Fate::ignored, "a model in MJCF starts at rest");
    for (const Shape& shape : b.shapes) geom(shape, -b.origin, b.name);
    sites(link.body, -b.origin);
    for (const std::size_t i : children_[link.body + 1]) body(tree_.links[i], frame);
    xml_.close();
  }

  bool is_led(BodyId body) const {
    const std::vector<JointId> guided = guided_joints(model_);
    return std::any_of(guided.begin(), guided.end(), [&](JointId id) { return model_.joints[id].b == body; });
  }

  void joint(const BodyTree::Link& link, const Pose& frame) {
    const Joint& j = model_.joints[link.joint];
    const JointExtras& e = model_.extras_of(j);
    if (e.compliance != 0 || e.relaxation != 0)
      losses_.add(fmt::format("joint '{}'", j.name), "compliance", Fate::ignored, "joints of a tree are rigid");
    const Pose back = inverse(frame);
    if (j.kind == JointKind::ball) {
      Attributes a{{"name", j.name}, {"type", "ball"}, {"pos", numbers(back(joint_frame(scene_, j, true).p))}};
      add_mjcf_law(e.damping, e.stiffness, 0, e.friction, e.armature[0], a);
      if (e.limits && e.limits->cone < 1e299) {
        a.emplace_back("range", fmt::format("0 {}", number(e.limits->cone)));
        if (e.limits->upper != e.limits->cone || e.limits->lower != -e.limits->cone)
          losses_.add(fmt::format("joint '{}'", j.name), "limits", Fate::approximated,
                      "one angle bounds cone and twist");
      } else if (e.limits) {
        losses_.add(fmt::format("joint '{}'", j.name), "limits", Fate::ignored, "a twist without a cone");
      }
      return xml_.leaf("joint", a);
    }
    std::vector<Freedom> freedoms = *as_freedoms(scene_, j);
    if (link.reversed) freedoms = reversed(freedoms);
    for (const Freedom& f : freedoms) {
      Attributes a{{"name", f.name},
                   {"type", f.slides ? "slide" : "hinge"},
                   {"pos", numbers(back(f.anchor))},
                   {"axis", numbers(rotate(back.q, f.axis))}};
      if (f.start != 0) a.emplace_back("ref", number(f.start));
      if (f.limits && f.limits->lower == f.limits->upper) held_.emplace_back(f.name, f.limits->lower - f.start);
      else if (f.limits && (f.limits->lower > -1e299 || f.limits->upper < 1e299))
        a.emplace_back("range", fmt::format("{} {}", number(f.limits->lower), number(f.limits->upper)));
      if (f.limits && f.limits->restitution != 0)
        losses_.add(fmt::format("joint '{}'", f.name), "restitution", Fate::ignored, "limits do not bounce");
      add_mjcf_law(f.damping, f.stiffness, f.rest, f.friction, f.armature, a);
      xml_.leaf("joint", a);
    }
  }

  void geom(const Shape& shape, const Vec3& shift, const std::string& owner) {
    Attributes a;
    Vec3 at = shape.position + shift;
    Quat q = shape.orientation;
    if (const auto* s = std::get_if<Sphere>(&shape.geometry)) a = {{"type", "sphere"}, {"size", number(s->radius)}};
    else if (const auto* b = std::get_if<Box>(&shape.geometry))
      a = {{"type", "box"}, {"size", numbers(0.5 * b->sides)}};
    else if (const auto* c = std::get_if<Capsule>(&shape.geometry))
      a = {{"type", "capsule"}, {"size", fmt::format("{} {}", number(c->radius), number(c->length / 2))}};
    else if (const auto* y = std::get_if<Cylinder>(&shape.geometry))
      a = {{"type", "cylinder"}, {"size", fmt::format("{} {}", number(y->radius), number(y->length / 2))}};
    else if (const auto* p = std::get_if<Plane>(&shape.geometry)) {
      a = {{"type", "plane"}, {"size", "0 0 1"}};
      at = p->offset * p->normal;
      q = from_matrix(frame_along(p->normal));
    } else if (std::holds_alternative<Point>(shape.geometry)) {
      a = {{"type", "sphere"}, {"size", "1e-6"}};
      losses_.add(owner, "shape", Fate::approximated, "a contact point is a sphere of a micrometre");
    } else {
      a = {{"type", "mesh"}, {"mesh", mesh_name(&shape)}};
      if (shape.collide && std::holds_alternative<Mesh>(shape.geometry))
        losses_.add(owner, "shape", Fate::approximated, "a mesh collides as its convex hull");
    }
    a.emplace_back("pos", numbers(at));
    a.emplace_back("quat", numbers(q));
    surface(shape, owner, a);
    xml_.leaf("geom", a);
  }

  void surface(const Shape& shape, const std::string& owner, Attributes& a) {
    a.emplace_back("contype", fmt::format("{}", shape.collide ? shape.category : 0));
    a.emplace_back("conaffinity", fmt::format("{}", shape.collide ? shape.mask : 0));
    if (!shape.collide) a.emplace_back("group", "2");
    if (shape.color)
      a.emplace_back("rgba", fmt::format("{} {} {} {}", (*shape.color)[0], (*shape.color)[1], (*shape.color)[2],
                                         (*shape.color)[3]));
    if (!shape.collide) return;
    const Material& m = model_.materials[static_cast<std::size_t>(shape.material)];
    a.emplace_back("friction", fmt::format("{} {} {}", number(m.friction), number(m.torsion), number(m.rolling)));
    a.emplace_back("condim", !m.slides_with_friction ? "1" : m.rolling > 0 ? "6" : m.torsion > 0 ? "4" : "3");
    if (m.priority != 0) a.emplace_back("priority", fmt::format("{}", m.priority));
    if (!seen_.insert(shape.material).second) return;
    if (m.restitution != 0) losses_.add(owner, "restitution", Fate::ignored, "MJCF has none; contacts do not bounce");
    if (m.grain) losses_.add(owner, "friction", Fate::approximated, "the mean of its directions");
    if (!m.combine_by_maximum && model_.materials.size() > 1)
      losses_.add(owner, "friction", Fate::approximated, "pairs take the larger coefficient, not the geometric mean");
  }

  void sites(BodyId body, const Vec3& shift) {
    for (const Site& s : model_.sites)
      if (s.body == body)
        xml_.leaf("site", {{"name", s.name}, {"pos", numbers(s.position + shift)}, {"quat", numbers(s.orientation)}});
  }

  std::string name_of(BodyId body) const { return body.valid() ? model_.bodies[body].name : "world"; }

  void equalities() {
    if (tree_.loops.empty() && held_.empty()) return;
    xml_.open("equality");
    for (const JointId id : tree_.loops) equality(model_.joints[id]);
    // MJCF refuses limits that are equal; what they say is that the coordinate stays.
    for (const auto& [name, offset] : held_)
      xml_.leaf("joint", {{"joint1", name}, {"polycoef", number(offset) + " 0 0 0 0"}});
    xml_.close();
  }

  // Two points of its axis hold a hinge; one of their six rows only repeats the others.
  void equality(const Joint& j) {
    const std::string element = fmt::format("joint '{}'", j.name);
    if (j.kind == JointKind::coupling) return couple(j);
    if (const auto& moves = model_.extras_of(j).moves) {
      if (moves->guide >= 0) return;  // said by its body
      losses_.add(element, "moves", Fate::ignored, "its frame stands still");
    }
    const Pose a = joint_frame(scene_, j, false), b = joint_frame(scene_, j, true);
    if (norm(a.p - b.p) > 1e-6)
      losses_.add(element, "anchor", Fate::approximated, "held as the bodies stand at the start, where it is open");
    // MJCF gives the anchor in the frame of the first body, which the world must not be: there the second comes first.
    const BodyId one = j.a.valid() ? j.a : j.b, two = j.a.valid() ? j.b : j.a;
    const Pose back = inverse(frame_of(one));
    const auto connect = [&](const std::string& name, const Vec3& at) {
      xml_.leaf("connect",
                {{"name", name}, {"body1", name_of(one)}, {"body2", name_of(two)}, {"anchor", numbers(back(at))}});
    };
    if (j.kind == JointKind::ball) return connect(j.name, b.p);
    if (j.kind == JointKind::weld)
      return xml_.leaf("weld", {{"name", j.name}, {"body1", name_of(one)}, {"body2", name_of(two)}});
    if (j.kind == JointKind::hinge) {
      connect(j.name, b.p);
      return connect(j.name + "_axis", b.p + 0.1 * rotate(b.q, Vec3{0, 0, 1}));
    }
    losses_.add(element, "", Fate::ignored,
                fmt::format("MJCF has no {} to close a loop with", catena::name_of(j.kind)));
  }

  void couple(const Joint& j) {
    for (const CouplingRow& row : model_.extras_of(j).rows) {
      const std::optional<PolynomialCoupling> p = as_polynomial(model_, row);
      if (!p) {
        losses_.add(fmt::format("joint '{}'", j.name), "", Fate::ignored,
                    "a coupling other than a polynomial of two coordinates");
        continue;
      }
      std::string a;
      for (const double x : p->a) a += (a.empty() ? "" : " ") + number(x);
      xml_.leaf("joint", {{"name", j.name},
                          {"joint1", coordinate_name(model_.joints[p->y], p->y_coordinate)},
                          {"joint2", p->x.valid() ? coordinate_name(model_.joints[p->x], p->x_coordinate) : ""},
                          {"polycoef", a}});
    }
  }

  void contacts() {
    if (model_.collide_adjacent)
      losses_.add("collide", "adjacent", Fate::ignored, "bodies joined to each other do not touch in MJCF");
    if (!model_.collide_jointed_ground && !model_.ground_shapes.empty())
      losses_.add("collide", "", Fate::approximated, "bodies joined to the ground may touch it in MJCF");
    if (!model_.contact_pairs.empty()) losses_.add("contact pairs", "", Fate::ignored, "are not written");
    if (model_.collide_exclude.empty()) return;
    xml_.open("contact");
    for (const auto& [a, b] : model_.collide_exclude)
      xml_.leaf("exclude", {{"body1", name_of(a)}, {"body2", name_of(b)}});
    xml_.close();
  }

  void unsaid() {
    if (!model_.sensors.empty()) losses_.add("sensors", "", Fate::ignored, "are not written", false);
    if (!model_.keyframes.empty()) losses_.add("keyframes", "", Fate::ignored, "are not written", false);
  }

  const Scene& scene_;
  const Model& model_;
  WrittenScene out_;
  Losses losses_;
  XmlWriter xml_;
  BodyTree tree_;
  std::vector<std::vector<std::size_t>> children_;  // of the world, then of every body: into tree_.links
  std::vector<const Shape*> meshes_;
  std::vector<std::pair<std::string, double>> held_;  // coordinates that cannot move, and where from the start
  std::set<int> seen_;                                // materials whose losses have been said
};

}  // namespace

WrittenScene write_mjcf(const Scene& scene, const std::string& name) { return MjcfWriter(scene, name).write(); }

}  // namespace catena
