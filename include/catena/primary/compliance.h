// The operational-space compliance of a few bodies: how each moves under a unit impulse on each, once the joints have answered.
//     Λ = J M⁻¹ Jᵀ = BᵀΩB                                                                             Jain eqs. 49, 64
// by his recursion (§10): Υ from base to tips (eq. 68), Ω for the pairs that are needed (eq. 69). O(n) + O(k²) for k bodies; neither M nor J
// is formed. Blocks are at the links' origins: B, which takes them to the points of contact, is left to the rows.
#pragma once

#include <span>
#include <vector>

#include "catena/primary/reduced_system.h"

namespace catena {

struct Mat6 {
  std::array<Spatial, 6> column;

  Spatial operator*(const Spatial& f) const {
    Spatial y = f.linear.x * column[0];
    y += f.linear.y * column[1];
    y += f.linear.z * column[2];
    y += f.angular.x * column[3];
    y += f.angular.y * column[4];
    y += f.angular.z * column[5];
    return y;
  }
  Spatial transpose_times(const Spatial& f) const {
    return {{dot(column[0], f), dot(column[1], f), dot(column[2], f)},
            {dot(column[3], f), dot(column[4], f), dot(column[5], f)}};
  }
};

class NodeCompliance {
 public:
  explicit NodeCompliance(const ReducedSystem& system);

  // Bodies from its root to it.
  double depth(int node) const { return steps_[static_cast<std::size_t>(node)].depth; }
  // After system.factor(). `nodes`: ascending, no node twice. Does not allocate when repeated with no more nodes than before.
  void compute(std::span<const int> nodes);

  // The motion of nodes[i] under the impulse f on nodes[k], both at the links' origins.
  Spatial response(int i, int k, const Spatial& f) const {
    const int a = junction_of_[static_cast<std::size_t>(i)], b = junction_of_[static_cast<std::size_t>(k)];
    return a >= b ? block(a, b) * f : block(b, a).transpose_times(f);
  }

  // The same of `count` impulses at once, at most kAtOnce: component k of impulse r is f[k * stride + r], and of its motion y[k * kAtOnce + r].
  // Defined in primary/node_responses.h.
  static constexpr std::size_t kAtOnce = 16;
  inline void responses(int i, int k, const double* f, std::size_t stride, std::size_t count, double* y) const;

 private:
  struct Step {  // a node between the needed ones and their roots
    int stamp = 0;
    int branches = 0;   // of its children that lead to needed nodes
    int junction = -1;  // the nearest junction at or above it
    int depth = 1;
    Sym6 Y;  // Υ
    Mat6 T;  // motions carried from the junction above
  };
  // Junctions are the needed nodes and those where their paths part. The blocks of Ω between them, row by row of the lower triangle.
  Mat6& block(int i, int k) { return blocks_[static_cast<std::size_t>(i * (i + 1) / 2 + k)]; }
  const Mat6& block(int i, int k) const { return blocks_[static_cast<std::size_t>(i * (i + 1) / 2 + k)]; }
  int mark(std::span<const int> nodes);
  void descend(int node, bool junction);
  void add_junction(int node, int above);

  const ReducedSystem* system_;
  int stamp_ = 0;
  std::vector<Step> steps_;       //                                        (n_body)
  std::vector<int> tree_;         // root of each junction
  std::vector<int> junction_of_;  // of each node asked for
  std::vector<Mat6> blocks_;
};

}  // namespace catena
