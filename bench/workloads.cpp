#include "bench/workloads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <span>
#include <string>

#include "bench/loop_scenes.h"
#include "bench/peers/common.h"
#include "bench/scene_parts.h"
#include "catena/mechanism/projection.h"

namespace catena::workloads {
namespace {

// The same numbers on every machine: distributions of the standard library are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double lo, double hi) { return lo + (hi - lo) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  Vec3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vec3 direction() {
    for (;;) {
      const Vec3 v = vector(1);
      if (const double n = norm(v); n > 0.1 && n < 1) return v / n;
    }
  }
  Quat rotation() { return exp_rotation(uniform(0.3, 3.0) * direction()); }

 private:
  std::mt19937_64 engine_;
};

BodySpec random_body(Random& random, std::string name, BodyKind kind) {
  BodySpec body;
  body.name = std::move(name);
  body.kind = kind;
  body.mass = random.uniform(0.5, 3);
  const Mat3 R = to_matrix(random.rotation());
  body.inertia =
      congruence(R, Sym3::diagonal(random.uniform(0.2, 0.3), random.uniform(0.25, 0.35), random.uniform(0.3, 0.4)));
  body.position = random.vector(2);
  if (kind != BodyKind::particle) body.orientation = random.rotation();
  body.velocity = random.vector(1);
  if (kind != BodyKind::particle) body.angular_velocity = random.vector(2);
  if (kind == BodyKind::scalable)
    body.scale = random.uniform(0.8, 1.2), body.scale_velocity = random.uniform(-0.3, 0.3);
  return body;
}

constexpr JointKind kKinds[] = {JointKind::ball,
                                JointKind::hinge,
                                JointKind::slider,
                                JointKind::cylindrical,
                                JointKind::universal,
                                JointKind::planar,
                                JointKind::weld,
                                JointKind::screw,
                                JointKind::distance,
                                JointKind::point_on_line,
                                JointKind::point_on_plane,
                                JointKind::fixed_orientation,
                                JointKind::aligned_axes,
                                JointKind::perpendicular_axes,
                                JointKind::gear,
                                JointKind::rack,
                                JointKind::skate,
                                JointKind::hinge,
                                JointKind::ball};
constexpr JointKind kParticleKinds[] = {JointKind::ball, JointKind::distance, JointKind::point_on_line,
                                        JointKind::point_on_plane};
constexpr JointKind kLoopKinds[] = {JointKind::distance, JointKind::point_on_plane,     JointKind::point_on_line,
                                    JointKind::ball,     JointKind::perpendicular_axes, JointKind::gear};

template <std::size_t N>
JointKind pick(Random& random, const JointKind (&kinds)[N]) {
  return kinds[random.below(static_cast<int>(N))];
}

bool is_particle(const Model& model, BodyId body) {
  return body.valid() && model.bodies[body].kind == BodyKind::particle;
}

// A joint that the present poses satisfy.
JointSpec random_joint(Random& random, const Scene& scene, JointKind kind, BodyId a, BodyId b) {
  JointSpec joint;
  joint.name = "j" + std::to_string(scene.model.joints.size());
  joint.kind = kind;
  const auto place = [&](BodyId body) { return body.valid() ? scene.initial.bodies[body].position : Vec3{}; };
  // A particle is met at its centre.
  joint.anchor = is_particle(scene.model, b) ? place(b)
               : is_particle(scene.model, a) ? place(a)
                                             : 0.5 * (place(a) + place(b)) + random.vector(0.3);
  if (kind == JointKind::distance ||
      (kind == JointKind::ball && is_particle(scene.model, a) && is_particle(scene.model, b))) {
    joint.kind = JointKind::distance;
    joint.anchor.reset();
    joint.anchors = {place(a) + (a.valid() && is_particle(scene.model, a) ? Vec3{} : random.vector(0.3)),
                     place(b) + (is_particle(scene.model, b) ? Vec3{} : random.vector(0.3))};
  } else if (kind == JointKind::point_on_line || kind == JointKind::point_on_plane) {
    const Vec3 axis = random.direction();
    joint.axis = axis;
    joint.anchor.reset();
    const Vec3 on_b = place(b) + (is_particle(scene.model, b) ? Vec3{} : random.vector(0.3));
    const Vec3 shift =
        kind == JointKind::point_on_line ? random.uniform(-0.3, 0.3) * axis : 0.3 * cross(axis, random.direction());
    joint.anchors = {is_particle(scene.model, a) ? place(a) : on_b + shift, on_b};
    if (is_particle(scene.model, a)) joint.anchors = {place(a), place(a) + shift};
  } else {
    joint.axis = random.direction();
    joint.axis2 = normalized(cross(*joint.axis, random.direction()));
  }
  joint.pitch = random.uniform(0.05, 0.2);
  joint.ratio = random.uniform(-2, 2);
  joint.radius = random.uniform(0.1, 0.5);
  return joint;
}

}  // namespace

