#include "catena/primary/front_order.h"

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>

#include "catena/constraint/joint_rows.h"
#include "catena/math/scalar.h"
#include "catena/model/mechanisms.h"

namespace catena {
namespace {

constexpr int kMostBodies = 24;   // of a front that merging makes
constexpr int kMostJoints = 128;  // and joints that touch them: a hub with a thousand legs stays by itself

}  // namespace

JointGraph::JointGraph(const Model& m) : model(m), joints_of(m.bodies.size()) {
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    const Joint& joint = m.joints[j];
    std::vector<BodyId> touched = bodies_of(m, joint);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const BodyId body : touched) joints_of[body].push_back(static_cast<int>(j));
    bodies.push_back(std::move(touched));
    rows.push_back(row_count(m, joint));
    freedoms.push_back(tree_freedoms(m, joint));
    grounded.push_back(joint.kind != JointKind::coupling && !(joint.a.valid() && joint.b.valid()));
  }
}

std::optional<std::vector<std::vector<int>>> elimination_order(const JointGraph& graph, double most_flops) {
  const int n = static_cast<int>(graph.joints_of.size()), ground = n;
  std::vector<std::set<int>> near(at(n));
  for (std::size_t j = 0; j < graph.bodies.size(); ++j)
    for (const BodyId x : graph.bodies[j]) {
      if (graph.grounded[j]) near[x].insert(ground);
      for (const BodyId y : graph.bodies[j])
        if (x != y) near[x].insert(y.value());
    }
  std::set<std::pair<int, int>> queue;
  for (int i = 0; i < n; ++i) queue.insert({static_cast<int>(near[at(i)].size()), i});
  std::vector<std::vector<int>> order;
  double flops = 0;
  while (!queue.empty()) {
    const auto [degree, i] = *queue.begin();
    queue.erase(queue.begin());
    order.push_back({i});
    // The least that any kernel of a front with so many boundary bodies does, particles and all.
    flops += 4.0 * degree * degree;
    if (flops > most_flops) return std::nullopt;
    for (const int x : near[at(i)]) {
      if (x == ground) continue;
      std::set<int>& others = near[at(x)];
      queue.erase({static_cast<int>(others.size()), x});
      others.erase(i);
      for (const int y : near[at(i)])
        if (y != x) others.insert(y);
      queue.insert({static_cast<int>(others.size()), x});
    }
  }
  return order;
}

// The stages of front_elimination.h in turn: folding bodies, eliminating rows, what the solved freedoms leave in the quadratic form,
// eliminating the others; a quarter of a multiplication counts for a number moved.
double front_flops(const FrontSizes& s) {
  const double q = s.freedoms, m = s.rows, rank = std::min(q, std::max(0.0, m - s.handed)), pivots = rank + s.handed;
  const double left = q - rank, row_width = q + s.row_columns, width = q + 6 * s.boundary;
  const double fold = 240.0 * s.bodies + 48 * q + 36.0 * s.boundary * s.boundary;
  const double rows = 2 * m * row_width + pivots * m * (row_width + 8);
  const double solved = pivots * pivots * row_width + (row_width - pivots) * pivots * (width + row_width);
  const double freedoms = 0.8 * left * (width - rank) * (width - rank);
  constexpr double kOverhead = 1600;  // of being a front at all: loops begun, numbers carried to the parent
  return kOverhead + fold + rows + solved + freedoms;
}

namespace {

struct Node {
  std::vector<int> bodies, children;
  FrontSizes sizes;
  int own_rows = 0, joints = 0, parent = -1;
  bool merged = false;
};

// Freedoms and closing rows of a set of bodies: a forest of its joints grown from outside.
class Counter {
 public:
  Counter(const JointGraph& graph, const std::vector<std::vector<int>>& order)
      : graph_(graph), place_(graph.joints_of.size()) {
    for (std::size_t i = 0; i < order.size(); ++i) place_[at(order[i][0])] = static_cast<int>(i);
  }

  void count(Node& node) {
    const std::vector<int>& set = node.bodies;
    list_joints(set);
    reached_.assign(set.size(), 0);
    node.sizes.bodies = static_cast<int>(set.size());
    node.sizes.freedoms = node.own_rows = 0;
    for (const int j : list_) node.own_rows += graph_.rows[at(j)];
    for (std::size_t left = set.size(); left > 0; --left) {
      if (const int j = next_joint(set); j >= 0) {
        node.sizes.freedoms += graph_.freedoms[at(j)];
        node.own_rows -= graph_.rows[at(j)];
        continue;
      }
      const auto x = static_cast<std::size_t>(std::find(reached_.begin(), reached_.end(), 0) - reached_.begin());
      reached_[x] = 1;
      node.sizes.freedoms += float_freedoms(graph_.model.bodies[at(set[x])].kind);
    }
  }

