// Sensors as a file names them. What they read is not evaluated during a run yet.
#pragma once

#include <string>

namespace catena {

struct Sensor {
  std::string name;
  std::string kind;                       // as written: "accelerometer", "jointpos", …
  std::string object_kind, object;        // what it is attached to: "site" and its name, …
  std::string reference_kind, reference;  // what it is measured against; empty: the world
  double cutoff = 0, noise = 0;
};

}  // namespace catena
