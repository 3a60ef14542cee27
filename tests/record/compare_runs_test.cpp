#include "catena/record/compare_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace catena {
namespace compare_runs_test {

RecordedTable run(int rows) {
  RecordedTable out;
  out.names = {"time", "x", "y"};
  out.columns.resize(3);
  for (int i = 0; i < rows; ++i) {
    const double t = 0.1 * i;
    out.columns[0].push_back(t);
    out.columns[1].push_back(1000 * std::cos(t) + 2);
    out.columns[2].push_back(0.01 * std::sin(3 * t));
  }
  return out;
}

const ColumnDifference& of(const RunDifference& difference, const std::string& name) {
  for (const ColumnDifference& column : difference.columns)
    if (column.name == name) return column;
  ADD_FAILURE() << "no column " << name;
  return difference.columns.front();
}

TEST(CompareRuns, a_run_equals_itself_and_one_bit_of_another_does_not) {
  const RecordedTable first = run(20);
  RecordedTable second = first;
  EXPECT_TRUE(compare_runs(first, second).equal);
  second.columns[2][7] = std::nextafter(second.columns[2][7], 1);
  const RunDifference difference = compare_runs(first, second);
  EXPECT_FALSE(difference.equal);
  EXPECT_FALSE(difference.within);
  EXPECT_EQ(difference.columns.front().name, "y") << "the one that differs most comes first";
  EXPECT_NEAR(of(difference, "y").time, 0.7, 1e-15);
  EXPECT_EQ(of(difference, "x").largest, 0);
  EXPECT_TRUE(compare_runs(first, second, 1e-15).within);
}

// |a − b| ≤ tolerance · max(1, |a|, |b|): 1000 may differ by a thousand times what 0.01 may.
TEST(CompareRuns, the_tolerance_is_relative_to_large_numbers_and_absolute_for_small_ones) {
  const RecordedTable first = run(20);
  for (const double by : {0.9, 1.1}) {
    RecordedTable large = first, small = first;
    large.columns[1][3] += by * 1e-6 * (std::abs(first.columns[1][3]));
    small.columns[2][3] += by * 1e-6;
    for (const RecordedTable* second : {&large, &small}) {
      const RunDifference difference = compare_runs(first, *second, 1e-6);
      EXPECT_EQ(difference.within, by < 1);
      EXPECT_EQ(difference.first_beyond.has_value(), by > 1);
      if (difference.first_beyond) {
        EXPECT_NEAR(*difference.first_beyond, 0.3, 1e-15);
      }
    }
  }
}

TEST(CompareRuns, columns_and_rows_of_one_run_alone_are_named_and_the_rest_is_compared) {
  const RecordedTable first = run(20);
  RecordedTable second = run(15);
  second.names[2] = "z";
  const RunDifference difference = compare_runs(first, second, 1);
  EXPECT_FALSE(difference.within);
  EXPECT_EQ(difference.rows_first, 20U);
  EXPECT_EQ(difference.rows_second, 15U);
  EXPECT_EQ(difference.only_first, (std::vector<std::string>{"y"}));
  EXPECT_EQ(difference.only_second, (std::vector<std::string>{"z"}));
  EXPECT_EQ(of(difference, "x").largest, 0);
}

TEST(CompareRuns, what_is_no_number_in_both_is_the_same_and_in_one_alone_infinitely_different) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  RecordedTable first = run(5), second = run(5);
  first.columns[1][2] = second.columns[1][2] = kNone;
  EXPECT_TRUE(compare_runs(first, second, 1e-9).within);
  second.columns[2][4] = kNone;
  const RunDifference difference = compare_runs(first, second, 1e9);
  EXPECT_FALSE(difference.within);
  EXPECT_TRUE(std::isinf(of(difference, "y").largest));
  EXPECT_NEAR(of(difference, "y").time, 0.4, 1e-15);
}

}  // namespace compare_runs_test
}  // namespace catena
