// What joint coordinates give besides forward dynamics.
#include "catena/primary/reduced_dynamics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "primary/reduced_testing.h"

namespace catena {
namespace reduced_dynamics_test {

using namespace testing_reduced;

constexpr int kLinkages = 200;

Scene linkage_of(int seed) { return workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 1 + seed % 40, 0); }

TEST(ReducedDynamics, the_mass_matrix_is_the_sum_of_what_every_body_adds) {
  for (int seed = 0; seed < kLinkages; ++seed) {
    SCOPED_TRACE(seed);
    const Reduced r(linkage_of(seed));
    const Eigen::MatrixXd M = mass_matrix(r.system);
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(r.n_v(), r.n_v());
    for (std::size_t i = 0; i < r.scene.model.bodies.size(); ++i) {
      const Eigen::MatrixXd J = jacobian(r.system, BodyId(i));
      const MassBlock& block = r.kinematics.M(BodyId(i));
      // A particle turns with unit inertia, without ever being turned.
      const Sym3 I = r.scene.model.bodies[i].kind == BodyKind::particle ? Sym3::diagonal(1, 1, 1) : block.angular;
      Eigen::Matrix3d inertia;
      inertia << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
      sum += block.linear * J.topRows(3).transpose() * J.topRows(3) +
             J.bottomRows(3).transpose() * inertia * J.bottomRows(3);
    }
    EXPECT_LE((M - sum).cwiseAbs().maxCoeff(), 1e-11 * sum.cwiseAbs().maxCoeff() + 1e-14);
  }
}

TEST(ReducedDynamics, inverse_dynamics_undoes_forward_dynamics) {
  for (int seed = 0; seed < kLinkages; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(linkage_of(seed));
    const std::vector<double> tau = random_numbers(r.model.n_v(), static_cast<unsigned>(seed));
    const std::vector<BodyVector> f = random_forces(r.scene.model, static_cast<unsigned>(seed) + 1000);
    std::vector<double> vdot(tau.size()), back(tau.size());
    r.system.forward(tau, f, r.scene.model.gravity, vdot);
    inverse_dynamics(r.system, vdot, f, r.scene.model.gravity, back);
    const double force = 10 * 9.81 * static_cast<double>(r.scene.model.bodies.size());
    for (std::size_t i = 0; i < tau.size(); ++i) EXPECT_NEAR(back[i], tau[i], 1e-11 * force);
  }
}

TEST(ReducedDynamics, the_centroidal_momentum_matrix_gives_the_momentum_of_the_whole) {
  for (int seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(linkage_of(seed));
    std::vector<BodyState> bodies = r.scene.initial.bodies;
    const Centroidal whole = centroidal(r.model, bodies);
    const Eigen::VectorXd momentum = centroidal_momentum_matrix(r.system, bodies) * map(r.state.v);
    Eigen::VectorXd wanted(6);
    wanted << whole.mass * whole.velocity.x, whole.mass * whole.velocity.y, whole.mass * whole.velocity.z,
        whole.momentum.x, whole.momentum.y, whole.momentum.z;
    EXPECT_LE((momentum - wanted).cwiseAbs().maxCoeff(), 1e-10 * (1 + wanted.cwiseAbs().maxCoeff()));
  }
}

}  // namespace reduced_dynamics_test
}  // namespace catena
