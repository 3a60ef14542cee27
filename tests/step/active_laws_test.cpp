#include "catena/step/active_laws.h"

#include <gtest/gtest.h>

namespace catena {
namespace {

// A body 1 cm above another one comes down at 1 m/s: they meet after 10 ms.
TEST(ActiveLaws, APartThatWasCutTooEarlyIsMadeLongerForTheSamePair) {
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
  const std::vector<BodyVector> after{BodyVector{{0, 0, -1}, {}, 0}};
  const ActiveLaws laws(Tuning{}, 0.01);
  const auto meeting = [&](double h, double whole, std::uint64_t& pair) {
    return laws.time_of_meeting(found, PartOfStep{.h = h, .whole = whole, .cut = true}, whole, after, pair);
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

}  // namespace
}  // namespace catena
