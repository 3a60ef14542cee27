// A body that stretches along its axes, against material points and Lagrange's equations.
#include "catena/model/stretching_form.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace catena {
namespace stretching_form_test {

const Vec3 kMoments{0.7, 0.4, 0.9};

Stretches stretches(std::array<int, 3> axes) { return {axes, {30, 20, 50}, kMoments}; }
const std::array<std::array<int, 3>, 3> kAxes{{{0, 1, 2}, {0, 0, 1}, {1, -1, 0}}};

FormMotion some_motion() { return {{1.2, 0.8, 1.1}, {0.5, -0.7, 0.3}, {0.4, -1.1, 0.6}}; }

// T = Σ m |ω × x + ẋ|²/2 over eight points with the second moments asked for, which lie at (±a, ±b, ±c).
TEST(StretchingForm, its_kinetic_energy_is_that_of_the_points_it_is_made_of) {
  for (const auto& axes : kAxes) {
    const StretchingForm form(stretches(axes));
    FormMotion motion = some_motion();
    for (int k = form.coordinates(); k < kMaxOwn; ++k)
      motion.q[static_cast<std::size_t>(k)] = motion.qd[static_cast<std::size_t>(k)] = 0;
    const FormMass mass = form.mass(motion.q);
    double energy = 0.5 * dot(motion.w, mass.inertia * motion.w);
    for (int i = 0; i < form.coordinates(); ++i)
      for (int k = 0; k < form.coordinates(); ++k)
        energy += 0.5 * motion.qd[static_cast<std::size_t>(i)] *
                  mass.own[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] *
                  motion.qd[static_cast<std::size_t>(k)];
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      // Unit mass in eight parts: p = Σ m X².
      const Vec3 X{(corner & 1 ? 1 : -1) * std::sqrt(kMoments.x), (corner & 2 ? 1 : -1) * std::sqrt(kMoments.y),
                   (corner & 4 ? 1 : -1) * std::sqrt(kMoments.z)};
      const FormPoint at = form.point(X, motion);
      Vec3 v = cross(motion.w, at.x);
      for (std::size_t k = 0; k < kMaxOwn; ++k) v += motion.qd[k] * at.slope[k];
      sum += 0.5 * dot(v, v) / 8;
    }
    EXPECT_NEAR(energy, sum, 1e-13);
  }
}

// −ω × Iω − İω on the frame and ∂T/∂s − Ċ ṡ on the coordinates, by differences of I and T along the motion. They are quadratic: exact but for rounding.
TEST(StretchingForm, velocity_forces_follow_from_lagranges_equations) {
  constexpr double e = 1e-4;
  for (const auto& axes : kAxes) {
    const StretchingForm form(stretches(axes));
    FormMotion motion = some_motion();
    for (int k = form.coordinates(); k < kMaxOwn; ++k)
      motion.q[static_cast<std::size_t>(k)] = motion.qd[static_cast<std::size_t>(k)] = 0;
    const FormForce force = form.velocity_force(motion);
    const auto moved = [&](double t) {
      OwnVector q = motion.q;
      for (std::size_t k = 0; k < kMaxOwn; ++k) q[k] += t * motion.qd[k];
      return q;
    };
    const Vec3 momentum_rate = (form.inertia(moved(e)) * motion.w - form.inertia(moved(-e)) * motion.w) / (2 * e);
    const Vec3 torque = -cross(motion.w, form.inertia(motion.q) * motion.w) - momentum_rate;
    EXPECT_LE(norm(force.torque - torque), 1e-9);
    for (int k = 0; k < form.coordinates(); ++k) {
      const auto energy = [&](double by) {
        OwnVector q = motion.q;
        q[static_cast<std::size_t>(k)] += by;
        return 0.5 * dot(motion.w, form.inertia(q) * motion.w);
      };
      EXPECT_NEAR(force.own[static_cast<std::size_t>(k)], (energy(e) - energy(-e)) / (2 * e), 1e-9);
    }
  }
}

TEST(StretchingForm, points_move_as_their_slopes_say_and_springs_pull_as_their_energy_falls) {
  constexpr double e = 1e-4;
  for (const auto& axes : kAxes) {
    const StretchingForm form(stretches(axes));
    const FormMotion motion = some_motion();
    const Vec3 X{0.3, -0.2, 0.5};
    for (std::size_t k = 0; k < static_cast<std::size_t>(form.coordinates()); ++k) {
      FormMotion more = motion, less = motion;
      more.q[k] += e, less.q[k] -= e;
      EXPECT_LE(norm((form.point(X, more).x - form.point(X, less).x) / (2 * e) - form.point(X, motion).slope[k]),
                1e-11);
      EXPECT_NEAR(form.elastic_force(motion.q)[k],
                  -(form.elastic_energy(more.q) - form.elastic_energy(less.q)) / (2 * e), 1e-9);
    }
  }
}

// Σ m (y² + z²) and so on: the inertia of a body that is not stretched.
TEST(StretchingForm, second_moments_are_those_that_make_the_inertia) {
  const Sym3 inertia = Sym3::diagonal(kMoments.y + kMoments.z, kMoments.x + kMoments.z, kMoments.x + kMoments.y);
  const Vec3 got = second_moments("blob", inertia, stretches({0, 1, 2}));
  EXPECT_LE(norm(got - kMoments), 1e-15);
  const StretchingForm form(stretches({0, 1, 2}));
  EXPECT_LE(norm(form.inertia({1, 1, 1}) * Vec3{1, 2, 3} - inertia * Vec3{1, 2, 3}), 1e-14);
}

}  // namespace stretching_form_test
}  // namespace catena
