// What a page may change by sliders while a simulation runs: inputs of controls and actuators, and numbers of the model.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/model/model.h"

namespace catena {

struct SliderInfo {
  std::string name, unit;
  double low = 0, high = 1, value = 0;
};

// One for each number of Simulation::ctrl(), in that order, standing at `ctrl`.
std::vector<SliderInfo> control_sliders(const Model& model, std::span<const double> ctrl);

// Gravity, the friction of each material that a shape has, and the speed of each motor that runs at a constant one.
std::vector<SliderInfo> parameter_sliders(const Model& model);
// The model with other values of these, one for each of its sliders, in that order. Throws InputError for values outside of the sliders' ranges.
Model with_parameters(const Model& model, std::span<const double> values);

}  // namespace catena
