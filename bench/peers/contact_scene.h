// Scenes in which bodies touch, as bench/contact_scenes writes them (plain_text), and what a peer reports of stepping one: the time of a
// step, the deepest overlap its own collision detection sees, the widest gap of a joint, and the speed that is left at the end.
//   peer_NAME_contacts FILE CASE N STEP STEPS
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

// World: built from a scene and a step; step(), overlap() of the deepest contact of the last step, gap() of the widest joint, speed() of the
// fastest body.
template <class World>
void report_contacts(const char* metric, char** arguments) {
  const PlainScene scene = read_scene(arguments[1]);
  const double h = std::atof(arguments[4]);
  const int n = std::atoi(arguments[3]), steps = std::atoi(arguments[5]);
  World world(scene, h);
  double time = 0, overlap = 0, gap = 0;
  for (int i = 0; i < steps; ++i) {
    const double start = cpu_seconds();
    world.step();
    time += cpu_seconds() - start;
    overlap = std::max(overlap, world.overlap());
    gap = std::max(gap, world.gap());
  }
  const auto line = [&](const char* what, double value, const char* unit) {
    const std::string name = std::string(metric) + what;
    report(arguments[2], n, name.c_str(), value, unit);
  };
  line("step", time / steps * 1e6, "us");
  line("deepest overlap", overlap, "m");
  if (!scene.joints.empty()) line("widest joint", gap, "m");
  line("speed at the end", world.speed(), "m/s");
}

}  // namespace peers
