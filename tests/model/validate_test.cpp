#include "catena/model/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace catena {
namespace validate_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A rigid body "r", a particle "p", a planar body "f" and a scalable body "s", and a ball joint "j" from the ground to "r".
struct Fixture {
  Model model;
  State initial;

  Fixture() {
    for (const auto& [name, kind] : {std::pair("r", BodyKind::rigid),
                                     {"p", BodyKind::particle},
                                     {"f", BodyKind::planar},
                                     {"s", BodyKind::scalable}}) {
      model.bodies.push_back({name, kind, 1.0, Sym3::diagonal(1, 1, 1), {}});
    }
    initial.bodies.resize(4);
    model.joints.resize(1);
    joint().name = "j";
    joint().b = BodyId{0};
    model.materials = {{"default", 0.5, 0}};
  }
  Joint& joint() { return model.joints[0]; }
  Body& body() { return model.bodies[0]; }
  void expect_error(const std::string& message) {
    EXPECT_THAT([&] { validate(model, initial); }, ThrowsMessage<InputError>(HasSubstr(message)));
  }
  void join(JointKind kind, int a, int b) {
    joint().kind = kind;
    joint().a = BodyId{a};
    joint().b = BodyId{b};
  }
};

TEST(Validate, AGoodModelHasNoWarnings) {
  Fixture f;
  EXPECT_TRUE(validate(f.model, f.initial).empty());
}

TEST(Validate, MassMustBePositiveAndFinite) {
  for (const double mass : {0.0, -1.0, kNan, std::numeric_limits<double>::infinity()}) {
    Fixture f;
    f.body().mass = mass;
    f.expect_error("body 'r': mass");
  }
}

TEST(Validate, InertiaMustBePositiveDefinite) {
  Fixture f;
  f.body().inertia = {1, 1, 1, 2, 0, 0};
  f.expect_error("body 'r': inertia is not positive definite (principal moments -1, 1, 3); all three must be positive");
  Fixture g;
  g.model.bodies[2].inertia.zz = 0;
  g.expect_error("body 'f': inertia 0 must be positive");
  Fixture h;
  h.body().inertia.xy = kNan;
  h.expect_error("body 'r': inertia is not finite");
}

TEST(Validate, InertiaBeyondTheTriangleInequalityIsAWarning) {
  Fixture f;
  f.body().inertia = Sym3::diagonal(1, 1, 2.5);
  EXPECT_THAT(validate(f.model, f.initial),
              testing::ElementsAre(
                  "body 'r': no body has principal moments 1, 1, 2.5: the largest exceeds the sum of the others"));
}

TEST(Validate, QuaternionsAreNormalisedWithAWarningWhenFarFromUnit) {
  Fixture f;
  f.initial.bodies[0].orientation = {1 + 1e-8, 0, 0, 0};
  EXPECT_TRUE(validate(f.model, f.initial).empty());
  EXPECT_EQ(f.initial.bodies[0].orientation.w, 1);
  f.initial.bodies[0].orientation = {3, 0, 4, 0};
  EXPECT_THAT(validate(f.model, f.initial),
              testing::ElementsAre("body 'r': orientation has length 5 and was normalised"));
  EXPECT_DOUBLE_EQ(f.initial.bodies[0].orientation.y, 0.8);
  f.initial.bodies[0].orientation = {0, 0, 0, 0};
  f.expect_error("body 'r': orientation is not a rotation");
}

TEST(Validate, NamesAreGivenOnce) {
  Fixture f;
  f.model.bodies[1].name = "r";
  f.expect_error("body 'r': the name is taken");
  Fixture g;
  g.model.joints.push_back(g.joint());
  g.expect_error("joint 'j': the name is taken");
}

