#include "catena/collide/collide_filter.h"

#include <algorithm>

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

int root(const std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i];
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
  if (collide_adjacent_) return true;
  const int ga = group_[slot(a)], gb = group_[slot(b)];
  if (ga == gb) return false;
  if (collide_jointed_ground_ && (ga == 0 || gb == 0)) return true;
  return !holds(adjacent_, pair_of(ga, gb));
}

}  // namespace catena
