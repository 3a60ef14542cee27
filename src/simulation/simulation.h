// A simulation: a model, its state, and the method that moves it. The front of the library.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/builder.h"
#include "catena/model/scene.h"
#include "catena/step/stepper.h"

namespace catena {

// What overrides a scene's own settings.
struct Options {
  std::optional<Method> method{};
  std::optional<Integrator> integrator{};
  std::optional<Stabilisation> stabilise{};
  std::optional<LinearSolver> solver{};
  std::optional<LawSolver> law_solver{};
  std::optional<Formulation> formulation{};
  std::optional<int> facets{};
  std::optional<int> threads{};
  std::optional<double> step{};                                      // s
  std::optional<double> tolerance{};                                 // adaptive integrator
  std::optional<double> position_tolerance{}, velocity_tolerance{};  // method impulse
};

struct Energy {
  double kinetic = 0, potential = 0;  // J
  Ledger ledger;                      // work done since t = 0
  double total() const { return kinetic + potential; }
};

class Simulation {
 public:
  // Assembles the initial state (closes loops, makes velocities fit) and throws InputError when that cannot be done or the
  // settings ask for what there is not.
  explicit Simulation(const Scene& scene, const Options& options = {});
  explicit Simulation(const BuiltModel& built, const Options& options = {});
  ~Simulation();

  // One step of settings().step (adaptive: at most that, or as much as the tolerance allows up to it). Never throws. After a failure
  // the state is the last good one.
  StepReport step();
  // Steps until exactly `time`. Returns the first report that is not ok, or the worst residual and drift of all.
  StepReport advance_to(double time);

  const Model& model() const { return *model_; }
  const State& state() const { return state_; }
  // Goes on from another state of the same model, as saved from state(): restore = replay.
  void set_state(const State& state);
  const Settings& settings() const { return settings_; }
  const Warnings& warnings() const { return warnings_; }  // of assembly
  double time() const { return state_.time; }
  long steps() const { return steps_; }

  const BodyState& body(std::string_view name) const { return state_.bodies[model_->body(name)]; }
  const BodyState& body(BodyId id) const { return state_.bodies[id]; }

  // A joint by name, for reading and driving it. Throws InputError for an unknown name.
  class JointHandle {
   public:
    int coordinates() const;
    double position(int coordinate = 0) const;  // m or rad
    double velocity(int coordinate = 0) const;
    void set_torque(double torque, int coordinate = 0);  // N or N·m, until it is set again
    // Force and torque on the second body at its anchor, world axes. Costs a solve when the state has changed.
    Spatial reaction() const;

   private:
    friend class Simulation;
    JointHandle(Simulation& simulation, JointId id) : simulation_(&simulation), id_(id) {}
    Simulation* simulation_;
    JointId id_;
  };
  JointHandle joint(std::string_view name) { return {*this, model_->joint(name)}; }
  JointHandle joint(JointId id) { return {*this, id}; }

  // A force and torque at the centre of mass of a body, world axes, until set again.
  void set_force(BodyId body, const Vec3& force, const Vec3& torque = {});

  Energy energy();
  // What each contact did in the last step; empty before the first and for methods without contacts.
  const std::vector<ContactForce>& contact_forces() const { return stepper_->contact_forces(); }
  // What met in the last step and was thrown back: times, impulses, speeds.
  const std::vector<Impact>& impacts() const { return stepper_->impacts(); }
  Drift drift();  // of the joints at the present state
  // Accelerations, multipliers and residual at the present state.
  Dynamics& evaluate();
  const ConstraintSystem& system() const;
  double size() const { return size_; }  // of the mechanism: what drift is measured against

 private:
  Simulation(std::shared_ptr<const Model> model, const State& initial, const Settings& settings);
  double next_stop(double time) const;

  std::shared_ptr<const Model> model_;
  Settings settings_;
  Warnings warnings_;
  State state_;
  double size_ = 0;
  std::unique_ptr<Stepper> stepper_;
  long steps_ = 0;
  bool evaluated_ = false;
};

}  // namespace catena
