// Members of an ensemble: their draws, their measures, their runs.
#include "catena/ensemble/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "catena/catena.h"
#include "catena/ensemble/random.h"

namespace catena {
namespace ensemble_test {

// Known answers of the authors' implementation (Random123, kat_vectors).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}), (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, UniformNumbersFillTheInterval) {
  constexpr int kCount = 20000;
  double sum = 0, squares = 0;
  std::vector<int> tenths(10);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double u = uniform_at({7, i, 3});
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
    ++tenths[static_cast<std::size_t>(10 * u)];
  }
  // Five standard deviations: of the mean sqrt(1/12 n), of a count sqrt(0.09 n).
  EXPECT_NEAR(sum / kCount, 0.5, 5 / std::sqrt(12.0 * kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
  for (const int count : tenths) EXPECT_NEAR(count, kCount / 10, 5 * std::sqrt(0.09 * kCount));
  EXPECT_NE(uniform_at({7, 1, 3}), uniform_at({8, 1, 3}));
  EXPECT_NE(uniform_at({7, 1, 3}), uniform_at({7, 1, 4}));
}

TEST(Random, APermutationHitsEveryPlaceOnce) {
  for (const std::uint64_t count : {1, 2, 3, 10, 64, 1000}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < count; ++i) seen.insert(permuted(i, count, 5, 2, 0));
    EXPECT_EQ(seen.size(), count);
    EXPECT_LT(*seen.rbegin(), count);
  }
  EXPECT_NE(permuted(1, 1000000, 5, 2, 0), permuted(1, 1000000, 5, 3, 0));
}

TEST(Random, LogarithmExponentialAndQuantileAreThoseOfTheCLibrary) {
  for (double x = 1e-300; x < 1e300; x *= 3.7)
    EXPECT_NEAR(portable::log(x), std::log(x), 4e-16 * std::max(1.0, std::abs(std::log(x))));
  for (double x = -700; x < 700; x += 0.77) EXPECT_NEAR(portable::exp(x) / std::exp(x), 1, 2e-15);
  EXPECT_EQ(portable::exp(1000), std::numeric_limits<double>::infinity());
  EXPECT_EQ(portable::exp(-1000), 0);
  for (double p = 1e-16; p < 0.5; p *= 1.9) {
    const double x = normal_quantile(p);
    // dΦ = φ dx, and φ(x) ≈ |x| Φ(x) in the tail: an error of 1e-15 in x is one of |x|·1e-15 relative in Φ.
    EXPECT_NEAR(0.5 * std::erfc(-x / std::numbers::sqrt2) / p, 1, 3e-14) << p;
  }
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Measure, IsWhatItsFormulaSaysOfTheSamples) {
  const std::vector<std::string> columns{"time", "foot.z", "joint.knee.q[0]", "left foot.x"};
  const std::vector<std::vector<double>> rows{{0, 1, -2, 5}, {0.5, 3, 0, 5}, {1, 2, 4, 8}};
  const auto value = [&](const std::string& text) {
    Measure measure(text, columns);
    for (const auto& row : rows) measure.take(row);
    return measure.value();
  };
  EXPECT_EQ(value("max(foot.z)"), 3);
  EXPECT_EQ(value("min(joint.knee.q[0])"), -2);
  EXPECT_EQ(value("mean(foot.z)"), 2);
  EXPECT_DOUBLE_EQ(value("rms(foot.z)"), std::sqrt(14.0 / 3));
  EXPECT_EQ(value("range(foot.z)"), 2);
  EXPECT_EQ(value("first(foot.z) + 2 * final(foot.z)"), 5);
  EXPECT_EQ(value("integral(foot.z)"), 0.5 * 2 + 0.5 * 2.5);
  EXPECT_EQ(value("max(\"left foot.x\")"), 8);
  EXPECT_DOUBLE_EQ(value("max(hypot(foot.z, joint.knee.q[0]))"), std::sqrt(20));
  EXPECT_EQ(value("-max(-foot.z) - -1"), 2);
  EXPECT_EQ(value("(max(foot.z) - 1) / 2e0"), 1);
  EXPECT_EQ(value("max(foot.z*foot.z - 2*foot.z)"), 3);
  EXPECT_TRUE(std::isnan(Measure("max(foot.z)", columns).value()));
  for (const char* wrong :
       {"foot.z", "max(foot.y)", "max(foot.z", "max()", "max(1)", "max(max(foot.z))", "top(foot.z)", "max(foot.z) +",
        "", "pow(max(foot.z))", "max(\"foot.z)", "3 3", "max(foot.z-mean(foot.z))"})
    EXPECT_THROW(Measure(wrong, columns), InputError) << wrong;
  EXPECT_THROW(Measure(std::string(100000, '('), columns), InputError);
}

constexpr const char* kScene = R"({catena: 1, simulate: {step: 1e-3, duration: 0.1},
  bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}, bob: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}},
  joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]},
           end: {kind: hinge, between: [rod, bob], anchor: [1, 0, 0], axis: [0, 1, 0]}}})";

EnsembleSpec spec() { return {.scene = kScene, .name = "scene", .folder = "."}; }

