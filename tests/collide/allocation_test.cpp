// Finding contacts again allocates nothing.
#include "allocation_counter.h"
#include "collide/crowd.h"

namespace catena::testing {
namespace allocation_test {

TEST(Allocation, FindingContactsAgainAllocatesNothing) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the address sanitizer has its own malloc";
  std::mt19937 rng(6);
  World world = crowd();
  std::vector<State> states;
  for (int k = 0; k < 20; ++k) {
    scatter(world, rng);
    states.push_back(world.state);
  }
  Collider collider(world.model);
  std::vector<Contact> contacts;
  for (int round = 0; round < 2; ++round) {
    for (const State& state : states) collider.find(state, contacts);
  }
  const long before = allocations;
  for (const State& state : states) collider.find(state, contacts);
  EXPECT_EQ(allocations, before);
  const std::vector<int> counted(100);
  EXPECT_EQ(allocations, before + 1) << counted.size();
}

}  // namespace allocation_test
}  // namespace catena::testing
