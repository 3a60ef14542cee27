#include "catena/primary/parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

namespace catena {
namespace {

// Which bodies (and the ground, number 0) a forest already connects.
class Connected {
 public:
  explicit Connected(std::size_t bodies) : parent_(bodies + 1) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::size_t find(BodyId body) {
    std::size_t i = body.valid() ? static_cast<std::size_t>(body) + 1 : 0;
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  bool join(BodyId a, BodyId b) {
    const std::size_t i = find(a), k = find(b);
    if (i == k) return false;
    parent_[std::max(i, k)] = std::min(i, k);
    return true;
  }

 private:
  std::vector<std::size_t> parent_;
};

struct Layer {
  Connected connected;
  std::vector<JointId> joints;
};

// |A_ij| between joints: how much velocity an impulse of one gives the other, relative to what each gives itself.
class Coupling {
 public:
  Coupling(const Model& model, const Kinematics& kinematics) : model_(&model), kinematics_(&kinematics) {
    row_of_.push_back(0);
    std::vector<JointId> all;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      all.emplace_back(j);
      row_of_.push_back(row_of_.back() + row_count(model, model.joints[j]));
    }
    rows_ = std::make_unique<RowSet>(model, std::move(all));
    rows_->evaluate(model, kinematics);
    at_.resize(model.bodies.size());
  }

  // What a joint feels of the joints already placed in a layer, its strong couplings apart from the weak ones.
  struct Felt {
    double strong = 0, weak = 0;
  };
  Felt felt(JointId joint, std::size_t layer) const {
    constexpr double kStrong = 0.8;
    Felt sum;
    for (const BodyId body : {model_->joints[joint].a, model_->joints[joint].b})
      if (body.valid())
        for (const auto& [other, in] : at_[body])
          if (in == layer) {
            const double s = shared(joint, other, body);
            (s > kStrong ? sum.strong : sum.weak) += s;
          }
    return sum;
  }
  void place(JointId joint, std::size_t layer) {
    for (const BodyId body : {model_->joints[joint].a, model_->joints[joint].b})
      if (body.valid()) at_[body].emplace_back(joint, layer);
  }

 private:
  // Through one body: the largest |J_i M⁻¹ J_jᵀ| of their rows, over the geometric mean of their own.
  double shared(JointId i, JointId j, BodyId body) const {
    double largest = 0, own_i = 0, own_j = 0;
    for (int a = row_of_[i]; a < row_of_[i + 1]; ++a)
      for (int b = row_of_[j]; b < row_of_[j + 1]; ++b) {
        const BodyVector Ja = block(a, body), Jb = block(b, body);
        largest = std::max(largest, std::abs(dot(Ja, weigh(body, Jb))));
        own_i = std::max(own_i, dot(Ja, weigh(body, Ja)));
        own_j = std::max(own_j, dot(Jb, weigh(body, Jb)));
      }
    return largest > 0 ? largest / std::sqrt(own_i * own_j) : 0;
  }
  BodyVector block(int row, BodyId body) const {
    for (auto t = static_cast<std::size_t>(rows_->start[static_cast<std::size_t>(row)]);
         t < static_cast<std::size_t>(rows_->start[static_cast<std::size_t>(row) + 1]); ++t)
      if (rows_->body[t] == body) return rows_->J[t];
    return {};
  }
  // M⁻¹ up to its off-diagonal numbers, which do not change who feels whom.
  BodyVector weigh(BodyId body, const BodyVector& f) const {
    const MassBlock& M = kinematics_->M(body);
    const double turn = M.angular.xx + M.angular.yy + M.angular.zz;
    return {f.linear / M.linear, turn > 0 ? (3 / turn) * f.angular : Vec3{}, M.scale > 0 ? f.scale / M.scale : 0};
  }

