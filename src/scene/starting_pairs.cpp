#include "catena/scene/starting_pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "catena/collide/starting_overlaps.h"
#include "catena/model/mechanisms.h"

namespace catena {
namespace {

// Whether the two are parts of one robot, whose file draws them larger than they can be: covers of joints, collision shapes in round numbers.
bool of_one_robot(const Model& model, const std::vector<int>& mechanism, const StartingOverlap& pair) {
  if (pair.b.valid()) return mechanism[pair.a] == mechanism[pair.b];
  const bool floor =
      std::holds_alternative<Plane>(model.ground_shapes[static_cast<std::size_t>(pair.shape_b)].geometry);
  const auto holds = [&](const Joint& joint) {
    const BodyId held = joint.a.valid() ? joint.a : joint.b;
    return joint.a.valid() != joint.b.valid() && mechanism[held] == mechanism[pair.a];
  };
  return !floor && std::any_of(model.joints.begin(), model.joints.end(), holds);
}

std::string name_of(const Model& model, BodyId body) {
  return body.valid() ? fmt::format("'{}'", model.bodies[body].name) : "the ground";
}

}  // namespace

Overlapping read_overlapping(const Value* value) {
  if (value == nullptr) return Overlapping::automatic;
  if (value->text != "separate" && value->text != "exclude")
    fail(value->at, fmt::format("overlapping: separate or exclude is expected, not {}", value->describe()));
  return value->text == "exclude" ? Overlapping::exclude : Overlapping::separate;
}

void settle_overlaps(Scene& scene, Overlapping choice, const std::string& file) {
  Model& model = scene.model;
  const std::vector<int> mechanism = mechanisms(model);
  for (const StartingOverlap& pair : starting_overlaps(model, scene.initial)) {
    const bool exclude =
        choice == Overlapping::exclude || (choice == Overlapping::automatic && of_one_robot(model, mechanism, pair));
    const std::string what = fmt::format("{} and {} overlap by {:.3g} mm at t = 0", name_of(model, pair.a),
                                         name_of(model, pair.b), 1e3 * pair.depth);
    if (!exclude) {
      scene.warnings.push_back(fmt::format(
          "{}: {}: the first steps move them apart; with --overlapping exclude they never touch", file, what));
      continue;
    }
    model.collide_exclude.emplace_back(pair.a, pair.b);
    scene.warnings.push_back(
        fmt::format("{}: {}: they never touch; --overlapping separate moves them apart instead", file, what));
    if (scene.ledger.empty()) continue;
    LedgerEntry entry;
    entry.file = file;
    entry.line = 1;
    entry.element = "overlap";
    entry.what = Fate::approximated;
    entry.why = what + ": they never touch";
    scene.ledger.push_back(std::move(entry));
  }
}

}  // namespace catena
