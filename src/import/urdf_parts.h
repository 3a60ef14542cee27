// Parts of the URDF reader that are not links and joints.
#pragma once

#include <map>
#include <string>

#include "catena/import/rules.h"

namespace catena {

// Fails where macros of xacro have still to be expanded.
void refuse_macros(const XmlTree& tree, const XmlNode& node);

// Joints to the reductions of their transmissions, which stand with the joint or the actuator: motor turns a turn of the joint.
std::map<std::string, double> read_reductions(const XmlTree& tree, LedgerWriter& ledger);

}  // namespace catena
