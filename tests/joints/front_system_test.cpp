// Fronts against dense linear algebra: accelerations, reactions, redundant rows, compliance.
#include "catena/joints/front_system.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/LU>

#include <algorithm>
#include <random>
#include <set>

#include "bench/loop_scenes.h"
#include "catena/mechanism/projection.h"
#include "joints/kkt_reference.h"
#include "joints/mechanisms.h"
#include "source_dir.h"

namespace catena {
namespace front_system_test {

using namespace testing_kkt;
using namespace testing_mechanisms;

// Errors of the reference (LU, or a complete orthogonal decomposition) on these matrices stay below 1e-11; a wrong block shows as 1e-2.
constexpr double kTolerance = 1e-10;

std::string example(const char* name) { return source_dir() + "/examples/" + name + ".yaml"; }
std::string data(const char* name) { return source_dir() + "/tests/data/loops/" + name + ".yaml"; }

int rank_of(const Eigen::MatrixXd& J) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(J);
  decomposition.setThreshold(1e-9);
  return static_cast<int>(decomposition.rank());
}

// Which multipliers every solution has in common: those whose row no dependence of rows takes part in.
std::vector<bool> determined(const Eigen::MatrixXd& J) {
  if (J.size() == 0) return std::vector<bool>(static_cast<std::size_t>(J.rows()), false);
  Eigen::FullPivLU<Eigen::MatrixXd> lu(J.transpose());
  lu.setThreshold(1e-9);
  const Eigen::MatrixXd null = lu.kernel();  // a column of zeros where no row depends on others
  std::vector<bool> out;
  for (Eigen::Index i = 0; i < J.rows(); ++i) out.push_back(null.row(i).norm() < 1e-9);
  return out;
}

// The largest |M y − f − Jᵀλ| of multipliers that are found for a known motion y; 1e300 where there are none, or no numbers.
double lack_with_multipliers_of(const Eigen::VectorXd& y, const Eigen::VectorXd& f, const Eigen::MatrixXd& M,
                                const KktReference& reference, FrontSystem& system) {
  Eigen::VectorXd lambda(reference.J.rows());
  const std::span<double> to(lambda.data(), static_cast<std::size_t>(lambda.size()));
  if (!find_multipliers(system, reference.bodies(f), reference.bodies(y), to) || !lambda.allFinite()) return 1e300;
  return (M * y - f - reference.J.transpose() * lambda).cwiseAbs().maxCoeff() /
         std::max(f.cwiseAbs().maxCoeff(), lambda.size() > 0 ? lambda.cwiseAbs().maxCoeff() : 0);
}

TEST(FrontSystem, accelerations_and_determined_reactions_of_300_random_graphs_are_those_of_the_dense_solution) {
  double motion = 0, reaction = 0, balance = 0, known = 0;
  int redundant = 0, regular = 0;
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene =
        workloads::random_graph(static_cast<std::uint64_t>(seed + 1), 2 + seed % 30, seed % 5, seed % 3);
    KktReference reference(scene.model, scene.initial);
    // Planned with and without a state to count rows at: another plan, the same answer.
    FrontSystem system(scene.model, seed % 2 == 0 ? &reference.kinematics() : nullptr);
    ASSERT_TRUE(system.factor(reference.kinematics(), true));
    const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
    reference.solve(f, b);
    const Solution got = solve_with(system, reference, f, b);
    motion = std::max(motion, relative(got.y, reference.y));
    // Relative to the forces: where nothing is jointed the joints' share of them is zero.
    balance =
        std::max(balance, (reference.M * got.y - f - reference.J.transpose() * got.lambda).lpNorm<Eigen::Infinity>() /
                              f.lpNorm<Eigen::Infinity>());
    known = std::max(known, lack_with_multipliers_of(got.y, f, reference.M, reference, system));
    ASSERT_EQ(system.redundant().size(), static_cast<std::size_t>(reference.J.rows() - rank_of(reference.J)));
    redundant += system.redundant().empty() ? 0 : 1;
    regular += reference.regular ? 1 : 0;
    const std::vector<bool> is_determined = determined(reference.J);
    const double scale = std::max(reference.lambda.lpNorm<Eigen::Infinity>(), 1e-300);  // 0 where there are no rows
    for (Eigen::Index i = 0; i < b.size(); ++i)
      if (is_determined[static_cast<std::size_t>(i)])
        reaction = std::max(reaction, std::abs(got.lambda[i] - reference.lambda[i]) / scale);
  }
  EXPECT_LE(motion, kTolerance);
  EXPECT_LE(reaction, kTolerance);
  EXPECT_LE(balance, kTolerance);
  EXPECT_LE(known, kTolerance);
  EXPECT_GE(redundant, 100);
  EXPECT_GE(regular, 60);
  RecordProperty("worst", fmt::format("motion {:.1e} reaction {:.1e} balance {:.1e}", motion, reaction, balance));
}

