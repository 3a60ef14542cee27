#include "catena/simulation/linear_model.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "catena/scene/scene.h"
#include "catena/simulation/joint_dynamics.h"

namespace catena {
namespace linear_model_test {

constexpr double kG = 9.81;

constexpr const char* kDouble = R"(
bodies:
  upper: {mass: 1, inertia: [0.08333333333333333, 0.08333333333333333, 1e-3], position: [0, 0, -0.5]}
  lower: {mass: 1, inertia: [0.08333333333333333, 0.08333333333333333, 1e-3], position: [0, 0, -1.5]}
joints:
  shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0], axis: [0, 1, 0]}
  elbow: {kind: hinge, between: [upper, lower], anchor: [0, 0, -1], axis: [0, 1, 0]}
)";

// A parallelogram of three rods of 1 kg that hangs: cranks of 0.5 m, with a damper in one of its bearings.
constexpr const char* kParallelogram = R"(
bodies:
  left: {mass: 1, inertia: [0.02, 0.02, 1e-3], position: [0, 0, -0.25]}
  coupler: {mass: 1, inertia: [0.02, 0.02, 1e-3], position: [0.5, 0, -0.5]}
  right: {mass: 1, inertia: [0.02, 0.02, 1e-3], position: [1, 0, -0.25]}
joints:
  base: {kind: hinge, between: [ground, left], anchor: [0, 0, 0], axis: [0, 1, 0], damping: 0.3}
  a: {kind: hinge, between: [left, coupler], anchor: [0, 0, -0.5], axis: [0, 1, 0]}
  b: {kind: hinge, between: [coupler, right], anchor: [1, 0, -0.5], axis: [0, 1, 0]}
  post: {kind: hinge, between: [ground, right], anchor: [1, 0, 0], axis: [0, 1, 0]}
)";

