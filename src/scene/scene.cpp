#include "catena/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "catena/import/text_file.h"
#include "catena/model/validate.h"
#include "catena/scene/bare_angles.h"
#include "catena/scene/document.h"
#include "catena/scene/draft.h"
#include "catena/scene/resolved_text.h"
#include "catena/scene/sensor_reader.h"
#include "catena/scene/starting_pairs.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

// Friction by direction, in axes of the shape's body.
Grain read_grain(const Value& value) {
  const Fields fields(value, "friction", {"along", "forward", "backward", "sideways"});
  Grain out;
  if (const Value* along = fields.find("along")) {
    out.along = read_vec3(*along, "along", quantity::kNumber);
    if (!(norm(out.along) > 0)) fail(along->at, "along: (0, 0, 0) has no direction; give a vector that is not zero");
    out.along = out.along / norm(out.along);
  }
  out.forward = read_number(fields.need("forward", "0.3"), "forward", quantity::kNumber);
  out.backward = fields.number("backward", quantity::kNumber, out.forward);
  out.sideways = fields.number("sideways", quantity::kNumber, out.forward);
  if (out.forward < 0 || out.backward < 0 || out.sideways < 0)
    fail(value.at, "friction: forward, backward and sideways must not be negative");
  return out;
}

Material read_material(const std::string& name, const Value& value, const Material& otherwise) {
  const Fields fields(
      value, fmt::format("material '{}'", name),
      {"friction", "restitution", "rolling", "torsion", "compliance", "relaxation", "creep", "combine"});
  Material out = otherwise;
  out.name = name;
  if (const Value* friction = fields.find("friction")) {
    out.grain.reset();
    if (friction->is_map()) {
      out.grain = read_grain(*friction);
      out.friction = (out.grain->forward + out.grain->backward + 2 * out.grain->sideways) / 4;
    } else {
      out.friction = read_number(*friction, "friction", quantity::kNumber);
    }
    if (out.friction < 0) fail(friction->at, fmt::format("friction: {} must not be negative", out.friction));
  }
  out.restitution = fields.number("restitution", quantity::kNumber, otherwise.restitution);
  out.rolling = fields.number("rolling", quantity::kLength, otherwise.rolling);
  out.torsion = fields.number("torsion", quantity::kLength, otherwise.torsion);
  out.compliance = fields.number("compliance", quantity::kCompliance, otherwise.compliance);
  out.relaxation = fields.number("relaxation", quantity::kTime, otherwise.relaxation);
  out.creep = fields.number("creep", quantity::kCreep, otherwise.creep);
  const std::pair<const char*, double> not_negative[] = {{"rolling", out.rolling},
                                                         {"torsion", out.torsion},
                                                         {"compliance", out.compliance},
                                                         {"relaxation", out.relaxation},
                                                         {"creep", out.creep}};
  for (const auto& [key, number] : not_negative)
    if (const Value* given = fields.find(key); given != nullptr && number < 0)
      fail(given->at, fmt::format("{}: must not be negative", key));
  if (const Value* combine = fields.find("combine"))
    out.combine_by_maximum = read_choice(
        *combine, "combine", std::array<std::pair<std::string_view, bool>, 2>{{{"mean", false}, {"maximum", true}}});
  if (out.restitution < 0 || out.restitution > 1) {
    fail(fields.find("restitution")->at, fmt::format("restitution: {} must lie between 0 and 1", out.restitution));
  }
  return out;
}

void read_materials(const Fields& fields, Draft& draft) {
  const Value* defaults = fields.find("defaults");
  auto& list = draft.model().materials;
  list.push_back(defaults != nullptr ? read_material("default", *defaults, {}) : Material{"default"});
  draft.places.materials.push_back(defaults != nullptr ? defaults->at : fields.at());
  draft.materials.emplace("default", 0);
  const Value* materials = fields.find("materials");
  if (materials == nullptr || materials->is_null()) return;
  if (!materials->is_map())
    fail(materials->at,
         fmt::format("materials: a map from names to materials is expected, not {}", materials->describe()));
  for (std::size_t i = 0; i < materials->keys.size(); ++i) {
    const Key& key = materials->keys[i];
    if (!draft.materials.emplace(key.text, static_cast<int>(list.size())).second) {
      fail(key.at,
           fmt::format(
               "material '{}' is already there; give every material its own name ('default' is that of defaults:)",
               key.text));
    }
    list.push_back(read_material(key.text, materials->items[i], list[0]));
    draft.places.materials.push_back(key.at);
  }
}

