#include "catena/solve/sweep_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "catena/solve/local_laws.h"
#include "catena/solve/natural_map.h"

namespace catena::solve {
namespace {

int local_numbers(const Block& block) { return block.law == Law::cone ? kFrictionNumbers : block.size * block.size; }

SweepRows::Shape shape_of(const SweepRows& rows, const SweepRows::Row& row) {
  const auto all = [&](int width) {
    return std::all_of(rows.strips.begin() + row.strip, rows.strips.begin() + row.strip + row.strips,
                       [&](const SweepRows::Strip& s) { return s.width == width; });
  };
  using Shape = SweepRows::Shape;
  if (row.size == 1 && all(6)) return Shape::one_by_six;
  if (row.size != 3) return Shape::any;
  if (all(6)) return row.law == Law::cone ? Shape::friction_by_six : Shape::three_by_six;
  if (all(3)) return row.law == Law::cone ? Shape::friction_by_three : Shape::three_by_three;
  return Shape::any;
}

void index_parts(const std::vector<int>& cut, std::vector<int>& part_of_row) {
  part_of_row.resize(cut.back());
  for (int k = 0; k + 1 < static_cast<int>(cut.size()); ++k)
    std::fill(part_of_row.begin() + cut[k], part_of_row.begin() + cut[k + 1], k);
}

// Counts, then places: the readers of each place, in the order of the rows.
void find_readers(SweepRows& out) {
  out.reader_start.assign(out.places() + 1, 0);
  for (const SweepRows::Strip& s : out.strips) ++out.reader_start[s.place + 1];
  for (int p = 0; p < out.places(); ++p) out.reader_start[p + 1] += out.reader_start[p];
  out.readers.resize(out.strips.size());
  for (int k = 0; k < static_cast<int>(out.rows.size()); ++k) {
    const SweepRows::Row& row = out.rows[k];
    for (int s = row.strip; s < row.strip + row.strips; ++s)
      out.readers[out.reader_start[out.strips[s].place]++] = {out.strips[s].value, k};
  }
  for (int p = out.places(); p > 0; --p) out.reader_start[p] = out.reader_start[p - 1];
  out.reader_start[0] = 0;
}

// to += G C with C lower triangular, d x d.
template <int kSize>
inline void add_times_lower(const double* G, const double* C, double* to, int size = kSize) {
  const int d = kSize > 0 ? kSize : size;
  for (int l = 0; l < d; ++l)
    for (int j = 0; j <= l; ++j) to[j] += G[l] * C[l * d + j];
}

}  // namespace

// M_b⁻¹ = C Cᵀ, C lower triangular. A node that does not move has C = 0; a pivot that is rounding leaves its column 0.
void SweepRowsBuilder::factor_nodes(const Product& A) {
  C_.assign(A.Minv.size(), 0.0);
  for (int n = 0; n < A.nodes(); ++n) {
    const int d = A.node_cut[n + 1] - A.node_cut[n];
    const double* M = A.Minv.data() + A.inverse[n];
    double* C = C_.data() + A.inverse[n];
    for (int j = 0; j < d; ++j) {
      double pivot = M[j * d + j];
      for (int k = 0; k < j; ++k) pivot -= C[j * d + k] * C[j * d + k];
      if (!(pivot > 1e-15 * M[j * d + j])) continue;
      C[j * d + j] = std::sqrt(pivot);
      for (int i = j + 1; i < d; ++i) {
        double x = M[i * d + j];
        for (int k = 0; k < j; ++k) x -= C[i * d + k] * C[j * d + k];
        C[i * d + j] = x / C[j * d + j];
      }
    }
  }
}

// b and Σ, and room for what the law needs; strips follow at an even place.
void SweepRowsBuilder::begin_row(const Problem& problem, std::size_t k, SweepRows& out) {
  const Block& block = problem.blocks[k];
  const auto value = static_cast<std::ptrdiff_t>(out.values.size());
  out.rows.push_back(
      {value, block.first, block.size, static_cast<int>(out.strips.size()), 0, block.law, SweepRows::Shape::any});
  const int numbers = 2 * block.size + local_numbers(block);
  out.values.resize(out.values.size() + numbers + numbers % 2, 0.0);
  const auto* product = std::get_if<Product>(&problem.A);
  for (int i = 0; i < block.size; ++i) {
    out.values[value + i] = problem.b[block.first + i];
    out.values[value + block.size + i] = product != nullptr ? product->sigma[block.first + i] : 0;
  }
  row_ = static_cast<int>(k);
}

// The strip of the row being built that reads a place; a new one, full of zeros, where there is none.
int SweepRowsBuilder::slot_at(int place, int start, int width, SweepRows& out) {
  if (place >= 0 && stamp_[place] == row_) return slot_[place];
  SweepRows::Row& row = out.rows.back();
  out.strips.push_back({static_cast<std::ptrdiff_t>(out.values.size()), start, width, place});
  const int numbers = row.size * width;
  out.values.resize(out.values.size() + numbers + numbers % 2, 0.0);
  if (place >= 0) {
    stamp_[place] = row_;
    slot_[place] = static_cast<int>(out.strips.size()) - 1;
  }
  ++row.strips;
  return static_cast<int>(out.strips.size()) - 1;
}

// Ĝ_kb = G_kb C_b.
void SweepRowsBuilder::add_product_rows(const Product& A, const Block& block, SweepRows& out) {
  for (int i = 0, end = 0; i < block.size; i = end) {
    const int part = part_of_row_[block.first + i];
    end = std::min(block.size, A.cut[part + 1] - block.first);
    const int row_in_part = block.first + i - A.cut[part];
    for (int e = A.entry_start[part]; e < A.entry_start[part + 1]; ++e) {
      const int node = A.entries[e].node;
      const std::ptrdiff_t d = A.node_cut[node + 1] - A.node_cut[node];
      const SweepRows::Strip& strip = out.strips[slot_at(node, A.node_cut[node], static_cast<int>(d), out)];
      const double* G = A.G.data() + A.entries[e].value + row_in_part * d;
      const double* C = C_.data() + A.inverse[node];
      double* to = out.values.data() + strip.value + i * d;
      for (int row = i; row < end; ++row, G += d, to += d)
        if (d == 6) add_times_lower<6>(G, C, to);
        else add_times_lower<0>(G, C, to, static_cast<int>(d));
    }
  }
}

void SweepRowsBuilder::add_sparse_rows(const BlockSparse& A, const Block& block, SweepRows& out) {
  for (int i = 0; i < block.size; ++i) {
    const int part = part_of_row_[block.first + i];
    const int row_in_part = block.first + i - A.cut[part];
    for (int e = A.entry_start[part]; e < A.entry_start[part + 1]; ++e) {
      const int column = A.entries[e].column, width = A.cut[column + 1] - A.cut[column];
      const double* from = A.values.data() + A.entries[e].value + static_cast<std::ptrdiff_t>(row_in_part) * width;
      for (int j = A.cut[column]; j < A.cut[column + 1]; ++j) {
        const int place = block_of_row_[j];
        const int start = out.place_start[place], size = out.place_start[place + 1] - start;
        const SweepRows::Strip& strip = out.strips[slot_at(place, start, size, out)];
        out.values[strip.value + static_cast<std::ptrdiff_t>(i) * size + j - start] += from[j - A.cut[column]];
      }
    }
  }
}

void SweepRowsBuilder::add_dense_rows(const Eigen::MatrixXd& A, const Block& block, bool by_blocks, SweepRows& out) {
  const int strips = by_blocks ? out.places() : 1;
  for (int p = 0; p < strips; ++p) {
    const int start = by_blocks ? out.place_start[p] : 0;
    const int width = by_blocks ? out.place_start[p + 1] - start : static_cast<int>(A.cols());
    const SweepRows::Strip& strip = out.strips[slot_at(by_blocks ? p : -1, start, width, out)];
    for (int i = 0; i < block.size; ++i)
      for (int j = 0; j < width; ++j)
        out.values[strip.value + static_cast<std::ptrdiff_t>(i) * width + j] = A(block.first + i, start + j);
  }
}

// D += B Bᵀ, B of 3 rows and kWidth columns.
template <int kWidth>
inline void add_square(const double* B, double* D) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = D[i * 3 + j];
      for (int l = 0; l < kWidth; ++l) sum += B[i * kWidth + l] * B[j * kWidth + l];
      D[i * 3 + j] = D[j * 3 + i] = sum;
    }
}

