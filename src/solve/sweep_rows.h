// The rows of a problem as a Gauss-Seidel sweep reads them: block after block in one stream of numbers, whatever form the matrix has.
//     r_k = b_k + Σ_k λ_k + Σ_s B_s x_s                                                            Lacoursière eq. (16)
// A strip B_s reads a stretch of a vector x. Of a dense or block-sparse matrix the strips are its blocks and x is λ itself. Of a product
// G M⁻¹Gᵀ + Σ they are Ĝ_kb = G_kb C_b, one for each node b, where M_b⁻¹ = C_b C_bᵀ, and x_b is C_b⁻¹ times the node's share of
// v − v¹ = M⁻¹Gᵀλ. In these coordinates M = 1: the same strip serves eq. (16) and the update (15), x_b += Ĝ_kbᵀ Δλ_k, and a sweep reads
// half of what it would with G and M⁻¹Gᵀ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "catena/solve/local_friction.h"
#include "catena/solve/problem.h"

namespace catena::solve {

struct SweepRows {
  // Of all strips of a block. Those of friction have a loop of their own (sweep_friction.h).
  enum class Shape : std::uint8_t { friction_by_six, friction_by_three, three_by_six, three_by_three, one_by_six, any };

  struct Strip {
    std::ptrdiff_t value;  // where its numbers start: rows of the block by `width`, row by row
    int start, width;      // of x
    int place;             // node, or block of columns; −1 where it reads all of λ
  };
  // A block's numbers lie together: b, Σ, what its law needs of D (FrictionBlock; D⁻¹ where free; D), strips.
  struct Row {
    std::ptrdiff_t value;  // of b
    int first, size;
    int strip, strips;
    Law law;
    Shape shape;
  };
  // Who reads a place of x: block `row`, through the strip at `value`.
  struct Reader {
    std::ptrdiff_t value;
    int row;
  };

  std::vector<Row> rows;
  std::vector<Strip> strips;
  std::vector<double> values;
  std::vector<int> place_start;   // first component of x of each place, and the size  (places + 1)
  std::vector<int> reader_start;  // of each place                                      (places + 1)
  std::vector<Reader> readers;
  bool product = false;  // x is not λ
  double scale = 1;      // as matrix_scale

  int places() const { return static_cast<int>(place_start.size()) - 1; }
  const double* b(const Row& row) const { return values.data() + row.value; }
  const double* sigma(const Row& row) const { return values.data() + row.value + row.size; }
  const double* local(const Row& row) const { return values.data() + row.value + 2 * row.size; }
  // Of a row whose law is `cone`: memcpy has put it there.
  const FrictionBlock& friction(const Row& row) const {
    return *std::launder(reinterpret_cast<const FrictionBlock*>(local(row)));
  }
};

// Fills SweepRows. Allocates only where a problem is larger than any before it. The matrix may be cut otherwise than the problem: rows
// are regrouped by the problem's blocks.
class SweepRowsBuilder {
 public:
  // `with_readers`: Algorithm 2.1 needs them.
  void build(const Problem& problem, bool with_readers, SweepRows& out);

 private:
  void factor_nodes(const Product& A);
  void begin_row(const Problem& problem, std::size_t k, SweepRows& out);
  void end_row(const Block& block, SweepRows& out);
  int slot_at(int place, int start, int width, SweepRows& out);
  void add_product_rows(const Product& A, const Block& block, SweepRows& out);
  void add_sparse_rows(const BlockSparse& A, const Block& block, SweepRows& out);
  void add_dense_rows(const Eigen::MatrixXd& A, const Block& block, bool by_blocks, SweepRows& out);
  void find_D(const Block& block, const SweepRows& out);

  std::vector<double> C_;          // Cholesky factors of the nodes' M⁻¹, laid out as Product::Minv
  std::vector<int> block_of_row_;  // of the problem
  std::vector<int> part_of_row_;   // block of the matrix that holds a row
  std::vector<int> slot_, stamp_;  // of a place: its strip in the row being built, and for which row that holds
  std::vector<double> D_, work_;
  double most_ = 0;
  int row_ = 0;
};

}  // namespace catena::solve