void read_world(const Fields& fields, Draft& draft) {
  if (const Value* version = fields.find("catena"); version != nullptr && read_count(*version, "catena", 1) != 1) {
    fail(version->at, fmt::format("catena: version {} of the format is not known; 1 is", version->text));
  }
  draft.model().name = fields.text("name", "");
  if (const Value* dimension = fields.find("dimension")) {
    const long long d = read_count(*dimension, "dimension", 1);
    if (d != 2 && d != 3) fail(dimension->at, fmt::format("dimension: 2 or 3 is expected, not {}", d));
    draft.flat = d == 2;
  }
  draft.model().gravity = draft.flat ? Vec3{0, -9.81, 0} : Vec3{0, 0, -9.81};
  if (const Value* gravity = fields.find("gravity")) {
    draft.model().gravity = read_vector(*gravity, "gravity", quantity::kAcceleration, draft.flat);
  }
  if (const Value* ground = fields.find("ground")) {
    const Fields inside(*ground, "ground", {"shapes"});
    draft.places.ground = ground->at;
    if (const Value* shapes = inside.find("shapes")) draft.model().ground_shapes = read_shapes(*shapes, draft);
  }
}

// {between: [a, b], material: m}: contacts between any shape of the one and any of the other are of that material.
void read_pair(const Value& value, Draft& draft) {
  const Fields fields(value, "pair", {"between", "material"});
  const auto& ends = read_list(fields.need("between", "[wheel, ground]"), "between", 2);
  const BodyId a = draft.body(ends[0], "between"), b = draft.body(ends[1], "between");
  if (a == b) fail(ends[1].at, "pair: two different bodies are expected");
  const int material = draft.material(fields.need("material", "ice"));
  const auto count = [&](BodyId body) {
    return static_cast<int>((body.valid() ? draft.model().bodies[body].shapes : draft.model().ground_shapes).size());
  };
  for (int i = 0; i < count(a); ++i)
    for (int k = 0; k < count(b); ++k) draft.model().contact_pairs.push_back({a, b, i, k, material});
}

Overlapping read_collide(const Value& value, Draft& draft) {
  const Fields fields(value, "collide", {"adjacent", "jointed_ground", "pairs", "overlapping"});
  draft.model().collide_adjacent = fields.flag("adjacent", false);
  draft.model().collide_jointed_ground = fields.flag("jointed_ground", false);
  const Overlapping overlapping = read_overlapping(fields.find("overlapping"));
  const Value* pairs = fields.find("pairs");
  if (pairs == nullptr) return overlapping;
  const Fields inside(*pairs, "pairs", {"exclude", "materials"});
  if (const Value* exclude = inside.find("exclude"))
    for (const Value& pair : read_list(*exclude, "exclude")) {
      const auto& items = read_list(pair, "exclude", 2);
      draft.model().collide_exclude.emplace_back(draft.body(items[0], "exclude"), draft.body(items[1], "exclude"));
    }
  if (const Value* materials = inside.find("materials"))
    for (const Value& pair : read_list(*materials, "materials")) read_pair(pair, draft);
  return overlapping;
}

// Assembly comes later and may have something to say of a joint.
void keep_places(Draft& draft) {
  std::vector<const Source*> sources;
  for (const Position& at : draft.places.joints) {
    auto found = std::find(sources.begin(), sources.end(), at.source);
    if (found == sources.end()) {
      found = sources.insert(sources.end(), at.source);
      draft.scene.files.push_back(at.source->name);
    }
    draft.scene.joint_places.push_back({static_cast<int>(found - sources.begin()), at.line, at.column});
  }
}

Position place_of(const Finding& finding, const Draft& draft) {
  const auto pick = [&](const std::vector<Position>& list) {
    const auto i = static_cast<std::size_t>(finding.index);
    return i < list.size() ? list[i] : draft.places.model;
  };
  switch (finding.subject) {
    case Finding::Subject::body: return pick(draft.places.bodies);
    case Finding::Subject::joint: return pick(draft.places.joints);
    case Finding::Subject::force: return pick(draft.places.forces);
    case Finding::Subject::spring: return pick(draft.places.springs);
    case Finding::Subject::actuator: return pick(draft.places.actuators);
    case Finding::Subject::material: return pick(draft.places.materials);
    case Finding::Subject::ground: return draft.places.ground;
    case Finding::Subject::model: break;
  }
  return draft.places.model;
}

