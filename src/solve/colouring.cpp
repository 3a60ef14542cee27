#include "catena/solve/colouring.h"

#include <bit>

namespace catena::solve {
namespace {

// How many strips a block has if it can be a lane, else 0.
int strips_of_lane(const SweepRows& rows, const SweepRows::Row& row) {
  const bool fits = rows.product && row.shape == SweepRows::Shape::friction_by_six && row.strips <= 2;
  return fits ? row.strips : 0;
}

void add_run(Colouring& out, int count, int strips) {
  if (out.runs.empty() || out.runs.back().strips != strips)
    out.runs.push_back({static_cast<int>(out.order.size()) - count, 0, strips});
  out.runs.back().count += count;
}

}  // namespace

void ColouringBuilder::begin_group(int strips) {
  groups_.push_back({{}, 0, strips});
  room_[strips] |= std::uint64_t{1} << (groups_.size() - 1) % kOpen;
}

void ColouringBuilder::close(const SweepRows& rows, int group) {
  const Group& closed = groups_[group];
  const std::uint64_t others = ~(std::uint64_t{1} << group % kOpen);
  room_[closed.strips] &= others;
  for (int l = 0; l < closed.size; ++l) {
    const SweepRows::Row& row = rows.rows[closed.block[l]];
    for (int s = row.strip; s < row.strip + closed.strips; ++s) taken_[rows.strips[s].place] &= others;
  }
}

void ColouringBuilder::join(const SweepRows& rows, int k) {
  const SweepRows::Row& row = rows.rows[k];
  const int strips = strips_of_lane(rows, row);
  std::uint64_t possible = room_[strips];
  for (int s = row.strip; s < row.strip + strips; ++s) possible &= ~taken_[rows.strips[s].place];
  int group = static_cast<int>(groups_.size());
  if (strips > 0 && possible != 0) {
    group = oldest_ + std::countr_zero(std::rotr(possible, oldest_ % kOpen));
  } else {
    if (group - oldest_ == kOpen) close(rows, oldest_++);
    begin_group(strips);
  }
  Group& joined = groups_[group];
  joined.block[joined.size++] = k;
  for (int s = row.strip; s < row.strip + strips; ++s)
    taken_[rows.strips[s].place] |= std::uint64_t{1} << group % kOpen;
  if (strips == 0 || joined.size == kLanes) close(rows, group);
}

void ColouringBuilder::build(const SweepRows& rows, Colouring& out) {
  groups_.clear();
  taken_.assign(static_cast<std::size_t>(rows.places()), 0);
  room_ = {};
  oldest_ = 0;
  for (int k = 0; k < static_cast<int>(rows.rows.size()); ++k) join(rows, k);
  out.order.clear();
  out.runs.clear();
  for (const Group& group : groups_) {
    out.order.insert(out.order.end(), group.block.begin(), group.block.begin() + group.size);
    add_run(out, group.size, group.size == kLanes ? group.strips : 0);
  }
}

}  // namespace catena::solve
