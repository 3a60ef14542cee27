#include "catena/scene/control_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "catena/model/joint_rules.h"
#include "catena/scene/coordinate_quantity.h"

namespace catena {
namespace {

enum class Kind { torque, position, velocity, pid, general, muscle };
constexpr std::array<std::pair<std::string_view, Kind>, 6> kKinds = {{{"torque", Kind::torque},
                                                                      {"position", Kind::position},
                                                                      {"velocity", Kind::velocity},
                                                                      {"pid", Kind::pid},
                                                                      {"general", Kind::general},
                                                                      {"muscle", Kind::muscle}}};

// What is measured along the transmission; tendons add up coordinates of any kind.
struct Measures {
  const Quantity &coordinate, &velocity, &force, &stiffness, &damping;
};

Measures measures_of(const Control& control, const Draft& draft) {
  if (!control.joint.valid())
    return {quantity::kNumber, quantity::kNumber, quantity::kNumber, quantity::kNumber, quantity::kNumber};
  const JointKind kind = draft.model().joints[control.joint].kind;
  const int k = control.coordinate;
  return {coordinate_quantity(kind, k), velocity_quantity(kind, k), force_quantity(kind, k),
          stiffness_quantity(kind, k), damping_quantity(kind, k)};
}

std::pair<double, double> read_range(const Value& value, std::string_view what, const Quantity& quantity) {
  const auto& items = read_list(value, what, 2);
  const double lower = read_number(items[0], what, quantity), upper = read_number(items[1], what, quantity);
  if (!(lower < upper)) fail(value.at, fmt::format("{}: {} must be below {}", what, lower, upper));
  return {lower, upper};
}

// What it pulls at.
void read_transmission(const Fields& fields, Draft& draft, Control& out) {
  if (fields.has("joint") == fields.has("tendon")) fail(fields.at(), "actuator: needs joint: NAME or tendon: NAME");
  if (const Value* joint = fields.find("joint")) {
    out.joint = draft.joint(*joint, "joint");
    if (const Value* v = fields.find("coordinate"))
      out.coordinate = static_cast<int>(std::min(read_count(*v, "coordinate", 0), 99LL));
  } else {
    const Value& name = *fields.find("tendon");
    const std::vector<Tendon>& tendons = draft.model().tendons;
    const auto found = std::find_if(tendons.begin(), tendons.end(),
                                    [&](const Tendon& t) { return t.name == read_text(name, "tendon"); });
    if (found == tendons.end()) fail(name.at, fmt::format("tendon: there is no tendon '{}'", name.text));
    out.tendon = static_cast<int>(found - tendons.begin());
  }
}

void read_gains(const Fields& fields, Kind kind, const Measures& measures, Control& out) {
  const auto refuse = [&](const char* key, bool has) {
    if (!has && fields.has(key)) fields.refuse(key, "not of this kind of actuator");
  };
  refuse("kp", kind == Kind::position || kind == Kind::pid);
  refuse("ki", kind == Kind::pid);
  refuse("kv", kind != Kind::torque && kind != Kind::general && kind != Kind::muscle);
  refuse("gain", kind == Kind::general);
  refuse("bias", kind == Kind::general);
  if (kind == Kind::muscle) return;
  if (kind == Kind::general) {
    const auto three = [&](const Value& value, const char* key) {
      const Vec3 v = read_vec3(value, key, quantity::kNumber);
      return std::array{v.x, v.y, v.z};
    };
    out.gain = three(fields.need("gain", "[1, 0, 0]"), "gain");
    out.bias = three(fields.need("bias", "[0, 0, 0]"), "bias");
    return;
  }
  const double kv = fields.number("kv", measures.damping, 0);
  if (kind == Kind::velocity) {
    (void)fields.need("kv", "10");
    out.gain = {kv, 0, 0};
    out.bias = {0, 0, -kv};
  } else if (kind != Kind::torque) {
    const double kp = read_number(fields.need("kp", "100"), "kp", measures.stiffness);
    if (!(kp > 0)) fields.refuse("kp", "must be positive");
    out.gain = {kp, 0, 0};
    out.bias = {0, -kp, -kv};
  }
  if (kind == Kind::pid) {
    out.integral_gain = read_number(fields.need("ki", "10"), "ki", quantity::kNumber);
    out.dynamics = Control::Dynamics::error_integral;
  }
}

// The curves of a muscle (model/muscle.h).
void read_muscle(const Fields& fields, Control& out) {
  if (!fields.has("muscle")) fields.refuse("kind", "needs muscle: {force: 1000, lengths: [0.1, 0.3]}");
  const Value& value = *fields.find("muscle");
  const Fields own(
      value, "muscle",
      {"force", "lengths", "range", "shortest", "longest", "fastest", "passive", "lengthening", "times", "smoothing"});
  Muscle& m = out.muscle.emplace();
  out.dynamics = Control::Dynamics::muscle;
  m.force = read_number(own.need("force", "1000"), "force", quantity::kNumber);
  std::tie(m.length_lower, m.length_upper) =
      read_range(own.need("lengths", "[0.1, 0.3]"), "lengths", quantity::kNumber);
  if (const Value* v = own.find("range"))
    std::tie(m.range_lower, m.range_upper) = read_range(*v, "range", quantity::kNumber);
  m.shortest = own.number("shortest", quantity::kNumber, m.shortest);
  m.longest = own.number("longest", quantity::kNumber, m.longest);
  m.fastest = own.number("fastest", quantity::kNumber, m.fastest);
  m.passive = own.number("passive", quantity::kNumber, m.passive);
  m.lengthening = own.number("lengthening", quantity::kNumber, m.lengthening);
  out.time_constant = 0.01;
  if (const Value* v = own.find("times")) {
    const auto& items = read_list(*v, "times", 2);
    out.time_constant = read_number(items[0], "times", quantity::kTime);
    out.release_time = read_number(items[1], "times", quantity::kTime);
  }
  out.smoothing = own.number("smoothing", quantity::kNumber, 0);
  if (!(m.force >= 0) || !(m.shortest < 1) || !(m.longest > 1) || !(m.fastest > 0) || !(m.passive >= 0) ||
      !(m.lengthening >= 1) || !(out.time_constant > 0) || !(out.release_time > 0) || !(out.smoothing >= 0))
    fail(value.at,
         "muscle: force and passive must not be negative, shortest < 1 < longest, fastest and times positive, "
         "lengthening at least 1");
}

void read_term(const Value& value, Draft& draft, Tendon& tendon) {
  const Fields fields(value, "term", {"joint", "coordinate", "factor"});
  Tendon::Term term;
  term.joint = draft.joint(fields.need("joint", "elbow"), "joint");
  if (const Value* v = fields.find("coordinate"))
    term.coordinate = static_cast<int>(std::min(read_count(*v, "coordinate", 0), 99LL));
  if (const int count = coordinate_count(draft.model().joints[term.joint]); term.coordinate >= count)
    fail(value.at, fmt::format("term: coordinate {} of a joint that has {}", term.coordinate, count));
  term.coefficient = fields.number("factor", quantity::kNumber, 1);
  tendon.terms.push_back(term);
}

int site_index(const Value& name, const Draft& draft) {
  const std::vector<Site>& sites = draft.model().sites;
  const std::string text = read_text(name, "path");
  const auto found = std::find_if(sites.begin(), sites.end(), [&](const Site& s) { return s.name == text; });
  if (found == sites.end()) fail(name.at, fmt::format("path: there is no site '{}'", text));
  return static_cast<int>(found - sites.begin());
}

// Names of sites; {pulley: n} ends a strand, and what comes after it counts 1/n; before a site {crank: r}: a rod from there to a slider on the
// axis of the site before, {around: SITE, side: SITE}: the piece lies around the sphere or cylinder of that site.
void read_path(const Value& value, Draft& draft, Tendon& tendon) {
  Tendon::Piece next;
  int last = -1;
  double coefficient = 1;
  for (const Value& item : read_list(value, "path")) {
    if (item.is_map() && item.find("crank") != nullptr) {
      const Fields fields(item, "path", {"crank"});
      next.crank = fields.number("crank", quantity::kLength, 0);
      if (!(next.crank > 0)) fields.refuse("crank", "must be positive");
      continue;
    }
    if (item.is_map() && item.find("around") != nullptr) {
      const Fields fields(item, "path", {"around", "side"});
      next.around = site_index(fields.need("around", "pulley"), draft);
      const Site& object = draft.model().sites[static_cast<std::size_t>(next.around)];
      if (object.volume != Site::Volume::sphere && object.volume != Site::Volume::cylinder)
        fields.refuse("around", "a site whose volume is a sphere or a cylinder is expected");
      if (const Value* side = fields.find("side")) next.side = site_index(*side, draft);
      continue;
    }
    if (item.is_map()) {
      const Fields fields(item, "path", {"pulley"});
      const double divisor = read_number(fields.need("pulley", "2"), "pulley", quantity::kNumber);
      if (!(divisor > 0)) fields.refuse("pulley", "must be positive");
      coefficient = 1 / divisor;
      last = -1;
      continue;
    }
    const int here = site_index(item, draft);
    next.from = last;
    next.to = here;
    next.coefficient = coefficient;
    if (last >= 0) tendon.path.push_back(next);
    next = {};
    last = here;
  }
  if (tendon.path.empty()) fail(value.at, "path: needs two sites at least");
}

}  // namespace

bool is_control(const Value& actuator) {
  if (!actuator.is_map()) return false;
  const Value* kind = actuator.find("kind");
  if (kind != nullptr && (kind->text == "pid" || kind->text == "general" || kind->text == "muscle")) return true;
  for (const char* key : {"tendon", "name", "gear", "range", "filter", "integrate"})
    if (actuator.find(key) != nullptr) return true;
  return false;
}

void read_control(const Value& value, Draft& draft) {
  const Fields fields(value, "actuator",
                      {"name", "joint", "coordinate", "tendon", "kind", "kp", "ki", "kv", "gear", "limit", "range",
                       "filter", "integrate", "signal", "integral_limit", "gain", "bias", "muscle"});
  Control out;
  read_transmission(fields, draft, out);
  if (out.joint.valid())
    if (const int count = coordinate_count(draft.model().joints[out.joint]); out.coordinate >= count)
      fail(value.at, fmt::format("actuator: coordinate {} of a joint that has {}", out.coordinate, count));
  const Measures measures = measures_of(out, draft);
  out.name = fields.text("name", fmt::format("actuator{}", draft.model().controls.size()));
  const Value* word = fields.find("kind");
  const Kind kind = word != nullptr ? read_choice(*word, "kind", kKinds) : Kind::torque;
  read_gains(fields, kind, measures, out);
  if (kind == Kind::muscle) read_muscle(fields, out);
  else if (fields.has("muscle")) fields.refuse("muscle", "not of this kind of actuator");
  const Quantity& input = kind == Kind::torque                          ? measures.force
                        : kind == Kind::velocity                        ? measures.velocity
                        : kind == Kind::general || kind == Kind::muscle ? quantity::kNumber
                                                                        : measures.coordinate;
  out.gear = fields.number("gear", quantity::kNumber, 1);
  if (const auto limit = fields.number("limit", measures.force)) {
    if (!(*limit >= 0)) fields.refuse("limit", "must not be negative");
    out.force_upper = *limit;
    out.force_lower = -*limit;
  }
  if (const Value* v = fields.find("range")) std::tie(out.ctrl_lower, out.ctrl_upper) = read_range(*v, "range", input);
  if (fields.has("filter") + fields.flag("integrate", false) + (kind == Kind::pid || kind == Kind::muscle) > 1)
    fail(value.at, "actuator: filter, integrate, kind: pid and kind: muscle exclude each other");
  if (const auto time = fields.number("filter", quantity::kTime)) {
    if (!(*time > 0)) fields.refuse("filter", "a positive time is expected");
    out.dynamics = Control::Dynamics::filter;
    out.time_constant = *time;
  }
  if (fields.flag("integrate", false)) out.dynamics = Control::Dynamics::integrator;
  if (const auto most = fields.number("integral_limit", quantity::kNumber)) {
    out.act_upper = *most;
    out.act_lower = -*most;
  }
  if (const Value* v = fields.find("signal")) out.signal = read_signal(*v, "signal", input);
  draft.model().controls.push_back(std::move(out));
}

void read_tendons(const Value& tendons, Draft& draft) {
  if (!tendons.is_map())
    fail(tendons.at, fmt::format("tendons: a map from names to tendons is expected, not {}", tendons.describe()));
  for (std::size_t i = 0; i < tendons.keys.size(); ++i) {
    const Key& key = tendons.keys[i];
    const Fields fields(tendons.items[i], fmt::format("tendon '{}'", key.text),
                        {"terms", "path", "stiffness", "damping", "rest", "limits"}, key.at);
    Tendon tendon;
    tendon.name = key.text;
    if (fields.has("terms") && fields.has("path")) fields.refuse("path", "a tendon has terms or a path");
    if (const Value* path = fields.find("path")) read_path(*path, draft, tendon);
    else
      for (const Value& term : read_list(fields.need("terms", "[{joint: elbow, factor: 1}]"), "terms"))
        read_term(term, draft, tendon);
    tendon.stiffness = fields.number("stiffness", quantity::kNumber, 0);
    tendon.damping = fields.number("damping", quantity::kNumber, 0);
    if (tendon.stiffness < 0 || tendon.damping < 0) fail(key.at, "stiffness and damping must not be negative");
    if (const Value* rest = fields.find("rest")) {
      if (rest->is_list()) std::tie(tendon.rest, tendon.rest_upper) = read_range(*rest, "rest", quantity::kNumber);
      else tendon.rest = tendon.rest_upper = read_number(*rest, "rest", quantity::kNumber);
    }
    if (const Value* v = fields.find("limits")) {
      const Fields limits(*v, "limits", {"lower", "upper", "stiffness", "damping"});
      tendon.lower = limits.number("lower", quantity::kNumber, tendon.lower);
      tendon.upper = limits.number("upper", quantity::kNumber, tendon.upper);
      tendon.limit_stiffness = read_number(limits.need("stiffness", "1000"), "stiffness", quantity::kNumber);
      tendon.limit_damping = limits.number("damping", quantity::kNumber, 0);
      if (!(tendon.lower <= tendon.upper) || !(tendon.limit_stiffness > 0) || tendon.limit_damping < 0)
        fail(v->at, "limits: lower must not be above upper, stiffness is positive and damping not negative");
    }
    draft.model().tendons.push_back(std::move(tendon));
  }
}

}  // namespace catena
