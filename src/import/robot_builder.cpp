#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <set>

#include "catena/import/robot.h"
#include "catena/math/scalar.h"
#include "catena/model/placement.h"
#include "catena/model/validate.h"

namespace catena {
namespace {

using Kind = RobotJoint::Kind;

Sym3 point_inertia(double m, const Vec3& d) {
  const double x = d.x * d.x, y = d.y * d.y, z = d.z * d.z;
  return {m * (y + z), m * (x + z), m * (x + y), -m * d.x * d.y, -m * d.x * d.z, -m * d.y * d.z};
}

// See Robot::mend_inertias; the inertia as it is where nothing is wrong with it.
Sym3 mended(const MassProperties& body) {
  const Sym3& I = body.inertia;
  Eigen::Matrix3d m;
  m << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(m);
  const Eigen::Vector3d& e = solver.eigenvalues();
  if (e[0] > 1e-12 * e[2]) return I;
  const double ball = 0.4 * body.mass * 1e-4;
  if (!(e[2] > 0)) return Sym3::diagonal(ball, ball, ball);
  const Eigen::Matrix3d out =
      solver.eigenvectors() * e.cwiseMax(1e-3 * e[2]).asDiagonal() * solver.eigenvectors().transpose();
  return {out(0, 0), out(1, 1), out(2, 2), out(0, 1), out(0, 2), out(1, 2)};
}

class Builder {
 public:
  Builder(const Robot& robot, const XmlTree& tree) : robot_(robot), tree_(tree) {}

  BuiltRobot build() {
    Model& model = out_.scene.model;
    model.name = robot_.name;
    model.gravity = robot_.gravity;
    model.materials = robot_.materials;
    model.collide_jointed_ground = true;
    place();
    carry();
    add_bodies();
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i)
      if (robot_.bodies[i].guided) lead(static_cast<int>(i));
      else if (robot_.bodies[i].moves()) add_joints(static_cast<int>(i));
    add_sites();
    return std::move(out_);
  }

 private:
  const RobotBody& body(int i) const { return robot_.bodies[at(i)]; }

  void place() {
    for (const RobotBody& b : robot_.bodies)
      out_.world.push_back(b.parent >= 0 ? out_.world[at(b.parent)] * b.pose : b.pose);
  }

