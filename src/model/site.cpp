#include "catena/model/site.h"

#include <algorithm>
#include <cmath>

namespace catena {

bool Site::contains(const Vec3& p) const {
  const double across = std::hypot(p.x, p.y), along = std::abs(p.z);
  switch (volume) {
    case Volume::none: return true;
    case Volume::sphere: return norm(p) <= size.x;
    case Volume::capsule: return std::hypot(across, std::max(0.0, along - size.y)) <= size.x;
    case Volume::cylinder: return across <= size.x && along <= size.y;
    case Volume::box: return std::abs(p.x) <= size.x && std::abs(p.y) <= size.y && along <= size.z;
    case Volume::ellipsoid: return norm(Vec3{p.x / size.x, p.y / size.y, p.z / size.z}) <= 1;
  }
  return true;
}

}  // namespace catena
