#include "catena/solve/elimination_fronts.h"

#include <amd.h>

#include <algorithm>
#include <cstddef>

#include "catena/math/scalar.h"

namespace catena {
namespace {

// The column each column's first row below the diagonal names: the parent in the elimination tree.
std::vector<int> elimination_tree(const SparseSymmetric& A, const std::vector<int>& order,
                                  const std::vector<int>& place) {
  std::vector<int> parent(order.size(), -1), root(order.size(), -1);
  for (int k = 0; k < A.size; ++k) {
    const int column = order[at(k)];
    for (int p = A.start[at(column)]; p < A.start[at(column) + 1]; ++p) {
      for (int i = place[at(A.row[at(p)])]; i != -1 && i < k;) {
        const int next = root[at(i)];
        root[at(i)] = k;  // shortens the way for those that follow
        if (next == -1) parent[at(i)] = k;
        i = next;
      }
    }
  }
  return parent;
}

// The order in which every column comes right after the last of its subtree.
std::vector<int> postorder(const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> child(parent.size(), -1), sibling(parent.size(), -1), out, stack;
  for (int i = n - 1; i >= 0; --i) {
    if (parent[at(i)] == -1) continue;
    sibling[at(i)] = child[at(parent[at(i)])];
    child[at(parent[at(i)])] = i;
  }
  for (int root = 0; root < n; ++root) {
    if (parent[at(root)] != -1) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const int i = stack.back();
      if (child[at(i)] != -1) {
        stack.push_back(child[at(i)]);
        child[at(i)] = sibling[at(child[at(i)])];
      } else {
        out.push_back(i);
        stack.pop_back();
      }
    }
  }
  return out;
}

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<int>(k);
  return place;
}

// The rows of each column of L, the diagonal first: those of A, and what its children leave.
std::vector<std::vector<int>> columns_of_factor(const SparseSymmetric& A, const std::vector<int>& order,
                                                const std::vector<int>& place, const std::vector<int>& parent) {
  std::vector<std::vector<int>> columns(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    std::vector<int>& rows = columns[k];
    for (int p = A.start[at(order[k])]; p < A.start[at(order[k]) + 1]; ++p)
      if (place[at(A.row[at(p)])] > static_cast<int>(k)) rows.push_back(place[at(A.row[at(p)])]);
    rows.push_back(static_cast<int>(k));
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (parent[k] == -1) continue;
    std::vector<int>& up = columns[at(parent[k])];  // not sorted until its turn
    up.insert(up.end(), rows.begin() + 1, rows.end());
  }
  return columns;
}

// Whether two fronts one after the other cost less as one: a few zeros are cheaper than a front.
bool worth_joining(double numbers, double height, double width) {
  constexpr double kZeros = 0.15, kManyZeros = 0.6, kNarrow = 6;
  const double filled = height * width - width * (width - 1) / 2;
  return filled - numbers <= (width <= kNarrow ? kManyZeros : kZeros) * filled;
}

std::vector<Front> join_columns(const std::vector<std::vector<int>>& columns, const std::vector<int>& parent) {
  std::vector<Front> fronts;
  std::vector<double> numbers;  // of each front that are not zero
  for (std::size_t k = 0; k < columns.size(); ++k) {
    fronts.push_back({.first = static_cast<int>(k), .width = 1, .rows = columns[k]});
    numbers.push_back(static_cast<double>(columns[k].size()));
    while (fronts.size() > 1) {
      const Front &last = fronts.back(), &before = fronts[fronts.size() - 2];
      if (parent[at(last.first) - 1] == -1 || parent[at(last.first) - 1] >= last.first + last.width) break;
      const double both = numbers.back() + numbers[numbers.size() - 2];
      if (!worth_joining(both, before.width + last.height(), before.width + last.width)) break;
      Front joined{.first = before.first, .width = before.width + last.width};
      for (int i = 0; i < before.width; ++i) joined.rows.push_back(before.first + i);
      joined.rows.insert(joined.rows.end(), last.rows.begin(), last.rows.end());
      fronts.resize(fronts.size() - 2);
      numbers.resize(numbers.size() - 2);
      fronts.push_back(std::move(joined));
      numbers.push_back(both);
    }
  }
  return fronts;
}

void link(Fronts& out) {
  out.front_of.resize(out.order.size());
  for (std::size_t s = 0; s < out.fronts.size(); ++s)
    for (int i = 0; i < out.fronts[s].width; ++i) out.front_of[at(out.fronts[s].first + i)] = static_cast<int>(s);
  for (Front& front : out.fronts) {
    front.panel = out.numbers;
    out.numbers += at(front.stride()) * at(front.width);
    for (int k = 0; k < front.width; ++k) {
      const double height = front.height() - k;
      out.flops += 0.5 * height * (height + 1);
    }
    if (front.below() == 0) continue;
    front.parent = out.front_of[at(front.rows[at(front.width)])];
    const std::vector<int>& above = out.fronts[at(front.parent)].rows;
    for (int i = front.width; i < front.height(); ++i) {
      const auto found = std::lower_bound(above.begin(), above.end(), front.rows[at(i)]);
      front.above.push_back(static_cast<int>(found - above.begin()));
    }
  }
}

}  // namespace

Fronts elimination_fronts(const SparseSymmetric& A) {
  Fronts out;
  std::vector<int> order(at(A.size));
  amd_order(A.size, A.start.data(), A.row.data(), order.data(), nullptr, nullptr);
  const std::vector<int> post = postorder(elimination_tree(A, order, inverse(order)));
  for (const int k : post) out.order.push_back(order[at(k)]);
  out.place = inverse(out.order);
  const std::vector<int> parent = elimination_tree(A, out.order, out.place);
  out.fronts = join_columns(columns_of_factor(A, out.order, out.place, parent), parent);
  link(out);
  return out;
}

}  // namespace catena
