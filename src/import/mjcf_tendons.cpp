// MJCF: tendons, as sums of coordinates and as paths from site to site.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/import/mjcf_reader.h"
#include "catena/math/scalar.h"
#include "catena/model/tendon_path.h"
#include "catena/model/transmission.h"

namespace catena::mjcf {
void Reader::read_tendons(const XmlNode& section) {
  for (const XmlNode& node : section.children) {
    if (node.name != "fixed" && node.name != "spatial") continue;
    Tendon tendon;
    const Item here = item(node, nullptr);
    tendon.name = word(here, "name", fmt::format("tendon{}", built_.scene.model.tendons.size()));
    if (node.name == "fixed") read_terms(node, tendon);
    else read_path(node, tendon);
    if (node.name == "spatial" && !tendon.is_path()) {
      ledger_.note(node, "", Fate::ignored, "its path has no piece between two sites");
      continue;
    }
    settle_tendon(here, tendon);
    if (!options_.mujoco_softness && tendon.limit_stiffness != 0) hang_rope(node, tendon);
    names_.tendons[tendon.name] = static_cast<int>(built_.scene.model.tendons.size());
    built_.scene.model.tendons.push_back(std::move(tendon));
  }
}

void Reader::read_terms(const XmlNode& node, Tendon& tendon) {
  for (const XmlNode& child : node.children) {
    if (child.name != "joint" || !child.find("joint")) continue;
    const FileJoint& joint = joint_named(child, "joint", *child.find("joint"));
    if (!joint.joint.valid()) fail(tree_, child, "a free joint has no single coordinate");
    tendon.terms.push_back(
        {joint.joint, joint.coordinate, child.find("coef") ? read_one(tree_, child, "coef", *child.find("coef")) : 0});
  }
}

// From site to site; behind a pulley a strand counts by its divisor, and what a geom stands in the way of lies around it.
void Reader::read_path(const XmlNode& node, Tendon& tendon) {
  int last = -1;
  double coefficient = 1;
  const XmlNode* geom = nullptr;
  for (const XmlNode& child : node.children) {
    if (child.name == "pulley") {
      const double divisor = child.find("divisor") ? read_one(tree_, child, "divisor", *child.find("divisor")) : 0;
      if (!(divisor > 0)) fail(tree_, child, "divisor: a positive number is expected");
      coefficient = 1 / divisor;
      last = -1;
    } else if (child.name == "geom") {
      geom = &child;
    } else if (child.name == "site") {
      const int here = static_cast<int>(&site_named(child, "site") - built_.scene.model.sites.data());
      Tendon::Piece piece{last, here, coefficient};
      if (last >= 0 && geom != nullptr) wrap_piece(*geom, piece);
      if (last >= 0) tendon.path.push_back(piece);
      last = here;
      geom = nullptr;
    }
  }
}

// A site with the volume of the geom stands for it.
void Reader::wrap_piece(const XmlNode& geom, Tendon::Piece& piece) {
  Model& model = built_.scene.model;
  const std::string* name = geom.find("geom");
  const auto found = name ? names_.geoms.find(*name) : names_.geoms.end();
  if (found == names_.geoms.end()) fail(tree_, geom, fmt::format("geom: there is no geom '{}'", name ? *name : ""));
  const int body = found->second.body;
  const Shape& shape = built_.robot.bodies[at(body)].shapes[at(found->second.shape)].shape;
  const auto* sphere = std::get_if<Sphere>(&shape.geometry);
  const auto* cylinder = std::get_if<Cylinder>(&shape.geometry);
  if (sphere == nullptr && cylinder == nullptr) fail(tree_, geom, "geom: a tendon goes around spheres and cylinders");
  const Pose pose = built_.frame_in_body[at(body)] * Pose{shape.position, shape.orientation};
  Site around{*name + " as a pulley", built_.body_of[at(body)], pose.p, pose.q};
  around.volume = sphere ? Site::Volume::sphere : Site::Volume::cylinder;
  around.size = sphere ? Vec3{sphere->radius, 0, 0} : Vec3{cylinder->radius, 0.5 * cylinder->length, 0};
  if (const std::string* side = geom.find("sidesite"); side && !side->empty()) {
    const Site& beside = site_named(geom, "sidesite");
    const auto world = [&](const Site& site) {
      const BodyState body_state = site.body.valid() ? built_.scene.initial.bodies[site.body] : BodyState{};
      return Pose{body_state.position, body_state.orientation} * Pose{site.position, site.orientation};
    };
    Vec3 apart = inverse(world(around))(world(beside).p);
    if (!sphere) apart.z = 0;
    if (norm(apart) < around.size.x) {
      ledger_.note(geom, "sidesite", Fate::approximated,
                   "inside the geom: the tendon goes straight, not along the inside");
      return;
    }
    piece.side = static_cast<int>(&beside - model.sites.data());
  }
  const auto same =
      std::find_if(model.sites.begin(), model.sites.end(), [&](const Site& s) { return s.name == around.name; });
  piece.around = static_cast<int>(same - model.sites.begin());
  if (same == model.sites.end()) model.sites.push_back(std::move(around));
}

// The rest of a spring that is not given: as long as the tendon is where the springs of the joints rest.
void Reader::settle_rest(const Item& here, Tendon& tendon) {
  const std::vector<double> rest =
      read_numbers(tree_, *here.node, "springlength", word(here, "springlength", "-1"), 1, 2);
  tendon.rest = rest.front();
  tendon.rest_upper = rest.back();
  if (tendon.rest < 0 && rest.size() < 2) tendon.rest = tendon.rest_upper = spring_length(tendon);
  if (tendon.rest > tendon.rest_upper)
    fail(tree_, *here.node, "springlength: the first number must not be above the second");
}

double Reader::spring_length(const Tendon& tendon) {
  const Model& model = built_.scene.model;
  double length = 0;
  for (const Tendon::Term& term : tendon.terms) {
    const Joint& joint = model.joints[term.joint];
    length += term.coefficient * coordinate_law(joint, model.extras_of(joint), term.coordinate).rest;
  }
  if (!tendon.is_path()) return length;
  if (reference_.spring_pose.empty()) {
    std::vector<double> q(at(built_.n_q));
    std::size_t next = 0;
    for (std::size_t i = 0; i < built_.robot.bodies.size(); ++i)
      for (const RobotJoint& joint : built_.robot.bodies[i].joints) {
        const FileJoint& file = built_.joints[next++];
        const Pose& world = built_.world[i];
        const std::array<double, 7> free{world.p.x, world.p.y, world.p.z, world.q.w, world.q.x, world.q.y, world.q.z};
        if (joint.kind == RobotJoint::Kind::free) std::copy(free.begin(), free.end(), q.begin() + file.q);
        else q[at(file.q)] = joint.kind == RobotJoint::Kind::ball ? 1 : joint.rest;
      }
    std::vector<JointArray> coordinates(model.joints.size());
    reference_.spring_pose = built_.scene.initial.bodies;
    place_robot(built_, q, {}, reference_.spring_pose, coordinates);
  }
  return length + path_length(tendon, reference_.spring_pose);
}

double Reader::path_length(const Tendon& tendon, const std::vector<BodyState>& bodies) const {
  const auto frame_of = [&](BodyId body) {
    return body.valid() ? BodyFrame{bodies[body].position, to_matrix(bodies[body].orientation), 1} : BodyFrame{};
  };
  double length = 0;
  for (const Tendon::Piece& piece : tendon.path)
    length +=
        piece.coefficient * shape_of(built_.scene.model, piece, frames_of(built_.scene.model, piece, frame_of)).length;
  return length;
}

int Reader::carried_by(BodyId body) const {
  const auto found = std::find(built_.body_of.begin(), built_.body_of.end(), body);
  return body.valid() && found != built_.body_of.end() ? static_cast<int>(found - built_.body_of.begin()) : -1;
}

// How gear times the tendon's length grows with the rates of the file, at the reference pose.
std::vector<std::pair<int, double>> Reader::rates_of(const Tendon& tendon, double gear) {
  std::vector<std::pair<int, double>> J;
  for (const Tendon::Term& term : tendon.terms)
    for (const FileJoint& file : built_.joints)
      if (file.joint == term.joint && file.coordinate == term.coordinate)
        J.emplace_back(file.v, gear * term.coefficient);
  const Model& model = built_.scene.model;
  const auto frame_of = [&](BodyId body) {
    const BodyState state = body.valid() ? built_.scene.initial.bodies[body] : BodyState{};
    return BodyFrame{state.position, to_matrix(state.orientation), 1};
  };
  for (const Tendon::Piece& piece : tendon.path) {
    const PieceShape shape = shape_of(model, piece, frames_of(model, piece, frame_of));
    for (std::size_t k = 0; k < 2 * at(shape.spans); ++k) {
      const SpanEnd& end = shape.ends[k];
      const double g = gear * piece.coefficient;
      reference_inertia().append_speed(carried_by(end.body), end.point, g * end.along, g * end.turning, J);
    }
  }
  return J;
}

// The limits of a path of which one piece alone changes its length are those of a rope: a distance that is exact and rigid.
void Reader::hang_rope(const XmlNode& node, Tendon& tendon) {
  const Model& model = built_.scene.model;
  const auto place = [&](int index) {
    const Site& site = model.sites[at(index)];
    const BodyState* body = site.body.valid() ? &built_.scene.initial.bodies[site.body] : nullptr;
    return body ? body->position + rotate(body->orientation, site.position) : site.position;
  };
  const Tendon::Piece* moves = nullptr;
  double still = 0;
  for (const Tendon::Piece& piece : tendon.path) {
    if (piece.around < 0 && model.sites[at(piece.from)].body == model.sites[at(piece.to)].body) {
      still += piece.coefficient * norm(place(piece.to) - place(piece.from));
      continue;
    }
    if (moves != nullptr || piece.around >= 0) return;
    moves = &piece;
  }
  if (moves == nullptr) return;
  const auto distance = [&](double length) { return (length - still) / moves->coefficient; };
  if (!(distance(tendon.upper) > 0)) return;
  JointSpec spec{.name = free_joint_name(node, tendon.name.c_str()), .kind = JointKind::distance, .primary = false};
  spec.anchors = {place(moves->from), place(moves->to)};
  Limits limits;
  limits.upper = distance(tendon.upper);
  if (distance(tendon.lower) > 0) limits.lower = distance(tendon.lower);
  spec.extras.limits = limits;
  add_joint(node, spec, model.sites[at(moves->from)].body, model.sites[at(moves->to)].body);
  tendon.limit_stiffness = tendon.limit_damping = 0;
  ledger_.note(node, "", Fate::used, "its limits are those of a rope, exact and rigid");
}

// With --softness mujoco limits of hinges and slides are elastic stops: those of a tendon along that coordinate alone.
void Reader::soften_limits() {
  Model& model = built_.scene.model;
  std::size_t next = 0;
  for (const RobotBody& body : built_.robot.bodies)
    for (const RobotJoint& own : body.joints) {
      const FileJoint& file = built_.joints[next++];
      const auto given = joint_notes_.soft_limits.find(own.node);
      if (given == joint_notes_.soft_limits.end() || !file.joint.valid() || !own.limits) continue;
      Joint& joint = model.joints[file.joint];
      std::optional<Limits>& limits = joint.kind == JointKind::compound ? joint.freedoms[at(file.coordinate)].limits
                                                                        : model.extras[at(joint.extras)].limits;
      const double inertia = reference_inertia().along({{file.v, 1.0}});
      if (!limits || !(inertia > 0)) continue;
      const Softness soft =
          softness_of(given->second.first, given->second.second, 1 / inertia, preamble_.option.timestep);
      Tendon stop;
      stop.name = fmt::format("{} limit", file.name);
      stop.terms = {{file.joint, file.coordinate, 1}};
      stop.lower = limits->lower;
      stop.upper = limits->upper;
      stop.limit_stiffness = soft.stiffness();
      stop.limit_damping = soft.damping();
      ledger_.note(*own.node, "range", Fate::approximated,
                   fmt::format("stops with stiffness {:.3g} and damping {:.3g}, as --softness mujoco asks",
                               stop.limit_stiffness, stop.limit_damping),
                   false);
      model.tendons.push_back(std::move(stop));
      limits.reset();
    }
}

// Springs and dampers act as they are; limits are as soft as solreflimit says, for the inertia m along the tendon at the reference pose:
// stiffness m/(T ζ)², damping 2 m/T.
void Reader::settle_tendon(const Item& here, Tendon& tendon) {
  const XmlNode& node = *here.node;
  tendon.stiffness = preamble_.option.springs ? number(here, "stiffness", 0) : 0;
  tendon.damping = preamble_.option.dampers ? number(here, "damping", 0) : 0;
  tendon.friction = number(here, "frictionloss", 0);
  for (const char* key : {"frictionloss", "armature"})
    if (node.find(key) && number(here, key, 0) == 0) ledger_.note(node, key, Fate::used, "zero");
  settle_rest(here, tendon);
  if (!preamble_.option.limits || !is_limited(here, "limited", "range")) return;
  const std::vector<double> range = read_numbers(tree_, node, "range", word(here, "range", "0 0"), 2, 2);
  if (!(range[0] < range[1])) fail(tree_, node, fmt::format("range: {} must be below {}", range[0], range[1]));
  tendon.lower = range[0];
  tendon.upper = range[1];
  const double m = inertia_along(tendon, 1);
  const std::vector<double> soft = read_numbers(tree_, node, "solreflimit", word(here, "solreflimit", "0.02 1"), 1, 2);
  const bool direct = soft[0] < 0;
  const double time = std::max(soft[0], 2 * preamble_.option.timestep), ratio = soft.size() > 1 ? soft[1] : 1;
  tendon.limit_stiffness = direct ? -soft[0] * m : m / (time * time * ratio * ratio);
  tendon.limit_damping = direct ? -ratio * m : 2 * m / time;
}

}  // namespace catena::mjcf

