// What `auto` means for a model: the method, and why.
#pragma once

#include <string>

#include "catena/joints/constraint_system.h"
#include "catena/model/model.h"
#include "catena/model/settings.h"
#include "catena/model/state.h"

namespace catena {

struct MethodChoice {
  Method method = Method::lagrange;
  std::string why;
};

// Laws (contacts, limits, dry friction, bounded motors, compliance), rotors, and springs, dampers or servos too stiff for explicit steps of
// settings.step (mechanism/stiffness.h) want spook or operational; without them lagrange is more accurate.
MethodChoice choose_method(const Model& model, const State& initial, const Settings& settings);

// What `coordinates: auto` means for a method: joint coordinates for operational, unless loops are cheaper to eliminate among the bodies than as
// `sizes.auxiliary_rows` dense rows of the joint coordinates; maximal ones for the others.
Coordinates choose_coordinates(const SystemSizes& sizes, const Settings& settings);

}  // namespace catena
