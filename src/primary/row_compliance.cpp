#include "catena/primary/row_compliance.h"

#include <algorithm>

#include "catena/math/lanes.h"

namespace catena {

RowCompliance::RowCompliance(const ReducedSystem& system)
    : system_(&system), width_((static_cast<std::size_t>(system.model().n_v()) + 3) / 4 * 4) {
  // A shift to the parent's origin, and for each freedom a product with F and one with U.
  constexpr double kShift = 15, kFreedom = 24;
  for (const ReducedNode& node : system.model().nodes())
    term_cost_.push_back(kShift + kFreedom * node.count +
                         (node.parent >= 0 ? term_cost_[static_cast<std::size_t>(node.parent)] : 0));
}

void RowCompliance::add(std::span<const int> nodes, std::span<const Spatial> J) {
  const std::size_t first = static_cast<std::size_t>(rows_) * width_;
  ++rows_;
  if (Z_.size() < first + width_) {
    Z_.resize(first + width_);
    EZ_.resize(Z_.size());
  }
  std::fill_n(Z_.begin() + static_cast<std::ptrdiff_t>(first), width_, 0.0);
  std::fill_n(EZ_.begin() + static_cast<std::ptrdiff_t>(first), width_, 0.0);
  heads_.clear();
  for (std::size_t t = 0; t < nodes.size(); ++t) heads_.push_back({nodes[t], J[t]});
  while (!heads_.empty()) {
    // Parents come before their children: the last node first, so that what meets at a node goes on as one.
    std::size_t last = 0;
    for (std::size_t i = 1; i < heads_.size(); ++i)
      if (heads_[i].node > heads_[last].node) last = i;
    for (std::size_t i = heads_.size(); i-- > last + 1;)
      if (heads_[i].node == heads_[last].node) {
        heads_[last].x += heads_[i].x;
        heads_.erase(heads_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    Head& head = heads_[last];
    const auto rate = first + static_cast<std::size_t>(system_->model().nodes()[static_cast<std::size_t>(head.node)].v);
    system_->halve(head.node, head.x, Z_.data() + rate, EZ_.data() + rate);
    head.node = system_->links()[static_cast<std::size_t>(head.node)].parent;
    if (head.node < 0) heads_.erase(heads_.begin() + static_cast<std::ptrdiff_t>(last));
  }
}

namespace {

// By fours, which are added at the end: the same operations on every processor.
CATENA_INLINE double product(const double* a, const double* b, std::size_t width) {
  Quad sum{};
  for (std::size_t k = 0; k < width; k += 4) {
    Quad x, y;
    std::memcpy(&x, a + k, sizeof x);
    std::memcpy(&y, b + k, sizeof y);
    sum += x * y;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

CATENA_DISPATCH void RowCompliance::fill(double* W) const {
  const auto m = static_cast<std::size_t>(rows_);
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t i = j; i < m; ++i)
      W[i * m + j] = W[j * m + i] = product(Z_.data() + i * width_, EZ_.data() + j * width_, width_);
}

}  // namespace catena
