// Inputs of the model's controls, and the activations that follow them.
#include <algorithm>

#include "catena/math/scalar.h"
#include "catena/model/transmission.h"
#include "catena/simulation/simulation_impl.h"

namespace catena {
void Simulation::Impl::first_inputs() {
  inputs.assign(model->controls.size(), 0);
  state.activation.resize(inputs.size());
  active = std::any_of(model->controls.begin(), model->controls.end(), [](const Control& c) {
    return c.dynamics != Control::Dynamics::none || !std::holds_alternative<Constant>(c.signal);
  });
  if (model->keyframes.empty() || !model->keyframes.front().name.empty()) return;
  const std::vector<double>& start =
      model->keyframes.front().ctrl;  // nameless: where the scene starts (import/import.h)
  if (start.size() != inputs.size()) return;
  std::copy(start.begin(), start.end(),
            stepper->dynamics().forces().control.begin() + static_cast<std::ptrdiff_t>(model->actuators.size()));
}

// The inputs as they are over the next h seconds (0: at this moment), to where forces are computed from them.
void Simulation::Impl::load_inputs(double h) {
  Forces& forces = stepper->dynamics().forces();
  std::vector<double>& set = forces.control;
  state.activation.resize(inputs.size());  // a state from elsewhere may have none: zeros
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Control& c = model->controls[i];
    const double u = set[model->actuators.size() + i] + value(c.signal, state.time + 0.5 * h);
    const double x = acting_input(c, u, follow(c, state.activation[i], u, length_of(c), h).mean);
    if (u != inputs[i] || x != forces.acting[i]) evaluated = false;
    inputs[i] = u;
    forces.acting[i] = x;
    if (c.actuator < 0) continue;
    auto k = at(c.actuator);
    each_term(*model, c, [&](JointId, int, double g) {
      const Actuator& actuator = model->actuators[k];
      set[k++] = set_point(c, actuator, g, x) - value(actuator.signal, state.time);
    });
  }
}

// The length of the transmission where the activation depends on it, else 0.
double Simulation::Impl::length_of(const Control& drive) {
  if (drive.dynamics != Control::Dynamics::error_integral) return 0;
  read_coordinates();
  double length = 0;
  each_term(*model, drive, [&](JointId joint, int coordinate, double g) {
    length += g * coordinates.q[at(layout.of(joint).q + coordinate)];
  });
  return length;
}

void Simulation::Impl::follow_inputs(double h) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Control& c = model->controls[i];
    if (c.dynamics != Control::Dynamics::none)
      state.activation[i] = follow(c, state.activation[i], inputs[i], length_of(c), h).end;
  }
}

}  // namespace catena
