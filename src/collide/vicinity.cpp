#include "catena/collide/vicinity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {
namespace {

// More shapes than these are better looked for in a tree.
constexpr std::size_t kMostParts = 32;
// Of its size: the least room of a shape. A smaller one would be left too soon, a larger one holds more that is near.
constexpr double kLeastRoom = 0.05;
// Of a gap: what rounding cannot use up.
constexpr double kSafe = 0.999;

// Of two boxes along the axis they are farthest apart on; negative: they overlap.
double gap_of(const Aabb& a, const Aabb& b) {
  double gap = -std::numeric_limits<double>::max();
  for (int i = 0; i < 3; ++i) gap = std::max({gap, a.low[i] - b.high[i], b.low[i] - a.high[i]});
  return gap;
}

// Of the points of a part, those of the box around it in its own axes, from the centre of mass of its body.
double reach_of(const Part& part) {
  const Convex::Sizes& sizes = part.convex->at_1;
  Vec3 corner;
  for (int i = 0; i < 3; ++i) corner[i] = std::abs(sizes.box_centre[i]) + sizes.box_half[i];
  return norm(part.position) + norm(corner) + std::hypot(sizes.cylinder.rim, sizes.cylinder.half_length);
}

// How far a part may go before it is over a plane by no more than half the margin: the lowest corner of its box moves by as much along each axis.
double room_above(const PlanePart& plane, const Aabb& box, double margin) {
  const double all = std::abs(plane.normal.x) + std::abs(plane.normal.y) + std::abs(plane.normal.z);
  return kSafe * (height_above(plane, box) - 0.5 * margin) / all;
}

}  // namespace

void Vicinity::describe(const std::vector<Part>& parts, const std::vector<PlanePart>& planes, double margin,
                        const std::function<bool(const Part&, const Part&)>& may_touch) {
  const auto keeps_form = [](const Part& part) { return part.convex && !part.forming.form; };
  known_ = parts.size() <= kMostParts && std::all_of(parts.begin(), parts.end(), keeps_form) &&
           std::none_of(planes.begin(), planes.end(), [](const PlanePart& plane) { return plane.part.body.valid(); });
  if (!known_) return;
  margin_ = margin;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    reach_.push_back(reach_of(parts[i]));
    for (std::size_t j = i + 1; j < parts.size(); ++j)
      if ((parts[i].body.valid() || parts[j].body.valid()) && may_touch(parts[i], parts[j]))
        may_.emplace_back(static_cast<int>(i), static_cast<int>(j));
    for (std::size_t k = 0; k < planes.size(); ++k)
      if (may_touch(parts[i], planes[k].part)) over_.emplace_back(static_cast<int>(i), static_cast<int>(k));
  }
}

// Whether some part has left its room, or none were given yet. A turn of the orientation by d, as a vector of four, moves a point at the distance r by at
// most 2 r d.
bool Vicinity::is_left(const State& state, double ahead, const std::vector<Part>& parts) const {
  if (rooms_.empty()) return true;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (!part.body.valid()) continue;
    const BodyState& body = state.bodies[part.body];
    const Room& room = rooms_[i];
    const Quat &q = body.orientation, &p = room.orientation;
    const double w = q.w - p.w, x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
    const double moved = norm(body.position - room.position) +
                         2 * reach_[i] * std::sqrt(w * w + x * x + y * y + z * z) +
                         std::max(0.0, 0.5 * margin_ + travel(state, part, ahead) - room.grow);
    if (!(moved <= room.size)) return true;
  }
  return false;
}

void Vicinity::place(const State& state, double ahead, Part& part, std::vector<Vec3>& vertices) const {
  place_part(state, part, vertices);
  part.grow = 0.5 * margin_ + travel(state, part, ahead);
  part.box = bounds(part, part.grow);
}

// What is between two parts that move is for each of them by half, as far as it is more than the least room.
void Vicinity::give_rooms(const State& state, const std::vector<Part>& parts, const std::vector<PlanePart>& planes) {
  rooms_.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Room& room = rooms_[i];
    room.size = std::numeric_limits<double>::max();
    room.box = parts[i].box;
    room.grow = parts[i].grow;
    if (!parts[i].body.valid()) continue;
    room.position = state.bodies[parts[i].body].position;
    room.orientation = state.bodies[parts[i].body].orientation;
  }
  for (const auto& [i, j] : may_) {
    const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
    const double gap = kSafe * gap_of(rooms_[a].box, rooms_[b].box);
    const double share = parts[a].body.valid() && parts[b].body.valid() ? 0.5 * gap : gap;
    rooms_[a].size = std::min(rooms_[a].size, share);
    rooms_[b].size = std::min(rooms_[b].size, share);
  }
  for (const auto& [i, k] : over_) {
    Room& room = rooms_[static_cast<std::size_t>(i)];
    room.size = std::min(room.size, room_above(planes[static_cast<std::size_t>(k)], room.box, margin_));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Room& room = rooms_[i];
    room.size = parts[i].body.valid() ? std::max(room.size, kLeastRoom * norm(room.box.high - room.box.low)) : 0;
  }
}

// What can touch while nothing leaves its room. The ground does not move.
void Vicinity::find_near(const std::vector<Part>& parts, const std::vector<PlanePart>& planes) {
  near_.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) rooms_[i].near = !parts[i].body.valid();
  for (const auto& [i, j] : may_) {
    Room &a = rooms_[static_cast<std::size_t>(i)], &b = rooms_[static_cast<std::size_t>(j)];
    if (kSafe * gap_of(a.box, b.box) >= a.size + b.size) continue;
    near_.emplace_back(i, j);
    a.near = b.near = true;
  }
  for (const auto& [i, k] : over_) {
    Room& room = rooms_[static_cast<std::size_t>(i)];
    room.near = room.near || room_above(planes[static_cast<std::size_t>(k)], room.box, margin_) < room.size;
  }
}

void Vicinity::find(const State& state, double ahead, std::vector<Part>& parts, const std::vector<PlanePart>& planes,
                    std::vector<Vec3>& vertices, Pairs& pairs) {
  const bool anew = is_left(state, ahead, parts);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].body.valid() && (anew || rooms_[i].near)) place(state, ahead, parts[i], vertices);
  if (anew) {
    give_rooms(state, parts, planes);
    find_near(parts, planes);
  }
  pairs.clear();
  for (const auto& [i, j] : near_)
    if (overlap(parts[static_cast<std::size_t>(i)].box, parts[static_cast<std::size_t>(j)].box))
      pairs.emplace_back(i, j);
}

}  // namespace catena
