#include "catena/solve/colouring.h"

#include <bit>
#include <numeric>

namespace catena::solve {
namespace {

// Beyond it a sweep's numbers do not stay in cache, and memory gives groups of four faster than those of eight (docs/methods/solvers.md).
constexpr int kMostForEights = 16384;

// How many strips a block has if it can be a lane, else 0.
int strips_of_lane(const SweepRows& rows, const SweepRows::Row& row) {
  const bool fits = rows.product && row.shape == SweepRows::Shape::friction_by_six && row.strips <= 2;
  return fits ? row.strips : 0;
}

}  // namespace

template <class Do>
void ColouringBuilder::for_nodes(const SweepRows& rows, const Part& part, Do&& act) const {
  for (int i = part.first; i < part.first + part.size; ++i) {
    const SweepRows::Row& row = rows.rows[order_[i]];
    for (int s = row.strip; s < row.strip + part.strips; ++s) act(rows.strips[s].place);
  }
}

void ColouringBuilder::close(const SweepRows& rows, int group) {
  const std::uint64_t others = ~(std::uint64_t{1} << group % kOpen);
  const Group& closed = groups_[group];
  room_[closed.strips] &= others;
  for (int i = 0; i < closed.size; ++i) for_nodes(rows, closed.part[i], [&](int node) { taken_[node] &= others; });
}

// The oldest that `part` may join, or a new one.
int ColouringBuilder::group_for(const SweepRows& rows, const Part& part) {
  std::uint64_t possible = room_[part.strips];
  for_nodes(rows, part, [&](int node) { possible &= ~taken_[node]; });
  if (possible != 0) return oldest_ + std::countr_zero(std::rotr(possible, oldest_ % kOpen));
  const auto begun = static_cast<int>(groups_.size());
  if (begun - oldest_ == kOpen) close(rows, oldest_++);
  groups_.push_back({{}, 0, part.strips});
  room_[part.strips] |= std::uint64_t{1} << begun % kOpen;
  return begun;
}

void ColouringBuilder::group(const SweepRows& rows, int capacity) {
  groups_.clear();
  taken_.assign(static_cast<std::size_t>(rows.places()), 0);
  room_ = {};
  oldest_ = 0;
  for (const Part& part : parts_) {
    const int g = group_for(rows, part);
    groups_[g].part[groups_[g].size++] = part;
    for_nodes(rows, part, [&](int node) { taken_[node] |= std::uint64_t{1} << g % kOpen; });
    if (part.strips == 0 || groups_[g].size == capacity) close(rows, g);
  }
}

// Full groups become parts. What is left over stays what it was; a block by itself joins nothing more.
void ColouringBuilder::line_up(int capacity) {
  next_order_.clear();
  parts_.clear();
  for (const Group& group : groups_) {
    const bool full = group.size == capacity;
    if (full) parts_.push_back({static_cast<int>(next_order_.size()), 0, group.strips});
    for (int i = 0; i < group.size; ++i) {
      const Part& part = group.part[i];
      const auto first = static_cast<int>(next_order_.size());
      if (full) parts_.back().size += part.size;
      else parts_.push_back({first, part.size, part.size > 1 ? part.strips : 0});
      next_order_.insert(next_order_.end(), order_.begin() + part.first, order_.begin() + part.first + part.size);
    }
  }
  std::swap(order_, next_order_);
}

void ColouringBuilder::build(const SweepRows& rows, Colouring& out) {
  const auto count = static_cast<int>(rows.rows.size());
  order_.resize(rows.rows.size());
  std::iota(order_.begin(), order_.end(), 0);
  parts_.clear();
  for (int k = 0; k < count; ++k) parts_.push_back({k, 1, strips_of_lane(rows, rows.rows[k])});
  group(rows, 4);
  line_up(4);
  if (count <= kMostForEights) {
    group(rows, 2);
    line_up(2);
  }
  out.order = order_;
  out.runs.clear();
  int groups[9][3] = {};
  for (const Part& part : parts_) {
    int& group = groups[part.size][part.strips];
    if (out.runs.empty() || out.runs.back().lanes != part.size || out.runs.back().strips != part.strips)
      out.runs.push_back({part.first, 0, part.size, part.strips, group});
    out.runs.back().count += part.size;
    ++group;
  }
}

}  // namespace catena::solve
