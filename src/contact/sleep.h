// Bodies that have come to rest are left out of the steps until something wakes them.
//
// An island is what joints, springs, tendons and contacts tie together; the ground ties nobody. One whose bodies have all kept still for a while,
// under loads that do not change with time, falls asleep: its velocities become zero, its state keeps its bits, and no forces, contacts or limits
// are computed for it. It wakes as a whole, before the step in question is taken, when a body that is awake may touch it in that step, when a force on
// one of its bodies, a control of it or gravity has changed by more than a millionth, or when one of its bodies has been moved from outside. Everything is in the State: restore = replay.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "catena/collide/contact.h"
#include "catena/mechanism/forces.h"
#include "catena/model/model.h"
#include "catena/model/state.h"
#include "catena/model/tuning.h"

namespace catena {

class Sleep {
 public:
  Sleep(const Model& model, const SleepTuning& tuning);

  // Before a step: wakes what has been moved from outside, or is under other loads than those it fell asleep with.
  void begin(const Forces& forces, State& state);
  // Whether a body is asleep; of all of them, after begin() or wake().
  const std::vector<char>& asleep() const { return asleep_; }
  int count() const { return count_; }
  bool is_everything() const { return count_ > 0 && count_ == static_cast<int>(asleep_.size()); }
  // Wakes the islands of these bodies.
  void wake(std::span<const BodyId> bodies, State& state);

  // After a step of h: those asleep are where they were `before` it. `contacts` of the others tie them together.
  // True: islands have fallen asleep, and their velocities are zero now; seal() once nothing touches the state any more.
  bool end(double h, const State& before, const std::vector<Contact>& contacts, State& state);
  // What those that sleep have to look like until they wake.
  void seal(State& state) const;

 private:
  bool may_sleep(std::size_t body, double time) const;
  bool is_still(std::size_t body, const BodyState& s) const;
  void read_loads(const Forces& forces);
  std::uint64_t bits_of(std::size_t body, const BodyState& state) const;
  void read(const State& state);
  int find(int body);
  void join(BodyId a, BodyId b);
  void tie(const std::vector<BodyId>& bodies);
  void tie_controls();
  void find_restless();

  const Model* model_;
  SleepTuning tuning_;
  std::vector<double> radius_;  // of gyration [m]                                                  (n_body)
  std::vector<char> restless_;  // a signal moves or drives it                                      (n_body)
  std::vector<int> tied_;       // its island without contacts, by one of the bodies of it          (n_body)
  std::vector<int> root_;
  std::vector<char> asleep_, ready_;
  int count_ = 0;
  struct Pushed {
    std::vector<BodyId> by_joint,
        by_control;  // a body of it                                      (n_joint), (n_control)
  } pushed_;
  std::vector<std::uint64_t> loads_;  // hash of what the user pushes with, and of gravity           (n_body)
};

}  // namespace catena
