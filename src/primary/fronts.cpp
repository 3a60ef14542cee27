#include "catena/primary/fronts.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "catena/constraint/row_set.h"
#include "catena/math/scalar.h"
#include "catena/model/impedance.h"
#include "catena/primary/free_directions.h"
#include "catena/primary/front_order.h"

namespace catena {
namespace {

constexpr int kMostDelayed = 6;     // freedoms a front may hand up near a singular pose
constexpr double kOriginReach = 8;  // lengths from an origin to the bodies whose motion is measured there

int size_of(const auto& list) { return static_cast<int>(list.size()); }

// Its rows vanish for any motion that both bodies share, of which one may be the ground.
bool joins_a_pair(const Joint& joint) {
  return joint.kind != JointKind::coupling && joint.kind != JointKind::gear && joint.kind != JointKind::rack &&
         joint.kind != JointKind::rolling;
}
bool sees_relative_motion(const Joint& joint) { return joins_a_pair(joint) && joint.a.valid() && joint.b.valid(); }

class Planner {
 public:
  Planner(const JointGraph& graph, const std::vector<std::vector<int>>& sets)
      : graph_(graph), model_(graph.model), sets_(sets), impeded_(joints_with_impedance(graph.model)) {
    find_length();
    plan_.front_of.assign(model_.bodies.size(), -1);
    for (std::size_t i = 0; i < sets.size(); ++i)
      for (const int b : sets[i]) plan_.front_of[at(b)] = static_cast<int>(i);
    plan_.fronts.resize(sets.size());
    joints_.resize(sets.size());
    boundary_.resize(sets.size());
  }

  FrontPlan build() {
    share_joints();
    for (int i = 0; i < size_of(plan_.fronts); ++i) {
      find_boundary(i);
      plant(i);
      close(i);
      adopt(i);
      find_couplings(plan_.fronts[at(i)]);
      plan_.widest = std::max(plan_.widest, plan_.fronts[at(i)].boundary);
    }
    place_origins();
    return std::move(plan_);
  }

 private:
  void find_length() {
    double sum = 0;
    int ends = 0;
    const auto add = [&](double arm) {
      if (arm > 0) sum += arm, ++ends;
    };
    for (const Joint& joint : model_.joints) {
      if (joint.a.valid()) add(norm(joint.anchor_a));
      if (joint.b.valid()) add(norm(joint.anchor_b));
      if (joint.kind == JointKind::distance) add(joint.parameter);
    }
    plan_.length = ends > 0 ? sum / ends : 1;
  }

  // A joint belongs to the first front that has one of its bodies in its interior.
  void share_joints() {
    for (std::size_t j = 0; j < graph_.bodies.size(); ++j) {
      if (graph_.bodies[j].empty()) continue;
      int front = size_of(plan_.fronts);
      for (const BodyId body : graph_.bodies[j]) front = std::min(front, plan_.front_of[body]);
      joints_[at(front)].push_back(static_cast<int>(j));
      for (const BodyId body : graph_.bodies[j])
        if (plan_.front_of[body] != front) boundary_[at(front)].insert(body.value());
      if (!sees_relative_motion(model_.joints[j])) plan_.fronts[at(front)].absolute = true;
    }
  }

  void find_boundary(int index) {
    BodyFront& F = plan_.fronts[at(index)];
    for (const FrontChild& child : F.children) {
      const BodyFront& C = plan_.fronts[at(child.front)];
      for (int k = 0; k < C.boundary; ++k)
        if (const BodyId b = C.bodies[at(k)].body; plan_.front_of[b] != index) boundary_[at(index)].insert(b.value());
    }
    std::vector<int> list(boundary_[at(index)].begin(), boundary_[at(index)].end());
    std::sort(list.begin(), list.end(), [&](int a, int b) {
      return std::pair(plan_.front_of[at(a)], -a) < std::pair(plan_.front_of[at(b)], -b);
    });
    const auto turns = [&](int body) { return model_.bodies[at(body)].kind == BodyKind::rigid; };
    const std::vector<int>& set = sets_[at(index)];
    if (!std::all_of(list.begin(), list.end(), turns) || !std::all_of(set.begin(), set.end(), turns)) F.absolute = true;
    for (const int b : list) F.bodies.push_back({.body = BodyId(b)});
    F.boundary = size_of(list);
    F.interior = size_of(set);
    if (F.boundary == 0) return;
    F.parent = plan_.front_of[at(list[0])];
    BodyFront& parent = plan_.fronts[at(F.parent)];
    F.sibling = size_of(parent.children);
    parent.children.push_back({.front = index});
    if (F.absolute) parent.absolute = true;
  }

