// More claims of the papers that are shown by motions: poses whose rows depend on each other, every formulation with loops and contacts, hands that
// take hold while time runs, contacts of a chain on the floor, parts by threads.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/contact_scenes.h"
#include "bench/report_page.h"
#include "bench/workloads.h"
#include "catena/model/builder.h"
#include "catena/scene/scene.h"
#include "catena/simulation/simulation.h"

namespace catena::bench {
namespace {

constexpr Method kMethods[] = {Method::lagrange, Method::impulse, Method::spook, Method::operational};

double furthest(const State& a, const State& b) {
  double apart = 0;
  for (std::size_t i = 0; i < a.bodies.size(); ++i)
    apart = std::max(apart, norm(a.bodies[i].position - b.bodies[i].position));
  return apart;
}

// Eight links in a straight line, as long as the way between their pins: the rows along it depend on each other. What the joints open by and how far the
// middle sags in 0.3 s, the worst of all methods.
struct Pinned {
  double open = 0, sag = 0;
};
Pinned straight_chain() {
  constexpr int kLinks = 8;
  ModelBuilder builder;
  for (int i = 0; i < kLinks; ++i)
    builder.body({.name = fmt::format("link{}", i),
                  .mass = 1,
                  .inertia = Sym3::diagonal(1e-3, 1e-2, 1e-2),
                  .position = {0.2 * i + 0.1, 0, 0}});
  for (int i = 0; i <= kLinks; ++i)
    builder.joint({.name = fmt::format("joint{}", i),
                   .kind = JointKind::ball,
                   .between = {i == 0 ? "ground" : fmt::format("link{}", i - 1),
                               i == kLinks ? "ground" : fmt::format("link{}", i)},
                   .anchor = Vec3{0.2 * i, 0, 0}});
  const BuiltModel built = builder.build();
  Pinned out;
  for (const Method method : kMethods) {
    Simulation sim(built, {.method = method, .step = 1e-3});
    for (int i = 0; i < 300; ++i) {
      const StepReport report = sim.step();
      if (!report.ok()) return {INFINITY, INFINITY};
      out.open = std::max(out.open, report.drift_position);
    }
    out.sag = std::max(out.sag, std::abs(sim.body("link4").position.z));
  }
  return out;
}

// A box rides on the coupler of a driven four-bar: a loop whose rows depend on each other, and four contacts.
const char* const kRide = R"(
defaults: {friction: 0.8}
bodies:
  crank:   {mass: 1, position: [0.075, 0, 0.12990381], orientation: {axis: [0,1,0], angle: -1.04719755}, shapes: [{box: [0.3,0.1,0.03]}]}
  coupler: {mass: 3, position: [0.56666138, 0, 0.4297879], orientation: {axis: [0,1,0], angle: -0.38734771}, shapes: [{box: [0.9,0.1,0.03]}]}
  rocker:  {mass: 2, position: [0.99166138, 0, 0.29988409], orientation: {axis: [0,1,0], angle: -1.59859531}, shapes: [{box: [0.6,0.1,0.03]}]}
  load:    {mass: 0.5, position: [0.54210867, 0, 0.48997232], orientation: {axis: [0,1,0], angle: -0.38734771}, shapes: [{box: [0.1,0.1,0.1]}]}
joints:
  g0: {kind: hinge, between: [ground, crank], anchor: [0,0,0], axis: [0,1,0], motor: {velocity: {sine: {amplitude: 0.3, frequency: 1}}}}
  ab: {kind: hinge, between: [crank, coupler], anchor: [0.15,0,0.25980762], axis: [0,1,0]}
  bc: {kind: hinge, between: [coupler, rocker], anchor: [0.98332276,0,0.59976818], axis: [0,1,0]}
  g1: {kind: hinge, between: [ground, rocker], anchor: [1,0,0], axis: [0,1,0]}
)";
double formulations_apart() {
  const Scene scene = load_text(kRide);
  const auto end = [&](Formulation formulation, LawSolver solver) {
    Simulation sim(
        scene, {.method = MethodWords{.method = Method::operational, .law_solver = solver, .formulation = formulation},
                .step = 1e-3});
    sim.advance_to(0.06);
    return sim.state();
  };
  const State os = end(Formulation::operational_space, LawSolver::automatic);
  double apart = furthest(os, end(Formulation::operational_space, LawSolver::lemke));
  for (const Formulation formulation : {Formulation::non_minimal, Formulation::minimal, Formulation::reduced_minimal,
                                        Formulation::non_minimal_os, Formulation::maximal_os})
    apart = std::max(apart, furthest(os, end(formulation, LawSolver::automatic)));
  return apart;
}

// Momentum of a floating tree of 31 joints that drifts and spins, without gravity, over 2 s, relative.
double tree_momentum() {
  constexpr double kClaimStep = 1e-2;
  Scene scene = workloads::bender_tree(31, kClaimStep);
  scene.model.gravity = {};
  for (BodyState& s : scene.initial.bodies) s.velocity += Vec3{1, 0.5, 0};
  Simulation sim(scene, {.method = Method::impulse, .step = kClaimStep});
  const auto momentum = [&] {
    Vec3 sum{};
    for (std::size_t i = 0; i < scene.model.bodies.size(); ++i)
      sum += scene.model.bodies[i].mass * sim.state().bodies[i].velocity;
    return sum;
  };
  const Vec3 start = momentum();
  sim.advance_to(2);
  return norm(momentum() - start) / norm(start);
}

// Twelve capsules on ball joints come to lie on the floor: the worst residual of the laws over 1.5 s, and the most contacts.
struct Lying {
  double residual = 0;
  int contacts = 0;
  int steps = 0, inexact = 0;  // with contacts; those left above 1e-10
};
Lying chain_on_floor() {
  Simulation sim(
      load_text("defaults: {friction: 0.5}\nground: {shapes: [{plane: {}}]}\ncollide: {adjacent: no}\n"
                "chain: {count: 12, from: none, start: [0, 0, 1], orientation: {axis: [0, 1, 0], angle: -0.5},\n"
                "  turn: {axis: [0, 0, 1], angle: 0.15}, joint: {kind: ball}, offset: [0.16, 0, 0],\n"
                "  link: {density: 1000, shapes: [{capsule: {radius: 0.03, length: 0.1},\n"
                "    orientation: {axis: [0, 1, 0], angle: 1.5707963}}]}}\n"),
      {.method = Method::impulse, .step = 1e-3});
  Lying out;
  while (sim.time() < 1.5) {
    const StepReport report = sim.step();
    if (!report.ok()) return {INFINITY, 0};
    out.residual = std::max(out.residual, report.complementarity);
    out.contacts = std::max(out.contacts, report.contacts);
    out.steps += report.contacts > 0 ? 1 : 0;
    out.inexact += report.complementarity > 1e-10 ? 1 : 0;
  }
  return out;
}

// A hand that goes where it is told takes hold of the end of a hanging chain, leads it and lets it go: how far the grip opens, the worst of all
// methods.
double hand_and_chain() {
  const char* const text = R"(
bodies:
  hand: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, -1]}
  upper: {mass: 0.5, inertia: [0.02, 0.02, 0.001], position: [0, 0, -0.25]}
  lower: {mass: 0.5, inertia: [0.02, 0.02, 0.001], position: [0, 0, -0.75]}
