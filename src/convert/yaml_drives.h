// Tendons, actuators with inputs, sites and sensors as scene files write them.
#pragma once

#include <string>

#include "catena/convert/writing.h"

namespace catena {

// Each is a section of the file, empty where there is nothing to say. What cannot be said goes to the losses.
std::string tendons_text(const Model& model);
std::string actuators_text(const Model& model);
// Those with inputs; some of the actuators stand for them.
std::string controls_text(const Model& model, Losses& losses);
std::string sites_text(const Model& model);
std::string sensors_text(const Model& model, Losses& losses);
// `{polynomial: […]}` or `{table: […]}`.
std::string curve_text(const SpringCurve& curve);

}  // namespace catena
