// Jain's recursion for the operational-space compliance against J M⁻¹ Jᵀ formed densely, and against the maximal system's responses.
#include "catena/primary/compliance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "catena/primary/maximal_system.h"
#include "primary/reduced_testing.h"

namespace catena {
namespace compliance_test {

using namespace testing_reduced;

// Some bodies of the linkage, ascending by node; a random choice, at least one.
std::vector<int> some_nodes(const Reduced& r, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<int> nodes;
  for (int i = 0; i < r.model.size(); ++i)
    if (engine() % 3 == 0) nodes.push_back(i);
  if (nodes.empty()) nodes.push_back(r.model.size() - 1);
  return nodes;
}

// Λ at the centres of mass.
Eigen::MatrixXd by_recursion(Reduced& r, const std::vector<int>& nodes) {
  NodeCompliance compliance(r.system);
  compliance.compute(nodes);
  const auto k = static_cast<Eigen::Index>(nodes.size());
  Eigen::MatrixXd Lambda(6 * k, 6 * k);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j)
      for (int c = 0; c < 6; ++c) {
        const auto& to = r.system.links()[static_cast<std::size_t>(nodes[static_cast<std::size_t>(i)])];
        const auto& from = r.system.links()[static_cast<std::size_t>(nodes[static_cast<std::size_t>(j)])];
        Spatial unit{};
        (c < 3 ? unit.linear[c] : unit.angular[c - 3]) = 1;
        const Spatial y = motion_at(compliance.response(i, j, force_from(unit, r.system.com(from))), r.system.com(to));
        Lambda.block(6 * i, 6 * j + c, 6, 1) = flat({y.linear, y.angular, 0});
      }
  return Lambda;
}

TEST(Compliance, is_J_M_inverse_J_transposed_on_200_random_forests) {
  double worst = 0;
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 1 + seed % 40, 0));
    if (r.n_v() == 0) continue;
    const std::vector<int> nodes = some_nodes(r, static_cast<unsigned>(seed));
    Eigen::MatrixXd J(6 * nodes.size(), r.n_v());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      J.middleRows(6 * static_cast<Eigen::Index>(i), 6) =
          jacobian(r.system, r.model.nodes()[static_cast<std::size_t>(nodes[i])].body);
    const Eigen::MatrixXd wanted = J * mass_matrix(r.system).ldlt().solve(J.transpose());
    r.system.factor();
    const Eigen::MatrixXd got = by_recursion(r, nodes);
    worst = std::max(worst, (got - wanted).cwiseAbs().maxCoeff() / wanted.cwiseAbs().maxCoeff());
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_LE(worst, 1e-10);
}

TEST(Compliance, is_how_the_maximal_system_answers) {
  double worst = 0;
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 1 + seed % 40, 0));
    const std::vector<int> nodes = some_nodes(r, static_cast<unsigned>(seed));
    MaximalSystem maximal(r.scene.model, build_forest(r.scene.model));
    ASSERT_TRUE(maximal.factor(r.kinematics));
    const std::vector<double> zero(static_cast<std::size_t>(maximal.rows()), 0.0);
    r.system.factor();
    const Eigen::MatrixXd Lambda = by_recursion(r, nodes);
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      const BodyId from = r.model.nodes()[static_cast<std::size_t>(nodes[j])].body;
      const bool particle = r.scene.model.bodies[from].kind == BodyKind::particle;
      for (int c = 0; c < (particle ? 3 : 6); ++c) {
        std::vector<BodyVector> y(r.scene.model.bodies.size());
        (c < 3 ? y[from].linear[c] : y[from].angular[c - 3]) = 1;
        maximal.solve(zero, y, {});
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          const BodyId to = r.model.nodes()[static_cast<std::size_t>(nodes[i])].body;
          const int rows = r.scene.model.bodies[to].kind == BodyKind::particle ? 3 : 6;
          const auto got =
              Lambda.block(6 * static_cast<Eigen::Index>(i), 6 * static_cast<Eigen::Index>(j) + c, rows, 1);
          worst = std::max(worst, (got - flat(y[to]).head(rows)).cwiseAbs().maxCoeff() / Lambda.cwiseAbs().maxCoeff());
        }
      }
    }
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_LE(worst, 1e-10);
}

}  // namespace compliance_test
}  // namespace catena
