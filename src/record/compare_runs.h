// Two recordings, column by column.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/record/recording.h"

namespace catena {

struct ColumnDifference {
  std::string name;
  double largest = 0;                    // of |a − b|; infinite where one of them alone is not finite
  double time = 0;                       // s, where that is
  std::optional<double> first_beyond{};  // s: the first time they differ by more than the tolerance
};

struct RunDifference {
  bool equal = false;   // every bit of every number, names and number of rows
  bool within = false;  // the same names and rows, and no number differs by more than the tolerance
  std::size_t rows_first = 0, rows_second = 0;
  std::vector<std::string> only_first{}, only_second{};
  std::vector<ColumnDifference> columns{};  // of both, those that differ most first
  std::optional<double> first_beyond{};     // s, of all columns
};

// Row by row, as far as both have rows. Two numbers are the same where |a − b| ≤ tolerance · max(1, |a|, |b|), or where both are no number.
RunDifference compare_runs(const RecordedTable& first, const RecordedTable& second, double tolerance = 0);

}  // namespace catena
