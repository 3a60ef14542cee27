// A robot between its file and a Model: a tree of bodies in their files' frames, which every reader fills and robot_builder.cpp understands.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "catena/import/xml_tree.h"
#include "catena/model/scene.h"

namespace catena {

struct Pose {
  Vec3 p{};
  Quat q{};

  friend Pose operator*(const Pose& a, const Pose& b) { return {a.p + rotate(a.q, b.p), normalized(a.q * b.q)}; }
  Vec3 operator()(const Vec3& x) const { return p + rotate(q, x); }
};
inline Pose inverse(const Pose& a) {
  const Quat q = a.q.conjugate();
  return {-rotate(q, a.p), q};
}

struct RobotJoint {
  enum class Kind { hinge, slide, ball, free, planar };
  std::string name;
  Kind kind = Kind::hinge;
  Vec3 axis{0, 0, 1}, anchor{};  // frame of the body
  double reference = 0;          // the coordinate at the reference pose
  std::optional<Limits> limits{};
  double damping = 0, stiffness = 0, rest = 0, friction = 0, armature = 0;
  const XmlNode* node = nullptr;
  // A slide along the axis of the one before it, where both follow another coordinate: their sum is one coordinate of the model.
  bool continues = false;
};

struct RobotShape {
  std::string name;
  Shape shape;  // position and orientation in the frame of the body
};

struct RobotBody {
  std::string name;
  int parent = -1;            // −1: the world
  Pose pose{};                // in the parent's frame, at the reference pose
  MassProperties inertial{};  // in the frame of the body
  std::vector<RobotJoint> joints{};
  std::vector<RobotShape> shapes{};
  const XmlNode* node = nullptr;
  bool guided = false;  // has no joints, and is led by hand (MJCF: mocap)

  bool moves() const { return !joints.empty() || guided; }
};

struct RobotSite {
  std::string name;
  int body = -1;
  Pose pose{};
  Site::Volume volume = Site::Volume::none;
  Vec3 size{};
};

// Where the coordinates of the file went: joint by joint, in the order its q and v list them.
struct FileJoint {
  std::string name;
  RobotJoint::Kind kind = RobotJoint::Kind::hinge;
  BodyId body;    // it moves
  JointId joint;  // not valid(): the body floats
  int coordinate = 0;
  int q = 0, v = 0;  // first numbers in the file's q and v
  double reference = 0, armature = 0;
};

struct Robot {
  std::string name;
  Vec3 gravity{0, 0, -9.81};
  std::vector<RobotBody> bodies;  // parents first, in the order of the file
  std::vector<RobotSite> sites;
  std::vector<Material> materials{Material{"default"}};
  // Where the inertia of a whole moving body is not positive definite: principal moments are raised to a thousandth of the largest, and
  // zeros to those of a ball of 1 cm; else it is an error.
  bool mend_inertias = false;
};

// What a reader needs to know of the model its robot became.
struct BuiltRobot {
  Robot robot;
  Scene scene;
  std::vector<FileJoint> joints;
  std::vector<BodyId> body_of;             // of every RobotBody: the body that carries it, or the ground          (n)
  std::vector<Pose> frame_in_body;         // its frame in that body, from the centre of mass                      (n)
  std::vector<Pose> world;                 // at the reference pose                                                (n)
  std::vector<std::vector<int>> shape_of;  // of every RobotBody's shapes: index in the carrying body's, or the ground's
  int n_q = 0, n_v = 0;
  std::vector<int> mended;  // RobotBodies whose inertia was raised
};

// Bodies without a joint become part of the body above them (sites keep their frames). Throws InputError with the place in `tree`.
BuiltRobot build_robot(Robot robot, const XmlTree& tree);

// The states of the bodies and the coordinates of the joints that belong to the file's q and v (empty v: at rest).
void place_robot(const BuiltRobot& built, const std::vector<double>& q, const std::vector<double>& v,
                 std::vector<BodyState>& bodies, std::vector<JointArray>& coordinates);

struct ImportOptions;
// A robot file by its ending, checked, without keyframe; scene.ledger says what became of everything in it.
BuiltRobot read_robot(const XmlTree& tree, const std::filesystem::path& folder, const ImportOptions& options);

// Adds b, both in one frame.
void add_mass(MassProperties& a, const MassProperties& b);
// The same in another frame.
MassProperties moved(const Pose& pose, const MassProperties& m);

}  // namespace catena
