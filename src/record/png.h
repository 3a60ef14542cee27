// A chart as pixels, or as a page of a document.
#pragma once

#include <string>

namespace catena {

// The picture an SVG draws, as the bytes of a PNG file on white, `scale` pixels for each of its own. Throws std::runtime_error where it
// cannot be drawn.
std::string svg_to_png(const std::string& svg, double scale = 2);

// The same as the bytes of a PDF file of one page, as vectors; 96 of the picture's pixels make an inch.
std::string svg_to_pdf(const std::string& svg);

}  // namespace catena
