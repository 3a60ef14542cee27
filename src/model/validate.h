// What is wrong, or odd, with a model: the list behind validate(), for callers who know where each part was written.
#pragma once

#include <string>
#include <vector>

#include "catena/model/model.h"

namespace catena {

struct Finding {
  enum class Subject { model, body, joint, force, spring, actuator, material, ground };
  Subject subject = Subject::model;
  int index = -1;       // into the Model's vector of that subject
  bool error = false;   // else a warning
  std::string message;  // names the body or joint, says what would be right
};

// Everything validate() looks at, in the order bodies, joints, forces, springs, actuators; at most one error a body or joint.
// Normalises quaternions.
std::vector<Finding> inspect(Model& model, State& initial);

}  // namespace catena