TEST(LinearModel, OfADoublePendulumIsThatOfTheTextbook) {
  Simulation simulation(load_text(kDouble));
  const LinearModel linear = linearise(simulation);
  Eigen::Matrix2d M, K;
  const double a = 1.0 / 12 + 0.25;
  M << a + 1.0 / 12 + 2.25, a + 0.5, a + 0.5, a;
  K << 2 * kG, 0.5 * kG, 0.5 * kG, 0.5 * kG;
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  A.topRightCorner(2, 2).setIdentity();
  A.bottomLeftCorner(2, 2) = -M.inverse() * K;
  EXPECT_LT((linear.A - A).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((linear.B.bottomRows<2>() - M.inverse()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(linear.B.topRows<2>().norm(), 0);
  EXPECT_EQ(simulation.time(), 0);
  EXPECT_EQ(simulation.q()[0], 0);
}

// The derivative of the flow of the simulation itself: (4 Φ(t) − Φ(2t) − 3 I) / 2t = A + O(t²).
TEST(LinearModel, OfASpinningBodyIsTheDerivativeOfItsMotion) {
  const Scene scene = load_text(R"(
gravity: [0, 0, 0]
bodies: {top: {mass: 2, inertia: [1, 2, 2.5], position: [1, 2, 3], velocity: [1, -1, 0.5], angular_velocity: [0.7, -1.1, 0.4],
         orientation: {axis: [1, 2, 3], angle: 1.1}}}
)");
  constexpr double kStep = 1e-3, kPush = 1e-5;
  Simulation simulation(scene, {.method = Method::lagrange, .step = kStep});
  const LinearModel linear = linearise(simulation);
  const State start = simulation.state();
  const auto flow = [&](Eigen::Index k, double sign, int steps) {
    State state = start;
    BodyState& body = state.bodies[0];
    const Eigen::Matrix<double, 12, 1> d = sign * kPush * Eigen::Matrix<double, 12, 1>::Unit(k);
    body.position += {d[0], d[1], d[2]};
    body.orientation = exp_rotation(Vec3{d[3], d[4], d[5]}) * body.orientation;
    body.velocity += {d[6], d[7], d[8]};
    body.angular_velocity += {d[9], d[10], d[11]};
    simulation.set_state(state);
    for (int i = 0; i < steps; ++i) simulation.step();
    return simulation.state().bodies[0];
  };
  for (Eigen::Index k = 0; k < 12; ++k) {
    Eigen::Matrix<double, 12, 1> phi[2];
    for (const int steps : {1, 2}) {
      const BodyState ahead = flow(k, 1, steps), behind = flow(k, -1, steps);
      const Vec3 x = ahead.position - behind.position, v = ahead.velocity - behind.velocity;
      const Vec3 turn = 2.0 * (ahead.orientation * behind.orientation.conjugate()).vec();
      const Vec3 w = ahead.angular_velocity - behind.angular_velocity;
      phi[steps - 1] << x.x, x.y, x.z, turn.x, turn.y, turn.z, v.x, v.y, v.z, w.x, w.y, w.z;
      phi[steps - 1] /= 2 * kPush;
    }
    const Eigen::VectorXd rate = (4 * phi[0] - phi[1] - 3 * Eigen::Matrix<double, 12, 1>::Unit(k)) / (2 * kStep);
    EXPECT_LT((rate - linear.A.col(k)).cwiseAbs().maxCoeff(), 1e-5) << "column " << k;
  }
}

TEST(LinearModel, InputsAreThoseOfActuators) {
  Simulation simulation(load_text(R"(
gravity: [0, 0, 0]
bodies: {cart: {mass: 2, inertia: 1}}
joints: {rail: {kind: slider, between: [ground, cart], anchor: [0, 0, 0], axis: [1, 0, 0]}}
actuators: [{joint: rail, kind: position, kp: 50, kv: 3, signal: {constant: 0}}]
)"));
  const LinearModel linear = linearise(simulation, LinearInput::ctrl);
  ASSERT_EQ(linear.B.cols(), 1);
  EXPECT_NEAR(linear.B(1, 0), 25, 1e-6);
  EXPECT_NEAR(linear.A(1, 0), -25, 1e-6);
  EXPECT_NEAR(linear.A(1, 1), -1.5, 1e-6);
  EXPECT_THROW(linearise(simulation, LinearInput::tau, 0), InputError);
}

TEST(Modes, OfAParallelogramHaveItsFrequencyAndDamping) {
  Simulation simulation(load_text(kParallelogram));
  const double inertia = 2 * (0.02 + 0.25 * 0.25) + 0.25, stiffness = kG * (0.25 + 0.25 + 0.5);
  const double undamped = std::sqrt(stiffness / inertia), ratio = 0.3 / (2 * std::sqrt(stiffness * inertia));
  const std::vector<Mode> all = modes(simulation);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(std::abs(all[0].eigenvalue), undamped, 1e-6);
  EXPECT_NEAR(all[0].damping, ratio, 1e-7);
  EXPECT_NEAR(all[0].frequency, undamped * std::sqrt(1 - ratio * ratio) / (2 * M_PI), 1e-7);
  // Both cranks turn alike and the coupler does not turn: its joint turns back.
  ASSERT_EQ(all[0].shape.size(), 3);
  EXPECT_NEAR(std::abs(all[0].shape[0]), 1, 1e-9);
  EXPECT_NEAR(std::abs(all[0].shape[1] + all[0].shape[0]), 0, 1e-9);
}

TEST(Modes, OfAnInvertedPendulumGrow) {
  Simulation simulation(load_text(kDouble));
  simulation.set_coordinates(std::vector<double>{M_PI, 0.0}, std::vector<double>{0, 0});
  const std::vector<Mode> all = modes(simulation);
  ASSERT_EQ(all.size(), 4u);  // two freedoms that do not oscillate
  for (const Mode& mode : all) EXPECT_EQ(mode.frequency, 0);
  EXPECT_LT(std::min(all[0].damping, all[1].damping), -0.999);
}

}  // namespace linear_model_test
}  // namespace catena
