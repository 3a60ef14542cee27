// The equations of motion as matrices, against energies, moved coordinates and the dense system of all bodies.
#include "catena/simulation/joint_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/workloads.h"
#include "catena/catena.h"
#include "joints/kkt_reference.h"

namespace catena {
namespace joint_dynamics_test {

Eigen::Map<const Eigen::VectorXd> map(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}
std::span<const double> span(const Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

Simulation linkage(std::uint64_t seed, int loops) {
  const Scene scene = workloads::random_linkage(seed, 7, loops);
  return Simulation(scene);
}

Eigen::VectorXd some(Eigen::Index n, double from) {
  Eigen::VectorXd x(n);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = std::sin(from + static_cast<double>(i));
  return x;
}

TEST(JointDynamics, the_mass_matrix_is_symmetric_positive_and_has_the_kinetic_energy) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const Simulation sim = linkage(seed, 0);
    const JointDynamics dynamics(sim);
    const Eigen::MatrixXd M = dynamics.mass_matrix();
    const Eigen::VectorXd v = map(sim.v());
    EXPECT_LE((M - M.transpose()).norm(), 1e-12 * M.norm());
    EXPECT_GT(M.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
    EXPECT_NEAR(0.5 * v.dot(M * v), sim.energy().kinetic, 1e-10 * (1 + sim.energy().kinetic));
  }
}

// vᵀ h = ½ vᵀ Ṁ v where there is no gravity and v stays: Coriolis and centrifugal forces only move energy about.
TEST(JointDynamics, the_power_of_the_bias_without_gravity_is_half_that_of_the_changing_mass_matrix) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Scene scene = workloads::random_linkage(seed, 7, 0);
    scene.model.gravity = {};
    const Simulation sim(scene);
    JointDynamics dynamics(sim);
    const Eigen::VectorXd q = map(sim.q()), v = map(sim.v());
    const double power = v.dot(dynamics.bias());
    const auto energy = [&](double t) {
      const Eigen::VectorXd moved = dynamics.integrate(span(q), span(v), t);
      dynamics.update(span(moved), span(v));
      return 0.5 * v.dot(dynamics.mass_matrix() * v);
    };
    constexpr double e = 1e-4;
    const double rate = (8 * (energy(e) - energy(-e)) - (energy(2 * e) - energy(-2 * e))) / (12 * e);
    EXPECT_NEAR(power, rate, 1e-7 * (1 + std::abs(rate) + sim.energy().kinetic));
  }
}

// M v̇ + h = τ + Gᵀλ with G v̇ = γ; and the bodies then accelerate as the dense system of all of them says.
TEST(JointDynamics, forward_dynamics_balance_and_move_the_bodies_as_the_dense_system_does) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const Simulation sim = linkage(seed, static_cast<int>(seed % 3));
    const JointDynamics dynamics(sim);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(dynamics.n_v()), tau = some(dynamics.n_v(), 0.3);
    Eigen::VectorXd lambda;
    const Eigen::VectorXd vdot = dynamics.forward_dynamics(span(tau), &lambda);
    const Eigen::MatrixXd G = dynamics.constraint_jacobian();
    const Eigen::VectorXd left = dynamics.mass_matrix() * vdot + dynamics.bias() - tau - G.transpose() * lambda;
    const double size = 1 + dynamics.bias().norm() + tau.norm() + lambda.norm();
    EXPECT_LE(left.norm(), 1e-9 * size);
    EXPECT_LE((dynamics.inverse_dynamics(span(vdot)) - tau - G.transpose() * lambda).norm(), 1e-9 * size);
    const Eigen::VectorXd free = dynamics.forward_dynamics(span(none));
    testing_kkt::KktReference reference(sim.model(), dynamics.state());
    reference.solve(reference.weight_and_gyration(), reference.minus_c());
    const std::vector<BodyVector> wanted = reference.bodies(reference.y);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Eigen::VectorXd got = dynamics.jacobian(BodyId(i)) * free + dynamics.jacobian_rate_times_v(BodyId(i));
      const BodyVector& w = wanted[i];
      Eigen::VectorXd should(6);
      should << w.linear.x, w.linear.y, w.linear.z, w.angular.x, w.angular.y, w.angular.z;
      EXPECT_LE((got - should).norm(), 1e-8 * (1 + reference.y.norm()));
    }
  }
}

TEST(JointDynamics, the_jacobian_of_a_point_is_how_it_moves_with_the_coordinates) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const Simulation sim = linkage(seed, 0);
    JointDynamics dynamics(sim);
    const Eigen::VectorXd q = map(sim.q()), v = some(dynamics.n_v(), 0.7);
    const BodyId body(4);
    const Vec3 point{0.2, -0.3, 0.1};
    const Eigen::VectorXd motion = dynamics.jacobian(body, point) * v;
    const auto at = [&](double t) {
      const Eigen::VectorXd moved = dynamics.integrate(span(q), span(v), t);
      dynamics.update(span(moved), span(v));
      const BodyState& s = dynamics.state().bodies[body];
      return std::pair{s.position + rotate(s.orientation, point), s.orientation};
    };
    constexpr double e = 1e-6;
    const auto [after, turned] = at(e);
    const auto [before, turned_back] = at(-e);
    const Vec3 velocity = (after - before) / (2 * e), spin = log_rotation(turned * turned_back.conjugate()) / (2 * e);
    // Central differences: e² and rounding over e.
    EXPECT_LE(norm(velocity - Vec3{motion[0], motion[1], motion[2]}), 1e-8 * (1 + norm(velocity)));
    EXPECT_LE(norm(spin - Vec3{motion[3], motion[4], motion[5]}), 1e-8 * (1 + norm(spin)));
  }
}

// J M̂⁻¹ Jᵀ with G v held.
TEST(JointDynamics, the_compliance_of_bodies_is_how_they_answer_while_loops_hold) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Simulation sim = linkage(seed, static_cast<int>(seed % 3));
    const JointDynamics dynamics(sim);
    const std::vector<BodyId> bodies{BodyId(1), BodyId(5)};
    Eigen::MatrixXd J(12, dynamics.n_v());
    J << dynamics.jacobian(bodies[0]), dynamics.jacobian(bodies[1]);
    const Eigen::MatrixXd M = dynamics.mass_matrix(), G = dynamics.constraint_jacobian();
    const Eigen::Index n = M.rows(), m = G.rows();
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n + m, n + m), right = Eigen::MatrixXd::Zero(n + m, 12);
    H.topLeftCorner(n, n) = M;
    H.topRightCorner(n, m) = -G.transpose();
    H.bottomLeftCorner(m, n) = G;
    right.topRows(n) = J.transpose();
    const Eigen::MatrixXd wanted = J * H.completeOrthogonalDecomposition().solve(right).topRows(n);
    EXPECT_LE((dynamics.compliance(bodies) - wanted).norm(), 1e-8 * wanted.norm());
  }
}

}  // namespace joint_dynamics_test
}  // namespace catena
