// The linear system of one of Newton's steps: what its unknowns do to w.
#include <algorithm>

#include "catena/math/dispatch.h"
#include "catena/solve/state_newton.h"

namespace catena::solve {

// What one unit of an unknown does to w.
void StateNewton::column(std::size_t unknown, double* out) const {
  const std::size_t j = unknown_[unknown].row;
  const double* const a = A_ + j * size_;
  if (states_.role[j] == Role::held) {
    for (std::size_t i = 0; i < size_; ++i) out[i] = a[i];
  } else {
    const Slip& slip = states_.slip[static_cast<std::size_t>(states_.block_of[j])];
    const double *const b = a + size_, *const c = b + size_;
    if (states_.role[j] == Role::across) {  // at the first tangent: a and b are the tangents' columns
      for (std::size_t i = 0; i < size_; ++i) out[i] = slip.e[0] * b[i] - slip.e[1] * a[i];
    } else if (states_.role[j + 1] == Role::along) {  // one tangent
      for (std::size_t i = 0; i < size_; ++i) out[i] = a[i] + slip.friction * slip.e[0] * b[i];
    } else {
      for (std::size_t i = 0; i < size_; ++i) out[i] = a[i] + slip.friction * (slip.e[0] * b[i] + slip.e[1] * c[i]);
    }
  }
  for (const Follower& follower : states_.followers) {
    if (follower.parent != j) continue;
    const double* const own = A_ + follower.row * size_;
    for (std::size_t i = 0; i < size_; ++i) out[i] += follower.factor * own[i];
  }
}

// The component of a vector of all rows that belongs to an unknown.
double StateNewton::row_of(std::size_t unknown, const double* v) const {
  const Unknown& x = unknown_[unknown];
  return x.is_across ? x.e[0] * v[x.row + 1] - x.e[1] * v[x.row] : v[x.row];
}

// `lower`: where nothing slips the matrix is symmetric, and its lower triangle is all that is asked for.
CATENA_DISPATCH void StateNewton::fill(bool lower) {
  const std::size_t n = unknown_.size();
  system_.factors.resize(n);
  system_.full.resize(size_);
  for (std::size_t j = 0; j < n; ++j) {
    double* const to = system_.factors.column(j);
    const std::size_t row = unknown_[j].row;
    const bool plain = states_.role[row] == Role::held && states_.followers.empty();
    if (!plain) column(j, system_.full.data());
    const double* const from = plain ? A_ + row * size_ : system_.full.data();
    const std::size_t first = lower ? j : 0;
    if (n == size_) std::copy(from + first, from + n, to + first);  // all rows are unknowns
    else
      for (std::size_t i = first; i < n; ++i) to[i] = from[unknown_[i].row];
    for (const std::size_t i : across_) to[i] = row_of(i, from);
    to[j] +=
        states_.role[row] == Role::across ? states_.slip[static_cast<std::size_t>(states_.block_of[row])].stiffness : 0;
    to[j] += soft_.over_scale * scale_;
  }
}

}  // namespace catena::solve
