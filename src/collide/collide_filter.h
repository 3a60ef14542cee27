// Which bodies may touch.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "catena/model/model.h"

namespace catena {

// Shapes of one body never touch each other, nor do those of the ground. Bodies joined by a joint, and bodies welded together, do when
// the model says collide_adjacent; bodies welded to one another count as one body here, the ground too. collide_exclude always holds, and
// so do the groups of bodies that never touch each other. With collide_jointed_ground a joint to the ground keeps nothing apart.
class CollideFilter {
 public:
  explicit CollideFilter(const Model& model);
  // Whether any of their shapes may: allowed, or named as a pair.
  bool may_touch(BodyId a, BodyId b) const;
  // Whether any two bodies that have shapes that collide may touch each other, or one of them the ground. Bodies that are welded together
  // and of one group are looked at as one, so the cost is of the order of bodies, joints and exclusions.
  bool any_may_touch(const Model& model) const;
  // By joints, groups and exclusions alone.
  bool allowed(BodyId a, BodyId b) const;

 private:
  // Bodies with shapes that collide that are alike in group_ and collide_group_.
  struct Alike {
    int group = 0, collide_group = 0;
    std::uint64_t count = 0;
    auto key() const { return std::pair(collide_group, group); }
  };
  std::vector<Alike> alike_bodies(const Model& model) const;
  // By the joints between two groups alone.
  bool groups_may_touch(int a, int b) const;

  std::vector<int> group_;               // of bodies welded together; [0] is the ground's, then the bodies'
  std::vector<int> collide_group_;       // as the model has it, the same way
  std::vector<std::uint64_t> adjacent_;  // pairs of groups, sorted
  std::vector<std::uint64_t> excluded_;  // pairs of bodies, sorted
  std::vector<std::uint64_t> paired_;    // those with a contact pair of their own, sorted
  bool collide_adjacent_, collide_jointed_ground_;
};

}  // namespace catena