  static int local_of(const BodyFront& F, BodyId body) {
    if (!body.valid()) return -1;
    for (int i = 0; i < size_of(F.bodies); ++i)
      if (F.bodies[at(i)].body == body) return i;
    return size_of(F.bodies);
  }

  // The forest: joints that leave fewest freedoms first, of those the ones with springs, dampers or rotors (whose inertia the forest
  // carries along its freedoms), then those near the boundary; what no joint reaches floats.
  void plant(int index) {
    BodyFront& F = plan_.fronts[at(index)];
    F.row_columns = 6 * (F.absolute || F.boundary == 0 ? F.boundary : F.boundary - 1);
    std::vector<int> depth(at(F.local()), 0);
    while (size_of(F.bodies) < F.local()) {
      FrontBody next = best_joint(F, index, depth);
      const int i = size_of(F.bodies);
      if (!next.body.valid()) next = floating(F, index);
      next.first = F.freedoms;
      F.freedoms += next.freedoms;
      depth[at(i)] = next.parent < 0 ? 0 : depth[at(next.parent)] + 1;
      F.bodies.push_back(next);
    }
  }
  FrontBody best_joint(const BodyFront& F, int index, const std::vector<int>& depth) const {
    FrontBody best;
    std::tuple<int, int, int> least{1 << 30, 0, 0};
    const int outside = size_of(F.bodies);
    for (const int j : joints_[at(index)]) {
      const Joint& joint = model_.joints[at(j)];
      const int freedoms = graph_.freedoms[at(j)];
      if (freedoms < 0) continue;
      for (const auto& [child, parent] : {std::pair(joint.b, joint.a), std::pair(joint.a, joint.b)}) {
        if (!child.valid() || plan_.front_of[child] != index || local_of(F, child) != outside) continue;
        const int p = local_of(F, parent);
        if (p == outside) continue;
        const int deep = p < 0 ? 0 : depth[at(p)] + 1;
        const auto key = std::make_tuple(freedoms, impeded_[at(j)] ? 0 : 1, deep);
        if (key < least) least = key, best = {child, p, JointId(j), 0, freedoms};
      }
    }
    return best;
  }
  // Of those left the one with most joints.
  FrontBody floating(const BodyFront& F, int index) const {
    FrontBody best;
    for (const int b : sets_[at(index)])
      if (local_of(F, BodyId(b)) == size_of(F.bodies) &&
          (!best.body.valid() || graph_.joints_of[at(b)].size() > graph_.joints_of[best.body].size()))
        best.body = BodyId(b);
    best.parent = F.absolute || F.boundary == 0 ? -1 : F.boundary - 1;
    best.freedoms = float_freedoms(model_.bodies[best.body].kind);
    return best;
  }

  void close(int index) {
    BodyFront& F = plan_.fronts[at(index)];
    std::set<int> used;
    for (const FrontBody& body : F.bodies)
      if (body.joint.valid()) used.insert(body.joint.value());
    for (const int j : joints_[at(index)]) {
      if (used.contains(j)) continue;
      const RowSet rows(model_, {JointId(j)});
      ClosingJoint closing{.joint = JointId(j), .rows = rows.rows()};
      std::set<int> touched;
      for (const BodyId body : rows.body) {
        closing.places.push_back(local_of(F, body));
        touched.insert(closing.places.back());
      }
      find_path(F, touched, sees_relative_motion(model_.joints[at(j)]), closing);
      const Joint& joint = model_.joints[at(j)];
      const auto ends = static_cast<std::size_t>(joint.a.valid() ? 1 : 0) + (joint.b.valid() ? 1 : 0);
      closing.pair = joins_a_pair(joint) && touched.size() == ends &&
                     closing.places.size() == ends * static_cast<std::size_t>(closing.rows);
      if (closing.pair || graph_.freedoms[at(j)] >= 0) find_sides(F, joint, closing);
      F.own_rows += closing.rows;
      F.closing.push_back(std::move(closing));
    }
  }
  // From the bodies a joint touches up to the boundary or, where it sees relative motion only, to the first body that carries them all.
  static void find_path(const BodyFront& F, std::set<int> active, bool relative, ClosingJoint& closing) {
    while (!active.empty()) {
      if (relative && active.size() == 1) return;
      const int x = *active.rbegin();
      if (x < F.boundary) break;
      active.erase(x);
      closing.path.push_back(x);
      // A path that ends at the ground still counts as one: nothing else carries the others with it.
      if (const int p = F.bodies[at(x)].parent; p >= 0) active.insert(p);
      else relative = false;
    }
    closing.roots.assign(active.begin(), active.end());
  }

