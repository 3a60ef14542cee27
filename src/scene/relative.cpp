#include "catena/scene/relative.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "catena/model/material_point.h"

namespace catena {
namespace {

constexpr std::array<std::string_view, 2> kPoints = {"anchor", "anchors"};
constexpr std::array<std::string_view, 6> kDirections = {"axis", "axes", "axis2", "normal", "hinge", "slide"};

// A place in a body, in its own coordinates from the centre of mass, which a scaled or stretched body takes along.
struct Frame {
  BodyId body = kGround;
  Vec3 position{};
  Quat orientation{};
};

Quat orientation_in(const Frame& frame, const Draft& draft) {
  if (!frame.body.valid()) return frame.orientation;
  const Quat& turn = draft.scene.initial.bodies[frame.body].orientation;
  return frame.orientation == Quat{} ? turn : normalized(turn * frame.orientation);
}

// In the world, without the shift of a repeated block, which reading the point adds.
Vec3 point_in(const Frame& frame, const Vec3& own, const Draft& draft) {
  const Vec3 material = frame.position + rotate(frame.orientation, own);
  if (!frame.body.valid()) return material;
  const State& initial = draft.scene.initial;
  const BodyState& state = initial.bodies[frame.body];
  return state.position + rotate(state.orientation, point_in_frame(draft.model(), initial, frame.body, material)) -
         draft.shift;
}

Frame frame_of(const Fields& fields, const Draft& draft) {
  if (fields.has("body") == fields.has("site"))
    fail(fields.at(), "a body: or a site: is expected, whose frame it is in");
  if (const Value* body = fields.find("body")) return {draft.body(*body, "body"), {}, {}};
  const Value& name = *fields.find("site");
  const std::vector<Site>& sites = draft.model().sites;
  const auto site =
      std::find_if(sites.begin(), sites.end(), [&](const Site& s) { return s.name == read_text(name, "site"); });
  if (site == sites.end()) fail(name.at, fmt::format("site: there is no site '{}'", name.text));
  return {site->body, site->position, site->orientation};
}

Value list_of(const Vec3& v, const Position& at) {
  Value out;
  out.kind = Value::Kind::list;
  out.at = at;
  for (const double x : {v.x, v.y, v.z}) {
    Value number;
    number.kind = Value::Kind::scalar;
    number.at = at;
    number.text = fmt::format("{:.17g}", x);
    out.items.push_back(std::move(number));
  }
  return out;
}

Value world_point(const Value& value, const Draft& draft) {
  const Fields fields(value, "point", {"body", "site", "at"});
  const Frame frame = frame_of(fields, draft);
  const Value* at = fields.find("at");
  const Vec3 own = at != nullptr ? read_vec3(*at, "at", quantity::kLength) : Vec3{};
  return list_of(point_in(frame, own, draft), value.at);
}

Value world_direction(const Value& value, const Draft& draft) {
  const Fields fields(value, "direction", {"body", "site", "direction"});
  const Vec3 own = read_vec3(fields.need("direction", "[0, 0, 1]"), "direction", quantity::kNumber);
  return list_of(rotate(orientation_in(frame_of(fields, draft), draft), own), value.at);
}

}  // namespace

Value in_world(const Value& joint, const Draft& draft) {
  Value out = joint;
  for (std::size_t i = 0; i < out.items.size(); ++i) {
    const std::string_view key = i < out.keys.size() ? std::string_view(out.keys[i].text) : std::string_view();
    const bool point = is_one_of(key, kPoints), direction = is_one_of(key, kDirections);
    const auto replace = [&](Value& value) {
      if (value.is_map()) value = point ? world_point(value, draft) : world_direction(value, draft);
    };
    if (point || direction) {
      replace(out.items[i]);
      if (key == "anchors" || key == "axes")
        for (Value& item : out.items[i].items) replace(item);
    } else if (key == "freedoms") {
      for (Value& freedom : out.items[i].items) freedom = in_world(freedom, draft);
    }
  }
  return out;
}

}  // namespace catena
