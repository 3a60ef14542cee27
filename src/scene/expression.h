// Parameters of a scene and expressions over them: a text that begins with '=' is replaced by the number it comes to.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "catena/scene/value.h"

namespace catena {

using Parameters = std::map<std::string, double, std::less<>>;

// Numbers, parameters, pi, + − * / ^ (to the right), parentheses, and sin cos tan asin acos atan atan2 sqrt exp log abs floor min max.
// Throws std::invalid_argument with what is wrong.
double evaluate_expression(std::string_view text, const Parameters& parameters);

// Takes `parameters:` out of the scene and puts numbers in the place of all expressions. Parameters are numbers, quantities with a unit
// (which count in SI units) or expressions over those above them; `given` replaces those of the same name, and must name some.
// Throws InputError with the place.
void resolve_parameters(Value& root, const Value* given = nullptr);

}  // namespace catena
