// Points and directions given in the frame of a body or of a site, instead of the world's.
#pragma once

#include "catena/scene/draft.h"

namespace catena {

// A joint or spring whose points ({body: crank, at: [0, 0, 1]} or {site: tip}) and directions ({body: crank, direction: [0, 0, 1]},
// {site: tip, direction: [1, 0, 0]}) are written out in world coordinates, less the draft's shift. Body coordinates count from the centre of
// mass, as those of sites do. Throws InputError.
Value in_world(const Value& joint, const Draft& draft);

}  // namespace catena