  static void find_sides(const BodyFront& F, const Joint& joint, ClosingJoint& closing) {
    closing.a = local_of(F, joint.a);
    closing.b = local_of(F, joint.b);
    std::set<int> carries_b;
    for (int x = closing.b; x >= 0; x = F.bodies[at(x)].parent) carries_b.insert(x);
    const auto sign = [&](int x) { return carries_b.contains(x) ? 1.0 : -1.0; };
    for (const int x : closing.path) {
      const FrontBody& body = F.bodies[at(x)];
      for (int k = body.first; k < body.first + body.freedoms; ++k) closing.freedoms.push_back({k, sign(x)});
    }
    for (const int x : closing.roots) {
      closing.all_ends.push_back({x, sign(x)});
      if (6 * x < F.row_columns) closing.ends.push_back(closing.all_ends.back());
    }
  }

  // What children may hand up, and where it goes.
  void adopt(int index) {
    BodyFront& F = plan_.fronts[at(index)];
    F.most.rows = F.own_rows;
    F.most.freedoms = F.freedoms;
    for (FrontChild& child : F.children) {
      const BodyFront& C = plan_.fronts[at(child.front)];
      F.most.rows += std::min(C.most.rows, C.row_columns);
      F.most.freedoms += C.most.delayed;
      std::set<int, std::greater<>> path;
      for (int k = 0; k < C.boundary; ++k) {
        child.map.push_back(local_of(F, C.bodies[at(k)].body));
        for (int x = child.map.back(); x >= F.boundary; x = F.bodies[at(x)].parent) path.insert(x);
      }
      child.path.assign(path.begin(), path.end());
    }
    F.most.delayed = F.most.rows > 0 ? std::min({F.row_columns, F.most.freedoms, kMostDelayed}) : 0;
  }

  static void find_couplings(BodyFront& F) {
    const int n = F.local();
    F.fold.blocks = F.interior;
    F.fold.block_of.assign(at(n * n), -1);
    std::vector<std::set<int>> with(at(n)), met(at(n));
    for (const FrontChild& child : F.children)
      for (std::size_t k = 0; k < child.map.size(); ++k)
        for (std::size_t l = 0; l < k; ++l)
          with[at(std::max(child.map[k], child.map[l]))].insert(std::min(child.map[k], child.map[l]));
    for (int i = n; i-- > F.boundary;) {
      const FrontBody& body = F.bodies[at(i)];
      std::set<int> own;
      for (int k = 0; k < body.freedoms; ++k) own.insert(body.first + k);
      for (const int x : with[at(i)]) {
        F.fold.block_of[at(i * n + x)] = F.fold.blocks++;
        if (body.parent >= 0 && body.parent != x) with[at(std::max(body.parent, x))].insert(std::min(body.parent, x));
        met[at(x)].insert(own.begin(), own.end());
      }
      if (body.parent < 0) continue;
      met[at(body.parent)].insert(met[at(i)].begin(), met[at(i)].end());
      met[at(body.parent)].insert(own.begin(), own.end());
    }
    for (int i = F.boundary; i <= n; ++i) {
      F.fold.coupling_start.push_back(size_of(F.fold.couplings));
      F.fold.met_start.push_back(size_of(F.fold.met));
      if (i == n) break;
      for (const int x : with[at(i)]) F.fold.couplings.push_back({x, F.fold.block_of[at(i * n + x)]});
      F.fold.met.insert(F.fold.met.end(), met[at(i)].begin(), met[at(i)].end());
    }
  }

