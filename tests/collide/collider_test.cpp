// What the whole of a model makes of its shapes: filters, order, materials, and no memory.
#include "catena/collide/polytope.h"
#include "collide/crowd.h"

namespace catena::testing {
namespace collider_test {

void expect_same_bits(const std::vector<Contact>& a, const std::vector<Contact>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].a, b[i].a);
    EXPECT_EQ(a[i].b, b[i].b);
    EXPECT_EQ(a[i].position, b[i].position);
    EXPECT_EQ(a[i].normal, b[i].normal);
    EXPECT_EQ(a[i].gap, b[i].gap);
    EXPECT_EQ(a[i].feature, b[i].feature);
  }
}

TEST(Collider, RemembersNothing) {
  std::mt19937 rng(1);
  World world = crowd();
  Collider collider(world.model);
  std::vector<Contact> a, b, again;
  for (int k = 0; k < 20; ++k) {
    scatter(world, rng);
    const State first = world.state;
    collider.find(first, a);
    scatter(world, rng);
    collider.find(world.state, b);
    collider.find(first, again);
    expect_same_bits(a, again);
    world.state = first;
    expect_same_bits(a, world.contacts());
  }
}

// Some bodies moved, some did not: the same bits as a search of everything, also the second time.
TEST(Collider, FindsAgainWhereFewHaveMoved) {
  std::mt19937 rng(3);
  World world = crowd();
  Collider collider(world.model);
  std::vector<Contact> contacts;
  std::vector<char> moved(world.model.bodies.size());
  std::size_t kept = 0;
  for (int k = 0; k < 50; ++k) {
    scatter(world, rng);
    State now = world.state;
    collider.find(now, contacts);
    for (int again = 0; again < 2; ++again) {
      scatter(world, rng);
      for (std::size_t i = 0; i < moved.size(); ++i) {
        moved[i] = rng() % 3 == 0 ? 1 : 0;
        if (moved[i] != 0) now.bodies[i] = world.state.bodies[i];
      }
      collider.find_again(now, moved, contacts);
      world.state = now;
      expect_same_bits(contacts, world.contacts());
      for (const Contact& c : contacts)
        if (moved[c.a] == 0 && (!c.b.valid() || moved[c.b] == 0)) ++kept;
    }
  }
  EXPECT_GT(kept, 0u);
}

TEST(Collider, AThousandRandomStatesGiveFiniteOrderedContacts) {
  std::mt19937 rng(2);
  World world = crowd();
  Collider collider(world.model);
  std::vector<Contact> contacts;
  for (int k = 0; k < 1000; ++k) {
    scatter(world, rng);
    collider.find(world.state, contacts);
    for (const Contact& c : contacts) {
      ASSERT_TRUE(std::isfinite(c.gap) && std::isfinite(norm(c.position))) << "state " << k;
      ASSERT_NEAR(norm(c.normal), 1, 1e-12) << "state " << k;
      ASSERT_LE(c.gap, Collider::kMargin);
      ASSERT_TRUE(c.a.valid() && (!c.b.valid() || c.a < c.b));
    }
    const auto before = [](const Contact& p, const Contact& q) {
      const auto last = [](BodyId b) { return b.valid() ? b.value() : 1 << 30; };
      return std::pair(p.a.value(), last(p.b)) < std::pair(q.a.value(), last(q.b));
    };
    ASSERT_TRUE(std::is_sorted(contacts.begin(), contacts.end(), before));
  }
}

// Groups are looked through another way than the trees: the contacts are those of pairs excluded one by one.
TEST(Collider, BodiesOfAGroupTouchOthersButNotEachOther) {
  std::mt19937 rng(7);
  World grouped = crowd(), paired = crowd();
  const auto group_of = [](std::size_t i) { return i % 4 == 3 ? 0 : static_cast<int>(i % 4) % 2 + 1; };
  for (std::size_t i = 0; i < grouped.model.bodies.size(); ++i) {
    grouped.model.bodies[i].collide_group = group_of(i);
    for (std::size_t k = 0; k < i; ++k)
      if (group_of(i) != 0 && group_of(i) == group_of(k)) paired.model.collide_exclude.emplace_back(k, i);
  }
  Collider by_group(grouped.model), by_pair(paired.model);
  std::vector<Contact> a, b;
  std::size_t most = 0;
  for (int k = 0; k < 50; ++k) {
    scatter(grouped, rng);
    by_group.find(grouped.state, a);
    by_pair.find(grouped.state, b);
    expect_same_bits(a, b);
    most = std::max(most, a.size());
  }
  EXPECT_GT(most, 10u);
}

