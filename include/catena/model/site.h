// Sites: named frames fixed in a body, where sensors sit and tendons pass. A site may have a volume: a touch sensor there adds up the
// contacts inside it.
#pragma once

#include <cstdint>
#include <string>

#include "catena/math/rotation.h"
#include "catena/model/ids.h"

namespace catena {

struct Site {
  enum class Volume : std::uint8_t { none, sphere, capsule, ellipsoid, cylinder, box };
  std::string name;
  BodyId body;         // kGround: fixed in the world
  Vec3 position{};     // body coordinates from the centre of mass; world for the ground
  Quat orientation{};  // in the body
  Volume volume = Volume::none;
  Vec3
      size{};  // half lengths along its axes; sphere: radius first; capsule and cylinder: radius, half the length along z

  bool contains(const Vec3& point) const;  // of a point in its own frame; one without volume contains everything
};

}  // namespace catena