  // carrier_[i]: the RobotBody whose joints move i; −1 for the world.
  void carry() {
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i) {
      const RobotBody& b = robot_.bodies[i];
      carrier_.push_back(b.moves() ? static_cast<int>(i) : b.parent < 0 ? -1 : carrier_[at(b.parent)]);
    }
    whole_.resize(robot_.bodies.size());
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i)
      if (carrier_[i] >= 0)
        add_mass(whole_[at(carrier_[i])],
                 moved(inverse(out_.world[at(carrier_[i])]) * out_.world[i], robot_.bodies[i].inertial));
  }

  std::string unique(const std::string& name, std::set<std::string>& taken, const char* kind) {
    std::string word = name.empty() ? fmt::format("{}{}", kind, taken.size() + 1) : name;
    if (word == "ground") word = "ground_";
    for (int k = 2; !taken.insert(word).second; ++k) word = fmt::format("{}_{}", name.empty() ? kind : name, k);
    return word;
  }

  void add_bodies() {
    out_.body_of.assign(robot_.bodies.size(), kGround);
    out_.frame_in_body.resize(robot_.bodies.size());
    out_.shape_of.resize(robot_.bodies.size());
    Model& model = out_.scene.model;
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i) {
      const RobotBody& b = robot_.bodies[i];
      if (!b.moves()) continue;
      MassProperties& m = whole_[i];
      // The weight of what is led by hand moves nothing.
      if (b.guided && !(m.mass > 0)) m = {1, {}, Sym3::diagonal(1e-2, 1e-2, 1e-2)};
      if (!(m.mass > 0))
        refuse(b.node,
               fmt::format("body '{}' moves but has no mass; give it an inertial or geoms with a density", b.name));
      if (const Sym3 better = mended(m); robot_.mend_inertias && !(better == m.inertia)) {
        m.inertia = better;
        out_.mended.push_back(static_cast<int>(i));
      }
      BodySpec spec{.name = unique(b.name, body_names_, "body"), .mass = m.mass, .inertia = m.inertia};
      spec.position = out_.world[i](m.centre);
      spec.orientation = out_.world[i].q;
      out_.body_of[i] = append_body(model, out_.scene.initial, spec);
      model.bodies.back().origin = -m.centre;
    }
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i) add_shapes(static_cast<int>(i));
  }

  void add_shapes(int i) {
    const int c = carrier_[at(i)];
    out_.body_of[at(i)] = c >= 0 ? out_.body_of[at(c)] : kGround;
    Pose frame = out_.world[at(i)];
    if (c >= 0) {
      frame = inverse(out_.world[at(c)]) * frame;
      frame.p -= whole_[at(c)].centre;
    }
    out_.frame_in_body[at(i)] = frame;
    Model& model = out_.scene.model;
    for (const RobotShape& s : body(i).shapes) {
      Shape shape = s.shape;
      const Pose pose = frame * Pose{shape.position, shape.orientation};
      shape.position = pose.p;
      shape.orientation = pose.q;
      if (auto* plane = std::get_if<Plane>(&shape.geometry)) {
        if (c >= 0)
          refuse(body(i).node, fmt::format("a plane belongs to the world, and body '{}' moves", body(i).name));
        plane->normal = rotate(pose.q, plane->normal);
        plane->offset = dot(plane->normal, pose.p);
        shape.position = {};
        shape.orientation = {};
      }
      std::vector<Shape>& list = c >= 0 ? model.bodies[out_.body_of[at(i)]].shapes : model.ground_shapes;
      out_.shape_of[at(i)].push_back(static_cast<int>(list.size()));
      list.push_back(std::move(shape));
    }
  }

  // A weld to the ground whose frame goes where it is told to. Two bodies of which neither is moved by forces do not touch.
  void lead(int i) {
    const RobotBody& b = body(i);
    const BodyId id = out_.body_of[at(i)];
    JointSpec spec{.name = unique(b.name, joint_names_, "mocap"), .kind = JointKind::weld, .primary = false};
    spec.anchor = out_.world[at(i)].p;
    spec.extras.moves.emplace().guide = 0;
    append(spec, kGround, id, b.node);
    out_.scene.model.collide_exclude.emplace_back(kGround, id);
    for (int j = 0; j < i; ++j)
      if (body(j).guided) out_.scene.model.collide_exclude.emplace_back(out_.body_of[at(j)], id);
  }

  void add_joints(int i) {
    const RobotBody& b = body(i);
    const BodyId child = out_.body_of[at(i)];
    const BodyId parent = b.parent < 0 ? kGround : out_.body_of[at(b.parent)];
    const Pose& world = out_.world[at(i)];
    JointSpec spec;
    spec.anchor = world.p;
    const RobotJoint& first = b.joints.front();
    if (b.joints.size() > 1) {
      spec.kind = JointKind::compound;
      spec.anchor = world(first.anchor);
      spec.axis = rotate(world.q, Vec3{0, 0, 1});
    }
    std::string name;
    for (const RobotJoint& j : b.joints) {
      const std::string own = j.name.empty() && b.joints.size() == 1 ? b.name : j.name;
      FileJoint file{
          unique(own, joint_names_, "joint"), j.kind, child, {}, 0, out_.n_q, out_.n_v, j.reference, j.armature};
      out_.n_q += j.kind == Kind::free ? 7 : j.kind == Kind::ball ? 4 : j.kind == Kind::planar ? 3 : 1;
      out_.n_v += j.kind == Kind::free ? 6 : j.kind == Kind::ball || j.kind == Kind::planar ? 3 : 1;
      name += (name.empty() ? "" : "+") + file.name;
      if (j.kind == Kind::free) {
        if (parent.valid() || b.joints.size() > 1)
          refuse(j.node, fmt::format("body '{}': a free joint stands alone and below the world", b.name));
        if (b.joints.size() == 1) {
          out_.joints.push_back(file);
          return;
        }
      }
      file.joint = JointId{out_.scene.model.joints.size()};
      if (j.continues) {
        file.coordinate = static_cast<int>(spec.freedoms.size()) - 1;
        lengthen(spec.freedoms.back(), j);
      } else if (b.joints.size() > 1) {
        file.coordinate = static_cast<int>(spec.freedoms.size());
        spec.freedoms.push_back(freedom_of(b, j, file.name, world));
      } else {
        single(j, world, spec);
      }
      out_.joints.push_back(std::move(file));
    }
    if (spec.freedoms.size() > kMaxCoordinates)
      refuse(b.node, fmt::format("body '{}' has {} joints; there are six freedoms", b.name, spec.freedoms.size()));
    spec.name = b.joints.size() > 1 ? unique(name, joint_names_, "joint") : name;
    append(spec, parent, child, b.joints.front().node);
  }

  Freedom freedom_of(const RobotBody& b, const RobotJoint& j, const std::string& name, const Pose& world) {
    if (j.kind != Kind::hinge && j.kind != Kind::slide)
      refuse(j.node, fmt::format("body '{}': beside other joints only hinges and slides are understood", b.name));
    Freedom f{.name = name,
              .slides = j.kind == Kind::slide,
              .axis = rotate(world.q, j.axis),
              .anchor = world(j.anchor),
              .zero = j.reference,
              .start = j.reference,
              .limits = j.limits};
    f.damping = j.damping;
    f.stiffness = j.stiffness;
    f.rest = j.rest;
    f.friction = j.friction;
    f.armature = j.armature;
    return f;
  }

  // A slide that goes on along the axis of the one before: of their sum.
  static void lengthen(Freedom& f, const RobotJoint& j) {
    if (f.limits && j.limits) {
      f.limits->lower += j.limits->lower;
      f.limits->upper += j.limits->upper;
    } else {
      f.limits.reset();
    }
    f.damping = std::max(f.damping, j.damping);
    f.armature = std::max(f.armature, j.armature);
  }

  static void single(const RobotJoint& j, const Pose& world, JointSpec& spec) {
    spec.kind = j.kind == Kind::hinge ? JointKind::hinge
              : j.kind == Kind::slide ? JointKind::slider
              : j.kind == Kind::ball  ? JointKind::ball
                                      : JointKind::planar;
    spec.anchor = world(j.anchor);
    spec.axis = rotate(world.q, j.axis);
    spec.extras.limits = j.limits;
    spec.extras.damping = j.damping;
    spec.extras.stiffness = j.stiffness;
    spec.extras.rest = j.rest;
    spec.extras.friction = j.friction;
    spec.extras.start[0] = j.reference;
    const int n = j.kind == Kind::ball || j.kind == Kind::planar ? 3 : 1;
    for (int k = 0; k < n; ++k) spec.extras.armature[at(k)] = j.armature;
  }

  void append(const JointSpec& spec, BodyId a, BodyId b, const XmlNode* node) try {
    append_joint(out_.scene.model, out_.scene.initial, spec, a, b);
    Place place;
    if (node != nullptr) place = {node->file, node->line, node->column};
    out_.scene.joint_places.push_back(place);
  } catch (const InputError& error) {
    refuse(node, error.what());
  }

  // The sites of the file, and the frames of the bodies that became part of others.
  void add_sites() {
    std::set<std::string> names;
    const auto add = [&](const std::string& name, int of, const Pose& pose) {
      Site site{unique(name, names, "site"), kGround, pose.p, pose.q};
      if (of >= 0) {
        const Pose in_body = out_.frame_in_body[at(of)] * pose;
        site = {site.name, out_.body_of[at(of)], in_body.p, in_body.q};
      }
      out_.scene.model.sites.push_back(std::move(site));
    };
    for (const RobotSite& s : robot_.sites) {
      add(s.name, s.body, s.pose);
      out_.scene.model.sites.back().volume = s.volume;
      out_.scene.model.sites.back().size = s.size;
    }
    for (std::size_t i = 0; i < robot_.bodies.size(); ++i)
      if (!robot_.bodies[i].moves()) add(robot_.bodies[i].name, static_cast<int>(i), {});
  }

  [[noreturn]] void refuse(const XmlNode* node, const std::string& why) const {
    if (node != nullptr) fail(tree_, *node, why);
    throw InputError{why};
  }

  const Robot& robot_;
  const XmlTree& tree_;
  BuiltRobot out_;
  std::vector<int> carrier_;
  std::vector<MassProperties> whole_;  // of every carrier, in its frame
  std::set<std::string> body_names_, joint_names_;
};

}  // namespace

