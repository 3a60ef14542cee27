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
  std::unique_ptr<LaneStep> step = why.empty() ? inside.stepper->lanes(why) : nullptr;
  return step ? std::make_unique<Lanes>(simulation, std::move(step)) : nullptr;
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
void Batch::Impl::Lanes::drive(Impl& all, int lane) {
  const std::size_t world = first_ + static_cast<std::size_t>(lane);
  const std::span<const double> tau = all.row(all.tau, world, all.n_v);
  for (std::size_t i = 0; i < tau.size(); ++i) {
    const Target& target = targets_[i];
    if (target.rate >= 0) step_->push(lane, target.rate, tau[i]);
    else step_->push_body(lane, target.body, target.component, tau[i]);
  }
  if (!controlled_) return;
  Impl::drive(simulation_, all.row(all.ctrl, world, all.n_u), tau);
  simulation_.impl_->load_inputs();
  const std::vector<double>& control = simulation_.impl_->stepper->dynamics().forces().control;
  for (std::size_t i = 0; i < all.model->actuators.size(); ++i)
    step_->set_control(lane, static_cast<int>(i), control[i]);
}

// Brings worlds that are in no lane into theirs, where their states carry the coordinates they are at.
void Batch::Impl::Lanes::load(Impl& all) {
  const auto wanted = [](const Lane& lane) { return lane.well && !lane.loaded; };
  if (std::none_of(lanes_.begin(), lanes_.end(), wanted)) return;
  int source = -1;  // a lane that holds a world
  for (int lane = 0; lane < kWorldLanes; ++lane) {
    Lane& mine = lanes_[static_cast<std::size_t>(lane)];
    if (wanted(mine)) {
      mine.loaded = step_->load(lane, state_of(all, lane));
      mine.moved = false;
    }
    if (mine.loaded) source = lane;
  }
  if (source < 0) return;
  // Lanes without a world do what another one does.
  for (int lane = 0; lane < kWorldLanes; ++lane)
    if (!lanes_[static_cast<std::size_t>(lane)].loaded) step_->load(lane, state_of(all, source));
  const LaneBits placed = step_->place();
  for (int lane = 0; lane < kWorldLanes; ++lane)
    if ((placed >> lane & 1U) == 0) lanes_[static_cast<std::size_t>(lane)].loaded = false;
}

// A world's state, from its lane.
void Batch::Impl::Lanes::leave(Impl& all, int lane) {
  Lane& mine = lanes_[static_cast<std::size_t>(lane)];
  if (mine.loaded && mine.moved) {
    step_->store(lane, state_of(all, lane));
    state_of(all, lane).impulses.clear();
  }
  mine.loaded = false;
}

void Batch::Impl::Lanes::take_alone(Impl& all, int lane) {
  const std::size_t world = first_ + static_cast<std::size_t>(lane);
  leave(all, lane);
  all.step_alone(world, simulation_, 1);
  lanes_[static_cast<std::size_t>(lane)].well = all.status[world] == Status::ok;
  ++steps_alone;
}

void Batch::Impl::Lanes::show(Impl& all, int lane) {
  const std::size_t world = first_ + static_cast<std::size_t>(lane);
  State& state = state_of(all, lane);
  all.time[world] = state.time;
  if (!all.readings.shown && simulation_.impl_->read_carried(state, all.row(all.q, world, all.n_q).data(),
                                                             all.row(all.v, world, all.n_v).data()))
    return;
  exchange(simulation_, state);
  all.show_driven(world, simulation_);
  exchange(simulation_, state);
}

void Batch::Impl::Lanes::step(Impl& all, std::size_t first, std::size_t last, long count) {
  first_ = first;
  const double h = all.crew.front().settings().step;
  LaneBits taken = 0;
  for (int lane = 0; lane < kWorldLanes; ++lane) {
    const std::size_t world = first + static_cast<std::size_t>(lane);
    lanes_[static_cast<std::size_t>(lane)] = {.well = world < last && all.begin(world)};
    if (lanes_[static_cast<std::size_t>(lane)].well) {
      taken |= 1U << lane;
      drive(all, lane);
    }
  }
  for (long k = 0; k < count; ++k) {
    load(all);
    const bool any =
        std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.loaded && lane.well; });
    const LaneBits plain = any ? step_->take(h) : 0;
    for (int lane = 0; lane < kWorldLanes; ++lane) {
      Lane& mine = lanes_[static_cast<std::size_t>(lane)];
      if (!mine.well) continue;
      if (!mine.loaded || (plain >> lane & 1U) == 0) {
        take_alone(all, lane);
        continue;
      }
      State& state = state_of(all, lane);
      state.time = simulation_.impl_->next_counted(state);
      ++state.clock.steps;
      mine.moved = true;
      ++steps_in_lanes;
    }
    if (any) step_->next();
  }
  for (int lane = 0; lane < kWorldLanes; ++lane) {
    leave(all, lane);
    if ((taken >> lane & 1U) != 0) show(all, lane);
  }
}

}  // namespace catena
