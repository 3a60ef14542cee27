// The compliance of rows in joint coordinates, by half a solve for each row:
//     W = J M⁻¹Jᵀ = Σ_k Z_kᵀ E_k Z_k,     Z_k = F_kᵀ x_k,   x_parent += X_kᵀ (x_k − U_k E_k Z_k)                    (freedoms.h)
// x goes from the bodies that a row touches to their roots; Z is what the freedoms on that way see of it. The same matrix as by Jain's recursion
// over bodies (compliance.h), which costs O(n) + O(k²) blocks of 6x6 for k bodies and so wins where many rows touch few bodies, or where the
// mechanism is deep; this costs rows times depth, and the square of the rows times the rates on their ways.
#pragma once

#include <span>
#include <vector>

#include "catena/primary/reduced_system.h"

namespace catena {

class RowCompliance {
 public:
  explicit RowCompliance(const ReducedSystem& system);

  int rows() const { return rows_; }
  // Keeps the first `count` rows.
  void truncate(int count) { rows_ = count; }
  // A row whose terms are J[t] at the origins of the links `nodes[t]`. After system.factor(), as all rows that are kept.
  void add(std::span<const int> nodes, std::span<const Spatial> J);
  // W of all rows, both triangles, rows × rows numbers.
  void fill(double* W) const;

  // Multiplications and additions of add() for a term on a node, and of fill() for a number of rows.
  double cost_of_term(int node) const { return term_cost_[static_cast<std::size_t>(node)]; }
  double cost_of_fill(double rows) const { return rows * rows * static_cast<double>(width_); }

 private:
  struct Head {  // an impulse on its way to the root
    int node;
    Spatial x;
  };

  const ReducedSystem* system_;
  std::size_t width_;  // of a row of Z: the number of rates, rounded up to whole fours
  int rows_ = 0;
  std::vector<double> term_cost_;  //                                                        (n_body)
  std::vector<Head> heads_;
  std::vector<double> Z_, EZ_;  // by row, then by rate                                   (rows × width)
};

}  // namespace catena
