#include "catena/collide/broad_phase.h"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace catena {
namespace {

// So many leaves, or fewer, are joined by trying all pairs again and again, O(k³): not worth it for boxes that move.
constexpr int kPairwise = 2, kPairwiseTriangles = 16;
constexpr double kFat = 0.05;  // of a box's size: how far it may move before its place in the tree does

btVector3 to_bullet(const Vec3& v) { return {v.x, v.y, v.z}; }
btDbvtVolume volume_of(const Aabb& box) { return btDbvtVolume::FromMM(to_bullet(box.low), to_bullet(box.high)); }

void* as_data(int index) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(index)); }
int index_of(const btDbvtNode* leaf) { return static_cast<int>(reinterpret_cast<std::intptr_t>(leaf->data)); }

// A place of its own for leaf i: the digits of i in base two, mirrored. Leaves inserted there make a tree of depth O(log n); at places that
// coincide or follow each other, where boxes often are, they would make a list, in O(n²).
btDbvtVolume somewhere(int index) {
  double x = 0, digit = 0.5;
  for (auto i = static_cast<unsigned>(index); i != 0; i >>= 1, digit *= 0.5) x += (i & 1U) != 0 ? digit : 0;
  return btDbvtVolume::FromMM({x, 0, 0}, {x, 0, 0});
}

Aabb joined(const Aabb& a, const Aabb& b) {
  Aabb out = a;
  for (int i = 0; i < 3; ++i) {
    out.low[i] = std::min(a.low[i], b.low[i]);
    out.high[i] = std::max(a.high[i], b.high[i]);
  }
  return out;
}

struct Group {
  int number;
  std::vector<int> members;  // boxes
  Aabb all;                  // of them
};

}  // namespace

struct BroadPhase::Trees {
  btDbvt moving, standing;
  std::vector<Aabb> boxes;
  std::vector<btDbvtNode*> leaves;  // nullptr: in a group
  std::vector<Group> groups;
  std::unordered_map<int, std::size_t> group_of;  // by number
  bool built = false;                             // whether the leaves are where their boxes are
  std::vector<int> near;                          // boxes that overlap a group
  btNodeStack stack;
};

BroadPhase::BroadPhase() : trees_(std::make_unique<Trees>()) {}
BroadPhase::~BroadPhase() = default;
BroadPhase::BroadPhase(BroadPhase&&) noexcept = default;
BroadPhase& BroadPhase::operator=(BroadPhase&&) noexcept = default;

void BroadPhase::add(const Aabb& box, bool moves) {
  const int index = static_cast<int>(trees_->boxes.size());
  trees_->boxes.push_back(box);
  trees_->leaves.push_back((moves ? trees_->moving : trees_->standing).insert(somewhere(index), as_data(index)));
  trees_->built = false;
}

// O(n log n), once the boxes are known: from the top, halving the space.
void BroadPhase::build() {
  for (std::size_t i = 0; i < trees_->boxes.size(); ++i)
    if (trees_->leaves[i] != nullptr) trees_->leaves[i]->volume = volume_of(trees_->boxes[i]);
  trees_->moving.optimizeTopDown(kPairwise);
  trees_->standing.optimizeTopDown(kPairwise);
  trees_->built = true;
}

void BroadPhase::add_to_group(const Aabb& box, int group) {
  const auto [at, added] = trees_->group_of.emplace(group, trees_->groups.size());
  if (added) trees_->groups.push_back({group, {}, {}});
  trees_->groups[at->second].members.push_back(static_cast<int>(trees_->boxes.size()));
  trees_->boxes.push_back(box);
  trees_->leaves.push_back(nullptr);
}

int BroadPhase::depth() const {
  int deepest = 0;
  for (const btDbvt* tree : {&trees_->moving, &trees_->standing})
    if (tree->m_root != nullptr) deepest = std::max(deepest, btDbvt::maxdepth(tree->m_root));
  return deepest;
}

