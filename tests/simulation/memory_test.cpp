// What one more simulation of a shared model takes.
#include <gtest/gtest.h>

#include "bench/contact_scenes.h"
#include "bench/workloads.h"
#include "catena/catena.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#include <malloc.h>

namespace catena {
namespace memory_test {

std::size_t bytes_in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(Memory, another_simulation_of_a_biped_shares_its_model_and_takes_what_its_rows_and_bodies_need) {
  const Scene scene = workloads::biped();
  const auto model = std::make_shared<const Model>(scene.model);
  constexpr int kCount = 8, kSteps = 20;
  // Counted: 202 kB in maximal coordinates, 192 kB in joint coordinates; 198 kB by lagrange and impulse, whose steps are all taken by the implicit
  // scheme, since the servos of this biped are stiff for them. What `auto` chooses for it may take 200 kB.
  const std::pair<Method, std::size_t> most[] = {{Method::automatic, 200'000},
                                                 {Method::spook, 205'000},
                                                 {Method::operational, 200'000},
                                                 {Method::lagrange, 200'000},
                                                 {Method::impulse, 200'000}};
  for (const auto& [method, bound] : most) {
    SCOPED_TRACE(static_cast<int>(method));
    const auto build = [&, of = method] {
      Simulation simulation(model, scene.initial, {.method = of, .step = 1e-3});
      EXPECT_TRUE(simulation.advance_to(kSteps * 1e-3).ok());
      return simulation;
    };
    build();  // what is allocated once for all
    std::vector<Simulation> simulations;
    simulations.reserve(kCount);
    const std::size_t before = bytes_in_use();
    for (int i = 0; i < kCount; ++i) simulations.push_back(build());
    const std::size_t each = (bytes_in_use() - before) / kCount;
    EXPECT_LE(each, bound);
  }
}

}  // namespace memory_test
}  // namespace catena

#endif
