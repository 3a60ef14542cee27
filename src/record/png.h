// A chart as pixels.
#pragma once

#include <string>

namespace catena {

// The picture an SVG draws, as the bytes of a PNG file on white, `scale` pixels for each of its own. Throws std::runtime_error where it
// cannot be drawn.
std::string svg_to_png(const std::string& svg, double scale = 2);

}  // namespace catena
