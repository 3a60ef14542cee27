// A steady step of a batch allocates nothing, whichever worlds have been in the thread's workspace before.
#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "catena/batch.h"

namespace catena {
namespace allocation_test {

TEST(BatchAllocation, ASteadyStepOfManyWorldsAllocatesNothing) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Scene scene = load_text(R"({catena: 1, simulate: {step: 2e-3},
    bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.5, 0, 0], shapes: [{sphere: 0.1}]},
             bob: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [1, 0, 0], shapes: [{sphere: 0.1}]}},
    ground: {shapes: [{plane: {normal: [0, 0, 1], offset: -0.3}}]},
    joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0], damping: 1},
             end: {kind: ball, between: [rod, bob], anchor: [1, 0, 0]}}})");
  for (const Method method : {Method::spook, Method::operational}) {
    Batch batch(scene, 5, {.method = method});
    std::vector<double> spin(5 * batch.n_v());
    for (std::size_t i = 0; i < 5; ++i) spin[i * batch.n_v()] = -0.1 * static_cast<double>(i);
    batch.reset({}, std::vector(batch.q().begin(), batch.q().end()), spin);
    const long before = allocations;
    batch.step(1);
    EXPECT_GT(allocations, before);  // the counter counts: the first step makes the workspaces
    batch.step(2000);                // at rest on the ground
    const long steady = allocations;
    for (int k = 0; k < 50; ++k) batch.step(2);
    EXPECT_EQ(allocations, steady) << static_cast<int>(method);
    EXPECT_GT(batch.contacts()[0], 0);
  }
}

TEST(BatchAllocation, ASteadyStepInLanesAllocatesNothing) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Scene scene = load_text(R"({catena: 1, simulate: {step: 2e-3},
    bodies: {upper: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.5, 0, 0]},
             lower: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [1.5, 0, 0]}},
    joints: {shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0], axis: [0, 1, 0], damping: 0.1},
             elbow: {kind: hinge, between: [upper, lower], anchor: [1, 0, 0], axis: [0, 1, 0]}}})");
  Batch batch(scene, 6, {.method = Method::operational});
  batch.step(5);
  const long before = allocations;
  for (int k = 0; k < 20; ++k) batch.step(2);
  EXPECT_EQ(allocations, before);
  EXPECT_GE(batch.lanes().steps_in_lanes, 6 * 40) << batch.lanes().why_not;
}

}  // namespace allocation_test
}  // namespace catena
