// A simulation near one of its states as a linear system, and the motions that such a system has by itself.
//
//     d/dt (δq, δv) = A (δq, δv) + B δu          δq: a displacement along the rates, as JointDynamics::integrate() moves q
//
// Loops stay closed: every disturbed state is projected onto them exactly before it is evaluated, so that A holds for disturbances that
// fit the loops, and for others speaks of their projection. Springs, dampers, loads, actuators, tau and ctrl of the simulation count; contacts,
// limits, dry friction and joints with compliance do not.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

#include "catena/simulation/simulation.h"

namespace catena {

// What B is about: forces along the rates (n_v columns), or the inputs of ctrl() (n_u columns).
enum class LinearInput { tau, ctrl };

struct LinearModel {
  Eigen::MatrixXd A;  // 2 n_v x 2 n_v
  Eigen::MatrixXd B;  // 2 n_v x n_v or n_u
};

// About the present state, which is the same again afterwards. A by central differences of the forward dynamics with this displacement (of
// coordinates m or rad, of rates per s), B from the mass matrix and the loops. Throws InputError where a body changes its size.
LinearModel linearise(Simulation& simulation, LinearInput input = LinearInput::tau, double displacement = 6e-6);

// A basis of the rates that loops and motors allow at the present state: n_v x freedoms, orthonormal columns.
Eigen::MatrixXd free_rates(const Simulation& simulation);

// One motion x(t) = Re(shape · exp(eigenvalue · t)) about a state of rest.
struct Mode {
  std::complex<double> eigenvalue{};  // 1/s; of a pair the one with the positive imaginary part
  double frequency = 0;               // Hz, of the damped oscillation; 0 of a motion that does not oscillate
  double damping = 0;  // ratio −Re λ / |λ|: 0 undamped, 1 and more without oscillation, negative where it grows
  Eigen::VectorXcd shape{};  // displacement along each rate, n_v, the largest of them 1
};

// All modes about the present positions at rest, slowest first: one a pair of conjugate eigenvalues, two a freedom that does not oscillate.
// Freedoms that neither springs nor gravity bring back have eigenvalues of 0.
std::vector<Mode> modes(Simulation& simulation);

}  // namespace catena
