// What a simulation costs beside the model it shares.
#include <gtest/gtest.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <memory>
#include <vector>

#include "bench/workloads.h"
#include "catena/catena.h"

namespace catena {
namespace {

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
double heap() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

// The biped of 30 freedoms on eight points of contact, with everything it has allocated in its first steps.
TEST(Memory, a_simulation_of_a_robot_of_30_freedoms_takes_at_most_200_kB) {
  const Scene scene = workloads::biped();
  const auto model = std::make_shared<const Model>(scene.model);
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    Settings settings = scene.settings;
    settings.method = method;
    const auto make = [&] {
      auto simulation = std::make_unique<Simulation>(model, scene.initial, settings);
      for (int i = 0; i < 5; ++i) EXPECT_TRUE(simulation->step().ok());
      return simulation;
    };
    const std::unique_ptr<Simulation> first = make();  // what is made once for all of them
    const double before = heap();
    std::vector<std::unique_ptr<Simulation>> more;
    for (int i = 0; i < 5; ++i) more.push_back(make());
    EXPECT_LE((heap() - before) / 5, 200e3) << "method " << static_cast<int>(method);
    RecordProperty("bytes" + std::to_string(static_cast<int>(method)), static_cast<int>((heap() - before) / 5));
  }
}
#endif

}  // namespace
}  // namespace catena
