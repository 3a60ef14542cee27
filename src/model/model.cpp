#include "catena/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace catena {
namespace {

constexpr std::array<std::string_view, kJointKindCount> kJointNames = {"ball",
                                                                       "hinge",
                                                                       "slider",
                                                                       "cylindrical",
                                                                       "universal",
                                                                       "planar",
                                                                       "weld",
                                                                       "screw",
                                                                       "distance",
                                                                       "point-on-line",
                                                                       "point-on-plane",
                                                                       "fixed-orientation",
                                                                       "aligned-axes",
                                                                       "perpendicular-axes",
                                                                       "gear",
                                                                       "rack",
                                                                       "rolling",
                                                                       "skate",
                                                                       "coupling",
                                                                       "compound",
                                                                       "pin",
                                                                       "weld",
                                                                       "point-on-surface",
                                                                       "tangent-surfaces"};

// Edit distance in which two neighbours that changed places count as one edit; letters compare without case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0u : 1u)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

template <class Things>
std::size_t find_named(const Things& things, std::string_view name, std::string_view what) {
  const auto found = std::find_if(things.begin(), things.end(), [&](const auto& thing) { return thing.name == name; });
  if (found != things.end()) return static_cast<std::size_t>(found - things.begin());
  std::vector<std::string> known;
  for (const auto& thing : things) known.push_back(thing.name);
  const std::string near = nearest(name, known);
  throw InputError{
      fmt::format("there is no {} '{}'{}", what, name, near.empty() ? "" : "; the nearest name is '" + near + "'")};
}

}  // namespace

std::string_view name_of(JointKind kind) { return kJointNames[static_cast<std::size_t>(kind)]; }

CoordinateLaw coordinate_law(const Joint& joint, const JointExtras& extras, int coordinate) {
  const auto k = static_cast<std::size_t>(coordinate);
  if (joint.kind == JointKind::compound) {
    const Freedom& f = joint.freedoms[k];
    return {f.limits ? &*f.limits : nullptr, f.damping, f.stiffness, f.rest, f.friction, f.armature,
            f.curve ? &*f.curve : nullptr};
  }
  CoordinateLaw law;
  law.armature = extras.armature[k];
  if (joint.kind == JointKind::ball) {
    law.damping = extras.damping;
    law.stiffness = extras.stiffness;
    if (coordinate > 0) return law;
    law.rest = extras.rest;
    law.friction = extras.friction;
    return law;
  }
  const std::optional<Limits>& limits = coordinate == 0 ? extras.limits : extras.limits2;
  if (coordinate < 2 && limits) law.limits = &*limits;
  if (coordinate > 0) return law;
  law.damping = extras.damping;
  law.stiffness = extras.stiffness;
  law.rest = extras.rest;
  law.friction = extras.friction;
  if (extras.curve) law.curve = &*extras.curve;
  return law;
}

std::string_view name_of(BodyKind kind) {
  switch (kind) {
    case BodyKind::rigid: return "rigid";
    case BodyKind::particle: return "particle";
    case BodyKind::planar: return "planar";
    case BodyKind::scalable: return "scalable";
    case BodyKind::formed: return "deformable";
    case BodyKind::form: return "form";
  }
  return "";
}

BodyId Model::body(std::string_view body_name) const { return BodyId{find_named(bodies, body_name, "body")}; }

JointId Model::joint(std::string_view joint_name) const { return JointId{find_named(joints, joint_name, "joint")}; }

const JointExtras& Model::extras_of(const Joint& joint) const {
  static const JointExtras kNone;
  return joint.extras < 0 ? kNone : extras[static_cast<std::size_t>(joint.extras)];
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest =
      200;  // letters; no name is meant by a longer word, and the distance takes the product of two lengths
  if (word.size() > kLongest) return {};
  // A third of the letters may be wrong, and always one.
  std::size_t best = std::max<std::size_t>(1, (word.size() + 1) / 3) + 1;
  std::string found;
  for (const std::string& candidate : known) {
    const std::size_t gap =
        candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
    if (gap >= best) continue;
    if (const std::size_t d = edit_distance(word, candidate); d < best) {
      best = d;
      found = candidate;
    }
  }
  return found;
}

}  // namespace catena
