// What comes in from outside is checked where it comes in, with a sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace doors_test {

using namespace testing_step;
using ::testing::HasSubstr;

// The message of the InputError that `f` throws.
template <class F>
std::string refused(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Doors, coordinates_a_joint_does_not_have_are_refused) {
  Simulation sim(pendulum(0.3).build());
  auto pivot = sim.joint("pivot");
  EXPECT_THAT(refused([&] { pivot.set_torque(1, 5); }), HasSubstr("joint 'pivot' has coordinates 0 to 0; 5"));
  EXPECT_THAT(refused([&] { pivot.set_torque(1, -1); }), HasSubstr("-1 is none"));
  EXPECT_THAT(refused([&] { pivot.set_torque(NAN); }), HasSubstr("not finite"));
  EXPECT_THAT(refused([&] { pivot.position(7); }), HasSubstr("7 is none"));
  EXPECT_THAT(refused([&] { pivot.velocity(1); }), HasSubstr("1 is none"));
  ModelBuilder builder;
  builder.body(rod("rod", {}, 0)).joint({.name = "fixed", .kind = JointKind::weld, .between = {"ground", "rod"}});
  Simulation welded(builder.build());
  EXPECT_THAT(refused([&] { welded.joint("fixed").set_torque(1); }), HasSubstr("joint 'fixed' has no coordinates"));
  EXPECT_EQ(welded.joint("fixed").q().size(), 0u);
}

TEST(Doors, bodies_and_joints_there_are_not_are_refused) {
  Simulation sim(pendulum(0.3).build());
  EXPECT_THAT(refused([&] { sim.set_force(BodyId{999}, {1, 0, 0}); }), HasSubstr("there is no body 999"));
  EXPECT_THAT(refused([&] { sim.set_force(kGround, {1, 0, 0}); }), HasSubstr("the ground"));
  EXPECT_THAT(refused([&] { sim.set_force(BodyId{0}, {NAN, 0, 0}); }), HasSubstr("not finite"));
  EXPECT_THAT(refused([&] { sim.add_force_at(BodyId{3}, {}, {}); }), HasSubstr("there is no body 3"));
  EXPECT_THAT(refused([&] { sim.body(kGround); }), HasSubstr("the ground"));
  EXPECT_THAT(refused([&] { sim.body(BodyId{1}); }), HasSubstr("there is no body 1"));
  EXPECT_THAT(refused([&] { sim.joint(JointId{4}); }), HasSubstr("there is no joint 4"));
  EXPECT_THAT(refused([&] { sim.joint(JointId{}); }), HasSubstr("there is no joint"));
  EXPECT_THAT(refused([&] { sim.body("rodd"); }), HasSubstr("did you mean 'rod'"));
  EXPECT_THAT(refused([&] { sim.joint("pivott"); }), HasSubstr("did you mean 'pivot'"));
}

TEST(Doors, states_of_another_model_are_refused) {
  Simulation one(pendulum(0.3).build()), two(double_pendulum().build());
  EXPECT_THAT(refused([&] { one.set_state(two.state()); }), HasSubstr("another model"));
  State broken = one.state();
  broken.bodies[0].velocity.x = NAN;
  EXPECT_THAT(refused([&] { one.set_state(broken); }), HasSubstr("body 'rod' is not finite"));
  broken = one.state();
  broken.bodies[0].orientation = {0, 0, 0, 0};
  EXPECT_THAT(refused([&] { one.set_state(broken); }), HasSubstr("unit quaternion"));
  broken = one.state();
  broken.joint_angles.clear();
  EXPECT_THAT(refused([&] { one.set_state(broken); }), HasSubstr("another model"));
  EXPECT_THAT(refused([&] { Simulation(one.shared_model(), two.state()); }), HasSubstr("another model"));
  EXPECT_THAT(refused([&] { Simulation(std::shared_ptr<const Model>(), State{}); }), HasSubstr("needs a model"));
}

