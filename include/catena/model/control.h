// Actuators with a control input u, as robot files have them:
//     force = clip(gain · x + bias),      gain = g0 + g1 ℓ + g2 ℓ̇,      bias = b0 + b1 ℓ + b2 ℓ̇
// ℓ is the length of the transmission: gear · q of a joint's coordinate, or gear · length of a tendon. x is the input u itself, or an
// activation that follows it: ẋ = u (integrator), ẋ = (u − x)/T (filter); or, of a PID servo (error_integral), u + (integral_gain/g0) x
// with ẋ = u − ℓ. Of a muscle gain and bias follow its force-length-velocity curves (model/muscle.h).
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/ids.h"
#include "catena/model/muscle.h"
#include "catena/model/signal.h"

namespace catena {

// Σ coef q over coordinates of joints, or the length of a path of straight pieces from site to site, with a spring, a damper and elastic
// stops along it:
//     p = −stiffness (ℓ − nearest of [rest, rest_upper]) − damping ℓ̇ − limit_stiffness · (what ℓ is beyond lower or upper) − …
struct Tendon {
  struct Term {
    JointId joint;
    int coordinate = 0;
    double coefficient = 0;
  };
  // A straight piece; its length counts `coefficient` times (1/n behind a pulley that n strands share). With a crank it is a rod of that
  // length instead, from the site `to` to a slider on the z axis of the site `from`, and its length is where the slider stands on that axis,
  // or, where the rod does not reach it, the point of the axis nearest to `to`. A piece around the sphere or cylinder (without ends) of a
  // site's volume lies against it where that is in the way: on the side of the site `side`, else on the shorter one.
  struct Piece {
    int from = 0, to = 0;  // into Model::sites
    double coefficient = 1, crank = 0;
    int around = -1, side = -1;  // into Model::sites; −1: none
  };
  std::string name;
  std::vector<Term> terms;
  std::vector<Piece> path{};
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  double limit_stiffness = 0, limit_damping = 0;  // of the stops at lower and upper
  double stiffness = 0, damping = 0, friction = 0;
  double rest = 0, rest_upper = 0;  // no spring force between them

  bool is_path() const { return !path.empty(); }
  bool is_passive() const { return stiffness != 0 || damping != 0 || limit_stiffness != 0; }
};

struct Control {
  enum class Dynamics { none, integrator, filter, error_integral, muscle };
  std::string name;
  JointId joint;  // not valid(): drives a tendon, or nothing that catena knows
  int coordinate = 0;
  int tendon = -1;               // into Model::tendons
  int site = -1;                 // into Model::sites: pushes its body there, by force times `push`
  std::array<double, 6> push{};  // force and torque a unit, axes of the site
  double gear = 1;
  std::array<double, 3> gain{1, 0, 0}, bias{};
  std::optional<Muscle> muscle{};  // gives gain and bias instead
  Dynamics dynamics = Dynamics::none;
  double time_constant = 1;                   // s: of the filter; of a muscle, while it contracts
  double release_time = 0.04, smoothing = 0;  // of a muscle: s, while it lets go; the width of what is between the two
  double integral_gain = 0;                   // of a PID servo
  double act_lower = -std::numeric_limits<double>::infinity(), act_upper = std::numeric_limits<double>::infinity();
  double ctrl_lower = -std::numeric_limits<double>::infinity(), ctrl_upper = std::numeric_limits<double>::infinity();
  double force_lower = -std::numeric_limits<double>::infinity(), force_upper = std::numeric_limits<double>::infinity();
  Signal signal = Constant{0};  // what the input is by itself; Simulation::ctrl() is added to it
  int actuator = -1;  // the entry of Model::actuators that does what this one does while u is constant; −1: none
};

}  // namespace catena
