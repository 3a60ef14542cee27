// What is known without a search: it must never be wrong, and should be known most of the time.
#include "catena/collide/clearance.h"

#include "collide/crowd.h"

namespace catena::testing {
namespace clearance_test {

// One of each shape, far enough apart to begin with to be clear more often than not, on random walks through each other and the ground.
TEST(Clearance, NeverHoldsWhereASearchFindsSomething) {
  std::mt19937 rng(7);
  std::normal_distribution<double> normal;
  World world = crowd();
  world.model.bodies.resize(7);
  world.state.bodies.resize(7);
  const double margin = 5e-3;
  Collider collider(world.model, margin);
  Clearance clearance(world.model, margin);
  std::vector<Contact> contacts;
  int held = 0, found = 0, searches = 0;
  for (int walk = 0; walk < 40; ++walk) {
    scatter(world, rng);
    for (BodyState& body : world.state.bodies) {
      body.position = 3.0 * body.position + Vec3{0, 0, 3};
      body.velocity = random_vector(rng, 2);
      body.angular_velocity = random_vector(rng, 2);
    }
    for (int step = 0; step < 100; ++step, ++searches) {
      for (BodyState& body : world.state.bodies) {
        body.position += 0.03 * Vec3{normal(rng), normal(rng), normal(rng) - 0.5};
        if (step % 10 == 0) body.orientation = random_rotation(rng);
      }
      const double ahead = step % 3 == 0 ? 0.01 : 0;
      const bool holds = clearance.holds(world.state, ahead);
      collider.find(world.state, contacts, ahead);
      EXPECT_TRUE(!holds || contacts.empty());
      if (contacts.empty()) clearance.renew(world.state);
      held += holds;
      found += !contacts.empty();
    }
  }
  EXPECT_GT(held, searches / 4);
  EXPECT_GT(found, searches / 10);
}

// Two spheres 1 m apart, of 0.1 m: each may go 0.3975 m, half of the gap and the margin between them.
TEST(Clearance, EndsWhereTwoThatComeTogetherCouldTouch) {
  World world;
  world.body(Sphere{0.1}, {}).body(Sphere{0.1}, {{1, 0, 0}});
  Clearance clearance(world.model, 5e-3);
  EXPECT_FALSE(clearance.holds(world.state, 0));
  clearance.renew(world.state);
  EXPECT_TRUE(clearance.holds(world.state, 0));
  world.state.bodies[0].position.x = 0.397;
  EXPECT_TRUE(clearance.holds(world.state, 0));
  world.state.bodies[0].velocity.x = 1;
  EXPECT_FALSE(clearance.holds(world.state, 1e-3));
  world.state.bodies[0].position.x = 0.398;
  EXPECT_FALSE(clearance.holds(world.state, 0));
}

}  // namespace clearance_test
}  // namespace catena::testing
