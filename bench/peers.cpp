// catena beside other simulators, in one run: each peer is a program of its own (bench/peers), because their libraries do not live well
// together in one process. They are built only when the libraries are installed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/figures.h"
#include "bench/joint_system.h"
#include "bench/peers/hold.h"
#include "bench/peers/pendulum.h"
#include "bench/workloads.h"
#include "catena/mechanism/dynamics.h"
#include "catena/scene/scene.h"

namespace catena::bench {
namespace {

void ours(const Sink& sink, const std::string& name, const Scene& scene, long n) {
  Dynamics dynamics(scene.model, scene.initial, LinearSolver::tree);
  const double time = time_of([&] { dynamics.accelerations(scene.initial); });
  sink({"peers", name, n, "catena: forward dynamics", time * 1e6, "us"});
  sink({"peers", name, n, "catena: forward dynamics, joint coordinates", forward_dynamics_time(scene) * 1e6, "us"});
}

// The largest |q̈| with every joint at q and the rates of the start: what the peers report too.
double largest_acceleration(const Scene& scene, double q) {
  JointSystem joints(scene);
  std::fill(joints.state.q.begin(), joints.state.q.end(), q);
  joints.forward();
  double largest = 0;
  for (const double a : joints.vdot) largest = std::max(largest, std::abs(a));
  return largest;
}

// Bender's tree stepped as the peers step it (bench/peers/stepped_tree.h).
void our_steps(const Sink& sink, int joints) {
  constexpr double kStep = 1.0 / 30;
  constexpr int kSteps = 60;
  Simulation simulation(workloads::bender_tree(joints, kStep), {.method = Method::impulse, .step = kStep});
  double gap = 0, time = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double start = cpu_seconds();
    const StepReport report = simulation.step();
    time += cpu_seconds() - start;
    gap = std::max(gap, report.drift_position);
  }
  sink({"peers", "Bender's tree", joints, "catena: impulse, step", time / kSteps * 1e6, "us"});
  sink({"peers", "Bender's tree", joints, "catena: impulse, worst gap", gap, "m"});
}

// Jain's pendulum, as the peers swing it (bench/peers/pendulum.h).
void our_pendulum(const Sink& sink, int n, const char* name, const Options& options) {
  Simulation simulation(workloads::jain_pendulum(n), options);
  double time = 0, overlap = 0;
  for (long i = std::lround(peers::kPendulumTime / peers::kPendulumStep); i > 0; --i) {
    const double start = cpu_seconds();
    const StepReport report = simulation.step();
    time += cpu_seconds() - start;
    if (!report.ok()) return;
    const double radius = peers::Pendulum(n).radius;
    for (const BodyState& sphere : simulation.state().bodies)
      overlap = std::max({overlap, radius - sphere.position.z, sphere.position.x + radius - peers::kWall});
  }
  const auto line = [&](const char* what, double value, const char* unit) {
    sink({"peers", "pendulum with contact", n, fmt::format("catena: {}, {}", name, what), value, unit});
  };
  line("time a simulated second", time / peers::kPendulumTime, "s");
  line("deepest overlap", overlap, "m");
  line("widest hinge", simulation.drift().position, "m");
}

// The mechanisms of bench/peers/hold.h: how far the joints of a four-bar open, and how far a box creeps on a slope.
Scene four_bar() {
  const auto bar = [](const char* name, const peers::Bar& b) {
    const peers::Vec I = peers::box_inertia(b.mass, b.length, peers::kBarThickness, peers::kBarThickness);
    return fmt::format(
        "  {}: {{mass: {}, position: [{}, 0, {}], orientation: {{axis: [0, 1, 0], angle: {}}}, inertia: [{}, {}, "
        "{}]}}\n",
        name, b.mass, b.from.x + b.length / 2 * std::cos(b.lean), b.from.z + b.length / 2 * std::sin(b.lean), -b.lean,
        I.x, I.y, I.z);
  };
  const auto hinge = [](const char* name, const char* bodies, const peers::Vec& at) {
    return fmt::format("  {}: {{kind: hinge, between: [{}], anchor: [{}, {}, {}], axis: [0, 1, 0]}}\n", name, bodies,
                       at.x, at.y, at.z);
  };
  return load_text("bodies:\n" + bar("crank", peers::kCrank) + bar("coupler", peers::kCoupler) +
                   bar("rocker", peers::kRocker) + "joints:\n" + hinge("crank_pivot", "ground, crank", {0, 0, 0}) +
                   hinge("crank_pin", "crank, coupler", peers::kCrankPin) +
                   hinge("rocker_pin", "coupler, rocker", peers::kRockerPin) +
                   hinge("rocker_pivot", "ground, rocker", peers::kRockerPivot));
}

Scene slope() {
  const peers::Vec g = peers::slope_gravity();
  return load_text(fmt::format(
      "gravity: [{}, {}, {}]\n"
      "materials: {{rough: {{friction: {}}}}}\n"
      "ground: {{shapes: [{{plane: {{normal: [0, 0, 1], offset: 0}}, material: rough}}]}}\n"
      "bodies: {{box: {{mass: 1, position: [0, 0, {}], shapes: [{{box: [{}, {}, {}], material: rough}}]}}}}\n",
      g.x, g.y, g.z, peers::kSlopeFriction, peers::kCube / 2, peers::kCube, peers::kCube, peers::kCube));
}

void our_hold(const Sink& sink, const char* method, const Options& bars_options, const Options& slope_options) {
  const std::string name = fmt::format("catena: {}", method);
  Simulation bars(four_bar(), bars_options);
  double gap = 0;
  for (long i = std::lround(peers::kBarsTime / peers::kBarsStep); i > 0 && bars.step().ok(); --i)
    gap = std::max(gap, bars.report().drift_position);
  sink({"peers", "four-bar, 10 s", 3, name, gap, "m"});
  Simulation box(slope(), slope_options);
  if (!box.advance_to(peers::kSlopeBegin).ok()) return;
  const double from = box.state().bodies[0].position.x;
  if (!box.advance_to(peers::kSlopeBegin + peers::kSlopeTime).ok()) return;
  sink({"peers", "box at 0.99 of its friction angle, 60 s", 1, name, box.state().bodies[0].position.x - from, "m"});
}

}  // namespace

