// Explicit integrators over the numbers of the equations of motion, and over the ledger with them: semi-implicit Euler, RK4 and an adaptive method of
// order 7(8) (Fehlberg).
#pragma once

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <functional>
#include <vector>

#include "catena/mechanism/equations_of_motion.h"
#include "catena/model/settings.h"

namespace catena {

class RungeKutta {
 public:
  // Finds the accelerations of the equations at a state, and the powers of what the ledger books [W]. False: they cannot be found.
  using Evaluate = std::function<bool(const State&, Ledger& powers)>;

  // Keeps a reference to the equations. `step_error`: what a step by the adaptive method may make, of the tolerance.
  RungeKutta(EquationsOfMotion& equations, const State& initial, const Settings& settings, double step_error);

  // A step of h, or for the adaptive integrator as far as its tolerance allows. False: an evaluation failed.
  bool step(double h, const Evaluate& evaluate, State& state);

  // After an adaptive step: no step was short enough for the tolerance, down to this one [s]; 0: one was.
  double too_short() const { return too_short_; }

 private:
  using Flat = std::vector<double>;
  using Rk4 = boost::numeric::odeint::runge_kutta4<Flat>;
  using Fehlberg = boost::numeric::odeint::runge_kutta_fehlberg78<Flat>;
  using Controlled = boost::numeric::odeint::result_of::make_controlled<Fehlberg>::type;

  bool euler(double h, const Evaluate& evaluate, State& state);
  bool adaptive(double h, const Evaluate& evaluate, State& state);
  void rates(const Evaluate& evaluate, const Flat& y, Flat& dy, double t);
  void pack(const State& state);
  void unpack(const Flat& y, double t, State& state);

  EquationsOfMotion* equations_;
  Integrator integrator_;
  double first_step_;  // of the adaptive integrator
  Rk4 rk4_;
  Controlled controlled_;
  Flat y_;
  State stage_;
  double start_ = 0, end_ = 0;  // of the step: forces that end with it still act in the last stage
  double too_short_ = 0;
  bool failed_ = false;  // an evaluation did
};

}  // namespace catena
