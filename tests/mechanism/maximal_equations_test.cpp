#include "catena/mechanism/maximal_equations.h"

#include <gtest/gtest.h>

#include "mechanism/equations_testing.h"

namespace catena {
namespace maximal_equations_test {

using namespace testing_mechanism;

TEST(MaximalEquations, the_rates_of_the_numbers_are_the_motion_of_the_bodies) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = pushed_linkage(seed, 6, 1);
    Equations at(scene, false);
    ASSERT_TRUE(at.accelerate());
    EXPECT_LE(at.of->residual(), 1e-11);
    expect_rates_are_the_motion(at);
  }
}

TEST(MaximalEquations, numbers_that_were_packed_are_the_same_state) {
  const Scene scene = workloads::random_mechanism(3, 8, 1);  // all kinds of bodies
  Equations at(scene, false);
  std::vector<double> y = at.packed(), again(y.size());
  State out = at.state;
  for (BodyState& s : out.bodies) s = {};
  EXPECT_EQ(at.of->unpack(y.data(), out), y.data() + y.size());
  EXPECT_EQ(at.of->pack(out, again.data()), again.data() + again.size());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(again[i], y[i], 1e-15) << "quaternions are normalised";
}

// v ← v + h v̇, x ← x ⊕ h v with the new v.
TEST(MaximalEquations, a_step_of_eulers_method_uses_the_velocities_it_ends_with) {
  const Scene scene = pushed_linkage(2, 6, 0);
  Equations at(scene, false);
  ASSERT_TRUE(at.accelerate());
  const double h = 0.01;
  State state = at.state;
  at.of->euler(h, state);
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyState& was = at.state.bodies[i];
    const Vec3 v = was.velocity + h * at.dynamics.vdot[i].linear;
    const Vec3 w = was.angular_velocity + h * at.dynamics.vdot[i].angular;
    EXPECT_LE(norm(state.bodies[i].velocity - v), 1e-14 * (1 + norm(v)));
    EXPECT_LE(norm(state.bodies[i].position - (was.position + h * v)), 1e-14 * (1 + norm(v)));
    EXPECT_LE(norm(log_rotation(state.bodies[i].orientation * was.orientation.conjugate()) - h * w),
              1e-13 * (1 + norm(w)));
  }
}

TEST(MaximalEquations, kept_accelerations_come_back_and_closing_leaves_no_drift) {
  const Scene scene = pushed_linkage(4, 7, 2);
  Equations at(scene, false);
  ASSERT_TRUE(at.accelerate());
  const std::vector<BodyVector> first = at.dynamics.vdot;
  at.of->keep();
  std::vector<BodyVector> load(first.size(), BodyVector{{1, -2, 3}, {0.3, 0.2, -0.1}, 0});
  at.of->push(load);
  EXPECT_GT(size_of(difference(at.dynamics.vdot, first)), 0.1);
  at.of->recall();
  EXPECT_EQ(size_of(difference(at.dynamics.vdot, first)), 0);
  State state = at.state;
  at.of->euler(0.02, state);
  EXPECT_GT(at.of->drift(state).position, 1e-6);
  EXPECT_TRUE(at.of->close(state).closed);
  EXPECT_LE(at.of->drift(state).position, 1e-12 * at.size);
  const KktReference reference(scene.model, state);
  EXPECT_LE((reference.J * reference.flat(velocities_of(state))).cwiseAbs().maxCoeff(), 1e-10);
}

}  // namespace maximal_equations_test
}  // namespace catena
