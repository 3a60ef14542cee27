#include "catena/record/contact_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {

const std::vector<std::string>& contact_columns() {
  static const std::vector<std::string> names{
      "sample", "body_a", "body_b", "shape_a", "shape_b", "x",      "y",        "z",          "nx",  "ny",
      "nz",     "gap",    "fx",     "fy",      "fz",      "normal", "tangent1", "tangent2",   "t1x", "t1y",
      "t1z",    "slip_x", "slip_y", "slip_z",  "state",   "margin", "friction", "restitution"};
  return names;
}

const std::vector<std::string>& contact_units() {
  static const std::vector<std::string> units{"1", "1",   "1",   "1",   "1", "m", "m", "m", "1", "1",
                                              "1", "m",   "N",   "N",   "N", "N", "N", "N", "1", "1",
                                              "1", "m/s", "m/s", "m/s", "1", "N", "1", "1"};
  return units;
}

std::vector<double> contact_row(std::size_t sample, const ContactForce& c) {
  const Contact& p = c.contact;
  return {static_cast<double>(sample),
          static_cast<double>(p.a.value()),
          static_cast<double>(p.b.value()),
          static_cast<double>(p.shape_a),
          static_cast<double>(p.shape_b),
          p.position.x,
          p.position.y,
          p.position.z,
          p.normal.x,
          p.normal.y,
          p.normal.z,
          p.gap,
          c.force.x,
          c.force.y,
          c.force.z,
          c.normal,
          c.tangential[0],
          c.tangential[1],
          c.tangent.x,
          c.tangent.y,
          c.tangent.z,
          c.slip.x,
          c.slip.y,
          c.slip.z,
          static_cast<double>(c.state),
          c.margin,
          p.friction,
          p.restitution};
}

bool is_contact_row(std::span<const double> row) {
  const auto whole = [](double x, double low, double high) { return x >= low && x <= high && x == std::floor(x); };
  constexpr double kMost = std::numeric_limits<int>::max();
  return row.size() == contact_columns().size() && whole(row[0], 0, 9e15) && whole(row[1], -1, kMost) &&
         whole(row[2], -1, kMost) && whole(row[3], 0, kMost) && whole(row[4], 0, kMost) && whole(row[24], 0, 2);
}

ContactForce contact_of(std::span<const double> row) {
  const auto vec = [&](std::size_t at) { return Vec3{row[at], row[at + 1], row[at + 2]}; };
  ContactForce c;
  c.contact.a = BodyId(static_cast<int>(row[1]));
  c.contact.b = BodyId(static_cast<int>(row[2]));
  c.contact.shape_a = static_cast<int>(row[3]);
  c.contact.shape_b = static_cast<int>(row[4]);
  c.contact.position = vec(5);
  c.contact.normal = vec(8);
  c.contact.gap = row[11];
  c.force = vec(12);
  c.normal = row[15];
  c.tangential = {row[16], row[17]};
  c.tangent = vec(18);
  c.slip = vec(21);
  c.state = static_cast<ContactForce::State>(static_cast<int>(row[24]));
  c.margin = row[25];
  c.contact.friction = row[26];
  c.contact.restitution = row[27];
  return c;
}

std::vector<PairWrench> pair_wrenches(std::span<const ContactForce> contacts) {
  std::vector<PairWrench> pairs;
  for (const ContactForce& c : contacts) {
    if (!(c.normal > 0)) continue;
    auto pair = std::find_if(pairs.begin(), pairs.end(),
                             [&](const PairWrench& p) { return p.a == c.contact.a && p.b == c.contact.b; });
    if (pair == pairs.end()) pair = pairs.insert(pair, {c.contact.a, c.contact.b, {}, {}});
    pair->force += c.force;
    pair->torque += cross(c.contact.position, c.force);
  }
  return pairs;
}

const std::vector<std::string>& pair_columns() {
  static const std::vector<std::string> names{"sample", "body_a", "body_b", "fx", "fy", "fz", "tx", "ty", "tz"};
  return names;
}

const std::vector<std::string>& pair_units() {
  static const std::vector<std::string> units{"1", "1", "1", "N", "N", "N", "N m", "N m", "N m"};
  return units;
}

std::vector<double> pair_row(std::size_t sample, const PairWrench& p) {
  return {static_cast<double>(sample),
          static_cast<double>(p.a.value()),
          static_cast<double>(p.b.value()),
          p.force.x,
          p.force.y,
          p.force.z,
          p.torque.x,
          p.torque.y,
          p.torque.z};
}

}  // namespace catena
