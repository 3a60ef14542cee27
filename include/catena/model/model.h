// Model: bodies, joints, shapes, forces. Immutable once built; shared by every State that moves under it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/body_form.h"
#include "catena/model/control.h"
#include "catena/model/error.h"
#include "catena/model/force.h"
#include "catena/model/ids.h"
#include "catena/model/joint.h"
#include "catena/model/keyframe.h"
#include "catena/model/sensor.h"
#include "catena/model/shape.h"
#include "catena/model/site.h"
#include "catena/model/state.h"

namespace catena {

enum class BodyKind : std::uint8_t {
  rigid,
  particle,
  planar,
  scalable,
  formed,  // the frame of a body of a user's kind (model/body_form.h)
  form,    // the coordinates of its form, right after it
};

// Numbers of a body's block: 6, 3, 3, 7, and twice 6 for a body with a form.
constexpr int dimension(BodyKind kind) {
  if (kind == BodyKind::particle || kind == BodyKind::planar) return 3;
  return kind == BodyKind::scalable ? 7 : 6;
}
// Whether it is one of the two blocks of a body of a user's kind.
constexpr bool changes_form(BodyKind kind) { return kind == BodyKind::formed || kind == BodyKind::form; }
// Whether its inertia and its anchors change as it moves: joint coordinates and fronts are of bodies that keep their size.
constexpr bool changes_size(BodyKind kind) { return kind == BodyKind::scalable || changes_form(kind); }
std::string_view name_of(BodyKind kind);

struct Body {
  std::string name;
  BodyKind kind = BodyKind::rigid;
  double mass = 0;
  Sym3 inertia{};  // about the centre of mass, body axes, at scale 1; planar: zz only; particle: unused
  std::vector<Shape> shapes;
  int collide_group = 0;  // bodies of one group never touch each other; 0: of none
  Vec3 origin{};  // of the frame its file gave it, body coordinates from the centre of mass; axes are the body's
  std::shared_ptr<const BodyForm> form{};  // formed, form: what it is made of
  BodyId partner{};                        // formed: the block of its form; form: that of its frame
};

// Two bodies whose contacts have a material of their own, whatever else says that they do not touch.
struct ContactPair {
  BodyId a, b;
  int shape_a = 0, shape_b = 0;
  int material = 0;
};

struct Model {
  std::string name;
  Vec3 gravity{0, 0, -9.81};
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<JointExtras> extras;
  std::vector<ExternalForce> forces;
  std::vector<Spring> springs;
  std::vector<Actuator> actuators;
  std::vector<Material> materials;  // [0] is the default
  std::vector<Shape> ground_shapes;
  bool collide_adjacent = false;
  bool collide_jointed_ground = false;  // a body jointed to the ground may touch it all the same; welded ones never
  std::vector<std::pair<BodyId, BodyId>> collide_exclude;
  std::vector<ContactPair> contact_pairs;
  std::vector<Site> sites;
  std::vector<Tendon> tendons;
  std::vector<Control> controls;
  std::vector<Sensor> sensors;
  std::vector<Keyframe> keyframes;

  // By name; throw InputError naming the nearest known name.
  BodyId body(std::string_view name) const;
  JointId joint(std::string_view name) const;
  const JointExtras& extras_of(const Joint& joint) const;  // the defaults when it has none
};

// A message about the model that does not stop it from being used.
using Warnings = std::vector<std::string>;

// Checks everything a simulation relies on (finite numbers, positive masses, positive definite inertias, unit quaternions, unique
// names, kinds of bodies that kinds of joints can join). Normalises quaternions. Throws InputError; `where(kind, index)` in messages
// is left to the caller, who knows files and lines: messages name the body or joint.
Warnings validate(Model& model, State& initial);

// The known word nearest to `word` (edit distance), or an empty string when none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace catena
