#include "catena/solve/split.h"

#include <numeric>

namespace catena::solve {
namespace {

// Parts up to so many rows get a dense matrix.
constexpr int kDenseRows = 12;

class Union {
 public:
  explicit Union(int size) : root_(static_cast<std::size_t>(size)) { std::iota(root_.begin(), root_.end(), 0); }
  int find(int i) {
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  }
  void join(int i, int j) { root_[find(i)] = find(j); }

 private:
  std::vector<int> root_;
};

// Members of the union are the matrix's blocks, and behind them what its entries name: nodes of a product.
int members(const BlockSparse& A) { return A.blocks(); }
int members(const Product& A) { return A.blocks() + A.nodes(); }
int named(const BlockSparse&, const BlockSparse::Entry& e) { return e.column; }
int named(const Product& A, const Product::Entry& e) { return A.blocks() + e.node; }

// Which part each block of the matrix belongs to, parts numbered in order of their first blocks.
struct Membership {
  std::vector<int> part;
  int parts = 0;
};

template <class Sparse>
Membership membership(const Sparse& A, const Problem& problem) {
  Union together(members(A));
  std::vector<int> block_of_row(static_cast<std::size_t>(A.size()));
  for (int k = 0; k < A.blocks(); ++k) {
    for (int i = A.cut[k]; i < A.cut[k + 1]; ++i) block_of_row[i] = k;
    for (int e = A.entry_start[k]; e < A.entry_start[k + 1]; ++e) together.join(k, named(A, A.entries[e]));
  }
  for (const Block& block : problem.blocks) {
    for (int i = 1; i < block.size; ++i) together.join(block_of_row[block.first], block_of_row[block.first + i]);
    if (block.law == Law::bounded_by) together.join(block_of_row[block.first], block_of_row[block.parent]);
  }
  Membership out{std::vector<int>(static_cast<std::size_t>(A.blocks())), 0};
  std::vector<int> part_of_root(static_cast<std::size_t>(members(A)), -1);
  for (int k = 0; k < A.blocks(); ++k) {
    int& part = part_of_root[together.find(k)];
    if (part < 0) part = out.parts++;
    out.part[k] = part;
  }
  return out;
}

// Copies blocks of the matrix into that of a part, in order.
struct SparseCopy {
  const BlockSparse& from;
  std::vector<int> place = std::vector<int>(static_cast<std::size_t>(from.blocks()), -1);  // of a block, in its part

  void add(int k, BlockSparse& to) {
    if (to.cut.empty()) to.cut = to.entry_start = {0};
    place[k] = to.blocks();
    to.cut.push_back(to.cut.back() + from.cut[k + 1] - from.cut[k]);
    for (int e = from.entry_start[k]; e < from.entry_start[k + 1]; ++e) {
      const BlockSparse::Entry& entry = from.entries[e];
      const int size = (from.cut[k + 1] - from.cut[k]) * (from.cut[entry.column + 1] - from.cut[entry.column]);
      to.entries.push_back({entry.column, static_cast<int>(to.values.size())});
      to.values.insert(to.values.end(), from.values.begin() + entry.value, from.values.begin() + entry.value + size);
    }
    to.entry_start.push_back(static_cast<int>(to.entries.size()));
  }
  // Columns are known by their places once all blocks have been copied.
  void finish(BlockSparse& to) const {
    for (BlockSparse::Entry& entry : to.entries) entry.column = place[entry.column];
  }
};

struct ProductCopy {
  const Product& from;
  std::vector<int> place = std::vector<int>(static_cast<std::size_t>(from.nodes()), -1);  // of a node, in its part

  void add(int k, Product& to) {
    if (to.cut.empty()) to.node_cut = to.cut = to.entry_start = {0};
    const int rows = from.cut[k + 1] - from.cut[k];
    to.cut.push_back(to.cut.back() + rows);
    to.sigma.insert(to.sigma.end(), from.sigma.begin() + from.cut[k], from.sigma.begin() + from.cut[k + 1]);
    for (int e = from.entry_start[k]; e < from.entry_start[k + 1]; ++e) {
      const Product::Entry& entry = from.entries[e];
      const int d = from.node_cut[entry.node + 1] - from.node_cut[entry.node];
      if (place[entry.node] < 0) add_node(entry.node, d, to);
      to.entries.push_back({place[entry.node], static_cast<int>(to.G.size())});
      to.G.insert(to.G.end(), from.G.begin() + entry.value, from.G.begin() + entry.value + rows * d);
    }
    to.entry_start.push_back(static_cast<int>(to.entries.size()));
  }
  void finish(const Product&) const {}

 private:
  void add_node(int node, int d, Product& to) {
    place[node] = to.nodes();
    to.node_cut.push_back(to.node_cut.back() + d);
    to.inverse.push_back(static_cast<int>(to.Minv.size()));
    const auto first = from.Minv.begin() + from.inverse[node];
    to.Minv.insert(to.Minv.end(), first, first + d * d);
  }
};

// Laws and b follow their rows.
void add_laws(const Problem& problem, const std::vector<int>& part_of_row, const std::vector<int>& place_of_row,
              std::vector<Part>& parts) {
  for (Part& part : parts) part.problem.b.resize(static_cast<int>(part.rows.size()));
  for (int i = 0; i < problem.size(); ++i) parts[part_of_row[i]].problem.b[place_of_row[i]] = problem.b[i];
  for (const Block& block : problem.blocks) {
    Block& own = parts[part_of_row[block.first]].problem.blocks.emplace_back(block);
    own.first = place_of_row[block.first];
    if (block.law == Law::bounded_by) own.parent = place_of_row[block.parent];
  }
}

template <class Sparse, class Copy>
std::vector<Part> split(const Sparse& A, const Problem& problem) {
  const Membership member = membership(A, problem);
  if (member.parts < 2) return {};
  std::vector<Part> parts(static_cast<std::size_t>(member.parts));
  std::vector<Sparse> matrices(parts.size());
  std::vector<int> part_of_row(static_cast<std::size_t>(A.size())), place_of_row(part_of_row.size());
  Copy copy{A};
  for (int k = 0; k < A.blocks(); ++k) {
    const int part = member.part[k];
    copy.add(k, matrices[part]);
    for (int i = A.cut[k]; i < A.cut[k + 1]; ++i) {
      part_of_row[i] = part;
      place_of_row[i] = static_cast<int>(parts[part].rows.size());
      parts[part].rows.push_back(i);
    }
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    copy.finish(matrices[p]);
    parts[p].problem.A = std::move(matrices[p]);
    if (parts[p].rows.size() <= kDenseRows) parts[p].problem.A = to_dense(parts[p].problem.A);
  }
  add_laws(problem, part_of_row, place_of_row, parts);
  return parts;
}

}  // namespace

std::vector<Part> split(const Problem& problem) {
  if (const auto* sparse = std::get_if<BlockSparse>(&problem.A))
    return split<BlockSparse, SparseCopy>(*sparse, problem);
  if (const auto* product = std::get_if<Product>(&problem.A)) return split<Product, ProductCopy>(*product, problem);
  return {};
}

}  // namespace catena::solve
