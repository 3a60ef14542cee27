// Building a batch, stepping it, showing it.
#include "catena/batch/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "catena/batch/batch_impl.h"
#include "catena/batch/batch_lanes.h"
#include "catena/simulation/sensors.h"

namespace catena {
namespace {

constexpr std::size_t kMostWorlds = 100'000'000;
constexpr int kMostThreads = 4096;

template <class T>
std::size_t bytes(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}

}  // namespace

long first_not_finite(std::span<const double> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i])) return static_cast<long>(i);
  return -1;
}

Batch::Impl::Impl(std::shared_ptr<const Model> shared, const State& given, const Settings& asked, std::size_t count,
                  int threads)
    : model(std::move(shared)), first(given) {
  if (count == 0 || count > kMostWorlds)
    throw InputError(fmt::format("a batch of {} worlds: 1 to {} are expected", count, kMostWorlds));
  if (threads < 1 || threads > kMostThreads)
    throw InputError(fmt::format("a batch with {} threads: 1 to {} are expected", threads, kMostThreads));
  Settings settings = asked;
  settings.threads = 1;
  for (int i = 0; i < threads; ++i) crew.emplace_back(model, first, settings);
  steps_alone.resize(crew.size());
  for (Simulation& simulation : crew)
    if (std::unique_ptr<Lanes> mine = Lanes::make(simulation, why_no_lanes)) lanes.push_back(std::move(mine));
  if (threads > 1) {
    allowed = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    static_cast<std::size_t>(threads));
    arena = std::make_unique<tbb::task_arena>(threads);
  }
  initial = crew.front().state();
  n_q = static_cast<std::size_t>(crew.front().layout().n_q());
  n_v = static_cast<std::size_t>(crew.front().layout().n_v());
  first_ctrl.assign(crew.front().ctrl().begin(), crew.front().ctrl().end());
  n_u = first_ctrl.size();
  worlds.resize(count);
  q.resize(count * n_q);
  v.resize(count * n_v);
  tau.resize(count * n_v);
  ctrl.resize(count * n_u);
  for (std::vector<double>* list : {&time, &residual, &drift}) list->resize(count);
  contacts.resize(count);
  status.resize(count, Status::ok);
  readings.first.assign(1, 0);
  for (const Sensor& sensor : model->sensors)
    readings.first.push_back(readings.first.back() + static_cast<std::size_t>(reading_size(sensor)));
  show(0, crew.front());
  for (std::size_t i = 0; i < count; ++i) {
    worlds[i].state = initial;
    time[i] = time[0];
    std::copy_n(q.data(), n_q, q.data() + i * n_q);
    std::copy_n(v.data(), n_v, v.data() + i * n_v);
    std::copy_n(first_ctrl.data(), n_u, ctrl.data() + i * n_u);
  }
}

Batch::Impl::~Impl() = default;

void Batch::Impl::exchange(Simulation& simulation, State& state) {
  Simulation::Impl& inside = *simulation.impl_;
  std::swap(inside.state, state);
  inside.follow_state();
  inside.stepper->invalidate();
  inside.changed();
}

void Batch::Impl::drive(Simulation& simulation, std::span<const double> ctrl, std::span<const double> tau) {
  Simulation::Impl& inside = *simulation.impl_;
  Forces& forces = inside.stepper->dynamics().forces();
  std::copy(ctrl.begin(), ctrl.end(), simulation.ctrl().begin());
  const bool driven = std::any_of(tau.begin(), tau.end(), [](double x) { return x != 0; });
  if (!driven && !inside.driven) return;
  std::copy(tau.begin(), tau.end(), inside.tau.begin());
  if (driven) {
    inside.driven = true;
    return;
  }
  inside.load_forces();
  inside.driven = forces.user_forces = false;
}

