// A joint in the forest of a front: where it is, which directions it leaves free, and what its rows ask and carry. Hinges and ball joints are
// written out because most mechanisms are made of them.
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
  enum class Shape { ball, hinge, any };
  JointId joint_;
  Shape shape_ = Shape::any;
  bool motor_ = false, carries_inertia_ = false;
  JointGeometry geometry_;
  Vec3 t1_, t2_, t3_;                  // of a hinge: frame of a in the world
  Vec3 turn1_, turn2_;                 // of a hinge: what rows 3 and 4 ask for, a rate of 1 each
  std::unique_ptr<FreedomRows> rows_;  // of the others
};

inline Spatial FrontJoint::motion(const double* b) const {
  if (shape_ == Shape::ball) return {{b[0], b[1], b[2]}, {}};
  if (shape_ == Shape::any) return rows_->motion(b);
  return {{b[0], b[1], b[2]}, b[3] * turn1_ + b[4] * turn2_};
}

}  // namespace catena
