#include "catena/serve/run_history.h"

#include <gtest/gtest.h>

namespace catena {
namespace run_history_test {
namespace {

State state_at(double time) {
  State state;
  state.time = time;
  state.bodies.resize(1);
  state.bodies[0].position = {time, 0, 0};
  return state;
}

TEST(RunHistory, GoesBackToTheLastStateThatIsNotLater) {
  RunHistory history(state_at(0));
  for (int i = 0; i <= 10; ++i) history.remember(state_at(i));
  EXPECT_EQ(history.go_back_to(6.5).time, 6);
  EXPECT_EQ(history.last_time(), 5);  // what came after is forgotten, and the state itself until it is remembered again
  EXPECT_EQ(history.go_back_to(100).time, 5);
}

TEST(RunHistory, GoesBackToTheStartWhereNothingIsEarlier) {
  RunHistory history(state_at(2));
  history.remember(state_at(3));
  EXPECT_EQ(history.go_back_to(1).time, 2);
  history.remember(state_at(4));
  history.forget_all();
  EXPECT_EQ(history.go_back_to(10).time, 2);
}

TEST(RunHistory, AStateReplacesTheLastOneThatIsNotEarlier) {
  RunHistory history(state_at(0));
  history.remember(state_at(1));
  State moved = state_at(1);
  moved.bodies[0].position = {7, 0, 0};
  history.remember(moved);
  EXPECT_EQ(history.go_back_to(1).bodies[0].position.x, 7);
  EXPECT_EQ(history.go_back_to(1).time, 0);
}

TEST(RunHistory, ForgetsTheOldestAndKeepsTheOrder) {
  RunHistory history(state_at(0));
  for (int i = 0; i <= 100'001; ++i) history.remember(state_at(i));
  EXPECT_EQ(history.last_time(), 100'001);
  EXPECT_EQ(history.go_back_to(50'000).time, 50'000);
  EXPECT_EQ(history.go_back_to(10).time, 0);
}

}  // namespace
}  // namespace run_history_test
}  // namespace catena
