#include "catena/simulation/choose_method.h"

#include <algorithm>
#include <cmath>

#include "catena/laws/laws.h"
#include "catena/mechanism/stiffness.h"
#include "catena/primary/reduced_model.h"

namespace catena {

namespace {

// Whether motors and gears leave no freedom: every motion is prescribed, and nothing is left to integrate.
bool is_prescribed(const Model& model) {
  if (std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return changes_size(body.kind); }))
    return false;
  const ReducedModel reduced(model);
  const std::vector<JointId>& loops = reduced.forest().auxiliary;
  const bool geared = std::all_of(loops.begin(), loops.end(), [&](JointId id) {
    return model.joints[id].kind == JointKind::gear || model.joints[id].kind == JointKind::rack;
  });
  const auto motors = std::count_if(model.joints.begin(), model.joints.end(),
                                    [&](const Joint& joint) { return model.extras_of(joint).motor.has_value(); });
  return geared && motors > 0 && static_cast<long>(loops.size()) + motors == reduced.freedoms();
}

}  // namespace

MethodChoice choose_method(const Model& model, const State& initial, const Settings& settings) {
  if (settings.method.formulation() != Formulation::operational_space)
    return {Method::operational, "only operational has the formulation that is asked for"};
  if (settings.method.integrator() == Integrator::rk4 || settings.method.integrator() == Integrator::adaptive)
    return {Method::lagrange, "the integrator that is asked for belongs to lagrange"};
  if (!has_laws(model) && is_prescribed(model))
    return {Method::operational, "motors and gears prescribe every motion, and the cheapest method is as exact as any"};
  const bool lawful = has_laws(model);
  const std::string implicit =
      lawful ? std::string() : why_implicit(model, initial, settings.step, false, settings.tuning.stability);
  if (!lawful && implicit.empty())
    return {Method::lagrange, "nothing may touch and no joint has limits, dry friction, a bounded motor or compliance"};
  const std::string laws =
      lawful ? "something may touch, or joints have limits, dry friction, bounded motors or compliance; "
             : implicit + "; ";
  if (has_soft_joints(model)) return {Method::spook, laws + "joints with compliance are part of this method"};
  if (has_soft_contacts(model)) return {Method::spook, laws + "materials with compliance are part of this method"};
  if (std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) { return changes_size(body.kind); }))
    return {Method::spook, laws + "a body that changes its size has no joint coordinates"};
  if (has_grain(model)) return {Method::spook, laws + "friction differs forward and backward, which this method takes"};
  const ReducedModel reduced(model);
  int freedoms = 0;
  for (const Body& body : model.bodies) freedoms += dimension(body.kind);
  if (!reduced.forest().auxiliary.empty())
    return {Method::spook, laws + "closed loops cost less with joints as equations than in joint coordinates"};
  const auto floating = std::count_if(reduced.nodes().begin(), reduced.nodes().end(),
                                      [](const ReducedNode& node) { return !node.joint.valid(); });
  if (floating > 1)
    return {Method::spook, laws + "there are several floating mechanisms, whose contacts make a sparse problem"};
  if (2 * reduced.freedoms() > freedoms)
    return {Method::spook, laws + "most bodies are free, so that joint coordinates would save nothing"};
  return {
      Method::operational,
      laws + "the joints form trees, so that in joint coordinates no joint has to be solved for and none can drift"};
}

Coordinates choose_coordinates(const SystemSizes& sizes, const Settings& settings) {
  if (settings.method.coordinates() != Coordinates::automatic) return settings.method.coordinates();
  if (settings.method != Method::operational) return Coordinates::maximal;
  if (settings.method.formulation() != Formulation::operational_space) return Coordinates::reduced;
  // Multiplications in joint coordinates: of the tree, 300 a body on a hinge of five rows, and of the dense matrix of the rows that close loops.
  constexpr double kTreeRow = 60;
  const double reduced = kTreeRow * sizes.primary_rows + std::pow(static_cast<double>(sizes.auxiliary_rows), 3);
  return sizes.auxiliary_rows > 0 && sizes.front_flops < reduced ? Coordinates::maximal : Coordinates::reduced;
}

}  // namespace catena
