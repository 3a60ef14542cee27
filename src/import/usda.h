// USD text (.usda): the physics subset of rigid bodies, joints, drives and simple shapes.
#pragma once

#include "catena/import/import.h"
#include "catena/import/robot.h"
#include "catena/import/rules.h"

namespace catena {

const Format& usda_format();

// Prims as a tree: the type of a prim is the element ("prim" where it has none), its properties are the attributes, with values as words
// separated by blanks; `name`, `path` and `apiSchemas` are attributes too. The root is "usda". Depth and size are bounded; references,
// payloads, variants and time samples are not followed. Throws InputError.
XmlTree parse_usda(std::string_view text, const std::string& name);

BuiltRobot read_usda(const XmlTree& tree);

}  // namespace catena
