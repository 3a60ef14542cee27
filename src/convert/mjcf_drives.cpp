#include "catena/convert/mjcf_drives.h"

#include <fmt/format.h>

#include <cmath>

namespace catena {
namespace {

using Attributes = XmlWriter::Attributes;

bool is_crank(const Tendon& tendon) { return tendon.path.size() == 1 && tendon.path[0].crank > 0; }

}  // namespace

void add_mjcf_law(double damping, double stiffness, double rest, double friction, double armature, Attributes& a) {
  const auto add = [&](const char* key, double x) {
    if (x != 0) a.emplace_back(key, number(x));
  };
  add("damping", damping);
  add("stiffness", stiffness);
  add("springref", rest);
  add("frictionloss", friction);
  add("armature", armature);
}

void MjcfDrives::tendons() {
  if (model_.tendons.empty()) return;
  xml_.open("tendon");
  for (const Tendon& t : model_.tendons) {
    if (is_crank(t)) continue;  // said by the actuator
    Attributes a{{"name", t.name}};
    if (std::isfinite(t.lower) || std::isfinite(t.upper))
      a.emplace_back("range", fmt::format("{} {}", number(t.lower), number(t.upper)));
    add_mjcf_law(t.damping, t.stiffness, 0, t.friction, 0, a);
    if (t.stiffness != 0) a.emplace_back("springlength", fmt::format("{} {}", number(t.rest), number(t.rest_upper)));
    xml_.open(t.is_path() ? "spatial" : "fixed", a);
    path(t);
    for (const Tendon::Term& term : t.terms)
      xml_.leaf("joint", {{"joint", coordinate_name(model_.joints[term.joint], term.coordinate)},
                          {"coef", number(term.coefficient)}});
    xml_.close();
  }
  xml_.close();
}

void MjcfDrives::path(const Tendon& tendon) {
  const auto site = [&](int i) { xml_.leaf("site", {{"site", model_.sites[static_cast<std::size_t>(i)].name}}); };
  int last = -1;
  double coefficient = 1;
  for (const Tendon::Piece& piece : tendon.path) {
    if (piece.from != last || piece.coefficient != coefficient) {
      if (last >= 0 || piece.coefficient != 1) xml_.leaf("pulley", {{"divisor", number(1 / piece.coefficient)}});
      site(piece.from);
    }
    if (piece.around >= 0)
      losses_.add(fmt::format("tendon '{}'", tendon.name), "path", Fate::approximated, "straight, not around a site");
    site(piece.to);
    last = piece.to;
    coefficient = piece.coefficient;
  }
}

void MjcfDrives::actuators() {
  if (model_.actuators.empty() && model_.controls.empty()) return;
  xml_.open("actuator");
  for (const Control& c : model_.controls) control(c);
  if (model_.controls.empty())
    for (const Actuator& a : model_.actuators) {
      const bool position = a.kind == Actuator::Kind::position, velocity = a.kind == Actuator::Kind::velocity;
      Attributes of{{"joint", coordinate_name(model_.joints[a.joint], a.coordinate)}};
      if (position) of.emplace_back("kp", number(a.kp));
      if (position || velocity) of.emplace_back("kv", number(a.kv));
      if (std::isfinite(a.limit))
        of.emplace_back("forcerange", fmt::format("{} {}", number(-a.limit), number(a.limit)));
      xml_.leaf(position ? "position" : velocity ? "velocity" : "motor", of);
    }
  xml_.close();
}

void MjcfDrives::control(const Control& c) {
  if (c.dynamics == Control::Dynamics::error_integral)
    losses_.add(fmt::format("control '{}'", c.name), "ki", Fate::ignored, "the integral of a PID servo");
  if (!std::holds_alternative<Constant>(c.signal) || value(c.signal, 0) != 0)
    losses_.add(fmt::format("control '{}'", c.name), "signal", Fate::ignored, "inputs are set from outside in MJCF");
  if (!c.joint.valid() && c.tendon < 0)
    return losses_.add(fmt::format("control '{}'", c.name), "", Fate::ignored, "drives nothing that was read");
  Attributes a{{"name", c.name}};
  if (c.joint.valid()) a.emplace_back("joint", coordinate_name(model_.joints[c.joint], c.coordinate));
  else if (const Tendon& t = model_.tendons[static_cast<std::size_t>(c.tendon)]; is_crank(t)) {
    const auto site = [&](int i) { return model_.sites[static_cast<std::size_t>(i)].name; };
    a.emplace_back("cranksite", site(t.path[0].to));
    a.emplace_back("slidersite", site(t.path[0].from));
    a.emplace_back("cranklength", number(t.path[0].crank));
  } else {
    a.emplace_back("tendon", t.name);
  }
  const auto three = [](const std::array<double, 3>& x) {
    return fmt::format("{} {} {}", number(x[0]), number(x[1]), number(x[2]));
  };
  a.emplace_back("gear", number(c.gear));
  if (c.muscle) {
    const Muscle& m = *c.muscle;
    const std::string curves =
        fmt::format("{} {} {} 200 {} {} {} {} {}", number(m.range_lower), number(m.range_upper), number(m.force),
                    number(m.shortest), number(m.longest), number(m.fastest), number(m.passive), number(m.lengthening));
    a.emplace_back("gaintype", "muscle");
    a.emplace_back("gainprm", curves);
    a.emplace_back("biastype", "muscle");
    a.emplace_back("biasprm", curves);
    a.emplace_back("lengthrange", fmt::format("{} {}", number(m.length_lower), number(m.length_upper)));
  } else {
    a.emplace_back("gaintype", "affine");
    a.emplace_back("gainprm", three(c.gain));
    a.emplace_back("biastype", "affine");
    a.emplace_back("biasprm", three(c.bias));
  }
  if (c.dynamics == Control::Dynamics::muscle) {
    a.emplace_back("dyntype", "muscle");
    a.emplace_back("dynprm",
                   fmt::format("{} {} {}", number(c.time_constant), number(c.release_time), number(c.smoothing)));
  }
  if (c.dynamics == Control::Dynamics::filter || c.dynamics == Control::Dynamics::integrator) {
    a.emplace_back("dyntype", c.dynamics == Control::Dynamics::filter ? "filter" : "integrator");
    a.emplace_back("dynprm", number(c.time_constant));
  }
  if (std::isfinite(c.ctrl_lower) && std::isfinite(c.ctrl_upper))
    a.emplace_back("ctrlrange", fmt::format("{} {}", number(c.ctrl_lower), number(c.ctrl_upper)));
  if (std::isfinite(c.force_lower) && std::isfinite(c.force_upper))
    a.emplace_back("forcerange", fmt::format("{} {}", number(c.force_lower), number(c.force_upper)));
  xml_.leaf("general", a);
}

}  // namespace catena
