// One step by one method: the loop over its parts. Everything about contact that is the same for all methods is here: when laws are searched for,
// when bodies that meet rebound, how a step that is cut goes on, how a part that fails is taken again, what is reported.
#pragma once

#include <memory>

#include "catena/step/method.h"

namespace catena {

class StepLoop {
 public:
  // By settings.method. `initial` must be assembled. `always`: see velocity_method.h.
  StepLoop(const Model& model, const SharedState& initial, const Settings& settings, bool always = false);

  // A step of at most h, ending no later than state.time + h. What it leaves in `state` counts only when the report is ok.
  void take(double h, State& state);

  // The state the last step was taken from.
  const State& before() const { return before_; }

  StepContext& context() { return context_; }
  const StepContext& context() const { return context_; }
  StepMethod& method() { return *method_; }
  const StepMethod& method() const { return *method_; }

 private:
  void throw_back(double h, double ahead, State& state);
  double length_of(const PartOfStep& part, double left, double most);

  StepContext context_;
  std::unique_ptr<StepMethod> method_;
  State before_, before_part_;
};

}  // namespace catena
