// Finding the contacts of a pile: mixed shapes settled in a pit, and one shape at a time.
#include <benchmark/benchmark.h>

#include <map>
#include <random>

#include "catena/collide/collider.h"

namespace {

using namespace catena;

enum class Mix { spheres, boxes, capsules, cylinders, hulls, all };

Geometry geometry_of(Mix mix, int i, std::mt19937& rng) {
  switch (mix == Mix::all ? static_cast<Mix>(i % 5) : mix) {
    case Mix::spheres: return Sphere{0.05};
    case Mix::boxes: return Box{{0.1, 0.08, 0.06}};
    case Mix::capsules: return Capsule{0.03, 0.08};
    case Mix::cylinders: return Cylinder{0.04, 0.08};
    default: break;
  }
  std::normal_distribution<double> g;
  Hull hull;
  for (int k = 0; k < 16; ++k) hull.points.push_back(0.05 * normalized(Vec3{g(rng), g(rng), g(rng)}));
  return hull;
}

// Bodies in a pit of five planes, let down and pushed apart until they rest on each other.
struct Pile {
  Model model;
  State state;

  Pile(Mix mix, int count) {
    std::mt19937 rng(1);
    std::normal_distribution<double> g;
    const int side = static_cast<int>(std::ceil(std::cbrt(count)));
    for (int i = 0; i < count; ++i) {
      Body body;
      body.mass = 1;
      Shape shape;
      shape.geometry = geometry_of(mix, i, rng);
      body.shapes.push_back(shape);
      model.bodies.push_back(body);
      BodyState s;
      s.position = 0.13 * Vec3{i % side + 0.5, i / side % side + 0.5, i / (side * side) + 0.5};
      s.orientation = normalized(Quat{g(rng), g(rng), g(rng), g(rng)});
      state.bodies.push_back(s);
    }
    const double width = 0.13 * side;
    for (const auto& [normal, offset] : {std::pair{Vec3{0, 0, 1}, 0.0},
                                         {Vec3{1, 0, 0}, 0.0},
                                         {Vec3{-1, 0, 0}, -width},
                                         {Vec3{0, 1, 0}, 0.0},
                                         {Vec3{0, -1, 0}, -width}}) {
      Shape plane;
      plane.geometry = Plane{normal, offset};
      model.ground_shapes.push_back(plane);
    }
    settle();
  }

  void settle() {
    Collider collider(model, 0);
    std::vector<Contact> contacts;
    for (int i = 0; i < 600; ++i) {
      if (i % 4 == 0 && i < 500) {
        for (BodyState& body : state.bodies) body.position.z -= 3e-3;
      }
      collider.find(state, contacts);
      for (const Contact& c : contacts) {
        const Vec3 push = (-0.3 * c.gap) * c.normal;
        state.bodies[c.a].position += push;
        if (c.b.valid()) state.bodies[c.b].position -= push;
      }
    }
  }
};

void find_contacts(benchmark::State& bench, Mix mix) {
  static std::map<std::pair<Mix, int>, Pile> piles;  // settling takes longer than measuring
  const int count = static_cast<int>(bench.range(0));
  const Pile& pile = piles.try_emplace({mix, count}, mix, count).first->second;
  Collider collider(pile.model, 2e-3);
  std::vector<Contact> contacts;
  for (auto _ : bench) {
    collider.find(pile.state, contacts);
    benchmark::DoNotOptimize(contacts.data());
  }
  bench.counters["contacts"] = static_cast<double>(contacts.size());
  double deepest = 0;
  for (const Contact& c : contacts) deepest = std::min(deepest, c.gap);
  bench.counters["deepest"] = deepest;
}

BENCHMARK_CAPTURE(find_contacts, mixed, Mix::all)->Arg(100)->Arg(500)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find_contacts, spheres, Mix::spheres)->Arg(500)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find_contacts, boxes, Mix::boxes)->Arg(500)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find_contacts, capsules, Mix::capsules)->Arg(500)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find_contacts, cylinders, Mix::cylinders)->Arg(500)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find_contacts, hulls, Mix::hulls)->Arg(500)->Unit(benchmark::kMicrosecond);

}  // namespace
