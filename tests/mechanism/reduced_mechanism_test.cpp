// Joint coordinates that the mechanism tells are those the rows of the joints give.
#include "catena/mechanism/reduced_mechanism.h"

#include <gtest/gtest.h>

#include <random>

#include "bench/workloads.h"

namespace catena {
namespace reduced_mechanism_test {

// Of random linkages of all joint kinds, in motion, at the start and in the middle of a step, after whole turns too. Values are sums of a few numbers
// of size 10 at most, rates of size 10 are read through lever arms of some metres: rounding.
TEST(ReducedMechanism, tells_the_coordinates_and_rates_that_the_rows_of_the_joints_give) {
  int compared = 0;
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 3 + seed % 12, 0);
    const Model& model = scene.model;
    Dynamics dynamics(model, scene.initial, LinearSolver::automatic, 1);
    ReducedMechanism mechanism(dynamics, 1, true);
    State state = scene.initial;
    state.joint_angles.assign(model.joints.size(), {});
    mechanism.place(state);
    Kinematics other(model);
    const auto compare = [&](const State& at) {
      other.update(model, at);
      for (const JointId joint : dynamics.coordinates().joints())
        for (int k = 0; k < coordinate_count(model.joints[joint]); ++k) {
          const auto told = dynamics.coordinates().at(model, dynamics.kinematics(), joint, k);
          const auto read = dynamics.coordinates().at(model, other, joint, k);
          EXPECT_NEAR(told.value, read.value, 1e-12) << model.joints[joint].name << ' ' << k;
          EXPECT_NEAR(told.rate, read.rate, 1e-10) << model.joints[joint].name << ' ' << k;
          ++compared;
        }
    };
    compare(state);
    mechanism.look_ahead(0.7, state);
    compare(dynamics.kinematics().state());
  }
  EXPECT_GT(compared, 200);
}

}  // namespace reduced_mechanism_test
}  // namespace catena
