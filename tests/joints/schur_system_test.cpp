// The system of the impulses, A λ = b − J M⁻¹ f, against a full KKT matrix, and its answer between bodies against its own solutions.
#include "catena/joints/schur_system.h"

#include <gtest/gtest.h>

#include "bench/contact_scenes.h"
#include "bench/workloads.h"
#include "catena/model/components.h"
#include "joints/kkt_reference.h"

namespace catena {
namespace schur_system_test {

using namespace testing_kkt;

// Regularised by 1e-9 and refined: what is left is rounding times the condition of A, up to 1e6 here.
constexpr double kTolerance = 1e-9;

TEST(SchurSystem, solves_random_graphs_like_a_dense_KKT_matrix) {
  int regular = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_mechanism(7000 + seed, 2 + static_cast<int>(seed), seed % 4);
    if (!all_rows(scene.model).workless()) continue;
    KktReference reference(scene.model, scene.initial);
    SchurSystem system(scene.model);
    ASSERT_TRUE(system.factor(reference.kinematics())) << system.failure();
    const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
    reference.solve(f, b);
    if (!reference.regular) continue;
    ++regular;
    const Solution got = solve_with(system, reference, f, b);
    EXPECT_LE(relative(got.y, reference.y), kTolerance);
    EXPECT_LE(relative(got.lambda, reference.lambda), kTolerance);
  }
  EXPECT_GE(regular, 15);
}

// W column by column: what a unit impulse on one number of one body does to all.
TEST(SchurSystem, knows_how_bodies_answer_each_other) {
  for (const Scene& scene : {workloads::ball_over_hammock(6, 0), workloads::hung_cloth(5),
                             workloads::linkage(workloads::Shape::tree, JointKind::ball, 12)}) {
    const Model& model = scene.model;
    Kinematics kinematics(model);
    kinematics.update(model, scene.initial);
    SchurSystem system(model);
    ASSERT_TRUE(system.factor(kinematics)) << system.failure();
    std::vector<BodyId> bodies;
    for (std::size_t i = 0; i < model.bodies.size(); i += 3) bodies.emplace_back(i);
    Eigen::MatrixXd W;
    ASSERT_TRUE(system.body_compliance(bodies, W));
    EXPECT_LE((W - W.transpose()).norm(), 1e-14 * W.norm());
    const std::vector<double> zero(static_cast<std::size_t>(system.rows()), 0.0);
    Eigen::Index column = 0;
    for (const BodyId pushed : bodies)
      for (int k = 0; k < dimension(model.bodies[pushed].kind); ++k, ++column) {
        std::array<double, 7> unit{}, moved{};
        unit[static_cast<std::size_t>(k)] = 1;
        std::vector<BodyVector> y(model.bodies.size());
        y[pushed] = from_components(model.bodies[pushed].kind, unit.data());
        system.solve(zero, y, {});
        Eigen::Index row = 0;
        for (const BodyId body : bodies) {
          const int d = components(model.bodies[body].kind, y[body], moved.data());
          // The regularisation, 1e-9 of the diagonal, is in W and not in the refined solution.
          for (int i = 0; i < d; ++i, ++row)
            ASSERT_NEAR(W(row, column), moved[static_cast<std::size_t>(i)], 1e-8 * W.norm());
        }
      }
    EXPECT_EQ(column, W.cols());
  }
}

}  // namespace schur_system_test
}  // namespace catena
