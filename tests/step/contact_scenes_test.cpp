// Scenes of many contacts under spook: nothing breaks, little overlaps, what should rest rests.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bench/contact_scenes.h"
#include "catena/collide/collider.h"

namespace catena {
namespace contact_scenes_test {

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

// The deepest overlap of a state, by a search of the test's own.
double deepest_overlap(const Model& model, const State& state) {
  Collider collider(model);
  std::vector<Contact> contacts;
  collider.find(state, contacts);
  double deepest = 0;
  for (const Contact& contact : contacts) deepest = std::max(deepest, -contact.gap);
  return deepest;
}

struct Outcome {
  double overlap = 0;   // deepest, m
  double residual = 0;  // worst
  double gain = 0;      // most energy a step added, J
};

Outcome watch(Simulation& sim, int steps) {
  Outcome out;
  double energy = sim.energy().total();
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.step();
    EXPECT_TRUE(report.ok()) << report.message;
    if (!report.ok()) break;
    const double overlap = deepest_overlap(sim.model(), sim.state());
    EXPECT_LE(overlap, report.penetration + 1e-12);
    out.overlap = std::max(out.overlap, overlap);
    out.residual = std::max(out.residual, report.complementarity);
    const double now = sim.energy().total();
    out.gain = std::max(out.gain, now - energy);
    energy = now;
  }
  return out;
}

// Ten boxes let fall 1 mm apart: exact solutions leave no overlap but rounding's, once they rest.
TEST(ContactScenes, AStackOfTenComesToRestWithoutOverlap) {
  Simulation sim(workloads::box_stack(10));
  const Outcome done = watch(sim, 100);
  EXPECT_LE(done.overlap, 1e-9);
  EXPECT_LE(done.residual, 1e-8);
  for (const BodyState& body : sim.state().bodies) EXPECT_LE(norm(body.velocity), 1e-9);
}

// A wall of 105 bricks stands: each of its ten courses sinks into the one below by the 0.1 mm a crowd leaves alone, at most, and at the end the ground
// carries the weight of all.
TEST(ContactScenes, AWallStandsAndItsWeightArrives) {
  const Scene scene = workloads::brick_wall();
  Simulation sim(scene);
  const Outcome done = watch(sim, 100);
  EXPECT_LE(done.overlap, 1e-3);
  double weight = 0, carried = 0;
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i) {
    weight += norm(scene.model.gravity) * scene.model.bodies[i].mass;
    EXPECT_LE(norm(sim.state().bodies[i].position - scene.initial.bodies[i].position), 10 * 1e-4);
  }
  for (const ContactForce& force : sim.contact_forces())
    if (!force.contact.b.valid()) carried += force.force.z;
  // What does not arrive accelerates bricks: the residual, below 1e-3 by now, of what a step of gravity changes.
  EXPECT_NEAR(carried, weight, 0.01 * weight);
}

// Boxes, balls, capsules and cylinders fall on each other between walls: overlaps stay below 1 mm, and as nothing bounces no step gains energy, but
// for what moving overlaps apart lifts: 1 mm of the weight of those that touch.
TEST(ContactScenes, APileOverlapsByLessThanAMillimetre) {
  const Scene scene = workloads::mixed_pile(125);
  Simulation sim(scene);
  const Outcome done = watch(sim, 150);
  EXPECT_LE(done.overlap, 1e-3);
  EXPECT_LE(done.gain, 1e-3 * 125 * 2 * 9.81);
}

// In every step forces and weight are what the velocities change by, body by body: m Δv/h = m g + Σ f to rounding, 1e-16 of speeds of metres a
// second, over h g. Impulses of what meets fast are among the forces in crowds, and elsewhere listed apart.
TEST(ContactScenes, ForcesBalanceOnEveryBody) {
  for (Scene scene : {workloads::box_stack(10), workloads::brick_wall(), workloads::mixed_pile(100)}) {
    Simulation sim(scene);
    int balanced = 0;
    for (int k = 0; k < 60; ++k) {
      const std::vector<BodyState> before = sim.state().bodies;
      ASSERT_TRUE(sim.step().ok());
      if (before.size() < 50 && !sim.impacts().empty()) continue;
      std::vector<Vec3> force(before.size());
      for (const ContactForce& c : sim.contact_forces()) {
        force[c.contact.a] += c.force;
        if (c.contact.b.valid()) force[c.contact.b] -= c.force;
      }
      for (std::size_t i = 0; i < force.size(); ++i) {
        const double mass = sim.model().bodies[i].mass;
        const Vec3 change = (mass / scene.settings.step) * (sim.state().bodies[i].velocity - before[i].velocity);
        ASSERT_LE(norm(force[i] - (change - mass * sim.model().gravity)), 1e-10 * (norm(force[i]) + mass * 9.81));
        if (norm(force[i]) > 0) ++balanced;
      }
    }
    EXPECT_GT(balanced, 100);
  }
}

