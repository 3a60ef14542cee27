// Which boxes overlap: Bullet's dynamic trees of boxes, one for what moves and one for what stands; and lists of many small boxes that never
// touch each other, the particles of a cloth, which are only looked through for what comes near the list as a whole.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "catena/collide/convex.h"

namespace catena {

class BroadPhase {
 public:
  BroadPhase();
  ~BroadPhase();
  BroadPhase(BroadPhase&&) noexcept;
  BroadPhase& operator=(BroadPhase&&) noexcept;

  // Boxes are numbered in the order of adding.
  void add(const Aabb& box, bool moves);
  void add_to_group(const Aabb& box, int group);  // it moves
  void move(int index, const Aabb& box);

  // All pairs (i < j) of overlapping boxes of which one moves and which are not of one group, in order. The tree remembers where boxes were, the answer does not.
  void pairs(std::vector<std::pair<int, int>>& out);

  // Levels of the deeper tree: what adding, moving or looking for a box costs. O(n).
  int depth() const;

 private:
  void build();
  void group_pairs(std::vector<std::pair<int, int>>& out);

  struct Trees;
  std::unique_ptr<Trees> trees_;
};

// The triangles of a surface that does not change, in its own coordinates.
class TriangleTree {
 public:
  TriangleTree(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles);
  ~TriangleTree();
  TriangleTree(TriangleTree&&) noexcept;
  TriangleTree& operator=(TriangleTree&&) noexcept;

  // The triangles whose boxes overlap `box`, in order.
  void query(const Aabb& box, std::vector<int>& out);

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace catena
