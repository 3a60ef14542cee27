// How far joints are open.
#pragma once

#include "catena/model/ids.h"

namespace catena {

struct Drift {
  double position = 0, angle = 0;  // m, rad
  JointId worst;                   // the joint with the largest of either, lengths measured in sizes of the mechanism
  double scaled = 0;               // that largest number
  // What rows that depend on others contradict them by, measured likewise: no motion closes it. `scaled` is then what a motion still could.
  double contradiction = 0;
};

}  // namespace catena
