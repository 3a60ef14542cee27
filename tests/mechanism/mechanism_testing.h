// Random linkages with everything that pushes on them, and their whole system written densely.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "bench/workloads.h"
#include "catena/laws/law_rows.h"
#include "catena/mechanism/dynamics.h"
#include "catena/mechanism/projection.h"
#include "joints/kkt_reference.h"

namespace catena::testing_mechanism {

using testing_kkt::KktReference;
using testing_kkt::relative;

inline JointExtras& extras_of(Model& model, std::size_t joint) {
  Joint& j = model.joints[joint];
  if (j.extras < 0) {
    j.extras = static_cast<int>(model.extras.size());
    model.extras.emplace_back();
  }
  return model.extras[static_cast<std::size_t>(j.extras)];
}

// A linkage of rigid bodies by all kinds of joints, in motion, with springs and dampers along its joints and across them, servos and loads.
inline Scene pushed_linkage(std::uint64_t seed, int bodies, int loops = 0) {
  Scene scene = workloads::random_linkage(seed, bodies, loops);
  Model& model = scene.model;
  std::mt19937_64 engine(seed);
  const auto u = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(engine); };
  const auto vec = [&](double size) { return Vec3{u(-size, size), u(-size, size), u(-size, size)}; };
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (coordinate_count(model.joints[j]) == 0) continue;
    JointExtras& extras = extras_of(model, j);
    extras.stiffness = u(5, 20), extras.rest = u(-1, 1), extras.damping = u(0.1, 0.5);
    model.actuators.push_back({.joint = JointId(j),
                               .kind = static_cast<Actuator::Kind>(j % 3),
                               .kp = u(1, 5),
                               .kv = u(0.1, 1),
                               .signal = Sine{u(1, 2), 0.7, 0.4, 0.2}});
  }
  const auto body = [&](int i) { return BodyId(i % bodies); };
  for (int i = 0; i < bodies; ++i) {
    model.springs.push_back({.a = body(i),
                             .b = body(3 * i + 1) == body(i) ? kGround : body(3 * i + 1),
                             .anchor_a = vec(0.3),
                             .anchor_b = vec(0.3),
                             .stiffness = u(5, 20),
                             .damping = u(0.1, 0.5),
                             .length = u(0.1, 0.5)});
    model.forces.push_back({.body = body(i),
                            .force = vec(3),
                            .torque = vec(1),
                            .point = vec(0.2),
                            .from = -1,
                            .until = 5,
                            .body_frame = i % 2 == 0});
  }
  return scene;
}

inline std::vector<BodyVector> velocities_of(const State& state) {
  std::vector<BodyVector> v;
  for (const BodyState& s : state.bodies) v.push_back(velocity_of(s));
  return v;
}

// The state moved along its velocities for t, which stay as they are: joints only open by t².
inline State moved(const Model& model, State state, double t) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    displace(model.bodies[i].kind, t * velocity_of(state.bodies[i]), state.bodies[i]);
  state.time += t;
  return state;
}

inline double times(std::span<const BodyVector> f, const State& state) {
  double power = 0;
  for (std::size_t i = 0; i < f.size(); ++i) power += dot(f[i], velocity_of(state.bodies[i]));
  return power;
}

inline double size_of(std::span<const BodyVector> v) {
  double sum = 0;
  for (const BodyVector& x : v) sum += dot(x, x);
  return std::sqrt(sum);
}
inline std::vector<BodyVector> difference(std::span<const BodyVector> a, std::span<const BodyVector> b) {
  std::vector<BodyVector> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] - b[i]);
  return out;
}

// Laws between bodies of a model, along directions of no meaning: limits and springs, some with compliance.
inline LawRows random_laws(const Model& model, std::uint64_t seed, int count) {
  std::mt19937_64 engine(seed);
  const auto u = [&] { return std::uniform_real_distribution<double>(-1, 1)(engine); };
  const auto n = static_cast<int>(model.bodies.size());
  LawRows laws;
  for (int i = 0; i < count; ++i) {
    LawBlock block;
    block.kind = i % 3 == 2 ? LawKind::soft : LawKind::limit;
    block.a = BodyId((7 * i + 1) % n);
    if (i % 4 != 3) block.b = BodyId((5 * i + 2) % n);
    if (block.a == block.b) block.b = kGround;
    block.first = static_cast<int>(laws.rows.size());
    block.size = block.kind == LawKind::soft ? 2 : 1;
    block.key = static_cast<std::uint64_t>(i) + 1;
    for (int k = 0; k < block.size; ++k) {
      LawRow row;
      row.a = restricted(model.bodies[block.a].kind, {{u(), u(), u()}, {u(), u(), u()}, u()});
      if (block.b.valid()) row.b = restricted(model.bodies[block.b].kind, {{u(), u(), u()}, {u(), u(), u()}, u()});
      row.target = u();
      row.sigma = block.kind == LawKind::soft ? 0.1 + 0.05 * i : 0;
      laws.rows.push_back(row);
    }
    laws.blocks.push_back(block);
  }
  return laws;
}

// J of the laws, densely.
inline Eigen::MatrixXd J_of(const LawRows& laws, const KktReference& reference, std::size_t bodies) {
  Eigen::MatrixXd J(static_cast<Eigen::Index>(laws.rows.size()), reference.M.rows());
  for (const LawBlock& block : laws.blocks)
    for (int i = 0; i < block.size; ++i) {
      std::vector<BodyVector> f(bodies);
      add_force(laws, block, laws.row(block, i), 1, f);
      J.row(block.first + i) = reference.flat(f).transpose();
    }
  return J;
}

// J M̂⁻¹ Jᵀ, the joints answering as the dense system says.
inline Eigen::MatrixXd compliance_of(const Eigen::MatrixXd& J, KktReference& reference) {
  Eigen::MatrixXd response(J.cols(), J.rows());
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    reference.solve(J.row(i).transpose(), Eigen::VectorXd::Zero(reference.J.rows()));
    response.col(i) = reference.y;
  }
  return J * response;
}

// By central differences of fourth order, f changing in tenths of a second.
template <class F>
double rate_at_zero(F&& f, double e = 1e-3) {
  return (8 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12 * e);
}

}  // namespace catena::testing_mechanism
