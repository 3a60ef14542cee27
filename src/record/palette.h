// The colours that bodies have where the scene gives none; viewer/src/colours.ts has the same.
#pragma once

#include <array>
#include <cstddef>

namespace catena {

using Rgb = std::array<double, 3>;  // linear light, 0 … 1

// Few bodies get colours that differ; many get a ramp, so that neighbours look alike.
Rgb body_colour(std::size_t index, std::size_t count);
Rgb ground_colour();

double linear_light(double srgb);  // of one component, 0 … 1

}  // namespace catena
