#include "catena/model/joint_surface.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace joint_surface_test {

using Kind = JointSurface::Kind;

JointSurface height_field(int columns, int rows, double spacing, double (*h)(double, double)) {
  JointSurface s;
  s.kind = Kind::height_field;
  s.size = {spacing, spacing, 0};
  s.columns = columns, s.rows = rows;
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      s.heights.push_back(h((i - 0.5 * (columns - 1)) * spacing, (j - 0.5 * (rows - 1)) * spacing));
  fill_spline(s);
  return s;
}

std::vector<JointSurface> all_surfaces() {
  std::vector<JointSurface> out;
  for (const Kind kind : {Kind::plane, Kind::sphere, Kind::cylinder, Kind::torus, Kind::ellipsoid})
    out.push_back({kind, {0.9, 0.4, 0.6}});
  out.push_back(height_field(7, 5, 0.5, [](double x, double y) { return std::sin(x) * std::cos(1.3 * y); }));
  return out;
}

// By central differences; inside the grid of the height field and beyond its edge.
TEST(JointSurface, gradient_and_second_derivatives_are_those_of_the_function) {
  constexpr double eps = 1e-5;
  for (const JointSurface& s : all_surfaces())
    for (const Vec3& p : {Vec3{0.7, 0.31, 0.23}, Vec3{-0.4, 0.83, -0.5}, Vec3{2.3, -1.7, 0.4}}) {
      const SurfaceValue at = evaluate(s, p);
      for (int k = 0; k < 3; ++k) {
        Vec3 step{};
        step[k] = eps;
        const SurfaceValue after = evaluate(s, p + step), before = evaluate(s, p - step);
        EXPECT_NEAR(at.gradient[k], (after.f - before.f) / (2 * eps), 1e-9) << static_cast<int>(s.kind);
        Vec3 column{};
        column[k] = 1;
        EXPECT_NEAR(norm(at.hessian * column - (after.gradient - before.gradient) / (2 * eps)), 0, 1e-8)
            << static_cast<int>(s.kind);
      }
    }
}

TEST(JointSurface, distances_are_distances) {
  for (const JointSurface& s : all_surfaces()) {
    if (s.kind == Kind::ellipsoid || s.kind == Kind::height_field) continue;
    const Vec3 p{0.7, 0.31, 0.53};
    const SurfaceValue at = evaluate(s, p);
    EXPECT_NEAR(norm(at.gradient), 1, 1e-14);
    EXPECT_NEAR(evaluate(s, p - at.f * at.gradient).f, 0, 1e-14) << static_cast<int>(s.kind);
  }
}

// A natural spline goes through its points and is straight where they are; in between a smooth function is met to the fourth power of the
// spacing, away from the edges where it is not straight.
TEST(JointSurface, a_height_field_goes_through_its_heights) {
  const auto h = [](double x, double y) { return std::cos(x) * std::exp(0.3 * y); };
  const JointSurface s = height_field(41, 41, 0.1, h);
  EXPECT_NEAR(evaluate(s, {0.3, -0.2, 0}).f, -h(0.3, -0.2), 1e-13);
  EXPECT_NEAR(evaluate(s, {0.34, -0.27, 0}).f, -h(0.34, -0.27), 1e-6);
  const JointSurface slope = height_field(4, 3, 0.7, [](double x, double y) { return 0.2 * x - 0.5 * y + 1; });
  EXPECT_NEAR(evaluate(slope, {5, -4, 4}).f, 4 - (0.2 * 5 + 0.5 * 4 + 1), 1e-13);
}

TEST(JointSurface, what_cannot_be_is_named) {
  EXPECT_NE(fault_of({Kind::torus, {0.2, 0.4, 0}}).find("thinner"), std::string::npos);
  EXPECT_NE(fault_of({Kind::sphere, {-1, 0, 0}}).find("positive"), std::string::npos);
  EXPECT_NE(fault_of({Kind::height_field, {1, 1, 0}, 2, 2, {0, 0, 0, 0}}).find("three rows"), std::string::npos);
  for (const JointSurface& s : all_surfaces()) EXPECT_EQ(fault_of(s), "");
}

}  // namespace joint_surface_test
}  // namespace catena
