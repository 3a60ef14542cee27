#include "collide/collide_testing.h"

#include "catena/import/mesh_file.h"

namespace catena::testing {
namespace mesh_test {

Mesh cube_from_obj() {
  return parse_obj(
      "v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\nv -0.5 0.5 -0.5\nv 0.5 0.5 -0.5\n"
      "v -0.5 -0.5 0.5\nv 0.5 -0.5 0.5\nv -0.5 0.5 0.5\nv 0.5 0.5 0.5\n"
      "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\nf 5 6 8 7\n",
      "cube.obj");
}

// n x n squares of side `pitch` in the plane z = 0, looking up.
Mesh flat_grid(int n, double pitch) {
  Mesh mesh;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) mesh.vertices.push_back({pitch * (i - 0.5 * n), pitch * (j - 0.5 * n), 0});
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int at = (n + 1) * i + j;
      mesh.triangles.push_back({at, at + n + 1, at + n + 2});
      mesh.triangles.push_back({at, at + n + 2, at + 1});
    }
  }
  return mesh;
}

// An L lying on its side: two blocks of one closed surface, with a notch above x > 0.
Mesh step_mesh() {
  Mesh mesh;
  const Vec3 outline[] = {{-1, 0, 0}, {1, 0, 0}, {1, 0, 0.5}, {0, 0, 0.5}, {0, 0, 1}, {-1, 0, 1}};
  for (const double y : {-1.0, 1.0}) {
    for (const Vec3& p : outline) mesh.vertices.push_back({p.x, y, p.z});
  }
  for (int k = 0; k < 6; ++k) {
    const int next = (k + 1) % 6;
    mesh.triangles.push_back({k, next, next + 6});
    mesh.triangles.push_back({k, next + 6, k + 6});
  }
  for (const auto& t : std::vector<std::array<int, 3>>{{0, 3, 5}, {3, 4, 5}, {0, 1, 3}, {1, 2, 3}}) {
    mesh.triangles.push_back({t[0], t[2], t[1]});
    mesh.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
  }
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

TEST(Mesh, ACubeOfTrianglesOnAPlaneIsABoxOnAPlane) {
  for (int k = 0; k < 50; ++k) {
    const Pose pose{{0.1, 0.2, 0.5 + 0.004 * k / 50}, exp_rotation(Vec3{0, 0, 0.1 * k})};
    const auto mesh = contacts_on_plane(cube_from_obj(), pose);
    const auto box = contacts_on_plane(Box{{1, 1, 1}}, pose);
    ASSERT_EQ(mesh.size(), box.size());
    for (const Contact& c : box) EXPECT_TRUE(has_point(mesh, c.position, 1e-15));
    EXPECT_NEAR(least_gap(mesh), least_gap(box), 1e-15);
  }
}

TEST(Mesh, ACubeOfTrianglesOnACubeIsABoxOnABox) {
  const Pose pose{{0.2, 0.1, 0.999}, exp_rotation(Vec3{0, 0, 0.3})};
  const auto mesh = contacts_between(cube_from_obj(), pose, Box{{1, 1, 1}}, {});
  const auto box = contacts_between(Box{{1, 1, 1}}, pose, Box{{1, 1, 1}}, {});
  ASSERT_EQ(mesh.size(), box.size());
  for (const Contact& c : box) EXPECT_TRUE(has_point(mesh, c.position, 1e-14));
}

TEST(Mesh, ABoxOnAFlatGridFeelsNoSeams) {
  for (const double x : {0.0, 0.013, 0.25, 0.31}) {
    World world;
    world.body(Box{{1, 1, 1}}, {{x, 0.07, 0.499}}).ground(flat_grid(8, 0.5));
    const auto contacts = world.contacts();
    ASSERT_GE(contacts.size(), 4u);
    ASSERT_LE(contacts.size(), 8u);
    for (const Contact& c : contacts) {
      expect_near(c.normal, {0, 0, 1}, 1e-12);
      EXPECT_NEAR(c.gap, -0.001, 1e-12);
    }
    // The corners of the box are among them.
    for (const double dx : {-0.5, 0.5}) {
      for (const double dy : {-0.5, 0.5}) EXPECT_TRUE(has_point(contacts, {x + dx, 0.07 + dy, -0.0005}, 1e-12)) << x;
    }
  }
}

TEST(Mesh, RoundShapesRollOverSeamsAsOverAPlane) {
  for (double x = -0.6; x < 0.6; x += 0.0237) {
    const Pose pose{{x, 0.11, 0.2999}, kQuarterAboutY};
    for (const Geometry& g : {Geometry{Sphere{0.3}}, Geometry{Capsule{0.3, 0.4}}, Geometry{Cylinder{0.3, 0.4}}}) {
      const auto contacts = World{}.body(g, pose).ground(flat_grid(8, 0.5)).contacts();
      ASSERT_FALSE(contacts.empty()) << x;
      for (const Contact& c : contacts) {
        expect_near(c.normal, {0, 0, 1}, 1e-9);
        EXPECT_NEAR(c.gap, -1e-4, 1e-9) << x << " " << g.index();
      }
    }
  }
}

TEST(Mesh, APointIsHeldAboveAndJustBelowASurface) {
  for (const double z : {0.003, -0.003}) {
    const auto contacts = World{}.body(Point{}, {{0.11, 0.07, z}}).ground(flat_grid(8, 0.5)).contacts();
    ASSERT_EQ(contacts.size(), 1u) << z;
    EXPECT_NEAR(contacts[0].gap, z, 1e-15);
    expect_near(contacts[0].normal, {0, 0, 1}, 1e-12);
  }
}

TEST(Mesh, ASphereInANotchTouchesBothItsSides) {
  const auto contacts = World{}.body(Sphere{0.2}, {{0.199, 0.1, 0.699}}).ground(step_mesh()).contacts();
  ASSERT_EQ(contacts.size(), 2u);
  for (const Vec3& n : {Vec3{1, 0, 0}, Vec3{0, 0, 1}}) {
    EXPECT_TRUE(
        std::any_of(contacts.begin(), contacts.end(), [&](const Contact& c) { return norm(c.normal - n) < 1e-12; }));
  }
  for (const Contact& c : contacts) EXPECT_NEAR(c.gap, -0.001, 1e-12);
}

TEST(Mesh, ABoxRestsOnTheStepAndItsEdgeOnTheRidge) {
  const auto contacts = World{}.body(Box{{0.4, 0.4, 0.4}}, {{0.5, 0, 0.699}}).ground(step_mesh()).contacts();
  ASSERT_GE(contacts.size(), 4u);
  for (const Contact& c : contacts) expect_near(c.normal, {0, 0, 1}, 1e-12);
  EXPECT_NEAR(least_gap(contacts), -0.001, 1e-12);
  // Over the ridge at x = 0, z = 1: half of the box hangs in the air.
  const auto hanging = World{}.body(Box{{0.4, 0.4, 0.4}}, {{0, 0, 1.199}}).ground(step_mesh()).contacts();
  ASSERT_GE(hanging.size(), 4u);
  for (const Contact& c : hanging) {
    expect_near(c.normal, {0, 0, 1}, 1e-12);
    EXPECT_LE(c.position.x, 1e-9);
  }
}

TEST(Mesh, AMovingMeshRestsOnABoxAndOnAMesh) {
  for (const bool on_mesh : {false, true}) {
    World world;
    world.body(step_mesh(), {{0.03, 0.02, -0.001}, exp_rotation(Vec3{0, 0, 0.2})});
    if (on_mesh) world.ground(flat_grid(8, 0.5));
    else world.ground(Box{{6, 6, 1}}, {{0, 0, -0.5}});
    const auto contacts = world.contacts();
    ASSERT_GE(contacts.size(), 4u) << on_mesh;
    for (const Contact& c : contacts) {
      expect_near(c.normal, {0, 0, 1}, 1e-12);
      EXPECT_NEAR(c.gap, -0.001, 1e-12);
    }
  }
}

}  // namespace mesh_test
}  // namespace catena::testing
