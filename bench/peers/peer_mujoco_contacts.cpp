// MuJoCo's contacts: Newton's method on its convex, soft contact model, elliptic cones, as stiff as the step allows
// (solref 2h); joints are in its coordinates and have no gap.

#include "contact_scene.h"
#include "mujoco_model.h"

namespace {

using namespace peers;

struct Quaternion {
  double w, x, y, z;
};
Quaternion conjugate(const double* q) { return {q[0], -q[1], -q[2], -q[3]}; }
Quaternion times(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
Vec rotate(const Quaternion& q, const Vec& v) {
  const Quaternion r = times(times(q, {0, v.x, v.y, v.z}), {q.w, -q.x, -q.y, -q.z});
  return {r.x, r.y, r.z};
}
Vec minus(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

class Text {
 public:
  explicit Text(const PlainScene& scene, double h) : scene_(scene), children_(scene.bodies.size()) {
    out_.precision(17);
    std::vector<bool> hangs(scene.bodies.size(), false);
    for (const PlainJoint& j : scene.joints) {
      children_[static_cast<std::size_t>(j.first)].push_back(&j);
      hangs[static_cast<std::size_t>(j.second)] = true;
    }
    const std::size_t contacts = 200 + 12 * scene.bodies.size();
    out_ << "<mujoco><option timestep='" << h << "' gravity='0 0 " << -kGravity
         << "' cone='elliptic' jacobian='sparse'/><size nconmax='" << contacts << "' njmax='" << 3 * contacts
         << "'/><default><geom friction='" << scene.friction << " 0.005 0.0001' solref='" << 2 * h
         << " 1'/></default><worldbody>";
    for (const PlainShape& s : scene.fixed) geom(s, s.position, {s.q[0], s.q[1], s.q[2], s.q[3]});
    for (const PlainPlane& p : scene.planes)
      out_ << "<geom type='plane' size='0 0 1' pos='" << p.offset * p.normal.x << " " << p.offset * p.normal.y << " "
           << p.offset * p.normal.z << "' zaxis='" << p.normal.x << " " << p.normal.y << " " << p.normal.z << "'/>";
    for (std::size_t i = 0; i < scene.bodies.size(); ++i)
      if (!hangs[i]) body(static_cast<int>(i), nullptr);
    out_ << "</worldbody></mujoco>";
  }
  std::string text() const { return out_.str(); }

 private:
  void geom(const PlainShape& s, const Vec& p, const Quaternion& q) {
    out_ << "<geom type='" << s.kind << "' size='";
    if (s.kind == "box") out_ << s.a / 2 << " " << s.b / 2 << " " << s.c / 2;
    else if (s.kind == "sphere") out_ << s.a;
    else out_ << s.a << " " << s.b / 2;
    out_ << "' pos='" << p.x << " " << p.y << " " << p.z << "' quat='" << q.w << " " << q.x << " " << q.y << " " << q.z
         << "'/>";
  }
  void body(int i, const PlainJoint* joint) {
    const PlainBody& b = scene_.bodies[static_cast<std::size_t>(i)];
    Vec p = b.shape.position;
    Quaternion q{b.shape.q[0], b.shape.q[1], b.shape.q[2], b.shape.q[3]};
    const Quaternion own = conjugate(b.shape.q);
    if (joint) {
      const PlainShape& above = scene_.bodies[static_cast<std::size_t>(joint->first)].shape;
      p = rotate(conjugate(above.q), minus(p, above.position));
      q = times(conjugate(above.q), q);
    }
    out_ << "<body pos='" << p.x << " " << p.y << " " << p.z << "' quat='" << q.w << " " << q.x << " " << q.y << " "
         << q.z << "'><inertial pos='0 0 0' mass='" << b.mass << "' diaginertia='" << b.inertia.x << " " << b.inertia.y
         << " " << b.inertia.z << "'/>";
    if (joint) {
      const Vec at = rotate(own, minus(joint->anchor, b.shape.position)), axis = rotate(own, joint->axis);
      out_ << "<joint type='" << (joint->hinge ? "hinge" : "ball") << "' pos='" << at.x << " " << at.y << " " << at.z;
      if (joint->hinge) out_ << "' axis='" << axis.x << " " << axis.y << " " << axis.z;
      out_ << "'/>";
    } else {
      out_ << "<freejoint/>";
    }
    geom(b.shape, {0, 0, 0}, {1, 0, 0, 0});
    for (const PlainJoint* below : children_[static_cast<std::size_t>(i)]) body(below->second, below);
    out_ << "</body>";
  }

  const PlainScene& scene_;
  std::vector<std::vector<const PlainJoint*>> children_;
  std::ostringstream out_;
};

class World {
 public:
  World(const PlainScene& scene, double h) {
    model_ = load_mujoco(Text(scene, h).text());
    data_ = mj_makeData(model_);
  }
  ~World() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step() { mj_step(model_, data_); }
  double overlap() const {
    double deepest = 0;
    for (int i = 0; i < data_->ncon; ++i) deepest = std::max(deepest, -data_->contact[i].dist);
    return deepest;
  }
  double gap() const { return 0; }
  double speed() const {
    double most = 0;
    for (int i = 1; i < model_->nbody; ++i) {
      double v[6];
      mj_objectVelocity(model_, data_, mjOBJ_BODY, i, v, 0);
      most = std::max(most, std::sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]));
    }
    return most;
  }

 private:
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 1;
  report_contacts<World>("", argv);
}
