// A nonsmooth reference problem (tests/data/references/n*.json) as a scene.
#pragma once

#include <string>

#include "step/reference_scene.h"

namespace catena::references {

inline Json shape_of(const Json& contact, std::size_t k = 0) {
  const std::string type = contact["type"];
  if (type == "sphere_plane" || type == "sphere_sphere_all") return {{"sphere", contact["radius"]}};
  if (type == "point_plane") return {{"point", contact["point_body"]}};
  Json half = type == "box_box" ? contact["half_extents"][k] : contact["half_extents"];
  for (Json& x : half) x = 2 * x.get<double>();
  return {{"box", half}};
}

inline void add_shapes(const Json& contact, Json& bodies) {
  if (contact["type"] == "point_plane") {
    bodies[contact["body"].get<std::string>()]["shapes"].push_back(shape_of(contact));
  } else if (contact.contains("body")) {
    bodies[contact["body"].get<std::string>()]["shapes"] = Json::array({shape_of(contact)});
  } else {
    for (std::size_t k = 0; k < contact["bodies"].size(); ++k)
      bodies[contact["bodies"][k].get<std::string>()]["shapes"] = Json::array({shape_of(contact, k)});
  }
}

inline Json joint_of(const Json& j) {
  Json out{{"kind", name_of(kind_of(j["type"]))},
           {"between", {ground(j["body_a"]), ground(j["body_b"])}},
           {"anchor", j["anchor"]}};
  if (j.contains("axis")) out["axis"] = j["axis"];
  const double start = j.value("angle_at_t0", 0.0);  // coordinates are zero at t = 0
  for (const char* side : {"lower", "upper"})
    if (j.contains(std::string(side) + "_limit"))
      out["limits"][side] = j[std::string(side) + "_limit"].get<double>() - start;
  if (out.contains("limits")) out["limits"]["restitution"] = j.value("limit_restitution", 0.0);
  return out;
}

inline Scene nonsmooth_scene(const Json& problem) {
  Json out{{"catena", 1}, {"gravity", problem["gravity"]}, {"bodies", Json::object()}, {"joints", Json::object()}};
  for (const Json& b : problem["bodies"])
    out["bodies"][b["name"].get<std::string>()] = {{"mass", b["mass"]},
                                                   {"inertia", b["inertia_com_body"]},
                                                   {"position", b["position"]},
                                                   {"orientation", b["orientation_wxyz"]},
                                                   {"velocity", b["linear_velocity"]},
                                                   {"angular_velocity", b["angular_velocity"]}};
  for (const Json& j : problem.value("joints", Json::array()))
    out["joints"][j["name"].get<std::string>()] = joint_of(j);
  for (const Json& c : problem.value("contacts", Json::array())) {
    out["defaults"] = {{"friction", c["friction"]}, {"restitution", c["restitution"]}};
    if (c.contains("plane_normal"))
      out["ground"]["shapes"] = Json::array(
          {{{"plane",
             {{"normal", c["plane_normal"]}, {"offset", dot(vec(c["plane_normal"]), vec(c["plane_point"]))}}}}});
    add_shapes(c, out["bodies"]);
  }
  return load_text(out.dump());
}

inline const Json& output_named(const Json& problem, const std::string& name) {
  for (const Json& o : problem["outputs"])
    if (o["name"] == name) return o["value"];
  throw std::out_of_range("no output " + name);
}

}  // namespace catena::references
