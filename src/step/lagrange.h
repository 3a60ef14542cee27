// Acceleration-level stepping with Lagrange multipliers (Baraff), by semi-implicit Euler, RK4 or an adaptive method of high order: of the numbers of
// all bodies, all joints by multipliers, or of joint coordinates, loops alone by multipliers (mechanism/equations_of_motion.h).
//
// Where there are laws (lagrange_laws.h) a step is cut where one begins or ends to act: bodies meet, a contact opens, slip begins or ends. Between
// these events the motion is smooth, and the integrator keeps its order. Meetings change velocities by impulses (impacts.h). Where friction leaves
// no force that obeys the laws (Painlevé), an impulse ends the slip, and the report says so.
#pragma once

#include <memory>

#include "catena/mechanism/runge_kutta.h"
#include "catena/step/lagrange_laws.h"
#include "catena/step/method.h"

namespace catena {

class LagrangeMethod final : public StepMethod {
 public:
  // A step is exactly h for euler and rk4, as far as the tolerance allows for the adaptive integrator.
  LagrangeMethod(StepContext& context, const State& initial);

  void begin(double h, State& state) override;
  void place(State& state) override;
  std::span<const CarriedCoordinate> carried() const override { return equations_->mechanism().carried(); }
  bool takes_rotors() const override { return equations_->takes_rotors(); }
  PartOfStep plan(int number) const override { return cut_at_events(number, tuning().most_events); }
  double slowest_impact() const override { return tuning().slowest_impact; }
  Mechanism& factored_mechanism(State& state) override { return factored(equations_->mechanism(), state); }
  double advance(PartOfStep part, const State& before, State& state) override;
  Closing close(State& state) override;
  bool is_refused(const PartOfStep& part, double done, const Closing& closing, const State& before,
                  const State& state) override;
  void end(double h, const State& before, State& state) override;
  bool evaluate(const State& state) override;

 private:
  const LagrangeTuning& tuning() const { return context_.tuning.lagrange; }
  bool is_adaptive() const { return settings().method.integrator() == Integrator::adaptive; }
  // `factored`: the joints are, at the positions of the state. `reading`: for somebody to read, not for a step.
  bool accelerate(const State& state, bool factored, bool reading, Ledger& powers);
  bool is_within_budget(int rows, const State& state);
  bool integrate(double h, State& state);
  // Kinetic and potential energy without the work done so far (StepContext::kept_energy) [J].
  double kept_energy(const State& state) { return equations_->energy(state) - work_done(state.ledger); }

  // With laws: whether they and the accelerations were found at the beginning of a part, and no slip had to be ended there.
  bool begin_part(State& state);
  double crossing(State& state);
  bool changes_at(const State& state);
  // The part again, from its beginning, where the accelerations are known.
  void keep_start(const Ledger& powers);
  void recall_start(Ledger& powers);
  bool retry(double h, const State& before, State& state);
  double locate_crossing(double h, double beyond, const State& before, State& state);
  double locate_change(double h, const State& before, State& state);

  // The first stage of the part, which is the same however long the part is.
  struct Start {
    bool known = false;  // by retry(); its accelerations are kept by the equations
    Ledger powers;
    bool inconsistent = false;
  };

  std::unique_ptr<EquationsOfMotion> equations_;
  RungeKutta integrator_;
  std::unique_ptr<LagrangeLaws> laws_;
  double kept_energy_ = 0;                 // at the beginning of the part [J]
  int evaluations_ = 0, rows_solved_ = 0;  // in this step
  int shocks_ = 0;                         // in a row
  bool first_stage_ = false;
  Start start_;
  double open_ = 0;               // the least gap, if negative, of what has opened but is not yet clear
  double crossing_at_start_ = 0;  // of the part
  State reading_;                 // a state that is read in joint coordinates
};

}  // namespace catena
