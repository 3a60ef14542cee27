#include "catena/serve/frame.h"

#include "catena/record/packing.h"

namespace catena {

std::string frame_bytes(std::span<const double> sample, const State* ghost, std::span<const ContactForce> contacts) {
  Packer out;
  out.u32(static_cast<std::uint32_t>(sample.size() - 1));
  out.u32(static_cast<std::uint32_t>(ghost ? ghost->bodies.size() : 0));
  out.u32(static_cast<std::uint32_t>(contacts.size()));
  out.u32(0);
  out.f64(sample.front());
  for (const double x : sample.subspan(1)) out.f32(x);
  if (ghost)
    for (const BodyState& s : ghost->bodies)
      for (const double x : {s.position.x, s.position.y, s.position.z, s.orientation.w, s.orientation.x,
                             s.orientation.y, s.orientation.z})
        out.f32(x);
  for (const ContactForce& c : contacts)
    for (const Vec3& v : {c.contact.position, c.contact.normal, c.force})
      for (const double x : {v.x, v.y, v.z}) out.f32(x);
  return out.data();
}

}  // namespace catena
