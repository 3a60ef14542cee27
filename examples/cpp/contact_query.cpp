// A box slides down a slope onto a shelf: which contacts there are after each step, what they push with, whether they stick, and what the
// friction has cost, all without solving anything again.
#include <catena/catena.h>

#include <cmath>
#include <cstdio>

int main() {
  using namespace catena;
  const Scene scene = load_text(R"(
catena: 1
defaults: {friction: 0.3}
ground:
  shapes:
    - {plane: {normal: [-0.5, 0, 0.8660254037844386], offset: 0}}
    - {plane: {normal: [1, 0, 0], offset: -1}}
bodies:
  box: {mass: 2, position: [0.04, 0, 0.138564], orientation: {axis: [0, 1, 0], angle: -30 deg}, shapes: [{box: [0.2, 0.2, 0.2]}]}
)");
  Simulation sim(scene, {.step = 2e-3});
  const char* const states[] = {"separating", "sticking", "slipping"};
  for (int k = 1; k <= 5; ++k) {
    const StepReport report = sim.advance_to(0.3 * k);
    if (!report.ok()) {
      std::fprintf(stderr, "%s\n", report.message.c_str());
      return 1;
    }
    std::printf("t = %.1f s, x = %.3f m: %zu contacts\n", sim.time(), sim.body("box").position.x,
                sim.contact_forces().size());
    for (const ContactForce& c : sim.contact_forces())
      std::printf("  at (%6.3f, %6.3f, %6.3f): normal force %6.2f N, friction %5.2f N, %s\n", c.contact.position.x,
                  c.contact.position.y, c.contact.position.z, c.normal, std::hypot(c.tangential[0], c.tangential[1]),
                  states[static_cast<int>(c.state)]);
  }
  const Energy energy = sim.energy();
  std::printf("friction and impacts took %.3f J; complementarity residual of the last step %.1e\n",
              -energy.ledger.contacts, sim.report().complementarity);
  return energy.ledger.contacts < 0 ? 0 : 1;
}
