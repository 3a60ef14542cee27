// A mechanism between two impulses, for the method that predicts where its constraints will be and closes them there (Bender): maximal (every body flies by
// itself, all joints are constraints) or reduced (trees of articulated bodies fly, loops and prescribed motions are constraints). The seam between
// that method and the coordinates it steps in; crossed a few times an iteration, never once a row.
#pragma once

#include <span>
#include <vector>

#include "catena/mechanism/mechanism.h"

namespace catena {

// A change of velocities.
struct VelocityChange {
  std::vector<BodyVector> bodies;  //                                                       (n_body)
  std::vector<double> rates;       // of joint coordinates, which make it; empty in maximal ones (n_v)

  void clear();
  void operator+=(const VelocityChange& other);
  void operator*=(double factor);
  double size() const;  // of the bodies'
};

class Flight {
 public:
  explicit Flight(Dynamics& dynamics) : dynamics_(&dynamics) {}
  virtual ~Flight() = default;
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  // The same joints, for impacts and for the compliance of laws where factor() was called last.
  virtual Mechanism& mechanism() = 0;
  // Whether the rotors of motors (armature) take part in the motion.
  virtual bool takes_rotors() const { return false; }

  // No change, with room for one.
  virtual VelocityChange still() const = 0;

  // POSITION. The kinematics at the state, unless they are there already, as far as anybody has said (forget()).
  virtual void place(State& state) = 0;
  virtual void forget() {}
  // Places the state, and makes sure that its constraints can answer impulses. False: they cannot.
  virtual bool factor(State& state) = 0;
  // Iterated solves need be this exact, relative, from now on.
  virtual void set_accuracy(double /*accuracy*/) {}

  // THE FLIGHT of h from the state placed, under forces on the bodies that stay as they are [N, N·m], without velocity-dependent ones.
  virtual void start(double h, std::span<const BodyVector> f) = 0;
  // Where it ends when it starts `dv` faster; then how fast it is there, with the same dv.
  virtual void find_positions(const VelocityChange& dv, State& out) = 0;
  virtual void find_velocities(const VelocityChange& dv, State& out) = 0;
  // The state becomes the predicted one, whose bodies and coordinates become anything.
  virtual void arrive(State& predicted, State& state) = 0;

  // CONSTRAINTS
  virtual int rows() const = 0;
  virtual bool has_dependent_rows() const = 0;  // where factor() was called last
  virtual bool drives() const = 0;              // some row prescribes a velocity: its impulses do work
  // −phi, 0 of rows that are not holonomic: at the state placed, and at the one find_positions() has left.
  virtual void gaps_here(std::span<double> b) = 0;
  virtual void gaps_ahead(std::span<double> b) = 0;
  // u − J v at the state placed.
  virtual void speeds(std::span<double> b) = 0;
  // Of rows that are not holonomic, h times the mean of u − J v at `state`, as start() found it, with dv, and of the predicted state with its velocities.
  virtual void mean_gaps(double h, const VelocityChange& dv, const State& state, State& predicted,
                         std::span<double> b) = 0;
  // What b, as gaps say it, leaves open.
  virtual Drift read(std::span<const double> b) const = 0;
  // Work of impulses x of the constraints at the velocities prescribed [J].
  virtual double motor_work(std::span<const double> x) const = 0;

  // IMPULSES, where factor() was called last. y: what impulses x of the constraints change the velocities by, J y = b; x may be empty.
  virtual void solve(std::span<const double> b, VelocityChange& y, std::span<double> x) = 0;
  // What impulses z of laws do, the constraints answering; what impulses p on the bodies do, the constraints not answering.
  virtual void respond(const LawRows& laws, const solve::Vector& z, VelocityChange& dv) = 0;
  virtual void respond_freely(std::span<const BodyVector> p, VelocityChange& dv) = 0;
  // The bodies' part of a change whose impulses were found at another state, at the state placed.
  virtual void complete(VelocityChange& /*dv*/) {}

  // VELOCITIES of the state placed, changed; kept, and had again.
  virtual void add(const VelocityChange& dv, State& state) = 0;
  virtual void keep(const State& state) = 0;
  virtual void recall(State& state) = 0;
  // Energy that a change of the velocities of the state placed gives it [J].
  virtual double energy_gained(const VelocityChange& dv, const State& state) const;

  // After a part of a step: the angles of the state, which is placed, that count whole turns.
  virtual void remember_angles(State& state) = 0;
  // Kinetic and potential [J].
  virtual double energy(const State& state) { return dynamics_->energy(state); }

 protected:
  const Model& model() const { return dynamics_->model(); }
  Kinematics& kinematics() { return dynamics_->kinematics(); }
  const Kinematics& kinematics() const { return dynamics_->kinematics(); }

  Dynamics* dynamics_;
};

// u − J v of a row at the beginning and at the end of a flight, added: `begin` and `end` are the rows there, of a RowSet or alike.
template <class RowsOfJoints>
double lacking_at_both_ends(const RowsOfJoints& begin, const RowsOfJoints& end, std::size_t row, const State& state,
                            const VelocityChange& dv, const State& predicted) {
  double lacking = begin.u[row] + end.u[row];
  for (auto t = static_cast<std::size_t>(begin.start[row]); t < static_cast<std::size_t>(begin.start[row + 1]); ++t) {
    const BodyId body = begin.body[t];
    lacking -= dot(begin.J[t], velocity_of(state.bodies[body]) + dv.bodies[body]) +
               dot(end.J[t], velocity_of(predicted.bodies[body]));
  }
  return lacking;
}

}  // namespace catena
