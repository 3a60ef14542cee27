// A picture of a live run as bytes. viewer/src/live.ts reads it:
//   u32 numbers in the row, bodies of the ghost, contacts, 0;  f64 time;  f32: the row, seven a body of the ghost, nine a contact
// Little endian; the row is a sample (step/sample.h) without its time.
#pragma once

#include <span>
#include <string>

#include "catena/laws/contact_force.h"
#include "catena/model/state.h"

namespace catena {

std::string frame_bytes(std::span<const double> sample, const State* ghost, std::span<const ContactForce> contacts);

}  // namespace catena
