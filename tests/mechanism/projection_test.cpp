// What closing does: it meets the rows, by the smallest change in the metric of the mass matrix.
#include "catena/mechanism/projection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"
#include "mechanism/mechanism_testing.h"

namespace catena {
namespace projection_test {

using namespace testing_mechanism;

// Off the joints, by about `by` m and rad, and moving as they do not allow.
State opened(const Scene& scene, double by) {
  State state = scene.initial;
  std::mt19937_64 engine(7);
  const auto u = [&] { return std::uniform_real_distribution<double>(-1, 1)(engine); };
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    displace(scene.model.bodies[i].kind, by * BodyVector{{u(), u(), u()}, {u(), u(), u()}, 0}, state.bodies[i]);
    state.bodies[i].velocity += {u(), u(), u()};
    state.bodies[i].angular_velocity += {u(), u(), u()};
  }
  return state;
}

struct Closed {
  Scene scene;
  double size;
  Dynamics dynamics;
  Projection projection;

  explicit Closed(const Scene& of)
      : scene(of),
        size(mechanism_size(scene.model, scene.initial)),
        dynamics(scene.model, scene.initial, LinearSolver::automatic),
        projection(dynamics, scene.initial, size) {}
};

TEST(Projection, positions_are_met_to_the_tolerance_in_a_few_iterations) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const int loops : {0, 2}) {
      SCOPED_TRACE(testing::Message() << seed << ' ' << loops);
      Closed at(workloads::random_linkage(seed, 8, loops));
      State state = opened(at.scene, 1e-3);
      EXPECT_GT(at.projection.drift(state).scaled, 1e-5);
      const Drift left = at.projection.positions(state, true, 20);
      EXPECT_LE(left.scaled, Projection::kTolerance);
      const KktReference reference(at.scene.model, state);
      for (std::size_t i = 0; i < reference.rows().phi.size(); ++i)
        if (reference.rows().holonomic[i]) {
          EXPECT_LE(std::abs(reference.rows().phi[i]), 1e-12 * (1 + at.size));
        }
    }
}

// M d = Jᵀλ at the beginning of a small move: of what is left out of the range of Jᵀ there is as much as the move squared.
TEST(Projection, the_move_onto_the_joints_has_no_part_along_what_they_leave_free) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Closed at(workloads::random_linkage(seed, 7, 1));
    constexpr double kBy = 1e-5;
    const State open = opened(at.scene, kBy);
    State state = open;
    at.projection.positions(state, true, 20);
    const KktReference reference(at.scene.model, open);
    std::vector<BodyVector> d;
    for (std::size_t i = 0; i < state.bodies.size(); ++i)
      d.push_back({state.bodies[i].position - open.bodies[i].position,
                   log_rotation(state.bodies[i].orientation * open.bodies[i].orientation.conjugate()), 0});
    const Eigen::VectorXd push = reference.M * reference.flat(d);
    const Eigen::MatrixXd Jt = reference.J.transpose();
    const Eigen::VectorXd left = push - Jt * Jt.completeOrthogonalDecomposition().solve(push);
    EXPECT_GT(push.norm(), 0.01 * kBy);
    EXPECT_LE(left.norm(), 100 * kBy * push.norm());
  }
}

// J v = u, and M Δv = Jᵀλ: the dense system's answer.
TEST(Projection, velocities_change_by_the_least_that_meets_the_joints) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Closed at(pushed_linkage(seed, 8, 2));
    State state = opened(at.scene, 0);
    KktReference reference(at.scene.model, state);
    const std::vector<BodyVector> before = velocities_of(state);
    const Eigen::VectorXd v = reference.flat(before);
    const Eigen::VectorXd u = Eigen::Map<const Eigen::VectorXd>(reference.rows().u.data(), reference.J.rows());
    reference.solve(Eigen::VectorXd::Zero(v.size()), u - reference.J * v);
    ASSERT_TRUE(at.projection.velocities(state));
    const Eigen::VectorXd change = reference.flat(velocities_of(state)) - v;
    EXPECT_GT(change.norm(), 0.1);
    EXPECT_LE((change - reference.y).norm(), 1e-10 * change.norm());
    EXPECT_LE((reference.J * (v + change) - u).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST(Projection, drift_tells_lengths_from_angles_and_names_the_joint_that_is_widest_open) {
  Closed at(workloads::random_linkage(2, 8, 0));
  std::vector<double> b(static_cast<std::size_t>(at.dynamics.row_count()));
  RowSet rows = at.dynamics.rows();
  const auto is_angle = [&](std::size_t i) {
    for (int t = rows.start[i]; t < rows.start[i + 1]; ++t)
      if (norm(rows.J[t].linear) != 0) return false;
    return true;
  };
  for (std::size_t i = 0; i < b.size(); ++i) {
    b.assign(b.size(), 1e-9);
    b[i] = -0.02;
    const Drift drift = at.projection.read(b);
    EXPECT_EQ(is_angle(i) ? drift.angle : drift.position, 0.02) << i;
    EXPECT_EQ(drift.worst, rows.joint_of[i]);
    EXPECT_NEAR(drift.scaled, is_angle(i) ? 0.02 : 0.02 / at.size, 1e-15);
  }
  b[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(at.projection.read(b).scaled));
}

TEST(Assemble, an_initial_state_is_closed_in_positions_and_velocities_and_what_moved_far_is_said) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Scene scene = workloads::random_linkage(seed, 8, 2);
    State state = opened(scene, 1e-3);
    Warnings warnings;
    assemble(scene.model, state, LinearSolver::automatic, warnings);
    EXPECT_FALSE(warnings.empty());
    const KktReference reference(scene.model, state);
    const double size = mechanism_size(scene.model, state);
    for (std::size_t i = 0; i < reference.rows().phi.size(); ++i)
      if (reference.rows().holonomic[i]) {
        EXPECT_LE(std::abs(reference.rows().phi[i]), 1e-12 * (1 + size));
      }
    EXPECT_LE((reference.J * reference.flat(velocities_of(state))).cwiseAbs().maxCoeff(), 1e-10);
    State again = state;
    Warnings none;
    assemble(scene.model, again, LinearSolver::automatic, none);
    EXPECT_TRUE(none.empty()) << none.front();
  }
}

// The distance of two points that are 3 m apart and cannot come nearer than 1 m by a body of 1 m between them.
TEST(Assemble, a_joint_that_cannot_be_closed_is_named_with_what_it_is_open_by) {
  ModelBuilder builder;
  builder.body({.name = "rod", .mass = 1, .inertia = Sym3::diagonal(0.1, 0.2, 0.3), .position = {0.4, 0.1, 0.2}});
  builder.joint({.name = "left", .kind = JointKind::ball, .between = {"ground", "rod"}, .anchor = Vec3{}});
  JointSpec right{.name = "right", .kind = JointKind::ball, .between = {"ground", "rod"}};
  right.anchors = {Vec3{3, 0, 0}, Vec3{0.8, 0.2, 0.4}};
  builder.joint(right);
  try {
    const BuiltModel built = builder.build();
    State state = built.initial;
    Warnings warnings;
    assemble(built.model, state, LinearSolver::automatic, warnings);
    FAIL() << "it was closed";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).find("'left'") != std::string::npos ||
                std::string(error.what()).find("'right'") != std::string::npos)
        << error.what();
  }
}

}  // namespace projection_test
}  // namespace catena
