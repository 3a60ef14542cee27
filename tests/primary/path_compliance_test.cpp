// The compliance of rows in maximal coordinates by half a solve each, against whole solves of the same forest.
#include "catena/primary/path_compliance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "primary/reduced_testing.h"

namespace catena {
namespace path_compliance_test {

using namespace testing_reduced;

// Rows of one to three terms on different bodies.
std::vector<std::vector<PathCompliance::Term>> random_rows(const Model& model, unsigned seed, int count) {
  std::mt19937_64 engine(seed);
  std::vector<std::vector<PathCompliance::Term>> rows;
  for (int i = 0; i < count; ++i) {
    const std::vector<BodyVector> J = random_forces(model, seed + 100 * static_cast<unsigned>(i));
    std::vector<PathCompliance::Term>& row = rows.emplace_back();
    for (int t = 0; t < 1 + i % 3; ++t) {
      const BodyId body(static_cast<int>(engine() % model.bodies.size()));
      const bool known = std::any_of(row.begin(), row.end(), [&](const auto& term) { return term.body == body; });
      if (!known) row.push_back({body, J[body]});
    }
  }
  return rows;
}

// Largest difference between W by halves and J M̂⁻¹Jᵀ by whole solves, relative to the largest entry.
double worst_of(const Model& model, MaximalSystem& system, unsigned seed) {
  constexpr int kRows = 9;
  PathCompliance paths(system);
  const auto rows = random_rows(model, seed, kRows);
  std::array<std::array<double, kRows>, kRows> W;
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::span<const double> last = paths.add(rows[i]);
    EXPECT_EQ(last.size(), i + 1);
    for (std::size_t j = 0; j <= i; ++j) W[i][j] = W[j][i] = last[j];
  }
  const std::vector<double> zero(static_cast<std::size_t>(system.rows()));
  double worst = 0, largest = 1e-12;
  for (int j = 0; j < kRows; ++j) {
    std::vector<BodyVector> y(model.bodies.size());
    for (const auto& term : rows[static_cast<std::size_t>(j)]) y[term.body] += term.J;
    system.solve(zero, y, {});
    for (int i = 0; i < kRows; ++i) {
      double wanted = 0;
      for (const auto& term : rows[static_cast<std::size_t>(i)])
        wanted += dot(term.J, restricted(model.bodies[term.body].kind, y[term.body]));
      worst = std::max(worst, std::abs(W[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] - wanted));
      largest = std::max(largest, std::abs(wanted));
    }
  }
  return worst / largest;
}

TEST(PathCompliance, is_what_whole_solves_answer_on_200_random_forests) {
  double worst = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_linkage(seed + 1, 1 + static_cast<int>(seed) % 40, 0);
    Kinematics kinematics(scene.model);
    kinematics.update(scene.model, scene.initial);
    MaximalSystem system(scene.model, build_forest(scene.model));
    ASSERT_TRUE(system.factor(kinematics));
    worst = std::max(worst, worst_of(scene.model, system, seed));
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_LE(worst, 1e-10);
}

// What is inertia along the coordinates of joints resists the rows too.
TEST(PathCompliance, knows_inertia_along_the_coordinates) {
  double worst = 0, change = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_linkage(seed + 1, 12, 0);
    Kinematics kinematics(scene.model);
    kinematics.update(scene.model, scene.initial);
    MaximalSystem system(scene.model, build_forest(scene.model));
    ASSERT_TRUE(system.factor(kinematics));
    const auto rows = random_rows(scene.model, seed, 1);
    const double before = PathCompliance(system).add(rows[0])[0];
    system.set_freedom_inertia(std::vector<JointArray>(scene.model.joints.size(), JointArray{3, 2, 1, 2, 3, 4}));
    ASSERT_TRUE(system.factor(kinematics));
    worst = std::max(worst, worst_of(scene.model, system, seed));
    const double after = PathCompliance(system).add(rows[0])[0];
    EXPECT_LE(after, before * (1 + 1e-12));
    change = std::max(change, 1 - after / std::max(before, 1e-300));
  }
  EXPECT_LE(worst, 1e-10);
  EXPECT_GT(change, 0.1);
}

}  // namespace path_compliance_test
}  // namespace catena
