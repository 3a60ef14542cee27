// A method has its own fields with its own values: any other combination does not compile, and words of files are put together field by field.
#include "catena/model/method_settings.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "catena/model/settings.h"

namespace catena {
namespace method_settings_test {

// Whether a field of a method takes a value. The value must be a constant: that is what makes the compiler refuse the others.
template <class Method, auto value>
concept TakesIntegrator = requires {
  typename std::bool_constant<(Method{.integrator = value}, true)>;
};
template <class Method, auto value>
concept TakesSolver = requires {
  typename std::bool_constant<(Method{.solver = value}, true)>;
};
template <class Method, auto value>
concept TakesLawSolver = requires {
  typename std::bool_constant<(Method{.law_solver = value}, true)>;
};
template <class Method, auto value>
concept TakesStabilisation = requires {
  typename std::bool_constant<(Method{.stabilise = value}, true)>;
};
template <class Method, auto value>
concept TakesFormulation = requires {
  typename std::bool_constant<(Method{.formulation = value}, true)>;
};
template <class Method, auto value>
concept TakesCoordinates = requires {
  typename std::bool_constant<(Method{.coordinates = value}, true)>;
};
template <class Method>
concept HasSweeps = requires(Method method) {
  method.sweeps;
};
template <class Method>
concept HasPositionTolerance = requires(Method method) {
  method.position_tolerance;
};

// Integrators.
static_assert(TakesIntegrator<Lagrange, Integrator::rk4> && TakesIntegrator<Lagrange, Integrator::euler> &&
              TakesIntegrator<Lagrange, Integrator::adaptive>);
static_assert(!TakesIntegrator<Lagrange, Integrator::lie> && !TakesIntegrator<Lagrange, Integrator::midpoint>);
static_assert(TakesIntegrator<Impulse, Integrator::rk4> && TakesIntegrator<Impulse, Integrator::lie>);
static_assert(!TakesIntegrator<Impulse, Integrator::euler> && !TakesIntegrator<Impulse, Integrator::adaptive> &&
              !TakesIntegrator<Impulse, Integrator::midpoint>);
static_assert(TakesIntegrator<Spook, Integrator::midpoint> && TakesIntegrator<Spook, Integrator::euler>);
static_assert(!TakesIntegrator<Spook, Integrator::rk4> && !TakesIntegrator<Spook, Integrator::adaptive> &&
              !TakesIntegrator<Spook, Integrator::lie>);
static_assert(TakesIntegrator<Operational, Integrator::midpoint> && !TakesIntegrator<Operational, Integrator::rk4>);

// Solvers of joints and of laws.
static_assert(TakesSolver<Lagrange, LinearSolver::cg> && !TakesSolver<Lagrange, LinearSolver::iterative> &&
              !TakesSolver<Lagrange, LinearSolver::parts>);
static_assert(TakesSolver<Impulse, LinearSolver::parts> && TakesSolver<Impulse, LinearSolver::cg>);
static_assert(TakesSolver<Spook, LinearSolver::sparse> && !TakesSolver<Spook, LinearSolver::cg> &&
              !TakesSolver<Spook, LinearSolver::parts>);
static_assert(!TakesSolver<Operational, LinearSolver::tree>);
static_assert(TakesLawSolver<Spook, LawSolver::split> && !TakesLawSolver<Spook, LawSolver::lemke> &&
              !TakesLawSolver<Spook, LawSolver::cone>);
static_assert(TakesLawSolver<Operational, LawSolver::lemke> && TakesLawSolver<Operational, LawSolver::cone>);
static_assert(!TakesLawSolver<Lagrange, LawSolver::direct> && !TakesLawSolver<Impulse, LawSolver::direct>);

// The rest.
static_assert(TakesStabilisation<Lagrange, Stabilisation::baumgarte> &&
              !TakesStabilisation<Impulse, Stabilisation::baumgarte> &&
              !TakesStabilisation<Spook, Stabilisation::baumgarte> &&
              !TakesStabilisation<Operational, Stabilisation::none>);
static_assert(TakesFormulation<Formulated, Formulation::minimal> && !TakesFormulation<Spook, Formulation::minimal> &&
              !TakesFormulation<Lagrange, Formulation::minimal>);
static_assert(TakesCoordinates<Spook, Coordinates::reduced> && TakesCoordinates<Operational, Coordinates::maximal> &&
              TakesCoordinates<Lagrange, Coordinates::reduced> && TakesCoordinates<Impulse, Coordinates::reduced> &&
              !TakesCoordinates<Formulated, Coordinates::maximal>);
static_assert(HasSweeps<Spook> && HasSweeps<Operational> && !HasSweeps<Lagrange> && !HasSweeps<Impulse>);
static_assert(HasPositionTolerance<Impulse> && !HasPositionTolerance<Lagrange> && !HasPositionTolerance<Spook>);

// Values known at run time only go through MethodWords, which Simulation checks.
static_assert(std::is_same_v<decltype(MethodWords::integrator), std::optional<Integrator>>);

TEST(MethodSettings, a_method_alone_keeps_what_else_is_asked_for) {
  MethodSettings settings = MethodWords{.integrator = Integrator::euler, .law_solver = LawSolver::split};
  settings = Method::spook;
  EXPECT_EQ(Method(settings), Method::spook);
  EXPECT_EQ(settings.integrator(), Integrator::euler);
  EXPECT_EQ(settings.law_solver(), LawSolver::split);
}

TEST(MethodSettings, a_method_with_its_fields_leaves_nothing_of_another) {
  MethodSettings settings = MethodWords{.method = Method::operational,
                                        .law_solver = LawSolver::cone,
                                        .formulation = Formulation::minimal,
                                        .sweeps = Sweeps{.most = 7}};
  settings.change(MethodSettings(Lagrange{.integrator = Integrator::adaptive, .tolerance = 1e-7}).words());
  EXPECT_EQ(Method(settings), Method::lagrange);
  EXPECT_EQ(settings.integrator(), Integrator::adaptive);
  EXPECT_EQ(settings.tolerance(), 1e-7);
  EXPECT_EQ(settings.law_solver(), LawSolver::automatic);
  EXPECT_EQ(settings.formulation(), Formulation::operational_space);
  EXPECT_EQ(settings.sweeps().most, 0);
}

TEST(MethodSettings, every_field_of_every_method_arrives) {
  const MethodSettings lagrange = Lagrange{.integrator = Integrator::rk4,
                                           .tolerance = 1e-3,
                                           .stabilise = Stabilisation::baumgarte,
                                           .baumgarte = 5,
                                           .solver = LinearSolver::cg_tree};
  EXPECT_EQ(lagrange.stabilise(), Stabilisation::baumgarte);
  EXPECT_EQ(lagrange.baumgarte(), 5);
  EXPECT_EQ(lagrange.solver(), LinearSolver::cg_tree);
  const MethodSettings impulse = Impulse{.integrator = Integrator::lie,
                                         .position_tolerance = 1e-4,
                                         .velocity_tolerance = 1e-5,
                                         .solver = LinearSolver::parts};
  EXPECT_EQ(Method(impulse), Method::impulse);
  EXPECT_EQ(impulse.integrator(), Integrator::lie);
  EXPECT_EQ(impulse.position_tolerance(), 1e-4);
  EXPECT_EQ(impulse.velocity_tolerance(), 1e-5);
  EXPECT_EQ(impulse.solver(), LinearSolver::parts);
  const MethodSettings spook = Spook{.integrator = Integrator::euler,
                                     .stabilise = Stabilisation::none,
                                     .solver = LinearSolver::sparse,
                                     .coordinates = Coordinates::reduced,
                                     .contacts = ContactMode::swept,
                                     .law_solver = LawSolver::split,
                                     .sweeps = {.most = 30, .order = SweepOrder::random}};
  EXPECT_EQ(spook.integrator(), Integrator::euler);
  EXPECT_EQ(spook.stabilise(), Stabilisation::none);
  EXPECT_EQ(spook.solver(), LinearSolver::sparse);
  EXPECT_EQ(spook.coordinates(), Coordinates::reduced);
  EXPECT_EQ(spook.contacts(), ContactMode::swept);
  EXPECT_EQ(spook.law_solver(), LawSolver::split);
  EXPECT_EQ(spook.sweeps().most, 30);
  EXPECT_EQ(spook.sweeps().order, SweepOrder::random);
  const MethodSettings operational = Operational{.integrator = Integrator::midpoint,
                                                 .coordinates = Coordinates::maximal,
                                                 .contacts = ContactMode::exact,
                                                 .law_solver = LawSolver::cone,
                                                 .sweeps = {.relaxation = 1.3}};
  EXPECT_EQ(operational.coordinates(), Coordinates::maximal);
  EXPECT_EQ(operational.contacts(), ContactMode::exact);
  EXPECT_EQ(operational.law_solver(), LawSolver::cone);
  EXPECT_EQ(operational.sweeps().relaxation, 1.3);
  const MethodSettings formulated = Formulated{.formulation = Formulation::minimal, .law_solver = LawSolver::lemke};
  EXPECT_EQ(Method(formulated), Method::operational);
  EXPECT_EQ(formulated.formulation(), Formulation::minimal);
  EXPECT_EQ(formulated.law_solver(), LawSolver::lemke);
}

TEST(MethodSettings, settings_are_written_with_a_method_or_with_a_method_and_its_fields) {
  const Settings plain{.method = Method::automatic, .step = 1e-3};
  EXPECT_EQ(Method(plain.method), Method::automatic);
  const Settings typed{.method = Spook{.law_solver = LawSolver::split}, .step = 2e-3};
  EXPECT_TRUE(typed.method == Method::spook);
}

}  // namespace method_settings_test
}  // namespace catena
