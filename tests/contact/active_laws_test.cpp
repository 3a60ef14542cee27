#include "catena/contact/active_laws.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace active_laws_test {

// A body 1 cm above another one comes down at 1 m/s: they meet after 10 ms.
LawRows coming_down() {
  LawRows found;
  LawRow normal;
  normal.a.linear = {0, 0, 1};
  normal.speed = -1;
  found.rows.push_back(normal);
  LawBlock block;
  block.a = BodyId(0);
  block.gap = 0.01;
  block.key = 7;
  found.blocks.push_back(block);
  return found;
}

TEST(ActiveLaws, APartThatWasCutTooEarlyIsMadeLongerForTheSamePair) {
  const LawRows found = coming_down();
  const std::vector<BodyVector> after{BodyVector{{0, 0, -1}, {}, 0}};
  const ActiveLaws laws(Tuning{}, 0.01, false);
  const auto meeting = [&](double h, double whole, std::uint64_t& pair) {
    return laws.time_of_meeting(found, PartOfStep{.h = h, .whole = whole, .cut = true}, whole, false, after, pair);
  };
  std::uint64_t pair = 0;
  EXPECT_NEAR(meeting(0.02, 0.02, pair), 0.01, 1e-15);
  EXPECT_EQ(pair, 7U);
  EXPECT_NEAR(meeting(0.009, 0.02, pair), 0.01, 1e-15);
  EXPECT_EQ(meeting(0.009, 0.0095, pair), 0.009) << "it meets nothing within the whole";
  EXPECT_EQ(meeting(0.01 - 5e-10, 0.02, pair), 0.01 - 5e-10) << "as good as touching";
  std::uint64_t none = 0;
  EXPECT_EQ(meeting(0.009, 0.02, none), 0.009) << "it was cut for nothing";
  EXPECT_EQ(none, 0U);
}

// 1 cm at 1 m/s foresee a meeting after 10 ms; braked by b it is when 0.01 − t + b t² = 0 (positions follow the velocity at the end of the part), and
// never for b > 25 m/s².
TEST(ActiveLaws, AForeseenMeetingThatDoesNotHappenLeavesThePartWhole) {
  const LawRows found = coming_down();
  const ActiveLaws laws(Tuning{}, 0.01, false);
  std::uint64_t pair = 0;
  EXPECT_EQ(laws.foreseen_meeting(found, 0.005, pair), 0.005) << "too far to be met";
  EXPECT_EQ(pair, 0U);
  EXPECT_NEAR(laws.foreseen_meeting(found, 0.02, pair), 0.01, 1e-15);
  EXPECT_EQ(pair, 7U);
  const auto meeting = [&](double braking, bool foreseen) {
    const double h = 0.01;
    const std::vector<BodyVector> after{BodyVector{{0, 0, -1 + braking * h}, {}, 0}};
    return laws.time_of_meeting(found, PartOfStep{.h = h, .whole = 0.02, .cut = true}, 0.02, foreseen, after, pair);
  };
  EXPECT_EQ(meeting(40, true), 0.02) << "it turns round before it meets";
  EXPECT_EQ(meeting(40, false), 0.01) << "a part that was found so is left as it is";
  EXPECT_NEAR(meeting(16, true), (1 - std::sqrt(1 - 0.64)) / 32, 1e-12) << "0.01 − t + 16 t² = 0";
}

}  // namespace active_laws_test
}  // namespace catena
