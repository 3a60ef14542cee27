#include "catena/primary/maximal_system.h"

#include <gtest/gtest.h>

#include <array>

#include "bench/workloads.h"
#include "catena/mechanism/projection.h"
#include "joints/kkt_reference.h"

namespace catena {
namespace maximal_system_test {

using testing_kkt::KktReference;
using testing_kkt::relative;
using workloads::Shape;

struct Operations {
  std::int64_t factor = 0, solve = 0;
  friend bool operator==(const Operations&, const Operations&) = default;
  friend Operations operator-(const Operations& a, const Operations& b) {
    return {a.factor - b.factor, a.solve - b.solve};
  }
};

Operations count(const Scene& scene) {
  MaximalSystem system(scene.model, build_forest(scene.model));
  Kinematics kinematics(scene.model);
  kinematics.update(scene.model, scene.initial);
  std::vector<BodyVector> y(scene.model.bodies.size());
  std::vector<double> b(static_cast<std::size_t>(system.rows())), lambda(b.size());
  Operations operations;
  system.take_operations();
  EXPECT_TRUE(system.factor(kinematics));
  operations.factor = system.take_operations();
  system.solve(b, y, lambda);
  operations.solve = system.take_operations();
  return operations;
}

// Kinds whose frames coincide when they are closed, as those of a linkage() do.
constexpr JointKind kKinds[] = {JointKind::ball,
                                JointKind::hinge,
                                JointKind::slider,
                                JointKind::cylindrical,
                                JointKind::planar,
                                JointKind::weld,
                                JointKind::screw,
                                JointKind::point_on_line,
                                JointKind::point_on_plane,
                                JointKind::aligned_axes,
                                JointKind::fixed_orientation};

TEST(Cost, block_operations_are_exactly_linear_in_the_number_of_bodies) {
  for (const Shape shape : {Shape::chain, Shape::tree})
    for (const JointKind kind : kKinds) {
      SCOPED_TRACE(name_of(kind));
      const int n = 100;
      const Operations one = count(workloads::linkage(shape, kind, n)),
                       two = count(workloads::linkage(shape, kind, 2 * n)),
                       three = count(workloads::linkage(shape, kind, 3 * n));
      EXPECT_TRUE(three - two == two - one);
      EXPECT_GT((two - one).factor, 0);
      EXPECT_GT((two - one).solve, 0);
      // A handful a body, not something that hides an n.
      EXPECT_LE((two - one).factor, 8 * n);
      EXPECT_LE((two - one).solve, 6 * n);
    }
}

TEST(MaximalSystem, a_tree_of_every_kind_is_solved_like_its_KKT_matrix) {
  for (const Shape shape : {Shape::chain, Shape::tree})
    for (const JointKind kind : kKinds) {
      SCOPED_TRACE(name_of(kind));
      const Scene scene = workloads::linkage(shape, kind, 12);
      KktReference reference(scene.model, scene.initial);
      MaximalSystem system(scene.model, build_forest(scene.model));
      ASSERT_TRUE(system.factor(reference.kinematics()));
      const Eigen::VectorXd f = Eigen::VectorXd::LinSpaced(reference.M.rows(), -1, 2).array().sin();
      const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(reference.J.rows(), 0.3, 4).array().cos();
      reference.solve(f, b);
      ASSERT_TRUE(reference.regular);
      std::vector<BodyVector> y = reference.bodies(f);
      std::vector<double> lambda(static_cast<std::size_t>(b.size()));
      system.solve(std::span(b.data(), lambda.size()), y, lambda);
      EXPECT_LE(relative(reference.flat(y), reference.y), 1e-11);
      EXPECT_LE(relative(Eigen::Map<Eigen::VectorXd>(lambda.data(), b.size()), reference.lambda), 1e-11);
    }
}

TEST(MaximalSystem, a_joint_written_from_the_child_gives_the_same_motion) {
  Scene scene = workloads::linkage(Shape::tree, JointKind::hinge, 15);
  Warnings changed;
  assemble(scene.model, scene.initial, LinearSolver::dense, changed);  // velocities the hinges allow
  Scene turned = scene;
  for (std::size_t j = 0; j < turned.model.joints.size(); j += 2) {
    Joint& joint = turned.model.joints[j];
    std::swap(joint.a, joint.b);
    std::swap(joint.anchor_a, joint.anchor_b);
    std::swap(joint.frame_a, joint.frame_b);
  }
  const auto motion = [](const Scene& s) {
    KktReference reference(s.model, s.initial);
    MaximalSystem system(s.model, build_forest(s.model));
    EXPECT_TRUE(system.factor(reference.kinematics()));
    std::vector<double> b(static_cast<std::size_t>(system.rows())), lambda(b.size());
    system.acceleration_rhs(reference.kinematics(), b);
    std::vector<BodyVector> y = reference.bodies(reference.weight_and_gyration());
    system.solve(b, y, lambda);
    return reference.flat(y);
  };
  EXPECT_LE(relative(motion(turned), motion(scene)), 1e-11);
}

TEST(MaximalSystem, one_factorisation_serves_many_right_hand_sides) {
  const Scene scene = workloads::linkage(Shape::tree, JointKind::ball, 30);
  const KktReference reference(scene.model, scene.initial);
  MaximalSystem system(scene.model, build_forest(scene.model));
  ASSERT_TRUE(system.factor(reference.kinematics()));
  const auto solve = [&](double factor) {
    std::vector<double> b(static_cast<std::size_t>(system.rows()), 0.3 * factor), lambda(b.size());
    std::vector<BodyVector> y(scene.model.bodies.size(), factor * BodyVector{{1, 2, -1}, {0.5, 0, 3}, 0});
    system.solve(b, y, lambda);
    return reference.flat(y);
  };
  const Eigen::VectorXd first = solve(1), other = solve(-2.5), again = solve(1);
  EXPECT_EQ(first, again);
  EXPECT_LE(relative(other, -2.5 * first), 1e-13);
}

TEST(MaximalSystem, the_response_is_the_motion_under_a_force_with_closed_joints) {
  const Scene scene = workloads::random_mechanism(7, 20, 0);
  const KktReference reference(scene.model, scene.initial);
  MaximalSystem system(scene.model, build_forest(scene.model));
  ASSERT_TRUE(system.factor(reference.kinematics()));
  const Forest& forest = system.forest();
  // A force on the last node; active: its path to the root.
  std::vector<int> active;
  for (int i = static_cast<int>(forest.nodes.size()) - 1; i >= 0; i = forest.nodes[static_cast<std::size_t>(i)].parent)
    active.push_back(i);
  std::reverse(active.begin(), active.end());
  const BodyId body = forest.nodes.back().body;
  const BodyVector force = restricted(scene.model.bodies[body].kind, {{1, -2, 0.5}, {0.3, 1, -1}, 0.2});
  std::vector<BodyVector> whole(scene.model.bodies.size()), path(whole.size());
  whole[body] = path[body] = force;
  // A right-hand side that is not zero before must not leak into the response.
  std::vector<double> b(static_cast<std::size_t>(system.rows()), 1.0), zero(b.size()), lambda(b.size());
  std::vector<BodyVector> dirty(whole.size());
  system.solve(b, dirty, lambda);
  system.respond(active, path);
  system.solve(zero, whole, lambda);
  for (const int i : active) {
    const BodyId at = forest.nodes[static_cast<std::size_t>(i)].body;
    EXPECT_LE(norm(path[at].linear - whole[at].linear) + norm(path[at].angular - whole[at].angular), 1e-12);
  }
}

TEST(MaximalSystem, a_joint_whose_rows_depend_on_each_other_is_named) {
  Scene scene = workloads::linkage(Shape::chain, JointKind::ball, 3);
  // Axes that are parallel cannot be kept perpendicular: the row is zero.
  Joint& joint = scene.model.joints[1];
  joint.kind = JointKind::perpendicular_axes;
  joint.frame_a = joint.frame_b = {};
  scene.initial.bodies[0].orientation = scene.initial.bodies[1].orientation = {};
  MaximalSystem system(scene.model, build_forest(scene.model));
  Kinematics kinematics(scene.model);
  kinematics.update(scene.model, scene.initial);
  EXPECT_FALSE(system.factor(kinematics));
  EXPECT_EQ(system.failed_joint(), JointId(1));
}

// Half a kilobyte a body or so: a million of them fit into a gigabyte with everything else.
TEST(MaximalSystem, the_memory_of_a_ball_jointed_body_is_bounded) {
  const auto bytes = [](int n) {
    const Scene scene = workloads::linkage(Shape::tree, JointKind::ball, n);
    return MaximalSystem(scene.model, build_forest(scene.model)).bytes();
  };
  EXPECT_LE((bytes(4000) - bytes(2000)) / 2000, 800u);
}

}  // namespace maximal_system_test
}  // namespace catena
