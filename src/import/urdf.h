// URDF into a scene.
#pragma once

#include "catena/import/import.h"
#include "catena/import/robot.h"
#include "catena/import/rules.h"

namespace catena {

const Format& urdf_format();

BuiltRobot read_urdf(const XmlTree& tree, const std::filesystem::path& folder, const ImportOptions& options);

}  // namespace catena
