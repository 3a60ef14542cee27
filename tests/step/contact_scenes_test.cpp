// Scenes of many contacts under spook: nothing breaks, little overlaps, what should rest rests.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bench/contact_scenes.h"

namespace catena {
namespace {

// 45 g held by friction alone, with 20 times the force that takes: it creeps by no more than 1 µm in 60 s.
TEST(ContactScenes, PinchedCapsuleDoesNotCreep) {
  Simulation sim(workloads::pinched_capsule());
  ASSERT_TRUE(sim.advance_to(0.1).ok());
  const Vec3 held = sim.body("capsule").position;
  const StepReport report = sim.advance_to(60.1);
  ASSERT_TRUE(report.ok()) << report.message;
  EXPECT_LE(norm(sim.body("capsule").position - held), 1e-6);
  EXPECT_LE(norm(held), 1e-4);
}

// A hundred links of 100 g and a load a million times as heavy swing down from level at h = 1/60 s: the load falls like a pendulum of the
// chain's length, and gains no more than 1 % of the energy of its fall; links that swing faster than the step are damped.
TEST(ContactScenes, ChainWithALoadAMillionTimesItsLinks) {
  Simulation sim(workloads::loaded_chain(100, 1e6));
  const double before = sim.energy().total();
  double lowest = 0;
  for (int k = 0; k < 60 * 10; ++k) {
    const StepReport report = sim.step();
    ASSERT_TRUE(report.ok()) << report.message;
    const Energy energy = sim.energy();
    ASSERT_LE(energy.total(), before + 0.01 * 1e5 * 9.81 * 21) << k;
    lowest = std::min(lowest, sim.body("load").position.z);
  }
  EXPECT_NEAR(lowest, -21, 0.1);
}

}  // namespace
}  // namespace catena
