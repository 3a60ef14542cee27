// Accelerations in joint coordinates: Jain's are Baraff's. With reduced_accelerations.cpp, which has the recursion.
#include "catena/mechanism/reduced_equations.h"

#include <gtest/gtest.h>

#include "mechanism/equations_testing.h"

namespace catena {
namespace reduced_equations_test {

using namespace testing_mechanism;

TEST(ReducedEquations, accelerations_are_those_of_the_equations_in_maximal_coordinates) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed)
    for (const int loops : {0, 2}) {
      SCOPED_TRACE(testing::Message() << seed << ' ' << loops);
      const Scene scene = pushed_linkage(seed, 8, loops);
      Equations reduced(scene, true), maximal(scene, false);
      ASSERT_TRUE(reduced.accelerate() && maximal.accelerate());
      EXPECT_LE(reduced.of->residual(), 1e-10);
      EXPECT_LE(size_of(difference(reduced.dynamics.vdot, maximal.dynamics.vdot)),
                1e-9 * size_of(maximal.dynamics.vdot));
      // And under more forces.
      std::vector<BodyVector> load(scene.model.bodies.size(), BodyVector{{1, -2, 3}, {0.3, 0.2, -0.1}, 0});
      reduced.of->push(load);
      maximal.of->push(load);
      EXPECT_LE(size_of(difference(reduced.dynamics.vdot, maximal.dynamics.vdot)),
                1e-9 * size_of(maximal.dynamics.vdot));
    }
}

TEST(ReducedEquations, the_rates_of_the_coordinates_are_the_motion_of_the_bodies) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = pushed_linkage(seed, 6, 0);
    Equations at(scene, true);
    ASSERT_TRUE(at.accelerate());
    expect_rates_are_the_motion(at);
  }
}

TEST(ReducedEquations, numbers_that_were_packed_place_the_bodies_where_they_were) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Scene scene = pushed_linkage(seed, 7, 0);
    Equations at(scene, true);
    const State was = at.state;
    std::vector<double> y = at.packed();
    State out = was;
    at.of->unpack(y.data(), out);
    for (std::size_t i = 0; i < was.bodies.size(); ++i) {
      EXPECT_LE(norm(out.bodies[i].position - was.bodies[i].position), 1e-13);
      EXPECT_LE(norm(out.bodies[i].velocity - was.bodies[i].velocity), 1e-12);
      EXPECT_LE(norm(out.bodies[i].angular_velocity - was.bodies[i].angular_velocity), 1e-12);
    }
  }
}

TEST(ReducedEquations, joints_of_the_forest_do_not_open_and_loops_are_closed) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const int loops : {0, 2}) {
      SCOPED_TRACE(testing::Message() << seed << ' ' << loops);
      const Scene scene = pushed_linkage(seed, 7, loops);
      Equations at(scene, true);
      ASSERT_TRUE(at.accelerate());
      State state = at.state;
      at.of->euler(0.01, state);
      if (loops > 0) {
        EXPECT_TRUE(at.of->close(state).closed);
      }
      const KktReference reference(scene.model, state);
      for (std::size_t i = 0; i < reference.rows().phi.size(); ++i)
        if (reference.rows().holonomic[i]) {
          EXPECT_LE(std::abs(reference.rows().phi[i]), 1e-11 * (1 + at.size));
        }
    }
}

}  // namespace reduced_equations_test
}  // namespace catena
