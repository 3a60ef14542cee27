// Between two states: cubics through both, whose velocities are their derivatives.
#include "catena/simulation/interpolate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"

namespace catena {
namespace interpolate_test {

// A body on a curve: a cubic for its centre, a turn about a fixed axis by a smooth angle.
struct Curve {
  Model model;
  Vec3 axis = normalized(Vec3{0.3, -0.7, 0.5});
  Quat start = exp_rotation(Vec3{0.4, 0.2, -0.9});

  Curve() {
    Body body;
    body.mass = 1;
    body.inertia = Sym3::diagonal(0.1, 0.2, 0.3);
    model.bodies = {body};
  }
  static double angle(double t) { return 0.7 * t + std::sin(1.3 * t); }
  static double rate(double t) { return 0.7 + 1.3 * std::cos(1.3 * t); }
  static Vec3 place(double t) { return {1 + 2 * t - t * t * t, -0.5 + t * t, 0.3 - t + 0.4 * t * t * t}; }
  static Vec3 speed(double t) { return {2 - 3 * t * t, 2 * t, -1 + 1.2 * t * t}; }
  State at(double t) const {
    State state;
    state.time = t;
    BodyState s;
    s.position = place(t), s.velocity = speed(t);
    s.orientation = normalized(exp_rotation(angle(t) * axis) * start);
    s.angular_velocity = rate(t) * axis;
    state.bodies = {s};
    state.ledger.external = 3 * t;
    return state;
  }
  BodyState between(double begin, double end, double t) const {
    const State a = at(begin), b = at(end);
    State out = a;
    interpolate(model, a, b, t, out);
    EXPECT_NEAR(out.ledger.external, 3 * t, 1e-13);
    EXPECT_EQ(out.time, t);
    return out.bodies[0];
  }
  double turned_off(const BodyState& s, double t) const {
    return norm(log_rotation(s.orientation * at(t).bodies[0].orientation.conjugate()));
  }
};

TEST(Interpolate, both_ends_are_met_and_a_cubic_between_them_is_met_everywhere) {
  const Curve curve;
  for (const double t : {0.4, 0.45, 0.52, 0.7}) {
    const BodyState s = curve.between(0.4, 0.7, t);
    EXPECT_LE(norm(s.position - Curve::place(t)), 1e-14);
    EXPECT_LE(norm(s.velocity - Curve::speed(t)), 1e-13);
    if (t == 0.4 || t == 0.7) {
      EXPECT_LE(curve.turned_off(s, t), 1e-14);
      EXPECT_LE(norm(s.angular_velocity - Curve::rate(t) * curve.axis), 1e-13);
    }
  }
}

// Cubic Hermite: errors of h⁴ f⁗/384. Half the interval leaves a sixteenth.
TEST(Interpolate, rotations_are_as_exact_as_cubics_are) {
  const Curve curve;
  const auto error = [&](double h) { return curve.turned_off(curve.between(0.5 - h / 2, 0.5 + h / 2, 0.5), 0.5); };
  EXPECT_LT(error(0.1), 0.1 * 0.1 * 0.1 * 0.1 * 3 / 384);
  EXPECT_NEAR(std::log2(error(0.4) / error(0.2)), 4, 0.3);
}

TEST(Interpolate, velocities_are_the_derivatives_of_places_and_turns) {
  const Curve curve;
  constexpr double e = 1e-5;
  for (const double t : {0.15, 0.3, 0.52}) {
    const BodyState now = curve.between(0.1, 0.6, t), after = curve.between(0.1, 0.6, t + e),
                    before = curve.between(0.1, 0.6, t - e);
    EXPECT_LE(norm((after.position - before.position) / (2 * e) - now.velocity), 1e-8);
    EXPECT_LE(norm(log_rotation(after.orientation * before.orientation.conjugate()) / (2 * e) - now.angular_velocity),
              1e-8);
  }
}

}  // namespace interpolate_test
}  // namespace catena
