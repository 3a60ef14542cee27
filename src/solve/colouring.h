// Blocks of a sweep in groups of four that share no node, and so may be visited at once: what one changes the others do not read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "catena/solve/lanes.h"
#include "catena/solve/sweep_rows.h"

namespace catena::solve {

// The order of blocks that comes of it, and its stretches.
struct Colouring {
  // Of `strips` 1 or 2: four by four, each four on different nodes and of as many strips. Of `strips` 0: blocks by themselves.
  struct Run {
    int first, count;  // in `order`
    int strips;
  };
  std::vector<int> order;
  std::vector<Run> runs;
};

// Greedy: a block joins the oldest group, among those begun lately, that has room, as many strips and none of its nodes; else it begins one. Groups
// come in the order in which they were begun, so that a block stays near its place. Only friction of three rows on one or two nodes of six components
// of a product is grouped. O(blocks), and the same for the same problem. Allocates only where a problem is larger than any before it.
class ColouringBuilder {
 public:
  void build(const SweepRows& rows, Colouring& out);

 private:
  static constexpr int kOpen = 64;  // groups that may still be joined: a bit each

  struct Group {
    std::array<int, kLanes> block;
    int size;
    int strips;
  };

  void begin_group(int strips);
  void join(const SweepRows& rows, int k);
  void close(const SweepRows& rows, int group);

  std::vector<Group> groups_;
  std::vector<std::uint64_t> taken_;     // of a node: open groups that have it
  std::array<std::uint64_t, 3> room_{};  // open groups with room, by strips
  int oldest_ = 0;                       // groups before it are closed
};

}  // namespace catena::solve