  const Model* model_;
  const Kinematics* kinematics_;
  std::unique_ptr<RowSet> rows_;
  std::vector<int> row_of_;                                       // first row of a joint
  std::vector<std::vector<std::pair<JointId, std::size_t>>> at_;  // joints of a body that are placed, and where
};

// What is strongly coupled stays together, what is weakly coupled apart; then sizes are evened out.
bool better(const Coupling::Felt& a, const Layer& in_a, const Coupling::Felt& b, const Layer& in_b) {
  constexpr double kEqual = 1e-9;
  if (std::abs(a.strong - b.strong) > kEqual) return a.strong > b.strong;
  if (std::abs(a.weak - b.weak) > kEqual) return a.weak < b.weak;
  return in_a.joints.size() < in_b.joints.size();
}

// Places every joint; `count` forests are open from the start.
std::vector<Layer> place_all(const Model& model, const Kinematics& kinematics, std::size_t count) {
  std::vector<Layer> layers(count, Layer{Connected(model.bodies.size()), {}});
  Coupling coupling(model, kinematics);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    std::size_t best = layers.size();
    Coupling::Felt most;
    for (std::size_t k = 0; k < layers.size(); ++k) {
      if (layers[k].connected.find(joint.a) == layers[k].connected.find(joint.b)) continue;
      const Coupling::Felt felt = coupling.felt(JointId(j), k);
      if (best == layers.size() || better(felt, layers[k], most, layers[best])) {
        most = felt;
        best = k;
      }
    }
    if (best == layers.size()) layers.push_back({Connected(model.bodies.size()), {}});
    layers[best].connected.join(joint.a, joint.b);
    layers[best].joints.emplace_back(j);
    coupling.place(JointId(j), best);
  }
  return layers;
}

// As many forests as the first free one for each joint needs.
std::size_t forests_needed(const Model& model) {
  std::vector<Connected> forests;
  for (const Joint& joint : model.joints) {
    if (joint.kind == JointKind::coupling)
      throw InputError("joint '" + joint.name +
                       "': a coupling of many bodies is part of no tree; the solver parts cannot take it");
    for (const BodyId end : {joint.a, joint.b})
      if (end.valid() && changes_form(model.bodies[end].kind))
        throw InputError("joint '" + joint.name +
                         "': joints of bodies with a form are part of no tree; the solver parts cannot take them");
    const bool placed =
        std::any_of(forests.begin(), forests.end(), [&](Connected& forest) { return forest.join(joint.a, joint.b); });
    if (placed) continue;
    forests.emplace_back(model.bodies.size());
    forests.back().join(joint.a, joint.b);
  }
  return forests.size();
}

// The trees of a forest: what hangs together without the ground.
std::vector<std::vector<JointId>> trees_of(const Model& model, const std::vector<JointId>& joints) {
  Connected connected(model.bodies.size());
  for (const JointId j : joints)
    if (model.joints[j].a.valid() && model.joints[j].b.valid()) connected.join(model.joints[j].a, model.joints[j].b);
  std::map<std::size_t, std::size_t> tree_of;
  std::vector<std::vector<JointId>> trees;
  for (const JointId j : joints) {
    const BodyId body = model.joints[j].b.valid() ? model.joints[j].b : model.joints[j].a;
    const auto [at, is_new] = tree_of.try_emplace(connected.find(body), trees.size());
    if (is_new) trees.emplace_back();
    trees[at->second].push_back(j);
  }
  return trees;
}

// Nodes parents first, breadth first from the joint to the ground or else from the first body.
Forest rooted(const Model& model, const std::vector<JointId>& joints) {
  std::map<std::size_t, std::vector<JointId>> at;  // joints of each body
  JointId anchor;
  for (const JointId j : joints) {
    const Joint& joint = model.joints[j];
    if (joint.a.valid() && joint.b.valid()) {
      at[joint.a].push_back(j);
      at[joint.b].push_back(j);
    } else {
      at[joint.a.valid() ? joint.a : joint.b];
      anchor = j;
    }
  }
  Forest forest;
  forest.trees = 1;
  forest.node_of.assign(model.bodies.size(), -1);
  const auto add = [&](BodyId body, JointId joint, int parent) {
    forest.node_of[body] = static_cast<int>(forest.nodes.size());
    forest.nodes.push_back({body, joint, parent, !joint.valid() || model.joints[joint].b == body});
  };
  if (anchor.valid()) {
    const Joint& joint = model.joints[anchor];
    add(joint.a.valid() ? joint.a : joint.b, anchor, -1);
  } else {
    add(BodyId(at.begin()->first), JointId(), -1);
  }
  for (std::size_t n = 0; n < forest.nodes.size(); ++n) {
    const BodyId body = forest.nodes[n].body;
    for (const JointId j : at[body]) {
      const BodyId other = model.joints[j].a == body ? model.joints[j].b : model.joints[j].a;
      if (forest.node_of[other] < 0) add(other, j, static_cast<int>(n));
    }
  }
  return forest;
}

}  // namespace

std::vector<Part> acyclic_parts(const Model& model, const Kinematics& kinematics) {
  std::vector<Part> parts;
  const std::vector<Layer> layers = place_all(model, kinematics, forests_needed(model));
  for (std::size_t layer = 0; layer < layers.size(); ++layer)
    for (const std::vector<JointId>& joints : trees_of(model, layers[layer].joints))
      parts.push_back({rooted(model, joints), joints, layer});
  return parts;
}

}  // namespace catena
