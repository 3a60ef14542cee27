#include "catena/primary/compliance.h"

#include <algorithm>

#include "catena/math/dispatch.h"

namespace catena {
namespace {

Mat6 to_columns(const Sym6& Y) {
  const Mat3 Bt = transpose(Y.B);
  return {{{{Y.A.row0(), Y.B.r0},
            {Y.A.row1(), Y.B.r1},
            {Y.A.row2(), Y.B.r2},
            {Bt.r0, Y.C.row0()},
            {Bt.r1, Y.C.row1()},
            {Bt.r2, Y.C.row2()}}}};
}

Mat6 identity() { return to_columns({Sym3::diagonal(1, 1, 1), {}, Sym3::diagonal(1, 1, 1)}); }

}  // namespace

NodeCompliance::NodeCompliance(const ReducedSystem& system) : system_(&system), steps_(system.links().size()) {
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (const int parent = system.links()[i].parent; parent >= 0)
      steps_[i].depth = steps_[static_cast<std::size_t>(parent)].depth + 1;
}

CATENA_DISPATCH void NodeCompliance::compute(std::span<const int> nodes) {
  const int last = mark(nodes);
  tree_.clear();
  blocks_.clear();
  junction_of_.clear();
  auto needed = nodes.begin();
  for (int i = 0; i <= last; ++i) {
    if (steps_[static_cast<std::size_t>(i)].stamp != stamp_) continue;
    const bool asked = needed != nodes.end() && *needed == i;
    descend(i, asked || steps_[static_cast<std::size_t>(i)].branches > 1);
    if (!asked) continue;
    junction_of_.push_back(steps_[static_cast<std::size_t>(i)].junction);
    ++needed;
  }
}

// Marks the paths from the nodes to their roots; returns the last node.
int NodeCompliance::mark(std::span<const int> nodes) {
  ++stamp_;
  int last = -1;
  for (const int node : nodes) {
    last = std::max(last, node);
    for (int i = node; i >= 0; i = system_->links()[static_cast<std::size_t>(i)].parent) {
      Step& step = steps_[static_cast<std::size_t>(i)];
      const bool seen = step.stamp == stamp_;
      if (!seen) step.stamp = stamp_, step.branches = 0;
      if (i != node) ++step.branches;
      if (seen) break;
    }
  }
  return last;
}

// Υ of a node from its parent's (eq. 68), and the motions carried to it from the junction above.
void NodeCompliance::descend(int index, bool junction) {
  const ReducedSystem::Link& link = system_->links()[static_cast<std::size_t>(index)];
  Step& step = steps_[static_cast<std::size_t>(index)];
  const Step* const parent = link.parent >= 0 ? &steps_[static_cast<std::size_t>(link.parent)] : nullptr;
  step.Y = parent ? parent->Y : Sym6{};
  system_->pass(link, step.Y);
  step.junction = parent ? parent->junction : -1;
  if (step.junction >= 0) {
    const bool starts = steps_[static_cast<std::size_t>(link.parent)].branches < 0;
    step.T = starts ? identity() : parent->T;
    for (Spatial& column : step.T.column) system_->pass(link, column);
  }
  if (!junction) return;
  add_junction(index, step.junction);
  step.branches = -1;  // a junction: what is carried further starts here
}

// Ω(k, j) = T Ω(above, j) for every junction j that came before: none of them is below k (eq. 69).
void NodeCompliance::add_junction(int index, int above) {
  Step& step = steps_[static_cast<std::size_t>(index)];
  const int k = static_cast<int>(tree_.size());
  blocks_.resize(blocks_.size() + static_cast<std::size_t>(k) + 1);
  for (int j = 0; j < k; ++j) {
    Mat6& to = block(k, j);
    if (above < 0 || tree_[static_cast<std::size_t>(j)] != tree_[static_cast<std::size_t>(above)]) {
      to = {};
      continue;
    }
    for (std::size_t c = 0; c < 6; ++c) {
      Spatial x;
      if (j <= above) {
        x = block(above, j).column[c];
      } else {  // the transpose of what is stored
        const Mat6& stored = block(j, above);
        const auto component = [c](const Spatial& s) {
          return c < 3 ? s.linear[static_cast<int>(c)] : s.angular[static_cast<int>(c) - 3];
        };
        x = {{component(stored.column[0]), component(stored.column[1]), component(stored.column[2])},
             {component(stored.column[3]), component(stored.column[4]), component(stored.column[5])}};
      }
      to.column[c] = step.T * x;
    }
  }
  block(k, k) = to_columns(step.Y);
  tree_.push_back(above < 0 ? k : tree_[static_cast<std::size_t>(above)]);
  step.junction = k;
}

}  // namespace catena
