// What one more simulation of a shared model takes.
#include <gtest/gtest.h>

#include "bench/contact_scenes.h"
#include "bench/workloads.h"
#include "catena/catena.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#include <malloc.h>

namespace catena {
namespace {

std::size_t bytes_in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(Memory, another_simulation_of_a_biped_takes_at_most_200_kB_beyond_the_model) {
  const Scene scene = workloads::biped();
  const auto model = std::make_shared<const Model>(scene.model);
  constexpr int kCount = 8, kSteps = 20;
  for (const Method method : {Method::lagrange, Method::spook, Method::operational}) {
    SCOPED_TRACE(static_cast<int>(method));
    const auto build = [&] {
      Simulation simulation(model, scene.initial, {.method = method, .step = 1e-3});
      EXPECT_TRUE(simulation.advance_to(kSteps * 1e-3).ok());
      return simulation;
    };
    build();  // what is allocated once for all
    std::vector<Simulation> simulations;
    simulations.reserve(kCount);
    const std::size_t before = bytes_in_use();
    for (int i = 0; i < kCount; ++i) simulations.push_back(build());
    const std::size_t each = (bytes_in_use() - before) / kCount;
    EXPECT_LE(each, 200'000u);
    RecordProperty("bytes of method " + std::to_string(static_cast<int>(method)), std::to_string(each));
  }
}

}  // namespace
}  // namespace catena

#endif
