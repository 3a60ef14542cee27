// What contacts did in a step, from what they did in its parts and in impacts.
#pragma once

#include <array>
#include <vector>

#include "catena/contact/impact.h"
#include "catena/laws/contact_force.h"
#include "catena/laws/laws.h"

namespace catena {

class ContactReport {
 public:
  // A new step.
  void clear();

  // Adds a contact of the part being taken: its force and slip along the normal and the tangents `laws` found.
  void add(const Laws& laws, const LawBlock& contact, const std::array<double, 3>& force,
           const std::array<double, 2>& slip);
  // Forgets the part being taken.
  void drop_part() { part_.clear(); }
  // The part has been taken and was this share of the step. The forces of a contact are its impulses over the whole step, those of parts and
  // impacts together.
  void merge_part(double share);
  // The forces of the part are those at the end of the step, and all there is to say: for methods that find forces, not impulses.
  void replace_by_part();
  // An impact in a step of h.
  void add(const Impact& impact, double h);

  // Those of bodies that sleep, besides all others.
  void add(const std::vector<ContactForce>& kept) { forces_.insert(forces_.end(), kept.begin(), kept.end()); }

  const std::vector<ContactForce>& forces() const { return forces_; }

 private:
  ContactForce* known(const Contact& contact);

  std::vector<ContactForce> forces_, part_;
};

}  // namespace catena
