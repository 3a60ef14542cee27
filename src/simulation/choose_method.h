// What `auto` means for a model: the method, and why.
#pragma once

#include <string>

#include "catena/model/model.h"
#include "catena/model/settings.h"

namespace catena {

struct MethodChoice {
  Method method = Method::lagrange;
  std::string why;
};

// Laws (contacts, limits, dry friction, bounded motors, compliance) want spook or operational; without them lagrange is more accurate.
MethodChoice choose_method(const Model& model, const Settings& settings);

}  // namespace catena
