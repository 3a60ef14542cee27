// A method of stepping: moves a state by one step and says how it went. The seam at which the methods are exchanged.
#pragma once

#include <memory>

#include "catena/laws/contact_force.h"
#include "catena/mechanism/dynamics.h"
#include "catena/mechanism/projection.h"
#include "catena/model/settings.h"
#include "catena/step/impacts.h"
#include "catena/step/report.h"

namespace catena {

class Stepper {
 public:
  virtual ~Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;

  // One step of at most h, ending no later than state.time + h. On failure the state is left as it was before the step.
  StepReport step(double h, State& state);

  // Accelerations and multipliers at the state, for reading. Uses the factorisation of the last step when it is there.
  virtual bool evaluate(const State& state);
  // The factorisation no longer belongs to the state: somebody changed it.
  void invalidate() { factored_ = unchanged_ = false; }

  // What each contact did in the last step.
  virtual const std::vector<ContactForce>& contact_forces() const;
  // What met in the last step and was thrown back.
  virtual const std::vector<Impact>& impacts() const;

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

  void factor(const State& state);
  // Stepper::evaluate() with more forces on the bodies.
  bool evaluate_with(std::span<const BodyVector> load, const State& state);
  void fail(Status status, std::string message = {});
  bool find_not_finite(const State& state);

  const Model* model_;
  Settings settings_;
  Dynamics dynamics_;
  Projection projection_;
  State before_;
  StepReport report_;
  bool closed_ = true;      // steps leave the joints so nearly closed that factor() may rely on it
  bool factors_ = true;     // move() wants the system factored
  bool unchanged_ = false;  // the state is the one the last step left
  bool factored_ = false;   // the system is factored at the positions of the state the next step starts from
};

// Of all bodies [N]. Times the size of a mechanism it is a scale of energies.
double weight(const Model& model);

// Whether contacts, limits and the like are simulated: not by the adaptive integrator, which has no place for events.
bool enforces_laws(const Settings& settings);

// The stepper of settings.method. Throws InputError when the settings ask it for what it does not do.
std::unique_ptr<Stepper> make_stepper(const Model& model, const State& initial, const Settings& settings);

}  // namespace catena
