// A number that depends on time: what motors and actuators follow.
#pragma once

#include <variant>
#include <vector>

namespace catena {

struct Constant {
  double value = 0;
};
struct Sine {
  double amplitude = 0, frequency = 0 /* Hz */, phase = 0 /* rad */, offset = 0;
};
// Linear between the points, constant before the first and after the last. `times` strictly increasing.
struct Table {
  std::vector<double> times, values;
};

using Signal = std::variant<Constant, Sine, Table>;

double value(const Signal& signal, double time);
double derivative(const Signal& signal, double time);  // of a table: the slope after `time`
// Where the signal has a kink, so that an integrator can step onto it. Appends to `times`.
void append_kinks(const Signal& signal, std::vector<double>& times);

}  // namespace catena
