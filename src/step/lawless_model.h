// Holds the model whose joints have no laws of their own, built before the stepper that refers to it.
#pragma once

#include "catena/step/laws.h"

namespace catena {

struct LawlessModel {
  explicit LawlessModel(const Model& model) : lawless(without_lawful_joints(model)) {}
  Model lawless;
};

}  // namespace catena
