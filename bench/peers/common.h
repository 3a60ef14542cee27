// What the peer programs share: the mechanisms of bench/workloads (peer_chain and peer_tree) as plain numbers, a clock, and one
// JSON line a figure. C++17, and nothing of catena's: Simbody's headers are no C++20.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>
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

// A link on a hinge. Its frame is at its hinge; at q = 0 all frames are parallel to the world's.
struct HingeLink {
  int parent;  // −1: the ground
  Vec axis;
  Vec hinge;   // in the frame of the parent
  Vec centre;  // of mass, in its own frame
  double mass;
  Vec inertia;  // about the centre
};

// Hinges about x and y in turn; the centre of a link is half a length below its hinge.
inline std::vector<HingeLink> chain(int n) {
  constexpr double kLength = 0.1;
  std::vector<HingeLink> links;
  for (int i = 0; i < n; ++i)
    links.push_back({i - 1,
                     i % 2 == 0 ? Vec{1, 0, 0} : Vec{0, 1, 0},
                     {0, 0, i == 0 ? 0 : -kLength},
                     {0, 0, -kLength / 2},
                     1,
                     box_inertia(1, 0.02, 0.02, kLength)});
  return links;
}

// A robot of 26 hinges on the ground: a head of 4 links, two arms of 7, each with a palm and three fingers.
inline std::vector<HingeLink> dual_arm() {
  std::vector<HingeLink> links;
  const Vec x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  // A box from its hinge to where the next one is; returns its index.
  const auto add = [&](int parent, const Vec& axis, const Vec& hinge, const Vec& end, double mass) {
    const double size = std::sqrt(end.x * end.x + end.y * end.y + end.z * end.z);
    links.push_back({parent,
                     axis,
                     hinge,
                     {end.x / 2, end.y / 2, end.z / 2},
                     mass,
                     box_inertia(mass, 0.05 + std::abs(end.x), 0.05 + std::abs(end.y), 0.05 + size)});
    return static_cast<int>(links.size()) - 1;
  };
  const Vec neck{0, 0, 0.1};
  int last = add(-1, z, {0, 0, 1.5}, neck, 0.8);
  for (const Vec& axis : {y, z, y}) last = add(last, axis, neck, neck, 0.8);
  const Vec bones[] = {{0, 0.08, 0},    {0, 0.05, -0.05}, {0.05, 0, -0.25}, {0.1, 0, -0.05},
                       {0.2, 0, -0.05}, {0.06, 0, -0.06}, {0.02, 0, -0.1}};
  const Vec axes[] = {y, x, z, y, x, y, z};
  const double masses[] = {3, 2.5, 2.5, 2, 1.5, 1, 0.8};
  for (const double side : {1.0, -1.0}) {
    Vec hinge{0, 0.25 * side, 1.35};
    int link = -1;
    for (int i = 0; i < 7; ++i) {
      const Vec end{bones[i].x, side * bones[i].y, bones[i].z};
      link = add(link, axes[i], hinge, end, masses[i]);
      hinge = end;
    }
    const int palm = add(link, z, hinge, {0, 0, -0.06}, 0.4);
    for (const Vec& finger : {Vec{0.02, 0.015, -0.1}, Vec{0.02, -0.015, -0.1}, Vec{-0.02, 0, -0.07}})
      add(palm, y, {finger.x, finger.y, -0.06}, finger, 0.1);
  }
  return links;
}

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

// A peer gives two classes, built from links on hinges and from a number of ball joints:
//   evaluate(k)     sets q to kAngles[k] everywhere, q̇_i to rate(i), and computes the accelerations
//   Hinges::largest()            the largest |q̈| of the last evaluate()
//   Tree::root_spin(torque)      the root's angular acceleration about x at q = q̇ = 0, under that torque about x
// Chains longer than `longest` take more than a minute to build: only with the argument "all".
template <class Hinges, class Tree>
int run(const char* peer, int longest, int argc, char** argv) {
  const bool all = argc > 1 && std::strcmp(argv[1], "all") == 0;
  for (const int n : {8, 32, 128, 512, 2048}) {
    if (n > longest && !all) {
      std::fprintf(stderr, "%s: chain of %d left out: it takes more than a minute to build (peer_%s all)\n", peer, n,
                   peer);
      continue;
    }
    const double start = cpu_seconds();
    Hinges hinges(chain(n));
    if (const double built = cpu_seconds() - start; built > 10)
      std::fprintf(stderr, "%s: chain of %d built in %.0f s\n", peer, n, built);
    if (n == 8) {
      hinges.evaluate(1);  // a straight chain would not accelerate at all
      report("chain of hinges", n, "largest acceleration", hinges.largest(), "rad/s^2");
    }
    report_time("chain of hinges", n, hinges);
  }
  const std::vector<HingeLink> links = dual_arm();
  const int joints = static_cast<int>(links.size());
  Hinges robot(links);
  robot.evaluate(1);
  report("dual-arm robot", joints, "largest acceleration", robot.largest(), "rad/s^2");
  report_time("dual-arm robot", joints, robot);
  for (const int n : {127, 255, 1023}) {
    Tree tree(n);
    if (n == 127) report("tree of balls", n, "root acceleration under 10 N m", tree.root_spin(10), "rad/s^2");
    report_time("tree of balls", n, tree);
  }
  return 0;
}

}  // namespace peers