Scene linkage(Shape shape, JointKind kind, int n) {
  Scene scene;
  Random random(7);
  scene.model.bodies.reserve(static_cast<std::size_t>(n));
  scene.model.joints.reserve(static_cast<std::size_t>(n));
  scene.initial.bodies.reserve(static_cast<std::size_t>(n));
  const Quat frame = normalized(Quat{1, 0.3, 0.2, 0.1});
  for (int i = 0; i < n; ++i) {
    Body& body = scene.model.bodies.emplace_back();
    body.name = short_name("b", i);
    body.mass = 1;
    body.inertia = {0.02, 0.03, 0.025, 0.001, 0.002, 0.003};
    BodyState& s = scene.initial.bodies.emplace_back();
    s.orientation = random.rotation();
    s.angular_velocity = random.vector(1);
    const int parent = shape == Shape::chain ? i - 1 : i > 0 ? (i - 1) / 2 : -1;
    if (i == 0 && shape == Shape::tree) continue;
    Joint& joint = scene.model.joints.emplace_back();
    joint.name = short_name("j", i);
    joint.kind = kind;
    joint.b = BodyId(i);
    joint.anchor_b = {-0.05, -0.1, -0.2};
    joint.frame_a = frame;
    Quat q_parent;
    Vec3 anchor{};
    if (parent >= 0) {
      const BodyState& p = scene.initial.bodies[static_cast<std::size_t>(parent)];
      joint.a = BodyId(parent);
      joint.anchor_a = {0.05, 0.1, 0.2};
      q_parent = p.orientation;
      anchor = p.position + rotate(p.orientation, joint.anchor_a);
    }
    joint.frame_b = normalized(s.orientation.conjugate() * q_parent * frame);
    s.position = anchor - rotate(s.orientation, joint.anchor_b);
  }
  finish(scene);
  return scene;
}

Scene peer_chain(int n) {
  Scene scene;
  const Vec3 sides{0.02, 0.02, 0.1};
  Vec3 velocity{}, omega{};  // of the upper end of the next link
  for (int i = 0; i < n; ++i) {
    const Vec3 axis = i % 2 == 0 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 top{0, 0, -0.1 * i}, arm{0, 0, -0.05};
    omega += 0.5 * std::cos(i) * axis;
    append_body(scene.model, scene.initial,
                {.name = short_name("link", i),
                 .mass = 1.0,
                 .inertia = box_inertia(1, sides),
                 .position = top + arm,
                 .velocity = velocity + cross(omega, arm),
                 .angular_velocity = omega});
    velocity += cross(omega, Vec3{0, 0, -0.1});
    JointSpec joint{.name = short_name("hinge", i), .kind = JointKind::hinge, .anchor = top, .axis = axis};
    append_joint(scene.model, scene.initial, joint, i > 0 ? BodyId(i - 1) : kGround, BodyId(i));
  }
  finish(scene);
  return scene;
}

Scene peer_dual_arm() {
  Scene scene;
  const auto vec = [](const peers::Vec& v) { return Vec3{v.x, v.y, v.z}; };
  const std::vector<peers::HingeLink> links = peers::dual_arm();
  std::vector<Vec3> place, velocity, omega;  // of the hinges and the links
  for (std::size_t i = 0; i < links.size(); ++i) {
    const peers::HingeLink& link = links[i];
    const auto parent = static_cast<std::size_t>(link.parent);
    const bool grounded = link.parent < 0;
    const Vec3 hinge = vec(link.hinge), centre = vec(link.centre), axis = vec(link.axis);
    place.push_back(grounded ? hinge : place[parent] + hinge);
    velocity.push_back(grounded ? Vec3{} : velocity[parent] + cross(omega[parent], hinge));
    omega.push_back((grounded ? Vec3{} : omega[parent]) + peers::rate(static_cast<int>(i)) * axis);
    append_body(scene.model, scene.initial,
                {.name = short_name("link", static_cast<int>(i)),
                 .mass = link.mass,
                 .inertia = Sym3::diagonal(link.inertia.x, link.inertia.y, link.inertia.z),
                 .position = place[i] + centre,
                 .velocity = velocity[i] + cross(omega[i], centre),
                 .angular_velocity = omega[i]});
    append_joint(
        scene.model, scene.initial,
        {.name = short_name("hinge", static_cast<int>(i)), .kind = JointKind::hinge, .anchor = place[i], .axis = axis},
        grounded ? kGround : BodyId(link.parent), BodyId(i));
  }
  finish(scene);
  return scene;
}

