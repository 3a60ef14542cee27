// A simulation: a model, its state, and the method that moves it. The front of the library.
//
// One Model may be shared by any number of simulations and threads: it is const. A Simulation belongs to one thread at a time, for reading
// too: what is read often is computed when it is first asked for and kept. Different simulations never share anything that changes, so any
// number of them may run in as many threads. A Simulation moves (into a vector, out of a function); handles and spans stay good.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/contact/impact.h"
#include "catena/laws/contact_force.h"
#include "catena/math/spatial.h"
#include "catena/mechanism/drift.h"
#include "catena/model/builder.h"
#include "catena/model/scene.h"
#include "catena/simulation/drag.h"
#include "catena/simulation/drive.h"
#include "catena/simulation/joint_event.h"
#include "catena/simulation/joint_forces.h"
#include "catena/simulation/layout.h"
#include "catena/simulation/options.h"
#include "catena/step/report.h"

namespace catena {

class ConstraintSystem;
class Dynamics;

struct Energy {
  double kinetic = 0, potential = 0;  // J
  Ledger ledger;                      // work done since t = 0
  double total() const { return kinetic + potential; }
};

class Simulation {
  struct Impl;

 public:
  // Assembles the initial state (closes loops, makes velocities fit) and throws InputError when that cannot be done or the
  // settings contradict the model.
  explicit Simulation(const Scene& scene, const Options& options = {});
  explicit Simulation(const BuiltModel& built, const Options& options = {});
  Simulation(std::shared_ptr<const Model> model, const State& initial, const Settings& settings = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // ---- Time ----
  // One step of settings().step (adaptive: at most that, or as much as the tolerance allows up to it). Never throws, but for what the
  // function of on_step() throws. After a failure the state is the last good one.
  StepReport step();
  // Steps until exactly `time`: whole steps, then what is left, unless that is less than slack(). Returns the reports of all steps merged;
  // ends at the first that is not ok. Throws InputError where `time` is not finite.
  StepReport advance_to(double time);
  // One step that does not end later than `end`: a whole one, or exactly to `end` where that is nearer. For runs: SteppedRun
  // (simulation/interpolate.h) shows a run in whole steps at any time.
  StepReport step_towards(double end);
  double time() const;  // s: the number of steps times their length, not a sum
  long steps() const;   // taken by this object
  // Times nearer than this are the same time: 1e-9 steps, or the rounding of the time itself.
  double slack() const;
  // Called before every step with this simulation, to set tau(), ctrl() and forces by its state. It must not step. An empty one: none.
  void on_step(std::function<void(Simulation&)> control);

  // Whoever sets `stop`, in another thread or in a signal handler, ends the step that is being taken: step() and advance_to() return soon with the
  // status `interrupted`, and the state is that before the step. It must outlive the simulation, or be taken back by null.
  void stop_when(const std::atomic<bool>* stop);

  // ---- What it is ----
  const Model& model() const;
  std::shared_ptr<const Model> shared_model() const;
  const Settings& settings() const;
  const Warnings& warnings() const;  // of assembly and of settings that have no effect
  double size() const;               // of the mechanism [m]: what drift is measured against
  Integrator integrator() const;     // the one that runs
  const Layout& layout() const;      // where a joint stands in q, v and tau

  // ---- State ----
  const State& state() const;
  // Goes on from another state of the same model, as saved from state(): restore = replay, to the bit. Throws InputError where it cannot be
  // one of this model.
  void set_state(const State& state);
  const BodyState& body(std::string_view name) const;  // InputError names the nearest known name
  const BodyState& body(BodyId id) const;

  // Coordinates and rates, as Layout has them: n_q and n_v numbers, up to date until the next step or set_state(); the spans stay at their
  // place for as long as the simulation lives, and sync() brings what they show up to date. The first read after a step costs O(n).
  std::span<const double> q() const;
  std::span<const double> v() const;
  void sync() const;
  // Puts the forest at coordinates q with rates v, closes the loops by the smallest change of the positions in the metric of the mass matrix,
  // then of the velocities. Throws InputError where they cannot be closed, or numbers are missing or not finite.
  void set_coordinates(std::span<const double> q, std::span<const double> v);

  // ---- What drives it ----
  // A force along every rate of v [N or N·m], until it is changed: n_v numbers.
  std::span<double> tau();
  // Inputs of the model's controls (of a robot file's actuators), in their order, at first those of the keyframe the run starts from, or 0.
  // Of a model that has none: added to the set-points of its actuators, N or N·m (torque), m or rad (position), m/s or rad/s (velocity).
  std::span<double> ctrl();
  // A force and torque at the centre of mass of a body, world axes, until set again.
  void set_force(BodyId body, const Vec3& force, const Vec3& torque = {});
  // A force (world axes) on a point of a body (body coordinates from the centre of mass), besides all others, until clear_forces().
  void add_force_at(BodyId body, const Vec3& force, const Vec3& point);
  void clear_forces();  // those of set_force() and add_force_at(), and tau
  // Leads a body by hand, one that a joint with `moves: guided` carries (MJCF: mocap="true"): its frame, as the file has it, goes from where it
  // is now to this pose at constant velocity within `over` seconds, 0: within one step, and then stands. The motion is exact: whatever joints,
  // welds and contacts tie to the body feels its velocity. Throws InputError for bodies that are not led by hand, and numbers that are not finite.
  void set_mocap(BodyId body, const Vec3& position, const Quat& orientation = {}, double over = 0);
  void set_mocap(std::string_view body, const Vec3& position, const Quat& orientation = {}, double over = 0);
  std::pair<Vec3, Quat> mocap(BodyId body) const;  // where it was last told to go
  // A copy of all of it, and that copy put back: with the state, everything that decides the next step. set_drive() throws InputError where
  // it cannot be of this model or is not finite.
  Drive drive() const;
  void set_drive(const Drive& drive);

  // ---- Joints ----
  class JointView {
   public:
    JointId id() const { return id_; }
    int coordinates() const;  // of position() and velocity(); a ball joint's are those of its rotation vector
    double position(int coordinate = 0) const;  // m or rad
    double velocity(int coordinate = 0) const;
    // Its part of q and v (of all joints with coordinates, those of loops too). O(1) after the first read of a state.
    std::span<const double> q() const;
    std::span<const double> v() const;
    // Force and torque on the second body at its anchor, world axes: everything that crosses the joint, its motors, actuators, limits,
    // friction, springs and dampers too. The first after a change of the state costs a solve.
    Spatial reaction() const;
    bool attached() const;  // whether it holds; an open joint's coordinates are still read, from where its bodies are
    // What acts along one of its coordinates (simulation/joint_forces.h).
    CoordinateForces forces(int coordinate = 0) const;

   protected:
    friend class Simulation;
    JointView(Impl& impl, JointId id) : impl_(&impl), id_(id) {}
    void check(int coordinate) const;
    Impl* impl_;
    JointId id_;
  };
  class JointHandle : public JointView {
   public:
    void set_torque(double torque, int coordinate = 0);  // N or N·m, until it is set again
    std::span<double> tau();                             // its part of tau
    // Take effect now, whatever its schedule says next (simulation/switching.h). attach() throws InputError where the bodies cannot be
    // brought to where the joint has them, and leaves everything as it was.
    void attach();
    void detach();

   private:
    friend class Simulation;
    using JointView::JointView;
  };
  // By name or index. Throw InputError for unknown ones.
  JointHandle joint(std::string_view name);
  JointHandle joint(JointId id);
  JointView joint(std::string_view name) const;
  JointView joint(JointId id) const;
  BodyId body_id(std::string_view name) const;  // O(1)
  JointId joint_id(std::string_view name) const;

  // ---- What the last step did, without solving anything again ----
  const StepReport& report() const;
  const std::vector<ContactForce>& contact_forces()
      const;                                   // empty before the first step and for methods without contacts
  const std::vector<Impact>& impacts() const;  // of the last step: times, impulses, speeds (contact/impacts.h)

  const std::vector<JointEvent>& joint_events() const;  // joints that attached or let go since the last step began

  // ---- Sensors ----
  // What a sensor of the model reads at the present state (simulation/sensors.h), until it is read again. Throws InputError for unknown
  // ones and for those that cannot be read. What depends on forces costs a solve where the state has changed.
  std::span<const double> sensor(std::string_view name) const;

  Energy energy() const;
  Drift drift() const;                       // of the joints at the present state
  Drift drift_of(const State& state) const;  // at another state of this model

  // Moves a state of this model onto its joints, positions first, then velocities: the smallest change in the metric of the mass matrix.
  // Neither the simulation nor its next step changes. False where the joints cannot be closed.
  bool close(State& state) const;
  // Leads the mechanism by hand, at rest and while time stands still: points of bodies go to their targets as far as joints, limits and
  // contacts allow (simulation/drag.h). Motors and springs let go. Throws InputError for bodies there are not and numbers that are not finite.
  DragReport drag(std::span<const Drag> drags);
  DragReport drag(BodyId body, const Vec3& point, const Vec3& target);
  void count_turns(State& state) const;  // brings state.joint_angles up to date with the positions of its bodies

  // ---- Lower levels ----
  // Accelerations, multipliers and residual at the present state (mechanism/dynamics.h); costs a solve when something has changed.
  Dynamics& evaluate() const;
  const ConstraintSystem& system() const;  // joints/constraint_system.h

 private:
  friend class Batch;
  friend class JointDynamics;
  friend class SteppedRun;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