// Of the pairs that touch at one state, the contacts at another: those that all pairs have there, less the other pairs'.
TEST(Collider, FindsAgainThePairsItIsAskedFor) {
  std::mt19937 rng(8);
  World world = crowd();
  for (std::size_t i = 0; i < world.model.bodies.size(); i += 5) world.model.bodies[i].kind = BodyKind::particle;
  Collider collider(world.model, 0.05), other(world.model, 0.05);
  std::vector<Contact> here, there, among;
  const auto shapes = [](const Contact& c) { return std::tuple(c.a.value(), c.shape_a, c.b.value(), c.shape_b); };
  std::size_t kept = 0, left_out = 0;
  for (int k = 0; k < 50; ++k) {
    scatter(world, rng);
    collider.find(world.state, here, 1);
    for (BodyState& body : world.state.bodies) body.position += random_vector(rng, 0.05);
    collider.find_among(here, world.state, among);
    other.find(world.state, there);
    const std::size_t all = there.size();
    std::erase_if(there, [&](const Contact& c) {
      return std::none_of(here.begin(), here.end(), [&](const Contact& d) { return shapes(c) == shapes(d); });
    });
    expect_same_bits(among, there);
    kept += there.size();
    left_out += all - there.size();
  }
  EXPECT_GT(kept, 500u);
  EXPECT_GT(left_out, 20u);
}

TEST(Collider, FeaturesOfOneStateDiffer) {
  std::mt19937 rng(4);
  World world = crowd();
  for (int k = 0; k < 100; ++k) {
    scatter(world, rng);
    std::vector<std::uint64_t> features;
    for (const Contact& c : world.contacts()) features.push_back(c.feature);
    std::sort(features.begin(), features.end());
    EXPECT_EQ(std::adjacent_find(features.begin(), features.end()), features.end()) << "state " << k;
  }
}

World three_spheres() {
  World world;
  for (const double x : {0.0, 0.9, 1.8}) world.body(Sphere{0.5}, {{x, 0, 0}});
  return world;
}
Joint joint(JointKind kind, BodyId a, BodyId b) {
  Joint j;
  j.kind = kind;
  j.a = a;
  j.b = b;
  return j;
}

TEST(Collider, BodiesJoinedByAJointDoNotTouchUnlessAskedTo) {
  World world = three_spheres();
  EXPECT_EQ(world.contacts().size(), 2u);
  world.model.joints.push_back(joint(JointKind::ball, BodyId{0}, BodyId{1}));
  EXPECT_EQ(world.contacts().size(), 1u);
  world.model.collide_adjacent = true;
  EXPECT_EQ(world.contacts().size(), 2u);
}

TEST(Collider, WeldedBodiesCountAsOne) {
  World world = three_spheres();
  world.model.joints.push_back(joint(JointKind::weld, BodyId{1}, BodyId{2}));
  EXPECT_EQ(world.contacts().size(), 1u);
  // 0 is joined to 2, which is welded to 1: 0 and 1 are neighbours.
  world.model.joints.push_back(joint(JointKind::hinge, BodyId{0}, BodyId{2}));
  EXPECT_TRUE(world.contacts().empty());
}

TEST(Collider, ExcludedPairsAndSilentShapesDoNotTouch) {
  World world = three_spheres();
  world.model.collide_exclude.emplace_back(BodyId{2}, BodyId{1});
  EXPECT_EQ(world.contacts().size(), 1u);
  world.model.bodies[0].shapes[0].collide = false;
  EXPECT_TRUE(world.contacts().empty());
}

TEST(Collider, TheGroundTouchesBodiesOnly) {
  World world = three_spheres();
  world.model.bodies.resize(1);
  world.state.bodies.resize(1);
  world.ground(Plane{{0, 0, 1}, -0.4}).ground(Box{{1, 1, 1}}, {{0, 0, -0.5}});
  const auto contacts = world.contacts();
  ASSERT_EQ(contacts.size(), 2u);
  for (const Contact& c : contacts) EXPECT_EQ(c.b, kGround);
  world.model.collide_exclude.emplace_back(kGround, BodyId{0});
  EXPECT_TRUE(world.contacts().empty());
}

