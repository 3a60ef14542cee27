// Scenes as URDF. A link's frame lies in the joint it hangs from, with the axes of its body; coordinates count from the start. Joints of
// several hinges and slides become a chain of links without mass, which the reader takes for one joint again.
#include <algorithm>
#include <cmath>
#include <set>

#include "catena/convert/writing.h"
#include "catena/model/convex_hull.h"

namespace catena {
namespace {

using Attributes = XmlWriter::Attributes;

class UrdfWriter {
 public:
  UrdfWriter(const Scene& scene, const std::string& name)
      : scene_(scene), model_(scene.model), losses_{out_.ledger, name}, tree_(body_tree(scene.model)) {
    stem_ = std::filesystem::path(name).stem().string();
  }

  WrittenScene write() {
    for (const Body& b : model_.bodies) {
      if (b.kind != BodyKind::rigid)
        throw InputError{
            fmt::format("body '{}' is {}, and URDF has rigid bodies alone", b.name, catena::name_of(b.kind))};
      names_.insert(b.name);
    }
    world_ = unique("world");
    frames_.resize(model_.bodies.size());
    xml_.open("robot", {{"name", model_.name.empty() ? "robot" : model_.name}});
    xml_.open("link", {{"name", world_}});
    for (const Shape& shape : model_.ground_shapes) this->shape(shape, {}, "ground");
    xml_.close();
    for (const BodyTree::Link& link : tree_.links) place(link);
    for (const JointId id : tree_.loops) loop(model_.joints[id]);
    xml_.close();
    note_unsaid(model_, losses_);
    unsaid();
    out_.text = xml_.text();
    return std::move(out_);
  }

 private:
  std::string unique(std::string name) {
    while (!names_.insert(name).second) name += "_";
    return name;
  }

  Pose frame_of(BodyId body) const { return body.valid() ? frames_[body] : Pose{}; }
  std::string name_of(BodyId body) const { return body.valid() ? model_.bodies[body].name : world_; }

  void origin(const Pose& p) {
    if (p.p == Vec3{} && p.q == Quat{}) return;
    xml_.leaf("origin", {{"xyz", numbers(p.p)}, {"rpy", numbers(roll_pitch_yaw(p.q))}});
  }

  void place(const BodyTree::Link& link) {
    const Pose com = body_pose(scene_.initial, link.body);
    if (!link.joint.valid()) {
      frames_[link.body] = com * Pose{model_.bodies[link.body].origin, {}};
      this->link(link.body);
      return joint_element("free_" + name_of(link.body), "floating", world_, {}, name_of(link.body), frames_[link.body],
                           nullptr, nullptr);
    }
    const Joint& j = model_.joints[link.joint];
    const JointExtras& e = model_.extras_of(j);
    if (e.compliance != 0 || e.relaxation != 0)
      losses_.add(fmt::format("joint '{}'", j.name), "compliance", Fate::ignored, "joints are rigid");
    if (j.kind == JointKind::ball) return place_ball(link, j, com);
    std::vector<Freedom> freedoms = *as_freedoms(scene_, j);
    if (link.reversed) freedoms = reversed(freedoms);
    std::string parent = name_of(link.parent);
    Pose frame = frame_of(link.parent);
    if (freedoms.empty()) {
      frames_[link.body] = {joint_frame(scene_, j, true).p, com.q};
      this->link(link.body);
      return joint_element(j.name, "fixed", parent, frame, name_of(link.body), frames_[link.body], nullptr, nullptr);
    }
    for (std::size_t k = 0; k < freedoms.size(); ++k) {
      const Freedom& f = freedoms[k];
      const bool last = k + 1 == freedoms.size();
      const Pose here{f.anchor, com.q};
      const std::string name = last ? name_of(link.body) : unique(f.name + "_link");
      if (last) {
        frames_[link.body] = here;
        this->link(link.body);
      } else {
        xml_.leaf("link", {{"name", name}});
      }
      const bool bounded = f.limits && f.limits->lower > -1e299 && f.limits->upper < 1e299;
      if (f.limits && !bounded)
        losses_.add(fmt::format("joint '{}'", f.name), "limits", Fate::ignored, "URDF has two bounds or none");
      joint_element(f.name,
                    f.slides  ? "prismatic"
                    : bounded ? "revolute"
                              : "continuous",
                    parent, frame, name, here, &f, &link);
      parent = name;
      frame = here;
    }
  }

  void place_ball(const BodyTree::Link& link, const Joint& j, const Pose& com) {
    const JointExtras& e = model_.extras_of(j);
    const std::string element = fmt::format("joint '{}'", j.name);
    losses_.add(element, "", Fate::used, "written as a joint of type spherical, which is no part of URDF's standard");
    if (e.damping != 0 || e.stiffness != 0 || e.friction != 0 || e.armature[0] != 0 || e.limits)
      losses_.add(element, "", Fate::ignored, "limits, damping, stiffness, friction and armature of a ball joint");
    frames_[link.body] = {joint_frame(scene_, j, true).p, com.q};
    this->link(link.body);
    joint_element(j.name, "spherical", name_of(link.parent), frame_of(link.parent), name_of(link.body),
                  frames_[link.body], nullptr, nullptr);
  }

