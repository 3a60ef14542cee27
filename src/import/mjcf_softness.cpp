// MJCF under --softness mujoco: contacts that give way as solref and solimp say.
// A pair of shapes has the compliance ε = (A₁ + A₂)(1 − d) T² ζ² with the mobilities A of its two bodies, and in catena the compliances of the two
// materials add up: so a shape of a body of mobility A has a material with A (1 − d) T² ζ², and one of the ground is rigid.
#include <fmt/format.h>

#include <algorithm>

#include "catena/import/mjcf_reader.h"

#include "catena/math/scalar.h"

namespace catena::mjcf {
void Reader::note_softness(const Item& here, int body, std::size_t shape) {
  if (!options_.mujoco_softness) return;
  const XmlNode& node = *here.node;
  body_notes_.soft_contacts[{body, shape}] = {
      &node, read_numbers(tree_, node, "solref", word(here, "solref", "0.02 1"), 1, 5),
      read_numbers(tree_, node, "solimp", word(here, "solimp", "0.9 0.95 0.001"), 1, 5)};
}

// The mean mobility of its centre of mass at the reference pose; 0 of the ground, and of what is led by hand.
double Reader::mobility_of(BodyId body) {
  const int carrier = carried_by(body);
  if (carrier < 0) return 0;
  return reference_inertia().mobility(carrier, built_.scene.initial.bodies[body].position).first;
}

void Reader::soften_contacts() {
  Model& model = built_.scene.model;
  const std::size_t given = model.materials.size();
  std::vector<int> made_from;  // of the materials behind the given ones
  std::vector<double> mobility(model.bodies.size(), -1);
  for (const auto& [place, soft] : body_notes_.soft_contacts) {
    const auto& [index, own] = place;
    const BodyId body = built_.body_of[at(index)];
    if (!body.valid()) continue;
    Shape& shape = model.bodies[body].shapes[at(built_.shape_of[at(index)][own])];
    const int rigid = shape.material;
    // What gives back is rigid: its restitution stands for an elasticity that is hardly damped.
    if (!shape.collide || model.materials[at(rigid)].restitution > 0) continue;
    double& A = mobility[body];
    if (A < 0) A = mobility_of(body);
    const Softness softness = softness_of(soft.reference, soft.impedance, A, preamble_.option.timestep);
    int found = -1;
    for (std::size_t k = given; k < model.materials.size(); ++k)
      if (made_from[k - given] == rigid && model.materials[k].compliance == softness.compliance &&
          model.materials[k].relaxation == softness.relaxation)
        found = static_cast<int>(k);
    if (found < 0) {
      found = static_cast<int>(model.materials.size());
      Material material = model.materials[at(rigid)];
      material.name = fmt::format("{} of {}", material.name, model.bodies[body].name);
      while (std::any_of(model.materials.begin(), model.materials.end(),
                         [&](const Material& m) { return m.name == material.name; }))
        material.name += "'";
      material.compliance = softness.compliance;
      material.relaxation = softness.relaxation;
      model.materials.push_back(std::move(material));
      made_from.push_back(rigid);
    }
    shape.material = found;
    const std::string how = fmt::format("compliance {:.3g} m/N, relaxation {:.3g} s, as --softness mujoco asks",
                                        softness.compliance, softness.relaxation);
    for (const char* key : {"solref", "solimp"})
      if (soft.node->find(key)) ledger_.note(*soft.node, key, Fate::approximated, how, false);
    ledger_.note(*soft.node, "", Fate::approximated, how, false);
  }
}

void Reader::soften_pair(const Item& here, const ContactPair& pair, Material& material) {
  if (!options_.mujoco_softness) return;
  const XmlNode& node = *here.node;
  const Softness softness =
      softness_of(read_numbers(tree_, node, "solref", word(here, "solref", "0.02 1"), 1, 5),
                  read_numbers(tree_, node, "solimp", word(here, "solimp", "0.9 0.95 0.001"), 1, 5),
                  mobility_of(pair.a) + mobility_of(pair.b), preamble_.option.timestep);
  material.compliance = softness.compliance;
  material.relaxation = softness.relaxation;
  const std::string how = fmt::format("compliance {:.3g} m/N, relaxation {:.3g} s, as --softness mujoco asks",
                                      softness.compliance, softness.relaxation);
  for (const char* key : {"solref", "solimp"})
    if (node.find(key)) ledger_.note(node, key, Fate::approximated, how, false);
}

}  // namespace catena::mjcf
