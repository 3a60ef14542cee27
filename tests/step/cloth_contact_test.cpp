// A cloth that other bodies touch, under impulses: it does not stretch, nothing passes through it, and it carries what lies on it. Lengths, gaps and
// momenta are taken from the positions, not from what the method reports.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/contact_scenes.h"

namespace catena {
namespace cloth_contact_test {

constexpr int kSide = 9;
constexpr double kSpacing = 0.05, kRadius = 0.02, kBall = 0.12, kMass = 0.5, kStep = 5e-3;

double longest_stretch(const Simulation& sim) {
  double worst = 0;
  for (const Joint& joint : sim.model().joints) {
    if (joint.kind != JointKind::distance) continue;
    const double length = norm(sim.state().bodies[joint.a].position - sim.state().bodies[joint.b].position);
    worst = std::max(worst, std::abs(length - kSpacing));
  }
  return worst;
}

// Between the ball and the nearest particle; negative where they overlap.
double gap(const Simulation& sim) {
  double least = 1;
  const Vec3 ball = sim.body("ball").position;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kSide * kSide); ++i)
    least = std::min(least, norm(ball - sim.state().bodies[i].position) - kRadius - kBall);
  return least;
}

Vec3 momentum(const Simulation& sim) {
  Vec3 sum{};
  for (std::size_t i = 0; i < sim.model().bodies.size(); ++i)
    sum += sim.model().bodies[i].mass * sim.state().bodies[i].velocity;
  return sum;
}

// What must hold after every step.
void expect_whole(Simulation& sim, double most_energy) {
  EXPECT_LE(longest_stretch(sim), 1.01e-6);  // the tolerance; 2e-5 of a thread
  EXPECT_GE(gap(sim), -1e-7);                // a tenth of it, where the impulses of contacts count as settled
  EXPECT_LE(sim.energy().total(), most_energy);
}

// Of second order: the energy of the swinging cloth is off by some h² ω², here less than a hundredth of what the ball brings along.
constexpr double kEnergyError = 0.01 * kMass * 9.81 * 0.2;

Vec3 force_on_ball(const Simulation& sim) {
  Vec3 sum{};
  for (const ContactForce& c : sim.contact_forces())
    sum += c.contact.b == sim.model().body("ball") ? -c.force : c.force;
  return sum;
}

TEST(ClothContact, AHammockCarriesABallWithoutStretchingOrLettingItThrough) {
  Simulation sim(workloads::ball_over_hammock(kSide, 0));
  const double most = sim.energy().total() + kEnergyError;
  Vec3 pushed{}, ball_then{};  // impulse of the contacts on the ball since it has settled, and its velocity then
  for (int k = 0; k < 300; ++k) {
    const Vec3 before = sim.body("ball").velocity;
    const StepReport report = sim.step();
    ASSERT_TRUE(report.ok()) << report.message;
    expect_whole(sim, most);
    if (report.halvings > 0) continue;  // forces are those of its last part
    // What the contacts report is what changes the ball's momentum.
    const Vec3 gained = kMass * (sim.body("ball").velocity - before - kStep * Vec3{0, 0, -9.81});
    ASSERT_LE(norm(gained - kStep * force_on_ball(sim)), 1e-9) << k;
    if (k == 100) ball_then = sim.body("ball").velocity;
    if (k > 100) pushed += kStep * force_on_ball(sim);
  }
  // On the mean of a second the cloth carries the ball's weight, up to the momentum the ball has kept.
  const double time = 199 * kStep, weight = kMass * 9.81;
  const Vec3 kept = kMass * (sim.body("ball").velocity - ball_then);
  EXPECT_LE(norm(pushed / time - Vec3{0, 0, weight} - kept / time), 1e-6 * weight);
  EXPECT_LE(norm(kept) / time, 0.1 * weight);
  EXPECT_LT(sim.body("ball").position.z, kBall);  // it lies in the hammock, not beside it
  EXPECT_GT(sim.body("ball").position.z, -0.5 * kSide * kSpacing);
}

