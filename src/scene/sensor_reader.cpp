#include "catena/scene/sensor_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "catena/model/sensor_kinds.h"

namespace catena {
namespace {

const Value& need_map(const Value& value, const char* what) {
  if (!value.is_map()) fail(value.at, fmt::format("{}: a map from names is expected, not {}", what, value.describe()));
  return value;
}

bool has_site(const Model& model, std::string_view name) {
  return std::any_of(model.sites.begin(), model.sites.end(), [&](const Site& site) { return site.name == name; });
}

void need_named(const auto& list, const Value& name, const char* what) {
  if (std::none_of(list.begin(), list.end(), [&](const auto& each) { return each.name == name.text; }))
    fail(name.at, fmt::format("{}: there is no {} '{}'", what, what, name.text));
}

// A site or a body, for kinds that sit on a frame.
std::string frame_kind(const Value& name, std::string_view what, const Draft& draft) {
  if (has_site(draft.model(), read_text(name, what))) return "site";
  draft.moving_body(name, what);
  return "body";
}

Sensor read_sensor_of(const std::string& name, const Value& value, const Position& at, const Draft& draft) {
  const Fields fields(value, fmt::format("sensor '{}'", name),
                      {"kind", "site", "body", "joint", "actuator", "tendon", "against", "cutoff"}, at);
  const Value& kind = fields.need("kind", "accelerometer");
  Sensor out;
  out.name = name;
  out.kind = read_text(kind, "kind");
  const SensorKind* known = sensor_kind(out.kind);
  if (known == nullptr)
    fail(kind.at,
         fmt::format("kind: '{}' is no sensor; docs/reference/sensors.md lists them (accelerometer, gyro, force, "
                     "jointpos, framepos, …)",
                     out.kind));
  using Of = SensorKind::Of;
  const char* key = known->of == Of::frame                          ? (fields.has("body") ? "body" : "site")
                  : known->of == Of::joint || known->of == Of::ball ? "joint"
                  : known->of == Of::body                           ? "body"
                  : known->of == Of::control                        ? "actuator"
                  : known->of == Of::tendon                         ? "tendon"
                                                                    : "";
  for (const char* other : {"site", "body", "joint", "actuator", "tendon"})
    if (std::string_view(other) != key && fields.has(other))
      fields.refuse(other,
                    fmt::format("a {} {}", out.kind, *key ? fmt::format("sits on a {}", key) : "sits on nothing"));
  if (*key) {
    const Value& object = fields.need(key, "NAME");
    out.object_kind = key;
    out.object = read_text(object, key);
    if (out.object_kind == "joint") draft.joint(object, key);
    else if (out.object_kind == "body") draft.moving_body(object, key);
    else if (out.object_kind == "actuator") need_named(draft.model().controls, object, key);
    else if (out.object_kind == "tendon") need_named(draft.model().tendons, object, key);
    else if (!has_site(draft.model(), out.object))
      fail(object.at,
           fmt::format("site: there is no site '{}'; sites: {{{}: {{body: …}}}} makes one", out.object, out.object));
  }
  if (const Value* against = fields.find("against")) {
    out.reference = read_text(*against, "against");
    out.reference_kind = frame_kind(*against, "against", draft);
  }
  out.cutoff = fields.number("cutoff", quantity::kNumber, 0);
  return out;
}

}  // namespace

namespace {

// {sphere: radius}, {box: [x, y, z]}, {ellipsoid: radii}, {capsule: {radius, length}}, {cylinder: {radius, length}}: as shapes are written.
void read_volume(const Value& value, Site& site) {
  const Fields fields(value, "volume", {"sphere", "box", "ellipsoid", "capsule", "cylinder"});
  if (value.keys.size() != 1) fail(value.at, "volume: one of sphere, box, ellipsoid, capsule and cylinder is expected");
  const Value& inside = value.items.front();
  using enum Site::Volume;
  if (fields.has("sphere")) {
    site.volume = sphere;
    site.size.x = read_number(inside, "sphere", quantity::kLength);
  } else if (fields.has("box") || fields.has("ellipsoid")) {
    site.volume = fields.has("box") ? box : ellipsoid;
    site.size = (fields.has("box") ? 0.5 : 1) * read_vec3(inside, "volume", quantity::kLength);
  } else {
    site.volume = fields.has("capsule") ? capsule : cylinder;
    const Fields round(inside, "volume", {"radius", "length"});
    site.size = {read_number(round.need("radius", "0.05"), "radius", quantity::kLength),
                 0.5 * read_number(round.need("length", "0.3"), "length", quantity::kLength), 0};
  }
}

}  // namespace

void read_sites(const Value& sites, Draft& draft) {
  need_map(sites, "sites");
  for (std::size_t i = 0; i < sites.keys.size(); ++i) {
    const Key& key = sites.keys[i];
    const Fields fields(sites.items[i], fmt::format("site '{}'", key.text), {"body", "at", "orientation", "volume"},
                        key.at);
    Site site;
    site.name = key.text;
    site.body = draft.body(fields.need("body", "NAME"), "body");
    if (const Value* at = fields.find("at")) site.position = read_vector(*at, "at", quantity::kLength, draft.flat);
    if (const Value* turn = fields.find("orientation"))
      site.orientation = normalized(read_rotation(*turn, "orientation"));
    if (const Value* volume = fields.find("volume")) read_volume(*volume, site);
    draft.model().sites.push_back(std::move(site));
  }
}

void read_sensors(const Value& sensors, Draft& draft) {
  need_map(sensors, "sensors");
  for (std::size_t i = 0; i < sensors.keys.size(); ++i)
    draft.model().sensors.push_back(read_sensor_of(sensors.keys[i].text, sensors.items[i], sensors.keys[i].at, draft));
}

}  // namespace catena
