// A part of a step: all of it, or up to where a law begins or ends to act, or what is left after that.
#pragma once

namespace catena {

struct PartOfStep {
  double h = 0;         // its length
  double whole = 0;     // of the step as asked for: a short rest of one pushes no harder than a whole one
  bool middle = false;  // laws are evaluated at its middle, else at its start
  bool cut = false;     // it ends where bodies meet fast
  bool swept = false;   // contacts are swept
  bool watched = true;  // it is short enough that bodies are not past each other at its end
};

}  // namespace catena
