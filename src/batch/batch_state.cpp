// Putting the worlds of a batch somewhere, rolling them out, and their parameters.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "catena/batch/batch_lanes.h"
#include "catena/batch/parameter.h"
#include "catena/model/validate.h"

namespace catena {
namespace {

void check_size(std::size_t given, std::size_t due, const char* what) {
  if (given != due) throw InputError(fmt::format("{}: {} numbers are expected, {} were given", what, due, given));
}

void check_finite(std::span<const double> numbers, std::size_t width, const char* what) {
  if (const long at = first_not_finite(numbers); at >= 0)
    throw InputError(fmt::format("{}: number {} of world {} is not finite", what, static_cast<std::size_t>(at) % width,
                                 static_cast<std::size_t>(at) / width));
}

bool chosen(std::span<const unsigned char> mask, std::size_t world) { return mask.empty() || mask[world] != 0; }

// Of what went wrong in several worlds, that of the first: the same whatever thread met it.
class FirstError {
 public:
  void note(std::size_t world, const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (world >= world_) return;
    world_ = world;
    why_ = why;
  }
  void rethrow() const {
    if (world_ != kNone) throw InputError(fmt::format("world {}: {}", world_, why_));
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::mutex mutex_;
  std::size_t world_ = kNone;
  std::string why_;
};

}  // namespace

void Batch::Impl::check_world(std::size_t world) const {
  if (world >= worlds.size())
    throw InputError(fmt::format("there is no world {}; the batch has {}", world, worlds.size()));
}

void Batch::Impl::check_mask(std::span<const unsigned char> mask) const {
  if (!mask.empty()) check_size(mask.size(), worlds.size(), "reset(), mask");
}

void Batch::Impl::restart(std::size_t world) {
  status[world] = Status::ok;
  worlds[world].is_placed = false;
  worlds[world].message.clear();
  residual[world] = drift[world] = 0;
  contacts[world] = 0;
  std::ranges::fill(row(tau, world, n_v), 0.0);
  std::ranges::copy(first_ctrl, row(ctrl, world, n_u).begin());
}

bool Batch::Impl::place(std::size_t world, Simulation& simulation, std::span<const double> at,
                        std::span<const double> rates, bool restarts, std::string& why) {
  State next = initial_of(world);
  exchange(simulation, next);
  bool good = true;
  try {
    simulation.set_coordinates(at, rates);
    if (restarts) restart(world);
    show_driven(world, simulation);
  } catch (const InputError& error) {
    why = error.what();
    good = false;
  }
  exchange(simulation, next);
  if (good) {
    worlds[world].state = std::move(next);
    worlds[world].is_placed = false;
  }
  return good;
}

void Batch::reset(std::span<const unsigned char> mask) {
  Impl& all = *impl_;
  all.check_mask(mask);
  all.for_each([&](std::size_t i, Simulation& simulation) {
    if (!chosen(mask, i)) return;
    all.worlds[i].state = all.initial_of(i);
    all.restart(i);
    Impl::exchange(simulation, all.worlds[i].state);
    all.show_driven(i, simulation);
    Impl::exchange(simulation, all.worlds[i].state);
  });
}

void Batch::reset(std::span<const unsigned char> mask, std::span<const State> states) {
  Impl& all = *impl_;
  all.check_mask(mask);
  check_size(states.size(), size(), "reset(), states");
  FirstError error;
  all.for_each([&](std::size_t i, Simulation& simulation) {
    if (!chosen(mask, i)) return;
    try {
      simulation.set_state(states[i]);
    } catch (const InputError& wrong) {
      return error.note(i, wrong.what());
    }
    all.worlds[i].state = simulation.state();
    all.restart(i);
    all.show_driven(i, simulation);
  });
  error.rethrow();
}

void Batch::reset(std::span<const unsigned char> mask, std::span<const double> q, std::span<const double> v) {
  Impl& all = *impl_;
  all.check_mask(mask);
  check_size(q.size(), size() * n_q(), "reset(), q");
  check_size(v.size(), size() * n_v(), "reset(), v");
  FirstError error;
  all.for_each([&](std::size_t i, Simulation& simulation) {
    if (!chosen(mask, i)) return;
    std::string why;
    if (!all.place(i, simulation, q.subspan(i * n_q(), n_q()), v.subspan(i * n_v(), n_v()), true, why))
      error.note(i, why);
  });
  error.rethrow();
}

void Batch::rollout(const RolloutInput& given, std::span<double> out) {
  Impl& all = *impl_;
  const std::size_t n = size(), width = n_state();
  check_size(out.size(), n * given.steps * width, "rollout(), out");
  if (!given.states.empty()) check_size(given.states.size(), n * width, "rollout(), states");
  if (!given.ctrl.empty()) check_size(given.ctrl.size(), n * given.steps * n_u(), "rollout(), ctrl");
  if (!given.tau.empty()) check_size(given.tau.size(), n * given.steps * n_v(), "rollout(), tau");
  check_finite(given.states, width, "rollout(), states");
  check_finite(given.ctrl, given.steps * n_u(), "rollout(), ctrl");
  check_finite(given.tau, given.steps * n_v(), "rollout(), tau");
  if (given.ctrl.empty()) check_finite(all.ctrl, n_u(), "ctrl");
  if (given.tau.empty()) check_finite(all.tau, n_v(), "tau");

  if (!given.states.empty()) {
    all.for_each([&](std::size_t i, Simulation& simulation) {
      const std::span<const double> start = given.states.subspan(i * width, width);
      std::string why;
      all.status[i] = Status::ok;
      all.worlds[i].message.clear();
      if (all.place(i, simulation, start.subspan(1, n_q()), start.subspan(1 + n_q()), false, why)) {
        all.worlds[i].state.time = all.time[i] = start[0];
      } else {
        all.fail(i, Status::not_converged, why);
      }
    });
  }
  std::ranges::fill(all.residual, 0.0);
  std::ranges::fill(all.drift, 0.0);
  std::ranges::fill(all.contacts, 0);
  all.for_each_block([&](std::size_t first, std::size_t last, std::size_t member) {
    if (all.may_use_lanes(first, last)) return all.lanes[member]->roll(all, first, last, given, out);
    for (std::size_t i = first; i < last; ++i) {
      all.steps_alone[member] += static_cast<long>(given.steps);
      all.roll_alone(i, all.worlds[i].own ? all.worlds[i].own->simulation : all.crew[member], given, out);
    }
  });
}

std::span<const double> Batch::Impl::ctrl_of(std::size_t world, std::size_t k, const RolloutInput& given) {
  return given.ctrl.empty() ? row(ctrl, world, n_u) : given.ctrl.subspan((world * given.steps + k) * n_u, n_u);
}

std::span<const double> Batch::Impl::tau_of(std::size_t world, std::size_t k, const RolloutInput& given) {
  return given.tau.empty() ? row(tau, world, n_v) : given.tau.subspan((world * given.steps + k) * n_v, n_v);
}

void Batch::Impl::roll_alone(std::size_t world, Simulation& simulation, const RolloutInput& given,
                             std::span<double> out) {
  worlds[world].is_placed = false;
  exchange(simulation, worlds[world].state);
  const std::size_t width = 1 + n_q + n_v;
  double* to = out.data() + world * given.steps * width;
  for (std::size_t k = 0; k < given.steps; ++k, to += width) {
    drive(simulation, ctrl_of(world, k, given), tau_of(world, k, given));
    step(world, simulation, 1);
    to[0] = simulation.time();
    std::ranges::copy(simulation.q(), to + 1);
    std::ranges::copy(simulation.v(), to + 1 + n_q);
  }
  show(world, simulation);
  exchange(simulation, worlds[world].state);
}

void Batch::energy(std::span<double> kinetic, std::span<double> potential) {
  Impl& all = *impl_;
  check_size(kinetic.size(), size(), "energy(), kinetic");
  check_size(potential.size(), size(), "energy(), potential");
  all.for_each([&](std::size_t i, Simulation& simulation) {
    Impl::exchange(simulation, all.worlds[i].state);
    const Energy energy = simulation.energy();
    kinetic[i] = energy.kinetic;
    potential[i] = energy.potential;
    Impl::exchange(simulation, all.worlds[i].state);
  });
}

std::vector<double> Batch::parameter(std::string_view path) const {
  std::vector<double> out(size(), catena::parameter(*impl_->model, path));
  for (std::size_t i = 0; i < size(); ++i)
    if (const auto& own = impl_->worlds[i].own) out[i] = catena::parameter(own->simulation.model(), path);
  return out;
}

void Batch::set_parameter(std::string_view path, std::span<const double> values) {
  Impl& all = *impl_;
  check_size(values.size(), size(), "set_parameter()");
  check_finite(values, 1, "set_parameter()");
  const std::vector<double> now = parameter(path);
  std::vector<std::unique_ptr<Impl::Own>> made(size());
  FirstError error;
  all.for_each([&](std::size_t i, Simulation& simulation) {
    if (values[i] == now[i]) return;
    try {
      auto model = std::make_shared<Model>(simulation.model());
      catena::set_parameter(*model, path, values[i]);
      State first = all.first;
      for (const Finding& finding : inspect(*model, first))
        if (finding.error) throw InputError(finding.message);
      Simulation own(std::shared_ptr<const Model>(std::move(model)), all.first, simulation.settings());
      const State initial = own.state();
      made[i] = std::make_unique<Impl::Own>(Impl::Own{std::move(own), initial});
    } catch (const InputError& wrong) {
      error.note(i, wrong.what());
    }
  });
  error.rethrow();
  for (std::size_t i = 0; i < size(); ++i)
    if (made[i]) all.worlds[i].own = std::move(made[i]);
}

}  // namespace catena