void add_mass(MassProperties& a, const MassProperties& b) {
  if (b.mass == 0 && trace(b.inertia) == 0) return;
  const double mass = a.mass + b.mass;
  const Vec3 centre = mass > 0 ? (a.mass * a.centre + b.mass * b.centre) / mass : a.centre;
  a.inertia =
      a.inertia + b.inertia + point_inertia(a.mass, a.centre - centre) + point_inertia(b.mass, b.centre - centre);
  a.mass = mass;
  a.centre = centre;
}

MassProperties moved(const Pose& pose, const MassProperties& m) {
  return {m.mass, pose(m.centre), congruence(to_matrix(pose.q), m.inertia)};
}

BuiltRobot build_robot(Robot robot, const XmlTree& tree) {
  BuiltRobot built = Builder(robot, tree).build();
  built.robot = std::move(robot);
  return built;
}

void place_robot(const BuiltRobot& built, const std::vector<double>& q, const std::vector<double>& v,
                 std::vector<BodyState>& bodies, std::vector<JointArray>& coordinates) {
  const Robot& robot = built.robot;
  const Model& model = built.scene.model;
  bodies.assign(model.bodies.size(), {});
  coordinates.assign(model.joints.size(), {});
  struct Moving {
    Pose pose;
    Vec3 v, w;  // of the origin; world
  };
  std::vector<Moving> all;
  std::size_t next = 0;
  for (std::size_t i = 0; i < robot.bodies.size(); ++i) {
    const RobotBody& b = robot.bodies[i];
    const Moving parent = b.parent >= 0 ? all[at(b.parent)] : Moving{};
    Moving m{parent.pose * b.pose, {}, parent.w};
    m.v = parent.v + cross(parent.w, m.pose.p - parent.pose.p);
    for (const RobotJoint& j : b.joints) {
      const FileJoint& f = built.joints[next++];
      const double* x = q.data() + f.q;
      const double* r = v.empty() ? nullptr : v.data() + f.v;
      const Vec3 anchor = m.pose(j.anchor), axis = rotate(m.pose.q, j.axis);
      if (f.joint.valid()) {
        const int n = j.kind == Kind::planar ? 3 : j.kind == Kind::ball ? 0 : 1;
        for (int k = 0; k < n; ++k)
          coordinates[f.joint][at(f.coordinate + k)] =
              (j.continues ? coordinates[f.joint][at(f.coordinate + k)] : 0) + x[k];
      }
      if (j.kind == Kind::free) {
        m.pose = {{x[0], x[1], x[2]}, normalized(Quat{x[3], x[4], x[5], x[6]})};
        m.v = r ? Vec3{r[0], r[1], r[2]} : Vec3{};
        m.w = r ? rotate(m.pose.q, Vec3{r[3], r[4], r[5]}) : Vec3{};
      } else if (j.kind == Kind::slide) {
        m.pose.p += (x[0] - j.reference) * axis;
        if (r) m.v += r[0] * axis;
        m.v += cross(m.w, (x[0] - j.reference) * axis);
      } else {
        Quat turn = exp_rotation((x[0] - j.reference) * j.axis);
        if (j.kind == Kind::ball) turn = normalized(Quat{x[0], x[1], x[2], x[3]});
        if (j.kind == Kind::planar) turn = exp_rotation(x[2] * j.axis);
        const Vec3 v_anchor = m.v + cross(m.w, anchor - m.pose.p);
        m.pose.q = normalized(m.pose.q * turn);
        Vec3 shift{};
        m.pose.p = anchor - rotate(m.pose.q, j.anchor) + shift;
        if (r)
          m.w += j.kind == Kind::ball ? rotate(m.pose.q, Vec3{r[0], r[1], r[2]})
                                      : r[j.kind == Kind::planar ? 2 : 0] * axis;
        m.v = v_anchor + cross(m.w, m.pose.p - anchor);
      }
    }
    all.push_back(m);
    if (!b.moves()) continue;
    const BodyId id = built.body_of[i];
    const Vec3 c = rotate(m.pose.q, -model.bodies[id].origin);
    bodies[id] = {m.pose.p + c, m.pose.q, m.v + cross(m.w, c), m.w};
  }
}

}  // namespace catena
