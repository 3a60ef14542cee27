// Live runs: commands from outside, frames that wait for nobody, going back, changing the method, dragging.
#include "catena/serve/live_run.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>

#include "catena/model/error.h"
#include "catena/scene/scene.h"
#include "catena/serve/door.h"

namespace catena {
namespace live_run_test {

using namespace std::chrono_literals;

constexpr const char* kPendulum = R"(
simulate: {step: 1e-3}
bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.001], position: [0.3, 0, -0.4]}}
joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]}}
)";

struct Watched {
  explicit Watched(const char* text = kPendulum) : run(load_text(text)) {
    run.start({[this](Bytes bytes) {
                 const std::lock_guard lock(mutex);
                 frame = std::move(bytes);
                 news.notify_all();
               },
               [this](Bytes bytes) {
                 const std::lock_guard lock(mutex);
                 words.push_back(*bytes);
                 news.notify_all();
               }});
  }
  ~Watched() { run.stop(); }

  double time() const { return number<double>(16); }
  float value(int column) const { return number<float>(24 + 4 * column); }
  bool said(const std::string& part) const {
    const std::lock_guard lock(mutex);
    return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return w.find(part) != w.npos; });
  }
  // Waits for frames and words until the condition holds; false when that takes longer than any machine should need.
  template <class Condition>
  bool eventually(Condition condition) const {
    std::unique_lock lock(mutex);
    return news.wait_for(lock, 120s, condition);
  }
  // Everything asked for so far has been done: the answer to one more command is here.
  bool all_is_done() {
    const std::size_t heard = [this] {
      const std::lock_guard lock(mutex);
      return words.size();
    }();
    run.post(SpeedCommand{speed});
    return eventually([&] { return words.size() > heard; });
  }
  template <class Number>
  Number number(int at) const {
    const std::lock_guard lock(mutex);
    Number out;
    std::memcpy(&out, frame->data() + at, sizeof out);
    return out;
  }

  mutable std::recursive_mutex mutex;
  mutable std::condition_variable_any news;
  Bytes frame;
  std::vector<std::string> words;
  double speed = 1;
  LiveRun run;
};

TEST(LiveRun, PlaysInRealTimeAndPauses) {
  Watched watched;
  EXPECT_EQ(watched.time(), 0);
  watched.run.post(PlayCommand{});
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(watched.eventually([&] { return watched.time() > 0.3; }));
  EXPECT_GT(std::chrono::steady_clock::now() - begin, 250ms);  // no faster than asked
  watched.run.post(PauseCommand{});
  ASSERT_TRUE(watched.all_is_done());
  const double stopped = watched.time();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(watched.all_is_done());  // whatever happens meanwhile, time stands still
  EXPECT_EQ(watched.time(), stopped);
  watched.run.post(StepCommand{});
  EXPECT_TRUE(watched.eventually([&] { return std::abs(watched.time() - stopped - 1e-3) < 1e-9; }));
}

TEST(LiveRun, RunsAsFastAsItGoesAndGoesBack) {
  Watched watched;
  watched.run.post(SpeedCommand{0});
  watched.run.post(PlayCommand{});
  ASSERT_TRUE(watched.eventually([&] { return watched.time() > 2; }));
  watched.run.post(PauseCommand{});
  watched.run.post(SeekCommand{1.0});
  // The moment at or before 1 s; a thousand steps of 1 ms add up to 1 s and a rounding error, which counts as 1 s.
  ASSERT_TRUE(watched.eventually([&] { return watched.time() <= 1 + 1e-9; }));
  EXPECT_GT(watched.time(), 0);
  const float there = watched.value(0);
  // The same moment by the plain way.
  Simulation plain(load_text(kPendulum));
  plain.advance_to(watched.time());
  EXPECT_NEAR(there, plain.body("rod").position.x, 1e-6);
  watched.run.post(ResetCommand{});
  EXPECT_TRUE(watched.eventually([&] { return watched.time() == 0; }));
}

