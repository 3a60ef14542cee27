// Claims of the papers that are shown by a motion: joints on surfaces, joints that come and go, soft contacts, parts in turn.
#include <algorithm>
#include <cmath>

#include "bench/report_page.h"
#include "bench/workloads.h"
#include "catena/model/builder.h"
#include "catena/scene/scene.h"
#include "catena/simulation/simulation.h"

namespace catena::bench {
namespace {

using SurfaceKind = JointSurface::Kind;

// A bead on a torus without gravity; by how much its speed and ρ² dφ/dt change over two seconds, relative.
double clairaut() {
  const Vec3 at{1.0 + 0.4 * std::cos(0.7), 0, 0.4 * std::sin(0.7)};
  const Vec3 along{-std::sin(0.7), 0, std::cos(0.7)}, velocity = Vec3{0, 1.3, 0} + 0.9 * along;
  BodySpec bead{.name = "bead", .kind = BodyKind::particle, .mass = 1, .position = at, .velocity = velocity};
  JointSpec ring{.name = "ring", .kind = JointKind::point_on_surface, .between = {"ground", "bead"}};
  ring.surfaces[0] = SurfaceSpec{{SurfaceKind::torus, {1, 0.4, 0}}, Vec3{}, Quat{}};
  ModelBuilder builder;
  builder.gravity({}).body(bead).joint(ring);
  Simulation sim(builder.build(), {.method = Method::lagrange, .step = 1e-3});
  sim.advance_to(2);
  const BodyState& s = sim.body("bead");
  return std::max(std::abs(norm(s.velocity) / norm(velocity) - 1),
                  std::abs(cross(s.position, s.velocity).z / cross(at, velocity).z - 1));
}

// A ball that rolls inside an upright cylinder; how far its lowest point is from −5 g/Ω².
double ball_in_cylinder() {
  constexpr double kRadius = 0.2, kRho = 0.8, kRate = 4, kG = 9.81;
  constexpr double kInertia = 0.4 * kRadius * kRadius;
  BodySpec ball{.name = "ball", .mass = 1, .inertia = Sym3::diagonal(kInertia, kInertia, kInertia)};
  ball.position = {kRho, 0, 0};
  ball.velocity = {0, kRate * kRho, 0};
  ball.angular_velocity = {0, 0, -kRate * kRho / kRadius};
  JointSpec wall{.name = "wall", .kind = JointKind::tangent_surfaces, .between = {"ground", "ball"}, .inside = true};
  wall.surfaces = {SurfaceSpec{{SurfaceKind::cylinder, {kRho + kRadius, 0, 0}}, Vec3{}, Quat{}},
                   SurfaceSpec{{SurfaceKind::sphere, {kRadius, 0, 0}}}};
  ModelBuilder builder;
  builder.body(ball).joint(wall);
  Simulation sim(builder.build(), {.method = Method::lagrange, .step = 1e-3});
  sim.advance_to(M_PI / (std::sqrt(2.0 / 7) * kRate));
  return std::abs(sim.body("ball").position.z + 5 * kG / (kRate * kRate));
}

// A rod whose end is 0.3 m from its pivot, assembled at 0.5 m/s: how far from half way it is at half time.
double gradual_assembly() {
  BodySpec rod{.name = "rod", .mass = 1, .inertia = Sym3::diagonal(0.1, 0.1, 0.01), .position = {0.3, 0, -0.5}};
  JointSpec pivot{.name = "pivot", .kind = JointKind::ball, .between = {"ground", "rod"}};
  pivot.anchors = {Vec3{}, Vec3{0.3, 0, 0}};
  ModelBuilder builder;
  builder.body(rod).joint(pivot);
  Simulation sim(builder.build(), {.method = Method::lagrange, .step = 1e-3, .assembly_speed = 0.5});
  sim.advance_to(0.5 * 1.5 * 0.3 / 0.5);
  const BodyState& s = sim.body("rod");
  return norm(s.position + rotate(s.orientation, Vec3{0, 0, 0.5}) - Vec3{0.15, 0, 0});
}

// Two links and a tool afloat. Returns by how much momentum changes when the second link takes hold of the tool and the first lets go, and how
// far the energy that takes is from ½ Δvᵀ M Δv.
struct Handover {
  double momentum = 0, energy = 0, lost = 0;
};
Handover hand_over() {
  ModelBuilder builder;
  builder.gravity({});
  const auto link = [&](const char* name, const Vec3& at, const Vec3& v, const Vec3& w) {
    builder.body({.name = name,
                  .mass = 1.2,
                  .inertia = Sym3::diagonal(0.02, 0.05, 0.06),
                  .position = at,
                  .velocity = v,
                  .angular_velocity = w});
  };
  link("left", {-0.2, 0, 0}, {0.1, 0.3, 0}, {0.1, -0.2, 0.8});
  link("right", {0.2, 0, 0}, {-0.2, 0, 0.1}, {0.2, 0.3, -0.5});
  link("tool", {0, 0, 0}, {0.1, 0.46, 0}, {0.1, -0.2, 0.8});
  JointSpec left{
      .name = "left_hand", .kind = JointKind::weld, .between = {"left", "tool"}, .anchor = Vec3{-0.05, 0, 0}};
  JointSpec right{
      .name = "right_hand", .kind = JointKind::weld, .between = {"right", "tool"}, .anchor = Vec3{0.05, 0, 0}};
  right.extras.switching = Switching{.attached = false, .pose = Switching::Pose::keep};
  left.extras.switching = Switching{};
  builder.joint(left).joint(right);
  Simulation sim(builder.build(), {.method = Method::spook, .step = 1e-3});
  const auto momentum = [&] {
    Vec3 sum{};
    for (const BodyState& s : sim.state().bodies) sum += 1.2 * s.velocity;
    return sum;
  };
  Handover out;
  const Vec3 start = momentum();
  sim.advance_to(0.1);
  const State before = sim.state();
  const double kinetic = sim.energy().kinetic;
  sim.joint("right_hand").attach();
  double difference = 0;
  for (std::size_t i = 0; i < before.bodies.size(); ++i) {
    const BodyState &a = before.bodies[i], &b = sim.state().bodies[i];
    const Vec3 dv = b.velocity - a.velocity, dw = b.angular_velocity - a.angular_velocity;
    const Sym3 I = congruence(to_matrix(a.orientation), sim.model().bodies[i].inertia);
    difference += 0.5 * (1.2 * dot(dv, dv) + dot(dw, I * dw));
  }
  out.lost = kinetic - sim.energy().kinetic;
  out.energy = std::abs(out.lost - difference);
  sim.advance_to(0.2);
  sim.joint("left_hand").detach();
  sim.advance_to(0.3);
  out.momentum = norm(momentum() - start);
  return out;
}

// A box of 2 kg on four corners of compliance ε: how far from ε m g/4 it has sunk.
double sunk_box(Method method) {
  constexpr double kCompliance = 1e-4;
  Material soft{.name = "soft", .compliance = kCompliance / 2, .relaxation = 5e-3};
  ModelBuilder builder;
  Shape floor{Plane{{0, 0, 1}, 0}}, box{Box{{0.4, 0.3, 0.2}}};
  floor.material = box.material = 1;
  builder.material(soft).ground_shape(floor).body({.name = "box", .mass = 2, .position = {0, 0, 0.1}, .shapes = {box}});
  Simulation sim(builder.build(), {.method = method, .step = 1e-3});
  sim.advance_to(1);
  return std::abs(0.1 - kCompliance * 2 * 9.81 / 4 - sim.body("box").position.z);
}

// The same with creep, pulled aside by a fifth of its weight: off γ F/4 by so much [m/s].
double creeping_box(Method method) {
  constexpr double kCreep = 8e-3, kPull = 0.2 * 9.81;
  const Material tar{.name = "tar", .creep = kCreep / 2};
  ModelBuilder builder;
  Shape floor{Plane{{0, 0, 1}, 0}}, box{Box{{0.4, 0.3, 0.2}}};
  floor.material = box.material = 1;
  builder.gravity({kPull, 0, -9.81}).material(tar).ground_shape(floor);
  builder.body({.name = "box", .mass = 2, .position = {0, 0, 0.1}, .shapes = {box}});
  Simulation sim(builder.build(), {.method = method, .step = 1e-3});
  sim.advance_to(0.5);
  return std::abs(kCreep * 2 * kPull / 4 - sim.body("box").velocity.x);
}

double distance_after(const Scene& scene, LinearSolver one, LinearSolver two, double time) {
  const Options options{.method = Impulse{.position_tolerance = 1e-9, .velocity_tolerance = 1e-9}, .step = 1e-3};
  Options a = options, b = options;
  a.method->change({.solver = one});
  b.method->change({.solver = two});
  Simulation first(scene, a), second(scene, b);
  first.advance_to(time);
  second.advance_to(time);
  double apart = 0;
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i)
    apart = std::max(apart, norm(first.body(BodyId(i)).position - second.body(BodyId(i)).position));
  return apart;
}

}  // namespace

