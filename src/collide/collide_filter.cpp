#include "catena/collide/collide_filter.h"

#include <algorithm>
#include <map>

namespace catena {
namespace {

// The ground is 0, body i is i + 1.
int slot(BodyId body) { return body.value() + 1; }

std::uint64_t pair_of(int a, int b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint64_t>(std::max(a, b));
}

bool holds(const std::vector<std::uint64_t>& sorted, std::uint64_t pair) {
  return std::binary_search(sorted.begin(), sorted.end(), pair);
}

bool is_weld(const Joint& joint) { return joint.kind == JointKind::weld || joint.kind == JointKind::planar_weld; }

// Shortens the way it went by half, so that a long row of welds does not cost its square.
int root(std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace

CollideFilter::CollideFilter(const Model& model)
    : collide_adjacent_(model.collide_adjacent), collide_jointed_ground_(model.collide_jointed_ground) {
  group_.resize(model.bodies.size() + 1);
  collide_group_.push_back(0);
  for (const Body& body : model.bodies) collide_group_.push_back(body.collide_group);
  for (std::size_t i = 0; i < group_.size(); ++i) group_[i] = static_cast<int>(i);
  for (const Joint& joint : model.joints) {
    if (!is_weld(joint)) continue;
    const int a = root(group_, slot(joint.a)), b = root(group_, slot(joint.b));
    group_[std::max(a, b)] = std::min(a, b);
  }
  // A root is never above its members: one pass from the front flattens.
  for (int& g : group_) g = group_[g];
  for (const Joint& joint : model.joints) {
    if (joint.kind == JointKind::coupling) continue;  // joins no places, only motions
    adjacent_.push_back(pair_of(group_[slot(joint.a)], group_[slot(joint.b)]));
  }
  for (const ContactPair& pair : model.contact_pairs) paired_.push_back(pair_of(slot(pair.a), slot(pair.b)));
  std::sort(paired_.begin(), paired_.end());
  for (const auto& [a, b] : model.collide_exclude) excluded_.push_back(pair_of(slot(a), slot(b)));
  std::sort(adjacent_.begin(), adjacent_.end());
  std::sort(excluded_.begin(), excluded_.end());
}

bool CollideFilter::may_touch(BodyId a, BodyId b) const {
  return allowed(a, b) || (!paired_.empty() && holds(paired_, pair_of(slot(a), slot(b))));
}

bool CollideFilter::allowed(BodyId a, BodyId b) const {
  if (a == b || holds(excluded_, pair_of(slot(a), slot(b)))) return false;
  if (collide_group_[slot(a)] != 0 && collide_group_[slot(a)] == collide_group_[slot(b)]) return false;
  return groups_may_touch(group_[slot(a)], group_[slot(b)]);
}

bool CollideFilter::groups_may_touch(int a, int b) const {
  if (collide_adjacent_) return true;
  if (a == b) return false;
  if (collide_jointed_ground_ && (a == 0 || b == 0)) return true;
  return !holds(adjacent_, pair_of(a, b));
}

std::vector<CollideFilter::Alike> CollideFilter::alike_bodies(const Model& model) const {
  const auto collides = [](const std::vector<Shape>& shapes) {
    return std::any_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return shape.collide; });
  };
  std::vector<Alike> all;
  for (std::size_t i = 0; i < group_.size(); ++i)
    if (collides(i == 0 ? model.ground_shapes : model.bodies[i - 1].shapes))
      all.push_back({group_[i], collide_group_[i], 1});
  std::sort(all.begin(), all.end(), [](const Alike& x, const Alike& y) { return x.key() < y.key(); });
  std::vector<Alike> unique;
  for (const Alike& each : all) {
    if (!unique.empty() && unique.back().key() == each.key()) ++unique.back().count;
    else unique.push_back(each);
  }
  return unique;
}

bool CollideFilter::any_may_touch(const Model& model) const {
  if (!paired_.empty()) return true;
  const std::vector<Alike> alike = alike_bodies(model);
  // How many pairs of bodies are excluded between two sets of alike bodies.
  std::map<std::pair<std::pair<int, int>, std::pair<int, int>>, std::uint64_t> excluded;
  for (std::size_t k = 0; k < excluded_.size(); ++k) {
    if (k > 0 && excluded_[k] == excluded_[k - 1]) continue;
    const auto a = static_cast<std::size_t>(excluded_[k] >> 32),
               b = static_cast<std::size_t>(excluded_[k] & 0xffffffff);
    const std::pair x(collide_group_[a], group_[a]), y(collide_group_[b], group_[b]);
    if (a != b) ++excluded[{std::min(x, y), std::max(x, y)}];
  }
  for (std::size_t i = 0; i < alike.size(); ++i) {
    const Alike& x = alike[i];
    std::size_t j = i;
    if (x.collide_group != 0)  // on to the next group of bodies that may touch these
      j = static_cast<std::size_t>(
          std::upper_bound(alike.begin(), alike.end(), x.collide_group,
                           [](int group, const Alike& each) { return group < each.collide_group; }) -
          alike.begin());
    for (; j < alike.size(); ++j) {
      const Alike& y = alike[j];
      if (!groups_may_touch(x.group, y.group)) continue;
      const std::uint64_t pairs = i == j ? x.count * (x.count - 1) / 2 : x.count * y.count;
      const auto out = excluded.find({x.key(), y.key()});
      if (pairs > (out == excluded.end() ? 0 : out->second)) return true;
    }
  }
  return false;
}

}  // namespace catena
