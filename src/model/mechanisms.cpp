#include "catena/model/mechanisms.h"

#include <numeric>

namespace catena {

std::vector<BodyId> bodies_of(const Model& model, const Joint& joint) {
  std::vector<BodyId> bodies;
  for (const BodyId body : {joint.a, joint.b})
    if (body.valid() && joint.kind != JointKind::coupling) bodies.push_back(body);
  for (const CouplingRow& row : model.extras_of(joint).rows) {
    for (const CouplingTerm& term : row.terms) bodies.push_back(term.body);
    for (const CouplingTerm& term : row.through) bodies.push_back(term.body);
  }
  for (std::size_t i = 0, n = bodies.size(); i < n; ++i)
    if (const BodyId partner = model.bodies[bodies[i]].partner; partner.valid()) bodies.push_back(partner);
  return bodies;
}

std::vector<int> mechanisms(const Model& model) {
  std::vector<int> root(model.bodies.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    const auto up = [&](int k) -> int& { return root[static_cast<std::size_t>(k)]; };
    while (up(i) != i) i = up(i) = up(up(i));
    return i;
  };
  for (const Joint& joint : model.joints) {
    const std::vector<BodyId> bodies = bodies_of(model, joint);
    for (const BodyId body : bodies) root[static_cast<std::size_t>(find(body.value()))] = find(bodies[0].value());
  }
  for (std::size_t i = 0; i < root.size(); ++i)
    if (const BodyId partner = model.bodies[i].partner; partner.valid())
      root[static_cast<std::size_t>(find(partner.value()))] = find(static_cast<int>(i));
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = find(static_cast<int>(i));
  return root;
}

}  // namespace catena