TEST(Ensemble, GridsAreEveryCombinationWithBothEnds) {
  EnsembleSpec s = spec();
  s.grid = {parse_grid("bodies.rod.mass=1:2:3"), parse_grid("joints.*.damping=0:1:2")};
  const Ensemble ensemble(s);
  EXPECT_THAT(ensemble.paths(), testing::ElementsAre("bodies.rod.mass", "joints.pivot.damping", "joints.end.damping"));
  ASSERT_EQ(ensemble.size(), 12);
  EXPECT_THAT(ensemble.parameters(0), testing::ElementsAre(1, 0, 0));
  EXPECT_THAT(ensemble.parameters(1), testing::ElementsAre(1, 0, 1));
  EXPECT_THAT(ensemble.parameters(6), testing::ElementsAre(1.5, 1, 0));
  EXPECT_THAT(ensemble.parameters(11), testing::ElementsAre(2, 1, 1));
  EXPECT_THROW(static_cast<void>(ensemble.parameters(12)), InputError);
}

TEST(Ensemble, AHypercubeHasOneDrawInEveryPart) {
  EnsembleSpec s = spec();
  s.random = {parse_random("bodies.rod.mass=uniform(1,3)"), parse_random("bodies.bob.mass=uniform(1,3)")};
  s.runs = 50;
  s.latin_hypercube = true;
  const Ensemble ensemble(s);
  std::vector<std::set<int>> parts(2);
  for (long i = 0; i < 50; ++i)
    for (std::size_t k = 0; k < 2; ++k) parts[k].insert(static_cast<int>((ensemble.parameters(i)[k] - 1) / 2 * 50));
  EXPECT_EQ(parts[0].size(), 50);
  EXPECT_EQ(parts[1].size(), 50);
}

TEST(Ensemble, DrawsHaveTheMomentsOfTheirDistribution) {
  EnsembleSpec s = spec();
  s.random = {parse_random("bodies.rod.mass=normal(5,0.5)"), parse_random("bodies.bob.mass=lognormal(0.1,0.3)")};
  s.runs = 4000;
  s.seed = 3;
  const Ensemble ensemble(s);
  double sum = 0, squares = 0, logs = 0;
  for (long i = 0; i < s.runs; ++i) {
    const std::vector<double> x = ensemble.parameters(i);
    sum += x[0];
    squares += (x[0] - 5) * (x[0] - 5);
    logs += std::log(x[1]);
  }
  EXPECT_NEAR(sum / 4000, 5, 5 * 0.5 / std::sqrt(4000.0));
  EXPECT_NEAR(squares / 4000, 0.25, 5 * 0.25 * std::sqrt(2.0 / 4000));
  EXPECT_NEAR(logs / 4000, 0.1, 5 * 0.3 / std::sqrt(4000.0));
  s.seed = 4;
  EXPECT_NE(Ensemble(s).parameters(0), ensemble.parameters(0));
}

TEST(Ensemble, AMemberIsTheSceneWithItsValues) {
  EnsembleSpec s = spec();
  s.random = {parse_random("bodies.rod.mass=loguniform(0.5,5)")};
  s.runs = 5;
  s.measures = {"final(joint.pivot.q[0])", "max(rod.z)"};
  const Ensemble ensemble(s), again(spec_of(to_json_text(ensemble.spec())));
  for (long i = 0; i < 5; ++i) {
    const MemberResult result = again.run(i);
    EXPECT_EQ(result.status, "done");
    EXPECT_EQ(result.steps, 100);
    EXPECT_EQ(result.parameters, ensemble.parameters(i));
    Simulation sim(load_text(kScene, "scene", ".", ensemble.overrides(i)));
    for (int k = 0; k < 100; ++k) sim.step();
    EXPECT_EQ(result.measures[0], sim.joint("pivot").position());
    EXPECT_EQ(result.energy, sim.energy().total());
  }
}

TEST(Ensemble, AMemberWhoseSceneIsRefusedIsARow) {
  EnsembleSpec s = spec();
  s.grid = {parse_grid("bodies.rod.mass=-1:3:5")};
  s.measures = {"max(rod.z)"};
  const Ensemble ensemble(s);
  EXPECT_EQ(ensemble.run(0).status, "refused");
  EXPECT_FALSE(ensemble.run(0).message.empty());
  EXPECT_TRUE(std::isnan(ensemble.run(0).measures[0]));
  EXPECT_EQ(ensemble.run(4).status, "done");
}

TEST(Ensemble, WrongAxesAreRefused) {
  for (const char* wrong : {"mass", "=1:2:3", "a=1:2", "a=1:2:0", "a=1:2:1.5", "a=x:2:3", "a=1:inf:3"})
    EXPECT_THROW(parse_grid(wrong), InputError) << wrong;
  for (const char* wrong :
       {"a=normal(1)", "a=normal(1,-1)", "a=uniform(2,1)", "a=gauss(0,1)", "a=loguniform(0,1)", "a=normal(1,2", "a"})
    EXPECT_THROW(parse_random(wrong), InputError) << wrong;
  EnsembleSpec s = spec();
  s.grid = {parse_grid("bodies.nobody.mass=1:2:2")};
  EXPECT_THROW(Ensemble{s}, InputError);
  s.grid = {parse_grid("bodies.no*.mass=1:2:2")};
  EXPECT_THROW(Ensemble{s}, InputError);
  s.grid = {parse_grid("bodies.rod.mass=1:2:2"), parse_grid("bodies.r*.mass=1:2:2")};
  EXPECT_THROW(Ensemble{s}, InputError);
}

}  // namespace ensemble_test
}  // namespace catena
