#include "catena/model/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace catena {
namespace builder_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Builder, BuildsAPendulum) {
  ModelBuilder builder;
  builder.name("pendulum")
      .gravity({0, 0, -1.62})
      .joint({.name = "pivot",
              .kind = JointKind::hinge,
              .between = {"ground", "rod"},
              .anchor = Vec3{},
              .axis = Vec3{0, 1, 0}})
      .body({.name = "rod", .mass = 1.0, .inertia = Sym3::diagonal(0.08, 0.08, 0.001), .position = {0, 0, -0.5}})
      .body({.name = "bob", .kind = BodyKind::particle, .mass = 0.1, .position = {0, 0, -2}})
      .spring({.between = {"rod", "bob"}, .anchors = {Vec3{0, 0, -1}, Vec3{0, 0, -2}}, .stiffness = 10})
      .force({.body = "bob", .force = {1, 0, 0}, .until = 2})
      .actuator({.joint = "pivot", .signal = Constant{0.5}})
      .material({"rubber", 0.9, 0.5})
      .ground_shape({Plane{{0, 0, 1}, -3}})
      .never_collide("rod", "ground");
  const BuiltModel built = builder.build();
  EXPECT_EQ(built.model.name, "pendulum");
  EXPECT_EQ(built.model.gravity.z, -1.62);
  ASSERT_EQ(built.model.joints.size(), 1u);
  EXPECT_EQ(built.model.joints[0].b, BodyId{0});
  EXPECT_EQ(built.model.joints[0].anchor_b, (Vec3{0, 0, 0.5}));
  EXPECT_EQ(built.model.springs[0].length, 1);
  EXPECT_EQ(built.model.springs[0].anchor_a, (Vec3{0, 0, -0.5}));
  EXPECT_EQ(built.model.forces[0].body, BodyId{1});
  EXPECT_EQ(built.model.actuators[0].joint, JointId{0});
  EXPECT_EQ(built.model.materials.size(), 2u);
  EXPECT_EQ(built.model.collide_exclude[0].second, kGround);
  EXPECT_EQ(built.initial.bodies.size(), 2u);
  EXPECT_TRUE(built.warnings.empty());
  EXPECT_EQ(builder.build().model.bodies.size(), 2u);  // again
}

TEST(Builder, SaysWhatIsWrong) {
  ModelBuilder builder;
  builder.body({.name = "rod", .mass = 1.0, .inertia = Sym3::diagonal(1, 1, 1)});
  ModelBuilder unknown = builder;
  unknown.joint({.name = "j", .kind = JointKind::ball, .between = {"ground", "rood"}, .anchor = Vec3{}});
  EXPECT_THAT([&] { unknown.build(); },
              ThrowsMessage<InputError>("joint 'j': there is no body 'rood'; the nearest name is 'rod'"));
  ModelBuilder twice = builder;
  twice.body({.name = "rod", .mass = 1.0, .inertia = Sym3::diagonal(1, 1, 1)});
  EXPECT_THAT([&] { twice.build(); }, ThrowsMessage<InputError>(HasSubstr("body 'rod': the name is taken")));
}

}  // namespace builder_test
}  // namespace catena
