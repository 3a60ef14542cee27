// Actuators with a control input u, as robot files have them:
//     force = clip(gain · u + bias),      gain = g0 + g1 ℓ + g2 ℓ̇,      bias = b0 + b1 ℓ + b2 ℓ̇
// ℓ is the length of the transmission: gear · q of a joint's coordinate, or Σ coef q of a fixed tendon.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "catena/model/ids.h"

namespace catena {

// Σ coef q over coordinates of joints.
struct Tendon {
  struct Term {
    JointId joint;
    int coordinate = 0;
    double coefficient = 0;
  };
  std::string name;
  std::vector<Term> terms;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double stiffness = 0, damping = 0, rest = 0, friction = 0;
};

struct Control {
  enum class Dynamics { none, integrator, filter };
  std::string name;
  JointId joint;  // not valid(): drives a tendon, or nothing that catena knows
  int coordinate = 0;
  int tendon = -1;  // into Model::tendons
  double gear = 1;
  std::array<double, 3> gain{1, 0, 0}, bias{};
  Dynamics dynamics = Dynamics::none;
  double time_constant = 1;
  double ctrl_lower = -std::numeric_limits<double>::infinity(), ctrl_upper = std::numeric_limits<double>::infinity();
  double force_lower = -std::numeric_limits<double>::infinity(), force_upper = std::numeric_limits<double>::infinity();
  int actuator = -1;  // the entry of Model::actuators that does what this one does while u is constant; −1: none
};

}  // namespace catena
