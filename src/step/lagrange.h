// Acceleration-level stepping with Lagrange multipliers (Baraff), by semi-implicit Euler, RK4 or an adaptive high-order method.
#pragma once

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <vector>

#include "catena/model/settings.h"
#include "catena/step/dynamics.h"
#include "catena/step/projection.h"
#include "catena/step/report.h"

namespace catena {

class LagrangeStepper {
 public:
  // `initial` must be assembled.
  LagrangeStepper(const Model& model, const State& initial, const Settings& settings);

  // One step of at most h, ending no later than state.time + h: exactly h for euler and rk4, as far as the tolerance allows for the
  // adaptive method. On failure the state is left as it was before the step.
  StepReport step(double h, State& state);

  // Accelerations and multipliers at the state, for reading. Uses the factorisation of the last step when it is there.
  bool evaluate(const State& state);
  // The factorisation no longer belongs to the state: somebody changed it.
  void invalidate() { factored_ = false; }

  Dynamics& dynamics() { return dynamics_; }
  Projection& projection() { return projection_; }

 private:
  using Flat = std::vector<double>;
  using Rk4 = boost::numeric::odeint::runge_kutta4<Flat>;
  using Fehlberg = boost::numeric::odeint::runge_kutta_fehlberg78<Flat>;
  using Controlled = boost::numeric::odeint::result_of::make_controlled<Fehlberg>::type;

  void factor(const State& state);
  void euler(double h, State& state);
  void rk4(double h, State& state);
  void adaptive(double h, State& state);
  void rates(const Flat& y, Flat& dy, double t);
  void pack(const State& state);
  void unpack(const Flat& y, double t, State& state) const;
  void stabilise(State& state);
  bool find_not_finite(const State& state);

  const Model* model_;
  Settings settings_;
  Dynamics dynamics_;
  Projection projection_;
  Rk4 rk4_;
  Controlled controlled_;
  Flat y_;
  State stage_, before_;
  StepReport report_;
  double stage_end_ = 0;  // forces that end here still act in the last stage
  double baumgarte_ = 0;
  bool factored_ = false;  // the system is factored at the positions of the state the next step starts from
  bool first_stage_ = false;
};

}  // namespace catena
