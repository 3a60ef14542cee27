#include "simulated.h"

#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <cmath>

namespace catena::python {
namespace {

Simulation make(const LoadedScene& scene, const py::dict& options) {
  try {
    return {scene.model, scene.scene.initial, settings_with(scene.scene.settings, options)};
  } catch (const JointError& error) {
    throw JointError(error.joint, scene.scene.where(error.joint) + error.what());
  }
}

template <class List>
std::size_t place_of(const py::object& which, const List& all, const char* what) {
  if (!py::isinstance<py::int_>(which)) throw InputError(fmt::format("a {} is named by a str or an index", what));
  const auto index = which.cast<long>();
  if (index < 0 || index >= static_cast<long>(all.size()))
    throw InputError(fmt::format("there is no {} {}; the model has {}", what, index, all.size()));
  return static_cast<std::size_t>(index);
}

Settings without_method(const Settings& of) {
  Settings settings;
  settings.method = Method::lagrange;
  settings.contact_margin = of.contact_margin;
  settings.contact_tolerance = of.contact_tolerance;
  settings.facets = of.facets;
  return settings;
}

}  // namespace

class Simulated::Unlocked {
 public:
  explicit Unlocked(Simulated& s) : simulated_(s) {
    s.owner_ = this_thread();
    saved_ = PyEval_SaveThread();
  }
  ~Unlocked() {
    PyEval_RestoreThread(saved_);
    simulated_.owner_ = 0;
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Simulated& simulated_;
  PyThreadState* saved_ = nullptr;
};

Simulated::Simulated(ScenePtr scene, const py::dict& options)
    : scene_(std::move(scene)), simulation_(make(*scene_, options)) {
  for (const Site& site : model().sites) sites_.emplace(site.name, NamedSite{&site});
  for (const Body& body : model().bodies)
    if (const auto found = sites_.find(body.name); found != sites_.end()) found->second.is_body = true;
}

std::uintptr_t Simulated::this_thread() { return static_cast<std::uintptr_t>(pthread_self()); }

void Simulated::refuse_thread() {
  throw InputError("another thread is stepping this simulation; a simulation belongs to one thread at a time");
}

void Simulated::check_drives() {
  const auto check = [](const char* name, std::span<const double> all) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!std::isfinite(all[i])) throw InputError(fmt::format("{}: number {} is {}, and not finite", name, i, all[i]));
  };
  if (shows_tau_) check("tau", simulation_.tau());
  if (shows_ctrl_) check("ctrl", simulation_.ctrl());
}

// `go` until it says it is done; Ctrl-C is looked for twenty times a second.
template <class Go>
Report Simulated::run(Go&& go) {
  sim();
  check_drives();
  Report out;
  out.steps.time = simulation_.time();
  bool done = false;
  while (!done) {
    {
      const Unlocked unlocked(*this);
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
      while (!done && std::chrono::steady_clock::now() < until) {
        out.steps.merge(go(done));
        done = done || !out.steps.ok();
      }
    }
    if (!done && PyErr_CheckSignals() != 0) {
      show();
      throw py::error_already_set();
    }
  }
  show();
  out.ledger = simulation_.state().ledger;
  return out;
}

Report Simulated::standing() {
  Report out;
  out.steps.time = sim().time();
  out.ledger = simulation_.state().ledger;
  return out;
}

Report Simulated::step(long count) {
  if (count == 0) return standing();
  if (count == 1) {  // no time to be interrupted in
    sim();
    check_drives();
    Report out;
    {
      const Unlocked unlocked(*this);
      out.steps = simulation_.step();
    }
    show();
    out.ledger = simulation_.state().ledger;
    return out;
  }
  long left = count;
  return run([&](bool& done) {
    const StepReport report = simulation_.step();
    done = --left == 0;
    return report;
  });
}

Report Simulated::advance_to(double time) {
  if (!std::isfinite(time)) throw InputError("advance_to: a finite time is expected");
  if (time <= sim().time()) return standing();
  return run([&](bool& done) {
    const StepReport report = simulation_.step_towards(time);
    done = time - simulation_.time() <= simulation_.slack();
    return report;
  });
}

void Simulated::on_step(const py::object& control) {
  if (control.is_none()) return sim().on_step({});
  if (!PyCallable_Check(control.ptr())) throw InputError("on_step: a function of no arguments, or None, is expected");
  sim().on_step([this, f = std::make_shared<py::object>(control)](Simulation&) {
    const py::gil_scoped_acquire acquire;
    show();
    (*f)();
    check_drives();
  });
}

std::span<const double> Simulated::q() {
  shows_coordinates_ = true;
  return sim().q();
}
std::span<const double> Simulated::v() {
  shows_coordinates_ = true;
  return sim().v();
}

std::span<double> Simulated::tau() {
  shows_tau_ = true;
  return sim().tau();
}
std::span<double> Simulated::ctrl() {
  shows_ctrl_ = true;
  return sim().ctrl();
}

