#include <gtest/gtest.h>

#include <random>

#include "bench/loop_scenes.h"
#include "catena/joints/tree_system.h"
#include "catena/mechanism/dynamics.h"
#include "catena/primary/fronts.h"
#include "joints/kkt_reference.h"
#include "joints/mechanisms.h"
#include "source_dir.h"

namespace catena {
namespace anticipation_test {

using namespace testing_kkt;
using namespace testing_mechanisms;

std::string example(const char* name) { return source_dir() + "/examples/" + name + ".yaml"; }

// W e_i is the auxiliary motion that a unit force along row i causes once the primary joints have answered: solved here by the KKT
// matrix of the primary rows alone.
TEST(Compliance, W_is_the_response_of_the_primary_system_to_the_auxiliary_rows) {
  for (const int seed : {1, 2, 3, 4, 5}) {
    const Scene scene = workloads::random_mechanism(static_cast<std::uint64_t>(3000 + seed), 12, 4);
    const KktReference reference(scene.model, scene.initial);
    TreeSystem system(scene.model);
    ASSERT_TRUE(system.factor(reference.kinematics()));
    std::vector<int> primary, auxiliary;
    for (std::size_t j = 0; j < scene.model.joints.size(); ++j) {
      const bool aux = std::ranges::count(system.primary().forest().auxiliary, JointId(j)) > 0;
      for (int i = system.row_start(JointId(j));
           i < system.row_start(JointId(j)) + row_count(scene.model, scene.model.joints[j]); ++i)
        (aux ? auxiliary : primary).push_back(i);
    }
    ASSERT_FALSE(auxiliary.empty());
    const Eigen::MatrixXd Jp = reference.J(primary, Eigen::all), Ja = reference.J(auxiliary, Eigen::all);
    const auto n = reference.M.rows(), m = Jp.rows();
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n + m, n + m), K = Eigen::MatrixXd::Zero(n + m, Ja.rows());
    H << reference.M, -Jp.transpose(), Jp, Eigen::MatrixXd::Zero(m, m);
    K.topRows(n) = Ja.transpose();
    const Eigen::MatrixXd W = Ja * H.partialPivLu().solve(K).topRows(n);
    const Eigen::MatrixXd lower = system.compliance().triangularView<Eigen::Lower>();
    const Eigen::MatrixXd wanted = W.triangularView<Eigen::Lower>();
    EXPECT_LE((lower - wanted).cwiseAbs().maxCoeff(), 1e-11 * wanted.cwiseAbs().maxCoeff());
  }
}

TEST(Auxiliary, a_joint_with_primary_no_is_solved_outside_the_tree_with_the_same_result) {
  const Scene scene = workloads::random_mechanism(17, 15, 0);
  Scene outside = scene;
  for (std::size_t j = 0; j < outside.model.joints.size(); j += 3) outside.model.joints[j].primary = false;
  EXPECT_EQ(build_forest(outside.model).auxiliary.size(), (outside.model.joints.size() + 2) / 3);
  Dynamics a(scene.model, scene.initial, LinearSolver::tree), b(outside.model, outside.initial, LinearSolver::tree);
  ASSERT_TRUE(a.accelerations(scene.initial) && b.accelerations(outside.initial));
  const KktReference reference(scene.model, scene.initial);
  EXPECT_LE(relative(reference.flat(b.vdot), reference.flat(a.vdot)), 1e-10);
  EXPECT_LE(relative(Eigen::Map<Eigen::VectorXd>(b.lambda.data(), static_cast<Eigen::Index>(b.lambda.size())),
                     Eigen::Map<Eigen::VectorXd>(a.lambda.data(), static_cast<Eigen::Index>(a.lambda.size()))),
            1e-10);
}

TEST(Auxiliary, a_coupling_over_three_trees_ties_them_together) {
  Scene scene = workloads::random_mechanism(23, 9, 0);
  JointExtras extras;
  extras.rows.resize(2);
  for (const int i : {0, 4, 8}) {
    extras.rows[0].terms.push_back({BodyId(i), {0.3, -0.5, 1.0 + i}, {}, false});
    extras.rows[1].terms.push_back(
        {BodyId(i), {1, 0.2 * i, 0.4}, {}, scene.model.bodies[i].kind != BodyKind::particle});
  }
  extras.rows[0].velocity = Constant{0.4};
  Joint joint;
  joint.name = "tie";
  joint.kind = JointKind::coupling;
  joint.extras = static_cast<int>(scene.model.extras.size());
  scene.model.extras.push_back(extras);
  scene.model.joints.push_back(joint);
  KktReference reference(scene.model, scene.initial);
  const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
  reference.solve(f, b);
  ASSERT_TRUE(reference.regular);
  for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::sparse, LinearSolver::dense}) {
    const auto system = make_constraint_system(scene.model, solver);
    ASSERT_TRUE(system->factor(reference.kinematics()));
    const Solution got = solve_with(*system, reference, f, b);
    EXPECT_LE(relative(got.y, reference.y), 1e-9);
    EXPECT_LE(relative(got.lambda, reference.lambda), 1e-9);
  }
}

