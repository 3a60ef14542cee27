#include "catena/model/displacements.h"

#include <gtest/gtest.h>

#include "catena/model/body_kinds.h"
#include "constraint/row_testing.h"

namespace catena {
namespace displacements_test {

using namespace testing_rows;

// Four rigid bodies in a row, others between them, and some that are left over; turns by series and by angle.
TEST(Displacements, of_four_bodies_have_the_bits_of_one) {
  Model model;
  State state;
  Random random(11);
  for (int i = 0; i < 15; ++i) {
    const BodyKind kind = i == 9 ? BodyKind::particle : i == 10 ? BodyKind::scalable : BodyKind::rigid;
    add_body(model, state, kind, random);
  }
  std::vector<BodyVector> d;
  for (int i = 0; i < 15; ++i) d.push_back((i == 2 || i == 13 ? 1.0 : 1e-3) * random.motion(BodyKind::scalable));
  std::vector<BodyState> alone = state.bodies;
  for (std::size_t i = 0; i < d.size(); ++i) displace(model.bodies[i].kind, d[i], alone[i]);
  displace_all(model, d, state.bodies);
  for (std::size_t i = 0; i < d.size(); ++i) {
    EXPECT_EQ(state.bodies[i].position, alone[i].position) << i;
    EXPECT_EQ(state.bodies[i].orientation, alone[i].orientation) << i;
    EXPECT_EQ(state.bodies[i].scale, alone[i].scale) << i;
  }
}

}  // namespace displacements_test
}  // namespace catena
