// Drives that ask for what other joints do not allow are refused by name when a simulation is made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/catena.h"

namespace catena {
namespace contradictory_drives_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kBodies =
    "catena: 1\nbodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 1, 0]}\n"
    "joints:\n"
    "  swing: {kind: hinge, between: [ground, b], anchor: [0, 1, 0], axis: [0, 1, 0]}\n";

std::string complaint(const std::string& joints, Method method) {
  try {
    const Simulation sim(load_text(kBodies + joints, "s.yaml"), {.method = method});
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

class ContradictoryDrives : public ::testing::TestWithParam<Method> {};

TEST_P(ContradictoryDrives, a_motor_against_a_weld) {
  EXPECT_THAT(
      complaint(
          "  turn: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0], motor: {velocity: 1}}\n"
          "  stuck: {kind: weld, between: [ground, a], anchor: [1, 0, 0]}\n",
          GetParam()),
      AllOf(HasSubstr("drive of joint 'turn'"), HasSubstr("'stuck'"), HasSubstr("contradict each other")));
}

TEST_P(ContradictoryDrives, two_motors_of_one_axis) {
  const auto two = [](const char* speed) {
    return std::string(
               "  one: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0], motor: {velocity: 1}}\n"
               "  other: {kind: hinge, between: [ground, a], anchor: [0, 0.2, 0], axis: [0, 1, 0], motor: "
               "{velocity: ") +
           speed + "}}\n";
  };
  EXPECT_THAT(complaint(two("2"), GetParam()), AllOf(HasSubstr("joint 'one'"), HasSubstr("joint 'other'")));
  EXPECT_EQ(complaint(two("1"), GetParam()), "nothing") << "the same speed twice is no contradiction";
}

TEST_P(ContradictoryDrives, a_motor_that_turns_and_one_that_slides) {
  EXPECT_THAT(
      complaint(
          "  one: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0], motor: {velocity: 1}}\n"
          "  other: {kind: slider, between: [ground, a], anchor: [0, 0, 0], axis: [1, 0, 0], motor: {velocity: 2}}\n",
          GetParam()),
      HasSubstr("contradict each other"));
}

INSTANTIATE_TEST_SUITE_P(Methods, ContradictoryDrives,
                         ::testing::Values(Method::lagrange, Method::impulse, Method::spook, Method::operational),
                         [](const auto& each) {
                           return each.param == Method::operational ? "operational"
                                : each.param == Method::spook       ? "spook"
                                : each.param == Method::lagrange    ? "lagrange"
                                                                    : "impulse";
                         });

}  // namespace contradictory_drives_test
}  // namespace catena
