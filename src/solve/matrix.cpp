#include "catena/solve/matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace catena::solve {
namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;  // clang 14 does not deduce it

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstBlock = Eigen::Map<const Rows>;

int dimension(const Product& A, int node) { return A.node_cut[node + 1] - A.node_cut[node]; }
ConstBlock G_of(const Product& A, int block, const Product::Entry& e) {
  return {A.G.data() + e.value, A.cut[block + 1] - A.cut[block], dimension(A, e.node)};
}
ConstBlock Minv_of(const Product& A, int node) {
  return {A.Minv.data() + A.inverse[node], dimension(A, node), dimension(A, node)};
}
std::span<const Product::Entry> entries_of(const Product& A, int block) {
  return std::span(A.entries).subspan(A.entry_start[block], A.entry_start[block + 1] - A.entry_start[block]);
}
std::span<const BlockSparse::Entry> entries_of(const BlockSparse& A, int block) {
  return std::span(A.entries).subspan(A.entry_start[block], A.entry_start[block + 1] - A.entry_start[block]);
}
ConstBlock block_of(const BlockSparse& A, int row, const BlockSparse::Entry& e) {
  return {A.values.data() + e.value, A.cut[row + 1] - A.cut[row], A.cut[e.column + 1] - A.cut[e.column]};
}

void multiply(const BlockSparse& A, const Vector& z, Vector& w, Vector&) {
  w.setZero(A.size());
  for (int k = 0; k < A.blocks(); ++k)
    for (const BlockSparse::Entry& e : entries_of(A, k)) {
      const auto B = block_of(A, k, e);
      w.segment(A.cut[k], B.rows()).noalias() += B * z.segment(A.cut[e.column], B.cols());
    }
}

// v = M⁻¹ Gᵀ z, then w = G v + Σ z.
void multiply(const Product& A, const Vector& z, Vector& w, Vector& work) {
  work.setZero(2 * A.components());
  auto f = work.head(A.components()), v = work.tail(A.components());
  for (int k = 0; k < A.blocks(); ++k)
    for (const Product::Entry& e : entries_of(A, k)) {
      const auto G = G_of(A, k, e);
      f.segment(A.node_cut[e.node], G.cols()).noalias() += G.transpose() * z.segment(A.cut[k], G.rows());
    }
  for (int n = 0; n < A.nodes(); ++n)
    v.segment(A.node_cut[n], dimension(A, n)).noalias() = Minv_of(A, n) * f.segment(A.node_cut[n], dimension(A, n));
  w.resize(A.size());
  for (int i = 0; i < A.size(); ++i) w[i] = A.sigma[i] * z[i];
  for (int k = 0; k < A.blocks(); ++k)
    for (const Product::Entry& e : entries_of(A, k)) {
      const auto G = G_of(A, k, e);
      w.segment(A.cut[k], G.rows()).noalias() += G * v.segment(A.node_cut[e.node], G.cols());
    }
}

Vector diagonal_of(const Eigen::MatrixXd& A) { return A.diagonal(); }
Vector diagonal_of(const BlockSparse& A) {
  Vector d = Vector::Zero(A.size());
  for (int k = 0; k < A.blocks(); ++k)
    for (const BlockSparse::Entry& e : entries_of(A, k))
      if (e.column == k) d.segment(A.cut[k], A.cut[k + 1] - A.cut[k]) += block_of(A, k, e).diagonal();
  return d;
}
Vector diagonal_of(const Product& A) {
  Vector d = Eigen::Map<const Vector>(A.sigma.data(), A.size());
  for (int k = 0; k < A.blocks(); ++k)
    for (const Product::Entry& e : entries_of(A, k)) {
      const auto G = G_of(A, k, e), M = Minv_of(A, e.node);
      for (int i = 0; i < G.rows(); ++i)
        for (int c = 0; c < G.cols(); ++c) d[A.cut[k] + i] += G(i, c) * M.row(c).dot(G.row(i));
    }
  return d;
}

std::vector<Eigen::Triplet<double>> triplets_of(const BlockSparse& A) {
  std::vector<Eigen::Triplet<double>> out;
  for (int k = 0; k < A.blocks(); ++k)
    for (const BlockSparse::Entry& e : entries_of(A, k)) {
      const auto B = block_of(A, k, e);
      for (int i = 0; i < B.rows(); ++i)
        for (int j = 0; j < B.cols(); ++j) out.emplace_back(A.cut[k] + i, A.cut[e.column] + j, B(i, j));
    }
  return out;
}

// Blocks that share a node meet in G_kb M_b⁻¹ G_cbᵀ.
std::vector<Eigen::Triplet<double>> triplets_of(const Product& A) {
  std::vector<std::vector<std::pair<int, Product::Entry>>> at(A.nodes());
  for (int k = 0; k < A.blocks(); ++k)
    for (const Product::Entry& e : entries_of(A, k)) at[e.node].emplace_back(k, e);
  std::vector<Eigen::Triplet<double>> out;
  for (int n = 0; n < A.nodes(); ++n)
    for (const auto& [k, ek] : at[n]) {
      const Rows GM = G_of(A, k, ek) * Minv_of(A, n);
      for (const auto& [c, ec] : at[n]) {
        const Rows B = GM * G_of(A, c, ec).transpose();
        for (int i = 0; i < B.rows(); ++i)
          for (int j = 0; j < B.cols(); ++j) out.emplace_back(A.cut[k] + i, A.cut[c] + j, B(i, j));
      }
    }
  for (int i = 0; i < A.size(); ++i) out.emplace_back(i, i, A.sigma[i]);
  return out;
}

}  // namespace

