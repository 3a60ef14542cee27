#include "catena/convert/yaml_drives.h"

#include <algorithm>
#include <cmath>

#include "catena/convert/yaml_words.h"
#include "catena/model/sensor_kinds.h"

namespace catena {
namespace {

std::string list(const std::array<double, 3>& x) {
  return fmt::format("[{}, {}, {}]", number(x[0]), number(x[1]), number(x[2]));
}

std::string range(double lower, double upper) { return fmt::format("[{}, {}]", number(lower), number(upper)); }

// Its gains by the name they have, or as they are.
std::string gains_text(const Control& c) {
  if (c.muscle) {
    const Muscle& m = *c.muscle;
    return fmt::format(
        ", kind: muscle, muscle: {{force: {}, lengths: {}, range: {}, shortest: {}, longest: {}, "
        "fastest: {}, passive: {}, lengthening: {}, times: {}, smoothing: {}}}",
        number(m.force), range(m.length_lower, m.length_upper), range(m.range_lower, m.range_upper), number(m.shortest),
        number(m.longest), number(m.fastest), number(m.passive), number(m.lengthening),
        range(c.time_constant, c.release_time), number(c.smoothing));
  }
  const double kp = c.gain[0], kv = -c.bias[2];
  const bool constant = c.gain[1] == 0 && c.gain[2] == 0 && c.bias[0] == 0;
  if (constant && c.gain[0] == 1 && c.bias[1] == 0 && c.bias[2] == 0) return ", kind: torque";
  if (constant && kp > 0 && c.bias[1] == -kp && kv >= 0) {
    const bool pid = c.dynamics == Control::Dynamics::error_integral;
    return fmt::format(", kind: {}, kp: {}, kv: {}{}", pid ? "pid" : "position", number(kp), number(kv),
                       pid ? ", ki: " + number(c.integral_gain) : "");
  }
  if (constant && kv > 0 && c.bias[1] == 0 && c.gain[0] == kv)
    return fmt::format(", kind: velocity, kv: {}", number(kv));
  return fmt::format(", kind: general, gain: {}, bias: {}", list(c.gain), list(c.bias));
}

std::string control_text(const Model& model, const Control& c, Losses& losses) {
  std::string text = fmt::format("name: {}, ", in_quotes(c.name));
  if (c.joint.valid())
    text += fmt::format("joint: {}, coordinate: {}", in_quotes(model.joints[c.joint].name), c.coordinate);
  else text += "tendon: " + in_quotes(model.tendons[static_cast<std::size_t>(c.tendon)].name);
  text += gains_text(c);
  if (c.gear != 1) text += ", gear: " + number(c.gear);
  if (std::isfinite(c.force_upper) || std::isfinite(c.force_lower)) {
    text += ", limit: " + number(c.force_upper);
    if (c.force_upper != -c.force_lower)
      losses.add(fmt::format("control '{}'", c.name), "forcerange", Fate::approximated,
                 "limits are the same both ways");
  }
  if (std::isfinite(c.ctrl_lower) && std::isfinite(c.ctrl_upper))
    text += ", range: " + range(c.ctrl_lower, c.ctrl_upper);
  if (c.dynamics == Control::Dynamics::filter) text += ", filter: " + number(c.time_constant);
  if (c.dynamics == Control::Dynamics::integrator) text += ", integrate: yes";
  if (std::isfinite(c.act_upper)) text += ", integral_limit: " + number(c.act_upper);
  return text + ", signal: " + signal_text(c.signal);
}

// A joint's name has to be one of the model's: freedoms of compound joints have names of their own, which scenes do not look up.
bool is_there(const Model& model, const Sensor& s) {
  const auto has = [&](const auto& named) {
    return std::any_of(named.begin(), named.end(), [&](const auto& each) { return each.name == s.object; });
  };
  if (s.object_kind == "site") return has(model.sites);
  if (s.object_kind == "body") return has(model.bodies);
  if (s.object_kind == "joint") return has(model.joints);
  if (s.object_kind == "actuator") return has(model.controls);
  return s.object_kind.empty() || has(model.tendons);
}

}  // namespace

std::string curve_text(const SpringCurve& curve) {
  std::string out;
  for (const double c : curve.polynomial) out += (out.empty() ? "" : ", ") + number(c);
  if (curve.stretches.empty()) return "{polynomial: [" + out + "]}";
  for (std::size_t i = 0; i < curve.stretches.size(); ++i)
    out += (out.empty() ? "" : ", ") + range(curve.stretches[i], curve.tensions[i]);
  return "{table: [" + out + "]}";
}

namespace {

// Sites in their order; a strand that does not go on from the last one, or counts otherwise, begins after a pulley.
std::string path_text(const Model& model, const Tendon& tendon) {
  std::string out;
  const auto add = [&](const std::string& word) { out += (out.empty() ? "" : ", ") + word; };
  const auto site = [&](int i) { return in_quotes(model.sites[static_cast<std::size_t>(i)].name); };
  int last = -1;
  double coefficient = 1;
  for (const Tendon::Piece& piece : tendon.path) {
    if (piece.from != last || piece.coefficient != coefficient) {
      if (last >= 0 || piece.coefficient != 1) add(fmt::format("{{pulley: {}}}", number(1 / piece.coefficient)));
      add(site(piece.from));
    }
    if (piece.crank > 0) add(fmt::format("{{crank: {}}}", number(piece.crank)));
    if (piece.around >= 0)
      add(fmt::format("{{around: {}{}}}", site(piece.around), piece.side >= 0 ? ", side: " + site(piece.side) : ""));
    add(site(piece.to));
    last = piece.to;
    coefficient = piece.coefficient;
  }
  return out;
}

}  // namespace

std::string tendons_text(const Model& model) {
  std::string out = model.tendons.empty() ? "" : "tendons:\n";
  for (const Tendon& t : model.tendons) {
    std::string terms;
    for (const Tendon::Term& term : t.terms)
      terms += fmt::format("{}{{joint: {}, coordinate: {}, factor: {}}}", terms.empty() ? "" : ", ",
                           in_quotes(model.joints[term.joint].name), term.coordinate, number(term.coefficient));
    out +=
        fmt::format("  {}: {{{}: [{}], stiffness: {}, damping: {}", in_quotes(t.name), t.is_path() ? "path" : "terms",
                    t.is_path() ? path_text(model, t) : terms, number(t.stiffness), number(t.damping));
    out += ", rest: " + (t.rest == t.rest_upper ? number(t.rest) : range(t.rest, t.rest_upper));
    if (t.limit_stiffness > 0) {
      out += ", limits: {";
      if (std::isfinite(t.lower)) out += fmt::format("lower: {}, ", number(t.lower));
      if (std::isfinite(t.upper)) out += fmt::format("upper: {}, ", number(t.upper));
      out += fmt::format("stiffness: {}, damping: {}}}", number(t.limit_stiffness), number(t.limit_damping));
    }
    out += "}\n";
  }
  return out;
}

std::string actuators_text(const Model& model) {
  std::string out = model.actuators.empty() ? "" : "actuators:\n";
  for (const Actuator& a : model.actuators) {
    const bool position = a.kind == Actuator::Kind::position;
    out += fmt::format("  - {{joint: {}, coordinate: {}, kind: {}", in_quotes(model.joints[a.joint].name), a.coordinate,
                       position                             ? "position"
                       : a.kind == Actuator::Kind::velocity ? "velocity"
                                                            : "torque");
    if (position) out += ", kp: " + number(a.kp);
    if (a.kind != Actuator::Kind::torque) out += ", kv: " + number(a.kv);
    if (std::isfinite(a.limit)) out += ", limit: " + number(a.limit);
    out += ", signal: " + signal_text(a.signal) + "}\n";
  }
  return out;
}

std::string controls_text(const Model& model, Losses& losses) {
  std::string out;
  for (const Control& c : model.controls) {
    if (!c.joint.valid() && c.tendon < 0) {
      losses.add(fmt::format("control '{}'", c.name), "", Fate::ignored, "pulls at no joint and no tendon");
      continue;
    }
    out += "  - {" + control_text(model, c, losses) + "}\n";
  }
  return out.empty() ? out : "actuators:\n" + out;
}

std::string sites_text(const Model& model) {
  std::string out = model.sites.empty() ? "" : "sites:\n";
  for (const Site& s : model.sites) {
    out += fmt::format("  {}: {{body: {}, at: {}, orientation: {}", in_quotes(s.name),
                       s.body.valid() ? in_quotes(model.bodies[s.body].name) : "ground", catena::list(s.position),
                       catena::list(s.orientation));
    using enum Site::Volume;
    if (s.volume == sphere) out += fmt::format(", volume: {{sphere: {}}}", number(s.size.x));
    if (s.volume == box) out += ", volume: {box: " + catena::list(2.0 * s.size) + "}";
    if (s.volume == ellipsoid) out += ", volume: {ellipsoid: " + catena::list(s.size) + "}";
    if (s.volume == capsule || s.volume == cylinder)
      out += fmt::format(", volume: {{{}: {{radius: {}, length: {}}}}}", s.volume == capsule ? "capsule" : "cylinder",
                         number(s.size.x), number(2 * s.size.y));
    out += "}\n";
  }
  return out;
}

std::string sensors_text(const Model& model, Losses& losses) {
  std::string out;
  for (const Sensor& s : model.sensors) {
    const bool named = s.object_kind == "site" || s.object_kind == "body" || s.object_kind == "joint" ||
                       s.object_kind == "actuator" || s.object_kind == "tendon" || s.object_kind.empty();
    const bool against = s.reference.empty() || s.reference_kind == "site" || s.reference_kind == "body";
    if (sensor_kind(s.kind) == nullptr || !named || !against || !is_there(model, s)) {
      losses.add(fmt::format("sensor '{}'", s.name), "", Fate::ignored, "is not said in scene files", false);
      continue;
    }
    out += fmt::format("  {}: {{kind: {}", in_quotes(s.name), s.kind);
    if (!s.object_kind.empty()) out += fmt::format(", {}: {}", s.object_kind, in_quotes(s.object));
    if (!s.reference.empty()) out += ", against: " + in_quotes(s.reference);
    if (s.cutoff != 0) out += ", cutoff: " + number(s.cutoff);
    out += "}\n";
  }
  return out.empty() ? out : "sensors:\n" + out;
}

}  // namespace catena
