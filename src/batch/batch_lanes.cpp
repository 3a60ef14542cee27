#include "catena/batch/batch_lanes.h"

#include <algorithm>

namespace catena {

std::unique_ptr<Batch::Impl::Lanes> Batch::Impl::Lanes::make(Simulation& simulation, std::string& why) {
  Simulation::Impl& inside = *simulation.impl_;
  why.clear();
  if (!inside.switching.empty() || !inside.state.attachments.empty()) why = "joints attach and let go";
  else if (!inside.guided.empty()) why = "bodies are led by hand";
  else if (inside.active) why = "controls have activations or signals";
  else if (!inside.stepper->dynamics().forces().kinks().empty()) why = "forces begin, end or bend at given times";
  if (!why.empty()) return nullptr;
  const std::optional<PlainStep> plain = inside.stepper->plain_step(why);
  if (plain) why = LaneStep::why_never(*plain);
  return why.empty() ? std::make_unique<Lanes>(simulation, std::make_unique<LaneStep>(*plain)) : nullptr;
}

Batch::Impl::Lanes::Lanes(Simulation& simulation, std::unique_ptr<LaneStep> of)
    : simulation_(simulation), step_(std::move(of)), targets_(static_cast<std::size_t>(simulation.layout().n_v())) {
  const Layout& layout = simulation.layout();
  const Model& model = simulation.model();
  controlled_ = !model.actuators.empty();
  for (std::size_t i = 0; i < layout.floating().size(); ++i)
    for (int k = 0; k < 6; ++k)
      targets_[static_cast<std::size_t>(layout.of_floating(i).v + k)] = {-1, layout.floating()[i], k};
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Layout::Slot& slot = layout.of(JointId(j));
    for (int k = 0; k < slot.n_v; ++k)
      targets_[static_cast<std::size_t>(slot.v + k)] = {step_->rate_of(JointId(j)) + k, {}, 0};
  }
}

// What drives a world, as Simulation::Impl::load_forces() gives it to its own.
void Batch::Impl::Lanes::drive(Impl& all, int lane, std::span<const double> ctrl, std::span<const double> tau) {
  at(lane).ctrl = ctrl;
  at(lane).tau = tau;
  for (std::size_t i = 0; i < tau.size(); ++i) {
    const Target& target = targets_[i];
    if (target.rate >= 0) step_->push(lane, target.rate, tau[i]);
    else step_->push_body(lane, target.body, target.component, tau[i]);
  }
  if (!controlled_) return;
  Impl::drive(simulation_, ctrl, tau);
  simulation_.impl_->load_inputs();
  const std::vector<double>& control = simulation_.impl_->stepper->dynamics().forces().control;
  for (std::size_t i = 0; i < all.model->actuators.size(); ++i)
    step_->set_control(lane, static_cast<int>(i), control[i]);
}

// Brings worlds that are in no lane into theirs, where their states carry the coordinates they are at.
void Batch::Impl::Lanes::load(Impl& all) {
  const auto wanted = [](const Lane& lane) { return lane.well && !lane.loaded; };
  if (std::none_of(lanes_.begin(), lanes_.end(), wanted)) return;
  bool placed = true;  // no state was touched since a lane left it
  int source = -1;     // a lane that holds a world
  for (int lane = 0; lane < kWorldLanes; ++lane) {
    if (wanted(at(lane))) {
      World& world = all.worlds[world_of(lane)];
      at(lane).loaded = step_->load(lane, world.state);
      at(lane).moved = false;
      if (world.is_placed) step_->set_energy(lane, world.energy);
      else placed = false;
    }
    if (at(lane).loaded) source = lane;
  }
  if (source < 0) return;
  // Lanes without a world do what another one does.
  for (int lane = 0; lane < kWorldLanes; ++lane) {
    if (at(lane).loaded) continue;
    step_->load(lane, state_of(all, source));
    step_->set_energy(lane, step_->energy(source));
  }
  if (placed) return;
  const LaneBits in_place = step_->place();
  for (int lane = 0; lane < kWorldLanes; ++lane)
    if ((in_place >> lane & 1U) == 0) at(lane).loaded = false;
}

// A world's state, from its lane.
void Batch::Impl::Lanes::store(Impl& all, int lane) {
  if (!at(lane).loaded || !at(lane).moved) return;
  World& world = all.worlds[world_of(lane)];
  step_->store(lane, world.state);
  world.state.impulses.clear();
  world.energy = step_->energy(lane);
  world.is_placed = true;
}

