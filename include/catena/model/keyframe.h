// Named states a run can start from.
#pragma once

#include <string>
#include <vector>

#include "catena/model/state.h"

namespace catena {

struct Keyframe {
  std::string name;
  double time = 0;
  std::vector<BodyState> bodies;        // in the Model's order                     (n_body)
  std::vector<JointArray> coordinates;  // of the joints, as they will be reported  (n_joint)
  std::vector<double> ctrl;             // inputs of Model::controls                (n_control)
  std::vector<double> activation;       // of Model::controls                       (n_control, or empty: all 0)
};

}  // namespace catena
