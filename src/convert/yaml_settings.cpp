// The `simulate:` block of a scene file, and what joints do by themselves.
#include "catena/convert/yaml_words.h"
#include "catena/model/setting_names.h"

namespace catena {
namespace {

// What is not as by default: ", tuning: {velocity: {motion_gain: 1e-08}}".
std::string tuning_text(const Tuning& tuning) {
  std::string text, part;
  for (const auto& [name, value] : changes(tuning)) {
    const std::size_t dot = name.find('.');
    if (name.substr(0, dot) == part) text += ", ";
    else text += fmt::format("{}{}: {{", text.empty() ? "" : "}, ", part = name.substr(0, dot));
    text += fmt::format("{}: {}", name.substr(dot + 1), number(value));
  }
  return text.empty() ? text : ", tuning: {" + text + "}}";
}

}  // namespace

std::string settings_text(const Settings& s) {
  const Settings otherwise;
  const Sweeps sweeps = s.method.sweeps(), usual;
  std::string text = fmt::format("step: {}, duration: {}", number(s.step), number(s.duration));
  const auto word = [&](const char* key, const auto& names, auto value, auto other) {
    if (value != other) text += fmt::format(", {}: {}", key, word_of(names, value));
  };
  const auto value = [&](const char* key, double x, double other) {
    if (x != other) text += fmt::format(", {}: {}", key, number(x));
  };
  word("method", kMethodNames, Method(s.method), Method(otherwise.method));
  word("integrator", kIntegratorNames, s.method.integrator(), otherwise.method.integrator());
  word("stabilise", kStabilisationNames, s.method.stabilise(), otherwise.method.stabilise());
  word("formulation", kFormulationNames, s.method.formulation(), otherwise.method.formulation());
  word("coordinates", kCoordinatesNames, s.method.coordinates(), otherwise.method.coordinates());
  word("contacts", kContactModeNames, s.method.contacts(), otherwise.method.contacts());
  if (s.method.law_solver() != otherwise.method.law_solver())
    word("solver", kLawSolverNames, s.method.law_solver(), otherwise.method.law_solver());
  else word("solver", kLinearSolverNames, s.method.solver(), otherwise.method.solver());
  value("sample", s.sample, otherwise.sample);
  value("tolerance", s.method.tolerance(), otherwise.method.tolerance());
  if (s.method.position_tolerance() != (s.method.tolerance() != otherwise.method.tolerance()
                                            ? s.method.tolerance()
                                            : otherwise.method.position_tolerance()))
    value("position_tolerance", s.method.position_tolerance(), -1);
  if (s.method.velocity_tolerance() != (s.method.tolerance() != otherwise.method.tolerance()
                                            ? s.method.tolerance()
                                            : otherwise.method.velocity_tolerance()))
    value("velocity_tolerance", s.method.velocity_tolerance(), -1);
  value("contact_margin", s.contact_margin, otherwise.contact_margin);
  value("contact_tolerance", s.contact_tolerance, otherwise.contact_tolerance);
  value("restitution_threshold", s.restitution_threshold, otherwise.restitution_threshold);
  value("baumgarte", s.method.baumgarte(), otherwise.method.baumgarte());
  value("assembly_speed", s.assembly_speed, otherwise.assembly_speed);
  value("facets", s.facets, otherwise.facets);
  value("sweeps", sweeps.most, usual.most);
  word("sweep_algorithm", kSweepAlgorithmNames, sweeps.algorithm, usual.algorithm);
  word("sweep_order", kSweepOrderNames, sweeps.order, usual.order);
  word("sweep_friction", kSweepFrictionNames, sweeps.friction, usual.friction);
  value("sweep_relaxation", sweeps.relaxation, usual.relaxation);
  if (s.sleep != otherwise.sleep) text += fmt::format(", sleep: {}", s.sleep ? "yes" : "no");
  value("threads", s.threads, otherwise.threads);
  value("seed", static_cast<double>(s.seed), 0);
  return text + tuning_text(s.tuning);
}

std::string motion_text(const FrameMotion& moves) {
  if (moves.guide >= 0) return "guided";
  std::string out;
  const auto add = [&](const char* key, const std::optional<Motion>& motion) {
    if (motion) out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", key, signal_text(motion->signal()));
  };
  add("x", moves.shift[0]);
  add("y", moves.shift[1]);
  add("z", moves.shift[2]);
  add("angle", moves.angle);
  if (moves.angle) out += ", axis: " + list(moves.axis);
  return "{" + out + "}";
}

std::string surface_text(const JointSurface& s, const Vec3& at, const Quat& orientation) {
  std::string kind;
  switch (s.kind) {
    case JointSurface::Kind::plane:
      return fmt::format("{{plane: {}, at: {}}}", list(rotate(orientation, Vec3{0, 0, 1})), list(at));
    case JointSurface::Kind::sphere: kind = "sphere: " + number(s.size.x); break;
    case JointSurface::Kind::cylinder: kind = "cylinder: " + number(s.size.x); break;
    case JointSurface::Kind::torus:
      kind = fmt::format("torus: {{radius: {}, tube: {}}}", number(s.size.x), number(s.size.y));
      break;
    case JointSurface::Kind::ellipsoid: kind = "ellipsoid: " + list(s.size); break;
    case JointSurface::Kind::height_field:
      kind = fmt::format("height_field: {{spacing: [{}, {}], heights: [", number(s.size.x), number(s.size.y));
      for (std::size_t i = 0; i < s.heights.size(); ++i) {
        const auto columns = static_cast<std::size_t>(s.columns);
        kind += i % columns == 0 ? (i == 0 ? "[" : ", [") : ", ";
        kind += number(s.heights[i]) + ((i + 1) % columns == 0 ? "]" : "");
      }
      kind += "]}";
  }
  return fmt::format("{{{}, at: {}, orientation: {}}}", kind, list(at), list(orientation));
}

std::string switching_text(const Switching& switching) {
  const auto times = [](const std::vector<double>& all) {
    std::string text;
    for (const double time : all) text += (text.empty() ? "" : ", ") + number(time);
    return "[" + text + "]";
  };
  std::string attach, detach;
  const auto add = [](std::string& to, const char* key, const std::string& text) {
    to += fmt::format("{}{}: {}", to.empty() ? "" : ", ", key, text);
  };
  if (!switching.attach.empty()) add(attach, "at", times(switching.attach));
  if (switching.within) add(attach, "within", number(*switching.within));
  if (switching.pose == Switching::Pose::keep) add(attach, "pose", "keep");
  if (switching.over != 0) add(attach, "over", number(switching.over));
  if (!switching.detach.empty()) add(detach, "at", times(switching.detach));
  if (switching.force) add(detach, "force", number(*switching.force));
  if (switching.torque) add(detach, "torque", number(*switching.torque));
  std::string out = fmt::format(", attached: {}", switching.attached ? "yes" : "no");
  if (!attach.empty()) out += fmt::format(", attach: {{{}}}", attach);
  if (!detach.empty()) out += fmt::format(", detach: {{{}}}", detach);
  return out;
}

}  // namespace catena
