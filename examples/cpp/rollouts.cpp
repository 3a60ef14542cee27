// A thousand rollouts of one model in threads: the model is shared, every simulation has its own state, and the results do not depend on
// the number of threads.
#include <catena/catena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

int main() {
  using namespace catena;
  const Scene scene = load_text(R"(
catena: 1
name: cart and pole
bodies:
  cart: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}
  pole: {mass: 0.1, inertia: [0.0034, 0.0034, 1e-5], position: [0, 0, 0.3]}
joints:
  rail: {kind: slider, between: [ground, cart], anchor: [0, 0, 0], axis: [1, 0, 0]}
  hinge: {kind: hinge, between: [cart, pole], anchor: [0, 0, 0], axis: [0, 1, 0]}
)");
  const auto model = std::make_shared<const Model>(scene.model);
  const Simulation first(model, scene.initial, with(scene.settings, {.step = 5e-3}));
  constexpr std::size_t kRollouts = 1000;

  // Each rollout: another push on the cart, 100 steps; how far has the pole fallen?
  const auto rollouts = [&](unsigned threads) {
    std::vector<double> angle(kRollouts);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      Simulation sim(model, first.state(), first.settings());  // one a thread, put back to the start for each rollout
      for (std::size_t i = next++; i < kRollouts; i = next++) {
        sim.set_state(first.state());
        sim.joint("rail").set_torque(0.02 * (static_cast<double>(i) - 499.5));
        for (int k = 0; k < 100; ++k) sim.step();
        angle[i] = sim.joint("hinge").position();
      }
    };
    std::vector<std::thread> crew;
    for (unsigned t = 0; t < threads; ++t) crew.emplace_back(work);
    for (std::thread& thread : crew) thread.join();
    return angle;
  };
  const std::vector<double> alone = rollouts(1), together = rollouts(std::max(2u, std::thread::hardware_concurrency()));
  const auto best =
      std::min_element(alone.begin(), alone.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  std::printf("%zu rollouts of 100 steps; the best push leaves the pole at %.6f rad; threads give %s\n", kRollouts,
              *best, alone == together ? "the same bits" : "OTHER BITS");
  return alone == together ? 0 : 1;
}
