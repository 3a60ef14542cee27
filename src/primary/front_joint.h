// A joint in the forest of a front: where it is, which directions it leaves free, and what its rows ask and carry. Hinges, ball joints, universal
// joints and sliders are written out because most mechanisms are made of them.
#pragma once

#include <memory>

#include "catena/constraint/joint_rows.h"
#include "catena/primary/free_directions.h"
#include "catena/primary/freedom_rows.h"

namespace catena {

class FrontJoint {
 public:
  FrontJoint(const Model& model, JointId id);

  // POSITION: at the state `kinematics` was updated with.
  void load(const Model& model, const Kinematics& kinematics);

  // The relative motion at `point`, b minus a, that meets the rows where it has no part along F; `b`: the joint's rows.
  Spatial motion(const double* b) const;
  // λ of the wrench the joint puts on body b at `point`.
  void multipliers(const Spatial& wrench, double* lambda) const;

  Vec3 point, point_a;         // where the joint holds body b, and body a; they coincide when the joint is closed
  int count = 0;               // free directions
  std::array<Spatial, 3> F{};  // at `point`, b relative to a

  JointId id() const { return joint_; }
  // Inertia along the coordinates of the joint: of a rotor, or of springs and dampers taken implicitly. Joints whose directions are
  // perpendicular and of unit length carry it: a speed along one of them is then read off a relative motion.
  bool carries_inertia() const { return carries_inertia_; }
  void set_inertia(const Joint& joint, const JointArray& along_coordinates);
  bool has_inertia() const { return inertia != std::array<double, 3>{}; }
  std::array<double, 3> inertia{};  // along F

 private:
  enum class Shape { ball, hinge, universal, slider, any };
  // Of the shapes that are written out: what the joint holds on to.
  struct Mount {
    BodyId a, b;
    Vec3 anchor_a, anchor_b;
    Vec3 e1,
        e2;  // fixed in a: of a hinge and a slider the first directions of its frame, of a universal joint its axis
    Vec3 f1, f2;  // fixed in b: axis, and of a slider the first direction of its frame
  };
  // Of a shape that is not: its rows.
  struct General {
    JointGeometry geometry;
    FreedomRows rows;
  };

  void load_any(const Joint& joint, const Model& model, const Kinematics& kinematics);
  void load_hinge(const Mat3& A, const Mat3& B);
  void load_universal(const Mat3& A, const Mat3& B);
  void load_slider(const Mat3& A, const Mat3& B);

  JointId joint_;
  Shape shape_ = Shape::any;
  bool motor_ = false, carries_inertia_ = false;
  // Rotations that meet one row about angles by a rate of 1, the others by 0, with no part along F. λ of a torque are its products with them.
  std::array<Vec3, 3> turn_{};
  std::array<Vec3, 2> across_{};  // of a slider: the directions it cannot travel in
  Mount mount_;
  std::unique_ptr<General> general_;
};

inline Spatial FrontJoint::motion(const double* b) const {
  switch (shape_) {
    case Shape::hinge: return {{b[0], b[1], b[2]}, b[3] * turn_[0] + b[4] * turn_[1]};
    case Shape::ball: return {{b[0], b[1], b[2]}, {}};
    case Shape::universal: return {{b[0], b[1], b[2]}, b[3] * turn_[0]};
    case Shape::slider:
      return {b[0] * across_[0] + b[1] * across_[1], b[2] * turn_[0] + b[3] * turn_[1] + b[4] * turn_[2]};
    case Shape::any: break;
  }
  return general_->rows.motion(b);
}

}  // namespace catena