// Baraff §8: a force along K holds a row along Jᵃ. Here a push on one body steers another, through the joints between them.
TEST(Auxiliary, a_force_that_is_not_along_its_row_is_anticipated_like_the_unsymmetric_KKT_matrix_says) {
  for (const std::uint64_t seed : {3, 12, 25}) {
    Scene scene = workloads::random_mechanism(seed, 8, 2);
    JointExtras extras;
    CouplingRow& row = extras.rows.emplace_back();
    row.terms.push_back({BodyId(1), {0.3, -0.5, 1.0}, {}, false});
    row.terms.push_back({BodyId(3), {-0.2, 0.1, 0.6}, {}, false});
    row.through.push_back({BodyId(1), {0.5, 0.4, 0.9}, {}, false});
    row.through.push_back({BodyId(2), {0.1, 0.7, -0.2}, {}, false});
    row.velocity = Constant{0.4};
    Joint joint;
    joint.name = "steer";
    joint.kind = JointKind::coupling;
    joint.extras = static_cast<int>(scene.model.extras.size());
    scene.model.extras.push_back(extras);
    scene.model.joints.push_back(joint);
    KktReference reference(scene.model, scene.initial);
    EXPECT_GT((reference.K - reference.J.transpose()).norm(), 0.1);
    const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
    reference.solve(f, b);
    ASSERT_TRUE(reference.regular) << seed;
    for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::dense}) {
      const auto system = make_constraint_system(scene.model, solver);
      ASSERT_TRUE(system->factor(reference.kinematics()));
      const Solution got = solve_with(*system, reference, f, b);
      EXPECT_LE(relative(got.y, reference.y), 1e-9);
      EXPECT_LE(relative(got.lambda, reference.lambda), 1e-9);
    }
    EXPECT_THROW(choose_solver(system_sizes(scene.model), LinearSolver::sparse), InputError);
  }
}

TEST(Auxiliary, right_hand_sides_of_all_systems_are_those_of_the_rows) {
  for (const int loops : {0, 3}) {
    Scene scene = workloads::random_mechanism(31, 20, loops);
    for (BodyState& s : scene.initial.bodies) {  // off the constraints in position and velocity
      s.position += {0.01, -0.02, 0.03};
      s.velocity += {0.1, 0.2, -0.1};
    }
    const KktReference reference(scene.model, scene.initial);
    const RowSet& rows = reference.rows();
    Eigen::VectorXd v(reference.M.rows());
    std::vector<BodyVector> motion;
    for (const BodyState& s : scene.initial.bodies) motion.push_back(velocity_of(s));
    const Eigen::VectorXd Jv = reference.J * reference.flat(motion);
    for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::sparse, LinearSolver::dense}) {
      const auto system = make_constraint_system(scene.model, solver);
      ASSERT_TRUE(system->factor(reference.kinematics()));
      std::vector<double> a(rows.c.size()), u(rows.c.size()), p(rows.c.size());
      system->acceleration_rhs(reference.kinematics(), a);
      system->velocity_rhs(reference.kinematics(), u);
      system->position_rhs(reference.kinematics(), p);
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_NEAR(a[i], -rows.c[i], 1e-12) << i;
        EXPECT_NEAR(u[i], rows.u[i] - Jv[static_cast<Eigen::Index>(i)], 1e-12) << i;
        EXPECT_NEAR(p[i], rows.holonomic[i] ? -rows.phi[i] : 0, 1e-13) << i;
      }
    }
  }
}

