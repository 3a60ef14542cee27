// Which bodies may touch.
#pragma once

#include <cstdint>
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
  // By joints, groups and exclusions alone.
  bool allowed(BodyId a, BodyId b) const;

 private:
  std::vector<int> group_;               // of bodies welded together; [0] is the ground's, then the bodies'
  std::vector<int> collide_group_;       // as the model has it, the same way
  std::vector<std::uint64_t> adjacent_;  // pairs of groups, sorted
  std::vector<std::uint64_t> excluded_;  // pairs of bodies, sorted
  std::vector<std::uint64_t> paired_;    // those with a contact pair of their own, sorted
  bool collide_adjacent_, collide_jointed_ground_;
};

}  // namespace catena
