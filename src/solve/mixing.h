// Anderson's mixing of a fixed-point iteration: the next motion is the combination of the last few whose errors, were everything
// linear, would cancel best. Where the plain iteration gains a digit, this gains more; where it circles, this converges.
//     min over γ of |b − Σ γ_k Δb_k|,    dv ← dv + y − Σ γ_k Δ(dv + y)_k
#pragma once

#include <array>
#include <span>
#include <vector>

#include "catena/math/spatial.h"

namespace catena {

// `Number`: what motions are made of, BodyVector or double.
template <class Number>
class Mixing {
 public:
  Mixing(std::size_t numbers, std::size_t rows);

  void restart() { calls_ = 0; }
  // dv was corrected by y for the error b: dv ← the better motion.
  void advance(std::span<const double> b, std::span<const Number> y, std::span<Number> dv);

 private:
  static constexpr int kDepth = 5;
  void remember(std::span<const double> b, std::span<const Number> g);
  std::array<double, kDepth> weights(std::span<const double> b, int count) const;

  int calls_ = 0;
  std::array<std::vector<double>, kDepth> db_;  // changes of the error         (n_row)
  std::array<std::vector<Number>, kDepth> dg_;  // changes of dv + y            (numbers)
  std::vector<double> b_;                       // the last error               (n_row)
  std::vector<Number> g_;                       // the last dv + y              (numbers)
};

}  // namespace catena