// The program prints {"case", "n", "metric", "value", "unit"} lines. One thread: the clock is the thread's.
void run_peer(const Sink& sink, const std::string& bench, const std::string& peer,
              const std::vector<std::string>& arguments) {
  const std::filesystem::path program = std::filesystem::path(CATENA_PEER_DIR) / ("peer_" + peer);
  if (!std::filesystem::exists(program)) {
    fmt::print(stderr, "{}: not built (its library is not installed; make bench-peers installs it)\n", peer);
    return;
  }
  std::string command = fmt::format("OPENBLAS_NUM_THREADS=1 '{}'", program.string());
  for (const std::string& argument : arguments) command += fmt::format(" '{}'", argument);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 4096> line{};
  while (pipe && std::fgets(line.data(), line.size(), pipe.get())) {
    const nlohmann::json figure = nlohmann::json::parse(line.data(), nullptr, false);
    if (figure.is_discarded()) continue;
    sink({bench, figure.value("case", ""), figure.value("n", 0L), peer + ": " + figure.value("metric", ""),
          figure.value("value", 0.0), figure.value("unit", "")});
  }
}

void peers(const Sink& sink) {
  for (const int n : {8, 32, 128, 512, 2048}) ours(sink, "chain of hinges", workloads::peer_chain(n), n);
  const Scene robot = workloads::peer_dual_arm();
  const auto joints = static_cast<long>(robot.model.joints.size());
  ours(sink, "dual-arm robot", robot, joints);
  sink(
      {"peers", "dual-arm robot", joints, "catena: largest acceleration", largest_acceleration(robot, 0.1), "rad/s^2"});
  for (const int n : {31, 63, 127, 255}) our_steps(sink, n);
  for (const int n : {127, 255, 1023}) ours(sink, "tree of balls", workloads::peer_tree(n), n);
  const double h = peers::kPendulumStep;
  for (const int n : {3, 6, 12, 24, 30}) {
    our_pendulum(sink, n, "operational", {.method = Method::operational, .step = h});
    our_pendulum(sink, n, "operational, euler", {.method = Operational{.integrator = Integrator::euler}, .step = h});
    our_pendulum(sink, n, "spook", {.method = Method::spook, .step = h});
  }
  const auto hold = [&](const char* name, Method method) {
    our_hold(sink, name, {.method = method, .step = peers::kBarsStep}, {.method = method, .step = peers::kSlopeStep});
  };
  hold("lagrange", Method::lagrange);
  hold("impulse", Method::impulse);
  hold("spook", Method::spook);
  hold("operational", Method::operational);
  for (const char* peer :
       {"mujoco_hold", "bullet_hold", "simbody_hold", "mujoco_pendulum", "bullet_pendulum", "ode_pendulum",
        "dart_pendulum", "bullet", "bullet_steps", "ode", "mujoco", "simbody", "dart"})
    run_peer(sink, "peers", peer);
}

}  // namespace catena::bench
