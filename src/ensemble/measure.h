// Measures: numbers of a whole run, such as max(foot.z) or final(energy.kinetic) - first(energy.kinetic).
//
//   max min mean rms range first final integral      of an expression over the samples; integral over time, by trapezoids
//   abs sqrt log exp sin cos atan2 hypot pow         of numbers, inside and outside
//   + - * / ( )                                      and numbers; names are those of recordings' columns, in "…" where they have other
//                                                    characters than letters, digits and _ . [ ]
#pragma once

#include <span>
#include <string>
#include <vector>

namespace catena {

class Measure {
 public:
  // Throws InputError that names the place, and the nearest column where one is not known.
  Measure(std::string text, const std::vector<std::string>& columns);

  const std::string& text() const { return text_; }
  // A sample, in the order of the columns; columns[0] is the time.
  void take(std::span<const double> row);
  // Of all samples so far; NaN without any.
  double value() const;
  void clear();

 private:
  friend class MeasureParser;
  enum class Kind { number, column, function, reduction };
  struct Node {
    Kind kind = Kind::number;
    int which = 0;  // column, function or reduction
    double number = 0;
    int a = -1, b = -1;    // arguments
    bool sampled = false;  // needs a sample: has a column outside a reduction
    bool reduces = false;  // has a reduction
  };
  struct Gathered {  // by a reduction
    double sum = 0, least = 0, most = 0, first = 0, last = 0, last_time = 0;
    long count = 0;
  };
  double evaluate(int node, std::span<const double> row) const;
  double reduced(const Node& node, const Gathered& gathered) const;

  std::string text_;
  std::vector<Node> nodes_;
  std::vector<Gathered> gathered_;  // as nodes_
  int root_ = -1;
};

}  // namespace catena