TEST(FrontSystem, loops_as_people_build_them_move_as_the_dense_solution_says) {
  std::vector<std::pair<std::string, Scene>> scenes;
  scenes.emplace_back("four-bars", workloads::four_bars(6));
  scenes.emplace_back("ladder of hinges", workloads::ladder(12));
  scenes.emplace_back("ladder of balls", workloads::ladder(12, JointKind::ball));
  scenes.emplace_back("plates", workloads::plate_grid(4));
  scenes.emplace_back("scissor lift", workloads::scissor_lift(8));
  scenes.emplace_back("chain mail", workloads::chain_mail(4));
  for (const char* name : {"strandbeest", "stewart", "jansen_legs", "bennett", "gear_train"})
    scenes.emplace_back(name, load(example(name)));
  for (const auto& [name, scene] : scenes) {
    SCOPED_TRACE(name);
    KktReference reference(scene.model, scene.initial);
    FrontSystem system(scene.model, &reference.kinematics());
    ASSERT_TRUE(system.factor(reference.kinematics(), true));
    const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
    reference.solve(f, b);
    const Solution got = solve_with(system, reference, f, b);
    EXPECT_LE(relative(got.y, reference.y), kTolerance);
    EXPECT_LE((reference.J * got.y - b).cwiseAbs().maxCoeff(),
              1e-12 * std::max(1.0, reference.y.cwiseAbs().maxCoeff()));
    EXPECT_LE((reference.M * got.y - f - reference.J.transpose() * got.lambda).cwiseAbs().maxCoeff(),
              kTolerance * std::max(f.cwiseAbs().maxCoeff(), got.lambda.cwiseAbs().maxCoeff()));
  }
}

TEST(FrontSystem, the_Strandbeests_108_redundant_rows_are_named_and_the_others_are_independent) {
  const Scene scene = load(example("strandbeest"));
  const KktReference reference(scene.model, scene.initial);
  FrontSystem system(scene.model, &reference.kinematics());
  ASSERT_TRUE(system.factor(reference.kinematics(), true));
  ASSERT_EQ(system.redundant().size(), 108U);
  std::set<int> named;
  for (const RowName& row : system.redundant()) named.insert(system.row_start(row.joint) + row.row);
  ASSERT_EQ(named.size(), 108U);
  Eigen::MatrixXd rest(reference.J.rows() - 108, reference.J.cols());
  for (int i = 0, k = 0; i < reference.J.rows(); ++i)
    if (!named.contains(i)) rest.row(k++) = reference.J.row(i);
  EXPECT_EQ(rank_of(rest), static_cast<int>(rest.rows()));
  // Six orders of empty space and more between what is independent and what is not.
  EXPECT_GE(system.elimination().least_pivot(), 0.05);
  EXPECT_LE(system.elimination().largest_null(), 1e-12);
}