void Batch::Impl::show(std::size_t world, Simulation& simulation) {
  const std::span<const double> coordinates = simulation.q(), rates = simulation.v();
  std::copy(coordinates.begin(), coordinates.end(), row(q, world, n_q).begin());
  std::copy(rates.begin(), rates.end(), row(v, world, n_v).begin());
  time[world] = simulation.time();
  if (!readings.shown) return;
  const std::span<double> numbers = row(readings.rows, world, readings.first.back());
  for (std::size_t i = 0; i + 1 < readings.first.size(); ++i)
    read_sensor(simulation, model->sensors[i],
                numbers.subspan(readings.first[i], readings.first[i + 1] - readings.first[i]));
}

void Batch::Impl::show_driven(std::size_t world, Simulation& simulation) {
  if (readings.shown) drive(simulation, row(ctrl, world, n_u), row(tau, world, n_v));
  show(world, simulation);
}

void Batch::Impl::fail(std::size_t world, Status what, std::string message) {
  status[world] = what;
  worlds[world].message = std::move(message);
}

void Batch::Impl::note(std::size_t world, const StepReport& report) {
  residual[world] = std::max(residual[world], report.residual);
  drift[world] = std::max(drift[world], report.drift_position);
  contacts[world] = std::max(contacts[world], report.contacts);
  if (!report.ok()) fail(world, report.status, report.message);
}

bool Batch::Impl::begin(std::size_t world) {
  if (status[world] != Status::ok) return false;
  residual[world] = drift[world] = 0;
  contacts[world] = 0;
  const std::span<const double> inputs = row(ctrl, world, n_u), forces = row(tau, world, n_v);
  for (const auto& [name, numbers] : {std::pair{"ctrl", inputs}, std::pair{"tau", forces}}) {
    const long k = first_not_finite(numbers);
    if (k < 0) continue;
    fail(world, Status::diverged, fmt::format("t = {}: {}[{}] is not finite", time[world], name, k));
    return false;
  }
  return true;
}

bool Batch::Impl::may_use_lanes(std::size_t from, std::size_t until) const {
  return uses_lanes && !lanes.empty() &&
         std::none_of(worlds.begin() + static_cast<std::ptrdiff_t>(from),
                      worlds.begin() + static_cast<std::ptrdiff_t>(until),
                      [](const World& world) { return world.own != nullptr; });
}

void Batch::Impl::step_alone(std::size_t world, Simulation& simulation, long count) {
  worlds[world].is_placed = false;
  exchange(simulation, worlds[world].state);
  drive(simulation, row(ctrl, world, n_u), row(tau, world, n_v));
  step(world, simulation, count);
  show(world, simulation);
  exchange(simulation, worlds[world].state);
}

void Batch::Impl::step(std::size_t world, Simulation& simulation, long count) {
  try {
    for (long k = 0; k < count && status[world] == Status::ok; ++k) note(world, simulation.step());
  } catch (const std::bad_alloc&) {
    fail(world, Status::not_converged,
         fmt::format("t = {}: the next step needs more memory than there is", simulation.time()));
  }
}

Batch::Batch(const Scene& scene, std::size_t worlds, const Options& options, int threads) try
    : Batch(std::make_shared<const Model>(scene.model), scene.initial, with(scene.settings, options), worlds, threads) {
} catch (const JointError& error) {
  throw JointError(error.joint, scene.where(error.joint) + error.what());
}

Batch::Batch(std::shared_ptr<const Model> model, const State& initial, const Settings& settings, std::size_t worlds,
             int threads)
    : impl_(std::make_unique<Impl>(std::move(model), initial, settings, worlds, threads)) {}

Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

void Batch::step(long count) {
  if (count < 0) throw InputError(fmt::format("step({}): a number of steps is expected, 0 or more", count));
  if (count == 0) return;
  Impl& all = *impl_;
  all.for_each_block([&](std::size_t first, std::size_t last, std::size_t member) {
    if (all.may_use_lanes(first, last)) return all.lanes[member]->step(all, first, last, count);
    for (std::size_t i = first; i < last; ++i) {
      if (!all.begin(i)) continue;
      all.steps_alone[member] += count;
      all.step_alone(i, all.worlds[i].own ? all.worlds[i].own->simulation : all.crew[member], count);
    }
  });
}

