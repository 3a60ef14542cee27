#include "catena/math/assert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace catena {
namespace assert_test {

#ifdef NDEBUG

TEST(Assert, costs_nothing_where_assertions_are_off) {
  int evaluated = 0;
  CATENA_ASSERT(++evaluated > 0);
  EXPECT_EQ(evaluated, 0);
}

TEST(Assert, workspaces_are_left_as_they_are_where_assertions_are_off) {
  std::vector<double> workspace(3, 1.0);
  fill_unset(workspace);
  EXPECT_EQ(workspace, std::vector<double>(3, 1.0));
}

#else

TEST(Assert, a_promise_that_is_broken_ends_the_program_and_says_where) {
  EXPECT_DEATH(CATENA_ASSERT(1 + 1 == 3), "assert_test.cpp:[0-9]+: assertion failed: 1 \\+ 1 == 3");
}

TEST(Assert, workspaces_are_nan_until_they_are_filled) {
  std::vector<double> workspace(3, 1.0);
  fill_unset(workspace);
  for (const double x : workspace) EXPECT_TRUE(std::isnan(x));
  std::vector<double> none;
  fill_unset(none);
}

#endif

}  // namespace assert_test
}  // namespace catena
