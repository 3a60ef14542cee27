// A scene as the page reads it (viewer/src/format.ts).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "catena/model/model.h"
#include "catena/model/settings.h"

namespace catena {

nlohmann::json scene_json(const Model& model, const Settings& settings);

// How a run is computed: method, integrator, stabilise, solver, step.
nlohmann::json run_json(const Settings& settings);

}  // namespace catena