TEST(Validate, NumbersOfTheStateAreFinite) {
  Fixture f;
  f.initial.bodies[3].velocity.y = kNan;
  f.expect_error("body 's': position and velocities must be finite");
  Fixture g;
  g.initial.bodies[3].scale = 0;
  g.expect_error("body 's': scale 0 must be positive");
  Fixture h;
  h.initial.bodies[2].position.z = 1;
  h.expect_error("body 'f': a planar body lies in the x-y plane");
  Fixture k;
  k.model.gravity.z = kNan;
  k.expect_error("model: gravity");
}

TEST(Validate, JointsThatTurnNeedBodiesThatTurn) {
  using enum JointKind;
  for (const JointKind kind : {hinge, slider, cylindrical, universal, planar, weld, screw, fixed_orientation,
                               aligned_axes, perpendicular_axes}) {
    Fixture f;
    f.join(kind, 0, 1);
    f.expect_error(std::string("joint 'j': a ") + std::string(name_of(kind)) +
                   " joint needs bodies that turn in space, and particle 'p' does not; ball");
    f.join(kind, 2, 0);
    f.expect_error("planar 'f' does not; pin, weld and distance joints go with planar bodies");
    f.join(kind, 3, 0);
    EXPECT_NO_THROW(validate(f.model, f.initial));
  }
}

TEST(Validate, JointsOfPointsTakeAnyBody) {
  using enum JointKind;
  for (const JointKind kind : {point_on_line, point_on_plane, skate}) {
    for (const int other : {-1, 0, 1, 2, 3}) {
      if (other == 1) continue;
      Fixture f;
      f.join(kind, other, 1);
      EXPECT_NO_THROW(validate(f.model, f.initial));
    }
  }
  Fixture f;
  f.join(ball, 1, 2);
  EXPECT_NO_THROW(validate(f.model, f.initial));
  f.join(ball, 0, 2);
  f.expect_error("planar 'f' does not");
}

TEST(Validate, PinsArePlanar) {
  Fixture f;
  f.join(JointKind::pin, -1, 2);
  EXPECT_NO_THROW(validate(f.model, f.initial));
  f.join(JointKind::pin, 0, 2);
  f.expect_error("joint 'j': a pin between planar bodies cannot hold rigid 'r'");
}

TEST(Validate, AJointJoinsTwoThings) {
  Fixture f;
  f.join(JointKind::ball, 0, 0);
  f.expect_error("joint 'j': joins rigid 'r' to itself");
  f.join(JointKind::ball, -1, -1);
  f.expect_error("joint 'j': joins the ground to itself");
  f.join(JointKind::ball, 0, 9);
  f.expect_error("joint 'j': joins a body that is not in the model");
}

TEST(Validate, RollingIsOnTheGroundOrARigidBody) {
  Fixture f;
  f.join(JointKind::rolling, -1, 0);
  f.joint().parameter = 0.1;
  EXPECT_NO_THROW(validate(f.model, f.initial));
  f.joint().parameter = 0;
  f.expect_error("joint 'j': radius 0 must be positive");
  f.join(JointKind::rolling, 0, -1);
  f.joint().parameter = 0.1;
  f.expect_error("a rolling joint is between the ground or a rigid body, which has the plane");
}

TEST(Validate, ParametersCouple) {
  Fixture f;
  f.join(JointKind::distance, -1, 1);
  f.expect_error("joint 'j': length 0 must be positive");
  f.join(JointKind::gear, 0, 3);
  f.expect_error("joint 'j': ratio 0 couples nothing");
  f.join(JointKind::ball, -1, 0);
  f.joint().anchor_a.x = kNan;
  f.expect_error("joint 'j': its anchors and numbers must be finite");
}

TEST(Validate, CouplingsHaveRowsThatSaySomething) {
  Fixture f;
  f.join(JointKind::coupling, -1, -1);
  f.expect_error("joint 'j': a coupling needs terms");
  f.model.extras.resize(1);
  f.joint().extras = 0;
  auto& rows = f.model.extras[0].rows;
  rows = {{{{BodyId{0}, {0, 0, 0}, {0, 0, 0}}}, Constant{1}}};
  f.expect_error("joint 'j': a row of it has no term that is not zero");
  rows = {{{{kGround, {1, 0, 0}, {0, 0, 0}}}, Constant{1}}};
  f.expect_error("the ground has no velocity");
  rows = {{{{BodyId{0}, {1, 0, 0}, {0, 0, 0}}}, Constant{1}}};
  EXPECT_NO_THROW(validate(f.model, f.initial));
}

