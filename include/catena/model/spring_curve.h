// A spring that is not a straight line: its force as a polynomial or a table of how far it is from its rest.
#pragma once

#include <vector>

namespace catena {

struct SpringCurve {
  // Tension at the stretch x: Σ polynomial[k] x^(k+1); or straight lines between the points of a table, the first and last of which go on.
  std::vector<double> polynomial;
  std::vector<double> stretches, tensions;  // a table, stretches ascending; two points at least

  double tension(double x) const;
  double slope(double x) const;   // d tension / dx
  double energy(double x) const;  // ∫ tension from 0 to x

 private:
  std::size_t segment(double x) const;
  double line(std::size_t i, double x) const;
  double area_from_first(double x) const;
};

}  // namespace catena
