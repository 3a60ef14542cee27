// What the user of a simulation drives it with, all of which stays until it is changed: Simulation::drive() and set_drive().
#pragma once

#include <cstdint>
#include <vector>

#include "catena/math/spatial.h"

namespace catena {

struct Drive {
  // A force on a point of a body: world axes; body coordinates from the centre of mass.
  struct PointForce {
    std::int64_t body = 0;
    Vec3 force{}, point{};
  };
  std::vector<double> tau{};               // along every rate, those of joints that close loops last  (Layout::all_v)
  std::vector<double> ctrl{};              // as Simulation::ctrl()
  std::vector<Spatial> body_forces{};      // of set_force()                                           (n_body)
  std::vector<PointForce> point_forces{};  // of add_force_at()
};

}  // namespace catena
