// Bodies held together by joints, whether directly or through others: a mechanism. The ground joins nobody.
#pragma once

#include <vector>

#include "catena/model/model.h"

namespace catena {

// Of each body one body of its mechanism, the same for all of them.
std::vector<int> mechanisms(const Model& model);

// The bodies a joint acts on, those of a coupling's rows too. With repetitions.
std::vector<BodyId> bodies_of(const Model& model, const Joint& joint);

}  // namespace catena
