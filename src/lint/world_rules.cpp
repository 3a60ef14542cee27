// Rules about the scene as a whole: units, gravity, speeds, what holds what.
#include <algorithm>
#include <set>

#include "catena/lint/linter.h"

namespace catena::rules {

void millimetres(Linter& l) {
  constexpr double kLarge = 100;  // m
  for (const Body& body : l.model().bodies) {
    double most = 0;
    for (const Shape& shape : body.shapes) most = std::max(most, reach(shape));
    if (most > kLarge)
      l.say(fmt::format("body '{}' has shapes that reach {:.3g} m from its centre of mass", body.name, most));
  }
  for (std::size_t j = 0; j < l.model().joints.size(); ++j) {
    const Joint& joint = l.model().joints[j];
    const double arm = std::max(joint.a.valid() ? norm(joint.anchor_a) : 0, joint.b.valid() ? norm(joint.anchor_b) : 0);
    if (arm > kLarge)
      l.say(JointId{j},
            fmt::format("joint '{}' is {:.3g} m from the centre of mass of a body it joins", joint.name, arm));
  }
}

void gravity_odd(Linter& l) {
  const double g = norm(l.model().gravity);
  if (g > 30 || (g > 0 && g < 0.1)) l.say(fmt::format("gravity is {:.4g} m/s2", g));
}

void fast_start(Linter& l) {
  for (std::size_t i = 0; i < l.initial().bodies.size(); ++i) {
    const BodyState& s = l.initial().bodies[i];
    const double v = norm(s.velocity), w = norm(s.angular_velocity);
    if (v > 1000) l.say(fmt::format("body '{}' starts at {:.4g} m/s", l.model().bodies[i].name, v));
    if (w > 1e4) l.say(fmt::format("body '{}' starts turning at {:.4g} rad/s", l.model().bodies[i].name, w));
  }
}

// Of scenes in which something else is held: a scene of free bodies alone is about free bodies.
void falls_forever(Linter& l) {
  const Model& model = l.model();
  if (norm(model.gravity) == 0 || (model.joints.empty() && model.ground_shapes.empty())) return;
  std::vector<char> held(model.bodies.size());
  const auto hold = [&](BodyId body) {
    if (body.valid()) held[body] = 1;
  };
  for (const Joint& joint : model.joints) {
    hold(joint.a), hold(joint.b);
    for (const CouplingRow& row : model.extras_of(joint).rows)
      for (const CouplingTerm& term : row.terms) hold(term.body);
  }
  for (const Spring& spring : model.springs) hold(spring.a), hold(spring.b);
  for (const ExternalForce& force : model.forces) hold(force.body);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const bool touches = std::any_of(body.shapes.begin(), body.shapes.end(), [](const Shape& s) { return s.collide; });
    if (!held[i] && !touches && body.kind != BodyKind::form)
      l.say(fmt::format("body '{}' has no joint, no spring, no force and no shape that collides", body.name));
  }
}

void sample_below_step(Linter& l) {
  const Settings& s = l.settings();
  if (s.sample > 0 && s.sample < s.step)
    l.say(fmt::format("samples are {:.3g} s apart and steps {:.3g} s", s.sample, s.step));
  if (s.duration > 0 && s.duration < s.step)
    l.say(fmt::format("the run of {:.3g} s is shorter than a step of {:.3g} s", s.duration, s.step));
}

void bad_names(Linter& l) {
  const auto look = [&](const char* what, const std::string& name) {
    if (name.find_first_of(",\"\n\t") != std::string::npos)
      l.say(fmt::format("{} '{}': a comma, quote or tab in a name breaks the columns of a CSV file", what, name));
  };
  for (const Body& body : l.model().bodies) look("body", body.name);
  for (const Joint& joint : l.model().joints) look("joint", joint.name);
}

}  // namespace catena::rules
