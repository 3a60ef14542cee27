// MuJoCo's XML into a scene.
#pragma once

#include "catena/import/import.h"
#include "catena/import/robot.h"
#include "catena/import/rules.h"

namespace catena {

// Whether an attribute of MJCF refers by name to a part of a body, a tendon or an actuator.
bool refers_in_mjcf(std::string_view attribute);

const Format& mjcf_format();
std::span<const Rule> mjcf_actuator_rules();
std::span<const Rule> mjcf_tendon_rules();

// Replaces `attach` elements by what they name; returns which sections of the other files were left out. `depth`: how many models deep.
std::string expand_attachments(XmlTree& tree, const std::filesystem::path& folder, int depth = 0);

BuiltRobot read_mjcf(const XmlTree& tree, const std::filesystem::path& folder, const ImportOptions& options);

}  // namespace catena