void validate_draft(Draft& draft) {
  for (const Finding& finding : inspect(draft.scene.model, draft.scene.initial)) {
    if (finding.error) fail(place_of(finding, draft), finding.message);
    draft.scene.warnings.push_back(fmt::format("{}: {}", to_string(place_of(finding, draft)), finding.message));
  }
}

Scene understand(const Value& root, const std::string& name) {
  Draft draft;
  const Fields fields(root, "scene",
                      {"catena", "name",    "dimension", "gravity", "simulate", "materials", "defaults", "bodies",
                       "ground", "joints",  "collide",   "forces",  "springs",  "actuators", "sites",    "sensors",
                       "repeat", "include", "chain",     "tree",    "cloth",    "tendons"});
  draft.places.model = draft.places.ground = root.at;
  if (const Value* simulate = fields.find("simulate")) draft.scene.settings = read_settings(*simulate);
  read_materials(fields, draft);
  read_world(fields, draft);
  // Bodies first, all of them; then what refers to them.
  if (const Value* bodies = fields.find("bodies")) read_bodies(*bodies, draft);
  generate_bodies(root, draft);
  if (const Value* sites = fields.find("sites")) read_sites(*sites, draft);
  if (const Value* joints = fields.find("joints")) read_joints(*joints, draft);
  generate_joints(root, draft);
  if (const Value* forces = fields.find("forces")) read_forces(*forces, draft);
  if (const Value* springs = fields.find("springs")) read_springs(*springs, draft);
  if (const Value* tendons = fields.find("tendons")) read_tendons(*tendons, draft);
  if (const Value* actuators = fields.find("actuators")) read_actuators(*actuators, draft);
  if (const Value* sensors = fields.find("sensors")) read_sensors(*sensors, draft);
  Overlapping overlapping = Overlapping::automatic;
  if (const Value* collide = fields.find("collide")) overlapping = read_collide(*collide, draft);
  if (draft.model().bodies.empty())
    fail(root.at, "the scene has no bodies; add bodies: {NAME: {mass: ..., inertia: ...}}");
  validate_draft(draft);
  warn_of_bare_angles(root, draft.scene.warnings);
  keep_places(draft);
  if (overlapping == Overlapping::automatic) overlapping = Overlapping::separate;
  settle_overlaps(draft.scene, overlapping, name);
  return std::move(draft.scene);
}

// Of a robot file `simulate.…` and `collide.overlapping` alone can be set from outside: the rest of the scene is the file's.
Scene finish_robot(Scene scene, const std::vector<std::string>& overrides, const std::string& name) {
  Overlapping overlapping = Overlapping::automatic;
  if (!overrides.empty()) {
    Sources sources;
    for (const std::string& text : overrides)
      if (!text.starts_with("simulate.") && !text.starts_with("collide.overlapping="))
        throw InputError{fmt::format("'{}': of a robot file only simulate.… and collide.overlapping can be set", text)};
    const Value root = read_document(fmt::format("{{simulate: {{step: {:.17g}}}, collide: {{}}}}", scene.settings.step),
                                     "simulate", ".", overrides, sources);
    scene.settings = read_settings(*root.find("simulate"));
    overlapping = read_overlapping(root.find("collide")->find("overlapping"));
  }
  settle_overlaps(scene, overlapping, name);
  return scene;
}

}  // namespace

Scene load(const fs::path& file, const std::vector<std::string>& overrides, const ImportOptions& import) {
  if (is_robot_file(file)) return finish_robot(import_robot(file, import), overrides, file.string());
  std::error_code error;
  if (!fs::exists(file, error)) throw InputError{fmt::format("{}: there is no such file", file.string())};
  return load_text(read_text_file(file), file.string(), file.parent_path(), overrides);
}

Scene load_text(std::string_view text, const std::string& name, const fs::path& folder,
                const std::vector<std::string>& overrides, const ImportOptions& import) {
  if (is_robot_text(text)) return finish_robot(import_robot_text(text, name, folder, import), overrides, name);
  Sources sources;
  const Value root = read_document(text, name, folder, overrides, sources);
  Scene scene = understand(root, name);
  scene.source = sources.size() == 1 ? std::string(text) : resolved_text(root, folder);
  return scene;
}

}  // namespace catena
