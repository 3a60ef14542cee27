// Contacts under --softness mujoco: as deep as MuJoCo's formula says, and rigid without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"
#include "catena/import/import.h"

namespace catena {
namespace mjcf_softness_test {

// A ball of 2 kg and radius 0.1 m above a plane; the mean mobility of its centre is 1/m.
Scene ball(const std::string& attributes, bool soft, const std::string& more = "") {
  return import_robot_text(
      "<mujoco><option timestep='1e-3'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
      "<body name='ball' pos='0 0 0.1'><freejoint/><geom name='ball' size='.1' mass='2' " +
          attributes + "/></body></worldbody>" + more + "</mujoco>",
      "ball.xml", ".", {.mujoco_softness = soft});
}

double depth(const Scene& scene, Method method) {
  Simulation sim(scene, {.method = method, .step = 1e-3});
  EXPECT_TRUE(sim.advance_to(2).ok());
  return 0.1 - sim.body("ball").position.z;
}

// At rest F = m g: ε m g = (1 − d) T² ζ² g, whatever the mass.
TEST(ContactSoftness, a_ball_rests_as_deep_as_solref_and_solimp_say) {
  for (const Method method : {Method::spook, Method::operational}) {
    EXPECT_NEAR(depth(ball("", true), method), 0.05 * 0.02 * 0.02 * 9.81, 1e-7);
    EXPECT_NEAR(depth(ball("solref='0.05 0.8' solimp='0.9 0.9'", true), method), 0.1 * 0.04 * 0.04 * 9.81, 1e-7);
    EXPECT_NEAR(depth(ball("", false), method), 0, 1e-8);
  }
}

// A pair's own numbers replace those of its geoms.
TEST(ContactSoftness, a_pair_has_its_own) {
  const std::string pair = "<contact><pair geom1='floor' geom2='ball' solref='0.04 1' solimp='0.9 0.8'/></contact>";
  EXPECT_NEAR(depth(ball("contype='0' conaffinity='0'", true, pair), Method::operational), 0.2 * 0.04 * 0.04 * 9.81,
              1e-7);
}

// Nothing in silence: what became of solref and solimp is in the ledger, with the numbers.
TEST(ContactSoftness, is_said_in_the_ledger) {
  const Scene scene = ball("solref='0.05 0.8'", true);
  bool said = false;
  for (const auto& entry : scene.ledger)
    said = said || (entry.attribute == "solref" && entry.why.find("compliance") != std::string::npos);
  EXPECT_TRUE(said);
}

}  // namespace mjcf_softness_test
}  // namespace catena
