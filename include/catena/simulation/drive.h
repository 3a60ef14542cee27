// What the user of a simulation drives it with until it is changed. Without tau: with nothing but ctrl, and forces are not even added as zeros.
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
