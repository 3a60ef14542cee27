// Robots with loops, whose joints stay closed over many steps.
#include <gtest/gtest.h>

#include "catena/catena.h"
#include "source_dir.h"

namespace catena {
namespace robot_loops_test {

const std::string kRobots = source_dir() + "/tests/data/robots/";

struct Case {
  const char* file;
  int steps;
};

class RobotLoops : public ::testing::TestWithParam<Case> {};

// The inputs swing, so that the loops move through their range; the widest gap of any joint, over the size of the robot.
TEST_P(RobotLoops, stay_closed_while_their_actuators_swing) {
  Scene scene = load(kRobots + GetParam().file, {}, {.missing_meshes = true});
  Simulation sim(scene, {.method = Method::operational, .step = 2e-3});
  const std::vector<Control>& controls = sim.model().controls;
  double worst = 0;
  for (int i = 0; i < GetParam().steps; ++i) {
    for (std::size_t k = 0; k < controls.size(); ++k) {
      const double top = std::min(controls[k].ctrl_upper, 1.0), bottom = std::max(controls[k].ctrl_lower, -1.0);
      sim.ctrl()[k] = 0.5 * (top + bottom) + 0.5 * (top - bottom) * std::sin(5 * sim.time());
    }
    const StepReport report = sim.step();
    ASSERT_TRUE(report.ok()) << "step " << i;
    const Drift drift = sim.drift();
    worst = std::max({worst, drift.position / sim.size(), drift.angle});
  }
  EXPECT_LT(worst, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Files, RobotLoops,
                         ::testing::Values(Case{"cassie.xml", 500}, Case{"2f85.xml", 1000},
                                           Case{"slider_crank.xml", 5000}),
                         [](const auto& each) {
                           const std::string file = each.param.file;
                           return file[0] == '2' ? "robotiq" : file.substr(0, file.find('.'));
                         });

}  // namespace robot_loops_test
}  // namespace catena
