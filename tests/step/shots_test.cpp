// Nothing passes through: random shots at 1 to 1e4 m/s, at walls, at meshes and at each other, at steps in which they fly many times their own size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "catena/catena.h"

namespace catena {
namespace shots_test {

constexpr Method kMethods[] = {Method::lagrange, Method::impulse, Method::spook, Method::operational};

class Dice {
 public:
  explicit Dice(unsigned seed) : rng_(seed) {}
  double between(double low, double high) { return low + (high - low) * static_cast<double>(rng_()) / 4294967296.0; }
  // Every decade as likely as the others.
  double decades(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  int one_of(int n) { return static_cast<int>(between(0, n)); }

 private:
  std::mt19937 rng_;
};

// A projectile of a random shape and at most 2 cm: what `shapes:` of a scene says.
std::string projectile(Dice& dice) {
  const double size = dice.decades(2e-3, 1e-2);
  switch (dice.one_of(3)) {
    case 0: return fmt::format("[{{sphere: {}}}]", size);
    case 1: return fmt::format("[{{box: [{}, {}, {}]}}]", size, dice.between(0.5, 2) * size, 2 * size);
    default: return fmt::format("[{{capsule: {{radius: {}, length: {}}}}}]", 0.5 * size, size);
  }
}

// A wall in the plane x = 0, thinner than a shot flies in a step: a box, or the same as a mesh of twelve triangles.
Shape wall(Dice& dice, bool mesh) {
  const Vec3 half{0.5 * dice.decades(1e-3, 5e-2), 10, 10};
  Shape shape;
  if (!mesh) {
    shape.geometry = Box{2.0 * half};
    return shape;
  }
  Mesh surface;
  for (int i = 0; i < 8; ++i)
    surface.vertices.push_back({(i & 1 ? 1 : -1) * half.x, (i & 2 ? 1 : -1) * half.y, (i & 4 ? 1 : -1) * half.z});
  surface.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                       {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  shape.geometry = surface;
  return shape;
}

std::string shot(Dice& dice, const char* name, double from, double aim_y, double speed) {
  const double towards = from > 0 ? -1 : 1;
  return fmt::format(
      "  {}: {{density: 2000, position: [{}, {}, 0], velocity: [{}, {}, {}], angular_velocity: [{}, {}, {}], shapes: "
      "{}}}\n",
      name, from, aim_y, towards * speed, dice.between(-0.3, 0.3) * speed, dice.between(-0.3, 0.3) * speed,
      dice.between(-30, 30), dice.between(-30, 30), dice.between(-30, 30), projectile(dice));
}

std::string head(double step) {
  return fmt::format(
      "catena: 1\nname: shot\nsimulate: {{step: {}}}\ngravity: [0, 0, 0]\n"
      "materials: {{stone: {{friction: 0.3, restitution: 0.2}}}}\n",
      step);
}

// At a wall of the ground: the shot stays on its side.
TEST(Shots, at_walls_and_meshes_do_not_pass) {
  Dice dice(14);
  for (int i = 0; i < 700; ++i) {
    const bool mesh = i % 7 < 2;
    const double speed = dice.decades(1, 1e4), step = dice.decades(1e-4, 1e-2), from = dice.between(0.05, 2);
    const std::string text = head(step) + "bodies:\n" + shot(dice, "shot", from, 0, speed);
    Scene scene = load_text(text);
    scene.model.ground_shapes.push_back(wall(dice, mesh));
    const Method method = kMethods[i % 4];
    Simulation simulation(scene, {.method = method});
    const double until = 1.5 * from / speed + 3 * step;
    while (simulation.time() < until) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << i << ": " << report.message << "\n" << text;
      ASSERT_GT(simulation.body("shot").position.x, 0) << i << ", method " << i % 4 << "\n" << text;
    }
  }
}

// At each other: two that meet head on do not change places.
TEST(Shots, at_each_other_do_not_pass) {
  Dice dice(15);
  for (int i = 0; i < 300; ++i) {
    const double speed = dice.decades(1, 1e4), step = dice.decades(1e-4, 1e-2), from = dice.between(0.05, 2);
    const std::string size = fmt::format("{}", dice.decades(4e-3, 2e-2));
    // Balls, so that they cannot miss: the centre of one is aimed at the other within half a radius.
    const auto ball = [&](const char* name, double x, double v) {
      return fmt::format(
          "  {}: {{density: 2000, position: [{}, 0, 0], velocity: [{}, 0, 0], shapes: [{{sphere: {}}}]}}\n", name, x, v,
          size);
    };
    const std::string text =
        head(step) + "bodies:\n" + ball("left", -from, speed) + ball("right", from, -dice.between(0, 1) * speed);
    Simulation simulation(load_text(text), {.method = kMethods[i % 4]});
    const double until = 3 * from / speed + 3 * step;
    while (simulation.time() < until) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << i << ": " << report.message << "\n" << text;
      ASSERT_LT(simulation.body("left").position.x, simulation.body("right").position.x) << i << "\n" << text;
    }
  }
}

}  // namespace shots_test
}  // namespace catena
