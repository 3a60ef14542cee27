// What is not placed again because it has not moved far: pairs must be those of all boxes, and most searches must cost little.
#include "catena/collide/vicinity.h"

#include "collide/crowd.h"

namespace catena::testing {
namespace vicinity_test {

World convex_crowd() {
  World world;
  for (int i = 0; i < 3; ++i)
    world.body(Sphere{0.3}, {})
        .body(Box{{0.5, 0.6, 0.4}}, {})
        .body(Capsule{0.2, 0.5}, {})
        .body(Cylinder{0.25, 0.5}, {});
  world.ground(Plane{{0, 0, 1}, -3}).ground(Plane{normalized(Vec3{1, 2, 2}), -4}).ground(Box{{1, 1, 1}}, {{1, 0, -2}});
  return world;
}

std::vector<Part> parts_of(const Model& model, double margin) {
  std::vector<Part> parts;
  std::vector<Vec3> scratch;
  const auto add = [&](BodyId body, const Shape& shape) {
    if (std::holds_alternative<Plane>(shape.geometry)) return;
    Part part{body, 0, shape.position, to_matrix(shape.orientation)};
    part.convex = make_convex(shape.geometry);
    parts.push_back(std::move(part));
  };
  for (std::size_t i = 0; i < model.bodies.size(); ++i) add(BodyId(i), model.bodies[i].shapes[0]);
  for (const Shape& shape : model.ground_shapes) add(kGround, shape);
  for (Part& part : parts)
    if (!part.body.valid()) {
      place_part({}, part, scratch);
      part.box = bounds(part, 0.5 * margin);
    }
  return parts;
}

// On random walks, slow and fast, with looks ahead and turns: the pairs whose boxes overlap, as if each part had been placed in each search, and every part that
// is over a plane by no more than half the margin.
TEST(Vicinity, FindsThePairsOfAllBoxesAndPlacesFewOfThem) {
  std::mt19937 rng(11);
  std::normal_distribution<double> normal;
  World world = convex_crowd();
  const double margin = 5e-3;
  std::vector<PlanePart> planes;
  for (const Shape& shape : world.model.ground_shapes)
    if (const auto* plane = std::get_if<Plane>(&shape.geometry))
      planes.push_back({{kGround}, plane->normal, plane->offset});
  std::vector<Vec3> scratch;
  std::vector<Part> parts = parts_of(world.model, margin), all = parts_of(world.model, margin);
  Vicinity vicinity;
  vicinity.describe(parts, planes, margin, [](const Part& a, const Part& b) {
    return a.body.valid() && a.body.value() % 5 != 4 && (!b.body.valid() || b.body.value() % 5 != 3);
  });
  ASSERT_TRUE(vicinity.is_known());
  std::vector<std::pair<int, int>> pairs, expected;
  int placed = 0, searches = 0, met = 0, near = 0;
  for (int walk = 0; walk < 30; ++walk) {
    scatter(world, rng);
    for (BodyState& body : world.state.bodies) {
      body.position = 2.0 * body.position;
      body.velocity = random_vector(rng, 2);
      body.angular_velocity = random_vector(rng, 2);
    }
    const double pace = walk % 3 == 0 ? 0.05 : 0.002;
    for (int step = 0; step < 100; ++step, ++searches) {
      for (BodyState& body : world.state.bodies) {
        body.position += pace * Vec3{normal(rng), normal(rng), normal(rng) - 0.5};
        const Quat turn = random_rotation(rng);
        Quat& q = body.orientation;
        q = normalized(Quat{q.w + pace * turn.w, q.x + pace * turn.x, q.y + pace * turn.y, q.z + pace * turn.z});
      }
      const double ahead = step % 3 == 0 ? 0.01 : 0;
      vicinity.find(world.state, ahead, parts, planes, scratch, pairs);
      for (Part& part : all)
        if (part.body.valid()) {
          place_part(world.state, part, scratch);
          part.box = bounds(part, 0.5 * margin + travel(world.state, part, ahead));
        }
      expected.clear();
      for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = i + 1; j < all.size(); ++j) {
          const BodyId a = all[i].body, b = all[j].body;
          if (a.valid() && a.value() % 5 != 4 && (!b.valid() || b.value() % 5 != 3) && overlap(all[i].box, all[j].box))
            expected.emplace_back(static_cast<int>(i), static_cast<int>(j));
        }
        if (!all[i].body.valid()) continue;
        placed += vicinity.is_near(static_cast<int>(i));
        for (const PlanePart& plane : planes) {
          if (!(height_above(plane, all[i].box) <= 0.5 * margin) || all[i].body.value() % 5 == 4) continue;
          EXPECT_TRUE(vicinity.is_near(static_cast<int>(i)));
          ++near;
        }
      }
      EXPECT_EQ(pairs, expected);
      for (const auto& [i, j] : pairs)
        for (const int k : {i, j}) {
          const auto n = static_cast<std::size_t>(k);
          EXPECT_EQ(parts[n].box.low, all[n].box.low);
          EXPECT_EQ(parts[n].convex->centre, all[n].convex->centre);
        }
      met += static_cast<int>(pairs.size());
    }
  }
  EXPECT_GT(met, searches);
  EXPECT_GT(near, searches / 10);
  EXPECT_LT(placed, searches * static_cast<int>(world.model.bodies.size()) * 3 / 4);
}

}  // namespace vicinity_test
}  // namespace catena::testing