joints:
  hook: {kind: ball, between: [ground, upper], anchor: [0, 0, 0]}
  knee: {kind: ball, between: [upper, lower], anchor: [0, 0, -0.5]}
  lead: {kind: weld, between: [ground, hand], moves: guided}
  grip: {kind: ball, between: [hand, lower], anchor: [0, 0, -1], attached: no}
)";
  double worst = 0;
  for (const Method method : kMethods) {
    Simulation sim(load_text(text), {.method = method, .step = 1e-3});
    sim.joint("grip").attach();
    for (int i = 1; i <= 300; ++i) {
      const double angle = 0.8 * (1 - std::cos(M_PI * i / 300)) / 2, reach = 1 - 0.05 * angle;
      sim.set_mocap("hand", {reach * std::sin(angle), 0, -reach * std::cos(angle)}, {}, 1e-3);
      if (!sim.step().ok()) return INFINITY;
      const BodyState& s = sim.body("lower");
      worst = std::max(worst, norm(s.position + rotate(s.orientation, Vec3{0, 0, -0.25}) - sim.body("hand").position));
    }
    sim.joint("grip").detach();
    if (!sim.advance_to(sim.time() + 0.1).ok()) return INFINITY;
  }
  return worst;
}

// A cloth by the solvers of §5.
struct Cloth {
  double time = 0, wall = 0;  // s a step, of the processor by this thread and of the clock
  State end;
};
Cloth cloth_by(int size, LinearSolver solver, int threads) {
  constexpr int kSteps = 10;
  Simulation sim(workloads::hung_cloth(size), {.method = Impulse{.solver = solver}, .threads = threads, .step = 5e-3});
  const auto clock = std::chrono::steady_clock::now();
  const double start = cpu_seconds();
  for (int i = 0; i < kSteps; ++i)
    if (!sim.step().ok()) return {};
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - clock;
  return {(cpu_seconds() - start) / kSteps, wall.count() / kSteps, sim.state()};
}