TEST(Doors, coordinates_of_the_wrong_number_are_refused) {
  Simulation sim(double_pendulum().build());
  const double three[] = {0, 0, 0}, bad[] = {0, NAN}, good[] = {0.1, 0.2};
  EXPECT_THAT(refused([&] { sim.set_coordinates(three, good); }), HasSubstr("2 coordinates and 2 rates are expected"));
  EXPECT_THAT(refused([&] { sim.set_coordinates(good, bad); }), HasSubstr("not finite"));
}

TEST(Doors, a_controller_must_not_step) {
  Simulation sim(pendulum(0.3).build());
  sim.on_step([](Simulation& s) { s.step(); });
  EXPECT_THAT(refused([&] { sim.step(); }), HasSubstr("may not step"));
  sim.on_step({});
  EXPECT_TRUE(sim.step().ok());
}

// Warnings that speak of `word`.
int warnings_of(const Simulation& sim, const std::string& word) {
  int count = 0;
  for (const std::string& warning : sim.warnings()) count += warning.find(word) != std::string::npos;
  return count;
}

TEST(Settings, what_has_no_effect_is_said) {
  const BuiltModel built = pendulum(0.3).build();
  const auto model = std::make_shared<const Model>(built.model);
  const auto said = [&](const Settings& settings, const char* word) {
    return warnings_of(Simulation(model, built.initial, settings), word);
  };
  EXPECT_EQ(said({}, ""), 0);
  EXPECT_EQ(said({.seed = 7}, "seed"), 1);
  EXPECT_EQ(said({.method = MethodWords{.method = Method::lagrange, .law_solver = LawSolver::split}}, "solver split"),
            1);
  EXPECT_EQ(said({.method = Spook{.law_solver = LawSolver::split}}, "solver split"), 0);
  EXPECT_EQ(said({.method = MethodWords{.method = Method::impulse, .law_solver = LawSolver::direct}}, "solver direct"),
            1);
  EXPECT_EQ(
      said({.method = MethodWords{.method = Method::operational, .solver = LinearSolver::sparse}}, "solver sparse"), 1);
  EXPECT_EQ(said({.method = Method::lagrange, .facets = 8}, "facets"), 1);
  EXPECT_EQ(said({.method = MethodWords{.method = Method::lagrange, .sweeps = Sweeps{.most = 9}}}, "sweeps"), 1);
  EXPECT_EQ(said({.method = Lagrange{.tolerance = 1e-5}}, "tolerances"), 1);
  EXPECT_EQ(said({.method = Lagrange{.integrator = Integrator::adaptive, .tolerance = 1e-5}}, "tolerances"), 0);
  EXPECT_EQ(said({.method = Lagrange{.baumgarte = 5}}, "baumgarte"), 1);
  EXPECT_EQ(said({.method = MethodWords{.method = Method::spook, .stabilise = Stabilisation::baumgarte}},
                 "stabilise baumgarte"),
            1);
  EXPECT_EQ(said({.method = Method::lagrange, .threads = 4}, "threads"), 1);
  JointExtras soft;
  soft.relaxation = 0.1;
  EXPECT_EQ(warnings_of(Simulation(pendulum(0.3, 0, soft).build()), "relaxation has no effect"), 1);
}

TEST(Settings, the_integrator_that_runs_is_named) {
  const BuiltModel built = pendulum(0.3).build();
  const auto runs = [&](const Options& options) { return Simulation(built, options).integrator(); };
  EXPECT_EQ(runs({.method = Method::lagrange}), Integrator::rk4);
  EXPECT_EQ(runs({.method = Method::spook}), Integrator::midpoint);
  EXPECT_EQ(runs({.method = Method::operational}), Integrator::midpoint);
  EXPECT_EQ(runs({.method = Spook{.integrator = Integrator::euler}}), Integrator::euler);
  JointExtras soft;
  soft.compliance = 1e-4;
  EXPECT_EQ(Simulation(pendulum(0.3, 0, soft).build(), {.method = Method::spook}).integrator(), Integrator::euler);
}

}  // namespace doors_test
}  // namespace catena
