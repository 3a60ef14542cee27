// Shapes that overlap where a run begins. Rigid bodies cannot: a method moves them apart in its first step, which joints may not let it do.
#pragma once

#include <vector>

#include "catena/model/model.h"

namespace catena {

struct StartingOverlap {
  BodyId a, b;                   // b is kGround where a overlaps the ground
  int shape_a = 0, shape_b = 0;  // those that overlap most
  double depth = 0;              // m
};

// Shallower ones are rounding of what was written to touch.
inline constexpr double kShallowStart = 1e-6;  // m

// Pairs of bodies that may touch and overlap by more than `shallow` at `state`, each once, in the model's order. Costs one search for contacts.
std::vector<StartingOverlap> starting_overlaps(const Model& model, const State& state, double shallow = kShallowStart);

}  // namespace catena
