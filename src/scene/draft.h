// A scene while it is being read: the model so far, its names, and where each part was written.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catena/model/placement.h"
#include "catena/scene/fields.h"
#include "catena/scene/scene.h"

namespace catena {

// Where the parts of a scene were written, in the Model's order.
struct Places {
  std::vector<Position> bodies, joints, forces, springs, actuators, materials;
  Position ground, model;
};

class Draft {
 public:
  Scene scene;
  bool flat = false;  // dimension: 2
  Vec3 shift{};       // added to every world point that is read: the offset of a repeated block
  std::unordered_map<std::string, int> materials;

  Places places;

  Model& model() { return scene.model; }
  const Model& model() const { return scene.model; }

  // Add to the model under a name not yet taken; what is wrong is reported at `at`.
  BodyId add_body(const BodySpec& spec, const Position& at);
  void add_joint(const JointSpec& spec, BodyId a, BodyId b, const Position& at);

  // The body of that name, kGround for "ground"; unknown names fail and name the nearest.
  BodyId body(const Value& name, std::string_view what) const;
  BodyId moving_body(const Value& name, std::string_view what) const;  // not the ground
  JointId joint(const Value& name, std::string_view what) const;
  bool is_planar(BodyId body) const;
  int material(const Value& name) const;

  // Called by generators before they add `count` bodies, or as many joints, forces, springs or actuators: a few words can ask for more
  // than any memory holds. Fails at `at` when all generators together make too many.
  static constexpr long long kMostBodies = 1'000'000, kMostLinks = 4'000'000;
  void expect_bodies(long long count, const Position& at);
  void expect_links(long long count, const Position& at);

  // A world point, shifted; two numbers will do where everything concerned is planar.
  Vec3 point(const Value& value, std::string_view what, bool planar) const;

 private:
  std::unordered_map<std::string, BodyId> bodies_;
  long long bodies_expected_ = 0, links_expected_ = 0;
  std::size_t points_ = 0;  // of the meshes and hulls of all bodies
  std::unordered_map<std::string, JointId> joints_;
};

// The parts of a scene, each in its file. `at` is the place of the key that names the part.
void read_bodies(const Value& bodies, Draft& draft);
BodySpec read_body(const std::string& name, const Value& body, const Position& at, const Draft& draft);
std::vector<Shape> read_shapes(const Value& shapes, const Draft& draft);

void read_joints(const Value& joints, Draft& draft);
// Everything but `between`, which generators know by themselves, and unshifted; `planar` allows points of two numbers.
JointSpec read_joint(const std::string& name, const Value& joint, const Position& at, bool planar);

void read_forces(const Value& forces, Draft& draft);
void read_springs(const Value& springs, Draft& draft);
void read_actuators(const Value& actuators, Draft& draft);
void read_tendons(const Value& tendons, Draft& draft);
// {polynomial: [c1, c2, …]} or {table: [[stretch, tension], …]}.
SpringCurve read_curve(const Value& value, const Quantity& stretch, const Quantity& tension);
Signal read_signal(const Value& value, std::string_view what, const Quantity& quantity);

Settings read_settings(const Value& simulate);

// Generators: `repeat:` and the keys chain, tree and cloth. Bodies first, for all of the scene; then what joins them.
void generate_bodies(const Value& root, Draft& draft);
void generate_joints(const Value& root, Draft& draft);

}  // namespace catena
