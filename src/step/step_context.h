// What the loop over the parts of a step (step_loop.h) and its method share: the model and its dynamics, the laws found, and what is reported.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "catena/contact/contact_report.h"
#include "catena/contact/impacts.h"
#include "catena/laws/laws.h"
#include "catena/mechanism/factored_joints.h"
#include "catena/mechanism/mechanism.h"
#include "catena/mechanism/mechanism_scale.h"
#include "catena/model/settings.h"
#include "catena/model/tuning.h"
#include "catena/step/report.h"

namespace catena {

// On what terms steps are taken.
struct StepTerms {
  bool can_be_replaced = false;             // another scheme takes the steps that this one cannot
  const std::atomic<bool>* stop = nullptr;  // whoever sets it wants the step to end now
};

class StepContext {
 public:
  // `initial` must be assembled. `full` has the joints that laws hold, model() has not.
  StepContext(const Model& full, const SharedState& initial, const Settings& settings);
  const Model& model() const { return lawless.lawless; }

  const LawlessModel lawless;
  const Settings settings;
  const Tuning& tuning;  // of the settings
  Dynamics dynamics;
  Projection projection;
  std::unique_ptr<Laws> laws;    // null: the model has none, or the integrator no place for them
  Impacts impacts;               // of the step
  ContactReport contacts;        // of the step
  std::vector<BodyVector> load;  // what laws pushed with at the end of the last step [N]          (n_body)
  StepReport report;             // of the step being taken
  const MechanismScale scale;
  FactoredJoints factored;  // the joints of `dynamics`
  StepTerms terms;

  // τ of contacts and limits that give way: what is asked for, else so many steps as under spook [s].
  double relaxation_of(const LawBlock& block) const {
    return block.spring.relaxation > 0 ? block.spring.relaxation : tuning.velocity.relaxation * settings.step;
  }

  void fail(Status status, std::string message = {});
  // Where joints could not be closed.
  void fail_to_close(const Closing& left, double time);
  // The step gains energy [J].
  void fail_by_gain(double gained, double time);
  // Fails and names the body whose numbers are no longer finite, in a step from `time` on.
  bool find_not_finite(const State& state, double time);

  // Whether the step goes on: it has not failed, and nobody wants it to end. What takes long asks between its parts.
  bool goes_on(const State& state);

  // Bodies marked in `asleep` (sleep.h) have no laws among themselves; empty: none is asleep.
  void leave_out(const std::vector<char>& asleep);
  // Whether awake bodies may touch some of them within `ahead`, by the laws found. Those are `touched`, and the step has failed: they must be woken first.
  bool touches_sleepers(double ahead);
  std::vector<BodyId> touched;

  // Fills `laws`, where there are any, at the state of the kinematics, once. `ahead` [s]: Laws::find.
  void find_laws(double ahead);

  // Makes sure that the joints are factored at the positions of a state. False: they cannot be.
  bool factor(const State& state) { return factored.factor(state); }

  // Whether steps are taken in joint coordinates. Whoever makes a stepper has decided what `auto` means (simulation/choose_method.h).
  bool is_reduced() const { return settings.method.coordinates() == Coordinates::reduced; }

  // Kinetic and potential energy without the work that motors, actuators and loads, dampers and contacts have done so far: what no step may raise.
  double kept_energy(const State& state);

 private:
  std::uint64_t found_ = 0;  // stamp of the kinematics the laws were found at
};

// Work so far of motors, actuators and loads, which can put energy in [J]. Contacts, friction and dampers only take.
template <class Books>
auto work_put_in(const Books& l) {
  return l.motors + l.actuators + l.external;
}
// Work of all of them so far [J]: what may change the energy of a mechanism.
template <class Books>
auto work_done(const Books& l) {
  return work_put_in(l) + l.damping + l.contacts;
}

// Whether contacts, limits and the like are simulated: not by the adaptive integrator, which has no place for events.
bool enforces_laws(const Settings& settings);

}  // namespace catena
