// Blocks of a sweep in groups of four and eight that share no node, and so may be visited at once: what one changes the others do not read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "catena/solve/sweep_rows.h"

namespace catena::solve {

// The order of blocks that comes of it, and its stretches.
struct Colouring {
  struct Run {
    int first, count;  // in `order`
    int lanes;         // eight by eight, four by four, or (1) blocks by themselves
    int strips;        // of each block in a group: 1 or 2
    int group;         // its first among those of as many lanes and strips
  };
  std::vector<int> order;
  std::vector<Run> runs;
};

// Greedy: a block joins the oldest four, among those begun lately, that has room, as many strips and none of its nodes; else it begins
// one. So do fours to make eights, where blocks are not too many. Groups come in the order in which they were begun: a block stays near its place. Only friction of three rows
// on one or two nodes of six components of a product is grouped. O(blocks), and the same for the same problem. Allocates only where a problem
// is larger than any before it.
class ColouringBuilder {
 public:
  void build(const SweepRows& rows, Colouring& out);

 private:
  static constexpr int kOpen = 64;  // groups that may still be joined: a bit each

  // A stretch of the order; its blocks share no node. `strips` 0: cannot join others.
  struct Part {
    int first, size, strips;
  };
  struct Group {
    std::array<Part, 4> part;
    int size, strips;
  };

  void group(const SweepRows& rows, int capacity);
  int group_for(const SweepRows& rows, const Part& part);
  void close(const SweepRows& rows, int group);
  template <class Do>
  void for_nodes(const SweepRows& rows, const Part& part, Do&& act) const;
  void line_up(int capacity);

  std::vector<int> order_, next_order_;
  std::vector<Part> parts_;
  std::vector<Group> groups_;
  std::vector<std::uint64_t> taken_;     // of a node: open groups that have it
  std::array<std::uint64_t, 3> room_{};  // open groups with room, by strips
  int oldest_ = 0;                       // groups before it are closed
};

}  // namespace catena::solve
