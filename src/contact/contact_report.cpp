#include "catena/contact/contact_report.h"

#include <algorithm>

#include "catena/constraint/basic_rows.h"

namespace catena {
namespace {

bool is_same_feature(const Contact& x, const Contact& y) {
  return x.a == y.a && x.b == y.b && x.shape_a == y.shape_a && x.shape_b == y.shape_b && x.feature == y.feature;
}

}  // namespace

void ContactReport::clear() {
  forces_.clear();
  part_.clear();
}

void ContactReport::add(const Laws& laws, const LawBlock& contact, const std::array<double, 3>& force,
                        const std::array<double, 2>& slip) {
  part_.push_back(contact_force(laws.contacts()[static_cast<std::size_t>(contact.source)], laws.tangents(contact),
                                contact.across.friction, contact.across.shift, force, slip));
}

ContactForce* ContactReport::known(const Contact& contact) {
  const auto at = std::find_if(forces_.begin(), forces_.end(),
                               [&](const ContactForce& f) { return is_same_feature(f.contact, contact); });
  return at == forces_.end() ? nullptr : &*at;
}

void ContactReport::merge_part(double share) {
  if (share == 1 && forces_.empty()) return replace_by_part();
  for (ContactForce& force : part_) {
    ContactForce* before = known(force.contact);
    const Vec3 total = share * force.force + (before ? before->force : Vec3{});
    force.force = total;
    force.normal = dot(total, force.contact.normal);
    force.tangential = {dot(total, force.tangent), dot(total, cross(force.contact.normal, force.tangent))};
    if (before) *before = force;
    else forces_.push_back(force);
  }
  part_.clear();
}

void ContactReport::replace_by_part() {
  forces_.swap(part_);
  part_.clear();
}

void ContactReport::add(const Impact& impact, double h) {
  if (impact.joint.valid()) return;
  ContactForce force;
  force.contact = impact.contact;
  force.force = (1 / h) * impact.impulse;
  force.normal = impact.normal / h;
  force.tangent = frame_along(impact.contact.normal).column(0);
  force.tangential = {dot(force.force, force.tangent), dot(force.force, cross(impact.contact.normal, force.tangent))};
  force.state = ContactForce::State::stick;
  if (ContactForce* before = known(force.contact)) before->force += force.force, before->normal += force.normal;
  else forces_.push_back(force);
}

}  // namespace catena
