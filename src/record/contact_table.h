// Contacts as rows of numbers, one row a contact, and back: what recordings keep of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/laws/contact_force.h"

namespace catena {

// The names of a contact's numbers. The first, `sample`, is the number of the sample the contact belongs to; bodies are numbers in the
// scene's order, −1 for the ground; states are 0 separating, 1 stick, 2 slip.
const std::vector<std::string>& contact_columns();
std::vector<double> contact_row(std::size_t sample, const ContactForce& contact);
// The units of these numbers.
const std::vector<std::string>& contact_units();
// Whether contact_row() may have made these numbers: indices are whole numbers in range, the state is one of the three.
bool is_contact_row(std::span<const double> row);
// What contact_row() kept, if is_contact_row(). `row` has a number for each of contact_columns().
ContactForce contact_of(std::span<const double> row);

// What the contacts of one pair of bodies do together.
struct PairWrench {
  BodyId a, b;
  Vec3 force{}, torque{};  // on a: N, and N·m about the origin of the world
};
// One for each pair that touches, in the order the pairs come in.
std::vector<PairWrench> pair_wrenches(std::span<const ContactForce> contacts);
const std::vector<std::string>& pair_columns();
const std::vector<std::string>& pair_units();
std::vector<double> pair_row(std::size_t sample, const PairWrench& pair);

}  // namespace catena
