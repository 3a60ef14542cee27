// Numbers as attributes write them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "catena/import/xml_tree.h"
#include "catena/math/rotation.h"

namespace catena {

// All numbers of a text, separated by blanks. Throws InputError at the node; numbers that are not finite are refused.
std::vector<double> read_numbers(const XmlTree& tree, const XmlNode& node, std::string_view attribute,
                                 std::string_view text, std::size_t least = 0, std::size_t most = 100'000'000);
double read_one(const XmlTree& tree, const XmlNode& node, std::string_view attribute, std::string_view text);
Vec3 read_three(const XmlTree& tree, const XmlNode& node, std::string_view attribute, std::string_view text);
// "true"/"false", "1"/"0".
bool read_flag(const XmlTree& tree, const XmlNode& node, std::string_view attribute, std::string_view text);

// The rotation that turns about fixed axes by roll (x), then pitch (y), then yaw (z).
Quat from_rpy(const Vec3& rpy);

}  // namespace catena
