#include "catena/laws/contact_force.h"

#include <cmath>

namespace catena {

ContactForce contact_force(const Contact& contact, const std::array<Vec3, 2>& tangents,
                           const std::array<double, 2>& friction, double shift, const std::array<double, 3>& force,
                           const std::array<double, 2>& slip) {
  // Within this of the edge of the cone a contact slips.
  constexpr double kEdge = 1e-6;
  ContactForce out;
  out.contact = contact;
  out.normal = force[0];
  const double along = force[1] + shift * force[0];
  out.force = force[0] * contact.normal + along * tangents[0] + force[2] * tangents[1];
  out.tangent = tangents[0];
  out.tangential = {along, force[2]};
  out.slip = slip[0] * tangents[0] + slip[1] * tangents[1];
  // Along the force, the ellipse of the cone is as wide as this.
  const double tangential = std::hypot(force[1], force[2]);
  double reach = friction[0];
  if (tangential > 0 && friction[0] != friction[1])
    reach = friction[0] > 0 && friction[1] > 0 ? tangential / std::hypot(force[1] / friction[0], force[2] / friction[1])
                                               : 0;
  out.margin = reach * out.normal - tangential;
  const bool held = out.margin > kEdge * reach * out.normal;
  out.state = out.normal <= 0 ? ContactForce::State::separating
            : held            ? ContactForce::State::stick
                              : ContactForce::State::slip;
  return out;
}

}  // namespace catena
