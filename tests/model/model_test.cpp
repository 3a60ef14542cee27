#include "catena/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace catena {
namespace model_test {

TEST(Names, EveryKindOfJointHasItsName) {
  std::set<std::string_view> names;
  for (int k = 0; k < kJointKindCount; ++k) names.insert(name_of(static_cast<JointKind>(k)));
  EXPECT_EQ(names.size(), kJointKindCount - 1);  // both welds are "weld"
  EXPECT_EQ(name_of(JointKind::ball), "ball");
  EXPECT_EQ(name_of(JointKind::point_on_line), "point-on-line");
  EXPECT_EQ(name_of(JointKind::perpendicular_axes), "perpendicular-axes");
  EXPECT_EQ(name_of(JointKind::coupling), "coupling");
  EXPECT_EQ(name_of(JointKind::pin), "pin");
  EXPECT_EQ(name_of(JointKind::planar_weld), "weld");
  EXPECT_EQ(name_of(BodyKind::scalable), "scalable");
}

TEST(Nearest, FindsSlipsOfTheKeyboardAndNothingFarther) {
  const std::vector<std::string> known{"mass", "inertia", "position", "orientation", "shapes"};
  EXPECT_EQ(nearest("mas", known), "mass");
  EXPECT_EQ(nearest("inertai", known), "inertia");
  EXPECT_EQ(nearest("Position", known), "position");
  EXPECT_EQ(nearest("orientaton", known), "orientation");
  EXPECT_EQ(nearest("colour", known), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Model, FindsBodiesAndJointsByName) {
  Model model;
  model.bodies.resize(2);
  model.bodies[0].name = "upper";
  model.bodies[1].name = "lower";
  model.joints.resize(1);
  model.joints[0].name = "elbow";
  EXPECT_EQ(model.body("lower"), BodyId{1});
  EXPECT_EQ(model.joint("elbow"), JointId{0});
  EXPECT_THAT([&] { model.body("uper"); },
              testing::ThrowsMessage<InputError>("there is no body 'uper'; the nearest name is 'upper'"));
  EXPECT_THAT([&] { model.joint("shoulder"); }, testing::ThrowsMessage<InputError>("there is no joint 'shoulder'"));
}

TEST(Model, ExtrasAreTheDefaultsWhereAJointHasNone) {
  Model model;
  model.extras.resize(1);
  model.extras[0].damping = 3;
  Joint plain, damped;
  damped.extras = 0;
  EXPECT_EQ(model.extras_of(plain).damping, 0);
  EXPECT_EQ(model.extras_of(damped).damping, 3);
}

}  // namespace model_test
}  // namespace catena
