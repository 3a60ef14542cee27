// URDF: what is done with every element and attribute.
#include "catena/import/urdf.h"

namespace catena {
namespace {

constexpr Fate kUsed = Fate::used, kNot = Fate::ignored;
constexpr std::string_view kLooks = "only how it looks";

constexpr Rule kRules[] = {
    {"robot", "", "", "", kUsed, ""},
    {"robot", "name", "text", "", kUsed, ""},
    {"robot", "*", "", "", kNot, "no meaning in URDF", false},
    {"material", "", "", "", kUsed, "its colour"},
    {"material", "name", "name", "", kUsed, ""},
    {"material/color", "", "", "", kUsed, ""},
    {"material/color", "rgba", "4 numbers", "", kUsed, ""},
    {"material/texture", "", "", "", kNot, kLooks, false},
    {"link", "", "", "", kUsed, ""},
    {"link", "name", "name", "", kUsed, ""},
    {"link", "*", "", "", kNot, "no meaning in URDF", false},
    {"inertial", "", "", "", kUsed, ""},
    {"origin", "", "", "", kUsed, ""},
    {"origin", "xyz", "3 numbers", "0 0 0", kUsed, ""},
    {"origin", "rpy", "3 numbers", "0 0 0", kUsed, "fixed axes x, y, z"},
    {"mass", "", "", "", kUsed, ""},
    {"mass", "value", "number", "", kUsed, ""},
    {"inertia", "", "", "", kUsed, "about the centre of mass, in the axes of the inertial's origin"},
    {"inertia", "ixx", "number", "", kUsed, ""},
    {"inertia", "ixy", "number", "0", kUsed, ""},
    {"inertia", "ixz", "number", "0", kUsed, ""},
    {"inertia", "iyy", "number", "", kUsed, ""},
    {"inertia", "iyz", "number", "0", kUsed, ""},
    {"inertia", "izz", "number", "", kUsed, ""},
    {"visual", "", "", "", kUsed, ""},
    {"visual", "name", "text", "", kNot, "nothing refers to it", false},
    {"collision", "", "", "", kUsed, ""},
    {"collision", "name", "text", "", kNot, "nothing refers to it", false},
    {"geometry", "", "", "", kUsed, ""},
    {"box", "", "", "", kUsed, ""},
    {"box", "size", "3 numbers", "", kUsed, ""},
    {"sphere", "", "", "", kUsed, ""},
    {"sphere", "radius", "number", "", kUsed, ""},
    {"cylinder", "", "", "", kUsed, ""},
    {"cylinder", "radius", "number", "", kUsed, ""},
    {"cylinder", "length", "number", "", kUsed, ""},
    {"capsule", "", "", "", kUsed, ""},
    {"capsule", "radius", "number", "", kUsed, ""},
    {"capsule", "length", "number", "", kUsed, ""},
    {"mesh", "", "", "", kUsed, "collides as its convex hull, to a thousandth of its size"},
    {"mesh", "filename", "path", "", kUsed,
     "package:// by --package, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, or a package.xml above"},
    {"mesh", "scale", "3 numbers", "1 1 1", kUsed, ""},
    {"joint", "", "", "", kUsed, ""},
    {"joint", "name", "name", "", kUsed, ""},
    {"joint", "type", "revolute, continuous, prismatic, fixed, floating, planar; spherical", "", kUsed,
     "spherical, which the standard lacks, is a ball joint"},
    {"joint", "*", "", "", kNot, "no meaning in URDF", false},
    {"parent", "", "", "", kUsed, ""},
    {"parent", "link", "name", "", kUsed, ""},
    {"child", "", "", "", kUsed, ""},
    {"child", "link", "name", "", kUsed, ""},
    {"axis", "", "", "", kUsed, ""},
    {"axis", "xyz", "3 numbers", "1 0 0", kUsed, ""},
    {"limit", "", "", "", kUsed, ""},
    {"limit", "lower", "number", "0", kUsed, ""},
    {"limit", "upper", "number", "0", kUsed, ""},
    {"limit", "effort", "number", "", kUsed, "kept as the force range of the joint's control"},
    {"limit", "velocity", "number", "", kNot, "the speed of a joint is not bounded", false},
    {"limit", "*", "", "", kNot, "no meaning in URDF", false},
    {"dynamics", "", "", "", kUsed, ""},
    {"dynamics", "damping", "number", "0", kUsed, ""},
    {"dynamics", "friction", "number", "0", kUsed, ""},
    {"mimic", "", "", "", kUsed, "a coupling of coordinates, exact"},
    {"mimic", "joint", "name", "", kUsed, ""},
    {"mimic", "multiplier", "number", "1", kUsed, ""},
    {"mimic", "offset", "number", "0", kUsed, ""},
    {"safety_controller", "", "", "", kNot, "of controllers", false},
    {"calibration", "", "", "", kNot, "of controllers", false},
    {"transmission", "", "", "", kNot, "of controllers; the reduction is not applied", false},
    {"gazebo", "", "", "", kNot, "for Gazebo", false},
    {"ros2_control", "", "", "", kNot, "of controllers", false},
    {"mujoco", "", "", "", kNot, "for MuJoCo", false},
    {"sensor", "", "", "", kNot, "sensors of URDF are not read", false},
    {"link/self_collision_checking", "", "", "", kNot, "no meaning in URDF", false},
    {"verbose", "", "", "", kNot, "no meaning in URDF", false},
};

}  // namespace

const Format& urdf_format() {
  static const Format format{"URDF", kRules};
  return format;
}

}  // namespace catena
