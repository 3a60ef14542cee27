// A method of stepping: moves a state by one step and says how it went. The seam at which the methods are exchanged.
//
// A step that a method cannot take (its joints do not close, its numbers overflow, it gains energy, however short its parts) is taken by another
// stepper in its place, from the same state: by the implicit scheme at velocity level (velocity_stepper.h) and, where that fails too, by the
// same scheme taken at the end of the step, of first order, which closes joints as far as it can and never gains energy. The report
// counts such steps and says why.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "catena/laws/contact_force.h"
#include "catena/mechanism/dynamics.h"
#include "catena/mechanism/projection.h"
#include "catena/model/settings.h"
#include "catena/step/impacts.h"
#include "catena/step/report.h"
#include "catena/step/tuning.h"

namespace catena {

class Stepper {
 public:
  virtual ~Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  // One step of at most h, ending no later than state.time + h. On failure the state is left as it was before the step.
  StepReport step(double h, State& state);

  // Accelerations and multipliers at the state, for reading. Uses the factorisation of the last step when it is there.
  bool evaluate(const State& state);
  // The factorisation no longer belongs to the state: somebody changed it.
  void invalidate() { factored_ = unchanged_ = false; }

  // What each contact did in the last step.
  const std::vector<ContactForce>& contact_forces() const {
    return by_other_ ? other_->contact_forces() : own_forces();
  }
  // The impacts of the last step.
  const std::vector<Impact>& impacts() const { return by_other_ ? other_->impacts() : own_impacts(); }

  // What contacts and other laws pushed the bodies with at the end of the last step [N]; empty: nothing, or the method finds it by itself.
  std::span<const BodyVector> law_load() const { return by_other_ ? other_->law_load() : own_load(); }

  // Who takes the steps that this method cannot take, made when the first of them comes. `why`: all of them are, for this reason.
  using Maker = std::function<std::unique_ptr<Stepper>()>;
  void fall_back_on(Maker make, std::string why = {});
  const std::string& why_replaced() const { return always_other_; }

  // The integrator that runs, also where the settings leave it open.
  virtual Integrator integrator() const {
    return settings_.integrator == Integrator::automatic ? Integrator::rk4 : settings_.integrator;
  }

  Dynamics& dynamics() { return dynamics_; }
  Projection& projection() { return projection_; }

 protected:
  // `initial` must be assembled.
  Stepper(const Model& model, const State& initial, const Settings& settings);

  // The method itself. Called with the system factored at the state, or with factored_ false where that failed. Fills report_; what it
  // leaves in `state` counts only when report_ is ok.
  virtual void move(double h, State& state) = 0;

  virtual bool evaluate_here(const State& state);
  virtual const std::vector<ContactForce>& own_forces() const;
  virtual const std::vector<Impact>& own_impacts() const;
  virtual std::span<const BodyVector> own_load() const { return {}; }
  // Whether the energy of a whole step is compared with the work done in it; for methods that do not compare it themselves.
  virtual bool compares_energy() const { return false; }

  bool has_other() const { return static_cast<bool>(make_other_); }
  void factor(const State& state);
  // evaluate_here() of this class, with more forces on the bodies.
  bool evaluate_with(std::span<const BodyVector> load, const State& state);
  void fail(Status status, std::string message = {});
  bool find_not_finite(const State& state);
  // Kinetic and potential energy without the work that motors, actuators and loads, dampers and contacts have done so far: what no step may raise.
  double kept_energy(const State& state);

  const Model* model_;
  Settings settings_;
  Dynamics dynamics_;
  Projection projection_;
  State before_;
  StepReport report_;
  bool closed_ = true;        // steps leave the joints so nearly closed that factor() may rely on it
  bool factors_ = true;       // move() wants the system factored
  bool unchanged_ = false;    // the state is the one the last step left
  bool factored_ = false;     // the system is factored at the positions of the state the next step starts from
  double weight_times_size_;  // of everything [J]: with the kinetic energy, what energies are compared with

 private:
  void move_here(double h, State& state);
  double potential_energy(const State& state);
  double energy_not_put_in(const State& state);
  void move_by_other(double h, State& state);

  StabilityTuning stability_;
  Maker make_other_;
  std::string always_other_;        // why every step is the other's; empty: not all are
  std::unique_ptr<Stepper> other_;  // takes the steps that this one cannot
  double most_energy_ =
      0;  // that there may be, besides what is put in: as at the start, or where somebody changed the state [J]
  bool by_other_ = false;  // it took the last one
};

// Work so far of motors, actuators and loads, which can put energy in [J]. Contacts, friction and dampers only take.
inline double work_put_in(const Ledger& l) { return l.motors + l.actuators + l.external; }
// Work of all of them so far [J]: what may change the energy of a mechanism.
inline double work_done(const Ledger& l) { return l.motors + l.actuators + l.external + l.damping + l.contacts; }

// Of all bodies [N]. Times the size of a mechanism it is a scale of energies.
double weight(const Model& model);

// Whether contacts, limits and the like are simulated: not by the adaptive integrator, which has no place for events.
bool enforces_laws(const Settings& settings);

// The stepper of settings.method. Throws InputError when the settings ask it for what it does not do.
std::unique_ptr<Stepper> make_stepper(const Model& model, const State& initial, const Settings& settings);

}  // namespace catena
