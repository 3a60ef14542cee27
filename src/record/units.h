// Units of the columns of a recording where there is no model: by their names alone (with a model: run_info.h).
#pragma once

#include <string>
#include <vector>

namespace catena {

// The SI unit of each column; empty for coordinates of joints and for sensors, whose kinds are not known.
std::vector<std::string> column_units(const std::vector<std::string>& columns);

}  // namespace catena
