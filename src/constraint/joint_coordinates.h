// Joint coordinates as people read them: angles that count whole turns, and the value at t = 0 that `start:` asks for.
#pragma once

#include <array>
#include <vector>

#include "catena/constraint/joint_rows.h"

namespace catena {

class JointCoordinates {
 public:
  // `kinematics` at the assembled initial state, where every coordinate has its `start`.
  JointCoordinates(const Model& model, const Kinematics& kinematics);

  // The coordinates of a joint as rows: phi is the coordinate, J v its rate. Angles are the ones nearest to `last`.
  void evaluate(const Model& model, const Kinematics& kinematics, JointId joint, Rows& out) const;

  // Brings state.joint_angles up to date with the rest of the state, once a step.
  void remember(const Model& model, const Kinematics& kinematics, State& state) const;

  // A coordinate where the frames coincide.
  const JointArray& offset(JointId joint) const { return offset_[joint]; }

  const std::vector<JointId>& joints() const { return joints_; }  // those that have coordinates

 private:
  std::vector<JointId> joints_;
  std::vector<JointArray> offset_;  // start − what the geometry says at t = 0   (n_joint)
};

// Whether a coordinate is an angle whose turns are counted. A screw counts its own, a ball joint has none to count.
bool is_angle(JointKind kind, int coordinate);

// The rate of one coordinate row.
double rate(const Kinematics& kinematics, const Joint& joint, const Row& coordinate);

}  // namespace catena
