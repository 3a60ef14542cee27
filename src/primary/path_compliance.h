// The compliance of rows in maximal coordinates, by half a solve for each row:
//     W = J M̂⁻¹Jᵀ = Σ_k Z_kᵀ E_k Z_k,     Z_k = F_kᵀ f'_k,   f'_parent += X_pᵀ (f'_k − U_k E_k Z_k)             (elimination.h, freedoms.h)
// f' goes from the bodies that a row touches to their roots; Z is what the freedoms on that way see of it. As row_compliance.h does it in joint
// coordinates. Two bodies answer each other through the freedoms of the nodes above both.
#pragma once

#include <span>
#include <vector>

#include "catena/primary/maximal_system.h"

namespace catena {

class PathCompliance {
 public:
  // After the first factor() of the system, which must stay.
  explicit PathCompliance(const MaximalSystem& system);

  const MaximalSystem* system() const { return system_; }

  struct Term {
    BodyId body;
    BodyVector J;
  };

  void clear();
  // A row whose terms are J at the bodies' centres of mass. After factor(), as all rows since clear(). Returns W of it with all rows, itself the last.
  std::span<const double> add(std::span<const Term> terms);

  // Multiplications of add() for a term on a body, and at most of one entry of W with it.
  double cost_of_term(BodyId body) const { return term_cost_[static_cast<std::size_t>(node_of(body))]; }
  double cost_of_entry(BodyId body) const { return end_of(node_of(body)); }

 private:
  struct Part {  // of a row: its term on one node
    int node;
    int at;  // where the numbers of the way from the root to the node begin
  };

  int node_of(BodyId body) const { return system_->forest().node_of[body]; }
  int end_of(int node) const { return end_[static_cast<std::size_t>(node)]; }
  void halve(const Term& term, double* Z, double* EZ) const;
  int shared(int a, int b) const;
  void fill_last();

  const MaximalSystem* system_;
  std::vector<int> tree_;         // of each node                                                    (n_body)
  std::vector<int> end_;          // how many numbers there are from its root down to it             (n_body)
  std::vector<float> term_cost_;  //                                                                 (n_body)
  std::vector<int> row_start_;    // where the parts of a row begin                                  (rows + 1)
  std::vector<Part> parts_;
  std::vector<double> Z_, EZ_;  // of all rows, and of the last
  std::vector<double> last_;    // W of the last row                                                           (rows)
};

}  // namespace catena