LaneReport Batch::lanes() const {
  LaneReport out{.width = impl_->lanes.empty() ? 0 : kWorldLanes, .why_not = impl_->why_no_lanes};
  if (!impl_->uses_lanes) out.why_not = "the batch was asked not to";
  for (const long steps : impl_->steps_alone) out.steps_alone += steps;
  for (const std::unique_ptr<Impl::Lanes>& lanes : impl_->lanes) {
    out.steps_in_lanes += lanes->steps_in_lanes;
    out.steps_alone += lanes->steps_alone;
  }
  return out;
}

void Batch::use_lanes(bool use) { impl_->uses_lanes = use; }

std::size_t Batch::size() const { return impl_->worlds.size(); }
std::size_t Batch::n_q() const { return impl_->n_q; }
std::size_t Batch::n_v() const { return impl_->n_v; }
std::size_t Batch::n_u() const { return impl_->n_u; }
int Batch::threads() const { return static_cast<int>(impl_->crew.size()); }
const Model& Batch::model() const { return *impl_->model; }
const Settings& Batch::settings() const { return impl_->crew.front().settings(); }
const Layout& Batch::layout() const { return impl_->crew.front().layout(); }
const State& Batch::initial() const { return impl_->initial; }
std::span<const double> Batch::q() const { return impl_->q; }
std::span<const double> Batch::v() const { return impl_->v; }
std::span<double> Batch::tau() { return impl_->tau; }
std::span<double> Batch::ctrl() { return impl_->ctrl; }
std::size_t Batch::n_sensor() const { return impl_->readings.first.back(); }

std::span<const double> Batch::sensors() {
  Impl& all = *impl_;
  if (!all.readings.shown) {
    all.readings.rows.resize(size() * n_sensor());
    all.readings.shown = true;
    all.for_each([&](std::size_t i, Simulation& simulation) {
      Impl::exchange(simulation, all.worlds[i].state);
      all.show_driven(i, simulation);
      Impl::exchange(simulation, all.worlds[i].state);
    });
  }
  return all.readings.rows;
}

std::pair<std::size_t, std::size_t> Batch::sensor(std::string_view name) const {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < impl_->model->sensors.size(); ++i) {
    const std::vector<std::size_t>& first = impl_->readings.first;
    if (impl_->model->sensors[i].name == name) return {first[i], first[i + 1] - first[i]};
    known.push_back(impl_->model->sensors[i].name);
  }
  const std::string near = nearest(name, known);
  throw InputError(
      fmt::format("there is no sensor '{}'{}", name, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

std::span<const double> Batch::time() const { return impl_->time; }
std::span<const double> Batch::residual() const { return impl_->residual; }
std::span<const double> Batch::drift() const { return impl_->drift; }
std::span<const int> Batch::contacts() const { return impl_->contacts; }
std::span<const Status> Batch::status() const { return impl_->status; }

const std::string& Batch::message(std::size_t world) const {
  impl_->check_world(world);
  return impl_->worlds[world].message;
}

const State& Batch::state(std::size_t world) const {
  impl_->check_world(world);
  return impl_->worlds[world].state;
}

std::size_t Batch::bytes_per_world() const {
  std::size_t states = 0;
  for (const Impl::World& world : impl_->worlds) {
    const State& s = world.state;
    states += bytes(s.bodies) + bytes(s.joint_angles) + bytes(s.q) + bytes(s.qd) + bytes(s.impulses) +
              bytes(s.activation) + bytes(s.attachments) + bytes(s.switched) + bytes(s.guides);
  }
  const std::size_t read = impl_->readings.shown ? n_sensor() : 0;
  const std::size_t rows = (n_q() + 2 * n_v() + n_u() + 3 + read) * sizeof(double) + sizeof(int) + sizeof(Status);
  return sizeof(Impl::World) + states / size() + rows;
}

}  // namespace catena
