// Forces of contacts over a step, from its parts and impacts: their impulse is the sum of all.
#include "catena/contact/contact_report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "laws/laws_testing.h"

namespace catena {
namespace contact_report_test {

using namespace testing_laws;

// Two balls on each other and the floor: contacts in general position.
struct Heap {
  RandomMotion motion;
  std::unique_ptr<Found> found;

  Heap() {
    Random random(4);
    for (int i = 0; i < 2; ++i) add_shaped(motion, BodyKind::rigid, Sphere{0.3}, random);
    motion.state.bodies[0].position = {0.1, 0.2, 0.3};
    motion.state.bodies[1].position = {0.3, 0.25, 0.85};
    add_floor(motion, Plane{{0, 0, 1}, 0});
    found = std::make_unique<Found>(motion.model, motion.state, 0.05);
  }
  const Laws& laws() const { return found->laws; }
  const LawBlock& block(std::size_t k) const { return laws().rows().blocks[k]; }
  Vec3 force(std::size_t k, const std::array<double, 3>& z) const {
    const Contact& c = laws().contacts()[static_cast<std::size_t>(block(k).source)];
    const auto& t = laws().tangents(block(k));
    return z[0] * c.normal + z[1] * t[0] + z[2] * t[1];
  }
};

const std::array<double, 3> kFirst{5, 1, -2}, kSecond{3, -0.5, 1}, kOther{7, 0.3, 0.2};

TEST(ContactReport, forces_of_parts_add_up_by_their_shares_of_the_step) {
  const Heap heap;
  ASSERT_EQ(heap.laws().contacts().size(), 2U);
  ContactReport report;
  report.add(heap.laws(), heap.block(0), kFirst, {0.1, 0.2});
  report.merge_part(0.3);
  report.add(heap.laws(), heap.block(0), kSecond, {0.3, -0.2});
  report.add(heap.laws(), heap.block(1), kOther, {0, 0});
  report.merge_part(0.7);
  ASSERT_EQ(report.forces().size(), 2U);
  const ContactForce& got = report.forces()[0];
  const Vec3 wanted = 0.3 * heap.force(0, kFirst) + 0.7 * heap.force(0, kSecond);
  EXPECT_LE(norm(got.force - wanted), 1e-14);
  EXPECT_NEAR(got.normal, dot(wanted, got.contact.normal), 1e-14);
  EXPECT_NEAR(got.tangential[0], dot(wanted, got.tangent), 1e-14);
  EXPECT_NEAR(got.tangential[1], dot(wanted, cross(got.contact.normal, got.tangent)), 1e-14);
  EXPECT_LE(norm(report.forces()[1].force - 0.7 * heap.force(1, kOther)), 1e-14)
      << "it was there for a part of the step";
}

TEST(ContactReport, an_impact_counts_with_its_impulse_over_the_whole_step) {
  const Heap heap;
  ContactReport report;
  report.add(heap.laws(), heap.block(0), kFirst, {0.1, 0.2});
  report.merge_part(0.5);
  const double h = 0.01;
  Impact impact;
  impact.contact = heap.laws().contacts()[0];
  impact.impulse = {0.2, -0.1, 0.3};
  impact.normal = dot(impact.impulse, impact.contact.normal);
  report.add(impact, h);
  ASSERT_EQ(report.forces().size(), 1U);
  EXPECT_LE(norm(h * report.forces()[0].force - (0.5 * h * heap.force(0, kFirst) + impact.impulse)), 1e-15);
  EXPECT_NEAR(h * report.forces()[0].normal, 0.5 * h * kFirst[0] + impact.normal, 1e-15);
  Impact limit = impact;
  limit.joint = JointId(0);
  report.add(limit, h);
  EXPECT_EQ(report.forces().size(), 1U) << "limits are no contacts";
  impact.contact.feature ^= 77;
  report.add(impact, h);
  EXPECT_EQ(report.forces().size(), 2U) << "another point of the same pair is a contact of its own";
}

TEST(ContactReport, a_part_that_is_not_taken_leaves_nothing) {
  const Heap heap;
  ContactReport report;
  report.add(heap.laws(), heap.block(0), kFirst, {});
  report.drop_part();
  report.merge_part(1);
  EXPECT_TRUE(report.forces().empty());
  report.add(heap.laws(), heap.block(0), kFirst, {});
  report.replace_by_part();
  report.add(heap.laws(), heap.block(0), kSecond, {});
  report.replace_by_part();
  ASSERT_EQ(report.forces().size(), 1U);
  EXPECT_LE(norm(report.forces()[0].force - heap.force(0, kSecond)), 1e-14) << "those at the end";
}

}  // namespace contact_report_test
}  // namespace catena