void BroadPhase::move(int index, const Aabb& box) {
  trees_->boxes[index] = box;
  if (trees_->leaves[index] == nullptr || !trees_->built) return;
  btDbvtVolume volume = volume_of(box);
  trees_->moving.update(trees_->leaves[index], volume, kFat * norm(box.high - box.low));
}

void BroadPhase::pairs(std::vector<std::pair<int, int>>& out) {
  struct Collect : btDbvt::ICollide {
    Collect(const std::vector<Aabb>& all, std::vector<std::pair<int, int>>& found) : boxes(all), out(found) {}
    void Process(const btDbvtNode* a, const btDbvtNode* b) override {
      const int i = index_of(a), j = index_of(b);
      if (overlap(boxes[i], boxes[j])) out.emplace_back(std::min(i, j), std::max(i, j));
    }
    const std::vector<Aabb>& boxes;
    std::vector<std::pair<int, int>>& out;
  } collect(trees_->boxes, out);
  out.clear();
  if (!trees_->built) build();
  trees_->moving.collideTTpersistentStack(trees_->moving.m_root, trees_->moving.m_root, collect);
  trees_->moving.collideTTpersistentStack(trees_->moving.m_root, trees_->standing.m_root, collect);
  group_pairs(out);
  std::sort(out.begin(), out.end());
}

void BroadPhase::group_pairs(std::vector<std::pair<int, int>>& out) {
  struct Collect : btDbvt::ICollide {
    explicit Collect(std::vector<int>& found) : out(found) {}
    void Process(const btDbvtNode* leaf) override { out.push_back(index_of(leaf)); }
    std::vector<int>& out;
  } collect(trees_->near);
  const std::vector<Aabb>& boxes = trees_->boxes;
  for (std::size_t g = 0; g < trees_->groups.size(); ++g) {
    Group& group = trees_->groups[g];
    group.all = boxes[group.members.front()];
    for (const int i : group.members) group.all = joined(group.all, boxes[i]);
    trees_->near.clear();
    for (const btDbvt* tree : {&trees_->moving, &trees_->standing})
      tree->collideTVNoStackAlloc(tree->m_root, volume_of(group.all), trees_->stack, collect);
    for (std::size_t other = 0; other < g; ++other)
      if (overlap(group.all, trees_->groups[other].all))
        trees_->near.insert(trees_->near.end(), trees_->groups[other].members.begin(),
                            trees_->groups[other].members.end());
    for (const int j : trees_->near) {
      if (!overlap(group.all, boxes[j])) continue;
      for (const int i : group.members)
        if (overlap(boxes[i], boxes[j])) out.emplace_back(std::min(i, j), std::max(i, j));
    }
  }
}

struct TriangleTree::Tree {
  btDbvt triangles;
  btNodeStack stack;
};

TriangleTree::TriangleTree(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles)
    : tree_(std::make_unique<Tree>()) {
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    Aabb box{vertices[triangles[t][0]], vertices[triangles[t][0]]};
    for (const int v : triangles[t]) {
      for (int i = 0; i < 3; ++i) {
        box.low[i] = std::min(box.low[i], vertices[v][i]);
        box.high[i] = std::max(box.high[i], vertices[v][i]);
      }
    }
    const int index = static_cast<int>(t);
    tree_->triangles.insert(somewhere(index), as_data(index))->volume = volume_of(box);
  }
  tree_->triangles.optimizeTopDown(kPairwiseTriangles);
}
TriangleTree::~TriangleTree() = default;
TriangleTree::TriangleTree(TriangleTree&&) noexcept = default;
TriangleTree& TriangleTree::operator=(TriangleTree&&) noexcept = default;

void TriangleTree::query(const Aabb& box, std::vector<int>& out) {
  struct Collect : btDbvt::ICollide {
    explicit Collect(std::vector<int>& found) : out(found) {}
    void Process(const btDbvtNode* leaf) override { out.push_back(index_of(leaf)); }
    std::vector<int>& out;
  } collect(out);
  out.clear();
  tree_->triangles.collideTVNoStackAlloc(tree_->triangles.m_root, volume_of(box), tree_->stack, collect);
  std::sort(out.begin(), out.end());
}

}  // namespace catena
