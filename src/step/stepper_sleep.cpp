// What a stepper does where bodies sleep (sleep.h).
#include "catena/contact/warm_start.h"
#include "catena/step/stepper.h"

namespace catena {
namespace {

bool are_same(const std::vector<Rest>& x, const std::vector<Rest>& y) {
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [](const Rest& a, const Rest& b) {
           return a.island == b.island && a.bits == b.bits;
         });
}

}  // namespace

void Stepper::leave_out_sleepers(StepContext& context) const {
  if (!context.laws) return;
  const std::vector<char> none;
  const std::vector<char>& asleep = sleep_->count() > 0 ? sleep_->asleep() : none;
  if (context.laws->left_out() != asleep) context.leave_out(asleep);
}

// Other bodies sleep than in the last step, or elsewhere: what they are pushed with there is read from the state's impulses, so that a restored state
// shows the same.
void Stepper::follow_sleepers(const State& state) {
  if (are_same(kept_.rests, state.rests)) return;
  kept_.rests = state.rests;
  kept_.forces.clear();
  kept_.impulses.clear();
  kept_.load.assign(state.bodies.size(), BodyVector{});
  for (Scheme& scheme : schemes_)
    if (scheme.loop) scheme.loop->context().leave_out({});
  StepContext& context = first().context();
  if (sleep_->count() == 0 || !context.laws) return;
  Kinematics& kinematics = context.dynamics.kinematics();
  kinematics.update(context.model(), state);
  context.find_laws(0);
  const auto sleeps = [&](BodyId body) { return body.valid() && sleep_->asleep()[body] != 0; };
  ContactReport report;
  for (const LawBlock& block : context.laws->rows().blocks) {
    if (!sleeps(block.a) && !sleeps(block.b)) continue;
    std::array<double, 3> force{};
    bool pushes = false;
    for (int from = 0; from < block.size; from += 3) {
      const WarmImpulse* warm = remembered(state, warm_key(block.key, from));
      if (!warm) continue;
      pushes = true;
      kept_.impulses.push_back(*warm);
      force = warm->z;
      for (int i = from; i < std::min(block.size, from + 3); ++i)
        add_force(context.laws->rows(), block, context.laws->rows().rows[static_cast<std::size_t>(block.first + i)],
                  warm->z[static_cast<std::size_t>(i - from)], kept_.load);
    }
    if (pushes && block.kind == LawKind::contact) report.add(*context.laws, block, force, {});
  }
  report.replace_by_part();
  kept_.forces = report.forces();
}

// Time passes, and nothing else.
StepReport Stepper::step_resting(double h, State& state) {
  StepContext& context = last();
  context.report = {};
  context.impacts.clear();
  context.contacts.clear();
  context.contacts.add(kept_.forces);
  context.load = kept_.load;
  state.time += h;
  StepReport report;
  report.time = state.time;
  report.contacts = static_cast<int>(kept_.forces.size());
  report.asleep = sleep_->count();
  return report;
}

void Stepper::keep_sleepers(const State& before, State& state) {
  static const std::vector<Contact> none;
  StepContext& context = last();
  if (sleep_->count() > 0) {
    context.contacts.add(kept_.forces);
    for (std::size_t i = 0; i < kept_.load.size(); ++i) context.load[i] += kept_.load[i];
    state.impulses.insert(state.impulses.end(), kept_.impulses.begin(), kept_.impulses.end());
    sort_impulses(state);
  }
  const double h = state.time - before.time, energy = context.dynamics.kinetic_energy(state);
  if (!sleep_->end(h, before, context.laws ? context.laws->contacts() : none, state)) return;
  state.ledger.numerical += context.dynamics.kinetic_energy(state) - energy;
  // Where the method's own coordinates put the bodies is where they sleep.
  state.q.clear();
  state.qd.clear();
  first().method().forget();
  first().method().place(state);
  sleep_->seal(state);
}

}  // namespace catena