const Simulated::Bodies& Simulated::bodies() {
  sim();
  if (!shows_bodies_) {
    const std::size_t n = model().bodies.size();
    bodies_.position.resize(3 * n);
    bodies_.orientation.resize(4 * n);
    bodies_.velocity.resize(3 * n);
    bodies_.angular_velocity.resize(3 * n);
    shows_bodies_ = true;
    show();
  }
  return bodies_;
}

void Simulated::show() {
  if (shows_coordinates_) simulation_.sync();
  if (!shows_bodies_) return;
  const std::vector<BodyState>& bodies = simulation_.state().bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyState& s = bodies[i];
    std::copy_n(&s.position.x, 3, bodies_.position.data() + 3 * i);
    std::copy_n(&s.orientation.w, 4, bodies_.orientation.data() + 4 * i);
    std::copy_n(&s.velocity.x, 3, bodies_.velocity.data() + 3 * i);
    std::copy_n(&s.angular_velocity.x, 3, bodies_.angular_velocity.data() + 3 * i);
  }
}

Eigen::Index Simulated::columns() {
  if (columns_ == 0) columns_ = static_cast<Eigen::Index>(column_names(model()).size());
  return columns_;
}

SavedState Simulated::save() { return {scene_->hash, sim().settings(), simulation_.state(), simulation_.drive()}; }

void Simulated::restore(const SavedState& saved) {
  if (saved.model != scene_->hash) throw InputError("this state is of another model");
  sim().set_state(saved.state);
  simulation_.set_drive(saved.drive);
  show();
}

JointDynamics& Simulated::at(const py::object& q, const py::object& v) {
  Simulation& s = sim();
  if (!dynamics_) dynamics_.emplace(s);
  dynamics_->update();
  if (q.is_none() && v.is_none()) return *dynamics_;
  const std::vector<double> own_q(s.q().begin(), s.q().end()), own_v(s.v().begin(), s.v().end());
  dynamics_->update(q.is_none() ? own_q : numbers_of(q, own_q.size(), "q"),
                    v.is_none() ? own_v : numbers_of(v, own_v.size(), "v"));
  return *dynamics_;
}

Simulation& Simulated::still(const py::object& q, const py::object& v) {
  Simulation& s = sim();
  if (!still_) still_.emplace(s.shared_model(), scene_->scene.initial, without_method(s.settings()));
  still_->set_state(s.state());
  still_->set_drive(s.drive());
  if (!q.is_none() || !v.is_none()) {
    const std::vector<double> own_q(s.q().begin(), s.q().end()), own_v(s.v().begin(), s.v().end());
    still_->set_coordinates(q.is_none() ? own_q : numbers_of(q, own_q.size(), "q"),
                            v.is_none() ? own_v : numbers_of(v, own_v.size(), "v"));
  }
  return *still_;
}

BodyId Simulated::body(const py::object& which) const {
  if (py::isinstance<py::str>(which)) return sim().body_id(which.cast<std::string>());
  if (py::isinstance<BodyOf>(which)) {
    const auto& handle = which.cast<const BodyOf&>();
    if (handle.s.get() != this) throw InputError("this body is of another simulation");
    return handle.id;
  }
  return BodyId(place_of(which, model().bodies, "body"));
}

JointId Simulated::joint(const py::object& which) const {
  if (py::isinstance<py::str>(which)) return sim().joint_id(which.cast<std::string>());
  return JointId(place_of(which, model().joints, "joint"));
}

const Site& Simulated::site(const py::object& which) const {
  if (!py::isinstance<py::str>(which)) return model().sites[place_of(which, model().sites, "site")];
  const auto name = which.cast<std::string>();
  if (const auto found = sites_.find(name); found != sites_.end()) return *found->second.site;
  std::vector<std::string> known;
  for (const Site& each : model().sites) known.push_back(each.name);
  const std::string near = nearest(name, known);
  throw InputError(
      fmt::format("there is no site '{}'{}", name, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

Where Simulated::where(const py::object& which, const py::object& point) const {
  const Vec3 at = point.is_none() ? Vec3{} : vector_of(point, "point");
  const auto of_site = [&](const Site& s) {
    return Where{s.body, s.position + rotate(s.orientation, at), s.orientation};
  };
  if (py::isinstance<SiteOf>(which)) {
    const auto& handle = which.cast<const SiteOf&>();
    if (handle.s.get() != this) throw InputError("this site is of another simulation");
    return of_site(model().sites[handle.id]);
  }
  if (py::isinstance<py::str>(which)) {
    const auto name = which.cast<std::string>();
    const auto found = sites_.find(name);
    if (found != sites_.end() && !found->second.is_body) return of_site(*found->second.site);
  }
  return {body(which), at, {}};
}

}  // namespace catena::python