bool same_bits(const State& a, const State& b) {
  return a.bodies.size() == b.bodies.size() &&
         std::equal(a.bodies.begin(), a.bodies.end(), b.bodies.begin(), [](const BodyState& x, const BodyState& y) {
           return x.position == y.position && x.velocity == y.velocity;
         });
}

// Four corners of a rigid box leave open which of them carries how much: S is singular. The laws' residual with sweeps and exactly.
double singular_box(LawSolver solver) {
  Simulation sim(workloads::box_stack(1),
                 {.method = MethodWords{.method = Method::spook, .law_solver = solver}, .step = 5e-3});
  double worst = 0;
  for (int i = 0; i < 40; ++i) worst = std::max(worst, sim.step().complementarity);
  return worst;
}

}  // namespace

void baraff_poses(Page& page) {
  const Pinned pinned = straight_chain();
  page.claim(
      "footnote 4", "a straight chain with both ends constrained makes A singular", "singular",
      fmt::format(
          "it runs by every method, held across its load by no finite force; joints open by {:.1e} m, within the rank "
          "tolerance of 4.8e-05 m, and the middle sags by {:.1e} m",
          pinned.open, pinned.sag),
      pinned.open <= 3e-5 * 1.6 && pinned.sag < 5e-3);
}

void jain_formulations(Page& page) {
  const double apart = formulations_apart();
  page.claim(
      "§§3–6, 8", "the formulations agree with loops and contacts at once, by Lemke's method too", "the same",
      fmt::format("a box on the coupler of a four-bar: nmc, mc, rmc, os, nmc-os, maximal-os within {:.1e} m", apart),
      apart < 1e-9);
}

void lacoursiere_singular(Page& page) {
  const double direct = singular_box(LawSolver::automatic), sweeps = singular_box(LawSolver::gauss_seidel);
  page.claim("eq. 3", "S may be singular where Σ is zero", "regularised",
             fmt::format("a rigid box on four corners: laws hold to {:.1e}, by sweeps to {:.1e}", direct, sweeps),
             std::max(direct, sweeps) < 1e-8);
}

void bender_loops(Page& page, bool fast) {
  const double momentum = tree_momentum(), grip = hand_and_chain();
  page.claim("§3", "impulses keep the momentum", "kept",
             fmt::format("a floating tree of 31 joints changes it by {:.1e} of itself in 2 s", momentum),
             momentum < 1e-11);
  page.claim(
      "§§3, 5", "a body is held at a moving point while the simulation runs", "interactive",
      fmt::format(
          "a hand takes hold of a chain, leads it and lets go: the grip opens by {:.1e} m at most, by every method",
          grip),
      grip < 2e-6);
  const Lying lying = chain_on_floor();
  page.claim("§5", "contacts of a chain that comes to lie on the floor", "to the tolerance",
             lying.inexact == 0
                 ? fmt::format("laws of up to {} contacts hold to {:.1e} in all {} steps", lying.contacts,
                               lying.residual, lying.steps)
                 : fmt::format("laws of up to {} contacts hold to 1e-10 in all but {} of {} steps, to {:.1e} in those",
                               lying.contacts, lying.inexact, lying.steps, lying.residual),
             lying.residual <= 1e-6 && 100 * lying.inexact <= lying.steps && lying.contacts > 12);
  const int size = fast ? 9 : 21;
  const Cloth direct = cloth_by(size, LinearSolver::sparse, 1), parts = cloth_by(size, LinearSolver::parts, 1),
              turns = cloth_by(size, LinearSolver::parts_in_turn, 1),
              threads = cloth_by(size, LinearSolver::parts_in_turn, 2);
  page.claim("§5", "parts may be handled in parallel", "possible",
             fmt::format("a cloth of {0} x {0} by parts in turn on one thread and on two: {1}", size,
                         same_bits(turns.end, threads.end) ? "the same bits" : "other bits"),
             !turns.end.bodies.empty() && same_bits(turns.end, threads.end));
  page.beside("§5", "a step of that cloth: parts in turn; parts as preconditioner; sparse factors", "",
              fmt::format("{:.2f} ms; {:.2f} ms; {:.2f} ms", 1e3 * turns.time, 1e3 * parts.time, 1e3 * direct.time));
  page.beside("§5", "parts in turn, time of the clock on one thread and on two", "faster",
              fmt::format("{:.2f} ms; {:.2f} ms", 1e3 * turns.wall, 1e3 * threads.wall));
}

}  // namespace catena::bench
