// The equations of motion in the coordinates of Simulation::q() and v(), as matrices:
//     M(q) v̇ + h(q, v) = τ + Gᵀλ,      G v = u
// h holds centrifugal and Coriolis terms and gravity; G are the rows that joint coordinates leave over: loops, joints without
// coordinates (gears, distances, …) and motors that prescribe a velocity without bound. Contacts, limits and joints with compliance are no part
// of it: Simulation::evaluate() has those. The inertia of rotors (`armature`) is. Rates of planar bodies and particles that these do not have count as unit inertias without force.
//
// For analysis and control; the methods need none of it. M and the Jacobians cost O(n · depth), what solves O(n³).
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>

#include "catena/math/vec3.h"
#include "catena/model/ids.h"
#include "catena/model/state.h"
#include "catena/primary/centroidal.h"
#include "catena/simulation/simulation.h"

namespace catena {

class JointDynamics {
 public:
  // At the present state of the simulation, to which it keeps a reference. Throws InputError where a body changes its size: that has no
  // joint coordinates.
  explicit JointDynamics(const Simulation& simulation);
  ~JointDynamics();
  JointDynamics(JointDynamics&&) noexcept;

  // To the present state of the simulation, or to other coordinates and rates (n_q, n_v), whose loops are taken as they are.
  void update();
  void update(std::span<const double> q, std::span<const double> v);

  int n_q() const;
  int n_v() const;
  const State& state() const;  // bodies and time; positions and velocities of the bodies are those of q and v

  Eigen::MatrixXd mass_matrix() const;                                   // n_v x n_v
  Eigen::VectorXd bias() const;                                          // h, n_v
  Eigen::VectorXd inverse_dynamics(std::span<const double> vdot) const;  // M v̇ + h, n_v; O(n)
  Eigen::VectorXd passive_forces() const;                                // springs, dampers, loads, actuators; n_v
  Eigen::MatrixXd jacobian(BodyId body, const Vec3& point = {}) const;   // 6 x n_v: velocity and angular velocity of a
      // point (body coordinates from the centre of mass)
  Eigen::VectorXd jacobian_rate_times_v(BodyId body, const Vec3& point = {}) const;  // J̇ v, 6

  Eigen::MatrixXd constraint_jacobian() const;  // G, rows x n_v
  // v̇ under joint forces τ with G v̇ = γ; `lambda`, if given, receives the multipliers. Rows that depend on each other share
  // their forces by the least norm.
  Eigen::VectorXd forward_dynamics(std::span<const double> tau, Eigen::VectorXd* lambda = nullptr) const;
  // How the motions (velocity, angular velocity at the centre of mass) of the bodies answer to impulses on them while G v stays:
  // 6k x 6k, symmetric.
  Eigen::MatrixXd compliance(std::span<const BodyId> bodies) const;

  Centroidal centroidal() const;                       // of the whole, at its centre of mass
  Eigen::MatrixXd centroidal_momentum_matrix() const;  // 6 x n_v

  // q moved along v for h, exactly on its manifold (quaternions stay unit).
  Eigen::VectorXd integrate(std::span<const double> q, std::span<const double> v, double h) const;

 private:
  struct Impl;
  static Dynamics& dynamics_of(const Simulation& simulation);
  std::unique_ptr<Impl> impl_;
};

// The bodies of `state` where the coordinates put them. Loops are not closed.
void place_bodies(const Simulation& simulation, std::span<const double> q, std::span<const double> v, State& state);

}  // namespace catena
