// SDF into a scene: a graph of links and joints, so loops are joints like all others.
#pragma once

#include "catena/import/import.h"
#include "catena/import/robot.h"
#include "catena/import/rules.h"

namespace catena {

const Format& sdf_format();

// Every <include> replaced by the model it names, with its own name, pose and static. Throws InputError.
XmlTree expand_sdf_includes(const XmlTree& tree, const std::filesystem::path& folder, const ImportOptions& options);

BuiltRobot read_sdf(const XmlTree& tree, const std::filesystem::path& folder, const ImportOptions& options);

}  // namespace catena
