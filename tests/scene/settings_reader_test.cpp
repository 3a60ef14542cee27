#include "scene/scene_testing.h"

namespace catena {
namespace settings_reader_test {

TEST(SettingsReader, ReadsEveryKey) {
  const Settings s = load_ok(kArm + R"(simulate:
  method: lagrange
  step: 2 ms
  duration: 1 min
  sample: 0.1
  integrator: adaptive
  tolerance: 1e-8
  velocity_tolerance: 1e-5
  stabilise: baumgarte
  solver: sparse
  baumgarte: 30
  threads: 4
  seed: 42
  tuning: {velocity: {motion_gain: 1e-8, most_cuts: 3}, parts: {reach: 5}}
)")
                         .settings;
  EXPECT_EQ(s.method, Method::lagrange);
  EXPECT_EQ(s.step, 2e-3);
  EXPECT_EQ(s.duration, 60);
  EXPECT_EQ(s.sample, 0.1);
  EXPECT_EQ(s.method.integrator(), Integrator::adaptive);
  EXPECT_EQ(s.method.tolerance(), 1e-8);
  EXPECT_EQ(s.method.position_tolerance(), 1e-8);  // `tolerance` is for whatever the method holds to one
  EXPECT_EQ(s.method.velocity_tolerance(), 1e-5);
  EXPECT_EQ(s.method.stabilise(), Stabilisation::baumgarte);
  EXPECT_EQ(s.method.solver(), LinearSolver::sparse);
  EXPECT_EQ(s.method.baumgarte(), 30);
  EXPECT_EQ(s.threads, 4);
  EXPECT_EQ(s.seed, 42u);
  EXPECT_EQ(s.tuning.velocity.motion_gain, 1e-8);
  EXPECT_EQ(s.tuning.velocity.most_cuts, 3);
  EXPECT_EQ(s.tuning.parts.reach, 5);
  EXPECT_EQ(changes(s.tuning).size(), 3u);
}

TEST(SettingsReader, EveryWordIsUnderstood) {
  const auto settings = [](const std::string& text) { return load_ok(kArm + "simulate: {" + text + "}\n").settings; };
  EXPECT_EQ(settings("method: auto").method, Method::automatic);
  EXPECT_EQ(settings("method: impulse").method, Method::impulse);
  EXPECT_EQ(settings("method: spook").method, Method::spook);
  EXPECT_EQ(settings("method: operational").method, Method::operational);
  EXPECT_EQ(settings("integrator: euler").method.integrator(), Integrator::euler);
  EXPECT_EQ(settings("integrator: rk4").method.integrator(), Integrator::rk4);
  EXPECT_EQ(settings("stabilise: none").method.stabilise(), Stabilisation::none);
  EXPECT_EQ(settings("stabilise: projection").method.stabilise(), Stabilisation::projection);
  EXPECT_EQ(settings("solver: tree").method.solver(), LinearSolver::tree);
  EXPECT_EQ(settings("solver: dense").method.solver(), LinearSolver::dense);
  EXPECT_EQ(settings("solver: linear").method.solver(), LinearSolver::tree);
  EXPECT_EQ(settings("solver: sle").method.solver(), LinearSolver::dense);
  EXPECT_EQ(settings("solver: sle-sparse").method.solver(), LinearSolver::sparse);
  EXPECT_EQ(settings("solver: iterative").method.solver(), LinearSolver::iterative);
  EXPECT_EQ(settings("integrator: lie").method.integrator(), Integrator::lie);
  EXPECT_EQ(settings("solver: lemke").method.law_solver(), LawSolver::lemke);
  EXPECT_EQ(settings("solver: cone").method.law_solver(), LawSolver::cone);
  EXPECT_EQ(settings("formulation: nmc-os").method.formulation(), Formulation::non_minimal_os);
  EXPECT_EQ(settings("formulation: os, facets: 8").facets, 8);
  EXPECT_EQ(settings("solver: parts-in-turn").method.solver(), LinearSolver::parts_in_turn);
  EXPECT_EQ(settings("sweep_algorithm: kept-residual").method.sweeps().algorithm, SweepAlgorithm::kept_residual);
  EXPECT_EQ(settings("sweep_order: random").method.sweeps().order, SweepOrder::random);
  EXPECT_EQ(settings("sweep_friction: approximate").method.sweeps().friction, SweepFriction::approximate);
  EXPECT_EQ(settings("sweep_relaxation: 0.8").method.sweeps().relaxation, 0.8);
  EXPECT_EQ(settings("assembly_speed: 5 cm/s").assembly_speed, 0.05);
}

TEST(SettingsReader, ErrorsNameThePlaceAndTheCure) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"stp: 1", "s.yaml:2:12: simulate: unknown key 'stp'; the nearest is 'step'"},
      {"step: 0", "s.yaml:2:18: step: 0 must be positive"},
      {"step: 1 m", "s.yaml:2:18: step: '1 m' is a length; a time is expected, such as '5 ms'"},
      {"duration: -1", "s.yaml:2:22: duration: -1 must not be negative"},
      {"method: lagrnge", "s.yaml:2:20: unknown method 'lagrnge'; the nearest is 'lagrange'"},
      {"method: fast", "s.yaml:2:20: unknown method 'fast'; known are auto, lagrange, impulse, spook, operational"},
      {"threads: 0", "s.yaml:2:21: threads: a whole number from 1 up is expected, not '0'"},
      {"threads: 1.5", "s.yaml:2:21: threads: a whole number from 1 up is expected, not '1.5'"},
      {"sweep_relaxation: 2", "s.yaml:2:30: sweep_relaxation: 2 must lie between 0 and 2"},
      {"tuning: 1", "s.yaml:2:20: tuning: expected a map of numbers by name, got '1'"},
      {"tuning: {parts: {reech: 1}}",
       "s.yaml:2:29: there is no tuning 'parts.reech', did you mean 'parts.reach'?; `catena explain SCENE --tuning` "
       "lists "
       "what there is"},
      {"tuning: {parts: {reach: -1}}", "s.yaml:2:29: parts.reach: -1 must be finite and not negative"},
      {"tuning: {parts: {impact_rows: 1.5}}", "s.yaml:2:29: parts.impact_rows: 1.5 must be a whole number"},
      {"seed: x", "s.yaml:2:18: seed: a whole number from 0 up is expected, not 'x'"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(kArm + "simulate: {" + c.text + "}\n"), c.message);
}

}  // namespace settings_reader_test
}  // namespace catena