TEST(LiveRun, ChangesTheMethodWhereItStands) {
  Watched watched;
  watched.run.post(PlayCommand{});
  ASSERT_TRUE(watched.eventually([&] { return watched.time() > 0.05; }));
  SettingsCommand change;
  change.change.method = MethodWords{.integrator = Integrator::euler};
  change.change.step = 5e-4;
  watched.run.post(change);
  ASSERT_TRUE(watched.eventually([&] { return watched.said("\"integrator\":\"euler\""); }));
  EXPECT_GT(watched.time(), 0.04);
  SettingsCommand wrong;
  wrong.change.step = -1;
  watched.run.post(wrong);
  EXPECT_TRUE(watched.eventually([&] { return watched.said("\"type\":\"error\""); }));
  const double before = watched.time();
  EXPECT_TRUE(watched.eventually([&] { return watched.time() > before + 0.05; }));  // and goes on as it was
}

TEST(LiveRun, AGhostRunsBesideIt) {
  Watched watched;
  GhostCommand ghost{true, {}};
  ghost.change.method = MethodWords{.integrator = Integrator::euler};
  watched.run.post(ghost);
  ASSERT_TRUE(watched.eventually([&] { return watched.number<std::uint32_t>(4) == 1; }));
  watched.run.post(GhostCommand{false, {}});
  EXPECT_TRUE(watched.eventually([&] { return watched.number<std::uint32_t>(4) == 0; }));
}

TEST(LiveRun, ADragPullsWhileItRunsAndLeadsWhileItDoesNot) {
  Watched watched;
  const Vec3 far{-0.3, 0, -0.4};
  watched.run.post(DragCommand{0, {}, far});  // paused: it is there at once, and no time passes
  ASSERT_TRUE(watched.eventually([&] { return std::abs(watched.value(0) + 0.3F) < 1e-3F; }));
  EXPECT_EQ(watched.time(), 0);
  watched.run.post(PlayCommand{});
  const Vec3 up{0.5, 0, 0};
  watched.run.post(DragCommand{0, {}, up});  // running: against gravity, to the side
  EXPECT_TRUE(watched.eventually([&] { return watched.value(0) > 0.45F; }));
  watched.run.post(ReleaseCommand{});
  EXPECT_TRUE(watched.eventually([&] { return watched.value(2) < -0.3F; }));
}

TEST(LiveRun, CommandsThatWaitAreBounded) {
  LiveRun run(load_text(kPendulum));  // not started: nobody takes them
  int taken = 0;
  for (int i = 0; i < 10000; ++i) taken += run.post(PlayCommand{});
  EXPECT_LT(taken, 1000);
}

// A ghost whose steps are a hundred thousand to one of the run's: the run waits for it, but answers and ends in between.
TEST(LiveRun, AGhostWithShortStepsKeepsNobodyWaiting) {
  Watched watched;
  SettingsCommand slow;
  slow.change.step = 0.1;
  watched.run.post(slow);
  GhostCommand ghost{true, {}};
  ghost.change.step = 1e-6;
  watched.run.post(ghost);
  watched.run.post(SpeedCommand{0});
  watched.run.post(PlayCommand{});
  ASSERT_TRUE(watched.eventually([&] { return watched.time() >= 0.1; }));
  watched.run.post(PauseCommand{});
  ASSERT_TRUE(watched.eventually([&] { return watched.said("\"playing\":false"); }));
  EXPECT_LT(watched.time(), 1);        // it could not run away from its ghost
  EXPECT_TRUE(watched.run.stop(60s));  // and is not in the middle of a hundred thousand steps
}

// Where the steps fit, the ghost is at the time of the run whenever the run is asked.
TEST(LiveRun, AGhostOfTheSameMethodIsWhereTheRunIs) {
  Watched watched;
  GhostCommand ghost{true, {}};
  ghost.change.step = 5e-4;
  watched.run.post(ghost);
  for (int i = 0; i < 20; ++i) watched.run.post(StepCommand{});
  ASSERT_TRUE(watched.eventually([&] { return std::abs(watched.time() - 0.02) < 1e-9; }));
  const int columns = static_cast<int>(watched.number<std::uint32_t>(0));
  EXPECT_TRUE(watched.eventually([&] { return std::abs(watched.value(columns) - watched.value(0)) < 1e-6F; }));
}

