// What is reported of a contact against the cone its force was found in.
#include "catena/laws/contact_force.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/math/rotation.h"

namespace catena {
namespace contact_force_test {

using State = ContactForce::State;

// A contact in general position; forces and slips along its normal and tangents.
struct Touch {
  Contact contact;
  std::array<Vec3, 2> tangents;

  Touch() {
    contact.normal = normalized(Vec3{0.3, -0.5, 0.8});
    tangents[0] = normalized(cross(contact.normal, Vec3{1, 0.2, -0.4}));
    tangents[1] = cross(contact.normal, tangents[0]);
  }
  ContactForce report(const std::array<double, 2>& friction, double shift, const std::array<double, 3>& force,
                      const std::array<double, 2>& slip = {}) const {
    return contact_force(contact, tangents, friction, shift, force, slip);
  }
};

// On the ellipse with half axes a and b in direction (cos, sin) of an angle: the point where the force has all of its reach.
std::array<double, 2> on_ellipse(const std::array<double, 2>& axes, double angle) {
  const double r = 1 / std::hypot(std::cos(angle) / axes[0], std::sin(angle) / axes[1]);
  return {r * std::cos(angle), r * std::sin(angle)};
}

TEST(ContactForce, its_margin_is_what_the_force_could_still_grow_by_in_its_own_direction) {
  const Touch touch;
  for (const std::array<double, 2>& friction : {std::array{0.4, 0.4}, std::array{0.2, 0.7}, std::array{0.9, 0.3}})
    for (int k = 0; k < 16; ++k) {
      const double angle = 0.1 + k * std::numbers::pi / 8, part = 0.05 + 0.055 * k, normal = 3 + k;
      const auto [x, y] = on_ellipse(friction, angle);
      const ContactForce got = touch.report(friction, 0, {normal, part * normal * x, part * normal * y});
      const double reach = normal * std::hypot(x, y);
      EXPECT_NEAR(got.margin, (1 - part) * reach, 1e-14 * reach);
      EXPECT_EQ(got.state, State::stick);
    }
}

TEST(ContactForce, what_has_its_force_on_the_edge_of_the_cone_slips) {
  const Touch touch;
  for (const std::array<double, 2>& friction : {std::array{0.4, 0.4}, std::array{0.2, 0.7}})
    for (int k = 0; k < 16; ++k) {
      const auto [x, y] = on_ellipse(friction, 0.1 + k * std::numbers::pi / 8);
      EXPECT_EQ(touch.report(friction, 0, {5, 5 * x, 5 * y}).state, State::slip);
      EXPECT_EQ(touch.report(friction, 0, {5, 4.999 * x, 4.999 * y}).state, State::stick);
    }
  EXPECT_EQ(touch.report({0, 0}, 0, {5, 0, 0}).state, State::slip) << "without friction nothing holds it";
  EXPECT_EQ(touch.report({0.4, 0.4}, 0, {0, 0, 0}).state, State::separating);
}

// Friction along one tangent alone: across it nothing holds, along it all of it does.
TEST(ContactForce, friction_in_one_direction_holds_in_that_direction_alone) {
  const Touch touch;
  const ContactForce along = touch.report({0.4, 0}, 0, {5, 1, 0});
  EXPECT_LE(along.margin, 0) << "an ellipse without width";
  EXPECT_EQ(along.state, State::slip);
}

// K of a grain's normal row leans by the shift (laws_test.cpp): what acts on the body is K z, and z itself is what obeys the ellipse.
TEST(ContactForce, the_force_of_a_grain_leans_by_its_shift_and_its_margin_does_not) {
  const Touch touch;
  const double shift = 0.15, normal = 4;
  const std::array<double, 2> friction{0.35, 0.6};
  const std::array<double, 3> z{normal, -0.4, 0.8};
  const ContactForce got = touch.report(friction, shift, z, {0.02, -0.03});
  const Vec3 wanted =
      normal * (touch.contact.normal + shift * touch.tangents[0]) + z[1] * touch.tangents[0] + z[2] * touch.tangents[1];
  EXPECT_LE(norm(got.force - wanted), 1e-15);
  EXPECT_NEAR(dot(got.force, touch.contact.normal), got.normal, 1e-15);
  EXPECT_NEAR(dot(got.force, got.tangent), got.tangential[0], 1e-15);
  EXPECT_NEAR(dot(got.force, cross(touch.contact.normal, got.tangent)), got.tangential[1], 1e-15);
  EXPECT_NEAR(got.margin, touch.report(friction, 0, z).margin, 1e-15);
  EXPECT_LE(norm(got.slip - (0.02 * touch.tangents[0] - 0.03 * touch.tangents[1])), 1e-17);
}

}  // namespace contact_force_test
}  // namespace catena
