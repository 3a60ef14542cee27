// All pairs of convex shapes against the definition of signed distance,
//   d(A, B) = max over unit n of  min_A n·x − max_B n·x,
// with support functions written here and the maximum found by search.
#include "collide/collide_testing.h"

namespace catena::testing {
namespace pairs_test {

Vec3 local_support(const Geometry& g, const Vec3& d) {
  const auto sign = [](double x) { return x < 0 ? -1.0 : 1.0; };
  if (const auto* s = std::get_if<Sphere>(&g)) return s->radius * d;
  if (const auto* b = std::get_if<Box>(&g))
    return 0.5 * Vec3{sign(d.x) * b->sides.x, sign(d.y) * b->sides.y, sign(d.z) * b->sides.z};
  if (const auto* c = std::get_if<Capsule>(&g)) return Vec3{0, 0, sign(d.z) * 0.5 * c->length} + c->radius * d;
  if (const auto* c = std::get_if<Cylinder>(&g)) {
    const double r = std::hypot(d.x, d.y);
    const double k = r > 0 ? c->radius / r : 0;
    return {k * d.x, k * d.y, sign(d.z) * 0.5 * c->length};
  }
  if (const auto* h = std::get_if<Hull>(&g)) {
    return *std::max_element(h->points.begin(), h->points.end(),
                             [&](const Vec3& a, const Vec3& b) { return dot(a, d) < dot(b, d); });
  }
  return {};
}

struct Placed {
  Geometry geometry;
  Pose pose;
  Vec3 support(const Vec3& d) const {
    return pose.position + rotate(pose.orientation, local_support(geometry, rotate(pose.orientation.conjugate(), d)));
  }
};

double slab(const Placed& a, const Placed& b, const Vec3& n) { return dot(n, a.support(-n) - b.support(n)); }

// Starts from many directions and from the one under test, and climbs from the best with ever smaller random steps.
double search_distance(const Placed& a, const Placed& b, const Vec3& hint, std::mt19937& rng) {
  std::vector<std::pair<double, Vec3>> starts;
  for (int i = 0; i < 600; ++i) {
    const Vec3 n = random_direction(rng);
    starts.emplace_back(slab(a, b, n), n);
  }
  std::sort(starts.begin(), starts.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  starts.resize(8);
  starts.emplace_back(slab(a, b, hint), hint);
  double best = -1e300;
  for (auto [value, n] : starts) {
    for (double step = 0.2; step > 1e-9; step *= 0.9) {
      for (int k = 0; k < 6; ++k) {
        const Vec3 m = normalized(n + step * random_direction(rng));
        if (const double v = slab(a, b, m); v > value) value = v, n = m;
      }
    }
    best = std::max(best, value);
  }
  return best;
}

Geometry random_hull(std::mt19937& rng, int count) {
  Hull hull;
  for (int i = 0; i < count; ++i) hull.points.push_back(0.7 * random_direction(rng));
  return hull;
}

std::vector<Geometry> all_convex(std::mt19937& rng) {
  return {Sphere{0.6},         Point{}, Box{{1, 0.7, 1.3}}, Capsule{0.3, 0.9}, Cylinder{0.5, 1.1}, random_hull(rng, 12),
          random_hull(rng, 60)};
}

// Random placements whose gaps go from deep to wide; about half of them penetrate.
template <class Check>
void for_each_pair(int count, const Check& check) {
  std::mt19937 rng(7);
  const std::vector<Geometry> shapes = all_convex(rng);
  std::uniform_real_distribution<double> far(0.2, 1.8);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      for (int k = 0; k < count; ++k) {
        const Placed a{shapes[i], {random_vector(rng), random_rotation(rng)}};
        const Placed b{shapes[j], {a.pose.position + far(rng) * random_direction(rng), random_rotation(rng)}};
        SCOPED_TRACE(::testing::Message() << "shapes " << i << ", " << j << ", case " << k);
        check(a, b, rng);
      }
    }
  }
}

constexpr double kWide = 10;  // m: a margin that reports every pair

// Of the normals of a pair the one that parts it best: that of its nearest features. Faces that look nearly along it have their own.
Vec3 parting_normal(const Placed& a, const Placed& b, const std::vector<Contact>& contacts) {
  return std::max_element(
             contacts.begin(), contacts.end(),
             [&](const Contact& p, const Contact& q) { return slab(a, b, p.normal) < slab(a, b, q.normal); })
      ->normal;
}

TEST(Pairs, TheLeastGapIsTheSignedDistance) {
  for_each_pair(12, [](const Placed& a, const Placed& b, std::mt19937& rng) {
    const auto contacts = contacts_between(a.geometry, a.pose, b.geometry, b.pose, kWide);
    ASSERT_FALSE(contacts.empty());
    const bool curved = a.geometry.index() == 4 || b.geometry.index() == 4;
    const double expected = search_distance(a, b, parting_normal(a, b, contacts), rng);
    // The search ends within 1e-6 of the maximum; EPA on a rim within 1e-5.
    EXPECT_NEAR(least_gap(contacts), expected, curved ? 2e-5 : 2e-6);
  });
}

TEST(Pairs, TheNormalPartsThemByTheGap) {
  for_each_pair(40, [](const Placed& a, const Placed& b, std::mt19937&) {
    const auto contacts = contacts_between(a.geometry, a.pose, b.geometry, b.pose, kWide);
    ASSERT_FALSE(contacts.empty());
    ASSERT_LE(contacts.size(), 16u);  // 8 of the nearest features, 8 of faces beside them
    const Vec3 normal = parting_normal(a, b, contacts);
    for (const Contact& c : contacts) {
      EXPECT_NEAR(norm(c.normal), 1, 1e-14);
      EXPECT_GE(dot(c.normal, normal), std::cos(15.1 * std::numbers::pi / 180));
    }
    // Moving A along the normal by −gap makes them touch: no slab is thinner than what the normal says.
    EXPECT_NEAR(slab(a, b, normal), least_gap(contacts), 2e-5);
  });
}

TEST(Pairs, EveryPointLiesInBothSurfacesShadows) {
  for_each_pair(40, [](const Placed& a, const Placed& b, std::mt19937&) {
    for (const Contact& c : contacts_between(a.geometry, a.pose, b.geometry, b.pose, kWide)) {
      // Inside the slab of each shape across every axis.
      for (const Vec3& d : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, normalized(Vec3{1, 1, 1})}) {
        for (const Vec3& n : {d, -d}) {
          EXPECT_LE(dot(n, c.on_a()), dot(n, a.support(n)) + 1e-3 + std::max(0.0, -c.gap));
          EXPECT_LE(dot(n, c.on_b()), dot(n, b.support(n)) + 1e-3 + std::max(0.0, -c.gap));
        }
      }
    }
  });
}