Scene peer_tree(int joints) {
  Scene scene;
  const int levels = static_cast<int>(std::round(std::log2(joints + 1)));
  const auto length = [&](int depth) { return 0.1 * std::pow(1.5, levels - depth); };
  // Body 0 is the root; body i + 1 hangs on ball joint i; the children of joint i are 2 i + 1 and 2 i + 2.
  std::vector<Vec3> end;     // where a body's children hang
  std::vector<double> lean;  // about y, from straight down
  for (int i = -1; i < joints; ++i) {
    const int depth = i < 0 ? 0 : static_cast<int>(std::log2(i + 1)) + 1;
    const int parent = i < 0 ? -1 : i == 0 ? 0 : (i - 1) / 2 + 1;
    const double l = length(depth), mass = 600 * 0.04 * 0.04 * l;
    const double angle = i <= 0 ? 0 : lean[static_cast<std::size_t>(parent)] + (i % 2 == 1 ? 0.4 : -0.4);
    const Vec3 down{-std::sin(angle), 0, -std::cos(angle)};
    const Vec3 top = parent < 0 ? Vec3{} : end[static_cast<std::size_t>(parent)];
    append_body(scene.model, scene.initial,
                {.name = short_name("body", i + 1),
                 .mass = mass,
                 .inertia = box_inertia(mass, {0.04, 0.04, l}),
                 .position = top + (l / 2) * down,
                 .orientation = exp_rotation(Vec3{0, angle, 0})});
    end.push_back(top + l * down);
    lean.push_back(angle);
    if (i >= 0)
      append_joint(scene.model, scene.initial, {.name = short_name("ball", i), .kind = JointKind::ball, .anchor = top},
                   BodyId(parent), BodyId(i + 1));
  }
  finish(scene);
  return scene;
}

Scene bender_tree(int joints, double h) {
  Scene scene = peer_tree(joints);
  ExternalForce push;
  push.body = BodyId(0);
  push.torque = {0, 10, 0};
  push.until = h;
  scene.model.forces.push_back(push);
  return scene;
}

Scene hung_cloth(int n) {
  constexpr double kSpacing = 0.1, kSag = 0.7;  // m; slope of the arc at its ends, rad
  Scene scene;
  std::vector<Vec3> arc{{}};
  for (int c = 1; c < n; ++c) {
    const double slope = kSag * (2.0 * (c - 1) / (n - 2) - 1);
    arc.push_back(arc.back() + kSpacing * Vec3{std::cos(slope), 0, std::sin(slope)});
  }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c)
      append_body(scene.model, scene.initial,
                  {.name = short_name("p", r * n + c),
                   .kind = BodyKind::particle,
                   .mass = 1e-3,
                   .position = arc[static_cast<std::size_t>(c)] - Vec3{0, 0, r * kSpacing},
                   .velocity = {0, 0.5 * r / (n - 1), 0}});
  const auto thread = [&](int a, int b) {
    append_joint(
        scene.model, scene.initial,
        {.name = short_name("thread", static_cast<int>(scene.model.joints.size())), .kind = JointKind::distance},
        BodyId(a), BodyId(b));
  };
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      if (c + 1 < n) thread(r * n + c, r * n + c + 1);
      if (r + 1 < n) thread(r * n + c, (r + 1) * n + c);
    }
  for (const int corner : {0, n - 1})
    append_joint(scene.model, scene.initial,
                 {.name = short_name("pin", corner),
                  .kind = JointKind::ball,
                  .anchor = scene.initial.bodies[static_cast<std::size_t>(corner)].position},
                 kGround, BodyId(corner));
  finish(scene);
  return scene;
}

namespace {

// Bodies and joints of the given kinds, at random; particles are met by kinds that suit them.
Scene random_forest(std::uint64_t seed, int bodies, int loops, std::span<const BodyKind> body_kinds,
                    std::span<const JointKind> joint_kinds) {
  Random random(seed);
  Scene scene;
  const auto any = [&](auto kinds) {
    return kinds[static_cast<std::size_t>(random.below(static_cast<int>(kinds.size())))];
  };
  for (int i = 0; i < bodies; ++i)
    append_body(scene.model, scene.initial, random_body(random, short_name("b", i), any(body_kinds)));
  const auto join = [&](JointKind kind, BodyId a, BodyId b) {
    const bool particle = is_particle(scene.model, a) || is_particle(scene.model, b);
    if (particle) kind = pick(random, kParticleKinds);
    if (b.valid() && random.below(3) == 0 && a.valid()) std::swap(a, b);
    append_joint(scene.model, scene.initial, random_joint(random, scene, kind, a, b), a, b);
  };
  for (int i = 0; i < bodies; ++i) {
    const int parent = random.below(i + 2) - 1;  // −1: the ground; i: nothing
    if (parent < i) join(any(joint_kinds), parent < 0 ? kGround : BodyId(parent), BodyId(i));
  }
  for (int k = 0; k < loops && bodies > 2; ++k) {
    const int a = random.below(bodies), b = (a + 1 + random.below(bodies - 1)) % bodies;
    join(pick(random, kLoopKinds), BodyId(a), BodyId(b));
  }
  finish(scene);
  Warnings ignored;  // velocities are meant to be changed
  assemble(scene.model, scene.initial, LinearSolver::dense, ignored);
  return scene;
}

}  // namespace

