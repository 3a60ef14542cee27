#include "catena/serve/hand.h"

namespace catena {
namespace {

constexpr double kPullRate = 14;  // 1/s: how fast a dragged point follows the cursor

}  // namespace

Manipulator& Hand::manipulator(const State& start, const Simulation& simulation) {
  if (!manipulator_)
    manipulator_ = std::make_unique<Manipulator>(simulation.model(), start, simulation.settings().method.solver());
  return *manipulator_;
}

void Hand::pull(const DragCommand& command, const State& start, Simulation& simulation) {
  Manipulator& with = manipulator(start, simulation);
  if (pull_ && pull_->command.body != command.body) let_go(simulation);
  const double mass =
      pull_ ? pull_->mass : with.effective_mass(BodyId(command.body), command.point, simulation.state());
  pull_ = Pull{command, mass};
}

State Hand::lead(const DragCommand& command, const State& start, const Simulation& simulation) {
  State state = simulation.state();
  manipulator(start, simulation).pull(BodyId(command.body), command.point, command.target, state);
  return state;
}

void Hand::apply(Simulation& simulation) const {
  if (!pull_) return;
  const BodyId body(pull_->command.body);
  const BodyState& s = simulation.body(body);
  const Vec3 arm = s.scale * rotate(s.orientation, pull_->command.point);
  const Vec3 velocity = s.velocity + cross(s.angular_velocity, arm);
  const Vec3 stretch = pull_->command.target - (s.position + arm);
  const Vec3 force = pull_->mass * (kPullRate * kPullRate * stretch - 2 * kPullRate * velocity);
  const BodyVector wrench = restricted(simulation.model().bodies[body].kind, {force, cross(arm, force), 0});
  simulation.set_force(body, wrench.linear, wrench.angular);
}

void Hand::let_go(Simulation& simulation) {
  if (pull_) simulation.set_force(BodyId(pull_->command.body), {}, {});
  pull_.reset();
}

}  // namespace catena
