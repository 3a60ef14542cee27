// What a user of the installed library writes: a scene, a few steps, a look at a body.
#include <catena/catena.h>

#include <cmath>
#include <cstdio>

int main() {
  const catena::Scene scene = catena::load_text(R"(
catena: 1
bodies:
  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}
joints:
  pivot: {kind: hinge, between: [ground, bob], anchor: [0, 0, 0], axis: [0, 1, 0]}
)");
  catena::Simulation sim(scene, {.method = catena::Method::automatic, .step = 1e-3});
  for (int i = 0; i < 100; ++i) sim.step();
  const catena::BodyState bob = sim.body("bob");
  const double radius = std::hypot(bob.position.x, bob.position.y, bob.position.z);
  std::printf("after 0.1 s the bob is at z = %.6f, %.12f from the pivot\n", bob.position.z, radius);
  return bob.position.z < -0.01 && std::abs(radius - 1) < 1e-9 ? 0 : 1;
}
