// Tendons along paths, muscles and slider-cranks against MuJoCo: numbers in tests/data/robots/*.forces.json, written by forces.mjs there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "catena/catena.h"
#include "catena/import/import.h"
#include "catena/mechanism/controls.h"
#include "catena/mechanism/dynamics.h"
#include "catena/simulation/joint_dynamics.h"
#include "source_dir.h"

namespace catena {
namespace tendon_oracle_test {

using nlohmann::json;

const std::string kFolder = source_dir() + "/tests/data/robots/";

struct Robot {
  explicit Robot(const std::string& file)
      : scene(import_robot(kFolder + file)), oracle(json::parse(std::ifstream(kFolder + file + ".forces.json"))) {}

  // At a recorded state, as MuJoCo's inputs and activations have it.
  static void put(const json& at, Simulation& sim) {
    sim.set_coordinates(at["qpos"].get<std::vector<double>>(), at["qvel"].get<std::vector<double>>());
    State state = sim.state();
    const std::vector<double> act = at["act"], ctrl = at["ctrl"];
    std::size_t next = 0;
    for (std::size_t i = 0; i < sim.model().controls.size(); ++i)
      if (sim.model().controls[i].dynamics != Control::Dynamics::none) state.activation[i] = act[next++];
    sim.set_state(state);
    std::copy(ctrl.begin(), ctrl.end(), sim.ctrl().begin());
  }

  Scene scene;
  json oracle;
};

class TendonOracle : public ::testing::TestWithParam<std::string> {};

// MuJoCo's numbers are exact to rounding; a tendon of 0.1 m and muscles of 1e3 N leave 1e-9 of it.
constexpr double kTolerance = 1e-9;

TEST_P(TendonOracle, lengths_speeds_and_forces_are_MuJoCos_at_random_states) {
  Robot robot(GetParam());
  // What MuJoCo found by a simulation of its own; catena's search is compared below.
  std::vector<Control>& controls = robot.scene.model.controls;
  for (std::size_t i = 0; i < controls.size(); ++i)
    if (controls[i].muscle) {
      controls[i].muscle->length_lower = robot.oracle["lengthrange"][2 * i];
      controls[i].muscle->length_upper = robot.oracle["lengthrange"][2 * i + 1];
    }
  Simulation sim(robot.scene);
  const Model& model = sim.model();
  for (const json& at : robot.oracle["states"]) {
    Robot::put(at, sim);
    Dynamics& dynamics = sim.evaluate();
    for (std::size_t i = 0; i < at["ten_length"].size(); ++i) {
      const ControlForce now = tendon_force(model, dynamics.kinematics(), dynamics.coordinates(), model.tendons[i]);
      EXPECT_NEAR(now.length, at["ten_length"][i].get<double>(), kTolerance) << model.tendons[i].name;
      EXPECT_NEAR(now.rate, at["ten_velocity"][i].get<double>(), kTolerance) << model.tendons[i].name;
    }
    for (std::size_t i = 0; i < model.controls.size(); ++i) {
      const ControlForce now = control_force(model, dynamics.kinematics(), dynamics.coordinates(), model.controls[i],
                                             dynamics.forces().acting[i]);
      const double length = at["actuator_length"][i], rate = at["actuator_velocity"][i],
                   force = at["actuator_force"][i];
      EXPECT_NEAR(now.length, length, kTolerance) << model.controls[i].name;
      EXPECT_NEAR(now.rate, rate, kTolerance) << model.controls[i].name;
      EXPECT_NEAR(now.force, force, kTolerance * (1 + std::abs(force))) << model.controls[i].name;
    }
    const Eigen::VectorXd forces = JointDynamics(sim).passive_forces();
    for (std::size_t k = 0; k < at["force"].size(); ++k)
      EXPECT_NEAR(forces[static_cast<Eigen::Index>(k)], at["force"][k].get<double>(), 1e-8) << k;
  }
}

TEST_P(TendonOracle, activations_change_as_MuJoCos_do) {
  const Robot robot(GetParam());
  constexpr double kStep =
      1e-7;  // first differences: exact to kStep times the second derivative, of 1e4 a second squared
  for (const json& at : robot.oracle["states"]) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < robot.scene.model.controls.size(); ++i) {
      const Control& c = robot.scene.model.controls[i];
      if (c.dynamics == Control::Dynamics::none) continue;
      const double x = at["act"][next], wanted = at["act_dot"][next];
      ++next;
      EXPECT_NEAR((follow(c, x, at["ctrl"][i], 0, kStep).end - x) / kStep, wanted, 1e-2) << c.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, TendonOracle, ::testing::Values("paths.xml", "arm26.xml", "slider_crank.xml"),
                         [](const auto& each) { return each.param.substr(0, each.param.find('.')); });

// Where the file gives neither: the range of lengths from the ranges of the joints, which MuJoCo's stops give way to, and the peak force.
TEST(MuscleOracle, ranges_of_lengths_and_peak_forces_are_found) {
  const Robot robot("arm26.xml");
  for (std::size_t i = 0; i < robot.scene.model.controls.size(); ++i) {
    const Muscle& m = robot.scene.model.controls[i].muscle.value();
    const double lower = robot.oracle["lengthrange"][2 * i], upper = robot.oracle["lengthrange"][2 * i + 1];
    EXPECT_NEAR(m.length_lower, lower, 0.01 * (upper - lower));
    EXPECT_NEAR(m.length_upper, upper, 0.01 * (upper - lower));
    EXPECT_NEAR(m.force, 200 / robot.oracle["acc0"][i].get<double>(), 1e-8 * m.force);
  }
}

}  // namespace tendon_oracle_test
}  // namespace catena
