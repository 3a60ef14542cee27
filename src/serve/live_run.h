// A simulation that runs beside whoever watches it: its own thread, commands in, frames and words out. It waits for nobody.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catena/serve/hand.h"
#include "catena/serve/mailbox.h"
#include "catena/serve/run_history.h"

namespace catena {

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
  bool post(const Command& command) { return mailbox_.post(command); }

  Bytes hello() const { return hello_; }  // the scene, in words: what a page needs first
  std::size_t bodies() const { return scene_.model.bodies.size(); }
  Bytes latest_frame() const { return mailbox_.latest_frame(); }
  Bytes latest_status() const { return mailbox_.latest_status(); }

 private:
  using Clock = Mailbox::Clock;

  // What the sliders of the page stand at.
  struct Sliders {
    const Model original;  // before parameters were changed
    std::vector<double> controls, parameters;
  };

  // A second run beside the first, with settings of its own; there is none where `simulation` is null.
  struct Ghost {
    std::unique_ptr<Simulation> simulation;
    Settings settings;
  };

  // How simulated time follows real time.
  struct Pace {
    bool playing = false;
    double speed = 1;   // times real time; 0: as fast as it goes
    double owed = 0;    // simulated seconds that real time is ahead
    double factor = 0;  // simulated seconds a second, lately
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
  bool ghost_is_behind() const { return ghost_.simulation && ghost_.simulation->time() < simulation_->time(); }
  void go_to(const State& state);
  void publish();
  void say_status();
  void say_error(const std::string& message);

  Scene scene_;
  Sliders sliders_;
  std::unique_ptr<Simulation> simulation_;
  Ghost ghost_;
  Hand hand_;
  RunHistory history_;
  Pace pace_;
  Bytes hello_;
  Audience audience_;
  std::vector<double> row_;  // what a frame shows
  bool changed_ = true;      // since the last frame

  Mailbox mailbox_;
  std::thread thread_;
};

}  // namespace catena
