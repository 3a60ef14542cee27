#include "catena/step/step_loop.h"

#include <algorithm>

#include "catena/math/assert.h"
#include "catena/step/impulse.h"
#include "catena/step/lagrange.h"
#include "catena/step/velocity_method.h"

namespace catena {
namespace {

std::unique_ptr<StepMethod> make_method(StepContext& context, const Model& full, const State& initial, bool always) {
  switch (context.settings.method) {
    case Method::spook:
    case Method::operational: return std::make_unique<VelocityMethod>(context, full, initial, always);
    case Method::impulse: return std::make_unique<ImpulseMethod>(context, full, initial);
    default: return std::make_unique<LagrangeMethod>(context, initial);
  }
}

}  // namespace

StepLoop::StepLoop(const Model& model, const SharedState& initial, const Settings& settings, bool always)
    : context_(model, initial, Formulations::adjusted(settings)),
      method_(make_method(context_, model, *initial, always)),
      before_(*initial),
      before_part_(*initial) {}

void StepLoop::take(double h, State& state) {
  StepContext& c = context_;
  c.report = {};
  c.impacts.clear();
  c.contacts.clear();
  CATENA_ASSERT(h > 0 && state.bodies.size() == c.model().bodies.size());
  before_ = state;
  method_->begin(h, state);
  double left = h, most = h;
  for (int number = 0; left > 0 && c.goes_on(before_); ++number) {
    if (number > 0) method_->place(state);  // kinematics, mechanism
    c.find_laws(left);                      // one search a set of positions
    if (c.touches_sleepers(left)) return;
    PartOfStep part = method_->plan(number);   // cut, swept?
    if (part.cut) throw_back(h, left, state);  // impacts
    before_part_ = state;
    part.h = length_of(part, left, most);
    const double done = method_->advance(part, before_part_, state);  // the method's own, to the time of meeting
    CATENA_ASSERT(!c.report.ok() || (done >= 0 && done <= part.h));
    if (done == 0 && c.report.ok()) continue;
    left -= done;
    if (left < c.tuning.parts.shortest_part * h) {  // a rest this short would be rounding only
      state.time += left;
      left = 0;
    }
    Closing closing;
    if (c.report.ok() && !c.find_not_finite(state, before_.time)) closing = method_->close(state);
    if (method_->is_refused(part, done, closing, before_part_, state)) {
      if (!c.report.ok()) return;
      ++c.report.halvings;
      state = before_part_;
      c.contacts.drop_part();
      left += done;
      most = done / 2;
      continue;
    }
    if (!c.report.ok()) return;
    c.contacts.merge_part(done / h);
    c.report.drift_position = std::max(c.report.drift_position, closing.position);
    c.report.drift_angle = std::max(c.report.drift_angle, closing.angle);
    method_->separate(left > 0 ? left : h, before_part_, state);
  }
  if (!c.report.ok()) return;
  method_->end(h, before_, state);
  if (c.laws) c.report.contacts = static_cast<int>(c.laws->contacts().size());
}

// Bodies that touch and come together faster than the method allows rebound before the part begins.
void StepLoop::throw_back(double h, double ahead, State& state) {
  StepContext& c = context_;
  if (!c.laws || !c.impacts.meeting(*c.laws, method_->slowest_impact())) return;
  const std::size_t known = c.impacts.list().size();
  Mechanism& mechanism = method_->factored_mechanism(state);
  const ImpactReport impact = c.impacts.throw_back(
      *c.laws, mechanism, method_->facets(),
      [&](const solve::Problem& problem) { return method_->answer_impact(problem); }, state);
  c.report.complementarity = std::max(c.report.complementarity, impact.residual);
  if (impact.residual > solve::Options{}.acceptable) ++c.report.swept;
  if (impact.listed) ++c.report.impacts;
  for (std::size_t k = known; k < c.impacts.list().size(); ++k) c.contacts.add(c.impacts.list()[k], h);
  method_->place(state);
  c.find_laws(ahead);
}

// So long that bodies that would be past each other at its end are met in the middle of it.
double StepLoop::length_of(const PartOfStep& part, double left, double most) {
  double length = std::min(left, most);
  if (!context_.laws || !part.watched) return length;
  const double passing = context_.laws->time_to_pass(context_.dynamics.kinematics(), left);
  return std::min(length, std::max(passing, context_.tuning.parts.shortest_part * context_.settings.step));
}

}  // namespace catena