  double effort_of(const std::string& name) const {
    for (const Control& c : model_.controls)
      if (c.joint.valid() && coordinate_name(model_.joints[c.joint], c.coordinate) == name &&
          std::isfinite(c.force_upper))
        return c.force_upper;
    for (const Actuator& a : model_.actuators)
      if (coordinate_name(model_.joints[a.joint], a.coordinate) == name && std::isfinite(a.limit)) return a.limit;
    return 1e6;
  }

  void joint_element(const std::string& name, const std::string& type, const std::string& parent,
                     const Pose& parent_frame, const std::string& child, const Pose& child_frame, const Freedom* f,
                     const BodyTree::Link* link) {
    xml_.open("joint", {{"name", name}, {"type", type}});
    origin(inverse(parent_frame) * child_frame);
    xml_.leaf("parent", {{"link", parent}});
    xml_.leaf("child", {{"link", child}});
    if (f != nullptr) {
      xml_.leaf("axis", {{"xyz", numbers(rotate(child_frame.q.conjugate(), f->axis))}});
      Attributes limit;
      if (type == "revolute" || type == "prismatic") {
        const double lower = f->limits ? f->limits->lower : -1e300, upper = f->limits ? f->limits->upper : 1e300;
        limit = {{"lower", number(std::max(lower, -1e6) - f->start)},
                 {"upper", number(std::min(upper, 1e6) - f->start)}};
      }
      limit.emplace_back("effort", number(effort_of(name)));
      limit.emplace_back("velocity", "1e6");
      xml_.leaf("limit", limit);
      if (f->damping != 0 || f->friction != 0)
        xml_.leaf("dynamics", {{"damping", number(f->damping)}, {"friction", number(f->friction)}});
      mimic(name);
      losses_of(*f);
    }
    (void)link;
    xml_.close();
  }

  void losses_of(const Freedom& f) {
    const std::string element = fmt::format("joint '{}'", f.name);
    if (f.stiffness != 0) losses_.add(element, "stiffness", Fate::ignored, "URDF has no springs");
    if (f.armature != 0) losses_.add(element, "armature", Fate::ignored, "URDF has no rotor inertia");
    if (f.start != 0) losses_.add(element, "start", Fate::approximated, "the coordinate counts from the start", false);
    if (f.limits && f.limits->restitution != 0)
      losses_.add(element, "restitution", Fate::ignored, "limits do not bounce");
  }

  // A straight line between two coordinates that begins where they start.
  std::optional<PolynomialCoupling> line(const CouplingRow& row) const {
    const std::optional<PolynomialCoupling> p = as_polynomial(model_, row);
    if (!p || !p->x.valid() || p->a[2] != 0 || p->a[3] != 0 || p->a[4] != 0) return {};
    return p;
  }

  void mimic(const std::string& name) {
    for (const Joint& j : model_.joints)
      for (const CouplingRow& row : model_.extras_of(j).rows)
        if (const auto p = line(row); p && coordinate_name(model_.joints[p->y], p->y_coordinate) == name)
          xml_.leaf("mimic", {{"joint", coordinate_name(model_.joints[p->x], p->x_coordinate)},
                              {"multiplier", number(p->a[1])},
                              {"offset", number(p->a[0])}});
  }

  void link(BodyId body) {
    const Body& b = model_.bodies[body];
    const BodyState& state = scene_.initial.bodies[body];
    const Pose here = inverse(frames_[body]) * body_pose(scene_.initial, body);
    if (!(state.velocity == Vec3{}) || !(state.angular_velocity == Vec3{}))
      losses_.add(fmt::format("body '{}'", b.name), "velocity", Fate::ignored, "a robot in URDF starts at rest");
    xml_.open("link", {{"name", b.name}});
    xml_.open("inertial");
    xml_.leaf("origin", {{"xyz", numbers(here.p)}});
    xml_.leaf("mass", {{"value", number(b.mass)}});
    const Sym3& I = b.inertia;
    xml_.leaf("inertia", {{"ixx", number(I.xx)},
                          {"ixy", number(I.xy)},
                          {"ixz", number(I.xz)},
                          {"iyy", number(I.yy)},
                          {"iyz", number(I.yz)},
                          {"izz", number(I.zz)}});
    xml_.close();
    for (const Shape& s : b.shapes) shape(s, here.p, b.name);
    xml_.close();
  }