  // Roots first: a front keeps its parent's origin unless a body of its interior may be far from it, measured along the joints.
  void place_origins() {
    std::map<int, std::set<int>> within;  // by origin, bodies in reach
    for (int i = size_of(plan_.fronts); i-- > 0;) {
      BodyFront& F = plan_.fronts[at(i)];
      const std::vector<int>& set = sets_[at(i)];
      F.origin = F.parent >= 0 ? plan_.fronts[at(F.parent)].origin : F.bodies[at(F.boundary)].body;
      if (F.parent >= 0) {
        const std::set<int>& reach = within.at(F.origin.value());
        if (!std::all_of(set.begin(), set.end(), [&](int b) { return reach.contains(b); }))
          F.origin = F.bodies[at(F.boundary)].body;
      }
      if (!within.contains(F.origin.value())) within[F.origin.value()] = in_reach(F.origin.value());
    }
  }
  std::set<int> in_reach(int origin) const {
    std::set<int> reached;
    std::priority_queue<std::pair<double, int>> queue;
    queue.push({0, origin});
    while (!queue.empty()) {
      const auto [minus, b] = queue.top();
      queue.pop();
      if (-minus > kOriginReach * plan_.length || !reached.insert(b).second) continue;
      for (const int j : graph_.joints_of[at(b)]) {
        const Joint& joint = model_.joints[at(j)];
        const double arms =
            norm(joint.anchor_a) + norm(joint.anchor_b) + (joint.kind == JointKind::distance ? joint.parameter : 0);
        if (joint.kind == JointKind::coupling || !joint.a.valid() || !joint.b.valid()) continue;
        for (const BodyId other : graph_.bodies[at(j)])
          if (!reached.contains(other.value())) queue.push({minus - arms, other.value()});
      }
    }
    return reached;
  }

  const JointGraph& graph_;
  const Model& model_;
  const std::vector<std::vector<int>>& sets_;
  std::vector<char> impeded_;  // by joint
  FrontPlan plan_;
  std::vector<std::vector<int>> joints_;  // of each front
  std::vector<std::set<int>> boundary_;   //
};

// Rows a front hands up when none depends on others, and what that costs: children first.
// A set begins with the body that is eliminated last in it, and hands up what that body alone would.
std::vector<FrontSizes> estimated_sizes(const FrontPlan& plan, const std::vector<std::vector<int>>& sets,
                                        const std::vector<int>& handed) {
  std::vector<FrontSizes> sizes(plan.fronts.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const BodyFront& F = plan.fronts[i];
    sizes[i] = {F.interior, F.boundary, F.freedoms, F.own_rows, 0, F.row_columns};
    for (const FrontChild& child : F.children) sizes[i].rows += sizes[at(child.front)].handed;
    sizes[i].handed =
        handed.empty() ? std::min(std::max(0, sizes[i].rows - F.freedoms), F.row_columns) : handed[at(sets[i][0])];
  }
  return sizes;
}

}  // namespace

int float_freedoms(BodyKind kind) { return kind == BodyKind::rigid ? 6 : 3; }

int tree_freedoms(const Model& model, const Joint& joint) {
  if (joint.kind == JointKind::coupling || joint.a == joint.b || model.extras_of(joint).moves) return -1;
  const auto is = [&](BodyId body, BodyKind kind) { return !body.valid() || model.bodies[body].kind == kind; };
  const bool planar = joint.kind == JointKind::pin || joint.kind == JointKind::planar_weld;
  const BodyKind kind = planar ? BodyKind::planar : BodyKind::rigid;
  if (!is(joint.a, kind) || !is(joint.b, kind)) return -1;
  return free_direction_count(joint.kind, model.extras_of(joint).motor.has_value());
}

std::string fronts_decline(const Model& model) {
  for (const Body& body : model.bodies)
    if (changes_size(body.kind)) return "body '" + body.name + "' is " + std::string(name_of(body.kind));
  for (const Joint& joint : model.joints)
    for (const CouplingRow& row : model.extras_of(joint).rows)
      if (!row.through.empty()) return "joint '" + joint.name + "' pushes through other terms than its own";
  return {};
}

std::optional<FrontPlan> plan_fronts(const Model& model, double most_flops, bool merge,
                                     const std::vector<int>& handed) {
  const JointGraph graph(model);
  std::optional<std::vector<std::vector<int>>> sets = elimination_order(graph, most_flops);
  if (!sets) return std::nullopt;
  FrontPlan plan = Planner(graph, *sets).build();
  if (merge) {
    std::vector<int> parent;
    for (const BodyFront& F : plan.fronts) parent.push_back(F.parent);
    const std::vector<FrontSizes> sizes = estimated_sizes(plan, *sets, handed);
    *sets = amalgamate(graph, *sets, sizes, parent);
    plan = Planner(graph, *sets).build();
  }
  for (const FrontSizes& sizes : estimated_sizes(plan, *sets, handed)) plan.flops += front_flops(sizes);
  return plan;
}

}  // namespace catena
