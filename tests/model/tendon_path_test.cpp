// Strings around spheres and cylinders: shortest ways, by their geometry alone.
#include "catena/model/tendon_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace catena {
namespace tendon_path_test {

double length_of(const Bend& bend, const Vec3& from, const Vec3& to) {
  return norm(bend.first - from) + bend.arc + norm(to - bend.second);
}

const Vec3 kFrom{0.9, 0.2, 0.4}, kTo{-0.8, -0.35, -0.3};

// On a sphere the way is in the plane of both points and the centre: straight, an arc, straight, with tangents that meet the surface.
TEST(TendonPath, around_a_sphere_it_is_tangent_to_it_and_its_arc_is_of_a_great_circle) {
  constexpr double r = 0.4;
  const std::optional<Bend> bend = bend_around(r, false, kFrom, kTo, nullptr);
  ASSERT_TRUE(bend);
  for (const auto& [on, end] : {std::pair{bend->first, kFrom}, {bend->second, kTo}}) {
    EXPECT_NEAR(norm(on), r, 1e-14);
    EXPECT_NEAR(dot(on, end - on), 0, 1e-14);
    EXPECT_NEAR(dot(on, cross(kFrom, kTo)), 0, 1e-14) << "in one plane";
  }
  EXPECT_NEAR(bend->arc, r * std::acos(dot(bend->first, bend->second) / (r * r)), 1e-12);
  const double angle = std::acos(dot(kFrom, kTo) / (norm(kFrom) * norm(kTo)));
  const double arc = angle - std::acos(r / norm(kFrom)) - std::acos(r / norm(kTo));
  EXPECT_NEAR(length_of(*bend, kFrom, kTo),
              std::sqrt(dot(kFrom, kFrom) - r * r) + std::sqrt(dot(kTo, kTo) - r * r) + r * arc, 1e-13);
}

// Unrolled, the way around a cylinder is a straight line: it climbs at the same angle on all three of its parts.
TEST(TendonPath, around_a_cylinder_it_is_straight_once_that_is_unrolled) {
  constexpr double r = 0.3;
  const std::optional<Bend> bend = bend_around(r, true, kFrom, kTo, nullptr);
  ASSERT_TRUE(bend);
  const auto flat = [](const Vec3& p) { return Vec3{p.x, p.y, 0}; };
  double way = 0;
  for (const auto& [on, end] : {std::pair{bend->first, kFrom}, {bend->second, kTo}}) {
    EXPECT_NEAR(norm(flat(on)), r, 1e-14);
    EXPECT_NEAR(dot(flat(on), flat(end - on)), 0, 1e-14);
    way += norm(flat(end - on));
  }
  const double turn = std::acos(dot(flat(bend->first), flat(bend->second)) / (r * r));
  way += r * turn;
  EXPECT_NEAR(length_of(*bend, kFrom, kTo), std::hypot(way, kTo.z - kFrom.z), 1e-13);
  const double climb = (kTo.z - kFrom.z) / way;
  EXPECT_NEAR((bend->first.z - kFrom.z) / norm(flat(bend->first - kFrom)), climb, 1e-12);
  EXPECT_NEAR((bend->second.z - bend->first.z) / (r * turn), climb, 1e-12);
}

TEST(TendonPath, what_is_not_in_the_way_is_passed_in_a_straight_line_unless_a_side_is_asked_for) {
  const Vec3 from{1, 0.6, 0.1}, to{-1, 0.7, 0.3};
  EXPECT_FALSE(bend_around(0.4, false, from, to, nullptr));
  EXPECT_FALSE(bend_around(0.4, true, from, to, nullptr));
  for (const bool cylinder : {false, true}) {
    const std::optional<Bend> around = bend_around(0.4, cylinder, kFrom, kTo, nullptr);
    ASSERT_TRUE(around);
    const double shortest = length_of(*around, kFrom, kTo);
    // The other way round is longer; one of the two sides is the shorter way.
    const Vec3 left{-0.5, 1, 0}, right{0.5, -1, 0};
    const std::optional<Bend> one = bend_around(0.4, cylinder, kFrom, kTo, &left),
                              other = bend_around(0.4, cylinder, kFrom, kTo, &right);
    ASSERT_TRUE(one && other);
    const double a = length_of(*one, kFrom, kTo), b = length_of(*other, kFrom, kTo);
    EXPECT_GE(std::min(a, b), shortest - 1e-13);
  }
  EXPECT_FALSE(bend_around(0.4, false, {0.1, 0, 0}, to, nullptr)) << "from inside there is no way around";
}

// Of a whole piece: the length changes with its ends as `along` and `turning` say.
TEST(TendonPath, the_length_of_a_piece_changes_as_its_ends_move) {
  Model model;
  model.bodies.resize(3);
  const auto site = [&](int body, const Vec3& at) {
    Site s;
    s.body = BodyId(body);
    s.position = at;
    model.sites.push_back(s);
  };
  site(0, {0.1, 0.2, -0.1}), site(1, {-0.2, 0.1, 0.3});
  PieceFrames frames;
  frames.from = {{1, 0.2, 0.3}, to_matrix(exp_rotation(Vec3{0.3, 0.2, 0.1})), 1};
  frames.to = {{-0.7, 0.5, -0.4}, to_matrix(exp_rotation(Vec3{-0.2, 0.4, 0.6})), 1};
  Tendon::Piece piece;
  piece.from = 0, piece.to = 1;
  const PieceShape shape = shape_of(model, piece, frames);
  ASSERT_EQ(shape.spans, 1);
  EXPECT_NEAR(shape.length, norm(frames.to(model.sites[1].position) - frames.from(model.sites[0].position)), 1e-15);
  constexpr double e = 1e-6;
  for (int end = 0; end < 2; ++end)
    for (int k = 0; k < 3; ++k) {
      PieceFrames more = frames, less = frames;
      Vec3 step{k == 0 ? e : 0, k == 1 ? e : 0, k == 2 ? e : 0};
      (end == 0 ? more.from : more.to).x += step;
      (end == 0 ? less.from : less.to).x -= step;
      EXPECT_NEAR((shape_of(model, piece, more).length - shape_of(model, piece, less).length) / (2 * e),
                  shape.ends[static_cast<std::size_t>(end)].along[k], 1e-9);
    }
}

}  // namespace tendon_path_test
}  // namespace catena