// D_kk = Σ_b Ĝ_kb Ĝ_kbᵀ + Σ_kk (Algorithms 2.1–3.1, "compute blocks"), or the block on the diagonal.
void SweepRowsBuilder::find_D(const Block& block, const SweepRows& out) {
  const SweepRows::Row& row = out.rows.back();
  const int m = block.size;
  D_.assign(static_cast<std::size_t>(m) * m, 0.0);
  work_.resize(D_.size());
  for (int i = 0; i < m && out.product; ++i) D_[i * m + i] = out.sigma(row)[i];
  for (int s = row.strip; s < row.strip + row.strips; ++s) {
    const SweepRows::Strip& strip = out.strips[s];
    const double* B = out.values.data() + strip.value;
    const std::ptrdiff_t w = strip.width;
    if (out.product && m == 3 && (w == 6 || w == 3)) {
      if (w == 6) add_square<6>(B, D_.data());
      else add_square<3>(B, D_.data());
      continue;
    }
    if (!out.product && (block.first < strip.start || block.first >= strip.start + strip.width)) continue;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        double& d = D_[i * m + j];
        if (!out.product) d = B[i * w + block.first - strip.start + j];
        else
          for (int l = 0; l < w; ++l) d += B[i * w + l] * B[j * w + l];
      }
  }
}

