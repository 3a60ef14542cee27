// Surfaces of joints: the keys `surface`, `surfaces`, `slides` and `inside`.
#pragma once

#include "catena/model/placement.h"
#include "catena/scene/fields.h"

namespace catena {

// surface: {sphere: 0.5, at: [0, 0, 1], orientation: …}; surfaces: two of them. Kinds: plane (a normal), sphere and cylinder (a radius),
// torus ({radius, tube}), ellipsoid (three radii), height_field ({spacing, heights}).
void read_surfaces(const Fields& fields, JointSpec& spec);

}  // namespace catena
