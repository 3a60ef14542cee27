// Screw: B turns about the axis fixed in A and travels pitch metres a radian. Removes 5.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Screw {
  static void rows(const JointPose& j, Rows& out) {
    out.add(plane_row(j, j.fa.column(0)));
    out.add(plane_row(j, j.fa.column(1)));
    aligned_rows(j, out);
    out.add(thread_row(j));
  }
  static void coordinates(const JointPose& j, Rows& out) {
    const double pitch = j.geometry.parameter;
    Row angle = angle_row(j);
    if (pitch != 0) angle.phi += kTurn * std::round((travel_row(j, 2).phi / pitch - angle.phi) / kTurn);
    out.add(angle);
  }

 private:
  static constexpr double kTurn = 6.283185307179586;

  // travel − pitch · angle. Whole turns need no memory: of all angles that look alike the one nearest to travel/pitch is meant.
  static Row thread_row(const JointPose& j) {
    const double pitch = j.geometry.parameter;
    Row row = travel_row(j, 2);
    Row angle = angle_row(j);
    if (pitch != 0) angle.phi += kTurn * std::round((row.phi / pitch - angle.phi) / kTurn);
    row.a += -pitch * angle.a;
    row.b += -pitch * angle.b;
    row.c -= pitch * angle.c;
    row.phi -= pitch * angle.phi;
    return row;
  }
};

}  // namespace catena
