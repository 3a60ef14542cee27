// One mechanism in both coordinates: what laws do to it, and that its motion is what its own problem says.
#include "catena/mechanism/mechanism.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/equations_testing.h"

namespace catena {
namespace mechanism_test {

using namespace testing_mechanism;

constexpr double kH = 0.01;

std::vector<BodyVector> applied(Equations& at) {
  std::vector<BodyVector> f(at.model.bodies.size());
  Powers powers;
  at.dynamics.forces().external(at.model, at.dynamics.kinematics(), at.dynamics.coordinates(), f, powers);
  return f;
}

// z of no law, but nothing zero.
solve::Vector some_impulses(int n) {
  solve::Vector z(n);
  for (int i = 0; i < n; ++i) z[i] = std::sin(1.0 + i);
  return z;
}

struct Moved {
  Scene scene;
  Equations at;
  LawRows laws;
  std::vector<BodyVector> f;
  solve::Vector z;

  Moved(std::uint64_t seed, int loops, bool reduced)
      : scene(pushed_linkage(seed, 7, loops)),
        at(scene, reduced),
        laws(random_laws(scene.model, seed, 6)),
        f(applied(at)) {
    Mechanism& mechanism = at.of->mechanism();
    mechanism.place(at.state);
    EXPECT_TRUE(mechanism.factor({}));
    mechanism.free_motion(kH, false, f, {});
    mechanism.assemble(laws, 0);
    mechanism.load(laws);
    z = some_impulses(mechanism.problem().size());
    mechanism.answer(laws, z);
  }
  Mechanism& mechanism() { return at.of->mechanism(); }
};

// w = J v⁺ + Σ z − target, by the bodies' motion, is A z + b, by the problem.
TEST(Mechanism, its_motion_is_what_its_problem_says_of_the_laws) {
  for (const bool reduced : {false, true})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(testing::Message() << seed << (reduced ? " reduced" : " maximal"));
      Moved moved(seed, static_cast<int>(seed % 2), reduced);
      Mechanism& mechanism = moved.mechanism();
      const solve::Vector w = solve::to_dense(mechanism.problem().A) * moved.z + mechanism.problem().b;
      const double size = 1 + w.cwiseAbs().maxCoeff();
      for (const LawBlock& block : moved.laws.blocks)
        for (int i = block.first; i < block.first + block.size; ++i) {
          const LawRow& row = moved.laws.rows[static_cast<std::size_t>(i)];
          const int at = mechanism.first_row() + i;
          EXPECT_NEAR(times(moved.laws, block, row, mechanism.motion()) + row.sigma * moved.z[at] - row.target, w[at],
                      1e-9 * size);
        }
      EXPECT_LE(mechanism.residual(kH, moved.f, moved.laws, moved.z), 1e-10);
    }
}

TEST(Mechanism, laws_change_its_velocities_alike_in_both_coordinates) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const int loops = static_cast<int>(seed % 3);
    Moved maximal(seed, loops, false), reduced(seed, loops, true);
    const std::vector<BodyVector> wanted = maximal.mechanism().change();
    EXPECT_LE(size_of(difference(reduced.mechanism().change(), wanted)), 1e-9 * size_of(wanted));
    const Eigen::MatrixXd A = solve::to_dense(maximal.mechanism().problem().A);
    EXPECT_LE((solve::to_dense(reduced.mechanism().problem().A) - A).cwiseAbs().maxCoeff(),
              1e-9 * A.cwiseAbs().maxCoeff());
    // An impact: the same, in no time.
    State a = maximal.at.state, b = reduced.at.state;
    maximal.mechanism().strike(a);
    reduced.mechanism().strike(b);
    EXPECT_LE(size_of(difference(velocities_of(a), velocities_of(b))), 1e-9 * size_of(velocities_of(a)));
    EXPECT_LE(size_of(difference(difference(velocities_of(a), velocities_of(maximal.at.state)), wanted)),
              1e-11 * size_of(wanted));
  }
}

