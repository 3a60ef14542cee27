// Poses at the start in which rows depend on each other that do not elsewhere: every method leaves them, joints closed and the energy kept.
//                                                                                                            Baraff, footnote 4
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace redundant_start_test {

using namespace testing_step;

struct Pose {
  const char* name;
  const char* text;
  bool moves;  // else it has nowhere to go: freedoms of the first order that are none
};

const Pose kPoses[] = {
    // Rows along the line depend on each other while it is straight, and it cannot be otherwise: as long as the way between its pins.
    {"a chain of ball joints, straight between two pins", R"(
chain: {count: 8, from: ground, to: ground, offset: [0.2, 0, 0], link: {mass: 1, inertia: [0.001, 0.01, 0.01]}, joint: {kind: ball}}
)",
     false},
    {"the same upright, pulled along itself", R"(
chain: {count: 8, from: ground, to: ground, offset: [0, 0, -0.2], link: {mass: 1, inertia: [0.01, 0.01, 0.001]}, joint: {kind: ball}}
)",
     false},
    {"a chain of hinges, straight between two pins", R"(
chain: {count: 4, from: ground, to: ground, offset: [0.2, 0, 0], link: {mass: 1, inertia: [0.001, 0.01, 0.01]}, joint: {kind: hinge, axis: [0, 1, 0]}}
)",
     false},
    {"particles on a taut string", R"(
bodies:
  p: {kind: particle, mass: 0.2, position: [0.25, 0, 0]}
  q: {kind: particle, mass: 0.2, position: [0.5, 0, 0]}
  r: {kind: particle, mass: 0.2, position: [0.75, 0, 0]}
joints:
  t0: {kind: distance, between: [ground, p], anchors: [[0, 0, 0], [0.25, 0, 0]]}
  t1: {kind: distance, between: [p, q], anchors: [[0.25, 0, 0], [0.5, 0, 0]]}
  t2: {kind: distance, between: [q, r], anchors: [[0.5, 0, 0], [0.75, 0, 0]]}
  t3: {kind: distance, between: [r, ground], anchors: [[0.75, 0, 0], [1, 0, 0]]}
)",
     false},
    {"a body on two equal struts and one in line", R"(
bodies:
  bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [1, 0, 0]}
joints:
  one: {kind: distance, between: [ground, bob], anchors: [[0, 0, 0], [1, 0, 0]]}
  two: {kind: distance, between: [ground, bob], anchors: [[0, 0, 0], [1, 0, 0]]}
  aim: {kind: distance, between: [ground, bob], anchors: [[-1, 0, 0], [1, 0, 0]]}
)",
     false},
    // Folded flat it may open as a parallelogram or as its mirror image, and moves as its velocities say.
    {"a flat parallelogram in motion", R"(
bodies:
  crank: {mass: 1, inertia: [0.001, 0.01, 0.01], position: [0.2, 0, 0], angular_velocity: [0, -2, 0], velocity: [0, 0, 0.4]}
  rod: {mass: 1, inertia: [0.001, 0.05, 0.05], position: [0.9, 0, 0], velocity: [0, 0, 0.8]}
  rocker: {mass: 1, inertia: [0.001, 0.01, 0.01], position: [1.2, 0, 0], angular_velocity: [0, -2, 0], velocity: [0, 0, 0.4]}
joints:
  g0: {kind: hinge, between: [ground, crank], anchor: [0, 0, 0], axis: [0, 1, 0]}
  ab: {kind: hinge, between: [crank, rod], anchor: [0.4, 0, 0], axis: [0, 1, 0]}
  bc: {kind: hinge, between: [rod, rocker], anchor: [1.4, 0, 0], axis: [0, 1, 0]}
  g1: {kind: hinge, between: [ground, rocker], anchor: [1, 0, 0], axis: [0, 1, 0]}
)",
     true},
    // Three equal arms carry a plate: two of them would do, in any pose.
    {"a plate on three parallel arms", R"(
bodies:
  a: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [0, 0, -0.25]}
  b: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [0.4, 0, -0.25]}
  c: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [0.8, 0, -0.25]}
  plate: {mass: 2, inertia: [0.01, 0.1, 0.1], position: [0.4, 0, -0.5], velocity: [0.5, 0, 0]}
joints:
  a0: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0]}
  b0: {kind: hinge, between: [ground, b], anchor: [0.4, 0, 0], axis: [0, 1, 0]}
  c0: {kind: hinge, between: [ground, c], anchor: [0.8, 0, 0], axis: [0, 1, 0]}
  a1: {kind: hinge, between: [a, plate], anchor: [0, 0, -0.5], axis: [0, 1, 0]}
  b1: {kind: hinge, between: [b, plate], anchor: [0.4, 0, -0.5], axis: [0, 1, 0]}
  c1: {kind: hinge, between: [c, plate], anchor: [0.8, 0, -0.5], axis: [0, 1, 0]}
)",
     true}};

class RedundantStart : public ::testing::TestWithParam<int> {};

TEST_P(RedundantStart, is_left_by_every_method) {
  const Pose& pose = kPoses[GetParam()];
  const Scene scene = load_text(pose.text);
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    SCOPED_TRACE(pose.name);
    SCOPED_TRACE(static_cast<int>(method));
    Simulation sim(scene, {.method = method, .step = 5e-4});
    const double start = sim.energy().total();
    double open = 0;
    for (int i = 0; i < 600; ++i) {
      const StepReport report = sim.step();
      ASSERT_TRUE(report.ok()) << i << ": " << report.message;
      open = std::max(open, report.drift_position);
    }
    // Rows whose pivots are below 3e-5 of their front count as dependent: so much of the longest line, 1.6 m, may be missing.
    EXPECT_LE(open, pose.moves ? 1.0001e-6 : 3e-5 * 1.6);
    // Gaps within the tolerance of impulse let a straight line sag by its square root.
    double mass = 0, way = 0;
    for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
      mass += scene.model.bodies[i].mass;
      way = std::max(way, norm(sim.body(BodyId(i)).position - scene.initial.bodies[i].position));
    }
    EXPECT_LE(sim.energy().total(), start + 1e-4 * mass * 9.81);
    if (pose.moves) {
      EXPECT_GE(sim.energy().total(), start - 2e-3 * mass * 9.81);
      EXPECT_GT(way, 1e-2);
    } else {
      EXPECT_LT(way, 5e-3);
    }
  }
}

