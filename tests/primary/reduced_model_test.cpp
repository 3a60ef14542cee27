// What coordinates mean.
#include "catena/primary/reduced_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "primary/reduced_testing.h"

namespace catena {
namespace reduced_model_test {

using namespace testing_reduced;

constexpr int kLinkages = 200;

Scene linkage_of(int seed) { return workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 1 + seed % 40, 0); }

TEST(ReducedModel, coordinates_read_from_bodies_put_the_bodies_where_they_were) {
  for (int seed = 0; seed < kLinkages; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(linkage_of(seed));
    std::vector<BodyState> bodies = r.scene.initial.bodies;
    r.system.bodies(bodies);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const BodyState &got = bodies[i], &wanted = r.scene.initial.bodies[i];
      EXPECT_LE(norm(got.position - wanted.position), 1e-11);
      EXPECT_LE(norm(log_rotation(got.orientation * wanted.orientation.conjugate())), 1e-11);
      EXPECT_LE(norm(got.velocity - wanted.velocity), 1e-10);
      EXPECT_LE(norm(got.angular_velocity - wanted.angular_velocity), 1e-10);
    }
  }
}

TEST(ReducedModel, the_rates_are_the_derivatives_of_the_coordinates) {
  constexpr double kStep = 1e-6;
  for (int seed = 0; seed < kLinkages; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(linkage_of(seed));
    std::vector<BodyState> before = r.scene.initial.bodies, after = before, now = before;
    r.system.bodies(now);
    JointState moved = r.state;
    r.model.integrate(-kStep, r.state.v, moved.q);
    r.system.update(moved);
    r.system.bodies(before);
    moved.q = r.state.q;
    r.model.integrate(kStep, r.state.v, moved.q);
    r.system.update(moved);
    r.system.bodies(after);
    // Central differences of motions with rates of a few rad/s: (1e-6)² · 10³ and rounding 1e-16/1e-6.
    for (std::size_t i = 0; i < now.size(); ++i) {
      EXPECT_LE(norm((after[i].position - before[i].position) / (2 * kStep) - now[i].velocity), 1e-8);
      const Vec3 turned = log_rotation(after[i].orientation * before[i].orientation.conjugate());
      EXPECT_LE(norm(turned / (2 * kStep) - now[i].angular_velocity), 1e-8);
    }
  }
}

TEST(ReducedModel, a_scalable_body_is_refused_by_name) {
  Scene scene;
  append_body(scene.model, scene.initial,
              {.name = "blob", .kind = BodyKind::scalable, .mass = 1.0, .inertia = Sym3::diagonal(1, 1, 1)});
  try {
    const ReducedModel model(scene.model);
    FAIL() << "no exception";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'blob'"), std::string::npos) << error.what();
  }
}

}  // namespace reduced_model_test
}  // namespace catena
