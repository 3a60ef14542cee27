// Rules about what drives and springs the joints.
#include <algorithm>
#include <map>

#include "catena/lint/linter.h"
#include "catena/simulation/simulation.h"

namespace catena::rules {
namespace {

double smaller(double a, double b) { return std::min(std::abs(a), std::abs(b)); }

}  // namespace

void zero_effort(Linter& l) {
  const Model& model = l.model();
  for (const Control& c : model.controls)
    if (c.joint.valid() && c.force_lower == 0 && c.force_upper == 0)
      l.say(c.joint,
            fmt::format("the drive of {} may exert no force: its range is zero", l.name(c.joint, c.coordinate)));
  for (const Actuator& a : model.actuators) {
    if (a.limit != 0) continue;
    const bool said = std::any_of(model.controls.begin(), model.controls.end(), [&](const Control& c) {
      return c.joint == a.joint && c.coordinate == a.coordinate && c.force_lower == 0 && c.force_upper == 0;
    });
    if (!said) l.say(a.joint, fmt::format("the actuator of {} has a limit of zero", l.name(a.joint, a.coordinate)));
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (const auto& motor = model.extras_of(model.joints[j]).motor; motor && motor->max_force && *motor->max_force == 0)
      l.say(JointId{j}, fmt::format("the motor of joint '{}' has a max_force of zero", model.joints[j].name));
}

// Of drives that hold a place: a motor that is asked for a torque may be too weak on purpose.
void effort_below_weight(Linter& l) {
  const JointLoads* loads = l.loads();
  if (loads == nullptr) return;
  for (const Actuator& a : l.model().actuators) {
    const JointLoads::Coordinate* at = loads->find(a.joint, a.coordinate);
    if (at != nullptr && a.kind == Actuator::Kind::position && a.limit > 0 && a.limit < at->weight)
      l.say(a.joint,
            fmt::format("the actuator of {} may exert {:.4g} {}, and the weight at the start needs {:.4g}",
                        l.name(a.joint, a.coordinate), a.limit, l.force_unit(a.joint, a.coordinate), at->weight));
  }
}

void gain_below_weight(Linter& l) {
  const JointLoads* loads = l.loads();
  if (loads == nullptr) return;
  for (const Actuator& a : l.model().actuators) {
    const JointLoads::Coordinate* at = loads->find(a.joint, a.coordinate);
    if (at == nullptr || a.kind != Actuator::Kind::position || !(a.kp > 0) || a.limit < at->weight) continue;
    const double sag = at->weight / (a.kp + l.law(a.joint, a.coordinate).stiffness);
    if (sag > (l.turns(a.joint, a.coordinate) ? 0.8 : 0.2))
      l.say(a.joint, fmt::format("{} sags by {:.3g} {} under its weight: kp is {:.4g}", l.name(a.joint, a.coordinate),
                                 sag, l.unit(a.joint, a.coordinate), a.kp));
  }
}

// spook and operational take springs and servos implicitly, where none is too stiff; `auto` takes them where some are.
static bool takes_forces_explicitly(const Linter& l) {
  if (l.simulation() == nullptr) return false;
  const Method method = l.simulation()->settings().method;
  return method == Method::lagrange || method == Method::impulse;
}

void stiff_spring(Linter& l) {
  if (!takes_forces_explicitly(l)) return;
  const double h = l.settings().step;
  const auto fast = [&](double k, double m) { return m > 0 && h * std::sqrt(k / m) > 1; };
  for (std::size_t i = 0; i < l.model().springs.size(); ++i) {
    const Spring& s = l.model().springs[i];
    const double a = s.a.valid() ? 1 / l.model().bodies[s.a].mass : 0,
                 b = s.b.valid() ? 1 / l.model().bodies[s.b].mass : 0;
    if (fast(s.stiffness, 1 / (a + b)))
      l.say(fmt::format("spring {} between {} and {} swings at {:.3g} rad/s, too fast for steps of {:.3g} s", i,
                        l.name(s.a), l.name(s.b), std::sqrt(s.stiffness * (a + b)), h));
  }
  const JointLoads* loads = l.loads();
  if (loads == nullptr) return;
  for (const JointLoads::Coordinate& c : loads->coordinates) {
    const double k = l.law(c.joint, c.coordinate).stiffness, m = c.inertia + l.law(c.joint, c.coordinate).armature;
    if (fast(k, m))
      l.say(c.joint, fmt::format("the spring of {} swings at {:.3g} rad/s, too fast for steps of {:.3g} s",
                                 l.name(c.joint, c.coordinate), std::sqrt(k / m), h));
  }
}

void stiff_servo(Linter& l) {
  if (!takes_forces_explicitly(l)) return;
  const JointLoads* loads = l.loads();
  if (loads == nullptr) return;
  const double h = l.settings().step;
  for (const Actuator& a : l.model().actuators) {
    const JointLoads::Coordinate* at = loads->find(a.joint, a.coordinate);
    if (at == nullptr || a.kind != Actuator::Kind::position) continue;
    const double m = at->inertia + l.law(a.joint, a.coordinate).armature;
    if (h * std::sqrt(a.kp / m) > 2)
      l.say(
          a.joint,
          fmt::format("the servo of {} swings at {:.3g} rad/s (kp {:.4g} on {:.3g} {}), too fast for steps of {:.3g} s",
                      l.name(a.joint, a.coordinate), std::sqrt(a.kp / m), a.kp, m,
                      l.turns(a.joint, a.coordinate) ? "kg m2" : "kg", h));
  }
}

void undamped_servo(Linter& l) {
  for (const Actuator& a : l.model().actuators) {
    const CoordinateLaw law = l.law(a.joint, a.coordinate);
    if (a.kind == Actuator::Kind::position && a.kp > 0 && a.kv == 0 && law.damping == 0 && law.friction == 0)
      l.say(a.joint, fmt::format("the servo of {} has no kv and the joint no damping: it swings for ever",
                                 l.name(a.joint, a.coordinate)));
  }
}

void target_outside_limits(Linter& l) {
  for (const Actuator& a : l.model().actuators) {
    const Limits* limits = l.law(a.joint, a.coordinate).limits;
    const auto* target = std::get_if<Constant>(&a.signal);
    if (limits == nullptr || target == nullptr || a.kind != Actuator::Kind::position) continue;
    const double slack = 1e-6 + 1e-3 * smaller(limits->upper - limits->lower, 10);
    // A set-point of zero is what a file has that gives none.
    if (target->value != 0 && (target->value < limits->lower - slack || target->value > limits->upper + slack))
      l.say(a.joint, fmt::format("the actuator of {} is sent to {:.4g} {}, outside its limits {:.4g} to {:.4g}",
                                 l.name(a.joint, a.coordinate), target->value, l.unit(a.joint, a.coordinate),
                                 limits->lower, limits->upper));
  }
}

void driven_twice(Linter& l) {
  std::map<std::pair<int, int>, int> servos;
  for (const Actuator& a : l.model().actuators) {
    const Joint& joint = l.model().joints[a.joint];
    const auto& motor = l.model().extras_of(joint).motor;
    if (motor && motor->coordinate == a.coordinate)
      l.say(a.joint,
            fmt::format("{} has a motor that prescribes its velocity, and an actuator", l.name(a.joint, a.coordinate)));
    if (a.kind == Actuator::Kind::position && ++servos[{a.joint.value(), a.coordinate}] == 2)
      l.say(a.joint, fmt::format("{} has two position actuators", l.name(a.joint, a.coordinate)));
  }
}

}  // namespace catena::rules
