// A length, an angle or another position-like quantity that follows time, smooth enough to be differentiated twice: what a constraint
// with a motion of its own needs (Baraff §4.2: the constraint's value, its rate and its acceleration).
#pragma once

#include <vector>

#include "catena/model/signal.h"

namespace catena {

class Motion {
 public:
  // Constants and sines as they are; a table is the cubic spline through its points that starts and ends at rest, and stands still before
  // the first and after the last. Value and rate are continuous everywhere, the acceleration everywhere but at both ends.
  explicit Motion(Signal signal);

  double value(double time) const;
  double rate(double time) const;
  double acceleration(double time) const;  // at an end of a table: after `time`

  const Signal& signal() const { return signal_; }

 private:
  struct Piece;
  Piece piece(const Table& table, double time) const;

  Signal signal_;
  std::vector<double> moments_;  // second derivative at each point of a table
};

}  // namespace catena
