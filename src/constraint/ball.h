// Ball joint: the anchors coincide; three rotations are free. Removes 3.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Ball {
  static void rows(const JointPose& j, Rows& out) { point_rows(j, out); }

  // The rotation vector of frame B in frame A, and the relative angular velocity along the axes of frame A.
  static void coordinates(const JointPose& j, Rows& out) {
    const Vec3 q = log_rotation(from_matrix(transpose(j.fa) * j.fb));
    for (int k = 0; k < 3; ++k) {
      const Vec3 e = j.fa.column(k);
      out.add({about(-e), about(e), dot(cross(j.A.w, e), j.w_rel), 0, q[k]});
    }
  }
};

}  // namespace catena
