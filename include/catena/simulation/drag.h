// What is asked of a mechanism led by hand, and what came of it (simulation/manipulator.h, Simulation::drag).
#pragma once

#include "catena/math/rotation.h"
#include "catena/mechanism/drift.h"
#include "catena/model/ids.h"

namespace catena {

struct Drag {
  BodyId body;
  Vec3 point{};   // body coordinates from the centre of mass; of a body with a form the material point
  Vec3 target{};  // world
};

struct DragReport {
  double distance = 0;   // of the point farthest from its target, m
  double violation = 0;  // of limits and contacts, the worst: rad of a limited angle, else m
  Drift drift;           // of the joints
  int moves = 0;
  bool reached = false;  // every point is at its target, to 1e-12 of the mechanism's size
};

}  // namespace catena