// Where forces along the chain hold it there are multipliers: the redundant row is found, the forces are those of least norm, and nothing else has to take a
// step. Across it there are none: a taut line carries a load across itself only by sagging, and cannot.
TEST(RedundantStart, a_chain_pulled_along_itself_stands_by_every_methods_own_scheme) {
  const Scene scene = load_text(kPoses[1].text);
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation sim(scene, {.method = method, .step = 5e-4});
    const double start = sim.energy().total();
    for (int i = 0; i < 600; ++i) {
      const StepReport report = sim.step();
      ASSERT_TRUE(report.ok()) << report.message;
      EXPECT_EQ(report.replaced, 0);
      EXPECT_LE(report.residual, 1e-12);
    }
    EXPECT_NEAR(sim.energy().total(), start, 1e-10);
    // 9 joints hold 8 links, the two at the ends all of the weight.
    const double top = sim.joint(JointId(0)).reaction().linear.z;
    const double bottom = sim.joint(JointId(static_cast<int>(scene.model.joints.size()) - 1)).reaction().linear.z;
    EXPECT_NEAR(std::abs(top) + std::abs(bottom), 8 * 9.81, 1e-6);
  }
}

// The same chain with joints of compliance ε, a stated one: the tension H follows from Σ l cos θ_i + (n + 1) ε H = n l with tan θ_i = (V_i + V_i+1)/(2H),
// where V_k = m g (n/2 − k) hangs on joint k, and the sag from θ and the joints' own give. It stands there by every method's own scheme.
TEST(RedundantStart, a_taut_chain_sags_as_much_as_the_compliance_of_its_joints_says) {
  constexpr int kLinks = 8;
  constexpr double kLength = 0.2, kWeight = 9.81, kCompliance = 1e-6;
  const auto V = [](int k) { return kWeight * (0.5 * kLinks - k); };
  const auto slope = [&](double H, int i) { return std::atan2(0.5 * (V(i) + V(i + 1)), H); };
  const auto too_long = [&](double H) {
    double length = (kLinks + 1) * kCompliance * H;
    for (int i = 0; i < kLinks; ++i) length += kLength * std::cos(slope(H, i));
    return length > kLinks * kLength;
  };
  double low = 1, high = 1e5;
  for (int i = 0; i < 200; ++i) (too_long(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
  const double H = low;
  Scene scene = load_text(R"(
chain: {count: 8, from: ground, to: ground, offset: [0.2, 0, 0], link: {mass: 1, inertia: [0.001, 0.01, 0.01]}, joint: {kind: ball, compliance: 1e-6, relaxation: 2 ms}}
)");
  Vec3 end{};  // of the last link
  for (int i = 0; i < kLinks; ++i) {
    const double angle = slope(H, i);
    const Vec3 along{kLength * std::cos(angle), 0, -kLength * std::sin(angle)};
    end += Vec3{kCompliance * H, 0, -kCompliance * V(i)};
    BodyState& link = scene.initial.bodies[static_cast<std::size_t>(i)];
    link.position = end + 0.5 * along;
    link.orientation = exp_rotation(Vec3{0, angle, 0});
    end += along;
  }
  EXPECT_NEAR(norm(end + Vec3{kCompliance * H, 0, -kCompliance * V(kLinks)} - Vec3{kLinks * kLength, 0, 0}), 0, 1e-9);
  const double sag = -scene.initial.bodies[3].position.z;
  EXPECT_GT(sag, 0.02);
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation sim(scene, {.method = method, .step = 2e-4});
    for (int i = 0; i < 500; ++i) {
      const StepReport report = sim.step();
      ASSERT_TRUE(report.ok()) << report.message;
      ASSERT_EQ(report.replaced, 0);
      EXPECT_LE(report.residual, 1e-9);
    }
    EXPECT_NEAR(-sim.body(BodyId(3)).position.z, sag, 1e-7);
    EXPECT_NEAR(std::abs(sim.joint(JointId(0)).reaction().linear.x), H, 1e-3 * H);
    EXPECT_NEAR(std::abs(sim.joint(JointId(0)).reaction().linear.z), V(0), 1e-3 * H);
  }
}

// Rigid, it is said which joint it is.
TEST(RedundantStart, the_report_of_a_taut_chain_names_its_joint_and_what_would_help) {
  Simulation sim(load_text(kPoses[0].text), {.method = Method::spook, .step = 5e-4});
  StepReport whole;
  for (int i = 0; i < 50 && whole.replaced == 0; ++i) whole = sim.step();
  ASSERT_EQ(whole.replaced, 1);
  EXPECT_NE(whole.why_replaced.find("joint 'link"), std::string::npos) << whole.why_replaced;
  EXPECT_NE(whole.why_replaced.find("compliance"), std::string::npos) << whole.why_replaced;
}

INSTANTIATE_TEST_SUITE_P(Poses, RedundantStart, ::testing::Range(0, static_cast<int>(std::size(kPoses))));

}  // namespace redundant_start_test
}  // namespace catena
