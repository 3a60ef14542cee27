#include "catena/simulation/layout.h"

#include <algorithm>

#include "catena/constraint/joint_rows.h"
#include "catena/primary/reduced_model.h"

namespace catena {

Layout::Layout(const Model& model)
    : model_(&model),
      jointed_(std::ranges::none_of(model.bodies, [](const Body& body) { return changes_size(body.kind); })),
      joints_(model.joints.size()),
      of_forest_(model.joints.size()) {
  std::vector<char> hangs(model.bodies.size());
  if (jointed_) {
    const Forest forest = build_forest(model, ReducedModel::has_coordinates);
    for (const ForestNode& node : forest.nodes)
      if (node.joint.valid()) hangs[node.body] = of_forest_[node.joint] = 1;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (!hangs[i]) add_floating(BodyId(i));
  for (const bool forest : {true, false}) {
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      if ((of_forest_[j] != 0) != forest) continue;
      const JointKind kind = model.joints[j].kind;
      const int count = coordinate_count(model.joints[j]);
      add(joints_[j], kind == JointKind::ball ? 4 : count, count);
    }
    if (forest) n_q_ = all_q_, n_v_ = all_v_;
  }
}

void Layout::add(Slot& slot, int n_q, int n_v) {
  slot = {all_q_, n_q, all_v_, n_v};
  all_q_ += n_q;
  all_v_ += n_v;
}

void Layout::add_floating(BodyId body) {
  floating_.push_back(body);
  add(floating_slots_.emplace_back(), 7, 6);
}

}  // namespace catena