BlockSparse block_sparse(std::span<const int> cut, std::span<const Triplet> triplets) {
  BlockSparse A;
  A.cut.assign(cut.begin(), cut.end());
  const int blocks = A.blocks();
  std::vector<int> block_of_row(A.size());
  for (int k = 0; k < blocks; ++k)
    for (int i = A.cut[k]; i < A.cut[k + 1]; ++i) block_of_row[i] = k;
  std::vector<std::pair<int, int>> places;
  places.reserve(triplets.size());
  for (const Triplet& t : triplets) places.emplace_back(block_of_row[t.row], block_of_row[t.column]);
  std::vector<std::pair<int, int>> sorted = places;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());

  A.entry_start.assign(blocks + 1, 0);
  int value = 0;
  for (const auto& [row, column] : sorted) {
    ++A.entry_start[row + 1];
    A.entries.push_back({column, value});
    value += (A.cut[row + 1] - A.cut[row]) * (A.cut[column + 1] - A.cut[column]);
  }
  for (int k = 0; k < blocks; ++k) A.entry_start[k + 1] += A.entry_start[k];
  A.values.assign(value, 0.0);
  for (std::size_t i = 0; i < triplets.size(); ++i) {
    const auto [row, column] = places[i];
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), places[i]) - sorted.begin();
    const int width = A.cut[column + 1] - A.cut[column];
    A.values[A.entries[found].value + (triplets[i].row - A.cut[row]) * width + triplets[i].column - A.cut[column]] +=
        triplets[i].value;
  }
  return A;
}

ProductBuilder::ProductBuilder(Product old) : product_(std::move(old)) {
  for (std::vector<int>* starts : {&product_.node_cut, &product_.cut, &product_.entry_start}) starts->assign(1, 0);
  product_.inverse.clear();
  product_.Minv.clear();
  product_.entries.clear();
  product_.G.clear();
  product_.sigma.clear();
}

int ProductBuilder::node(int dimension, std::span<const double> Minv) {
  product_.inverse.push_back(static_cast<int>(product_.Minv.size()));
  product_.Minv.insert(product_.Minv.end(), Minv.begin(), Minv.end());
  product_.node_cut.push_back(product_.node_cut.back() + dimension);
  return product_.nodes() - 1;
}

void ProductBuilder::rows(std::span<const double> sigma) {
  product_.sigma.insert(product_.sigma.end(), sigma.begin(), sigma.end());
  product_.cut.push_back(product_.cut.back() + static_cast<int>(sigma.size()));
  product_.entry_start.push_back(product_.entry_start.back());
}

void ProductBuilder::entry(int node, std::span<const double> G) {
  product_.entries.push_back({node, static_cast<int>(product_.G.size())});
  product_.G.insert(product_.G.end(), G.begin(), G.end());
  ++product_.entry_start.back();
}

int size_of(const Matrix& A) {
  return std::visit(Overload{[](const Eigen::MatrixXd& D) { return static_cast<int>(D.rows()); },
                             [](const auto& S) { return S.size(); }},
                    A);
}

void multiply(const Matrix& A, const Vector& z, Vector& w, Vector& work) {
  std::visit(
      Overload{[&](const Eigen::MatrixXd& D) { w.noalias() = D * z; }, [&](const auto& S) { multiply(S, z, w, work); }},
      A);
}

void multiply(const Matrix& A, const Vector& z, Vector& w) {
  Vector work;
  multiply(A, z, w, work);
}

SparseRows to_sparse(const Matrix& A) {
  return std::visit(Overload{[](const Eigen::MatrixXd& D) -> SparseRows { return D.sparseView(1.0, 0.0); },
                             [](const auto& S) -> SparseRows {
                               SparseRows out(S.size(), S.size());
                               const auto triplets = triplets_of(S);
                               out.setFromTriplets(triplets.begin(), triplets.end());
                               return out;
                             }},
                    A);
}

Eigen::MatrixXd to_dense(const Matrix& A) {
  if (const auto* D = std::get_if<Eigen::MatrixXd>(&A)) return *D;
  return to_sparse(A);
}

void to_dense(const BlockSparse& A, Eigen::MatrixXd& out) {
  out.setZero(A.size(), A.size());
  for (int k = 0; k < A.blocks(); ++k)
    for (const BlockSparse::Entry& e : entries_of(A, k)) {
      const ConstBlock block = block_of(A, k, e);
      out.block(A.cut[static_cast<std::size_t>(k)], A.cut[static_cast<std::size_t>(e.column)], block.rows(),
                block.cols()) = block;
    }
}

Vector diagonal(const Matrix& A) {
  return std::visit([](const auto& own) { return diagonal_of(own); }, A);
}

double largest_entry(const Matrix& A) {
  if (size_of(A) == 0) return 0;
  if (const auto* D = std::get_if<Eigen::MatrixXd>(&A)) return D->cwiseAbs().maxCoeff();
  const SparseRows S = to_sparse(A);
  return S.nonZeros() == 0 ? 0 : S.coeffs().abs().maxCoeff();
}

}  // namespace catena::solve
