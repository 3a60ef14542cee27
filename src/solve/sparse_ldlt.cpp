#include "catena/solve/sparse_ldlt.h"

#include <amd.h>

// The header of LDL does not say that it is C.
extern "C" {
#include <ldl.h>
}

#include <cstddef>

namespace catena {

void SparseLdlt::analyse(const SparseSymmetric& A) {
  size_ = A.size;
  const auto n = static_cast<std::size_t>(size_);
  for (auto* v : {&order_, &inverse_order_, &parent_, &L_count_, &work_pattern_, &work_flag_}) v->assign(n, 0);
  L_start_.assign(n + 1, 0);
  D_.assign(n, 0);
  work_value_.assign(n, 0);
  permuted_.assign(n, 0);
  amd_order(size_, A.start.data(), A.row.data(), order_.data(), nullptr, nullptr);
  // The LDL interface takes pointers to non-const but does not write through them.
  ldl_symbolic(size_, const_cast<int*>(A.start.data()), const_cast<int*>(A.row.data()), L_start_.data(), parent_.data(),
               L_count_.data(), work_flag_.data(), order_.data(), inverse_order_.data());
  L_row_.assign(static_cast<std::size_t>(L_start_.back()), 0);
  L_value_.assign(static_cast<std::size_t>(L_start_.back()), 0);
  flops_ = 0;
  for (const int count : L_count_) flops_ += static_cast<double>(count) * (count + 2);
}

bool SparseLdlt::factor(const SparseSymmetric& A) {
  const int done = ldl_numeric(size_, const_cast<int*>(A.start.data()), const_cast<int*>(A.row.data()),
                               const_cast<double*>(A.value.data()), L_start_.data(), parent_.data(), L_count_.data(),
                               L_row_.data(), L_value_.data(), D_.data(), work_value_.data(), work_pattern_.data(),
                               work_flag_.data(), order_.data(), inverse_order_.data());
  return done == size_;
}

void SparseLdlt::solve(std::span<double> x) const {
  auto* L_start = const_cast<int*>(L_start_.data());
  auto* L_row = const_cast<int*>(L_row_.data());
  auto* L_value = const_cast<double*>(L_value_.data());
  auto* order = const_cast<int*>(order_.data());
  ldl_perm(size_, permuted_.data(), x.data(), order);
  ldl_lsolve(size_, permuted_.data(), L_start, L_row, L_value);
  ldl_dsolve(size_, permuted_.data(), const_cast<double*>(D_.data()));
  ldl_ltsolve(size_, permuted_.data(), L_start, L_row, L_value);
  ldl_permt(size_, x.data(), permuted_.data(), order);
}

}  // namespace catena
