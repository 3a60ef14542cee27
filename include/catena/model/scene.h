// A scene: what a file or a builder gives and a simulation starts from.
#pragma once

#include <string>
#include <vector>

#include "catena/model/import_ledger.h"
#include "catena/model/model.h"
#include "catena/model/settings.h"
#include "catena/model/state.h"

namespace catena {

// Where something was written. Lines and columns count from 1.
struct Place {
  int file = 0;  // index into Scene::files
  int line = 0, column = 0;
};

struct Scene {
  Model model;
  State initial;  // as written; Simulation assembles it onto the constraints
  Settings settings;
  Warnings warnings;                // each with its file:line:column
  std::string source;               // the text of the file, with includes and overrides put in; kept in recordings
  std::vector<std::string> files;   // the file and those it includes
  std::vector<Place> joint_places;  // of each joint, where the scene came from a file
  ImportLedger ledger;              // of a file in another format

  // "file:line:column: " of a joint, empty when it was not read from a file.
  std::string where(JointId joint) const {
    if (joint >= joint_places.size()) return {};
    const Place& at = joint_places[joint];
    return files[static_cast<std::size_t>(at.file)] + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
           ": ";
  }
};

}  // namespace catena