void Batch::Impl::Lanes::leave(Impl& all, int lane) {
  store(all, lane);
  at(lane).loaded = false;
}

void Batch::Impl::Lanes::take_alone(Impl& all, int lane) {
  leave(all, lane);
  World& world = all.worlds[world_of(lane)];
  world.is_placed = false;
  exchange(simulation_, world.state);
  Impl::drive(simulation_, at(lane).ctrl, at(lane).tau);
  all.step(world_of(lane), simulation_, 1);
  exchange(simulation_, world.state);
  at(lane).well = all.status[world_of(lane)] == Status::ok;
  ++steps_alone;
}

// One step of all worlds that are well.
void Batch::Impl::Lanes::take(Impl& all) {
  load(all);
  const bool any = std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.loaded && lane.well; });
  const LaneBits plain = any ? step_->take(simulation_.settings().step) : 0;
  for (int lane = 0; lane < kWorldLanes; ++lane) {
    if (!at(lane).well) continue;
    if (!at(lane).loaded || (plain >> lane & 1U) == 0) {
      take_alone(all, lane);
      continue;
    }
    State& state = state_of(all, lane);
    state.time = simulation_.impl_->next_counted(state);
    ++state.clock.steps;
    at(lane).moved = true;
    ++steps_in_lanes;
  }
  if (any) step_->next();
}

void Batch::Impl::Lanes::show(Impl& all, int lane) {
  const std::size_t world = world_of(lane);
  State& state = state_of(all, lane);
  all.time[world] = state.time;
  if (!all.readings.shown && simulation_.impl_->read_carried(state, all.row(all.q, world, all.n_q).data(),
                                                             all.row(all.v, world, all.n_v).data()))
    return;
  exchange(simulation_, state);
  if (all.readings.shown) Impl::drive(simulation_, at(lane).ctrl, at(lane).tau);
  all.show(world, simulation_);
  exchange(simulation_, state);
}

void Batch::Impl::Lanes::step(Impl& all, std::size_t first, std::size_t last, long count) {
  first_ = first;
  for (int lane = 0; lane < kWorldLanes; ++lane) {
    at(lane) = {.well = world_of(lane) < last && all.begin(world_of(lane))};
    if (at(lane).well)
      drive(all, lane, all.row(all.ctrl, world_of(lane), all.n_u), all.row(all.tau, world_of(lane), all.n_v));
  }
  const std::array<Lane, kBlock> begun = lanes_;
  for (long k = 0; k < count; ++k) take(all);
  for (int lane = 0; lane < kWorldLanes; ++lane) {
    leave(all, lane);
    if (begun[static_cast<std::size_t>(lane)].well) show(all, lane);
  }
}

// Time, q and v of a world to a row of a rollout.
void Batch::Impl::Lanes::record(Impl& all, int lane, double* row) {
  store(all, lane);
  State& state = state_of(all, lane);
  row[0] = state.time;
  if (simulation_.impl_->read_carried(state, row + 1, row + 1 + all.n_q)) return;
  exchange(simulation_, state);
  std::ranges::copy(simulation_.q(), row + 1);
  std::ranges::copy(simulation_.v(), row + 1 + all.n_q);
  exchange(simulation_, state);
}

void Batch::Impl::Lanes::roll(Impl& all, std::size_t first, std::size_t last, const RolloutInput& given,
                              std::span<double> out) {
  first_ = first;
  const std::size_t width = 1 + all.n_q + all.n_v;
  const int worlds = static_cast<int>(last - first);
  for (int lane = 0; lane < kWorldLanes; ++lane)
    at(lane) = {.well = lane < worlds && all.status[world_of(lane)] == Status::ok};
  for (std::size_t k = 0; k < given.steps; ++k) {
    for (int lane = 0; lane < worlds; ++lane)
      drive(all, lane, all.ctrl_of(world_of(lane), k, given), all.tau_of(world_of(lane), k, given));
    take(all);
    for (int lane = 0; lane < worlds; ++lane)
      record(all, lane, out.data() + (world_of(lane) * given.steps + k) * width);
  }
  for (int lane = 0; lane < worlds; ++lane) {
    leave(all, lane);
    show(all, lane);
  }
}

}  // namespace catena