 private:
  // Joints with a body outside that goes earlier belong to a front below.
  void list_joints(const std::vector<int>& set) {
    list_.clear();
    for (const int b : set)
      for (const int j : graph_.joints_of[at(b)]) {
        const auto belongs = [&](BodyId other) {
          return std::find(set.begin(), set.end(), other.value()) != set.end() || place_[other] > place_[at(b)];
        };
        if (std::all_of(graph_.bodies[at(j)].begin(), graph_.bodies[at(j)].end(), belongs)) list_.push_back(j);
      }
    std::sort(list_.begin(), list_.end());
    list_.erase(std::unique(list_.begin(), list_.end()), list_.end());
  }
  // A joint that brings in a body not yet reached; −1: none.
  int next_joint(const std::vector<int>& set) {
    const auto index = [&](BodyId body) {
      return static_cast<std::size_t>(std::find(set.begin(), set.end(), body.value()) - set.begin());
    };
    for (const int j : list_) {
      if (graph_.freedoms[at(j)] < 0) continue;
      const Joint& joint = graph_.model.joints[at(j)];
      for (const auto& [child, parent] : {std::pair(joint.b, joint.a), std::pair(joint.a, joint.b)}) {
        if (!child.valid()) continue;
        const std::size_t x = index(child), p = parent.valid() ? index(parent) : set.size();
        if (x == set.size() || reached_[x] || (p < set.size() && !reached_[p])) continue;
        reached_[x] = 1;
        return j;
      }
    }
    return -1;
  }

  const JointGraph& graph_;
  std::vector<int> place_, list_;
  std::vector<char> reached_;
};

class Merging {
 public:
  Merging(const JointGraph& graph, const std::vector<std::vector<int>>& order, const std::vector<FrontSizes>& sizes,
          const std::vector<int>& parent)
      : counter_(graph, order), nodes_(order.size()), stamp_(order.size(), 0) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      nodes_[i] = {order[i],  {},   sizes[i], 0, static_cast<int>(graph.joints_of[at(order[i][0])].size()),
                   parent[i], false};
      counter_.count(nodes_[i]);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
      if (parent[i] >= 0) nodes_[at(parent[i])].children.push_back(static_cast<int>(i));
  }

  std::vector<std::vector<int>> run() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) offer(static_cast<int>(i));
    while (!offers_.empty()) {
      const auto [gain, child, when] = offers_.top();
      offers_.pop();
      const int p = nodes_[at(child)].parent;
      if (nodes_[at(child)].merged || stamp_[at(child)] + stamp_[at(p)] != when) continue;
      nodes_[at(p)] = together(child, p);
      for (const int k : nodes_[at(child)].children) nodes_[at(k)].parent = p;
      nodes_[at(child)].merged = true;
      ++stamp_[at(p)];
      for (const int k : nodes_[at(p)].children) offer(k);
      offer(p);
    }
    std::vector<std::vector<int>> sets;
    for (Node& node : nodes_)
      if (!node.merged) sets.push_back(std::move(node.bodies));
    return sets;
  }

 private:
  double price(const Node& node) const {
    FrontSizes sizes = node.sizes;
    sizes.rows = node.own_rows;
    for (const int k : node.children) sizes.rows += nodes_[at(k)].sizes.handed;
    return front_flops(sizes);
  }
  Node together(int child, int p) {
    const Node& c = nodes_[at(child)];
    Node u = nodes_[at(p)];
    u.bodies.insert(u.bodies.end(), c.bodies.begin(), c.bodies.end());
    u.children.erase(std::find(u.children.begin(), u.children.end(), child));
    u.children.insert(u.children.end(), c.children.begin(), c.children.end());
    u.joints += c.joints;
    counter_.count(u);
    return u;
  }
  void offer(int child) {
    const int p = nodes_[at(child)].parent;
    if (p < 0) return;
    const Node &c = nodes_[at(child)], &to = nodes_[at(p)];
    if (static_cast<int>(c.bodies.size() + to.bodies.size()) > kMostBodies || c.joints + to.joints > kMostJoints)
      return;
    const double gain = price(c) + price(to) - price(together(child, p));
    if (gain > 0) offers_.push({gain, child, stamp_[at(child)] + stamp_[at(p)]});
  }

  Counter counter_;
  std::vector<Node> nodes_;
  std::vector<int> stamp_;  // merges each has seen: an older offer is void
  std::priority_queue<std::tuple<double, int, int>> offers_;
};

}  // namespace

std::vector<std::vector<int>> amalgamate(const JointGraph& graph, const std::vector<std::vector<int>>& order,
                                         const std::vector<FrontSizes>& sizes, const std::vector<int>& parent) {
  return Merging(graph, order, sizes, parent).run();
}

}  // namespace catena