// Ragdolls tumble down stairs: joints stay closed, overlaps below 1 mm.
TEST(ContactScenes, RagdollsOnStairsOverlapByLessThanAMillimetre) {
  Simulation sim(workloads::ragdolls_on_stairs(5));
  double drift = 0;
  for (int k = 0; k < 200; ++k) {
    const StepReport report = sim.step();
    ASSERT_TRUE(report.ok()) << report.message;
    ASSERT_LE(deepest_overlap(sim.model(), sim.state()), 1e-3) << k;
    drift = std::max(drift, report.drift_position);
  }
  EXPECT_LE(drift, 1e-9);
}

// Without weight every joule of ragdolls thrown at stairs goes into dampers, contacts or the closing of joints, but for what the integration
// of the motion gains or loses, less than a hundredth: the books close to rounding.
TEST(ContactScenes, DampersOfACrowdAreBookedAsTheyWork) {
  Scene scene = workloads::ragdolls_on_stairs(5);
  scene.model.gravity = {};
  for (Joint& joint : scene.model.joints) {
    joint.extras = static_cast<int>(scene.model.extras.size());
    scene.model.extras.emplace_back().damping = 0.1;
  }
  for (BodyState& s : scene.initial.bodies) s.velocity.z = -6;
  Simulation sim(scene);
  const double before = sim.energy().total();
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(sim.step().ok());
  const Ledger& books = sim.state().ledger;
  EXPECT_LT(books.contacts, -0.1 * before);
  EXPECT_LT(books.damping, -1e-3 * before);
  EXPECT_LT(std::abs(books.numerical), 0.01 * before);
  EXPECT_NEAR(sim.energy().total(), before + books.damping + books.contacts + books.projection + books.numerical,
              1e-11 * before);
}

// In a crowd steps are not cut where bodies meet. Sixty balls, far from each other, leave with e times the speed they came with up to a step before they
// touch the floor: at a gap of at most h v, which they do not pass twice, down and up with e. They rise e² as high as they fell but for (1 + e) h v and a step's
// fall, g h².
TEST(ContactScenes, BallsOfACrowdBounce) {
  const double e = 0.8, fall = 1;
  const Scene scene = workloads::falling_balls(60, e, fall);
  const double h = scene.settings.step, radius = scene.initial.bodies[0].position.z - fall;
  Simulation sim(scene);
  std::vector<double> highest(60, 0);
  for (int k = 0; k < 160; ++k) {
    ASSERT_TRUE(sim.step().ok());
    for (std::size_t i = 0; i < 60; ++i)
      if (sim.state().time > 0.5) highest[i] = std::max(highest[i], sim.state().bodies[i].position.z - radius);
  }
  for (std::size_t i = 0; i < 60; ++i) {
    const double from = fall + 1e-3 * static_cast<double>(i), v = std::sqrt(2 * 9.81 * from);
    EXPECT_NEAR(highest[i], e * e * from, (1 + e) * h * v + 9.81 * h * h) << i;
  }
}