TEST(Collider, MaterialsCombineByGeometricMeanAndMaximum) {
  World world;
  world.model.materials = {{"default", 0.5, 0}, {"rubber", 0.8, 0.4}, {"ice", 0.2, 0.1}};
  world.body(Sphere{1}, {}).ground(Plane{{0, 0, 1}, -1});
  world.model.bodies[0].shapes[0].material = 1;
  world.model.ground_shapes[0].material = 2;
  const auto contacts = world.contacts();
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_DOUBLE_EQ(contacts[0].friction, 0.4);
  EXPECT_DOUBLE_EQ(contacts[0].restitution, 0.4);
}

TEST(Collider, ShapesSitWhereTheBodyHoldsThem) {
  World world;
  world.body(Sphere{0.25}, {{1, 0, 2}, kQuarterAboutY}).ground(Plane{{1, 0, 0}, 1.5});
  world.model.bodies[0].shapes[0].position = {0, 0, 0.7};  // turned to +x
  const auto contacts = world.contacts();
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 1.7 - 0.25 - 1.5, 1e-14);
}

TEST(Collider, AScalableBodyTouchesWithItsScaledShape) {
  World world;
  world.body(Sphere{0.5}, {{0, 0, 1}}).ground(Plane{{0, 0, 1}, 0});
  world.model.bodies[0].kind = BodyKind::scalable;
  world.state.bodies[0].scale = 2;
  const auto contacts = world.contacts();
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 0, 1e-15);
}

TEST(Collider, AParticleTouchesWithItsSphereAndNotWithoutShapes) {
  World world;
  world.body(Sphere{0.1}, {{0, 0, 0.1}}).ground(Plane{{0, 0, 1}, 0});
  world.model.bodies[0].kind = BodyKind::particle;
  EXPECT_EQ(world.contacts().size(), 1u);
  world.model.bodies[0].shapes.clear();
  EXPECT_TRUE(world.contacts().empty());
}

TEST(Collider, PlanarBodiesTouchInTheirPlane) {
  // Flat plates: out of the plane would be the shortest way apart, but there is no way out of the plane.
  World world;
  world.body(Box{{1, 1, 0.1}}, {{0, 0.99, 0}}).body(Box{{3, 1, 0.1}}, {});
  for (Body& body : world.model.bodies) body.kind = BodyKind::planar;
  const auto boxes = world.contacts();
  ASSERT_EQ(boxes.size(), 2u);
  for (const Contact& c : boxes) {
    expect_near(c.normal, {0, 1, 0}, 1e-14);
    EXPECT_NEAR(c.gap, -0.01, 1e-14);
    EXPECT_EQ(c.position.z, 0);
  }
  world.model.bodies[0].shapes[0].geometry = Cylinder{0.5, 0.01};  // a disc
  const auto disc = world.contacts();
  ASSERT_EQ(disc.size(), 1u);
  EXPECT_NEAR(disc[0].gap, -0.01, 1e-14);
}

TEST(Polytope, CoplanarTrianglesOfAHullAreOneFace) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) points.push_back({i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0});
  points.push_back({0.2, 0.1, 0.3});
  const Polytope box = hull_polytope(points);
  EXPECT_EQ(box.vertices.size(), 8u);
  EXPECT_EQ(box.faces.size(), 6u);
  EXPECT_EQ(box.edges.size(), 12u);
  for (const auto& face : box.faces) EXPECT_EQ(face.count, 4);
}

TEST(Polytope, FlatAndStraightHullsKeepWhatTheyHave) {
  const Polytope square = hull_polytope({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}});
  EXPECT_EQ(square.vertices.size(), 4u);
  EXPECT_EQ(square.faces.size(), 2u);
  EXPECT_EQ(square.edges.size(), 4u);
  EXPECT_EQ(hull_polytope({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}).edges.size(), 1u);
  EXPECT_EQ(hull_polytope({{1, 2, 3}}).vertices.size(), 1u);
}

}  // namespace collider_test
}  // namespace catena::testing
