#include "catena/import/urdf_parts.h"

#include <fmt/format.h>

#include <vector>

#include "catena/import/numbers.h"
#include "catena/model/error.h"

namespace catena {

void refuse_macros(const XmlTree& tree, const XmlNode& node) {
  const bool definition = node.name.starts_with("xacro:");
  bool open = definition && node.name != "xacro:property" && node.name != "xacro:arg";
  for (const auto& [key, value] : node.attributes)
    open = open || (!definition && (value.find("${") != std::string::npos || value.find("$(") != std::string::npos));
  if (open)
    fail(tree, node,
         fmt::format("'{}' is a macro of xacro, or refers to one; expand the file first: xacro FILE > robot.urdf",
                     node.name));
  for (const XmlNode& child : node.children) refuse_macros(tree, child);
}

std::map<std::string, double> read_reductions(const XmlTree& tree, LedgerWriter& ledger) {
  std::map<std::string, double> out;
  for (const XmlNode& node : tree.root.children) {
    if (node.name != "transmission") continue;
    std::vector<std::string> joints;
    double ratio = 1;
    for (const XmlNode& part : node.children) {
      if (part.name != "joint" && part.name != "actuator") continue;
      if (const std::string* name = part.find("name"); name && part.name == "joint") joints.push_back(*name);
      const XmlNode* reduction = part.child("mechanicalReduction");
      if (reduction == nullptr) continue;
      try {
        ratio = read_one(tree, *reduction, "mechanicalReduction", reduction->text);
      } catch (const InputError&) {  // a placeholder that was never filled in
        ledger.note(*reduction, "", Fate::ignored, fmt::format("'{}' is not a number", reduction->text));
      }
    }
    if (ratio == 0) fail(tree, node, "mechanicalReduction: must not be zero");
    if (joints.size() == 1) out[joints[0]] = ratio;
    else ledger.note(node, "", Fate::ignored, "a transmission to several joints is not modelled", false);
  }
  return out;
}

}  // namespace catena
