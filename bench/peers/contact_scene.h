// Scenes in which bodies touch, as bench/contact_scenes writes them (plain_text), and what a peer reports of stepping one: the time of a
// step, the deepest overlap its own collision detection sees, the widest gap of a joint, and the speed that is left at the end.
//   peer_NAME_contacts FILE CASE N STEP STEPS OVERLAP
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "common.h"

namespace peers {

struct PlainShape {
  std::string kind;
  Vec position{};
  double q[4] = {1, 0, 0, 0};  // w, x, y, z
  double a = 0, b = 0, c = 0;  // sides of a box; radius and length of what is round
};
struct PlainBody {
  double mass = 0;
  Vec inertia{};
  PlainShape shape;
};
struct PlainPlane {
  Vec normal;
  double offset;
};
struct PlainJoint {
  bool hinge = false;
  int first = -1, second = -1;
  Vec anchor{}, axis{};
};
struct PlainScene {
  double friction = 0;
  std::vector<PlainBody> bodies;
  std::vector<PlainShape> fixed;
  std::vector<PlainPlane> planes;
  std::vector<PlainJoint> joints;
};

inline std::istream& operator>>(std::istream& in, Vec& v) { return in >> v.x >> v.y >> v.z; }
inline std::istream& operator>>(std::istream& in, PlainShape& s) {
  in >> s.position;
  for (double& x : s.q) in >> x;
  return in >> s.a >> s.b >> s.c;
}

inline PlainScene read_scene(const char* file) {
  std::ifstream text(file);
  if (!text) {
    std::fprintf(stderr, "%s: cannot be read\n", file);
    std::exit(1);
  }
  PlainScene scene;
  std::string line;
  while (std::getline(text, line)) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "friction") {
      in >> scene.friction;
    } else if (word == "body") {
      PlainBody body;
      in >> body.shape.kind >> body.mass >> body.inertia >> body.shape;
      scene.bodies.push_back(body);
    } else if (word == "fixed") {
      PlainShape shape;
      in >> shape.kind >> shape;
      scene.fixed.push_back(shape);
    } else if (word == "plane") {
      PlainPlane plane{};
      in >> plane.normal >> plane.offset;
      scene.planes.push_back(plane);
    } else if (word == "joint") {
      PlainJoint joint;
      std::string kind;
      in >> kind >> joint.first >> joint.second >> joint.anchor >> joint.axis;
      joint.hinge = kind == "hinge";
      scene.joints.push_back(joint);
    }
  }
  return scene;
}

// What a run of a peer leaves.
struct ContactRun {
  double step = 0, overlap = 0, gap = 0, speed = 0;  // s, m, m, m/s
};

// World: built from a scene and a step; step(), overlap() of the deepest contact of the last step, gap() of the widest joint, speed() of the
// fastest body. Every step is cut into `substeps`.
template <class World>
ContactRun run_contacts(const PlainScene& scene, double h, int steps, int substeps) {
  World world(scene, h / substeps);
  ContactRun run;
  for (int i = 0; i < steps * substeps; ++i) {
    const double start = cpu_seconds();
    world.step();
    run.step += (cpu_seconds() - start) / steps;
    run.overlap = std::max(run.overlap, world.overlap());
    run.gap = std::max(run.gap, world.gap());
  }
  run.speed = world.speed();
  return run;
}

// With whole steps, and with steps cut ever finer, which is how overlaps become smaller: until they are within what is asked for
// (arguments[6]) or it takes too long.
template <class World>
void report_contacts(const std::string& metric, char** arguments) {
  constexpr double kLongest = 10;  // s
  constexpr int kMostSubsteps = 256;
  const PlainScene scene = read_scene(arguments[1]);
  const double h = std::atof(arguments[4]), asked = std::atof(arguments[6]);
  const int n = std::atoi(arguments[3]), steps = std::atoi(arguments[5]);
  for (int substeps = 1; substeps <= kMostSubsteps; substeps *= 2) {
    const ContactRun run = run_contacts<World>(scene, h, steps, substeps);
    const auto line = [&](const char* what, double value, const char* unit) {
      const std::string cut = substeps == 1 ? "" : std::to_string(substeps) + " substeps, ";
      report(arguments[2], n, (metric + cut + what).c_str(), value, unit);
    };
    line("step", run.step * 1e6, "us");
    line("deepest overlap", run.overlap, "m");
    if (!scene.joints.empty()) line("widest joint", run.gap, "m");
    line("speed at the end", run.speed, "m/s");
    if (run.overlap <= asked || run.step * steps > kLongest) break;
  }
}

}  // namespace peers
