// Bodies that stretch, as scene files say them (kind: stretching): read, run, posed and written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "../../examples/cpp/stretching_body.h"
#include "catena/catena.h"
#include "catena/convert/convert.h"
#include "catena/model/stretching_form.h"

namespace catena {
namespace stretching_test {

using ::testing::HasSubstr;

// A box that spins freely, with the keys of the test after it.
std::string spinning(const std::string& keys) {
  return "gravity: [0, 0, 0]\nsimulate: {method: lagrange, step: 1e-3}\nbodies:\n  blob: {mass: 1.5, inertia: [0.13, "
         "0.11, "
         "0.08], orientation: {axis: [1, 2, 3], angle: 40 deg}, angular_velocity: [1.1, -2, 0.7], velocity: [0.2, "
         "-0.1, "
         "0.4], " +
         keys + "}\n";
}

void run(Simulation& simulation, int steps) {
  for (int i = 0; i < steps; ++i) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
  }
}

double farthest(const BodyState& a, const BodyState& b) {
  const Mat3 A = to_matrix(a.orientation), B = to_matrix(b.orientation);
  double worst = norm(a.position - b.position);
  for (int k = 0; k < 3; ++k) worst = std::max(worst, norm(A.column(k) - B.column(k)));
  return worst;
}

// Three stretches: the same as the class of examples/cpp, which tests/step/form_test.cpp holds to three particles.
TEST(Stretching, three_axes_move_as_the_class_a_user_writes) {
  const Scene scene = load_text(spinning(
      "kind: stretching, stretch: [1.1, 0.9, 1.05], stretch_velocity: [0.4, -0.3, 0.2], stiffness: [2, 1.5, 3]"));
  const BodyState& start = scene.initial.bodies[0];
  const BuiltModel built = ModelBuilder{}
                               .gravity({})
                               .body({.name = "blob",
                                      .kind = BodyKind::formed,
                                      .mass = 1.5,
                                      .orientation = start.orientation,
                                      .velocity = start.velocity,
                                      .angular_velocity = start.angular_velocity,
                                      .form = std::make_shared<StretchingBody>(Vec3{0.03, 0.05, 0.08}, Vec3{2, 1.5, 3}),
                                      .form_start = {1.1, 0.9, 1.05},
                                      .form_velocity = {0.4, -0.3, 0.2}})
                               .build();
  Simulation read(scene), written(built, {.method = Method::lagrange, .step = 1e-3});
  run(read, 1000);
  run(written, 1000);
  EXPECT_LE(farthest(read.body("blob"), written.body("blob")), 1e-12);
  const OwnVector a = form_coordinates(read.body("blob.form")), b = form_coordinates(written.body("blob.form"));
  for (std::size_t k = 0; k < kMaxOwn; ++k) EXPECT_NEAR(a[k], b[k], 1e-12);
}

// One stretch of all axes is what a scalable body has.
TEST(Stretching, all_axes_together_are_a_scalable_body) {
  const Scene scene = load_text(spinning("kind: stretching, axes: [xyz], stretch: 1.2, stretch_velocity: 0.3"));
  const Scene uniform = load_text(spinning("kind: scalable, scale: 1.2, scale_velocity: 0.3"));
  Simulation a(scene), b(uniform);
  run(a, 1000);
  run(b, 1000);
  EXPECT_LE(farthest(a.body("blob"), b.body("blob")), 1e-9);  // both by rk4 of 1 ms: 1e-11 from the truth
  EXPECT_NEAR(form_coordinates(a.body("blob.form"))[0], b.body("blob").scale, 1e-9);
  EXPECT_GT(b.body("blob").scale, 1.4);  // it did stretch
}

// Two axes together and one that stays: the angular momentum and the energy of a free body are kept, which the velocity-dependent forces have to see to.
TEST(Stretching, axes_in_groups_keep_energy_and_angular_momentum) {
  for (const char* axes : {"[xy, z]", "[y]", "[z, xy]"}) {
    Simulation s(load_text(spinning(std::string("kind: stretching, stiffness: 2, stretch: 0.9, axes: ") + axes)));
    const auto momentum = [&] {
      const BodyState& body = s.body("blob");
      const auto& form = dynamic_cast<const StretchingForm&>(*s.model().bodies[BodyId(0)].form);
      const Vec3 w = rotate(body.orientation.conjugate(), body.angular_velocity);
      return rotate(body.orientation, form.inertia(form_coordinates(s.body("blob.form"))) * w);
    };
    const Vec3 before = momentum();
    const double energy = s.energy().kinetic + s.energy().potential;
    run(s, 1000);
    EXPECT_LE(norm(momentum() - before), 1e-10 * norm(before)) << axes;
    EXPECT_NEAR(s.energy().kinetic + s.energy().potential, energy, 1e-9 * energy) << axes;
    EXPECT_GT(std::abs(form_rates(s.body("blob.form"))[0]), 1e-3) << axes;  // it is under way
  }
}

constexpr const char* kHanging = R"(
bodies:
  jelly:
    kind: stretching
    density: 500
    stretch: [1, 1.1, 0.9]
    stiffness: [40, 30, 60 J]
    position: [0.3, 0, 1]
    orientation: {axis: [0, 1, 0], angle: 30 deg}
    shapes: [{box: [20 cm, 20 cm, 40 cm], at: [0, 0, 5 cm]}]
  rod: {mass: 0.5, inertia: 0.01, position: [0, 0, 0.3]}
joints:
  pin: {kind: ball, between: [ground, jelly], anchor: {body: jelly, at: [0, 0, 0.2]}}
  hook: {kind: ball, between: [jelly, rod], anchors: [{body: jelly, at: [0, 0, -0.2]}, {body: rod, at: [0, 0, 0.2]}]}
springs:
  - {between: [ground, jelly], anchors: [[1, 0, 1], {body: jelly, at: [0.1, 0, 0]}], stiffness: 20}
)";

