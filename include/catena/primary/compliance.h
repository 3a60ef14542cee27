// The operational-space compliance of a few bodies: how each moves under a unit impulse on each, once the joints have answered.
//     Λ = J M⁻¹ Jᵀ = BᵀΩB                                                                             Jain eqs. 49, 64
// by his recursion (§10): Υ from base to tips (eq. 68), Ω for the pairs that are needed (eq. 69). O(n) + O(k²) for k bodies; neither M nor J
// is formed. Blocks are at the links' origins: B, which takes them to the points of contact, is left to the rows.
#pragma once

#include <span>
#include <vector>

#include "catena/math/dispatch.h"
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

  // After system.factor(). `nodes`: ascending, no node twice. Does not allocate when repeated with no more nodes than before.
  void compute(std::span<const int> nodes);

  // The motion of nodes[i] under the impulse f on nodes[k], both at the links' origins.
  Spatial response(int i, int k, const Spatial& f) const {
    const int a = junction_of_[static_cast<std::size_t>(i)], b = junction_of_[static_cast<std::size_t>(k)];
    return a >= b ? block(a, b) * f : block(b, a).transpose_times(f);
  }

  // The same of `count` impulses at once, at most kAtOnce: component k of impulse r is f[k * stride + r], and of its motion y[k * kAtOnce + r].
  static constexpr std::size_t kAtOnce = 16;
  CATENA_INLINE void responses(int i, int k, const double* f, std::size_t stride, std::size_t count, double* y) const;

 private:
  struct Step {  // a node between the needed ones and their roots
    int stamp = 0;
    int branches = 0;   // of its children that lead to needed nodes
    int junction = -1;  // the nearest junction at or above it
    Sym6 Y;             // Υ
    Mat6 T;             // motions carried from the junction above
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

// Each number by the operations of response().
CATENA_INLINE void NodeCompliance::responses(int i, int k, const double* f, std::size_t stride, std::size_t count,
                                             double* __restrict y) const {
  const int a = junction_of_[static_cast<std::size_t>(i)], b = junction_of_[static_cast<std::size_t>(k)];
  const std::array<Spatial, 6>& column = (a >= b ? block(a, b) : block(b, a)).column;
  double M[6][6];  // by column
  for (std::size_t c = 0; c < 6; ++c) {
    const Spatial& s = column[c];
    const double own[6] = {s.linear.x, s.linear.y, s.linear.z, s.angular.x, s.angular.y, s.angular.z};
    for (std::size_t e = 0; e < 6; ++e) M[c][e] = own[e];
  }
  const double *const f0 = f, *const f1 = f + stride, *const f2 = f + 2 * stride, *const f3 = f + 3 * stride,
                      *const f4 = f + 4 * stride, *const f5 = f + 5 * stride;
  for (std::size_t e = 0; e < 6; ++e) {
    double* const to = y + e * kAtOnce;
    if (a >= b) {
      for (std::size_t r = 0; r < count; ++r)
        to[r] = ((((f0[r] * M[0][e] + f1[r] * M[1][e]) + f2[r] * M[2][e]) + f3[r] * M[3][e]) + f4[r] * M[4][e]) +
                f5[r] * M[5][e];
    } else {
      for (std::size_t r = 0; r < count; ++r)
        to[r] = (M[e][0] * f0[r] + M[e][1] * f1[r]) +
                ((M[e][2] * f2[r] + M[e][3] * f3[r]) + (M[e][4] * f4[r] + M[e][5] * f5[r]));
    }
  }
}

}  // namespace catena