Scene random_mechanism(std::uint64_t seed, int bodies, int loops) {
  constexpr BodyKind kBodies[] = {BodyKind::rigid, BodyKind::rigid, BodyKind::rigid, BodyKind::particle,
                                  BodyKind::scalable};
  return random_forest(seed, bodies, loops, kBodies, kKinds);
}

Scene random_graph(std::uint64_t seed, int bodies, int loops, int doubled) {
  constexpr BodyKind kBodies[] = {BodyKind::rigid, BodyKind::rigid, BodyKind::rigid, BodyKind::rigid,
                                  BodyKind::particle};
  Scene scene = random_forest(seed, bodies, loops, kBodies, kKinds);
  const auto joints = scene.model.joints.size();
  for (int k = 0; k < doubled && joints > 0; ++k) {
    scene.model.joints.push_back(scene.model.joints[static_cast<std::size_t>(k * 7) % joints]);
    scene.model.joints.back().name += short_name("again", k);
  }
  finish(scene);
  return scene;
}

Scene random_linkage(std::uint64_t seed, int bodies, int loops) {
  constexpr BodyKind kBodies[] = {BodyKind::rigid};
  constexpr JointKind kJoints[] = {JointKind::ball,        JointKind::hinge,     JointKind::slider,
                                   JointKind::cylindrical, JointKind::universal, JointKind::planar,
                                   JointKind::weld,        JointKind::screw,     JointKind::hinge};
  return random_forest(seed, bodies, loops, kBodies, kJoints);
}

namespace {

// A binary tree of planar bodies under a floating root, joined by pins; `loops` pins close rings between neighbours of a level.
Scene planar_tree(int pins, int loops) {
  Random random(3);
  Scene scene;
  scene.model.gravity = {0, -9.81, 0};
  for (int i = 0; i <= pins; ++i) {
    const int depth = static_cast<int>(std::log2(i + 1));
    const Vec3 place{1.0 * (i + 1 - (1 << depth)) - 0.5 * (1 << depth), -1.0 * depth, 0};
    append_body(scene.model, scene.initial,
                {.name = short_name("b", i),
                 .kind = BodyKind::planar,
                 .mass = random.uniform(0.5, 2),
                 .inertia = Sym3::diagonal(0, 0, random.uniform(0.1, 0.3)),
                 .position = place,
                 .orientation = exp_rotation(Vec3{0, 0, random.uniform(-1, 1)})});
  }
  const auto pin = [&](int a, int b) {
    const Vec3 middle = 0.5 * (scene.initial.bodies[static_cast<std::size_t>(a)].position +
                               scene.initial.bodies[static_cast<std::size_t>(b)].position);
    append_joint(scene.model, scene.initial,
                 {.name = short_name("pin", static_cast<int>(scene.model.joints.size())),
                  .kind = JointKind::pin,
                  .anchor = middle},
                 BodyId(a), BodyId(b));
  };
  for (int i = 1; i <= pins; ++i) pin((i - 1) / 2, i);
  for (int k = 0; k < loops; ++k) pin(pins - 2 * k - 2, pins - 2 * k - 1);
  finish(scene);
  return scene;
}

}  // namespace

Scene baraff(Baraff which) {
  switch (which) {
    case Baraff::planar_54: return planar_tree(54, 0);
    case Baraff::planar_48_loops_6: return planar_tree(48, 6);
    case Baraff::spatial_32_contacts_3: {
      // Points of three bodies touch a floor without friction.
      Scene scene = linkage(Shape::tree, JointKind::ball, 33);
      scene.model.materials = {{.name = "smooth", .friction = 0}};
      double floor = 1e300;
      for (const int i : {30, 31, 32})
        floor = std::min(floor, scene.initial.bodies[static_cast<std::size_t>(i)].position.z - 0.2);
      for (const int i : {30, 31, 32}) {
        const BodyState& body = scene.initial.bodies[static_cast<std::size_t>(i)];
        const Vec3 touch{body.position.x + 0.1, body.position.y + 0.05, floor};
        catena::Shape point{.geometry = Point{}};
        point.position = rotate(body.orientation.conjugate(), touch - body.position);
        scene.model.bodies[BodyId(i)].shapes = {point};
      }
      scene.model.ground_shapes.push_back({.geometry = Plane{{0, 0, 1}, floor}});
      finish(scene);
      return scene;
    }
    case Baraff::spatial_127: break;
  }
  return linkage(Shape::tree, JointKind::ball, 128);
}

}  // namespace catena::workloads
