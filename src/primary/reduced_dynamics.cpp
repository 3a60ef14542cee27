#include "catena/primary/reduced_dynamics.h"

#include "catena/math/scalar.h"
#include "catena/model/body_kinds.h"

namespace catena {
namespace {

Eigen::Matrix<double, 6, 1> to_column(const Spatial& v) {
  Eigen::Matrix<double, 6, 1> x;
  x << v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z;
  return x;
}

// The block of a body alone at its origin: link.D holds it only until factor().
Sym6 own_block(const ReducedSystem::Link& link) {
  const Vec3& mc = link.mc;
  return {Sym3::diagonal(link.mass, link.mass, link.mass),
          {{0, mc.z, -mc.y}, {-mc.z, 0, mc.x}, {mc.y, -mc.x, 0}},
          congruence(link.R, link.I)};
}

}  // namespace

void inverse_dynamics(const ReducedSystem& system, std::span<const double> vdot, std::span<const BodyVector> f,
                      const Vec3& gravity, std::span<double> tau) {
  const std::vector<ReducedSystem::Link>& links = system.links();
  const std::vector<ReducedNode>& nodes = system.model().nodes();
  std::vector<Spatial> y(links.size()), force(links.size());
  std::array<Spatial, 6> F;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const ReducedSystem::Link& link = links[i];
    const bool floats = link.mobility == Mobility::free;
    y[i] = floats ? Spatial{-gravity, {}}
                  : motion_at(link.parent >= 0 ? y[at(link.parent)] : Spatial{-gravity, {}}, link.d) +
                        system.bias(static_cast<int>(i));
    const int count = system.directions(static_cast<int>(i), F);
    for (int k = 0; k < count; ++k) y[i] += vdot[at(nodes[i].v + k)] * F[at(k)];
    force[i] = own_block(link) * y[i] + link.p;
    if (!f.empty()) {
      const BodyVector& push = f[nodes[i].body];
      force[i] = force[i] - Spatial{push.linear, push.angular + cross(system.com(link), push.linear)};
    }
  }
  for (std::size_t i = links.size(); i-- > 0;) {
    const int count = system.directions(static_cast<int>(i), F);
    for (int k = 0; k < count; ++k) tau[at(nodes[i].v + k)] = dot(F[at(k)], force[i]);
    if (links[i].parent >= 0) force[at(links[i].parent)] += force_from(force[i], links[i].d);
  }
}

void bias_accelerations(const ReducedSystem& system, std::span<BodyVector> out) {
  const std::vector<ReducedSystem::Link>& links = system.links();
  std::vector<Spatial> y(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const ReducedSystem::Link& link = links[i];
    y[i] = system.bias(static_cast<int>(i));
    if (link.parent >= 0) y[i] += motion_at(y[at(link.parent)], link.d);
    const Vec3 c = system.com(link);
    out[system.model().nodes()[i].body] = {y[i].linear + cross(y[i].angular, c) + cross(link.w, cross(link.w, c)),
                                           y[i].angular, 0};
  }
}

Eigen::MatrixXd mass_matrix(const ReducedSystem& system) {
  const std::vector<ReducedSystem::Link>& links = system.links();
  const std::vector<ReducedNode>& nodes = system.model().nodes();
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(system.model().n_v(), system.model().n_v());
  std::vector<Sym6> composite;
  for (const ReducedSystem::Link& link : links) composite.push_back(own_block(link));
  std::array<Spatial, 6> F, above;
  for (std::size_t i = links.size(); i-- > 0;) {
    if (links[i].parent >= 0) composite[at(links[i].parent)] += shifted(composite[i], -links[i].d);
    const int count = system.directions(static_cast<int>(i), F);
    for (int k = 0; k < count; ++k) {
      Spatial force = composite[i] * F[at(k)];
      const int row = nodes[i].v + k;
      for (int l = 0; l < count; ++l) M(row, nodes[i].v + l) = dot(F[at(l)], force);
      for (int j = static_cast<int>(i); links[at(j)].parent >= 0;) {
        force = force_from(force, links[at(j)].d);
        j = links[at(j)].parent;
        const int others = system.directions(j, above);
        for (int l = 0; l < others; ++l)
          M(row, nodes[at(j)].v + l) = M(nodes[at(j)].v + l, row) = dot(above[at(l)], force);
      }
    }
  }
  return M;
}

Eigen::MatrixXd jacobian(const ReducedSystem& system, BodyId body, const Vec3& arm) {
  const std::vector<ReducedSystem::Link>& links = system.links();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, system.model().n_v());
  std::array<Spatial, 6> F;
  int i = system.model().forest().node_of[body];
  Vec3 r = system.com(links[at(i)]) + arm;  // from the origin of link i to the point
  for (; i >= 0; r += links[at(i)].d, i = links[at(i)].parent) {
    const int count = system.directions(i, F);
    for (int k = 0; k < count; ++k) J.col(system.model().nodes()[at(i)].v + k) = to_column(motion_at(F[at(k)], r));
  }
  return J;
}

Centroidal centroidal(const ReducedModel& model, std::span<const BodyState> bodies) {
  Centroidal whole;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double m = model.model().bodies[i].mass;
    whole.mass += m;
    whole.position += m * bodies[i].position;
    whole.velocity += m * bodies[i].velocity;
  }
  whole.position = whole.position / whole.mass;
  whole.velocity = whole.velocity / whole.mass;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = model.model().bodies[i];
    const MassBlock M = mass_block(body, to_matrix(bodies[i].orientation), bodies[i].scale);
    const Vec3 r = bodies[i].position - whole.position;
    const double m = M.linear, rr = dot(r, r);
    whole.momentum += M.angular * bodies[i].angular_velocity + m * cross(r, bodies[i].velocity - whole.velocity);
    whole.inertia +=
        M.angular + m * Sym3{rr - r.x * r.x, rr - r.y * r.y, rr - r.z * r.z, -r.x * r.y, -r.x * r.z, -r.y * r.z};
  }
  return whole;
}

Eigen::MatrixXd centroidal_momentum_matrix(const ReducedSystem& system, std::span<const BodyState> bodies) {
  const ReducedModel& model = system.model();
  const Vec3 centre = centroidal(model, bodies).position;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(6, model.n_v());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& body = model.model().bodies[i];
    const MassBlock M = mass_block(body, to_matrix(bodies[i].orientation), bodies[i].scale);
    const Eigen::MatrixXd J = jacobian(system, BodyId(i));
    const Vec3 r = bodies[i].position - centre;
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
      const BodyVector v{{J(0, k), J(1, k), J(2, k)}, {J(3, k), J(4, k), J(5, k)}, 0};
      const BodyVector momentum = M * restricted(body.kind, v);
      A.col(k) += to_column({momentum.linear, momentum.angular + cross(r, momentum.linear)});
    }
  }
  return A;
}

}  // namespace catena
