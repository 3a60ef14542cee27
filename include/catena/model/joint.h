// Joints: equality constraints between two bodies, or a body and the ground. What they mean is in constraint/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/rotation.h"
#include "catena/model/ids.h"
#include "catena/model/joint_surface.h"
#include "catena/model/motion.h"
#include "catena/model/signal.h"
#include "catena/model/spring_curve.h"

namespace catena {

enum class JointKind : std::uint8_t {
  ball,
  hinge,
  slider,
  cylindrical,
  universal,
  planar,
  weld,
  screw,
  distance,
  point_on_line,
  point_on_plane,
  fixed_orientation,
  aligned_axes,
  perpendicular_axes,
  gear,
  rack,
  rolling,
  skate,
  coupling,
  compound,  // several hinges and sliders one after the other
  pin,
  planar_weld,  // between planar bodies
  point_on_surface,
  tangent_surfaces,
};
inline constexpr int kJointKindCount = 24;

inline constexpr int kMaxCoordinates = 6;  // of one joint
using JointArray = std::array<double, kMaxCoordinates>;

// The name in scene files: "ball", "point-on-line", …; planar_weld is "weld".
std::string_view name_of(JointKind kind);

// A prescribed relative velocity along one coordinate of the joint (m/s or rad/s).
struct Motor {
  Signal velocity;
  std::optional<double> max_force;  // N or N·m
  int coordinate = 0;               // other than 0 of compound joints only
};

struct Limits {
  double lower = -1e300, upper = 1e300;  // of a ball joint: the twist about its axis
  double restitution = 0;
  double cone = 1e300;  // ball joint: the angle between the axes of its bodies, at most
};

// One freedom of a compound joint: a turn about an axis, or a travel along it. Freedom k moves in the frame that the freedoms before
// it have left, so the pose of frame B in frame A is the product T_0(q_0) T_1(q_1) … of the motions of all of them. Axis and anchor
// are in the axes of frame A, from its anchor, while every coordinate stands at its `zero`, where frames A and B coincide.
struct Freedom {
  std::string name;
  bool slides = false;
  Vec3 axis{0, 0, 1};  // unit
  Vec3 anchor{};       // a point of the axis; of no consequence where it slides
  double zero = 0;     // the coordinate at which frames A and B coincide
  double start = 0;    // the coordinate at t = 0
  std::optional<Limits> limits{};
  double damping = 0, stiffness = 0, rest = 0, friction = 0, armature = 0;
  std::optional<SpringCurve> curve{};  // instead of a stiffness: of q − rest
};

// One term of a coupling row: linear·v + angular·omega of a body.
struct CouplingTerm {
  BodyId body;
  Vec3 linear{}, angular{};
  bool body_frame = false;  // directions turn with the body
};
// A polynomial p(q − reference) of one coordinate of another joint, p(x) = p0 + p1 x + … + p4 x⁴.
struct CoordinateTerm {
  JointId joint;
  int coordinate = 0;
  std::array<double, 5> polynomial{};
  double reference = 0;
  double offset =
      0;  // the joint's coordinate where its frames coincide (0 of compound joints, which count by themselves)
};
// Over velocities of bodies (terms), or over coordinates of joints, whose polynomials then add up to `equals`: an exact relation.
struct CouplingRow {
  std::vector<CouplingTerm> terms;
  Signal velocity{};                    // the row says: sum of terms = velocity
  std::vector<CouplingTerm> through{};  // what holds it pushes along these (Baraff's K); empty: along the terms
  std::vector<CoordinateTerm> coordinates{};
  std::optional<Motion> equals{};  // of a row over coordinates; without it 0
};

// A motion of a joint's own (Baraff §4.2): frame A moves in its body, or in the world where that is the ground. Its anchor is shifted by
// signals and its axes turn by an angle about one axis through the anchor; or it is led by hand, and goes where Simulation::set_mocap() says.
struct FrameMotion {
  std::array<std::optional<Motion>, 3> shift{};  // m, along the columns of `axes`; none: 0
  std::optional<Motion> angle{};                 // rad; none: 0
  Vec3 axis{0, 0, 1};                            // unit; what the angle turns about, in the axes of `axes`
  Quat axes{};                                   // in the coordinates of body a; the world's at t = 0 in a scene file
  int guide = -1;  // into State::guides: it is led by hand and has no signals; −1: it is not
};

// When a joint attaches and lets go while the simulation runs (simulation/switching.h).
struct Switching {
  // What becomes of bodies that are not where the joint has them when it attaches.
  enum class Pose : std::uint8_t {
    close,  // they are brought there: at once, or within the time `over`
    keep,   // they are held as they stand: frame A is put where frame B is
  };
  bool attached = true;            // at t = 0
  std::vector<double> attach{};    // s: times at which it attaches, ascending
  std::vector<double> detach{};    // s: times at which it lets go, ascending
  std::optional<double> within{};  // m: attaches once, as soon as its anchors are no further apart
  std::optional<double> force{};   // N: lets go where its reaction is larger
  std::optional<double> torque{};  // N·m: the same
  Pose pose = Pose::close;
  double over = 0;  // s
};

// Everything a few joints have and most do not, kept out of the way.
struct JointExtras {
  std::optional<Motor> motor;
  std::optional<Limits> limits;                               // of coordinate 0
  std::optional<Limits> limits2;                              // of coordinate 1
  double damping = 0, stiffness = 0, rest = 0, friction = 0;  // along coordinate 0
  JointArray armature{};                  // inertia of the rotor along each coordinate, kg or kg·m²
  double compliance = 0, relaxation = 0;  // SPOOK's epsilon (m/N) and tau (s)
  JointArray start{};                     // the coordinates at t = 0
  std::optional<JointArray>
      offset{};                    // the coordinates where the frames coincide; none: so that they are `start` at t = 0
  std::vector<CouplingRow> rows;   // kind == coupling
  std::optional<Motion> length{};  // kind == distance: the length where it changes with time
  std::optional<FrameMotion> moves{};    // frame A where it moves in its body
  std::optional<Switching> switching{};  // where it is not attached all the time
  std::optional<SpringCurve> curve{};    // along coordinate 0, instead of a stiffness: of q − rest
};

// Frame A is fixed in body `a` and frame B in body `b` (world axes for the ground). Column 2 of a frame is the joint's axis;
// when the joint is closed at its start the frames coincide, except where the two bodies have axes of their own
// (universal, perpendicular_axes, gear, rack: axis in A, axis2 in B) or surfaces, which have a frame each.
struct Joint {
  std::string name;
  JointKind kind = JointKind::ball;
  bool primary = true;  // false: always auxiliary
  BodyId a, b;
  Vec3 anchor_a{}, anchor_b{};  // body coordinates from the centre of mass; world for the ground
  Quat frame_a{}, frame_b{};
  double parameter = 0;  // distance: length; screw: pitch m/rad; gear: ratio; rack, rolling: radius
  bool disc = false;     // rolling: a disc about the axis of frame B rather than a sphere
  int extras = -1;       // index into Model::extras, -1 for none
  int index = -1;  // its own place among Model::joints, set by validate(): where the State keeps its last coordinates
  std::vector<Freedom> freedoms{};                  // kind == compound
  std::shared_ptr<const JointSurfaces> surfaces{};  // kind == point_on_surface or tangent_surfaces
};

// What acts along one coordinate of a joint by itself.
struct CoordinateLaw {
  const Limits* limits = nullptr;
  double damping = 0, stiffness = 0, rest = 0, friction = 0, armature = 0;
  const SpringCurve* curve = nullptr;

  bool has_spring() const { return stiffness != 0 || curve != nullptr; }
  // Of the spring: what it pulls back with at q, how fast that grows, and what it stores.
  double spring_force(double q) const { return curve ? curve->tension(q - rest) : stiffness * (q - rest); }
  double spring_slope(double q) const { return curve ? curve->slope(q - rest) : stiffness; }
  double spring_energy(double q) const {
    return curve ? curve->energy(q - rest) : 0.5 * stiffness * (q - rest) * (q - rest);
  }
};
// Of a ball joint damping, stiffness and armature are the same along its three coordinates, and its limits, a cone and a twist, are of none.
CoordinateLaw coordinate_law(const Joint& joint, const JointExtras& extras, int coordinate);

}  // namespace catena
