// Jain's eqs. 51–53 have J̇θ̇, Q̇V and U̇ beside Jθ̈. A step that asks for velocities at positions ahead of it has them in the difference of
// J v at its two ends, so none is computed: contact forces and reactions of a moving loop tend to those of the accelerations, in which lagrange
// has every one of the terms, as the step shrinks.
#include <gtest/gtest.h>

#include "step/step_testing.h"

namespace catena {
namespace {

// Three links in a plane, the tip slides over the floor, a strut of changing length holds the middle one: one freedom, one contact, one moving loop.
std::string arm(const std::string& length) {
  return R"(
defaults: {friction: 0.3}
bodies:
  a: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.2, 0, 0.85], angular_velocity: [0, 2, 0]}
  b: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.575, 0, 0.75]}
  c: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.85, 0, 0.325], shapes: [{sphere: 0.05, position: [0.1, 0, -0.275]}]}
joints:
  j1: {kind: hinge, between: [ground, a], anchor: [0, 0, 0.8], axis: [0, 1, 0]}
  j2: {kind: hinge, between: [a, b], anchor: [0.4, 0, 0.9], axis: [0, 1, 0]}
  j3: {kind: hinge, between: [b, c], anchor: [0.75, 0, 0.6], axis: [0, 1, 0]}
  strut: {kind: distance, between: [ground, b], anchors: [[0.6, 0, 1.4], [0.575, 0, 0.75]], length: )" +
         length + R"(}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}
)";
}
const std::string kMoving = arm("{sine: {amplitude: 0.1, frequency: 1, offset: 0.65048059}}");

constexpr double kStart = 0.1, kTime = 0.02;

struct Forces {
  double normal = 0, strut = 0, x = 0;
};
Forces forces_of(Simulation& sim) {
  Forces out;
  for (const ContactForce& force : sim.contact_forces()) out.normal += force.normal;
  out.strut = norm(sim.joint("strut").reaction().linear);
  out.x = sim.body("c").position.x;
  return out;
}

// In motion and in contact: a state that lagrange came to.
State in_motion() {
  Simulation sim(load_text(kMoving), {.method = Method::lagrange, .step = 1e-4});
  EXPECT_TRUE(sim.advance_to(kStart).ok());
  return sim.state();
}

Forces after(const State& from, const Options& options) {
  Simulation sim(load_text(kMoving), options);
  sim.set_state(from);
  EXPECT_TRUE(sim.advance_to(kStart + kTime).ok());
  return forces_of(sim);
}

TEST(VelocityTerms, are_in_the_forces_of_contacts_and_moving_loops_as_the_step_shrinks) {
  const State start = in_motion();
  const Forces exact = after(start, {.method = Method::lagrange, .step = 1e-4});
  ASSERT_GT(exact.normal, 1);
  // Without the terms forces would be those at rest, which are others.
  Simulation end(load_text(kMoving), {.method = Method::lagrange, .step = 1e-4});
  end.set_state(start);
  end.advance_to(kStart + kTime);
  State still = end.state();
  for (BodyState& s : still.bodies) s.velocity = s.angular_velocity = {};
  still.time = 0;
  const double length = norm(end.body("b").position - Vec3{0.6, 0, 1.4});
  Simulation rest(load_text(arm(std::to_string(length))), {.method = Method::lagrange, .step = 1e-6});
  rest.set_state(still);
  ASSERT_TRUE(rest.step().ok());
  const Forces at_rest = forces_of(rest);
  EXPECT_GT(std::abs(at_rest.normal - exact.normal), 0.1 * exact.normal);

  const std::pair<const char*, Options> ways[] = {
      {"os", {.method = Method::operational}},
      {"os, euler", {.method = Method::operational, .integrator = Integrator::euler}},
      {"os by lemke", {.method = Method::operational, .law_solver = LawSolver::lemke}},
      {"nmc", {.method = Method::operational, .formulation = Formulation::non_minimal}},
      {"mc", {.method = Method::operational, .formulation = Formulation::minimal}},
      {"rmc", {.method = Method::operational, .formulation = Formulation::reduced_minimal}},
      {"nmc-os", {.method = Method::operational, .formulation = Formulation::non_minimal_os}},
      {"maximal-os", {.method = Method::operational, .formulation = Formulation::maximal_os}},
      {"spook", {.method = Method::spook}}};
  for (const auto& [name, options] : ways) {
    SCOPED_TRACE(name);
    double normal = 0, strut = 0;
    for (const double h : {2e-3, 5e-4, 1.25e-4}) {
      Options with = options;
      with.step = h;
      const Forces f = after(start, with);
      const double normal_error = std::abs(f.normal / exact.normal - 1),
                   strut_error = std::abs(f.strut / exact.strut - 1);
      printf("%s h %g normal %.3e strut %.3e x %.2e\n", name, h, normal_error, strut_error, f.x - exact.x);
      if (h < 2e-3) {  // a quarter of the step, a quarter of the error or less: of first order at least
        EXPECT_LT(normal_error, std::max(normal / 3, 1e-6)) << h;
        EXPECT_LT(strut_error, std::max(strut / 3, 1e-6)) << h;
      }
      normal = normal_error;
      strut = strut_error;
    }
    EXPECT_LT(normal, 3e-3);
    EXPECT_LT(strut, 3e-3);
  }
}

}  // namespace
}  // namespace catena
