// What laws hold at a state: contacts, joint limits, dry friction in joints, motors of limited force, joints with compliance.
#pragma once

#include <vector>

#include "catena/collide/collider.h"
#include "catena/constraint/law_rows.h"
#include "catena/step/joint_coordinates.h"

namespace catena {

// Whether a model has any of them: a lawful joint, or shapes of two mechanisms, or of one and the ground, that may touch. Shapes within one
// mechanism do not count: they are mostly there to be looked at or weighed.
bool has_laws(const Model& model);

// Whether some joint has compliance.
bool has_soft_joints(const Model& model);

// The model with what laws take over taken out of its joints: motors of limited force, and joints with compliance.
Model without_lawful_joints(const Model& model);

class Laws {
 public:
  // `kinematics` at the assembled initial state, where the joint coordinates have their `start`.
  Laws(const Model& model, const Kinematics& kinematics, double margin);

  // Fills rows() and contacts() at the state `kinematics` was updated with. Targets are left to the method.
  void find(const Kinematics& kinematics);

  LawRows& rows() { return rows_; }
  const LawRows& rows() const { return rows_; }
  const std::vector<Contact>& contacts() const { return contacts_; }

 private:
  void add_contact(const Kinematics& kinematics, int index);
  void add_joint(const Kinematics& kinematics, JointId joint);
  void add_soft(const Kinematics& kinematics, JointId joint);
  void add_row(LawBlock& block, const Kinematics& kinematics, const BodyVector& a, const BodyVector& b);

  const Model* model_;
  Collider collider_;
  JointCoordinates coordinates_;
  std::vector<JointId> joints_;  // those with laws
  std::vector<Contact> contacts_;
  LawRows rows_;
};

}  // namespace catena