TEST(FrontSystem, near_a_flat_pose_rows_are_met_and_accelerations_lose_digits_in_proportion_only) {
  for (const double angle : {1e-2, 1e-3, 1e-4}) {
    SCOPED_TRACE(angle);
    const Scene scene = workloads::four_bars(5, angle, 0.3);
    KktReference reference(scene.model, scene.initial);
    FrontSystem system(scene.model, &reference.kinematics());
    ASSERT_TRUE(system.factor(reference.kinematics(), true));
    EXPECT_EQ(system.redundant().size(), 15U);
    const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
    const Solution got = solve_with(system, reference, f, b);
    // One freedom: all cranks turn alike, so the energy method has the answer: (n + 1)(1/4 + I) + n of inertia, weights of (n + 1)/2 + n.
    const double n = 5, I = (1 + 0.05 * 0.05) / 12, inertia = (n + 1) * (0.25 + I) + n;
    const double wanted = 9.81 * ((n + 1) / 2 + n) * std::cos(angle) / inertia;  // about +y, falling
    const double error = std::abs(got.y[4] - wanted) / wanted;
    // eps times the reciprocal of the least pivot, squared at worst for the part of the load the rows must cancel.
    EXPECT_LE(error, 1e-15 / (angle * angle));
    EXPECT_LE((reference.J * got.y - b).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(FrontSystem, in_the_flat_pose_itself_the_freedoms_that_open_there_are_left_free) {
  const Scene scene = workloads::four_bars(5, 0, 0);
  KktReference reference(scene.model, scene.initial);
  FrontSystem system(scene.model, &reference.kinematics());
  ASSERT_TRUE(system.factor(reference.kinematics(), true));
  EXPECT_EQ(static_cast<int>(system.redundant().size()), static_cast<int>(reference.J.rows()) - rank_of(reference.J));
  const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
  reference.solve(f, b);
  EXPECT_LE(relative(solve_with(system, reference, f, b).y, reference.y), kTolerance);
}

// One four-bar of unit cranks: the row that its flat pose makes dependent has a pivot of about the angle.
TEST(FrontSystem, a_singular_pose_is_counted_once_on_the_way_in_and_once_on_the_way_out) {
  const auto at_angle = [](double angle) { return workloads::four_bars(1, angle, 0); };
  const Scene start = at_angle(0.3);
  Kinematics kinematics(start.model);
  kinematics.update(start.model, start.initial);
  FrontSystem system(start.model, &kinematics);
  const auto changes = [&](double angle) {
    const Scene scene = at_angle(angle);
    kinematics.update(start.model, scene.initial);
    EXPECT_TRUE(system.factor(kinematics, true));
    return system.rank_changes();
  };
  EXPECT_EQ(changes(0.3), 0);
  EXPECT_EQ(changes(0.1), 0);
  const std::size_t redundant = system.redundant().size();
  EXPECT_EQ(changes(0), 1);
  EXPECT_EQ(system.redundant().size(), redundant + 1);
  // Lingering at the tolerance changes nothing; away from it the freedom is lost again.
  for (const double angle : {FrontElimination::kRankTolerance * 1.2, 0.0, FrontElimination::kRankTolerance * 1.1})
    EXPECT_EQ(changes(angle), 1);
  EXPECT_EQ(changes(0.1), 2);
  EXPECT_EQ(system.redundant().size(), redundant);
}

TEST(FrontSystem, the_compliance_of_bodies_has_the_columns_of_as_many_solves) {
  std::vector<Scene> scenes = {load(example("strandbeest")), workloads::ladder(8),
                               workloads::random_graph(12, 25, 4, 1)};
  for (const Scene& scene : scenes) {
    const KktReference reference(scene.model, scene.initial);
    FrontSystem system(scene.model, &reference.kinematics());
    ASSERT_TRUE(system.factor(reference.kinematics(), true));
    std::vector<BodyId> bodies;
    for (std::size_t i = 1; i < scene.model.bodies.size() && bodies.size() < 6; i += 4) bodies.emplace_back(i);
    Eigen::MatrixXd W;
    ASSERT_TRUE(system.body_compliance(bodies, W));
    const std::vector<double> zero(static_cast<std::size_t>(system.rows()), 0.0);
    Eigen::Index column = 0;
    for (const BodyId pushed : bodies)
      for (int c = 0; c < dimension(scene.model.bodies[pushed].kind); ++c, ++column) {
        std::vector<BodyVector> y(scene.model.bodies.size());
        double unit[7] = {};
        unit[c] = 1;
        y[pushed] = from_components(scene.model.bodies[pushed].kind, unit);
        system.solve(zero, y, {});
        Eigen::Index row = 0;
        for (const BodyId body : bodies) {
          double moved[7];
          const int d = components(scene.model.bodies[body].kind, y[body], moved);
          for (int r = 0; r < d; ++r, ++row) EXPECT_NEAR(W(row, column), moved[r], 1e-11 * W.cwiseAbs().maxCoeff());
        }
      }
    EXPECT_EQ(column, W.cols());
  }
}

TEST(FrontSystem, redundant_loop_forces_of_one_front_are_those_of_least_norm) {
  // Two equal threads hold a weight: they share it.
  ModelBuilder builder;
  builder.body({.name = "bob", .kind = BodyKind::particle, .mass = 2.0, .position = {0, 0, -1}});
  for (const char* name : {"left", "right"})
    builder.joint({.name = name,
                   .kind = JointKind::distance,
                   .between = {"ground", "bob"},
                   .anchors = std::array{Vec3{}, Vec3{0, 0, -1}}});
  const BuiltModel built = builder.build();
  const KktReference reference(built.model, built.initial);
  FrontSystem system(built.model);
  ASSERT_TRUE(system.factor(reference.kinematics(), true));
  const Solution got = solve_with(system, reference, reference.weight_and_gyration(), reference.minus_c());
  EXPECT_NEAR(got.lambda[0], got.lambda[1], 1e-13);
  EXPECT_NEAR(std::abs(got.lambda[0]), 9.81, 1e-12);
}

TEST(FrontSystem, contradictory_right_hand_sides_are_met_in_the_least_squares_sense) {
  // A four-bar whose rows are asked for something no motion does: what is left over is orthogonal to all motions of the rows.
  const BuiltModel built = four_bar();
  const KktReference reference(built.model, built.initial);
  FrontSystem system(built.model);
  ASSERT_TRUE(system.factor(reference.kinematics(), true));
  ASSERT_EQ(system.elimination().plan().fronts.size(), 1U);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(reference.J.rows());
  const int closing = system.row_start(system.redundant().front().joint);
  b[closing + system.redundant().front().row] = 1e-7;
  const Solution got = solve_with(system, reference, Eigen::VectorXd::Zero(reference.J.cols()), b);
  EXPECT_GT(system.elimination().inconsistency(), 0.1);
  const Eigen::VectorXd left = b - reference.J * got.y;
  EXPECT_GT(left.norm(), 1e-9);
  // The joints of the front's forest hold exactly; the closing joint's rows share what is left.
  EXPECT_LE(left.norm(), 1e-7);
  for (Eigen::Index i = 0; i < left.size(); ++i)
    if (i < closing || i >= closing + 5) {
      EXPECT_LE(std::abs(left[i]), 1e-20);
    }
}

TEST(FrontSystem, at_states_a_little_off_the_joints_as_many_rows_are_taken_for_dependent_as_at_the_last_closed_one) {
  Scene scene = load(example("bennett"));  // its rows depend on each other only where it is closed
  Kinematics kinematics(scene.model);
  kinematics.update(scene.model, scene.initial);
  FrontSystem system(scene.model, &kinematics);
  ASSERT_TRUE(system.factor(kinematics, true));
  const std::size_t closed = system.redundant().size();
  ASSERT_GE(closed, 1U);
  for (BodyState& body : scene.initial.bodies) body.position += 1e-6 * Vec3{body.position.y, -body.position.x, 0.3};
  scene.initial.bodies[1].position.x += 1e-6;
  kinematics.update(scene.model, scene.initial);
  ASSERT_TRUE(system.factor(kinematics));
  EXPECT_EQ(system.redundant().size(), closed);
}

TEST(FrontSystem, a_closed_state_is_factored_once_and_another_one_or_other_inertia_anew) {
  const Scene scene = workloads::four_bars(3);
  State moved = scene.initial;
  for (BodyState& body : moved.bodies) body.position.z += 1e-3 * body.position.x;
  Kinematics here(scene.model), there(scene.model);
  here.update(scene.model, scene.initial);
  there.update(scene.model, moved);
  FrontSystem system(scene.model, &here), fresh(scene.model, &here);
  const std::vector<double> b(static_cast<std::size_t>(system.rows()));
  const auto motion = [&](FrontSystem& of) {
    std::vector<BodyVector> y;
    for (const Body& body : scene.model.bodies) y.push_back({body.mass * scene.model.gravity, {}, 0});
    of.solve_any(b, y, {});
    return y;
  };
  const auto same = [](const std::vector<BodyVector>& x, const std::vector<BodyVector>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), [](const BodyVector& a, const BodyVector& c) {
      return a.linear == c.linear && a.angular == c.angular;
    });
  };
  ASSERT_TRUE(system.factor(here, true));
  const std::vector<BodyVector> first = motion(system);
  ASSERT_TRUE(system.factor(here, true));
  EXPECT_TRUE(same(motion(system), first));
  ASSERT_TRUE(system.factor(there, true));
  ASSERT_TRUE(fresh.factor(there, true));
  EXPECT_FALSE(same(motion(system), first));
  EXPECT_TRUE(same(motion(system), motion(fresh)));
  ASSERT_TRUE(system.factor(here, true));
  EXPECT_TRUE(same(motion(system), first));
  std::vector<JointArray> inertia(scene.model.joints.size());
  std::size_t joint = 0;
  while (joint < inertia.size() && !system.carries_inertia(JointId(joint))) ++joint;
  ASSERT_LT(joint, inertia.size());
  inertia[joint][0] = 1;
  system.set_freedom_inertia(inertia);
  ASSERT_TRUE(system.factor(here, true));
  EXPECT_FALSE(same(motion(system), first));
}

// ½ a s² along every coordinate that carries it, of joints in the forests and of those that close loops: M + Σ a JᵀJ of the coordinates' rows.
TEST(FrontSystem, inertia_along_joints_that_close_loops_is_that_of_the_dense_mass_matrix) {
  std::vector<std::pair<std::string, Scene>> scenes;
  scenes.emplace_back("four-bars", workloads::four_bars(6));
  scenes.emplace_back("ladder", workloads::ladder(12));
  scenes.emplace_back("scissor lift", workloads::scissor_lift(8));
  for (const char* name : {"stewart", "strandbeest"}) scenes.emplace_back(name, load(example(name)));
  scenes.emplace_back("DR Legs", load(data("dr_legs_hang")));
  int closed = 0;
  for (const auto& [name, scene] : scenes) {
    SCOPED_TRACE(name);
    KktReference reference(scene.model, scene.initial);
    FrontSystem system(scene.model, &reference.kinematics());
    std::vector<JointArray> inertia(scene.model.joints.size());
    std::vector<int> first{0};
    for (const Body& body : scene.model.bodies) first.push_back(first.back() + dimension(body.kind));
    Eigen::MatrixXd M = reference.M;
    std::set<int> closing;
    for (const BodyFront& front : system.elimination().plan().fronts)
      for (const ClosingJoint& joint : front.closing) closing.insert(joint.joint.value());
    Rows rows;
    for (std::size_t j = 0; j < inertia.size(); ++j) {
      const Joint& joint = scene.model.joints[j];
      // A motor that prescribes the coordinate leaves no motion for its inertia to resist.
      if (!system.carries_inertia(JointId(j)) || scene.model.extras_of(joint).motor) continue;
      closed += closing.contains(static_cast<int>(j)) ? 1 : 0;
      joint_coordinates(joint, reference.kinematics(), rows);
      for (int k = 0; k < rows.count; ++k) {
        const double a = inertia[j][static_cast<std::size_t>(k)] = 0.3 + 0.1 * static_cast<double>((j + 1) % 7);
        Eigen::VectorXd J = Eigen::VectorXd::Zero(M.rows());
        for (const auto& [body, row] : {std::pair(joint.a, rows[k].a), std::pair(joint.b, rows[k].b)})
          if (body.valid())
            place(J.segment(first[body], dimension(scene.model.bodies[body].kind)), scene.model.bodies[body].kind, row);
        M += a * J * J.transpose();
      }
    }
    system.set_freedom_inertia(inertia);
    ASSERT_TRUE(system.factor(reference.kinematics(), true));
    reference.H.topLeftCorner(M.rows(), M.cols()) = M;
    const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
    reference.solve(f, b);
    const Solution got = solve_with(system, reference, f, b);
    // Axes of DR Legs contradict each other by 2e-8.
    EXPECT_LE(relative(got.y, reference.y), name == "DR Legs" ? 1e-6 : kTolerance);
    EXPECT_LE(
        (M * got.y - f - reference.J.transpose() * got.lambda).cwiseAbs().maxCoeff(),
        (name == "DR Legs" ? 1e-6 : kTolerance) * std::max(f.cwiseAbs().maxCoeff(), got.lambda.cwiseAbs().maxCoeff()));
    EXPECT_LE(lack_with_multipliers_of(got.y, f, M, reference, system), name == "DR Legs" ? 1e-6 : kTolerance);
  }
  EXPECT_GE(closed, 6 + 12 + 36 + 6);  // of the four-bars, the ladder, the strandbeest and DR Legs
}

TEST(FrontSystem, motions_of_a_mechanism_that_balances_well_need_no_multipliers) {
  const Scene scene = load(example("strandbeest"));
  const KktReference reference(scene.model, scene.initial);
  FrontSystem system(scene.model, &reference.kinematics());
  ASSERT_TRUE(system.multipliers_cost_extra());
  ASSERT_TRUE(system.factor(reference.kinematics(), true));
  const std::vector<double> b(static_cast<std::size_t>(system.rows()));
  std::vector<double> lambda(b.size());
  std::vector<BodyVector> alone, with;
  for (const Body& body : scene.model.bodies) alone.push_back({body.mass * scene.model.gravity, {}, 0});
  with = alone;
  system.solve_any(b, alone, {});
  system.solve(b, with, lambda);
  // Accelerations of up to 10 m/s² over pivots of 0.05 and more.
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_LE(norm(alone[i].linear - with[i].linear), 1e-11);
    EXPECT_LE(norm(alone[i].angular - with[i].angular), 1e-11);
  }
}

