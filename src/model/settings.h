// What a run is asked to do: the `simulate:` block of a scene, overridden by the command line.
#pragma once

#include <cstdint>
#include <string>

namespace catena {

enum class Method { automatic, lagrange, impulse, spook, operational };
// automatic: rk4 (lagrange, impulse), midpoint (spook). lie is of the method impulse, midpoint of spook.
enum class Integrator { automatic, euler, rk4, adaptive, lie, midpoint };
enum class Stabilisation { projection, baumgarte, none };
// How the constraint forces or impulses are solved for: at once, by conjugate gradients, or (method impulse) joint by joint or part by part.
enum class LinearSolver {
  automatic,
  tree,
  fronts,
  sparse,
  dense,
  dense_kkt,
  cg,
  cg_tree,
  iterative,
  parts,
  parts_in_turn
};

// How contacts and other laws are solved for (method spook).
enum class LawSolver {
  automatic,     // split for many contacts, else direct
  direct,        // joints factored, laws by pivoting or interior points: exact
  split,         // joints factored, laws by Gauss-Seidel
  gauss_seidel,  // all rows by Gauss-Seidel; method operational: the laws by Gauss-Seidel
  lemke,         // method operational: complementary pivots, friction by pyramids
  cone,          // method operational: interior points on the exact cone
};

// How the method operational sets up its contact problem (Jain's names): which unknowns it has besides the impulses of the laws.
enum class Formulation {
  operational_space,  // os: the impulses of loops; compliance by recursion, O(N) + O(n_c²)
  non_minimal,        // nmc: the velocities of all bodies, the impulses of all joints
  minimal,            // mc: the joint rates and the impulses of loops
  reduced_minimal,    // rmc: none
  non_minimal_os,     // nmc-os: the impulses of all joints
  maximal_os,         // maximal-os: none; compliance by Baraff's anticipation
};

// What a method steps in.
enum class Coordinates {
  automatic,  // reduced for operational, maximal for the others
  maximal,    // the six numbers of every body; joints are constraints
  reduced,    // joint coordinates; loops are constraints
};

// How contacts are solved for (methods spook and operational).
enum class ContactMode {
  automatic,  // swept in steps with more rows than VelocityTuning::exact_rows, else exact
  exact,      // to the tolerance, impacts at their time
  swept,      // by sweeps to VelocityTuning::swept_tolerance, impacts at the end of the step
};

// How Gauss-Seidel sweeps over the rows (Lacoursière).
enum class SweepAlgorithm {
  plain,          // 3.1: the residual of a block from scratch
  monitored,      // 2.2: the same, before and after, and the error ξ from both
  kept_residual,  // 2.1: the residuals of all blocks are kept up to date
};
enum class SweepOrder {
  automatic,  // coloured for swept contacts, else given
  given,      // contacts in the order they were found in
  symmetric,  // that order, then backwards, in turn
  random,     // shuffled anew each sweep, by the seed
  coloured,   // changed so that neighbours share no body and four are visited at once
};
// What a sweep does with the friction of one contact.
enum class SweepFriction {
  exact,        // Coulomb's law for that contact
  projection,   // (18)–(19): solved without the law, then friction is shortened to its bound
  approximate,  // (20)–(21): the same direction of slip, the normal force to match
};

struct Settings {
  Method method = Method::automatic;
  Integrator integrator = Integrator::automatic;
  Stabilisation stabilise = Stabilisation::projection;
  LinearSolver solver = LinearSolver::automatic;
  double step = 1e-3;                // s; for the adaptive integrator the first step
  double duration = 10;              // s
  double sample = 0;                 // s between samples; 0: every 10 ms, or every step where that is longer
  double tolerance = 1e-10;          // adaptive integrator: error a step, absolute and relative
  double position_tolerance = 1e-6;  // method impulse: gap a joint may be left with, m or rad
  double velocity_tolerance = 1e-6;  // and relative velocity, m/s or rad/s
  Coordinates coordinates = Coordinates::automatic;
  ContactMode contacts = ContactMode::automatic;
  LawSolver law_solver = LawSolver::automatic;
  Formulation formulation = Formulation::operational_space;
  double contact_margin = 5e-3;         // m: gaps up to this are contacts
  double contact_tolerance = 1e-10;     // natural-map residual the laws are solved to
  double restitution_threshold = 0.01;  // m/s or rad/s: slower meetings do not bounce
  int facets = 0;                       // of the friction pyramid that stands for the cone; 0: the cone itself
  int sweeps = 0;                       // most Gauss-Seidel sweeps a step; 0: 500, with many rows down to 50
  SweepAlgorithm sweep_algorithm = SweepAlgorithm::plain;
  SweepOrder sweep_order = SweepOrder::automatic;
  SweepFriction sweep_friction = SweepFriction::exact;
  double sweep_relaxation = 1;  // ω, between 0 and 2
  double baumgarte = 20;        // 1/s: alpha = beta
  // m/s and rad/s: joints that do not meet at t = 0 are brought together while the simulation runs, no faster; 0: before it begins
  double assembly_speed = 0;
  bool sleep = false;  // bodies that have come to rest are left out of the steps until something wakes them
  int threads = 1;
  std::uint64_t seed = 0;
};

}  // namespace catena
