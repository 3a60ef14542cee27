#include "bench/loop_scenes.h"

#include <cmath>
#include <random>
#include <string>

#include "bench/scene_parts.h"

namespace catena::workloads {
namespace {

// In the x–z plane.
BodyId add_rod(Scene& scene, const Vec3& from, const Vec3& to, const Vec3& velocity = {}, const Vec3& omega = {}) {
  const Vec3 d = to - from;
  const double length = norm(d);
  append_body(scene.model, scene.initial,
              {.name = short_name("rod", static_cast<int>(scene.model.bodies.size())),
               .mass = 1.0,
               .inertia = box_inertia(1, {length, 0.05, 0.05}),
               .position = 0.5 * (from + to),
               .orientation = exp_rotation(std::atan2(-d.z, d.x) * Vec3{0, 1, 0}),
               .velocity = velocity,
               .angular_velocity = omega});
  return BodyId(scene.model.bodies.size() - 1);
}

void join(Scene& scene, JointKind kind, BodyId a, BodyId b, const Vec3& where, const Vec3& axis = {0, 1, 0}) {
  append_joint(scene.model, scene.initial,
               {.name = short_name("j", static_cast<int>(scene.model.joints.size())),
                .kind = kind,
                .anchor = where,
                .axis = axis},
               a, b);
}

}  // namespace

Scene four_bars(int n, double angle, double rate) {
  Scene scene;
  const Vec3 tip{std::cos(angle), 0, std::sin(angle)}, omega{0, -rate, 0}, v = cross(omega, tip);
  std::vector<BodyId> cranks;
  for (int k = 0; k <= n; ++k) {
    const Vec3 foot{1.0 * k, 0, 0};
    cranks.push_back(add_rod(scene, foot, foot + tip, 0.5 * v, omega));
    join(scene, JointKind::hinge, kGround, cranks.back(), foot);
  }
  for (int k = 0; k < n; ++k) {
    const Vec3 left = Vec3{1.0 * k, 0, 0} + tip, right = Vec3{1.0 * k + 1, 0, 0} + tip;
    const BodyId coupler = add_rod(scene, left, right, v);
    join(scene, JointKind::hinge, cranks[static_cast<std::size_t>(k)], coupler, left);
    join(scene, JointKind::hinge, coupler, cranks[static_cast<std::size_t>(k) + 1], right);
  }
  finish(scene);
  return scene;
}

Scene ladder(int rungs, JointKind kind) {
  Scene scene;
  std::mt19937_64 engine(3);
  const auto uniform = [&](double size) { return size * (static_cast<double>(engine() >> 11) * 0x1p-52 - 1); };
  Vec3 a{0, 0, 0}, b{0, 0, 1};
  BodyId before_a, before_b;
  for (int k = 0; k < rungs; ++k) {
    const double heading = 0.5 * std::sin(0.1 * k) + uniform(0.1);
    const Vec3 next_a = a + Vec3{std::cos(heading), 0, std::sin(heading)},
               next_b = next_a + Vec3{uniform(0.1), 0, 1 + uniform(0.1)};
    const BodyId rod_a = add_rod(scene, a, next_a), rod_b = add_rod(scene, b, next_b),
                 rung = add_rod(scene, next_a, next_b);
    join(scene, kind, before_a, rod_a, a);
    join(scene, kind, before_b, rod_b, b);
    join(scene, kind, rod_a, rung, next_a);
    join(scene, kind, rung, rod_b, next_b);
    before_a = rod_a, before_b = rod_b;
    a = next_a, b = next_b;
  }
  finish(scene);
  return scene;
}

Scene plate_grid(int n) {
  Scene scene;
  const auto place = [](int i, int k) { return Vec3{1.0 * i, 1.0 * k, 0.3 * std::sin(0.9 * i) * std::cos(0.7 * k)}; };
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      append_body(scene.model, scene.initial,
                  {.name = short_name("plate", i * n + k),
                   .mass = 1.0,
                   .inertia = box_inertia(1, {1, 1, 0.02}),
                   .position = place(i, k)});
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      if (i + 1 < n)
        join(scene, JointKind::ball, BodyId(i * n + k), BodyId(i * n + n + k), 0.5 * (place(i, k) + place(i + 1, k)));
      if (k + 1 < n)
        join(scene, JointKind::ball, BodyId(i * n + k), BodyId(i * n + k + 1), 0.5 * (place(i, k) + place(i, k + 1)));
    }
  join(scene, JointKind::ball, kGround, BodyId(0), place(0, 0) - Vec3{0.5, 0.5, 0});
  finish(scene);
  return scene;
}

Scene scissor_lift(int stages) {
  Scene scene;
  constexpr double kWidth = 0.8, kHeight = 0.6;
  BodyId left_below, right_below;
  for (int s = 0; s < stages; ++s) {
    const double z = kHeight * s;
    const Vec3 left{0, 0, z}, right{kWidth, 0, z}, up{0, 0, kHeight};
    const BodyId rising = add_rod(scene, left, right + up), falling = add_rod(scene, right, left + up);
    if (s == 0) {
      join(scene, JointKind::hinge, kGround, rising, left);
      append_joint(scene.model, scene.initial,
                   {.name = "slide", .kind = JointKind::point_on_line, .anchor = right, .axis = Vec3{1, 0, 0}}, kGround,
                   falling);
    } else {
      join(scene, JointKind::hinge, left_below, rising, left);
      join(scene, JointKind::hinge, right_below, falling, right);
    }
    join(scene, JointKind::hinge, rising, falling, 0.5 * (left + right + up));
    left_below = falling, right_below = rising;
  }
  finish(scene);
  return scene;
}

Scene chain_mail(int n) {
  Scene scene;
  catena::Shape sphere;
  sphere.geometry = Sphere{0.03};
  const auto place = [](int r, int c) { return Vec3{0.1 * c, 0.02 * std::sin(1.3 * r + 0.7 * c), -0.1 * r}; };
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      append_body(scene.model, scene.initial,
                  {.name = short_name("ring", r * n + c),
                   .mass = 0.02,
                   .inertia = box_inertia(0.02, {0.1, 0.02, 0.1}),
                   .position = place(r, c),
                   .shapes = {sphere}});
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      const BodyId ring(r * n + c);
      join(scene, JointKind::ball, r > 0 ? BodyId(r * n - n + c) : kGround, ring,
           0.5 * (place(r, c) + place(r - 1, c)));
      if (c > 0) join(scene, JointKind::ball, BodyId(r * n + c - 1), ring, 0.5 * (place(r, c) + place(r, c - 1)));
    }
  finish(scene);
  return scene;
}

}  // namespace catena::workloads