TEST(LiveRun, StoppingARunThatWasNotStartedIsDoneAtOnce) {
  LiveRun run(load_text(kPendulum));
  EXPECT_TRUE(run.stop(1s));
}

// A servo goes where its slider is, and stays there when the method changes; a slider of the model acts at once.
TEST(LiveRun, SlidersMoveServosAndChangeTheModel) {
  Watched watched(R"(
simulate: {step: 1e-3}
bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.001], position: [0.3, 0, -0.4]}}
joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]}}
actuators: [{joint: pivot, kind: position, kp: 500, kv: 50, signal: 0}]
)");
  EXPECT_NE(watched.run.hello()->find("pivot: set-point +"), std::string::npos);
  EXPECT_NE(watched.run.hello()->find("gravity"), std::string::npos);
  watched.run.post(ControlCommand{0, 0.5});
  watched.run.post(ParameterCommand{0, 0.0});  // without gravity nothing holds the servo back
  SettingsCommand other;
  other.change.method = Method::spook;
  watched.run.post(other);
  watched.run.post(SpeedCommand{0});
  watched.run.post(PlayCommand{});
  ASSERT_TRUE(watched.eventually([&] { return watched.time() >= 2; }));
  constexpr int kAngle = 13;  // joint.pivot.q[0], after the 13 columns of the body
  EXPECT_NEAR(watched.value(kAngle), 0.5F, 1e-4F);
  EXPECT_FALSE(watched.said("error"));
  watched.run.post(ControlCommand{7, 0.0});
  watched.run.post(ParameterCommand{0, -5.0});
  EXPECT_TRUE(watched.eventually([&] { return watched.said("no such control") && watched.said("outside of"); }));
}

TEST(Command, MalformedTextIsAnError) {
  for (const char* text : {"",
                           "x",
                           "[]",
                           "{}",
                           "null",
                           "{\"type\":1}",
                           "{\"type\":\"fly\"}",
                           "{\"type\":\"speed\"}",
                           "{\"type\":\"speed\",\"value\":1e400}",
                           "{\"type\":\"speed\",\"value\":-1}",
                           "{\"type\":\"seek\",\"time\":\"now\"}",
                           "{\"type\":\"drag\",\"body\":7,\"point\":[0,0,0],\"target\":[0,0,0]}",
                           "{\"type\":\"drag\",\"body\":0.5,\"point\":[0,0,0],\"target\":[0,0,0]}",
                           "{\"type\":\"drag\",\"body\":0,\"point\":[0,0],\"target\":[0,0,0]}",
                           "{\"type\":\"drag\",\"body\":0,\"point\":[0,0,1e300],\"target\":[0,0,0]}",
                           "{\"type\":\"settings\",\"step\":0}",
                           "{\"type\":\"settings\",\"method\":\"magic\"}",
                           "{\"type\":\"ghost\",\"on\":3}",
                           "{\"type\":\"control\",\"index\":-1,\"value\":0}",
                           "{\"type\":\"parameter\",\"index\":0.5,\"value\":0}",
                           "{\"type\":\"control\",\"index\":0}"})
    EXPECT_THROW(parse_command(text, 2), InputError) << text;
  EXPECT_THROW(parse_command(std::string(4000, '['), 2), InputError);
  EXPECT_TRUE(std::holds_alternative<DragCommand>(
      parse_command("{\"type\":\"drag\",\"body\":1,\"point\":[0,0,0],\"target\":[1,2,3]}", 2)));
}

TEST(Door, TokensDiffer) {
  EXPECT_EQ(random_token().size(), 32U);
  EXPECT_NE(random_token(), random_token());
}

}  // namespace live_run_test
}  // namespace catena
