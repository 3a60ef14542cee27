// The matrix of a problem w = A z + b: dense, block-sparse, or a product G M⁻¹ Gᵀ + Σ that is never formed.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <span>
#include <variant>
#include <vector>

namespace catena::solve {

// Sparse by blocks. Rows and columns are cut at the same places; the blocks of a block row follow each other, columns ascending.
struct BlockSparse {
  struct Entry {
    int column;  // block column
    int value;   // where its numbers start in `values`: row by row
  };
  std::vector<int> cut;          // first row of each block, and the size             (blocks + 1)
  std::vector<int> entry_start;  // of each block row                                 (blocks + 1)
  std::vector<Entry> entries;
  std::vector<double> values;

  int size() const { return cut.back(); }
  int blocks() const { return static_cast<int>(cut.size()) - 1; }
};

struct Triplet {
  int row, column;
  double value;
};
// Entries that name the same place are added.
BlockSparse block_sparse(std::span<const int> cut, std::span<const Triplet> triplets);

// A = G M⁻¹ Gᵀ + Σ (Lacoursière eq. 3). M is block diagonal over nodes, a block row of G touches few nodes, Σ is diagonal.
struct Product {
  struct Entry {
    int node;
    int value;  // where G_kb starts in `G`: rows of the block by dimension of the node, row by row
  };
  std::vector<int> node_cut;     // first component of each node, and their number     (nodes + 1)
  std::vector<int> inverse;      // where M_bb⁻¹ starts in `Minv`                       (nodes)
  std::vector<double> Minv;      // symmetric blocks
  std::vector<int> cut;          // first row of each block of rows, and the size      (blocks + 1)
  std::vector<int> entry_start;  // of each block of rows                              (blocks + 1)
  std::vector<Entry> entries;
  std::vector<double> G;
  std::vector<double> sigma;  // diagonal of Σ                                      (rows)

  int size() const { return cut.back(); }
  int blocks() const { return static_cast<int>(cut.size()) - 1; }
  int nodes() const { return static_cast<int>(inverse.size()); }
  int components() const { return node_cut.back(); }
};

// Puts a Product together node by node and block by block.
class ProductBuilder {
 public:
  ProductBuilder() = default;
  // In the memory of one that is no longer needed.
  explicit ProductBuilder(Product old);
  // Minv: dimension x dimension, row by row. Returns the node's index.
  int node(int dimension, std::span<const double> Minv);
  // Begins a block of rows; its entries follow.
  void rows(std::span<const double> sigma);
  // G of the rows begun last, at a node: rows x dimension, row by row.
  void entry(int node, std::span<const double> G);
  Product build() { return std::move(product_); }

 private:
  Product product_{{0}, {}, {}, {0}, {0}, {}, {}, {}};
};

using Matrix = std::variant<Eigen::MatrixXd, BlockSparse, Product>;
using Vector = Eigen::VectorXd;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

int size_of(const Matrix& A);

// w = A z, in a fixed order of operations.
void multiply(const Matrix& A, const Vector& z, Vector& w);
// The same with scratch of the caller's, so that repeated products of one size do not allocate.
void multiply(const Matrix& A, const Vector& z, Vector& w, Vector& work);

Vector diagonal(const Matrix& A);
double largest_entry(const Matrix& A);
Eigen::MatrixXd to_dense(const Matrix& A);
// The same in the memory of `out`: no allocation where the size stays the same.
void to_dense(const BlockSparse& A, Eigen::MatrixXd& out);
SparseRows to_sparse(const Matrix& A);

}  // namespace catena::solve
