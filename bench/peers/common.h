// What the peer programs share: the mechanisms of bench/workloads (peer_chain and peer_tree) as plain numbers, a clock, and one
// JSON line a figure. C++17, and nothing of catena's: Simbody's headers are no C++20.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <vector>

namespace peers {

struct Vec {
  double x, y, z;
};

constexpr double kGravity = 9.81;  // along −z

inline Vec box_inertia(double mass, double x, double y, double z) {
  return {mass / 12 * (y * y + z * z), mass / 12 * (x * x + z * z), mass / 12 * (x * x + y * y)};
}

// Every joint stands at one of these [rad]. The last two take turns while the clock runs: some peers keep what they computed as
// long as q stays the same, and take short cuts at an angle of zero.
constexpr double kAngles[] = {0, 0.1, 0.1001};
constexpr int kAngleCount = 3;
inline double rate(int i) { return 0.5 * std::cos(i); }  // q̇_i [rad/s]

// Hinges about x and y in turn. A link's frame is at its upper hinge, its centre half a length below.
namespace chain {
constexpr double kMass = 1, kLength = 0.1;
inline Vec inertia() { return box_inertia(kMass, 0.02, 0.02, kLength); }
inline Vec axis(int i) { return i % 2 == 0 ? Vec{1, 0, 0} : Vec{0, 1, 0}; }
inline double hinge_z(int i) { return i == 0 ? 0 : -kLength; }  // in the frame of the link above
}  // namespace chain

// Body 0 floats; body i hangs on ball joint i, at the lower end of its parent.
struct TreeBody {
  int parent;  // −1: none
  double length, mass;
  Vec inertia;  // about the centre
  double lean;  // about y, against the parent, at q = 0 [rad]
};

inline std::vector<TreeBody> tree(int joints) {
  const int levels = static_cast<int>(std::lround(std::log2(joints + 1)));
  std::vector<TreeBody> bodies;
  for (int i = 0; i <= joints; ++i) {
    const int depth = i == 0 ? 0 : static_cast<int>(std::log2(i)) + 1;
    const double length = 0.1 * std::pow(1.5, levels - depth), mass = 600 * 0.04 * 0.04 * length;
    const double lean = i <= 1 ? 0 : i % 2 == 0 ? 0.4 : -0.4;
    bodies.push_back({i == 0 ? -1 : i / 2, length, mass, box_inertia(mass, 0.04, 0.04, length), lean});
  }
  return bodies;
}

// A rotation by `angle` about x: the state of every ball joint.
struct Turn {
  explicit Turn(double angle) : w(std::cos(angle / 2)), x(std::sin(angle / 2)) {}
  double w, x;
};

// CPU time of this thread: the processor may be shared.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Time {
  double median, fastest;  // of the repetitions [s]
};

// One call, from five repetitions of about 0.1 s each.
template <class Call>
Time time_of(const Call& call) {
  call();
  double start = cpu_seconds();
  call();
  const double once = std::max(cpu_seconds() - start, 1e-8);
  const long batch = std::max(1L, static_cast<long>(0.1 / once));
  std::vector<double> times;
  for (int repeat = 0; repeat < 5; ++repeat) {
    start = cpu_seconds();
    for (long i = 0; i < batch; ++i) call();
    times.push_back((cpu_seconds() - start) / static_cast<double>(batch));
  }
  std::sort(times.begin(), times.end());
  return {times[2], times[0]};
}

inline void report(const char* name, int n, const char* metric, double value, const char* unit) {
  std::printf(R"({"case": "%s", "n": %d, "metric": "%s", "value": %.15g, "unit": "%s"})"
              "\n",
              name, n, metric, value, unit);
  std::fflush(stdout);
}

template <class Mechanism>
void report_time(const char* name, int n, Mechanism& mechanism) {
  int call = 0;
  const Time time = time_of([&] { mechanism.evaluate(1 + call++ % 2); });
  report(name, n, "forward dynamics", time.median * 1e6, "us");
  report(name, n, "forward dynamics, fastest repetition", time.fastest * 1e6, "us");
}

// A peer gives two classes, each built from its number of joints:
//   evaluate(k)     sets q to kAngles[k] everywhere, q̇_i to rate(i), and computes the accelerations
//   Chain::largest()             the largest |q̈| of the last evaluate()
//   Tree::root_spin(torque)      the root's angular acceleration about x at q = q̇ = 0, under that torque about x
// Chains longer than `longest` take more than a minute to build: only with the argument "all".
template <class Chain, class Tree>
int run(const char* peer, int longest, int argc, char** argv) {
  const bool all = argc > 1 && std::strcmp(argv[1], "all") == 0;
  for (const int n : {8, 32, 128, 512, 2048}) {
    if (n > longest && !all) {
      std::fprintf(stderr, "%s: chain of %d left out: it takes more than a minute to build (peer_%s all)\n", peer, n,
                   peer);
      continue;
    }
    const double start = cpu_seconds();
    Chain chain(n);
    if (const double built = cpu_seconds() - start; built > 10)
      std::fprintf(stderr, "%s: chain of %d built in %.0f s\n", peer, n, built);
    if (n == 8) {
      chain.evaluate(1);  // a straight chain would not accelerate at all
      report("chain of hinges", n, "largest acceleration", chain.largest(), "rad/s^2");
    }
    report_time("chain of hinges", n, chain);
  }
  for (const int n : {127, 255, 1023}) {
    Tree tree(n);
    if (n == 127) report("tree of balls", n, "root acceleration under 10 N m", tree.root_spin(10), "rad/s^2");
    report_time("tree of balls", n, tree);
  }
  return 0;
}

}  // namespace peers
