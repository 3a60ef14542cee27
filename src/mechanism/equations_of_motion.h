// The equations of motion as an ordinary differential equation, for the method that integrates forces: maximal (the numbers of every body, joints
// by multipliers, Baraff) or reduced (joint coordinates and their rates, articulated bodies, loops by multipliers). The seam between that method and
// the coordinates it steps in, at acceleration level what Mechanism is at velocity level; crossed a few times an evaluation, never once a row.
#pragma once

#include <span>

#include "catena/mechanism/mechanism.h"

namespace catena {

class EquationsOfMotion {
 public:
  EquationsOfMotion() = default;
  virtual ~EquationsOfMotion() = default;
  EquationsOfMotion(const EquationsOfMotion&) = delete;
  EquationsOfMotion& operator=(const EquationsOfMotion&) = delete;

  // The same joints, for impulses, and for the compliance of laws where accelerations() were found last.
  virtual Mechanism& mechanism() = 0;
  // Whether the states carry joint coordinates.
  virtual bool is_reduced() const = 0;
  // Whether the rotors of motors (armature) are part of the equations. Otherwise only the implicit scheme has them.
  virtual bool takes_rotors() const = 0;

  // POSITION. Takes the state over: the kinematics are at its positions and velocities.
  virtual void place(State& state) = 0;
  // Makes sure that the joints can answer impulses at the state. False: they cannot.
  virtual bool factor(State& state) = 0;

  // ACCELERATIONS of the bodies at a state, in Dynamics::vdot, without laws; the powers of forces are in Dynamics::powers. In joint coordinates the
  // state must be placed, or unpacked. False: the joints cannot be factored.
  struct Asked {
    double baumgarte = 0;      // 1/s: adds −2β (J v − u) − β² phi to what the constraints ask for
    bool factored = false;     // the joints are, at the positions of the state (FactoredJoints)
    bool motion_only = false;  // multipliers need not be found where that costs extra and no motor works by them
  };
  virtual bool accelerations(const State& state, const Asked& asked) = 0;
  // The same again at the same state, with more forces on the bodies [N, N·m].
  virtual void push(std::span<const BodyVector> load) = 0;
  // Power of prescribed velocities at the last accelerations() [W].
  virtual double motor_power() const = 0;
  // Relative residual of the last accelerations(): balance of forces and constraints, recomputed independently of how they were solved for.
  virtual double residual() = 0;
  // Keeps the accelerations found last, and has them again.
  virtual void keep() = 0;
  virtual void recall() = 0;

  // NUMBERS that are integrated: positions and velocities, of bodies or of joints.
  virtual std::size_t size() const = 0;
  virtual double* pack(const State& state, double* y) const = 0;
  // The state at these numbers and its time; in joint coordinates it is placed.
  virtual const double* unpack(const double* y, State& state) = 0;
  // dy/dt at a state, by the accelerations found last.
  virtual double* rates(const State& state, double* dy) const = 0;
  // Semi-implicit Euler: v ← v + h v̇, then positions with the new velocities.
  virtual void euler(double h, State& state) = 0;

  // CLOSE
  virtual bool has_constraints() const = 0;  // that positions can drift off
  // Positions onto the constraints, then velocities. A closing that failed says which joint is open; none: they could not be factored.
  virtual Closing close(State& state) = 0;
  // What the constraints are open by.
  virtual Closing drift(State& state) = 0;
  // Brings the angles of the state that count whole turns up to date.
  virtual void remember_angles(State& state) = 0;
  // Kinetic and potential [J].
  virtual double energy(const State& state) = 0;
};

}  // namespace catena
