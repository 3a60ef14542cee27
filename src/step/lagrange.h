// Acceleration-level stepping with Lagrange multipliers (Baraff), by semi-implicit Euler, RK4 or an adaptive high-order method.
#pragma once

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <vector>

#include "catena/step/stepper.h"
#include "catena/step/tuning.h"

namespace catena {

class LagrangeStepper : public Stepper {
 public:
  // A step is exactly h for euler and rk4, as far as the tolerance allows for the adaptive method.
  LagrangeStepper(const Model& model, const State& initial, const Settings& settings);

 protected:
  // Accelerations at a state; what else pushes than forces and joints comes in here. False: report_ says why.
  virtual bool accelerate(const State& state);
  void move(double h, State& state) override;
  bool evaluate_here(const State& state) override;
  // One step of h by the settings' integrator, without stabilisation.
  void integrate(double h, State& state);
  void stabilise(State& state);

  // The energy guard. A part of a step that gains energy by its integration, or whose joints cannot be closed, is taken back to where guard() was
  // called, to be taken in halves.
  void guard(const State& state);
  bool takes_back(double part, State& state);

  // Counts an evaluation of the forces with so many rows of laws to solve for; false, and the step has failed, where it has taken too many and another scheme is there.
  bool is_within_budget(int rows, const State& state);

  int evaluations_ = 0, rows_solved_ = 0;  // in this step
  // Of what accelerate() lets push besides: contacts, limits and friction; motors of limited force [W].
  double contact_power_ = 0, bounded_motor_power_ = 0;

 private:
  using Flat = std::vector<double>;
  using Rk4 = boost::numeric::odeint::runge_kutta4<Flat>;
  using Fehlberg = boost::numeric::odeint::runge_kutta_fehlberg78<Flat>;
  using Controlled = boost::numeric::odeint::result_of::make_controlled<Fehlberg>::type;

  void euler(double h, State& state);
  void rk4(double h, State& state);
  void adaptive(double h, State& state);
  void rates(const Flat& y, Flat& dy, double t);
  void pack(const State& state);
  void unpack(const Flat& y, double t, State& state) const;

  Rk4 rk4_;
  Controlled controlled_;
  Flat y_;
  State stage_;
  double stage_end_ = 0;  // forces that end here still act in the last stage
  double baumgarte_ = 0;
  LagrangeTuning tuning_;
  State guarded_;
  double guarded_energy_ = 0;  // without what the ledger explains
  bool first_stage_ = false;
};

}  // namespace catena
