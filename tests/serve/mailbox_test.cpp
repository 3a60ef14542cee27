#include "catena/serve/mailbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace catena {
namespace mailbox_test {

using namespace std::chrono_literals;

TEST(Mailbox, ADragReplacesTheDragThatWaitsAndNothingElse) {
  Mailbox mailbox;
  EXPECT_TRUE(mailbox.post(DragCommand{.body = 1}));
  EXPECT_TRUE(mailbox.post(DragCommand{.body = 2}));
  EXPECT_TRUE(mailbox.post(PlayCommand{}));
  EXPECT_TRUE(mailbox.post(DragCommand{.body = 3}));
  const std::deque<Command> taken = mailbox.take_commands();
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(std::get<DragCommand>(taken[0]).body, 2);
  EXPECT_TRUE(std::holds_alternative<PlayCommand>(taken[1]));
  EXPECT_EQ(std::get<DragCommand>(taken[2]).body, 3);
  EXPECT_FALSE(mailbox.has_something());
}

TEST(Mailbox, RefusesWhatNobodyTakes) {
  Mailbox mailbox;
  int posted = 0;
  while (posted < 1000 && mailbox.post(PauseCommand{})) ++posted;
  EXPECT_EQ(posted, 64);
  EXPECT_EQ(mailbox.take_commands().size(), 64u);
  EXPECT_TRUE(mailbox.post(PauseCommand{}));
}

TEST(Mailbox, WakesTheThreadThatWaitsAndIsToldWhenItHasEnded) {
  Mailbox mailbox;
  EXPECT_TRUE(mailbox.wait_for_end(0s));  // there is no thread
  mailbox.begin();
  EXPECT_FALSE(mailbox.wait_for_end(0s));
  std::thread run([&] {
    mailbox.wait();
    mailbox.has_ended();
  });
  mailbox.ask_to_end();
  run.join();
  EXPECT_TRUE(mailbox.is_to_end());
  EXPECT_TRUE(mailbox.wait_for_end(0s));
}

}  // namespace mailbox_test
}  // namespace catena