void baraff_experiments(Page& page) {
  const double bead = clairaut(), ball = ball_in_cylinder(), gap = gradual_assembly();
  page.claim("§2.2", "a point of one body stays on a surface of another", "a constraint like others",
             fmt::format("a bead on a torus keeps its speed and Clairaut's constant to {:.1e} over 2 s", bead),
             bead < 1e-9);
  page.claim("§2.2", "surfaces stay tangent", "a constraint like others",
             fmt::format("a ball in an upright cylinder turns round {:.1e} m from −5 g/Ω²", ball), ball < 1e-7);
  page.claim("§4.2", "a mechanism assembles itself at a given rate", "gradually",
             fmt::format("a gap of 0.3 m is {:.1e} m from half way at half time", gap), gap < 1e-8);
}

void jain_experiments(Page& page) {
  const Handover h = hand_over();
  page.claim("experiments", "a tool goes from one arm to the other while running", "loops close and open",
             fmt::format("momentum changes by {:.1e} N s; taking hold loses {:.2g} J, within {:.1e} J of ½ΔvᵀMΔv",
                         h.momentum, h.lost, h.energy),
             h.momentum < 1e-9 && h.energy < 1e-9 && h.lost > 1e-3);
}

void lacoursiere_experiments(Page& page, std::vector<Panel>& panels) {
  double off = 0, creep_off = 0;
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    off = std::max(off, sunk_box(method));
    creep_off = std::max(creep_off, creeping_box(method));
  }
  page.claim("eq. 1", "Σ and Υ regularise contacts, too", "on every row",
             fmt::format("a box on four soft corners sinks by ε m g/4 to {:.1e} m, by every method", off), off < 1e-8);
  page.claim("eq. 2", "Υ vanishes for nonholonomic constraints, Σ stays", "friction creeps",
             fmt::format("a box pulled below its friction slips by γ F/4 to {:.1e} m/s, by every method", creep_off),
             creep_off < 1e-8);
  lacoursiere_convergence(page.collect(), panels);
  for (const char* way : {"2.1, kept residual", "2.2, monitored", "3.1, plain", "3.1, symmetric order",
                          "3.1, random order", "3.1, coloured order", "3.1, relaxation 1.3", "3.1, relaxation 1.6"}) {
    const auto error = [&](long n) {
      return page.figure(std::string("Lacoursière, chain of 10: ") + way, "error after n sweeps", n);
    };
    page.beside("§§2–3", fmt::format("{}: error after 10, 100, 1000 sweeps", way), "",
                fmt::format("{:.1e}; {:.1e}; {:.1e}", error(10), error(100), error(1000)));
  }
  const auto slides = [&](const char* way) {
    return page.figure(std::string("Lacoursière, sliding wall of 15 bricks: ") + way,
                       "natural-map residual after n sweeps", 1000);
  };
  page.claim(
      "(18)–(21)", "projecting on the cone introduces anomalies", "subtle anomalies",
      fmt::format("a sliding wall of 15 bricks after 1000 sweeps: laws to {:.1e} by (18)–(19), {:.1e} by (20)–(21), "
                  "{:.1e} by the exact law",
                  slides("projection (18)-(19)"), slides("approximate (20)-(21)"), slides("exact law")),
      slides("exact law") < 1e-4 && slides("projection (18)-(19)") > 10 * slides("exact law"));
}

void bender_experiments(Page& page, const std::string& examples) {
  Simulation cloth(workloads::hung_cloth(7), {.method = Impulse{.solver = LinearSolver::parts_in_turn}, .step = 5e-3});
  double stretched = 0;
  for (int i = 0; i < 40; ++i) stretched = std::max(stretched, cloth.step().drift_position);
  page.claim("§5", "the parts are handled in a loop until all constraints are satisfied", "to the tolerance",
             fmt::format("a cloth of 7 x 7, parts in turn, stretches by {:.1e} m at most", stretched),
             stretched <= 1.0001e-6);
  const double apart =
      distance_after(load(examples + "/four_bar.yaml"), LinearSolver::parts_in_turn, LinearSolver::tree, 0.05);
  page.claim("§5", "redundant loops by parts in turn", "without special treatment",
             fmt::format("a four-bar of hinges ends {:.1e} m from the direct solution", apart), apart < 1e-6);
}

}  // namespace catena::bench
