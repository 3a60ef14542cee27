#include "catena/primary/forest.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "catena/constraint/joint_rows.h"
#include "catena/math/assert.h"

namespace catena {
namespace {

constexpr int kNone = -1;

// The joint graph; vertex 0 is the ground, vertex i + 1 is body i.
struct Edge {
  int to;
  JointId joint;
};

std::size_t vertex(BodyId body) { return static_cast<std::size_t>(body.value() + 1); }

using Filter = bool (*)(const Model&, const Joint&);

bool has_form(const Model& model, BodyId body) { return body.valid() && changes_form(model.bodies[body].kind); }

bool may_be_primary(const Model& model, const Joint& joint, Filter filter) {
  if (has_form(model, joint.a) || has_form(model, joint.b)) return false;
  return joint.primary && joint.kind != JointKind::coupling && joint.a != joint.b &&
         (filter ? filter(model, joint) : row_count(model, joint) > 0);
}

struct Graph {
  std::vector<int> start;  // edges of vertex v are start[v] … start[v + 1] − 1     (n_vertex + 1)
  std::vector<Edge> edges;

  Graph(const Model& model, Filter filter) : start(model.bodies.size() + 2, 0) {
    const auto each = [&](auto&& visit_edge) {
      for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const Joint& joint = model.joints[j];
        if (!may_be_primary(model, joint, filter)) continue;
        visit_edge(vertex(joint.a), vertex(joint.b), JointId(j));
        visit_edge(vertex(joint.b), vertex(joint.a), JointId(j));
      }
    };
    each([this](std::size_t from, std::size_t, JointId) { ++start[from + 1]; });
    for (std::size_t v = 1; v < start.size(); ++v) start[v] += start[v - 1];
    edges.resize(static_cast<std::size_t>(start.back()));
    std::vector<int> next(start.begin(), start.end() - 1);
    each([&](std::size_t from, std::size_t to, JointId joint) {
      edges[static_cast<std::size_t>(next[from]++)] = {static_cast<int>(to), joint};
    });
  }
  std::size_t size() const { return start.size() - 1; }
};

// A joint that could bring a new body into the forest. The queue gives the largest first.
struct Candidate {
  int dimension, depth;
  JointId joint;
  int from, to;
  auto key() const { return std::tuple(dimension, -depth, -joint.value()); }
  friend bool operator<(const Candidate& x, const Candidate& y) { return x.key() < y.key(); }
};

struct Growth {
  const Model& model;
  Graph graph;
  std::vector<int> parent;     // vertex                              (n_body + 1)
  std::vector<JointId> joint;  // to the parent
  std::vector<int> depth;      // kNone: not reached yet

  Growth(const Model& m, Filter filter)
      : model(m), graph(m, filter), parent(graph.size(), kNone), joint(graph.size()), depth(graph.size(), kNone) {}

  // Prim's algorithm from one root.
  void grow(int root) {
    std::priority_queue<Candidate> queue;
    depth[static_cast<std::size_t>(root)] = 0;
    offer(root, queue);
    while (!queue.empty()) {
      const Candidate best = queue.top();
      queue.pop();
      const auto to = static_cast<std::size_t>(best.to);
      if (depth[to] != kNone) continue;
      depth[to] = best.depth;
      parent[to] = best.from;
      joint[to] = best.joint;
      offer(best.to, queue);
    }
  }

  void offer(int from, std::priority_queue<Candidate>& queue) const {
    const auto v = static_cast<std::size_t>(from);
    for (auto e = static_cast<std::size_t>(graph.start[v]); e < static_cast<std::size_t>(graph.start[v + 1]); ++e) {
      const Edge& edge = graph.edges[e];
      if (depth[static_cast<std::size_t>(edge.to)] == kNone)
        queue.push({row_count(model, model.joints[edge.joint]), depth[v] + 1, edge.joint, from, edge.to});
    }
  }
};

bool parents_come_first(const Growth& g) {
  for (std::size_t v = 1; v < g.parent.size(); ++v)
    if (g.parent[v] >= static_cast<int>(v)) return false;
  return true;
}

// Bodies in depth-first order, children by body index.
std::vector<int> depth_first(const Growth& g) {
  std::vector<std::vector<int>> children(g.parent.size());
  std::vector<int> order, stack;
  for (std::size_t v = g.parent.size(); v-- > 1;) {
    if (g.parent[v] > 0) {
      children[static_cast<std::size_t>(g.parent[v])].push_back(static_cast<int>(v));
    } else {
      stack.push_back(static_cast<int>(v));
    }
  }
  while (!stack.empty()) {
    const int v = stack.back();
    stack.pop_back();
    order.push_back(v);
    for (const int child : children[static_cast<std::size_t>(v)]) stack.push_back(child);
  }
  return order;
}

std::vector<int> elimination_order(const Growth& g) {
  if (!parents_come_first(g)) return depth_first(g);
  std::vector<int> order;
  for (std::size_t v = 1; v < g.parent.size(); ++v) order.push_back(static_cast<int>(v));
  return order;
}

}  // namespace

Forest build_forest(const Model& model, Filter filter) {
  Growth g(model, filter);
  g.grow(0);
  for (std::size_t v = 1; v < g.depth.size(); ++v)
    if (g.depth[v] == kNone) {
      g.grow(static_cast<int>(v));
    }

  Forest forest;
  std::vector<bool> used(model.joints.size(), false);
  forest.node_of.assign(model.bodies.size(), kNone);
  for (const int v : elimination_order(g)) {
    const auto s = static_cast<std::size_t>(v);
    const BodyId body(v - 1);
    ForestNode node{body, g.joint[s], g.parent[s] > 0 ? forest.node_of[static_cast<std::size_t>(g.parent[s] - 1)] : -1,
                    true};
    if (node.joint.valid()) {
      used[node.joint] = true;
      node.child_is_b = model.joints[node.joint].b == body;
    }
    CATENA_ASSERT(node.parent < static_cast<int>(forest.nodes.size()));  // parents come first
    if (node.parent < 0) ++forest.trees;
    forest.depth = std::max(forest.depth, g.depth[s] + (node.joint.valid() ? 0 : 1));
    forest.node_of[body] = static_cast<int>(forest.nodes.size());
    forest.nodes.push_back(node);
  }
  for (std::size_t j = 0; j < used.size(); ++j)
    if (!used[j]) forest.auxiliary.emplace_back(j);
  return forest;
}

}  // namespace catena