namespace catena {

std::span<const Rule> mjcf_tendon_rules() {
  static const std::vector<Rule> rules = [] {
    constexpr std::string_view kSoftStops = "stops are as soft as solreflimit says";
    std::vector<Rule> out;
    for (const std::string_view kind : {"tendon/fixed", "tendon/spatial"}) {
      const auto add = [&](std::string_view attribute, std::string_view type, std::string_view otherwise, Fate fate,
                           std::string_view note, bool physics = true) {
        out.push_back({kind, attribute, type, otherwise, fate, note, physics});
      };
      add("", "", "", Fate::used,
          kind == "tendon/fixed" ? "a sum of coordinates" : "a path from site to site, straight or around geoms");
      add("name", "name", "", Fate::used, "");
      add("class", "name", "", Fate::used, "");
      add("limited", "true, false, auto", "auto", Fate::used, "");
      add("range", "2 numbers", "0 0", Fate::used,
          "exact where one straight piece alone changes its length; else stops as soft as solreflimit says");
      add("solreflimit", "2 numbers", "0.02 1", Fate::used, "for the inertia along the tendon at the reference pose");
      add("solimplimit", "numbers", "0.9 0.95 0.001", Fate::approximated, kSoftStops, false);
      add("margin", "number", "0", Fate::ignored, "limits act where they are", false);
      add("stiffness", "number", "0", Fate::used, "");
      add("damping", "number", "0", Fate::used, "");
      add("springlength", "1 or 2 numbers", "-1", Fate::used, "two numbers: no force between them");
      add("frictionloss", "number", "0", Fate::ignored, "friction along tendons does not act");
      add("solreffriction", "numbers", "", Fate::ignored, "friction along tendons does not act", false);
      add("solimpfriction", "numbers", "", Fate::ignored, "friction along tendons does not act", false);
      add("armature", "number", "0", Fate::ignored, "inertia along tendons is not modelled");
      add("actuatorfrcrange", "2 numbers", "", Fate::ignored, "not clamped at the tendon");
      add("actuatorfrclimited", "true, false, auto", "auto", Fate::ignored, "not clamped at the tendon");
      add("*", "", "", Fate::ignored, "only how it looks", false);
    }
    const Rule parts[] = {
        {"fixed/joint", "", "", "", Fate::used, ""},
        {"fixed/joint", "joint", "name", "", Fate::used, ""},
        {"fixed/joint", "coef", "number", "", Fate::used, ""},
        {"spatial/site", "", "", "", Fate::used, ""},
        {"spatial/site", "site", "name", "", Fate::used, ""},
        {"spatial/geom", "", "", "", Fate::used, "the tendon lies around it where it is in the way"},
        {"spatial/geom", "geom", "name", "", Fate::used, "a sphere or a cylinder"},
        {"spatial/geom", "sidesite", "name", "", Fate::used, "the side it passes on; inside the geom: not modelled"},
        {"spatial/pulley", "", "", "", Fate::used, ""},
        {"spatial/pulley", "divisor", "number", "", Fate::used, "strands behind it count by it"},
    };
    out.insert(out.end(), std::begin(parts), std::end(parts));
    return out;
  }();
  return rules;
}

}  // namespace catena
