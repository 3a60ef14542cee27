// The rows of a joint between two bodies: those of its kind, and its motor's.
#pragma once

#include "catena/constraint/kinematics.h"
#include "catena/constraint/rows.h"
#include "catena/model/joint_rules.h"

namespace catena {

struct JointPose;  // constraint/joint_pose.h

// Freedoms a joint of this kind removes; a coupling's rows are counted from its JointExtras, and a compound joint removes what its list
// of freedoms leaves.
int dimension(JointKind kind);
int dimension(const Joint& joint);

// All rows of a joint, its motor's included.
int row_count(const Model& model, const Joint& joint);
// The first row of each joint, in the model's order, and at the end their number.
std::vector<int> row_starts(const Model& model);

// Evaluates them at the state `kinematics` was updated with. Not for couplings.
void joint_rows(const Model& model, const Joint& joint, const Kinematics& kinematics, Rows& out);
// The same for a joint whose pose is already known.
void joint_rows(const Model& model, const Joint& joint, const JointPose& pose, double time, Rows& out);
// Those of a compound joint without motor, and what each of its rates moves body b by, relative to a, at b's anchor.
void compound_rows(const Joint& joint, const Kinematics& kinematics, Rows& out,
                   std::array<Spatial, kMaxCoordinates>& F);

// The joint's coordinates as rows: phi is the coordinate (angles in (−pi, pi], without `start`; a compound joint's as it counts them), J v its rate.
void joint_coordinates(const Joint& joint, const Kinematics& kinematics, Rows& out);
// POSITION: the value of a hinge's coordinate alone, to the bit.
double hinge_angle(const Joint& hinge, const Kinematics& kinematics);
// The same at a state that no Kinematics was updated with.
void joint_coordinates(const Joint& joint, const State& state, Rows& out);

}  // namespace catena
