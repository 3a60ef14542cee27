#include "catena/record/contact_table.h"

#include <gtest/gtest.h>

namespace catena {
namespace contact_table_test {

// Two contacts of one pair and one of another: forces add, torques are about the origin; what does not push is left out.
TEST(ContactTable, WrenchesOfPairsAddTheirContacts) {
  const auto contact = [](BodyId a, BodyId b, const Vec3& point, const Vec3& force, double normal) {
    ContactForce c;
    c.contact.a = a;
    c.contact.b = b;
    c.contact.position = point;
    c.force = force;
    c.normal = normal;
    return c;
  };
  const std::vector<ContactForce> contacts{
      contact(BodyId(0), kGround, {1, 0, 0}, {0, 0, 2}, 2), contact(BodyId(0), BodyId(1), {0, 0, 0}, {5, 0, 0}, 5),
      contact(BodyId(0), kGround, {-1, 0, 0}, {0, 1, 3}, 3), contact(BodyId(1), kGround, {0, 0, 0}, {}, 0)};
  const std::vector<PairWrench> pairs = pair_wrenches(contacts);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].force, (Vec3{0, 1, 5}));
  EXPECT_EQ(pairs[0].torque, (Vec3{0, 1, -1}));
  EXPECT_EQ(pairs[1].force, (Vec3{5, 0, 0}));
}

TEST(ContactTable, RowsHaveANumberForEachColumn) {
  EXPECT_EQ(contact_row(0, {}).size(), contact_columns().size());
  EXPECT_EQ(pair_row(0, {}).size(), pair_columns().size());
}

}  // namespace contact_table_test
}  // namespace catena
