// A simulation with the arrays that Python sees of it.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "bindings.h"
#include "catena/dynamics.h"
#include "state.h"

namespace catena::python {

// What one or more steps say, with the work by cause since t = 0.
struct Report {
  StepReport steps;
  Ledger ledger;
};

// A point of a body, and the axes it is given in.
struct Where {
  BodyId body;  // not valid(): the ground
  Vec3 point{};
  Quat orientation{};
};

class Simulated {
 public:
  Simulated(ScenePtr scene, const py::dict& options);

  // For the thread that asks: InputError where another one is in the middle of a step. Called with the interpreter's lock.
  Simulation& sim() const {
    if (owner_ != 0 && owner_ != this_thread()) refuse_thread();
    return simulation_;
  }
  const Model& model() const { return simulation_.model(); }
  const ScenePtr& scene() const { return scene_; }

  // ---- Time; the interpreter's lock is released ----
  Report step(long count);
  Report advance_to(double time);
  void on_step(const py::object& control);

  // ---- Arrays that show the simulation: brought up to date by every step once somebody has asked for them ----
  std::span<const double> q(), v();
  std::span<double> tau(), ctrl();  // to write to; from now on they are checked before every step
  struct Bodies {
    std::vector<double> position, orientation, velocity, angular_velocity;  // (n, 3), (n, 4), (n, 3), (n, 3)
  };
  const Bodies& bodies();
  void show();

  Eigen::Index columns();  // of a recording

  // ---- State ----
  SavedState save();
  void restore(const SavedState& saved);

  // ---- Dynamics ----
  // At other coordinates and rates, or at the state itself.
  JointDynamics& at(const py::object& q, const py::object& v);
  // A second simulation at rest in time, at the present state or at other coordinates with loops closed: what is evaluated there, contacts and
  // all, is of the state itself and does not depend on the method.
  Simulation& still(const py::object& q, const py::object& v);

  // By name, index or handle. InputError for unknown ones.
  BodyId body(const py::object& which) const;
  JointId joint(const py::object& which) const;
  const Site& site(const py::object& which) const;
  // A body or, where no body has the name, a site; `point` in its coordinates.
  Where where(const py::object& which, const py::object& point) const;

 private:
  class Unlocked;  // marks the simulation as this thread's and releases the interpreter's lock
  template <class Go>
  Report run(Go&& go);
  Report standing();
  void check_drives();
  static std::uintptr_t this_thread();
  [[noreturn]] static void refuse_thread();

  struct NamedSite {
    const Site* site;
    bool is_body = false;  // a body has its name, too
  };

  ScenePtr scene_;
  mutable Simulation simulation_;
  std::optional<JointDynamics> dynamics_;
  std::optional<Simulation> still_;
  std::unordered_map<std::string_view, NamedSite> sites_;  // by the model's own strings
  Bodies bodies_;
  Eigen::Index columns_ = 0;
  bool shows_coordinates_ = false, shows_bodies_ = false, shows_tau_ = false, shows_ctrl_ = false;
  std::uintptr_t owner_ = 0;  // the thread that is in the middle of a step
};
using SimPtr = std::shared_ptr<Simulated>;

// Handles keep the simulation alive.
struct JointOf {
  SimPtr s;
  JointId id;
};
struct BodyOf {
  SimPtr s;
  BodyId id;
};
struct SiteOf {
  SimPtr s;
  std::size_t id;
};

const char* name_of(Status status);  // "ok", "diverged", …
void bind_report(py::module_& module);
void bind_handles(py::module_& module);
void bind_dynamics(py::class_<Simulated, SimPtr>& type);
py::dict to_dict(const Ledger& ledger);
py::object to_python(Report&& report);
void bind_step(py::class_<Simulated, SimPtr>& type);

}  // namespace catena::python
