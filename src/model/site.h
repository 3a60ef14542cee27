// Sites: named frames fixed in a body, where sensors sit and tendons pass.
#pragma once

#include <string>

#include "catena/math/rotation.h"
#include "catena/model/ids.h"

namespace catena {

struct Site {
  std::string name;
  BodyId body;         // kGround: fixed in the world
  Vec3 position{};     // body coordinates from the centre of mass; world for the ground
  Quat orientation{};  // in the body
};

}  // namespace catena