TEST(FrontSystem, rows_of_open_joints_are_met_as_they_are) {
  // The points of a joint coincide inside fronts; a second solve accounts for the gap.
  Scene scene = workloads::ladder(4, JointKind::ball);
  for (std::size_t i = 0; i < scene.initial.bodies.size(); ++i)
    scene.initial.bodies[i].position.y += 1e-6 * static_cast<double>(i % 3);
  KktReference reference(scene.model, scene.initial);
  FrontSystem system(scene.model, &reference.kinematics());
  ASSERT_TRUE(system.factor(reference.kinematics()));
  const Eigen::VectorXd f = reference.weight_and_gyration(), b = reference.minus_c();
  reference.solve(f, b);
  const Solution got = solve_with(system, reference, f, b);
  EXPECT_LE(relative(got.y, reference.y), 1e-9);  // the gap squared, times the condition of the ladder
}

// Its positions have no more digits; to look for them would take all iterations, a factorisation each, in every step.
TEST(FrontSystem, a_linkage_far_from_the_origin_is_left_alone_once_it_is_closed_to_the_rounding_of_its_positions) {
  Scene scene = workloads::four_bars(3);
  for (BodyState& body : scene.initial.bodies) body.position += Vec3{1e3, 2e3, -1e3};
  for (Joint& joint : scene.model.joints) {
    if (!joint.a.valid()) joint.anchor_a += Vec3{1e3, 2e3, -1e3};
    if (!joint.b.valid()) joint.anchor_b += Vec3{1e3, 2e3, -1e3};
  }
  Dynamics dynamics(scene.model, scene.initial, LinearSolver::fronts);
  Projection projection(dynamics, scene.initial, 1);
  State state = scene.initial;
  state.bodies[1].position.x += 1e-7;
  EXPECT_LE(projection.positions(state, true, 30).scaled, 1e-11);
  const State closed = state;
  projection.positions(state, true, 30);
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    EXPECT_TRUE(state.bodies[i].position == closed.bodies[i].position) << i;
}

TEST(FrontSystem, loops_with_axes_in_single_precision_are_assembled_with_a_word_about_it) {
  for (const char* name : {"float_loop", "dr_legs_hang"}) {
    SCOPED_TRACE(name);
    Scene scene = load(data(name));
    Warnings warnings;
    ASSERT_NO_THROW(assemble(scene.model, scene.initial, LinearSolver::fronts, warnings));
    Dynamics dynamics(scene.model, scene.initial, LinearSolver::fronts);
    Projection projection(dynamics, scene.initial, mechanism_size(scene.model, scene.initial));
    EXPECT_LE(projection.drift(scene.initial).scaled, Projection::kContradiction);
    ASSERT_TRUE(dynamics.accelerations(scene.initial));
    for (const BodyVector& v : dynamics.vdot)
      EXPECT_LE(norm(v.linear), 1e3);  // the loop moves, and is not torn at its noise
  }
}

}  // namespace front_system_test
}  // namespace catena
