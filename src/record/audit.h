// A recorded run checked from its numbers alone: what follows from positions and velocities is computed again and compared with what the
// recording says, and what must hold whoever computed it is checked: joints are closed, energy is accounted for, contacts push and obey
// Coulomb's law.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "catena/model/scene.h"
#include "catena/record/recording.h"

namespace catena {

struct AuditFinding {
  std::string check;  // "joint gap", "friction cone", …
  std::string unit;   // of worst and bound
  double worst = 0;
  double bound = std::numeric_limits<double>::infinity();  // what it may be; infinite: told, not judged
  double time = 0;                                         // s, of the worst
  std::string place{};                                     // joint, body or pair of bodies
  bool ok() const { return worst <= bound; }
};

struct AuditOptions {
  // Bounds are this times a scale: the size of the mechanism (lengths), 1 rad (angles), the largest energy of the run, the weight of all bodies or
  // the largest contact force (forces).
  double tolerance = 1e-6;
};

// Checks of columns that the recording does not have are left out, as are those of contacts where it holds no contact list (CSV). Throws
// InputError where the bodies are not those of the scene.
std::vector<AuditFinding> audit(const Scene& scene, const RecordedTable& table, const AuditOptions& options = {});

}  // namespace catena
