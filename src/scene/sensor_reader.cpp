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

// A site or a body, for kinds that sit on a frame.
std::string frame_kind(const Value& name, std::string_view what, const Draft& draft) {
  if (has_site(draft.model(), read_text(name, what))) return "site";
  draft.moving_body(name, what);
  return "body";
}

Sensor read_sensor_of(const std::string& name, const Value& value, const Position& at, const Draft& draft) {
  const Fields fields(value, fmt::format("sensor '{}'", name), {"kind", "site", "body", "joint", "against", "cutoff"},
                      at);
  const Value& kind = fields.need("kind", "accelerometer");
  Sensor out;
  out.name = name;
  out.kind = read_text(kind, "kind");
  const SensorKind* known = sensor_kind(out.kind);
  if (known == nullptr)
    fail(kind.at, fmt::format("kind: '{}' is no sensor; docs/sensors.md lists them (accelerometer, gyro, force, "
                              "jointpos, framepos, …)",
                              out.kind));
  using Of = SensorKind::Of;
  const char* key = known->of == Of::frame                          ? (fields.has("body") ? "body" : "site")
                  : known->of == Of::joint || known->of == Of::ball ? "joint"
                  : known->of == Of::body                           ? "body"
                                                                    : "";
  for (const char* other : {"site", "body", "joint"})
    if (std::string_view(other) != key && fields.has(other))
      fields.refuse(other,
                    fmt::format("a {} {}", out.kind, *key ? fmt::format("sits on a {}", key) : "sits on nothing"));
  if (known->of == Of::control || known->of == Of::tendon)
    fail(kind.at, fmt::format("kind: '{}' is of robot files alone", out.kind));
  if (*key) {
    const Value& object = fields.need(key, "NAME");
    out.object_kind = key;
    out.object = read_text(object, key);
    if (out.object_kind == "joint") draft.joint(object, key);
    else if (out.object_kind == "body") draft.moving_body(object, key);
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

void read_sites(const Value& sites, Draft& draft) {
  need_map(sites, "sites");
  for (std::size_t i = 0; i < sites.keys.size(); ++i) {
    const Key& key = sites.keys[i];
    const Fields fields(sites.items[i], fmt::format("site '{}'", key.text), {"body", "at", "orientation"}, key.at);
    Site site;
    site.name = key.text;
    site.body = draft.body(fields.need("body", "NAME"), "body");
    if (const Value* at = fields.find("at")) site.position = read_vector(*at, "at", quantity::kLength, draft.flat);
    if (const Value* turn = fields.find("orientation"))
      site.orientation = normalized(read_rotation(*turn, "orientation"));
    draft.model().sites.push_back(std::move(site));
  }
}

void read_sensors(const Value& sensors, Draft& draft) {
  need_map(sensors, "sensors");
  for (std::size_t i = 0; i < sensors.keys.size(); ++i)
    draft.model().sensors.push_back(read_sensor_of(sensors.keys[i].text, sensors.items[i], sensors.keys[i].at, draft));
}

}  // namespace catena
