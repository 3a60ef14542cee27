// What joint coordinates give besides forward dynamics: inverse dynamics, the mass matrix, Jacobians, and quantities of the whole at
// its centre of mass. All after system.update(), all of library interest; the steppers need none of them.
#pragma once

#include <Eigen/Core>
#include <span>

#include "catena/primary/centroidal.h"
#include "catena/primary/reduced_system.h"

namespace catena {

// τ that makes the joints accelerate with vdot under forces f on the bodies (at their centres of mass; empty: none) and gravity:
// recursive Newton–Euler, O(n).
void inverse_dynamics(const ReducedSystem& system, std::span<const double> vdot, std::span<const BodyVector> f,
                      const Vec3& gravity, std::span<double> tau);

// Accelerations of the bodies' centres of mass, and angular accelerations, when no joint accelerates: J̇ v. A body that floats has none.
void bias_accelerations(const ReducedSystem& system, std::span<BodyVector> out);

// M(q) by composite bodies, O(n · depth); n_v x n_v.
Eigen::MatrixXd mass_matrix(const ReducedSystem& system);

// 6 x n_v: (velocity, angular velocity) of the point `arm` away (world axes) from a body's centre of mass.
Eigen::MatrixXd jacobian(const ReducedSystem& system, BodyId body, const Vec3& arm = {});

// `bodies` as system.bodies() gives them.
Centroidal centroidal(const ReducedModel& model, std::span<const BodyState> bodies);

// 6 x n_v: momentum and angular momentum about the centre of mass of the whole, by the rates.
Eigen::MatrixXd centroidal_momentum_matrix(const ReducedSystem& system, std::span<const BodyState> bodies);

}  // namespace catena