// Twelve thrown bricks make problems of 144 rows, which `contacts: auto` solves exactly; one more and they are swept. Both ways they rise e² as high as they
// fell, slide as far, and lie with their weight. Between them is the moment of a meeting: a step in time, (1 + e) h v and the fall of a step in height,
// and what sliding for a step at each of the bounces makes of the way.
TEST(ContactScenes, OneBrickMoreIsTheSamePhysics) {
  const double e = 0.4, mu = 0.4, speed = 1.5, height = 0.05, g = 9.81;
  struct Run {
    std::vector<double> highest, way, carried;
    int swept = 0;
    double residual = 0;
  };
  double h = 0;
  const auto thrown = [&](int count) {
    const Scene scene = workloads::thrown_bricks(count, speed, height, mu, e);
    h = scene.settings.step;
    Simulation sim(scene);
    const auto n = static_cast<std::size_t>(count);
    Run run{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n), 0, 0};
    const double fall = std::sqrt(2 * height / g), rest = scene.initial.bodies[0].position.z - height;
    while (sim.time() < 1) {
      const StepReport report = sim.step();
      EXPECT_TRUE(report.ok()) << report.message;
      if (!report.ok()) break;
      run.swept += report.swept;
      if (sim.time() > 0.9) run.residual = std::max(run.residual, report.complementarity);
      for (std::size_t i = 0; i < n; ++i)
        if (sim.time() > fall + 2 * h)
          run.highest[i] = std::max(run.highest[i], sim.state().bodies[i].position.z - rest);
    }
    for (std::size_t i = 0; i < n; ++i) {
      run.way[i] = sim.state().bodies[i].position.x;
      EXPECT_LE(norm(sim.state().bodies[i].velocity), 1e-6) << count << " bricks: " << i;
    }
    for (const ContactForce& force : sim.contact_forces()) run.carried[force.contact.a] += force.force.z;
    return run;
  };
  const Run exact = thrown(12), swept = thrown(13);
  EXPECT_EQ(exact.swept, 0);
  EXPECT_GT(swept.swept, 0);
  EXPECT_LE(exact.residual, 1e-8);
  const double v = std::sqrt(2 * g * height), step = (1 + e) * h * v + g * h * h;
  for (const Run* run : {&exact, &swept})
    for (std::size_t i = 0; i < run->way.size(); ++i) {
      EXPECT_NEAR(run->highest[i], e * e * height, step) << i;
      EXPECT_NEAR(run->carried[i], 3.5 * g, 1e-3 * 3.5 * g) << i;
      // At a bounce friction takes µ (1 + e) v of the speed: the impacts together µ v (1 + e)/(1 − e), weight the rest.
      EXPECT_GT(run->way[i], 0.5 * speed * std::sqrt(2 * height / g)) << i;
      EXPECT_NEAR(run->way[i], exact.way[0], 2 * h * speed) << i;
    }
}

Options swept_times(int sweeps) {
  return {.method =
              MethodWords{.method = Method::spook, .contacts = ContactMode::swept, .sweeps = Sweeps{.most = sweeps}}};
}

// Ten sweeps a step are too few for what presses down through ten courses: the answer comes over many steps, each begun with the impulses of the last. What
// overlaps meanwhile is moved apart without a velocity that would have to be taken back: all comes to rest, with overlaps below a millimetre, and stays.
TEST(ContactScenes, CrowdsSweptTenTimesOverlapByLessThanAMillimetreAndRest) {
  struct Case {
    Scene scene;
    int steps;
  };
  for (const Case& c : {Case{workloads::brick_wall(), 800}, Case{workloads::box_stack(10), 1600}}) {
    Simulation sim(c.scene, swept_times(10));
    const Outcome done = watch(sim, c.steps);
    EXPECT_LE(done.overlap, 1e-3);
    const std::vector<BodyState> then = sim.state().bodies;
    EXPECT_LE(watch(sim, 100).overlap, 1e-3);
    for (std::size_t i = 0; i < then.size(); ++i) {
      EXPECT_LE(norm(sim.state().bodies[i].velocity), 1e-3) << i;
      EXPECT_LE(norm(sim.state().bodies[i].position - then[i].position), 1e-4) << i;
    }
  }
}

TEST(ContactScenes, PilesAndRagdollsSweptTenTimesOverlapByLessThanAMillimetre) {
  for (const Scene& scene : {workloads::mixed_pile(125), workloads::ragdolls_on_stairs(5)}) {
    Simulation sim(scene, swept_times(10));
    EXPECT_LE(watch(sim, 150).overlap, 1e-3);
  }
}

// What the sweeps leave is far more than what the turning of bodies changes in a step: the problem of a wall that stands is swept once.
TEST(ContactScenes, AProblemThatIsSweptFewTimesIsSolvedOnceAStep) {
  Simulation sim(workloads::brick_wall(), swept_times(10));
  for (int k = 0; k < 20; ++k) {
    const StepReport report = sim.step();
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.law_solves, 1);
    EXPECT_LE(report.sweeps, 10);
  }
}

}  // namespace contact_scenes_test
}  // namespace catena
