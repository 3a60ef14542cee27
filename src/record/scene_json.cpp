#include "catena/record/scene_json.h"

#include <nlohmann/json.hpp>

#include "catena/model/setting_names.h"
#include "catena/model/stretching_form.h"

namespace catena {
namespace {

using nlohmann::json;

json numbers(const Vec3& v) { return {v.x, v.y, v.z}; }
json numbers(const Quat& q) { return {q.w, q.x, q.y, q.z}; }

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// Seven digits are more than a screen shows; they make meshes a third as long.
json flat(const std::vector<Vec3>& points) {
  json out = json::array();
  for (const Vec3& p : points)
    for (const double x : {p.x, p.y, p.z}) out.push_back(static_cast<float>(x));
  return out;
}

json geometry_json(const Geometry& geometry) {
  return std::visit(Overloaded{
                        [](const Sphere& s) {
                          return json{{"kind", "sphere"}, {"radius", s.radius}};
                        },
                        [](const Point&) {
                          return json{{"kind", "point"}};
                        },
                        [](const Box& s) {
                          return json{{"kind", "box"}, {"sides", numbers(s.sides)}};
                        },
                        [](const Capsule& s) {
                          return json{{"kind", "capsule"}, {"radius", s.radius}, {"length", s.length}};
                        },
                        [](const Cylinder& s) {
                          return json{{"kind", "cylinder"}, {"radius", s.radius}, {"length", s.length}};
                        },
                        [](const Plane& s) {
                          return json{{"kind", "plane"}, {"normal", numbers(s.normal)}, {"offset", s.offset}};
                        },
                        [](const Hull& s) {
                          return json{{"kind", "hull"}, {"vertices", flat(s.points)}};
                        },
                        [](const Mesh& s) {
                          json triangles = json::array();
                          for (const auto& triangle : s.triangles)
                            for (const int corner : triangle) triangles.push_back(corner);
                          return json{{"kind", "mesh"}, {"vertices", flat(s.vertices)}, {"triangles", triangles}};
                        },
                    },
                    geometry);
}

json shapes_json(const std::vector<Shape>& shapes) {
  json out = json::array();
  for (const Shape& shape : shapes) {
    json one = geometry_json(shape.geometry);
    one["at"] = numbers(shape.position);
    one["q"] = numbers(shape.orientation);
    one["collide"] = shape.collide;
    if (shape.color) one["color"] = *shape.color;
    out.push_back(std::move(one));
  }
  return out;
}

json body_json(const Body& body) {
  const Sym3& I = body.inertia;
  const auto* stretching = dynamic_cast<const StretchingForm*>(body.form.get());
  json out = {{"name", body.name},
              {"kind", name_of(body.kind)},
              {"mass", body.mass},
              {"inertia", {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}},
              {"shapes", shapes_json(body.shapes)}};
  if (body.kind == BodyKind::formed && stretching) out["stretch"] = stretching->stretches().of_axis;
  return out;
}

template <class Link>
json link_json(const Link& link) {
  return {{"a", link.a.value()},
          {"b", link.b.value()},
          {"anchor_a", numbers(link.anchor_a)},
          {"anchor_b", numbers(link.anchor_b)}};
}

json joint_json(const Joint& joint, bool driven) {
  json out = link_json(joint);
  out["name"] = joint.name;
  out["kind"] = name_of(joint.kind);
  out["frame_a"] = numbers(joint.frame_a);
  out["frame_b"] = numbers(joint.frame_b);
  out["motor"] = driven;
  return out;
}

// By joint: whether a motor, an actuator or a control acts on it.
std::vector<bool> driven_joints(const Model& model) {
  std::vector<bool> out(model.joints.size(), false);
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = model.extras_of(model.joints[j]).motor.has_value();
  const auto drive = [&](JointId joint) {
    if (joint.valid()) out[static_cast<std::size_t>(joint.value())] = true;
  };
  for (const Actuator& actuator : model.actuators) drive(actuator.joint);
  for (const Control& control : model.controls) drive(control.joint);
  return out;
}

}  // namespace

json run_json(const Settings& settings) {
  return {{"method", word_of(kMethodNames, settings.method)},
          {"integrator", word_of(kIntegratorNames, settings.method.integrator())},
          {"stabilise", word_of(kStabilisationNames, settings.method.stabilise())},
          {"solver", word_of(kLinearSolverNames, settings.method.solver())},
          {"contacts", word_of(kLawSolverNames, settings.method.law_solver())},
          {"step", settings.step}};
}

json scene_json(const Model& model, const Settings& settings) {
  json bodies = json::array(), joints = json::array(), springs = json::array();
  for (const Body& body : model.bodies) bodies.push_back(body_json(body));
  const std::vector<bool> driven = driven_joints(model);
  for (std::size_t j = 0; j < driven.size(); ++j) joints.push_back(joint_json(model.joints[j], driven[j]));
  for (const Spring& spring : model.springs) springs.push_back(link_json(spring));
  return {{"name", model.name},          {"gravity", numbers(model.gravity)},
          {"bodies", std::move(bodies)}, {"ground", shapes_json(model.ground_shapes)},
          {"joints", std::move(joints)}, {"springs", std::move(springs)},
          {"run", run_json(settings)}};
}

}  // namespace catena
