// Jain's formulations of one contact problem, where a loop carries what lies on it: rows of the planar loop depend on each other, and four
// contacts leave open which of them carries how much.
#include <gtest/gtest.h>

#include "step/step_testing.h"

namespace catena {
namespace formulations_test {

// A box rides on the coupler of a four-bar, whose crank is driven; the numbers are rounded, so the loop is closed at the start.
const char* const kRide = R"(
defaults: {friction: 0.8}
bodies:
  crank:   {mass: 1, position: [0.075, 0, 0.12990381], orientation: {axis: [0,1,0], angle: -1.04719755}, shapes: [{box: [0.3,0.1,0.03]}]}
  coupler: {mass: 3, position: [0.56666138, 0, 0.4297879], orientation: {axis: [0,1,0], angle: -0.38734771}, shapes: [{box: [0.9,0.1,0.03]}]}
  rocker:  {mass: 2, position: [0.99166138, 0, 0.29988409], orientation: {axis: [0,1,0], angle: -1.59859531}, shapes: [{box: [0.6,0.1,0.03]}]}
  load:    {mass: 0.5, position: [0.54210867, 0, 0.48997232], orientation: {axis: [0,1,0], angle: -0.38734771}, shapes: [{box: [0.1,0.1,0.1]}]}
joints:
  g0: {kind: hinge, between: [ground, crank], anchor: [0,0,0], axis: [0,1,0], motor: {velocity: {sine: {amplitude: 0.3, frequency: 1}}}}
  ab: {kind: hinge, between: [crank, coupler], anchor: [0.15,0,0.25980762], axis: [0,1,0]}
  bc: {kind: hinge, between: [coupler, rocker], anchor: [0.98332276,0,0.59976818], axis: [0,1,0]}
  g1: {kind: hinge, between: [ground, rocker], anchor: [1,0,0], axis: [0,1,0]}
)";

struct End {
  State state;
  double complementarity = 0;
};

End run(Formulation formulation, LawSolver solver = LawSolver::automatic) {
  Simulation sim(
      load_text(kRide),
      {.method = MethodWords{.method = Method::operational, .law_solver = solver, .formulation = formulation},
       .step = 1e-3});
  const StepReport report = sim.advance_to(0.06);
  EXPECT_TRUE(report.ok()) << report.message;
  return {sim.state(), report.complementarity};
}

TEST(Formulations, agree_where_a_loop_carries_contacts) {
  const End os = run(Formulation::operational_space);
  const auto compare = [&](const End& other, const char* name) {
    EXPECT_LT(other.complementarity, 1e-8) << name;
    for (std::size_t i = 0; i < os.state.bodies.size(); ++i) {
      EXPECT_LT(norm(other.state.bodies[i].position - os.state.bodies[i].position), 1e-9) << name << " body " << i;
      EXPECT_LT(norm(other.state.bodies[i].velocity - os.state.bodies[i].velocity), 1e-7) << name << " body " << i;
    }
  };
  compare(run(Formulation::non_minimal), "nmc");
  compare(run(Formulation::minimal), "mc");
  compare(run(Formulation::reduced_minimal), "rmc");
  compare(run(Formulation::non_minimal_os), "nmc-os");
  compare(run(Formulation::maximal_os), "maximal-os");
  compare(run(Formulation::operational_space, LawSolver::lemke), "os by lemke");
}

}  // namespace formulations_test
}  // namespace catena
