// A scene: what a file or a builder gives and a simulation starts from.
#pragma once

#include <string>

#include "catena/model/model.h"
#include "catena/model/settings.h"
#include "catena/model/state.h"

namespace catena {

struct Scene {
  Model model;
  State initial;  // as written; Simulation assembles it onto the constraints
  Settings settings;
  Warnings warnings;   // each with its file:line:column
  std::string source;  // the text of the file, kept in recordings
};

}  // namespace catena