void SweepRowsBuilder::end_row(const Block& block, SweepRows& out) {
  SweepRows::Row& row = out.rows.back();
  row.shape = shape_of(out, row);
  find_D(block, out);
  for (int i = 0; i < block.size; ++i) most_ = std::max(most_, D_[i * block.size + i]);
  double* local = out.values.data() + row.value + 2 * row.size;
  if (block.law == Law::cone) {
    const FrictionBlock B = friction_block(block, D_.data());
    std::memcpy(local, &B, sizeof B);
  } else if (block.law == Law::free) {
    invert_semidefinite(block.size, D_.data(), work_.data(), local);
  } else {
    std::copy(D_.begin(), D_.end(), local);
  }
}

void SweepRowsBuilder::build(const Problem& problem, bool with_readers, SweepRows& out) {
  const auto* product = std::get_if<Product>(&problem.A);
  const auto* sparse = std::get_if<BlockSparse>(&problem.A);
  out.product = product != nullptr;
  out.rows.clear();
  out.strips.clear();
  out.values.clear();
  out.place_start.clear();
  block_of_row_.resize(problem.size());
  if (product != nullptr) out.place_start = product->node_cut;
  for (std::size_t k = 0; k < problem.blocks.size() && product == nullptr; ++k) {
    const Block& block = problem.blocks[k];
    out.place_start.push_back(block.first);
    std::fill_n(block_of_row_.begin() + block.first, block.size, static_cast<int>(k));
  }
  if (product == nullptr) out.place_start.push_back(problem.size());
  if (product != nullptr) factor_nodes(*product);
  if (product != nullptr) index_parts(product->cut, part_of_row_);
  if (sparse != nullptr) index_parts(sparse->cut, part_of_row_);
  slot_.resize(out.place_start.size());
  stamp_.assign(out.place_start.size(), -1);
  most_ = 0;
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    const Block& block = problem.blocks[k];
    begin_row(problem, k, out);
    if (product != nullptr) add_product_rows(*product, block, out);
    else if (sparse != nullptr) add_sparse_rows(*sparse, block, out);
    else add_dense_rows(std::get<Eigen::MatrixXd>(problem.A), block, with_readers, out);
    end_row(block, out);
  }
  out.scale = most_ > kVanishing ? most_ : matrix_scale(problem.A);
  if (with_readers) find_readers(out);
}

}  // namespace catena::solve
