// `sites:` and `sensors:` of a scene file.
#pragma once

#include "catena/scene/draft.h"

namespace catena {

// sites: {NAME: {body: BODY, at: [x, y, z], orientation: …}}, in the body's coordinates from its centre of mass.
void read_sites(const Value& sites, Draft& draft);

// sensors: {NAME: {kind: gyro, site: SITE}}; `joint: JOINT` or `body: BODY` where the kind sits on those, `against: SITE or BODY`.
void read_sensors(const Value& sensors, Draft& draft);

}  // namespace catena