// Without laws: M (v⁺ − v) − Gᵀλ = h f, G v⁺ = u at the positions placed.
TEST(MaximalMechanism, its_free_motion_is_that_of_the_dense_system) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Moved moved(seed, static_cast<int>(seed % 3), false);
    KktReference reference(moved.scene.model, moved.scene.initial);
    const Eigen::VectorXd v = reference.flat(velocities_of(moved.scene.initial));
    std::vector<BodyVector> f = moved.f;
    for (std::size_t i = 0; i < f.size(); ++i)
      f[i] += velocity_force(moved.scene.model, reference.kinematics(), BodyId(i));
    const Eigen::VectorXd u = Eigen::Map<const Eigen::VectorXd>(reference.rows().u.data(), reference.J.rows());
    reference.solve(kH * reference.flat(f), u - reference.J * v);
    EXPECT_LE(relative(reference.flat(moved.mechanism().unforced()) - v, reference.y), 1e-8);
  }
}

// A step at its middle: positions follow the mean velocity, joints hold in position to rounding, and in velocity as well as the speeds of the bodies
// let their rows be read.
TEST(Mechanism, after_moving_and_closing_its_joints_hold_in_position_and_velocity) {
  for (const bool reduced : {false, true})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(testing::Message() << seed << (reduced ? " reduced" : " maximal"));
      const Scene scene = pushed_linkage(seed, 7, static_cast<int>(seed % 3));
      Equations at(scene, reduced);
      Mechanism& mechanism = at.of->mechanism();
      State state = at.state;
      mechanism.place(state);
      mechanism.look_ahead(0.5 * kH, state);
      const std::vector<BodyVector> f = applied(at);
      ASSERT_TRUE(mechanism.factor({}));
      mechanism.free_motion(kH, true, f, {});
      ASSERT_TRUE(mechanism.refine(kH));
      const LawRows none;
      mechanism.assemble(none, 0);
      mechanism.load(none);
      mechanism.answer(none, solve::Vector::Zero(mechanism.problem().size()));
      mechanism.move(kH, true, {}, state);
      state.time += kH;
      EXPECT_TRUE(mechanism.close(state).closed);
      const KktReference reference(scene.model, state);
      for (std::size_t i = 0; i < reference.rows().phi.size(); ++i)
        if (reference.rows().holonomic[i]) {
          EXPECT_LE(std::abs(reference.rows().phi[i]), 1e-12 * (1 + at.size));
        }
      const Eigen::VectorXd v = reference.flat(velocities_of(state));
      EXPECT_LE((reference.J * v).cwiseAbs().maxCoeff(), 1e-8 * (1 + v.norm()));
      double moved = 0;
      for (std::size_t i = 0; i < state.bodies.size(); ++i)
        moved += norm(state.bodies[i].position - scene.initial.bodies[i].position);
      EXPECT_GT(moved, 1e-4);
    }
}

// T + V, told once a state.
TEST(Mechanism, its_energy_is_that_of_the_state_placed) {
  for (const bool reduced : {false, true}) {
    const Scene scene = pushed_linkage(3, 6, 0);
    Equations at(scene, reduced);
    const KktReference reference(scene.model, scene.initial);
    const Eigen::VectorXd v = reference.flat(velocities_of(scene.initial));
    EXPECT_NEAR(at.of->mechanism().energy().kinetic, 0.5 * v.dot(reference.M * v), 1e-11 * (1 + v.squaredNorm()));
    const double before = at.of->mechanism().energy().total();
    for (BodyState& s : at.state.bodies) s.position += Vec3{0.1, -0.2, 0.5};
    if (reduced) continue;  // in joint coordinates the bodies would be put back
    at.of->mechanism().place(at.state);
    EXPECT_GT(std::abs(at.of->mechanism().energy().total() - before), 1e-3);
  }
}

}  // namespace mechanism_test
}  // namespace catena
