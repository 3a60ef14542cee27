#include "catena/primary/free_directions.h"

#include "catena/model/joint_rules.h"

namespace catena {

Directions free_directions(JointKind kind, bool motor, const JointPose& j) {
  const Vec3 a = j.axis_a(), b = j.axis_b(), t1 = j.fa.column(0), t2 = j.fa.column(1);
  switch (kind) {
    case JointKind::weld: return {0, {}, false};
    case JointKind::hinge: return motor ? Directions{0, {}, false} : Directions{1, {{{{}, b}}}, false};
    case JointKind::universal:
      return motor ? Directions{1, {{{{}, b}}}, false} : Directions{2, {{{{}, a}, {{}, b}}}, false};
    case JointKind::slider: return motor ? Directions{0, {}, true} : Directions{1, {{{a, {}}}}, true};
    case JointKind::screw:
      return motor ? Directions{0, {}, true} : Directions{1, {{{j.geometry.parameter * a, b}}}, true};
    case JointKind::cylindrical:
      return motor ? Directions{1, {{{a, {}}}}, true} : Directions{2, {{{a, {}}, {{}, b}}}, true};
    case JointKind::planar:
      return motor ? Directions{2, {{{t2, {}}, {{}, b}}}, true} : Directions{3, {{{t1, {}}, {t2, {}}, {{}, b}}}, true};
    case JointKind::ball:
      return motor ? Directions{} : Directions{3, {{{{}, {1, 0, 0}}, {{}, {0, 1, 0}}, {{}, {0, 0, 1}}}}, false};
    case JointKind::pin: return motor ? Directions{0, {}, false} : Directions{1, {{{{}, b}}}, false};
    case JointKind::planar_weld: return {0, {}, false};
    default: return {};
  }
}

int direction_of(JointKind kind, bool motor, int coordinate) {
  const int coordinates = coordinate_count(kind);
  if (coordinate >= coordinates || (motor && coordinate == 0)) return -1;
  // A cylindrical joint's first coordinate is its angle, its first direction the translation.
  if (kind == JointKind::cylindrical) return motor ? 0 : 1 - coordinate;
  return motor ? coordinate - 1 : coordinate;
}

bool has_free_directions(JointKind kind, bool motor) { return free_direction_count(kind, motor) >= 0; }

int free_direction_count(JointKind kind, bool motor) {
  const JointGeometry geometry{{}, {}, Mat3::identity(), Mat3::identity(), 0, false};
  const Placement still;
  return free_directions(kind, motor, JointPose(geometry, still, still)).count;
}

}  // namespace catena