TEST(Validate, MotorsAndLimitsNeedACoordinate) {
  Fixture f;
  f.model.extras.resize(1);
  f.joint().extras = 0;
  f.model.extras[0].motor = Motor{Constant{1}, {}};
  EXPECT_NO_THROW(validate(f.model, f.initial));
  f.join(JointKind::weld, -1, 0);
  f.expect_error("joint 'j': a weld joint has no coordinate for motor");
  f.join(JointKind::hinge, -1, 0);
  f.model.extras[0].motor = Motor{Table{{0, 0}, {1, 2}}, {}};
  f.expect_error("joint 'j': motor: its table's times do not increase (0 follows 0)");
  f.model.extras[0].motor.reset();
  f.model.extras[0].limits = Limits{1, -1, 0};
  f.expect_error("joint 'j': its lower limit 1 is above its upper limit -1");
  f.model.extras[0].limits = Limits{-1, 1, 2};
  f.expect_error("restitution 2 of its limits must lie between 0 and 1");
  f.model.extras[0].limits.reset();
  f.model.extras[0].damping = -1;
  f.expect_error("must not be negative");
}

TEST(Validate, ForcesSpringsAndActuatorsReferToWhatIsThere) {
  Fixture f;
  f.model.forces.push_back({kGround, {1, 0, 0}});
  f.expect_error("force 0: acts on no body");
  f.model.forces[0] = {BodyId{0}, {1, 0, 0}, {}, {}, 2, 1};
  f.expect_error("force 0: ends at 1 s, before it begins at 2 s");
  f.model.forces.clear();
  f.model.springs.push_back({BodyId{0}, BodyId{0}});
  f.expect_error("spring 0: must join two different bodies");
  f.model.springs[0] = {BodyId{0}, kGround, {}, {}, -1};
  f.expect_error("spring 0: stiffness, damping and length must be finite and not negative");
  f.model.springs.clear();
  f.model.actuators.resize(1);
  f.model.actuators[0].joint = JointId{4};
  f.expect_error("actuator 0: drives no joint");
  f.model.actuators[0].joint = JointId{0};
  f.model.actuators[0].coordinate = 3;
  f.expect_error("actuator 0: drives coordinate 3 of joint 'j', but a ball joint has 3");
}

TEST(Validate, ShapesHaveSizes) {
  Fixture f;
  f.body().shapes = {{Sphere{-1}}};
  f.expect_error("body 'r': a sphere's radius -1 must be positive");
  f.body().shapes = {{Plane{{0, 0, 1}, 0}}};
  f.expect_error("body 'r': a plane can only belong to the ground");
  f.body().shapes = {{Sphere{1}, {}, {}, 7}};
  f.expect_error("body 'r': a shape's material is not one of the model's");
  f.body().shapes = {{Hull{{{0, 0, 0}}}}};
  f.expect_error("body 'r': a hull of 1 points has no inside");
  f.body().shapes.clear();
  f.model.materials[0].restitution = 2;
  f.expect_error("material 'default': restitution 2 must lie between 0 and 1");
}

TEST(Inspect, FindingsKnowTheirSubjectAndIndex) {
  Fixture f;
  f.model.bodies[3].mass = -1;
  f.join(JointKind::hinge, -1, 1);
  const auto findings = inspect(f.model, f.initial);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].subject, Finding::Subject::body);
  EXPECT_EQ(findings[0].index, 3);
  EXPECT_EQ(findings[1].subject, Finding::Subject::joint);
  EXPECT_TRUE(findings[1].error);
}

}  // namespace validate_test
}  // namespace catena
