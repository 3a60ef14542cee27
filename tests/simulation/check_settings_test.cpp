// Words that do not go together are refused with a message that names them and what would be right.
#include "catena/simulation/check_settings.h"

#include <gmock/gmock.h>

namespace catena {
namespace check_settings_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const MethodWords& words) {
  Settings settings;
  settings.method = words;
  try {
    check_settings(settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(CheckSettings, an_integrator_of_another_method_is_refused_with_those_it_has) {
  EXPECT_THAT(refusal({.method = Method::lagrange, .integrator = Integrator::midpoint}),
              AllOf(HasSubstr("midpoint is for the spook method"), HasSubstr("euler, rk4 or adaptive")));
  EXPECT_THAT(refusal({.method = Method::lagrange, .integrator = Integrator::lie}),
              AllOf(HasSubstr("lie is for the impulse method"), HasSubstr("euler, rk4 or adaptive")));
  for (const Integrator wrong : {Integrator::euler, Integrator::adaptive, Integrator::midpoint})
    EXPECT_THAT(refusal({.method = Method::impulse, .integrator = wrong}), HasSubstr("rk4 or lie"));
  for (const Integrator wrong : {Integrator::rk4, Integrator::adaptive, Integrator::lie}) {
    EXPECT_THAT(refusal({.method = Method::spook, .integrator = wrong}),
                AllOf(HasSubstr("spook"), HasSubstr("midpoint and euler")));
    EXPECT_THAT(refusal({.method = Method::operational, .integrator = wrong}),
                AllOf(HasSubstr("operational"), HasSubstr("midpoint and euler")));
  }
}

TEST(CheckSettings, a_solver_of_another_method_is_refused_with_those_it_has) {
  EXPECT_THAT(refusal({.method = Method::lagrange, .solver = LinearSolver::parts}),
              HasSubstr("lagrange takes tree, sparse, dense or cg"));
  EXPECT_THAT(refusal({.method = Method::spook, .solver = LinearSolver::cg}),
              HasSubstr("spook takes direct, split or gauss-seidel"));
  EXPECT_THAT(refusal({.method = Method::operational, .solver = LinearSolver::iterative}),
              HasSubstr("for the impulse method"));
  EXPECT_THAT(refusal({.method = Method::spook, .law_solver = LawSolver::lemke}),
              HasSubstr("lemke and cone are for the operational method"));
}

TEST(CheckSettings, coordinates_formulations_and_stabilisation_are_refused_where_a_method_has_none) {
  EXPECT_THAT(refusal({.method = Method::spook, .formulation = Formulation::minimal}),
              HasSubstr("of the operational method"));
  EXPECT_THAT(
      refusal(
          {.method = Method::operational, .coordinates = Coordinates::maximal, .formulation = Formulation::minimal}),
      HasSubstr("auto or reduced"));
  for (const Method method : {Method::impulse, Method::operational})
    EXPECT_THAT(refusal({.method = method, .stabilise = Stabilisation::baumgarte}), HasSubstr("lagrange method"));
}

// What the typed structures allow is what is not refused: every value of every field, one at a time.
TEST(CheckSettings, what_compiles_is_not_refused) {
  const MethodSettings legal[] = {Lagrange{},
                                  Lagrange{.integrator = Integrator::euler, .solver = LinearSolver::cg},
                                  Lagrange{.integrator = Integrator::adaptive, .stabilise = Stabilisation::none},
                                  Lagrange{.integrator = Integrator::rk4, .coordinates = Coordinates::reduced},
                                  Impulse{.integrator = Integrator::lie, .solver = LinearSolver::parts_in_turn},
                                  Impulse{.solver = LinearSolver::cg_tree},
                                  Impulse{.integrator = Integrator::lie, .coordinates = Coordinates::reduced},
                                  Spook{.integrator = Integrator::midpoint, .law_solver = LawSolver::gauss_seidel},
                                  Spook{.solver = LinearSolver::dense_kkt, .coordinates = Coordinates::reduced},
                                  Operational{.integrator = Integrator::euler, .law_solver = LawSolver::cone},
                                  Operational{.coordinates = Coordinates::maximal, .contacts = ContactMode::swept},
                                  Formulated{.formulation = Formulation::maximal_os, .law_solver = LawSolver::lemke}};
  for (const MethodSettings& method : legal) EXPECT_EQ(refusal(method.words()), "");
}

}  // namespace check_settings_test
}  // namespace catena