// The rows of hinges and ball joints are multiplied without reading all their numbers.
TEST(RowSet, sums_over_all_rows_are_those_of_the_rows_one_by_one) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_graph(seed, 12, 4, 2);
    Kinematics kinematics(scene.model);
    kinematics.update(scene.model, scene.initial);
    RowSet rows = all_rows(scene.model);
    rows.evaluate(scene.model, kinematics);
    const auto n = static_cast<std::size_t>(rows.rows());
    std::vector<double> lambda(n), b(n), missing(n);
    std::vector<BodyVector> v, together(scene.model.bodies.size()), one_by_one(together.size());
    for (const BodyState& body : scene.initial.bodies) v.push_back(velocity_of(body));
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      lambda[i] = std::sin(1.0 + static_cast<double>(i));
      b[i] = std::cos(static_cast<double>(i));
      rows.add_force(static_cast<int>(i), lambda[i], one_by_one);
      largest = std::max(largest, std::abs(rows.times(static_cast<int>(i), v) - b[i]));
    }
    rows.add_forces(lambda, together);
    rows.missing_speeds(kinematics, missing);
    EXPECT_NEAR(rows.largest_error(v, b), largest, 1e-12);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(missing[i], rows.u[i] - rows.times(static_cast<int>(i), v), 1e-12);
    for (std::size_t i = 0; i < v.size(); ++i) {
      EXPECT_LE(norm(together[i].linear - one_by_one[i].linear), 1e-12);
      EXPECT_LE(norm(together[i].angular - one_by_one[i].angular), 1e-12);
    }
  }
}

TEST(ChooseSolver, loops_go_to_fronts_and_trees_to_the_tree) {
  for (const char* name : {"four_bar", "stewart", "jansen_legs", "strandbeest"}) {
    SCOPED_TRACE(name);
    const Scene scene = load(example(name));
    EXPECT_EQ(choose_solver(system_sizes(scene.model), LinearSolver::automatic), LinearSolver::fronts);
  }
  for (const char* name : {"chain", "tree127"})
    EXPECT_EQ(choose_solver(system_sizes(load(example(name)).model), LinearSolver::automatic), LinearSolver::tree);
}

TEST(ChooseSolver, fronts_say_what_they_do_not_apply_to) {
  const Scene scene = workloads::random_mechanism(5, 20, 2);  // has scalable bodies
  ASSERT_NE(fronts_decline(scene.model), "");
  EXPECT_THROW(make_constraint_system(scene.model, LinearSolver::fronts), InputError);
  EXPECT_NE(choose_solver(system_sizes(scene.model), LinearSolver::automatic), LinearSolver::fronts);
}

TEST(ChooseSolver, the_cloths_401_loops_go_to_the_sparse_factorisation) {
  const Scene scene = load(example("cloth"));
  const SystemSizes sizes = system_sizes(scene.model);
  EXPECT_EQ(sizes.primary_rows + sizes.auxiliary_rows, 840 + 6);
  EXPECT_LT(sizes.sparse_flops, sizes.tree_flops);
  EXPECT_EQ(choose_solver(sizes, LinearSolver::automatic), LinearSolver::sparse);
}

// Fronts of wide graphs are wide: a grid of 6 x 6 plates takes them 93 us, the sparse A 41 (catena bench loops); one of 3 x 3 takes both 10.
TEST(ChooseSolver, wide_grids_go_to_the_sparse_factorisation_where_that_costs_less) {
  const auto chosen = [](const Scene& scene) {
    return choose_solver(system_sizes(scene.model), LinearSolver::automatic);
  };
  EXPECT_EQ(chosen(workloads::plate_grid(6)), LinearSolver::sparse);
  EXPECT_EQ(chosen(workloads::chain_mail(6)), LinearSolver::sparse);
  EXPECT_EQ(chosen(workloads::chain_mail(10)), LinearSolver::sparse);
  EXPECT_EQ(chosen(workloads::plate_grid(4)), LinearSolver::fronts);
  EXPECT_EQ(chosen(workloads::four_bars(80)), LinearSolver::fronts);
  EXPECT_EQ(chosen(workloads::ladder(20)), LinearSolver::fronts);
}

TEST(ChooseSolver, what_the_user_asks_for_is_what_is_used) {
  for (const LinearSolver solver : {LinearSolver::tree, LinearSolver::sparse, LinearSolver::dense})
    EXPECT_EQ(choose_solver({}, solver), solver);
}

TEST(Residual, it_is_small_for_a_solution_and_says_so_when_one_number_is_wrong) {
  const Scene scene = workloads::random_mechanism(41, 10, 2);
  Dynamics dynamics(scene.model, scene.initial, LinearSolver::tree);
  ASSERT_TRUE(dynamics.accelerations(scene.initial));
  EXPECT_LE(dynamics.check().worst(), 1e-12);
  dynamics.lambda[3] += 1e-3;
  EXPECT_GE(dynamics.check().force, 1e-6);
  dynamics.lambda[3] -= 1e-3;
  dynamics.vdot[2].linear.x += 1e-3;
  EXPECT_GE(dynamics.check().worst(), 1e-6);
}

}  // namespace anticipation_test
}  // namespace catena
