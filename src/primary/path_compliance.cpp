#include "catena/primary/path_compliance.h"

#include "catena/math/lanes.h"
#include "catena/primary/small_blocks.h"

namespace catena {

int MaximalSystem::half_size(int index) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  switch (node.kernel) {
    case Kernel::ball: return 3;
    case Kernel::hinge: return 1;
    case Kernel::freedom: return freedoms_.few.joints[static_cast<std::size_t>(node.slot)].count;
    case Kernel::compound:
      return static_cast<int>(freedoms_.many.geometry[static_cast<std::size_t>(node.slot)].freedoms.size());
    case Kernel::rows: break;
    case Kernel::free: return dimension(kind_of(node.body));
  }
  const RowElimination& e = eliminations_[static_cast<std::size_t>(node.slot)];
  return static_cast<int>(e.J.rows() + e.J.cols());
}

void MaximalSystem::halve(int index, BodyVector& f, double* Z, double* EZ) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  const auto slot = static_cast<std::size_t>(node.slot);
  Spatial& x = f;
  const auto through_freedoms = [&](const auto& joint) {
    x = force_at(x, joint.arm);
    joint.halve(x, Z, EZ);
    x = force_from(x, joint.arm_parent);
  };
  switch (node.kernel) {
    case Kernel::ball: {
      const BallJoint<double>& ball = balls_.joints[slot];
      const Sym6& D = blocks_.rigid[static_cast<std::size_t>(node.block)];  // A = S, B = K, C = E (BallFreedom)
      x = force_at(x, ball.arm);
      const Vec3 z = x.angular, Ez = D.C * z;
      for (int k = 0; k < 3; ++k) Z[k] = z[k], EZ[k] = Ez[k];
      x.linear -= D.B * z;
      x.angular = cross(ball.arm_parent, x.linear);
      return;
    }
    case Kernel::hinge: {
      const HingeJoint<double>& hinge = hinges_.joints[slot];
      x = force_at(x, hinge.arm);
      hinge.halve(x, *Z, *EZ);
      x = force_from(x, hinge.arm_parent);
      return;
    }
    case Kernel::freedom: return through_freedoms(freedoms_.few.joints[slot]);
    case Kernel::compound: return through_freedoms(freedoms_.many.joints[slot]);
    case Kernel::rows: {
      // D y − Jᵀλ = f, J y = 0:  fᵀy = |L_D⁻¹f|² − |L_C⁻¹J D⁻¹f|².
      const RowElimination& e = eliminations_[slot];
      SmallVector own = to_small(kind_of(node.body), f);
      e.D_factor.matrixL().solveInPlace(own);
      const Eigen::Index d = own.size(), m = e.J.rows();
      for (Eigen::Index k = 0; k < d; ++k) Z[k] = EZ[k] = own[k];
      e.D_factor.matrixU().solveInPlace(own);
      SmallVector r = -e.J * own;
      e.C_factor.matrixL().solveInPlace(r);
      for (Eigen::Index k = 0; k < m; ++k) Z[d + k] = r[k], EZ[d + k] = -r[k];
      if (node.parent < 0) return;
      e.C_factor.matrixU().solveInPlace(r);
      f = from_small(kind_of(node.parent_body), SmallVector(e.J_parent.transpose() * r));
      return;
    }
    case Kernel::free: break;
  }
  SmallVector own = to_small(kind_of(node.body), f);
  solve_lower(blocks_.roots[slot], own);
  for (Eigen::Index k = 0; k < own.size(); ++k) Z[k] = EZ[k] = own[k];
}

PathCompliance::PathCompliance(const MaximalSystem& system) : system_(&system), row_start_{0} {
  // A shift, the freedoms' own inverse, and for each of them a product with F and one with U.
  constexpr int kShift = 15, kFreedom = 24;
  const std::vector<ForestNode>& nodes = system.forest().nodes;
  for (auto* numbers : {&tree_, &end_}) numbers->reserve(nodes.size());
  term_cost_.reserve(nodes.size());
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
    const int parent = nodes[static_cast<std::size_t>(i)].parent, count = system.half_size(i);
    const auto above = static_cast<std::size_t>(parent);
    tree_.push_back(parent < 0 ? i : tree_[above]);
    end_.push_back(count + (parent < 0 ? 0 : end_[above]));
    term_cost_.push_back(static_cast<float>(kShift + kFreedom * count) + (parent < 0 ? 0 : term_cost_[above]));
  }
}

void PathCompliance::clear() {
  row_start_.resize(1);
  parts_.clear();
  Z_.clear();
  last_.clear();
}

// From the body of a term to the root.
void PathCompliance::halve(const Term& term, double* Z, double* EZ) const {
  const std::vector<ForestNode>& nodes = system_->forest().nodes;
  BodyVector f = term.J;
  for (int node = node_of(term.body); node >= 0;) {
    const int parent = nodes[static_cast<std::size_t>(node)].parent;
    const int before = parent < 0 ? 0 : end_of(parent);
    system_->halve(node, f, Z + before, EZ + before);
    node = parent;
  }
}

std::span<const double> PathCompliance::add(std::span<const Term> terms) {
  const int first = static_cast<int>(Z_.size());
  int at = first;
  for (const Term& term : terms) {
    parts_.push_back({node_of(term.body), at});
    at += end_of(parts_.back().node);
  }
  Z_.reserve(static_cast<std::size_t>(at));  // no more than is needed: a simulation keeps it
  Z_.resize(static_cast<std::size_t>(at), 0.0);
  EZ_.assign(static_cast<std::size_t>(at - first), 0.0);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const int place = parts_[static_cast<std::size_t>(row_start_.back()) + k].at;
    halve(terms[k], Z_.data() + place, EZ_.data() + (place - first));
  }
  row_start_.push_back(static_cast<int>(parts_.size()));
  last_.resize(row_start_.size() - 1);
  fill_last();
  return last_;
}

// How many numbers two ways from the root have in common: parents come before their children.
int PathCompliance::shared(int a, int b) const {
  if (tree_[static_cast<std::size_t>(a)] != tree_[static_cast<std::size_t>(b)]) return 0;
  const std::vector<ForestNode>& nodes = system_->forest().nodes;
  while (a != b) {
    int& lower = a > b ? a : b;
    lower = nodes[static_cast<std::size_t>(lower)].parent;
  }
  return end_of(a);
}

namespace {

// By fours, which are added at the end: the same operations on every processor.
CATENA_INLINE double product_of_ways(const double* a, const double* b, int count) {
  Quad sum{};
  int k = 0;
  for (; k + 4 <= count; k += 4) sum += load_quad(a + k) * load_quad(b + k);
  double rest = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; k < count; ++k) rest += a[k] * b[k];
  return rest;
}

}  // namespace

CATENA_DISPATCH void PathCompliance::fill_last() {
  const std::size_t last = last_.size() - 1;
  const Part* const parts = parts_.data();
  const int first = row_start_[last], end = row_start_[last + 1];
  for (std::size_t row = 0; row <= last; ++row) {
    double sum = 0;
    for (int s = row_start_[row]; s < row_start_[row + 1]; ++s)
      for (int t = first; t < end; ++t)
        sum += product_of_ways(Z_.data() + parts[s].at, EZ_.data() + (parts[t].at - parts[first].at),
                               shared(parts[s].node, parts[t].node));
    last_[row] = sum;
  }
}

}  // namespace catena
