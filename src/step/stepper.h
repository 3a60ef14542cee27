// Takes steps: by the method asked for and, where that cannot take one, by others in its place.
//
// A step that a method cannot take (its joints do not close, its numbers overflow, it gains energy, however short its parts) is taken from the
// same state by the implicit scheme at velocity level (velocity_method.h) and, where that fails too, by the same scheme taken at the end of
// the step, of first order, which closes joints as far as it can and never gains energy. The report counts such steps and says why.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/contact/sleep.h"
#include "catena/step/step_loop.h"

namespace catena {

class Stepper {
 public:
  // The schemes that may take a step: the method asked for, the implicit one, and the one of first order that refuses none (velocity_method.h).
  enum class Kind { asked, implicit, always };

  // `initial` must be assembled. Throws InputError when the settings ask for what the method does not do. Keeps a reference to the model.
  Stepper(const Model& model, const SharedState& initial, const Settings& settings);

  // One step of at most h, ending no later than state.time + h. On failure the state is left as it was before the step.
  StepReport step(double h, State& state);

  // Accelerations and multipliers at the state, for reading. Uses the factorisation of the last step when it is there.
  bool evaluate(const State& state);
  // Somebody changed the state.
  void invalidate() { first().method().forget(); }

  // What states carry of the coordinates of joints after a step; and whether this one does: its bodies are where its coordinates say.
  std::span<const CarriedCoordinate> carried() const { return schemes_.front().loop->method().carried(); }
  bool carries(const State& state);

  // What each contact did in the last step; what met in it and rebounded; what contacts and other laws pushed the bodies with at its end [N].
  const std::vector<ContactForce>& contact_forces() const { return last().contacts.forces(); }
  const std::vector<Impact>& impacts() const { return last().impacts.list(); }

  // How often contacts have been searched for, over all pairs of shapes, by what took the last step.
  int searches() const { return last().laws ? last().laws->searches() : 0; }

  // Steps end, with the status `interrupted` and the state they began with, soon after `stop` is set; null: never.
  void stop_when(const std::atomic<bool>* stop);

  // Why every step is taken by another scheme than the one asked for; empty: not all are.
  const std::string& why_replaced() const { return why_replaced_; }
  // The integrator that runs, also where the settings leave it open.
  Integrator integrator() const { return schemes_.front().loop->method().integrator(); }

  // What its steps of several worlds at once are made of; none where there are no such steps, and why.
  std::optional<PlainStep> plain_step(std::string& why);

  Dynamics& dynamics() { return first().context().dynamics; }
  Projection& projection() { return first().context().projection; }

 private:
  // By the schemes in turn. Where bodies that sleep have to be woken first, they are in touched().
  StepReport step_awake(double h, State& state);
  StepReport step_resting(double h, State& state);  // everything sleeps
  const std::vector<BodyId>& touched() const { return last().touched; }
  void follow_sleepers(const State& state);
  void leave_out_sleepers(StepContext& context) const;
  void keep_sleepers(const State& before, State& state);

  struct Scheme {  // one that may take a step
    Kind kind;
    std::unique_ptr<StepLoop> loop;  // made when it first has to
  };
  StepLoop& first() { return *schemes_.front().loop; }
  StepLoop& made(Scheme& scheme);
  const StepContext& last() const { return schemes_[last_].loop->context(); }
  StepContext& last() { return schemes_[last_].loop->context(); }

  const Model* model_;
  Settings asked_;
  SharedState initial_;          // joint coordinates count from it, whenever a scheme is made
  std::vector<Scheme> schemes_;  // in the order in which they are tried; without one that would take no step
  std::string why_replaced_;
  const std::atomic<bool>* stop_ = nullptr;
  std::size_t last_ = 0;  // which took the last step
  // Bodies that sleep, and what they are left with: what contacts and other laws push them with.
  std::optional<Sleep> sleep_;
  struct Kept {
    std::vector<Rest> rests;  // of the state it is of
    std::vector<ContactForce> forces;
    std::vector<BodyVector> load;  // N, N·m                                              (n_body)
    std::vector<WarmImpulse> impulses;
  } kept_;
  State before_;  // the step
};

}  // namespace catena
