// A method of stepping, as the loop over the parts of a step (step_loop.h) sees it: what is its own, and nothing of what all methods share.
#pragma once

#include <optional>

#include "catena/contact/part.h"
#include "catena/mechanism/mechanism.h"
#include "catena/step/plain_step.h"

namespace catena {

class StepMethod {
 public:
  // Refers to what it shares with the loop.
  explicit StepMethod(StepContext& context) : context_(context) {}
  virtual ~StepMethod() = default;
  StepMethod(const StepMethod&) = delete;
  StepMethod& operator=(const StepMethod&) = delete;

  // The integrator that runs, also where the settings leave it open: of methods that integrate, rk4.
  virtual Integrator integrator() const {
    const Integrator asked = settings().method.integrator();
    return asked == Integrator::automatic ? Integrator::rk4 : asked;
  }

  // Before the first part of a step of h: places the state.
  virtual void begin(double /*h*/, State& state) { place(state); }
  // The kinematics, and the mechanism where there is one, to the state a later part starts from.
  virtual void place(State& state) { dynamics().kinematics().update(model(), state); }
  // What the states of its steps carry of the coordinates (mechanism.h).
  virtual std::span<const CarriedCoordinate> carried() const { return {}; }
  // Whether the rotors of motors (armature) take part in its motion, without the implicit scheme.
  virtual bool takes_rotors() const { return false; }
  // How the part with this number of a step is taken. The laws have been found.
  virtual PartOfStep plan(int number) const = 0;

  // IMPACTS: meetings faster than this [m/s or rad/s] rebound before a part begins, by the mechanism at the state placed, factored.
  virtual double slowest_impact() const { return context_.settings.restitution_threshold; }
  virtual Mechanism& factored_mechanism(State& state) = 0;
  virtual int facets() const { return 0; }  // of friction pyramids that the laws do not have already
  virtual solve::Solution answer_impact(const solve::Problem& problem) { return context_.impacts.answer(problem); }

  // THE PAPER: moves the state, which is still that of `before`, by the part, or less where a law begins or ends to act before its end. Returns how far, 0 where only velocities
  // have changed. On failure the report says why.
  virtual double advance(PartOfStep part, const State& before, State& state) = 0;

  // Joints, and what touches, onto their constraints. Not called where the part has failed.
  virtual Closing close(State& /*state*/) { return {}; }
  // Whether the part just taken from `before` is to be taken again in halves: it failed, its joints could not be closed, or it gained energy.
  // Where it cannot be halved any more it has failed instead.
  virtual bool is_refused(const PartOfStep& /*part*/, double /*done*/, const Closing& /*closing*/,
                          const State& /*before*/, const State& /*state*/) {
    return false;
  }
  // What overlaps after the part, apart. `next`: what the next search for contacts looks ahead [s].
  virtual void separate(double /*next*/, const State& /*before*/, State& /*state*/) {}
  // After the last part of a step of h from `before`.
  virtual void end(double h, const State& before, State& state) = 0;

  // Accelerations and multipliers at a state, for reading; with more forces on the bodies.
  virtual bool evaluate(const State& state) { return evaluate_with(context_.load, state); }
  bool evaluate_with(std::span<const BodyVector> load, const State& state);
  // What steps of several worlds at once are made of; none: it does not step in joint coordinates.
  virtual std::optional<PlainStep> plain_step() { return {}; }
  // Somebody changed the state: nothing that is known of it holds.
  virtual void forget() { context_.factored.forget(); }

 protected:
  // Parts are cut where laws begin and end to act, the first `most` of a step.
  PartOfStep cut_at_events(int number, int most) const {
    const bool cut = context_.laws && number < most;
    return {.whole = settings().step, .cut = cut, .watched = cut};
  }
  Mechanism& factored(Mechanism& mechanism, State& state) const {
    mechanism.place(state);
    mechanism.factor({});
    context_.factored.forget();
    return mechanism;
  }
  const Model& model() const { return context_.model(); }
  const Settings& settings() const { return context_.settings; }
  Dynamics& dynamics() { return context_.dynamics; }
  const Dynamics& dynamics() const { return context_.dynamics; }
  StepReport& report() { return context_.report; }

  StepContext& context_;
};

inline bool StepMethod::evaluate_with(std::span<const BodyVector> load, const State& state) {
  if (!context_.factor(state) || !dynamics().accelerations(state, 0, false)) return false;
  if (!load.empty()) dynamics().push(load);
  return true;
}

}  // namespace catena
