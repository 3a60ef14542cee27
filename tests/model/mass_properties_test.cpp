#include <gtest/gtest.h>

#include <numbers>

#include "catena/model/error.h"
#include "catena/model/shape.h"

namespace catena {
namespace mass_properties_test {

using std::numbers::pi;

void expect_near(const Sym3& a, const Sym3& b, double tolerance) {
  EXPECT_NEAR(a.xx, b.xx, tolerance);
  EXPECT_NEAR(a.yy, b.yy, tolerance);
  EXPECT_NEAR(a.zz, b.zz, tolerance);
  EXPECT_NEAR(a.xy, b.xy, tolerance);
  EXPECT_NEAR(a.xz, b.xz, tolerance);
  EXPECT_NEAR(a.yz, b.yz, tolerance);
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance) { EXPECT_LE(norm(a - b), tolerance); }

const Vec3 kSides{0.2, 0.5, 0.9};

std::vector<Vec3> corners(const Vec3& centre) {
  std::vector<Vec3> out;
  for (int k = 0; k < 8; ++k) {
    const Vec3 sign{k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5};
    out.push_back(centre + Vec3{sign.x * kSides.x, sign.y * kSides.y, sign.z * kSides.z});
  }
  return out;
}

Mesh box_mesh(const Vec3& centre) {
  return {"box.obj",
          corners(centre),
          {{0, 2, 1},
           {1, 2, 3},
           {4, 5, 6},
           {5, 7, 6},
           {0, 1, 4},
           {1, 5, 4},
           {2, 6, 3},
           {3, 6, 7},
           {0, 4, 2},
           {2, 4, 6},
           {1, 3, 5},
           {3, 7, 5}}};
}

TEST(MassProperties, ASphereWeighsFourThirdsPiRCubed) {
  const auto p = mass_properties(Sphere{0.3}, 1000);
  const double m = 1000 * 4.0 / 3 * pi * 0.027;
  EXPECT_NEAR(p.mass, m, 1e-12 * m);
  expect_near(p.inertia, Sym3::diagonal(0.4 * m * 0.09, 0.4 * m * 0.09, 0.4 * m * 0.09), 1e-12);
}

TEST(MassProperties, ABoxHasTheInertiaOfItsSides) {
  const auto p = mass_properties(Box{kSides}, 600);
  EXPECT_NEAR(p.mass, 600 * 0.2 * 0.5 * 0.9, 1e-12);
  expect_near(p.inertia,
              Sym3::diagonal(p.mass / 12 * (0.25 + 0.81), p.mass / 12 * (0.04 + 0.81), p.mass / 12 * (0.04 + 0.25)),
              1e-12);
}

TEST(MassProperties, ACylinderStandsAlongZ) {
  const auto p = mass_properties(Cylinder{0.1, 0.4}, 1000);
  EXPECT_NEAR(p.mass, 1000 * pi * 0.01 * 0.4, 1e-12);
  const double across = p.mass * (3 * 0.01 + 0.16) / 12;
  expect_near(p.inertia, Sym3::diagonal(across, across, p.mass * 0.01 / 2), 1e-12);
}

TEST(MassProperties, ACapsuleWithoutLengthIsASphereAndWithoutCapsACylinder) {
  const auto ball = mass_properties(Sphere{0.2}, 700);
  const auto short_one = mass_properties(Capsule{0.2, 0}, 700);
  EXPECT_NEAR(short_one.mass, ball.mass, 1e-12);
  expect_near(short_one.inertia, ball.inertia, 1e-12);
  const auto rod = mass_properties(Cylinder{1e-6, 2}, 1e9);
  const auto thin = mass_properties(Capsule{1e-6, 2}, 1e9);
  EXPECT_NEAR(thin.mass, rod.mass, 1e-5 * rod.mass);
  EXPECT_NEAR(thin.inertia.xx, rod.inertia.xx, 1e-5 * rod.inertia.xx);
}

TEST(MassProperties, ACapsuleIsACylinderAndTwoHalfBalls) {
  const double r = 0.1, l = 0.6, rho = 500;
  const auto cylinder = mass_properties(Cylinder{r, l}, rho);
  const auto ball = mass_properties(Sphere{r}, rho);
  const double half = ball.mass / 2, d = l / 2 + 3 * r / 8;
  const double cap = 0.4 * half * r * r - half * (3 * r / 8) * (3 * r / 8) + half * d * d;  // about the middle
  const auto p = mass_properties(Capsule{r, l}, rho);
  EXPECT_NEAR(p.mass, cylinder.mass + ball.mass, 1e-12);
  EXPECT_NEAR(p.inertia.xx, cylinder.inertia.xx + 2 * cap, 1e-12);
  EXPECT_NEAR(p.inertia.zz, cylinder.inertia.zz + ball.inertia.zz, 1e-12);
}

TEST(MassProperties, AHullOfABoxsCornersIsTheBox) {
  const Vec3 centre{3, -2, 7};
  std::vector<Vec3> points = corners(centre);
  points.push_back(centre);                             // inside
  points.push_back(centre + Vec3{kSides.x / 2, 0, 0});  // on a face
  points.push_back(points[3]);                          // again
  const auto box = mass_properties(Box{kSides}, 800);
  const auto hull = mass_properties(Hull{points}, 800);
  EXPECT_NEAR(hull.mass, box.mass, 1e-12 * box.mass);
  expect_near(hull.centre, centre, 1e-12);
  expect_near(hull.inertia, box.inertia, 1e-11);
}

TEST(MassProperties, AHullOfManyPointsOfASphereComesNearIt) {
  std::vector<Vec3> points;
  for (int k = 0; k < 500; ++k) {  // a spiral from pole to pole
    const double z = 1 - 2 * (k + 0.5) / 500, a = 2.399963229728653 * k, r = std::sqrt(1 - z * z);
    points.push_back({r * std::cos(a), r * std::sin(a), z});
  }
  const auto ball = mass_properties(Sphere{1}, 1);
  const auto hull = mass_properties(Hull{points}, 1);
  EXPECT_LT(hull.mass, ball.mass);
  EXPECT_NEAR(hull.mass, ball.mass, 0.02 * ball.mass);
  EXPECT_NEAR(hull.inertia.xx, ball.inertia.xx, 0.04 * ball.inertia.xx);
}

TEST(MassProperties, AMeshOfABoxIsTheBox) {
  const Vec3 centre{-1, 5, 0.5};
  const auto box = mass_properties(Box{kSides}, 800);
  const auto mesh = mass_properties(box_mesh(centre), 800);
  EXPECT_NEAR(mesh.mass, box.mass, 1e-12 * box.mass);
  expect_near(mesh.centre, centre, 1e-12);
  expect_near(mesh.inertia, box.inertia, 1e-11);
}

TEST(MassProperties, AMeshWithAHoleOrInsideOutIsRefused) {
  Mesh open = box_mesh({});
  open.triangles.pop_back();
  EXPECT_THROW(mass_properties(open, 1), InputError);
  Mesh inside_out = box_mesh({});
  for (auto& t : inside_out.triangles) std::swap(t[0], t[1]);
  EXPECT_THROW(mass_properties(inside_out, 1), InputError);
}

TEST(MassProperties, AFlatHullIsRefused) {
  EXPECT_THROW(mass_properties(Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.5, 0}}}, 1), InputError);
}

TEST(MassProperties, PointsAndPlanesWeighNothing) {
  EXPECT_EQ(mass_properties(Point{}, 1000).mass, 0);
  EXPECT_EQ(mass_properties(Plane{{0, 0, 1}, 0}, 1000).mass, 0);
}

TEST(MassProperties, TwoHalvesOfABoxMakeTheBox) {
  const Quat turn = normalized(Quat{0.9, 0.1, -0.3, 0.2});
  const Vec3 centre{0.3, 0.1, -0.2};
  const Vec3 half{kSides.x, kSides.y, kSides.z / 2};
  std::vector<Shape> shapes;
  for (const double side : {-1.0, 1.0}) {
    shapes.push_back({Box{half}, centre + rotate(turn, Vec3{0, 0, side * kSides.z / 4}), turn});
  }
  const auto whole = mass_properties(shapes, 900);
  const auto box = mass_properties(Box{kSides}, 900);
  EXPECT_NEAR(whole.mass, box.mass, 1e-12);
  expect_near(whole.centre, centre, 1e-14);
  expect_near(whole.inertia, congruence(to_matrix(turn), box.inertia), 1e-12);
}

}  // namespace mass_properties_test
}  // namespace catena