  void shape(const Shape& s, const Vec3& shift, const std::string& owner) {
    if (std::holds_alternative<Plane>(s.geometry) || std::holds_alternative<Point>(s.geometry))
      return losses_.add(owner, "shape", Fate::ignored, "URDF has no planes or points");
    xml_.open(s.collide ? "collision" : "visual");
    origin({s.position + shift, s.orientation});
    xml_.open("geometry");
    if (const auto* b = std::get_if<Box>(&s.geometry)) xml_.leaf("box", {{"size", numbers(b->sides)}});
    else if (const auto* o = std::get_if<Sphere>(&s.geometry)) xml_.leaf("sphere", {{"radius", number(o->radius)}});
    else if (const auto* c = std::get_if<Cylinder>(&s.geometry))
      xml_.leaf("cylinder", {{"radius", number(c->radius)}, {"length", number(c->length)}});
    else if (const auto* p = std::get_if<Capsule>(&s.geometry))
      xml_.leaf("capsule", {{"radius", number(p->radius)}, {"length", number(p->length)}});
    else mesh(s, owner);
    xml_.close();
    if (s.color) {
      xml_.open("material", {{"name", fmt::format("color{}", colors_++)}});
      xml_.leaf("color",
                {{"rgba", fmt::format("{} {} {} {}", (*s.color)[0], (*s.color)[1], (*s.color)[2], (*s.color)[3])}});
      xml_.close();
    }
    xml_.close();
  }

  void mesh(const Shape& s, const std::string& owner) {
    Mesh mesh;
    if (const auto* m = std::get_if<Mesh>(&s.geometry)) {
      mesh = *m;
      if (s.collide) losses_.add(owner, "shape", Fate::approximated, "a mesh collides as its convex hull");
    } else {
      mesh.vertices = std::get<Hull>(s.geometry).points;
      mesh.triangles = convex_hull(mesh.vertices);
    }
    const std::string file = fmt::format("{}_mesh{}.obj", stem_, out_.files.size());
    out_.files.push_back({file, obj_text(mesh)});
    xml_.leaf("mesh", {{"filename", file}});
  }

  // A link that hangs from a second joint closes a loop.
  void loop(const Joint& j) {
    const std::string element = fmt::format("joint '{}'", j.name);
    if (j.kind == JointKind::coupling) {
      for (const CouplingRow& row : model_.extras_of(j).rows)
        if (!line(row))
          losses_.add(element, "", Fate::ignored, "a coupling other than a straight line between two coordinates");
      return;
    }
    const char* type = j.kind == JointKind::hinge  ? "continuous"
                     : j.kind == JointKind::slider ? "prismatic"
                     : j.kind == JointKind::weld   ? "fixed"
                     : j.kind == JointKind::ball   ? "spherical"
                                                   : nullptr;
    if (type == nullptr || !j.b.valid()) {
      const BodyId other = j.a;
      if (type == nullptr || !other.valid())
        return losses_.add(element, "", Fate::ignored, fmt::format("URDF has no {} joint", catena::name_of(j.kind)));
    }
    const BodyId parent = j.b.valid() ? j.a : j.b, child = j.b.valid() ? j.b : j.a;
    const Pose b = joint_frame(scene_, j, true), here{b.p, frame_of(child).q};
    if (j.kind == JointKind::ball)
      losses_.add(element, "", Fate::used, "written as a joint of type spherical, which is no part of URDF's standard");
    Freedom f;
    f.axis = rotate(b.q, Vec3{0, 0, 1});
    f.name = j.name;
    joint_element(j.name, type, name_of(parent), frame_of(parent), name_of(child), here,
                  j.kind == JointKind::weld || j.kind == JointKind::ball ? nullptr : &f, nullptr);
  }

  void unsaid() {
    for (const Material& m : model_.materials)
      if (&m != &model_.materials.front() || m.friction != Material{}.friction || m.restitution != 0) {
        losses_.add("materials", "", Fate::ignored, "URDF says nothing of surfaces");
        break;
      }
    if (norm(model_.gravity - Vec3{0, 0, -9.81}) > 0)
      losses_.add("gravity", "", Fate::ignored, "URDF has none; it is (0, 0, -9.81)");
    for (const Actuator& a : model_.actuators)
      if (a.kind != Actuator::Kind::torque)
        losses_.add(fmt::format("actuator of '{}'", model_.joints[a.joint].name), "", Fate::ignored,
                    "URDF has no servos");
    const auto lost = [&](const char* what, std::size_t count, bool physics) {
      if (count > 0) losses_.add(what, "", Fate::ignored, "are not said in URDF", physics);
    };
    lost("tendons", model_.tendons.size(), true);
    lost("contact pairs", model_.contact_pairs.size(), true);
    lost("excluded pairs", model_.collide_exclude.size(), true);
    lost("sites", model_.sites.size(), false);
    lost("sensors", model_.sensors.size(), false);
    lost("keyframes", model_.keyframes.size(), false);
  }

  const Scene& scene_;
  const Model& model_;
  WrittenScene out_;
  Losses losses_;
  XmlWriter xml_;
  BodyTree tree_;
  std::string stem_, world_;
  std::set<std::string> names_;
  std::vector<Pose> frames_;  // of the links, in the world   (n_body)
  int colors_ = 0;
};

}  // namespace

WrittenScene write_urdf(const Scene& scene, const std::string& name) { return UrdfWriter(scene, name).write(); }

}  // namespace catena
