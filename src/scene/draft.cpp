#include "catena/scene/draft.h"

#include <fmt/format.h>

namespace catena {
namespace {

template <class Things>
std::vector<std::string> names_of(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

// Messages of the model name the body or joint; the scene adds the place.
template <class Append>
auto placed(const Position& at, const Append& append) {
  try {
    return append();
  } catch (const InputError& error) {
    fail(at, error.what());
  }
}

constexpr std::size_t kMostPoints = 20'000'000;

struct PointsOf {
  std::size_t operator()(const Hull& hull) const { return hull.points.size(); }
  std::size_t operator()(const Mesh& mesh) const { return mesh.vertices.size() + mesh.triangles.size(); }
  template <class Other>
  std::size_t operator()(const Other&) const {
    return 0;
  }
};

void expect(long long count, long long most, const char* what, const Position& at, long long& sum) {
  if (count <= most - sum) {
    sum += count;
    return;
  }
  fail(at, fmt::format("with these, more than {} {} are generated; ask for fewer", most, what));
}

}  // namespace

void Draft::expect_bodies(long long count, const Position& at) {
  expect(count, kMostBodies, "bodies", at, bodies_expected_);
}

void Draft::expect_links(long long count, const Position& at) {
  expect(count, kMostLinks, "joints, forces, springs and actuators", at, links_expected_);
}

BodyId Draft::add_body(const BodySpec& spec, const Position& at) {
  if (spec.name == "ground") fail(at, "the name 'ground' stands for the ground; give the body another");
  const auto [old, added] = bodies_.emplace(spec.name, BodyId{model().bodies.size()});
  if (!added) {
    fail(at, fmt::format("body '{}' is already there, from {}; give every body its own name", spec.name,
                         to_string(places.bodies[old->second])));
  }
  for (const Shape& shape : spec.shapes) points_ += std::visit(PointsOf{}, shape.geometry);
  if (points_ > kMostPoints)
    fail(at, fmt::format("the meshes and hulls of all bodies have more than {} points and faces; use simpler ones",
                         kMostPoints));
  places.bodies.push_back(at);
  if (changes_form(spec.kind)) places.bodies.push_back(at);  // the block of its form
  return placed(at, [&] { return append_body(scene.model, scene.initial, spec); });
}

void Draft::add_joint(const JointSpec& spec, BodyId a, BodyId b, const Position& at) {
  const auto [old, added] = joints_.emplace(spec.name, JointId{model().joints.size()});
  if (!added) {
    fail(at, fmt::format("joint '{}' is already there, from {}; give every joint its own name", spec.name,
                         to_string(places.joints[old->second])));
  }
  places.joints.push_back(at);
  placed(at, [&] { return append_joint(scene.model, scene.initial, spec, a, b); });
}

BodyId Draft::body(const Value& name, std::string_view what) const {
  const std::string word = read_text(name, what);
  if (word == "ground") return kGround;
  if (const auto found = bodies_.find(word); found != bodies_.end()) return found->second;
  std::vector<std::string> known = names_of(model().bodies);
  known.emplace_back("ground");
  const std::string near = nearest(word, known);
  fail(name.at, fmt::format("{}: there is no body '{}'; {}", what, word,
                            near.empty() ? "name one of bodies:, or ground" : "the nearest name is '" + near + "'"));
}

BodyId Draft::moving_body(const Value& name, std::string_view what) const {
  const BodyId id = body(name, what);
  if (!id.valid()) fail(name.at, fmt::format("{}: the ground does not move; name a body", what));
  return id;
}

JointId Draft::joint(const Value& name, std::string_view what) const {
  const std::string word = read_text(name, what);
  if (const auto found = joints_.find(word); found != joints_.end()) return found->second;
  const std::string near = nearest(word, names_of(model().joints));
  fail(name.at, fmt::format("{}: there is no joint '{}'; {}", what, word,
                            near.empty() ? "name one of joints:" : "the nearest name is '" + near + "'"));
}

int Draft::material(const Value& name) const {
  const std::string word = read_text(name, "material");
  if (const auto found = materials.find(word); found != materials.end()) return found->second;
  fail(name.at, unknown("material", word, names_of(model().materials)));
}

bool Draft::is_planar(BodyId body) const { return body.valid() && model().bodies[body].kind == BodyKind::planar; }

Vec3 Draft::point(const Value& value, std::string_view what, bool planar) const {
  return read_vector(value, what, quantity::kLength, planar || flat) + shift;
}

}  // namespace catena
