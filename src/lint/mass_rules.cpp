// Rules about masses and inertias.
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "catena/lint/linter.h"

namespace catena::rules {
namespace {

bool rigid(const Body& body) { return body.kind == BodyKind::rigid; }

double reach_of(const Body& body) {
  double most = 0;
  for (const Shape& shape : body.shapes) most = std::max(most, reach(shape));
  return most;
}

double volume_of(const Body& body) {
  double volume = 0;
  for (const Shape& shape : body.shapes)
    if (shape.collide && !std::holds_alternative<Mesh>(shape.geometry))
      volume += mass_properties(shape.geometry, 1).mass;
  return volume;
}

}  // namespace

void inertia_of_no_body(Linter& l) {
  for (const Body& body : l.model().bodies) {
    if (!rigid(body) && body.kind != BodyKind::scalable) continue;
    const Sym3& I = body.inertia;
    Eigen::Matrix3d m;
    m << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
    const Eigen::Vector3d e = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m, Eigen::EigenvaluesOnly).eigenvalues();
    // Files round to four digits or so: a thin plate may miss by that.
    if (e[2] > (e[0] + e[1]) * (1 + 1e-3))
      l.say(
          fmt::format("body '{}': principal moments {:.4g}, {:.4g}, {:.4g}: the largest exceeds the sum of the others",
                      body.name, e[0], e[1], e[2]));
  }
}

void inertia_too_large(Linter& l) {
  for (const Body& body : l.model().bodies) {
    const double size = reach_of(body), k = gyration(body);
    if (rigid(body) && size > 0 && k > 5 * size)
      l.say(fmt::format(
          "body '{}': its inertia is that of masses {:.3g} m from the centre, and its shapes end at {:.3g} m",
          body.name, k, size));
  }
}

void inertia_too_small(Linter& l) {
  for (const Body& body : l.model().bodies) {
    const double size = reach_of(body), k = gyration(body);
    if (rigid(body) && size > 0 && k < size / 200)
      l.say(fmt::format(
          "body '{}': its inertia is that of masses {:.3g} m from the centre, and its shapes reach {:.3g} m", body.name,
          k, size));
  }
}

void mass_ratio(Linter& l) {
  for (std::size_t j = 0; j < l.model().joints.size(); ++j) {
    const Joint& joint = l.model().joints[j];
    if (!joint.a.valid() || !joint.b.valid()) continue;
    const double a = l.model().bodies[joint.a].mass, b = l.model().bodies[joint.b].mass;
    if (std::max(a, b) > 1e4 * std::min(a, b))
      l.say(JointId{j}, fmt::format("joint '{}' joins bodies of {:.3g} kg and {:.3g} kg", joint.name, a, b));
  }
}

void tiny_mass(Linter& l) {
  for (const Body& body : l.model().bodies)
    if (body.mass < 1e-6 && body.kind != BodyKind::form)
      l.say(fmt::format("body '{}' has a mass of {:.3g} kg", body.name, body.mass));
}

void too_dense(Linter& l) {
  for (const Body& body : l.model().bodies) {
    const double volume = volume_of(body);
    if (rigid(body) && volume > 0 && body.mass > 1e5 * volume)
      l.say(fmt::format("body '{}': {:.3g} kg in shapes of {:.3g} m3 are {:.3g} kg/m3", body.name, body.mass, volume,
                        body.mass / volume));
  }
}

void too_light(Linter& l) {
  for (const Body& body : l.model().bodies) {
    const double volume = volume_of(body);
    if (rigid(body) && volume > 0 && body.mass < 0.1 * volume)
      l.say(fmt::format("body '{}': {:.3g} kg in shapes of {:.3g} m3 are {:.3g} kg/m3, lighter than air", body.name,
                        body.mass, volume, body.mass / volume));
  }
}

}  // namespace catena::rules
