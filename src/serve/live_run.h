// A simulation that runs beside whoever watches it: its own thread, commands in, frames and words out. It waits for nobody.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catena/serve/command.h"
#include "catena/simulation/manipulator.h"

namespace catena {

using Bytes = std::shared_ptr<const std::string>;

// Where frames and words go. Called from the run's thread; must not block.
struct Audience {
  std::function<void(Bytes)> frame;  // a newer one makes the last one superfluous
  std::function<void(Bytes)> words;  // JSON, to be delivered in order
};

class LiveRun {
 public:
  // Throws InputError as Simulation does. Begins at `from`, a state of the scene's model, where one is given.
  explicit LiveRun(const Scene& scene, const State* from = nullptr);
  ~LiveRun();  // stops the thread
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  void start(Audience audience);
  // Ends the thread after the step it is in. Waits for that; or, given `patience`, at most so long: false when it is still in that step, and
  // then the process can only be left as it is.
  void stop();
  bool stop(std::chrono::duration<double> patience);

  // False when too many wait already. Drags replace the drag that waits.
  bool post(Command command);

  Bytes hello() const { return hello_; }  // the scene, in words: what a page needs first
  std::size_t bodies() const { return scene_.model.bodies.size(); }
  Bytes latest_frame() const;
  Bytes latest_status() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Pull {
    DragCommand command;
    double mass = 0;  // kg, what the force feels
  };

  void loop();
  void take_commands();
  void act(const PlayCommand&);
  void act(const PauseCommand&);
  void act(const StepCommand&);
  void act(const ResetCommand&);
  void act(const ReleaseCommand&);
  void act(const SpeedCommand&);
  void act(const SeekCommand&);
  void act(const SettingsCommand&);
  void act(const GhostCommand&);
  void act(const DragCommand&);
  void act(const ControlCommand&);
  void act(const ParameterCommand&);
  void rebuild(Scene scene);  // a simulation of another scene at the present state; throws before anything has changed
  void apply_controls();

  void advance(Clock::time_point until);  // one picture's worth of time, or what can be had of it
  bool step_to(double time);
  bool ghost_follows(Clock::time_point until);
  bool ghost_is_behind() const { return ghost_ && ghost_->time() < simulation_->time(); }
  bool stirred() const;  // there is something else to do
  void apply_pull();
  void let_go();
  void go_to(const State& state);
  void remember();
  void publish();
  void say_status();
  void say_error(const std::string& message);

  Scene scene_;
  const Model original_;                       // before parameters were changed
  std::vector<double> controls_, parameters_;  // as the sliders stand
  std::unique_ptr<Simulation> simulation_, ghost_;
  std::unique_ptr<Manipulator> manipulator_;
  Settings ghost_settings_;
  Bytes hello_;
  State start_;
  Audience audience_;
  std::vector<State> history_;  // a state a picture, by time; the oldest go when there are too many
  std::size_t history_capacity_;
  std::vector<double> row_;
  std::optional<Pull> pull_;
  bool playing_ = false, changed_ = true;
  double speed_ = 1, owed_ = 0;  // owed_: simulated seconds that real time is ahead
  double factor_ = 0;            // simulated seconds a second, lately

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::deque<Command> commands_;
  Bytes frame_, status_;
  bool stopping_ = false, stopped_ = true;  // stopped_: the thread is not there, or about to end
  std::thread thread_;
};

}  // namespace catena