// Points of the body are material ones: {body: jelly, at: …} is where the stretch has taken it, and the centre of mass is that of the shapes.
TEST(Stretching, anchors_follow_the_stretch) {
  const Scene scene = load_text(kHanging);
  const BodyState& jelly = scene.initial.bodies[0];
  EXPECT_LE(norm(jelly.position - (Vec3{0.3, 0, 1} + rotate(jelly.orientation, Vec3{0, 0, 0.9 * 0.05}))), 1e-15);
  EXPECT_LE(norm(scene.model.joints[0].anchor_b - Vec3{0, 0, 0.2}), 1e-14);
  EXPECT_LE(norm(scene.model.joints[0].anchor_a - (jelly.position + rotate(jelly.orientation, Vec3{0, 0, 0.18}))),
            1e-14);
  EXPECT_NEAR(scene.model.bodies[0].mass, 8, 1e-12);
}

TEST(Stretching, written_and_read_again_it_moves_the_same) {
  const Scene scene = load_text(kHanging);
  const Scene back = load_text(write_yaml(scene, "jelly").text);
  ASSERT_EQ(back.model.bodies.size(), scene.model.bodies.size());
  Simulation a(scene), b(back);
  run(a, 500);
  run(b, 500);
  for (const char* name : {"jelly", "rod"}) EXPECT_LE(farthest(a.body(name), b.body(name)), 1e-11) << name;
  const OwnVector p = form_coordinates(a.body("jelly.form")), q = form_coordinates(b.body("jelly.form"));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(p[k], q[k], 1e-11);
}

TEST(Stretching, it_is_posed_and_leads_what_hangs_on_it) {
  Simulation s(load_text(kHanging));
  const Vec3 target{0.5, 0.1, 0.4};
  const DragReport report = s.drag(s.body_id("rod"), {}, target);
  EXPECT_TRUE(report.reached);
  EXPECT_LE(norm(s.body("rod").position - target), 1e-12);
  EXPECT_LE(report.drift.position, 1e-12);
}

TEST(Stretching, links_of_a_chain_stretch) {
  Simulation s(
      load_text("chain: {count: 4, offset: [0, 0, -0.3], link: {kind: stretching, density: 400, stiffness: 30, shapes: "
                "[{box: [5 cm, 5 "
                "cm, 30 cm], collide: no}]}, joint: {kind: ball}}"));
  const double before = s.energy().potential;
  run(s, 200);
  EXPECT_LE(s.report().drift_position, 1e-10);
  EXPECT_GT(form_coordinates(s.body("link0.form"))[2], 1.001);  // the first carries the others
  EXPECT_NEAR(s.energy().kinetic + s.energy().potential, before, 1e-6 * std::abs(before));
}

TEST(Stretching, what_is_wrong_is_named) {
  const auto message = [](const std::string& body) {
    try {
      load_text("bodies: {a: {" + body + "}}");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_THAT(message("kind: stretching, mass: 1, inertia: 1, axes: [x, x]"), HasSubstr("each once at most"));
  EXPECT_THAT(message("kind: stretching, mass: 1, inertia: 1, axes: []"), HasSubstr("each once at most"));
  EXPECT_THAT(message("kind: stretching, mass: 1, inertia: 1, axes: [w]"), HasSubstr("x, y and z"));
  EXPECT_THAT(message("kind: stretching, mass: 1, inertia: 1, stretch: 0"), HasSubstr("must be positive"));
  EXPECT_THAT(message("kind: stretching, mass: 1, inertia: 1, stretch: [1, 1]"), HasSubstr("each of its 3 stretches"));
  EXPECT_THAT(message("kind: stretching, mass: 1, inertia: 1, stiffness: -1"), HasSubstr("negative"));
  EXPECT_THAT(message("kind: stretching, mass: 1, inertia: 1, stiffness: 3 N/m"), HasSubstr("an energy"));
  EXPECT_THAT(message("kind: stretching, mass: 1, inertia: [2, 2, 2, 0.5, 0, 0]"), HasSubstr("principal axes"));
  EXPECT_THAT(message("kind: stretching, mass: 1, inertia: [1, 1, 2]"), HasSubstr("along its z axis"));
  EXPECT_THAT(message("kind: stretching, axes: [x, y], mass: 1, inertia: [1, 1, 2]"), HasSubstr("read"));
  EXPECT_THAT(message("kind: rigid, mass: 1, inertia: 1, stretch: 2"), HasSubstr("kind: stretching has"));
  EXPECT_THAT(message("kind: stretching, mass: 1, inertia: 1, angle: 2"),
              HasSubstr("a stretching body has no 'angle'"));
}

}  // namespace stretching_test
}  // namespace catena
