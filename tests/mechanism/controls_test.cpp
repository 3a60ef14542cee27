// Actuators and tendons at one state: their slopes, their energies and what they pull along, by differences.
#include "catena/mechanism/controls.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/model/site.h"
#include "mechanism/mechanism_testing.h"

namespace catena {
namespace controls_test {

using namespace testing_mechanism;

// A tendon from body to body, around a sphere of another one on its way, and one over joint coordinates.
struct Pulled {
  Scene scene;
  Kinematics kinematics;
  JointCoordinates coordinates;

  explicit Pulled(std::uint64_t seed)
      : scene(made(seed)), kinematics(updated(scene.model, scene.initial)), coordinates(scene.model, kinematics) {}
  static Scene made(std::uint64_t seed) {
    Scene scene = workloads::random_linkage(seed, 6, 0);
    Model& model = scene.model;
    const auto site = [&](int body, const Vec3& at) {
      Site s;
      s.body = BodyId(body);
      s.position = at;
      model.sites.push_back(s);
      return static_cast<int>(model.sites.size()) - 1;
    };
    const int a = site(1, {0.1, 0.2, -0.1}), b = site(4, {-0.2, 0.1, 0.3}), c = site(2, {0.3, -0.1, 0.2});
    Tendon path;
    path.name = "path";
    path.path = {{a, b, 1.0}, {b, c, 0.5}};
    path.stiffness = 30, path.damping = 2, path.rest = path.rest_upper = 0.2;
    Tendon joints;
    joints.name = "joints";
    for (std::size_t j = 0; j < model.joints.size() && joints.terms.size() < 2; ++j)
      if (coordinate_count(model.joints[j]) > 0 && model.joints[j].kind != JointKind::ball)
        joints.terms.push_back({JointId(j), 0, joints.terms.empty() ? 0.7 : -1.2});
    joints.stiffness = 12, joints.damping = 0.5, joints.rest = joints.rest_upper = 0.3;
    joints.lower = -0.05, joints.upper = 0.05, joints.limit_stiffness = 200;
    model.tendons = {path, joints};
    return scene;
  }
  static Kinematics updated(const Model& model, const State& state) {
    Kinematics kinematics(model);
    kinematics.update(model, state);
    return kinematics;
  }
  template <class F>
  double along_the_motion(F&& f) {
    const double rate = rate_at_zero([&](double t) {
      const State then = moved(scene.model, scene.initial, t);
      kinematics.update(scene.model, then);
      return f();
    });
    kinematics.update(scene.model, scene.initial);
    return rate;
  }
};

TEST(Controls, the_rate_of_a_piece_is_how_fast_it_grows_and_the_sum_of_its_rows_over_the_velocities) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Pulled at(seed);
    for (const Tendon::Piece& piece : at.scene.model.tendons[0].path) {
      const PathPiece now = piece_of(at.scene.model, at.kinematics, piece);
      const double rate = at.along_the_motion([&] { return piece_of(at.scene.model, at.kinematics, piece).length; });
      EXPECT_GT(std::abs(rate), 1e-4);
      EXPECT_NEAR(now.rate, rate, 1e-8 * (1 + std::abs(rate)));
      double sum = 0;
      for (int k = 0; k < now.spans; ++k) {
        const PathSpan& span = now.span[static_cast<std::size_t>(k)];
        sum += dot(span.row.a, velocity_of(at.scene.initial.bodies[span.a])) +
               dot(span.row.b, velocity_of(at.scene.initial.bodies[span.b]));
      }
      EXPECT_NEAR(sum, now.rate, 1e-13 * (1 + std::abs(rate)));
    }
  }
}

TEST(Controls, a_tendon_loses_the_energy_its_spring_and_stops_push_with) {
  int stopped = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (std::size_t which = 0; which < 2; ++which) {
      SCOPED_TRACE(testing::Message() << seed << ' ' << which);
      Pulled at(seed);
      const Tendon& tendon = at.scene.model.tendons[which];
      if (which == 1 && tendon.terms.size() < 2) continue;
      const auto now = [&] { return tendon_force(at.scene.model, at.kinematics, at.coordinates, tendon); };
      const ControlForce here = now();
      EXPECT_NEAR(here.rate, at.along_the_motion([&] { return now().length; }), 1e-8 * (1 + std::abs(here.rate)));
      const double gained = at.along_the_motion([&] { return now().energy; });
      EXPECT_NEAR((here.force + here.damping * here.rate) * here.rate, -gained, 1e-7 * (1 + std::abs(gained)));
      EXPECT_NEAR(tendon_energy(at.scene.model, at.kinematics, at.coordinates, tendon), here.energy,
                  1e-12 * (1 + here.energy));
      stopped += here.stiffness > 30 ? 1 : 0;
    }
  EXPECT_GE(stopped, 0);
}

// p = clip(gain x + bias): −∂p/∂ℓ and −∂p/∂ℓ̇, and nothing at the bounds.
TEST(Controls, the_stiffness_and_damping_of_a_control_are_the_slopes_of_its_force_until_it_is_at_its_bound) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Pulled at(seed);
    Control control;
    control.tendon = 0;
    control.gear = 1.3;
    control.gain = {2, -0.4, -0.3}, control.bias = {0.5, -3, -0.7};
    const double x = 0.8;
    const auto force = [&] { return control_force(at.scene.model, at.kinematics, at.coordinates, control, x); };
    const ControlForce here = force();
    EXPECT_NEAR(here.stiffness, 0.4 * x + 3, 1e-14);
    EXPECT_NEAR(here.damping, 0.3 * x + 0.7, 1e-14);
    EXPECT_NEAR(here.force, 2 * x + 0.5 - here.stiffness * here.length - here.damping * here.rate,
                1e-12 * (1 + std::abs(here.force)));
    // Along the motion, whose velocities stay, the rate changes too: dp/dt = −k ℓ̇ − d dℓ̇/dt.
    const double slope = at.along_the_motion([&] { return force().force; });
    const double faster = at.along_the_motion([&] { return force().rate; });
    EXPECT_NEAR(slope, -here.stiffness * here.rate - here.damping * faster, 1e-7 * (1 + std::abs(slope)));
    control.force_upper = here.force - 0.1;
    EXPECT_NEAR(force().force, here.force - 0.1, 1e-15);
    EXPECT_EQ(force().stiffness, 0);
    EXPECT_EQ(force().damping, 0);
  }
}

}  // namespace controls_test
}  // namespace catena
