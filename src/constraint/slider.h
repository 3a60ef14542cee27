// Slider: B travels along the axis fixed in A and does not turn. Removes 5.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Slider {
  template <class List>
  static void list(List&& of) {
    of.plane(0);
    of.plane(1);
    of.orientation();
  }
  static void rows(const JointPose& j, Rows& out) { list(RowList{j, out}); }
  static void coordinates(const JointPose& j, Rows& out) { out.add(travel_row(j, 2)); }
};

}  // namespace catena
