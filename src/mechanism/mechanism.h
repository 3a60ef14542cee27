// A mechanism: a state, and what its joints do with forces and impulses. The seam between the methods of stepping and the coordinates they
// step in: maximal (every body's six numbers, joints as constraints, Baraff) or reduced (joint coordinates, loops as constraints, Jain).
// It is crossed about a dozen times a step, never once a row.
//
// A step of h at velocity level (v⁺: velocities after it, z: impulses of the laws, M̂⁻¹: the joints have answered) is
//     place, look_ahead      where constraints, forces and contacts are evaluated
//     factor                 the joints there, with inertia along their coordinates (impedance.h)
//     free_motion, refine    v + h M̂⁻¹ f                                                       without the laws
//     assemble, load         w = A z + b,  A = J M̂⁻¹Jᵀ + Σ,  b = J (v + h M̂⁻¹ f) − target
//     answer                 v⁺ = v + h M̂⁻¹ f + M̂⁻¹Jᵀ z
//     move, close            positions on their manifold; joints, or loops, closed
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "catena/laws/law_rows.h"
#include "catena/mechanism/dynamics.h"
#include "catena/mechanism/projection.h"
#include "catena/solve/problem.h"

namespace catena {

// How joints were closed.
struct Closing {
  bool closed = true;
  double position = 0, angle = 0;  // what is left, m and rad
  JointId worst;
};

// A coordinate of a joint that State::q has, and its rate in State::qd, where a mechanism steps in them.
struct CarriedCoordinate {
  JointId joint;
  int coordinate = 0;
  int q = 0, v = 0;     // where they are
  bool counts = false;  // its value, with whole turns, is in State::joint_angles
  double offset = 0;    // else: from q to what people read
};

class Mechanism {
 public:
  // Shares the kinematics and forces of `dynamics`, whose model has no joints that laws hold.
  explicit Mechanism(Dynamics& dynamics);
  virtual ~Mechanism() = default;
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;

  const Model& model() const { return dynamics_->model(); }
  Dynamics& dynamics() { return *dynamics_; }
  Kinematics& kinematics() { return dynamics_->kinematics(); }
  const Kinematics& kinematics() const { return dynamics_->kinematics(); }

  // POSITION. Takes the state over: the kinematics are at its positions and velocities.
  virtual void place(State& state) = 0;
  // The kinematics at positions moved along the state's velocities for t, at its time + t. The velocities stay. After place().
  virtual void look_ahead(double t, const State& state) = 0;

  // What the states that place() and move() leave carry of the coordinates; empty: nothing. Of balls and joints that close loops they do not.
  virtual std::span<const CarriedCoordinate> carried() const { return {}; }

  // FACTOR, at the kinematics' positions. `inertia` along joint coordinates, by joint; empty: none. False: failure().
  virtual bool carries_inertia(JointId joint) const = 0;
  virtual bool factor(std::span<const JointArray> inertia) = 0;
  virtual std::string failure() const { return dynamics_->system().failure(); }

  // FREE: velocities after h under the forces f [N, N·m], the joints answering, with the velocity-dependent forces of the velocities placed.
  // `middle`: joints hold on the mean of the velocities before and after, at the positions looked ahead to.
  virtual void free_motion(double h, bool middle, std::span<const BodyVector> f) = 0;
  // The same once more with the velocity-dependent forces of the mean of the velocities placed and motion(). False: failure().
  virtual bool refine(double h) = 0;
  // True: refine() may as well wait for the laws, if there are any, so that it need not be done before and after them.
  virtual bool refines_once() const { return false; }
  // By how much (rad/s) refine() would change an angular velocity at most, estimated.
  virtual double gyration_change(double h) const;
  // Bodies that turn about a principal axis, as those of planar mechanisms do, have no gyroscopic forces but for rounding.
  static constexpr double kStill = 1e-15;  // rad/s

  // Whether joints answer through their factorisation even where their rows are usually swept with those of the laws.
  virtual void answer_directly(bool /*direct*/) {}

  // LAWS: the matrix and the laws of problem(), rows of the laws from first_row() on; and its b, from their targets.
  virtual void assemble(const LawRows& laws, int facets) = 0;
  // The same with rows along which next to nothing can move as they are: for those who bring a Σ of their own.
  virtual void assemble_rigid(const LawRows& laws) = 0;
  virtual void load(const LawRows& laws) = 0;
  virtual solve::Problem& problem() = 0;
  virtual int first_row() const { return 0; }
  // How easily a row of the laws moves: its compliance over that without joints.
  virtual double ease(int row) const = 0;

  // The answer to impulses z of problem(): change() of the bodies' velocities, and motion() = free motion + change().
  // `laws` as assembled.
  virtual void answer(const LawRows& laws, const solve::Vector& z) = 0;
  const std::vector<BodyVector>& before() const { return before_; }  // placed velocities        (n_body)
  const std::vector<BodyVector>& unforced() const { return free_; }  // after the step without laws (n_body)
  const std::vector<BodyVector>& motion() const { return motion_; }  // after the step          (n_body)
  const std::vector<BodyVector>& change() const { return change_; }  // by the last answer()    (n_body)
  // Work of prescribed motions (motors, moving couplings) in the step.
  virtual double motor_work() = 0;
  // Relative residual of the step's own equations: momentum of every body or joint, velocity of every constraint.
  virtual double residual(double h, std::span<const BodyVector> f, const LawRows& laws, const solve::Vector& z) = 0;

  // MOVE: the state to the end of the step. `by_mean` (by body; empty: all as `middle`): positions follow the mean velocity rather than
  // the last.
  virtual void move(double h, bool middle, std::span<const char> by_mean, State& state) = 0;
  // Velocities changed by the last answer(), in no time; positions by it, taken as a displacement, joints left as they are.
  virtual void strike(State& state) = 0;
  virtual void nudge(State& state) = 0;
  // Positions moved by a part of the last answer(), taken as a displacement, from where keep() was called.
  virtual void keep(const State& state) = 0;
  virtual bool shift(double part, State& state) = 0;
  // Positions onto the joints, then velocities. Places the state.
  virtual Closing close(State& state) = 0;

  // Brings the angles of the state that count whole turns up to date. After place().
  virtual void remember_angles(State& state) const { dynamics_->coordinates().remember(model(), kinematics(), state); }

  // Of the state placed, evaluated once for each.
  struct Energy {
    double kinetic = 0, potential = 0;
    double total() const { return kinetic + potential; }
  };
  const Energy& energy();

 protected:
  void set_before(const State& state);
  void set_inertia(std::span<const JointArray> inertia);
  // f −= Jᵀa J dv along the joint coordinates that have inertia: what the factorisation has on its side of the equations.
  void subtract_inertia(const std::vector<BodyVector>& dv, std::vector<BodyVector>& f) const;

  Dynamics* dynamics_;
  std::vector<BodyVector> before_, free_, motion_, change_;  //                                  (n_body)
  std::vector<JointArray> inertia_;                          // as factored                      (n_joint)
  Energy energy_;
  std::uint64_t energy_of_ = 0;  // the stamp of the kinematics it is of
};

}  // namespace catena
