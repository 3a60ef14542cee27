#include "catena/simulation/coordinate_names.h"

#include <fmt/format.h>

#include <array>

namespace catena {
namespace {

std::string name_of(const Joint& joint, int coordinate, int count) {
  if (joint.kind == JointKind::compound) {
    const std::string& own = joint.freedoms[static_cast<std::size_t>(coordinate)].name;
    if (!own.empty()) return own;
  }
  return count == 1 ? joint.name : fmt::format("{}[{}]", joint.name, coordinate);
}

}  // namespace

std::vector<std::string> rate_names(const Simulation& simulation) {
  constexpr std::array kParts{".x", ".y", ".z", ".rx", ".ry", ".rz"};
  const Layout& layout = simulation.layout();
  const Model& model = simulation.model();
  std::vector<std::string> out(static_cast<std::size_t>(layout.n_v()));
  for (std::size_t i = 0; i < layout.floating().size(); ++i)
    for (std::size_t k = 0; k < kParts.size(); ++k)
      out[static_cast<std::size_t>(layout.of_floating(i).v) + k] = model.bodies[layout.floating()[i]].name + kParts[k];
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Layout::Slot& slot = layout.of(JointId(j));
    for (int k = 0; k < slot.n_v && slot.v + k < layout.n_v(); ++k)
      out[static_cast<std::size_t>(slot.v + k)] = name_of(model.joints[j], k, slot.n_v);
  }
  return out;
}

}  // namespace catena
