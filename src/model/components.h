// The seven numbers of a BodyVector as the d numbers a kind of body really has.
#pragma once

#include <array>

#include "catena/math/spatial.h"
#include "catena/model/model.h"

namespace catena {

// Writes the kind's numbers of v to `to`; returns their count.
inline int components(BodyKind kind, const BodyVector& v, double* to) {
  switch (kind) {
    case BodyKind::particle: to[0] = v.linear.x, to[1] = v.linear.y, to[2] = v.linear.z; return 3;
    case BodyKind::planar: to[0] = v.linear.x, to[1] = v.linear.y, to[2] = v.angular.z; return 3;
    case BodyKind::scalable: to[6] = v.scale; [[fallthrough]];
    case BodyKind::formed:
    case BodyKind::form:
    case BodyKind::rigid: break;
  }
  to[0] = v.linear.x, to[1] = v.linear.y, to[2] = v.linear.z;
  to[3] = v.angular.x, to[4] = v.angular.y, to[5] = v.angular.z;
  return dimension(kind);
}

inline BodyVector from_components(BodyKind kind, const double* s) {
  switch (kind) {
    case BodyKind::particle: return {{s[0], s[1], s[2]}, {}, 0};
    case BodyKind::planar: return {{s[0], s[1], 0}, {0, 0, s[2]}, 0};
    case BodyKind::formed:
    case BodyKind::form:
    case BodyKind::rigid: return {{s[0], s[1], s[2]}, {s[3], s[4], s[5]}, 0};
    case BodyKind::scalable: break;
  }
  return {{s[0], s[1], s[2]}, {s[3], s[4], s[5]}, s[6]};
}

}  // namespace catena
