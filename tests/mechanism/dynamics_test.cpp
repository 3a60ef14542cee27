// Accelerations, multipliers and reactions against the whole system written densely, and against Newton's and Euler's equations of each body.
#include "catena/mechanism/dynamics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mechanism/mechanism_testing.h"

namespace catena {
namespace dynamics_test {

using namespace testing_mechanism;

// All that is applied, velocity-dependent forces included.
Eigen::VectorXd applied(Dynamics& dynamics, const KktReference& reference) {
  std::vector<BodyVector> f(dynamics.model().bodies.size());
  Powers powers;
  dynamics.forces().apply(dynamics.model(), dynamics.kinematics(), dynamics.coordinates(), f, powers);
  return reference.flat(f);
}

TEST(Dynamics, accelerations_under_springs_servos_and_loads_are_those_of_the_dense_system) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const int loops : {0, 2}) {
      SCOPED_TRACE(testing::Message() << seed << ' ' << loops);
      const Scene scene = pushed_linkage(seed, 8, loops);
      Dynamics dynamics(scene.model, scene.initial, LinearSolver::automatic);
      ASSERT_TRUE(dynamics.accelerations(scene.initial));
      EXPECT_LE(dynamics.check().worst(), 1e-11);
      KktReference reference(scene.model, scene.initial);
      reference.solve(applied(dynamics, reference), reference.minus_c());
      EXPECT_LE(relative(reference.flat(dynamics.vdot), reference.y), 1e-9);
    }
}

// J v̇ + c = −2β (J v − u) − β² phi: what Baumgarte asks for off the joints.
TEST(Dynamics, with_baumgartes_terms_gaps_close_as_a_critically_damped_spring) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Scene scene = workloads::random_linkage(seed, 7, 1);
    for (BodyState& s : scene.initial.bodies) s.position += {0.01, -0.02, 0.03}, s.velocity += {0.1, 0.2, -0.1};
    Dynamics dynamics(scene.model, scene.initial, LinearSolver::automatic);
    const double beta = 7;
    ASSERT_TRUE(dynamics.accelerations(scene.initial, beta));
    const KktReference reference(scene.model, scene.initial);
    const RowSet& rows = reference.rows();
    const Eigen::VectorXd got = reference.J * reference.flat(dynamics.vdot),
                          speed = reference.J * reference.flat(velocities_of(scene.initial));
    const double largest = got.cwiseAbs().maxCoeff();
    for (std::size_t i = 0; i < rows.c.size(); ++i) {
      const auto r = static_cast<Eigen::Index>(i);
      const double gap = rows.holonomic[i] ? rows.phi[i] : 0;
      EXPECT_NEAR(got[r] + rows.c[i], -2 * beta * (speed[r] - rows.u[i]) - beta * beta * gap, 1e-10 * largest);
    }
  }
}

// Newton and Euler for each body: what is applied and what its joints push with is what moves it. Gears and racks turn two bodies with two
// torques; what carries both is another joint.
TEST(Dynamics, the_reactions_of_its_joints_and_what_is_applied_move_every_body) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = pushed_linkage(seed, 8, 2);
    const Model& model = scene.model;
    Dynamics dynamics(model, scene.initial, LinearSolver::automatic);
    ASSERT_TRUE(dynamics.accelerations(scene.initial));
    std::vector<BodyVector> f(model.bodies.size());
    Powers powers;
    dynamics.forces().apply(model, dynamics.kinematics(), dynamics.coordinates(), f, powers);
    double largest = 1;
    std::set<int> turned_otherwise;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const Joint& joint = model.joints[j];
      const bool geared = joint.kind == JointKind::gear || joint.kind == JointKind::rack;
      if (geared && joint.a.valid()) turned_otherwise.insert(joint.a.value());
      const Spatial wrench = dynamics.reaction(JointId(j));  // on b, at b's anchor
      largest = std::max({largest, norm(wrench.linear), norm(wrench.angular)});
      const Placement b = dynamics.kinematics()[joint.b];
      const Vec3 at = attach(b, joint.anchor_b).p;
      const auto add = [&](BodyId body, double sign) {
        if (!body.valid()) return;
        f[body].linear += sign * wrench.linear;
        f[body].angular += sign * (wrench.angular + cross(at - scene.initial.bodies[body].position, wrench.linear));
      };
      add(joint.a, -1);
      add(joint.b, 1);
    }
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (turned_otherwise.contains(static_cast<int>(i))) continue;
      const BodyVector left = dynamics.kinematics().M(BodyId(i)) * dynamics.vdot[i] - f[i];
      EXPECT_LE(norm(left.linear) + norm(left.angular), 1e-10 * largest) << i;
    }
  }
}

// The energy of the whole: dT/dt = f·v, and what motors put in is λᵀu.
TEST(Dynamics, kinetic_energy_grows_by_the_power_of_forces_and_of_motors) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Scene scene = pushed_linkage(seed, 7, 0);
    Model& model = scene.model;
    for (std::size_t j = 0; j < model.joints.size(); j += 2)
      if (coordinate_count(model.joints[j]) == 1) extras_of(model, j).motor = Motor{Sine{0.4, 0.6, 0.2, 0.3}, {}};
    Dynamics dynamics(model, scene.initial, LinearSolver::automatic);
    {
      Projection projection(dynamics, scene.initial, mechanism_size(model, scene.initial));
      ASSERT_TRUE(projection.velocities(scene.initial));  // as the motors prescribe
    }
    ASSERT_TRUE(dynamics.accelerations(scene.initial));
    const double motors = dynamics.motor_power();
    std::vector<BodyVector> f(model.bodies.size());
    Powers powers;
    dynamics.forces().external(model, dynamics.kinematics(), dynamics.coordinates(), f, powers);
    const double power = times(f, scene.initial) + motors;
    const std::vector<BodyVector> vdot = dynamics.vdot;
    const double rate = rate_at_zero([&](double t) {
      State then = moved(model, scene.initial, t);
      for (std::size_t i = 0; i < vdot.size(); ++i) add_velocity(model.bodies[i].kind, t * vdot[i], then.bodies[i]);
      return dynamics.kinetic_energy(then);
    });
    EXPECT_NEAR(rate, power, 1e-7 * (1 + std::abs(power)));
  }
}

TEST(Dynamics, more_forces_at_the_same_state_move_it_as_if_they_had_been_there_from_the_start) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Scene scene = pushed_linkage(seed, 8, 1);
    Dynamics later(scene.model, scene.initial, LinearSolver::automatic),
        first = Dynamics(scene.model, scene.initial, LinearSolver::automatic);
    ASSERT_TRUE(later.accelerations(scene.initial));
    std::vector<BodyVector> load(scene.model.bodies.size());
    for (std::size_t i = 0; i < load.size(); ++i) {
      const double x = 0.3 * static_cast<double>(i);
      load[i] = {{x, 2 - x, 0.5}, {0.4, -x, 0.1}, 0};
    }
    later.push(load);
    EXPECT_LE(later.check().worst(), 1e-11);
    first.forces().user_forces = true;
    first.forces().body_force = load;
    ASSERT_TRUE(first.accelerations(scene.initial));
    EXPECT_LE(size_of(difference(later.vdot, first.vdot)), 1e-10 * size_of(first.vdot));
  }
}

}  // namespace dynamics_test
}  // namespace catena
