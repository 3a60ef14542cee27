// Where points of a body are in its frame: scalable bodies scale them, forms take them along. The way back is to_body (model/placement.h).
#pragma once

#include "catena/model/form_blocks.h"
#include "catena/model/model.h"

namespace catena {

// From the centre of mass, axes of the body's frame; a point of the ground is where it is.
inline Vec3 point_in_frame(const Model& model, const State& state, BodyId body, const Vec3& material) {
  if (!body.valid()) return material;
  const Body& b = model.bodies[body];
  if (b.kind != BodyKind::formed) return state.bodies[body].scale * material;
  return b.form->point(material, {form_coordinates(state.bodies[b.partner]), {}, {}}).x;
}

}  // namespace catena
