// The methods, what each of them can be asked for, and the words that files, flags and Python have for it.
//
//   settings.method = Method::spook;                                                  // that method, its fields as they were
//   settings.method = Lagrange{.integrator = Integrator::adaptive, .tolerance = 1e-12};
//   settings.method = Impulse{.integrator = Integrator::midpoint};                      // does not compile: impulse has no such integrator
#pragma once

#include <optional>

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

// One of the values of an enumeration that a method has; any other does not compile.
template <class Value, Value... allowed>
class OneOf {
 public:
  consteval OneOf(Value value) : value_(value) {  // NOLINT(google-explicit-constructor): stands for the value itself
    if (!((value == allowed) || ...)) not_of_this_method();
  }
  constexpr operator Value() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  static void not_of_this_method() {}
  Value value_;
};

// Gauss-Seidel sweeps over contacts (methods spook and operational).
struct Sweeps {
  int most = 0;  // a step; 0: 500, with many rows down to 50
  SweepAlgorithm algorithm = SweepAlgorithm::plain;
  SweepOrder order = SweepOrder::automatic;
  SweepFriction friction = SweepFriction::exact;
  double relaxation = 1;  // ω, between 0 and 2
};

using DirectSolver = OneOf<LinearSolver, LinearSolver::automatic, LinearSolver::tree, LinearSolver::fronts,
                           LinearSolver::sparse, LinearSolver::dense, LinearSolver::dense_kkt>;

// Multipliers on a tree (Baraff): forces that hold the joints, integrated.
struct Lagrange {
  OneOf<Integrator, Integrator::automatic, Integrator::euler, Integrator::rk4, Integrator::adaptive> integrator =
      Integrator::automatic;
  double tolerance = 1e-10;  // adaptive integrator: error a step, absolute and relative
  Stabilisation stabilise = Stabilisation::projection;
  double baumgarte = 20;  // 1/s: alpha = beta
  OneOf<LinearSolver, LinearSolver::automatic, LinearSolver::tree, LinearSolver::fronts, LinearSolver::sparse,
        LinearSolver::dense, LinearSolver::dense_kkt, LinearSolver::cg, LinearSolver::cg_tree>
      solver = LinearSolver::automatic;
  Coordinates coordinates = Coordinates::automatic;
};

// Joint impulses (Bender): bodies, or trees of them, fly, and impulses bring their joints, or loops, together again.
struct Impulse {
  OneOf<Integrator, Integrator::automatic, Integrator::rk4, Integrator::lie> integrator = Integrator::automatic;
  double position_tolerance = 1e-6;  // gap a joint may be left with, m or rad
  double velocity_tolerance = 1e-6;  // and relative velocity, m/s or rad/s
  LinearSolver solver = LinearSolver::automatic;
  Coordinates coordinates = Coordinates::automatic;
};

// Regularised stepping (Lacoursière).
struct Spook {
  OneOf<Integrator, Integrator::automatic, Integrator::midpoint, Integrator::euler> integrator = Integrator::automatic;
  OneOf<Stabilisation, Stabilisation::projection, Stabilisation::none> stabilise = Stabilisation::projection;
  DirectSolver solver = LinearSolver::automatic;
  Coordinates coordinates = Coordinates::automatic;
  ContactMode contacts = ContactMode::automatic;
  OneOf<LawSolver, LawSolver::automatic, LawSolver::direct, LawSolver::split, LawSolver::gauss_seidel> law_solver =
      LawSolver::automatic;
  Sweeps sweeps{};
};

// Contact problems in operational space (Jain).
struct Operational {
  OneOf<Integrator, Integrator::automatic, Integrator::midpoint, Integrator::euler> integrator = Integrator::automatic;
  Coordinates coordinates = Coordinates::automatic;
  ContactMode contacts = ContactMode::automatic;
  LawSolver law_solver = LawSolver::automatic;
  Sweeps sweeps{};
};

// The same method with its contact problem set up otherwise, which has joint coordinates always.
struct Formulated {
  Formulation formulation = Formulation::operational_space;
  OneOf<Integrator, Integrator::automatic, Integrator::midpoint, Integrator::euler> integrator = Integrator::automatic;
  LawSolver law_solver = LawSolver::automatic;
};

// What files, flags and Python say, word by word, before it is known which method runs: words that a method does not have are refused, or said
// to have no effect, when a Simulation is made. One that is not given keeps what was there.
struct MethodWords {
  std::optional<Method> method{};
  std::optional<Integrator> integrator{};
  std::optional<Stabilisation> stabilise{};
  std::optional<LinearSolver> solver{};
  std::optional<double> tolerance{}, position_tolerance{}, velocity_tolerance{};
  std::optional<Coordinates> coordinates{};
  std::optional<ContactMode> contacts{};
  std::optional<LawSolver> law_solver{};
  std::optional<Formulation> formulation{};
  std::optional<Sweeps> sweeps{};
  std::optional<double> baumgarte{};
};

// A method with what it is asked for: one of the structures above, or the words of a file.
class MethodSettings {
 public:
  // NOLINTBEGIN(google-explicit-constructor): each is a way to say which method
  MethodSettings(Method method = Method::automatic) : words_{.method = method} {}
  MethodSettings(const Lagrange& method);
  MethodSettings(const Impulse& method);
  MethodSettings(const Spook& method);
  MethodSettings(const Operational& method);
  MethodSettings(const Formulated& method);
  MethodSettings(const MethodWords& words) : words_(words) {}
  // Another method; what else was asked for stays, and is checked against it when a Simulation is made.
  MethodSettings& operator=(Method method) {
    words_.method = method;
    return *this;
  }
  operator Method() const { return words_.method.value_or(Method::automatic); }
  // NOLINTEND(google-explicit-constructor)

  const MethodWords& words() const { return words_; }
  void change(const MethodWords& words);  // those that are given

  // What was asked for, or else the default.
  Integrator integrator() const { return words_.integrator.value_or(Integrator::automatic); }
  Stabilisation stabilise() const { return words_.stabilise.value_or(Stabilisation::projection); }
  LinearSolver solver() const { return words_.solver.value_or(LinearSolver::automatic); }
  double tolerance() const { return words_.tolerance.value_or(Lagrange().tolerance); }
  double position_tolerance() const { return words_.position_tolerance.value_or(Impulse().position_tolerance); }
  double velocity_tolerance() const { return words_.velocity_tolerance.value_or(Impulse().velocity_tolerance); }
  double baumgarte() const { return words_.baumgarte.value_or(Lagrange().baumgarte); }
  Coordinates coordinates() const { return words_.coordinates.value_or(Coordinates::automatic); }
  ContactMode contacts() const { return words_.contacts.value_or(ContactMode::automatic); }
  LawSolver law_solver() const { return words_.law_solver.value_or(LawSolver::automatic); }
  Formulation formulation() const { return words_.formulation.value_or(Formulation::operational_space); }
  Sweeps sweeps() const { return words_.sweeps.value_or(Sweeps()); }

 private:
  MethodWords words_;
};

}  // namespace catena