// With friction it comes to rest where it lies, though the cloth around it goes on swinging, which nothing damps. Which particle carries how much is left
// open: impulses are as good as the tolerance of positions, and found without the solvers for hard problems in all but a few steps.
TEST(ClothContact, ABallComesToRestInAHammockWithFriction) {
  constexpr int kSettling = 250, kSteps = 400;
  Simulation sim(workloads::ball_over_hammock(6, 0.5));
  Vec3 pushed{}, velocity_then{}, position_then{};
  int hard = 0;
  double fastest = 0, farthest = 0;
  for (int k = 0; k < kSteps; ++k) {
    const StepReport report = sim.step();
    ASSERT_TRUE(report.ok()) << report.message;
    ASSERT_LE(longest_stretch(sim), 1.01e-6);
    ASSERT_LE(report.penetration, 1.01e-6);
    hard += report.fallbacks > 0 ? 1 : 0;
    const BodyState ball = sim.body("ball");
    if (k == kSettling) velocity_then = ball.velocity, position_then = ball.position;
    if (k <= kSettling) continue;
    pushed += kStep * force_on_ball(sim);
    fastest = std::max(fastest, norm(ball.velocity));
    farthest = std::max(farthest, norm(ball.position - position_then));
  }
  EXPECT_LE(hard, kSteps / 50);
  EXPECT_LE(fastest, 0.01);   // of the 1.5 m/s it came with; what the cloth shakes it by
  EXPECT_LE(farthest, 5e-4);  // in 0.75 s, a hundredth of the spacing
  // Forces balance its weight, up to the momentum it has kept.
  const double time = (kSteps - 1 - kSettling) * kStep, weight = kMass * 9.81;
  const Vec3 kept = kMass * (sim.body("ball").velocity - velocity_then);
  EXPECT_LE(norm(pushed - time * Vec3{0, 0, weight} - kept), 1e-6 * weight * time);
  EXPECT_LE(norm(kept), 0.01 * weight * time);
}

TEST(ClothContact, AFastBallIsCaughtWithFriction) {
  Scene scene = workloads::ball_over_hammock(kSide, 0.5);
  scene.initial.bodies.back().velocity = {0, 0, -10};  // 5 cm a step, the spacing of the particles
  scene.initial.bodies.back().angular_velocity = {20, 0, 0};
  Simulation sim(scene);
  const double most = sim.energy().total() + kEnergyError;
  for (int k = 0; k < 12; ++k) {
    const StepReport report = sim.step();
    ASSERT_TRUE(report.ok()) << report.message;
    expect_whole(sim, most);
  }
  EXPECT_GT(norm(force_on_ball(sim)), 0);
}

// Without pins nothing from outside acts but gravity: contacts and threads take as much momentum from one as they give to the other.
TEST(ClothContact, TakesNoMomentumFromAndGivesNoneToTheWhole) {
  Scene scene = workloads::ball_over_hammock(5, 0.5);
  std::erase_if(scene.model.joints, [](const Joint& joint) { return joint.kind == JointKind::ball; });
  scene.initial.bodies.back().velocity = {0.3, 0.1, -2};
  Simulation sim(scene);
  double mass = 0;
  for (const Body& body : sim.model().bodies) mass += body.mass;
  int touching = 0;
  for (int k = 0; k < 60; ++k) {
    const Vec3 before = momentum(sim);
    const StepReport report = sim.step();
    ASSERT_TRUE(report.ok()) << report.message;
    const Vec3 expected = before + kStep * mass * Vec3{0, 0, -9.81};
    ASSERT_LE(norm(momentum(sim) - expected), 1e-12) << k;
    if (report.contacts > 0) ++touching;
  }
  EXPECT_GT(touching, 5);
}

}  // namespace cloth_contact_test
}  // namespace catena