TEST(Pairs, SwappingTheShapesMirrorsTheContact) {
  for_each_pair(40, [](const Placed& a, const Placed& b, std::mt19937&) {
    const auto ab = contacts_between(a.geometry, a.pose, b.geometry, b.pose, kWide);
    const auto ba = contacts_between(b.geometry, b.pose, a.geometry, a.pose, kWide);
    ASSERT_EQ(ab.size(), ba.size());
    EXPECT_NEAR(least_gap(ab), least_gap(ba), 2e-6);
    const bool curved = a.geometry.index() == 4 || b.geometry.index() == 4;
    expect_near(ab[0].normal, -ba[0].normal, curved ? 2e-3 : 1e-8);
  });
}

TEST(Pairs, ARigidMotionOfBothMovesTheContactWithThem) {
  for_each_pair(40, [](const Placed& a, const Placed& b, std::mt19937& rng) {
    const Vec3 shift = random_vector(rng, 10);
    const Quat turn = random_rotation(rng);
    const auto moved = [&](const Pose& p) { return Pose{shift + rotate(turn, p.position), turn * p.orientation}; };
    const auto before = contacts_between(a.geometry, a.pose, b.geometry, b.pose, kWide);
    const auto after = contacts_between(a.geometry, moved(a.pose), b.geometry, moved(b.pose), kWide);
    ASSERT_EQ(before.size(), after.size());
    const bool curved = a.geometry.index() == 4 || b.geometry.index() == 4;
    EXPECT_NEAR(least_gap(before), least_gap(after), curved ? 2e-6 : 1e-9);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(before[i].feature, after[i].feature);
      expect_near(rotate(turn, before[i].normal), after[i].normal, curved ? 2e-3 : 1e-8);
    }
  });
}

}  // namespace pairs_test
}  // namespace catena::testing
