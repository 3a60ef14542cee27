// Articulated bodies against the maximal system, against M q̈ + C = τ written densely, and against what coordinates mean.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "joints/kkt_reference.h"
#include "primary/reduced_testing.h"

namespace catena {
namespace reduced_system_test {

using namespace testing_reduced;

constexpr int kLinkages = 200;
// Both sides are solved to rounding times a condition of up to about 1e4.
constexpr double kTolerance = 1e-10;

Scene linkage_of(int seed) { return workloads::random_linkage(static_cast<std::uint64_t>(seed) + 1, 1 + seed % 40, 0); }

// The accelerations of the coordinates that belong to accelerations of the bodies.
Eigen::VectorXd coordinate_accelerations(const Reduced& r, const std::vector<BodyVector>& vdot) {
  Eigen::VectorXd out(r.n_v());
  Rows rows;
  for (const ReducedNode& node : r.model.nodes()) {
    if (node.mobility == Mobility::free) {
      out.segment(node.v, 6) = flat(vdot[node.body]);
      continue;
    }
    const Joint& joint = r.scene.model.joints[node.joint];
    joint_coordinates(joint, r.kinematics, rows);
    for (int k = 0; k < rows.count; ++k)
      out[node.v + k] = rows[k].c + velocity(rows[k], joint.a.valid() ? vdot[joint.a] : BodyVector{},
                                             joint.b.valid() ? vdot[joint.b] : BodyVector{});
  }
  return out;
}

TEST(ReducedModel, coordinates_read_from_bodies_put_the_bodies_where_they_were) {
  for (int seed = 0; seed < kLinkages; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(linkage_of(seed));
    std::vector<BodyState> bodies = r.scene.initial.bodies;
    r.system.bodies(bodies);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const BodyState &got = bodies[i], &wanted = r.scene.initial.bodies[i];
      EXPECT_LE(norm(got.position - wanted.position), 1e-11);
      EXPECT_LE(norm(log_rotation(got.orientation * wanted.orientation.conjugate())), 1e-11);
      EXPECT_LE(norm(got.velocity - wanted.velocity), 1e-10);
      EXPECT_LE(norm(got.angular_velocity - wanted.angular_velocity), 1e-10);
    }
  }
}

TEST(ReducedModel, the_rates_are_the_derivatives_of_the_coordinates) {
  constexpr double kStep = 1e-6;
  for (int seed = 0; seed < kLinkages; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(linkage_of(seed));
    std::vector<BodyState> before = r.scene.initial.bodies, after = before, now = before;
    r.system.bodies(now);
    JointState moved = r.state;
    r.model.integrate(-kStep, r.state.v, moved.q);
    r.system.update(moved);
    r.system.bodies(before);
    moved.q = r.state.q;
    r.model.integrate(kStep, r.state.v, moved.q);
    r.system.update(moved);
    r.system.bodies(after);
    // Central differences of motions with rates of a few rad/s: (1e-6)² · 10³ and rounding 1e-16/1e-6.
    for (std::size_t i = 0; i < now.size(); ++i) {
      EXPECT_LE(norm((after[i].position - before[i].position) / (2 * kStep) - now[i].velocity), 1e-8);
      const Vec3 turned = log_rotation(after[i].orientation * before[i].orientation.conjugate());
      EXPECT_LE(norm(turned / (2 * kStep) - now[i].angular_velocity), 1e-8);
    }
  }
}

TEST(ReducedSystem, accelerates_200_random_forests_like_the_dense_KKT_system) {
  double worst = 0;
  for (int seed = 0; seed < kLinkages; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(linkage_of(seed));
    testing_kkt::KktReference reference(r.scene.model, r.scene.initial);
    reference.solve(reference.weight_and_gyration(), reference.minus_c());
    const Eigen::VectorXd wanted = coordinate_accelerations(r, reference.bodies(reference.y));
    std::vector<double> vdot(static_cast<std::size_t>(r.model.n_v()));
    r.system.forward({}, {}, r.scene.model.gravity, vdot);
    worst = std::max(worst, testing_kkt::relative(map(vdot), wanted));
    // The same with the weight as a force on every body, and in two calls.
    std::vector<BodyVector> weight;
    for (const Body& body : r.scene.model.bodies) weight.push_back({body.mass * r.scene.model.gravity, {}, 0});
    r.system.update(r.state);
    r.system.factor();
    r.system.accelerations({}, weight, {}, vdot);
    worst = std::max(worst, testing_kkt::relative(map(vdot), wanted));
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_LE(worst, kTolerance);
}

TEST(ReducedSystem, other_rates_at_the_same_positions_need_no_new_factorisation) {
  for (int seed = 0; seed < kLinkages; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(linkage_of(seed));
    std::vector<double> vdot(static_cast<std::size_t>(r.model.n_v())), wanted(vdot.size());
    r.system.factor();
    JointState faster = r.state;
    for (double& v : faster.v) v = 1.5 * v + 0.1;
    r.system.update_rates(faster);
    r.system.accelerations({}, {}, r.scene.model.gravity, vdot);
    r.system.update(faster);
    r.system.forward({}, {}, r.scene.model.gravity, wanted);
    EXPECT_LE(testing_kkt::relative(map(vdot), map(wanted)), 1e-12);
  }
}

TEST(ReducedSystem, the_mass_matrix_is_the_sum_of_what_every_body_adds) {
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

TEST(ReducedSystem, inverse_dynamics_undoes_forward_dynamics) {
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

TEST(ReducedSystem, an_impulse_changes_the_rates_by_the_inverse_of_the_mass_matrix) {
  for (int seed = 0; seed < kLinkages; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(linkage_of(seed));
    if (r.n_v() == 0) continue;
    const std::vector<BodyVector> p = random_forces(r.scene.model, static_cast<unsigned>(seed));
    Eigen::VectorXd generalised = Eigen::VectorXd::Zero(r.n_v());
    for (std::size_t i = 0; i < p.size(); ++i) generalised += jacobian(r.system, BodyId(i)).transpose() * flat(p[i]);
    const Eigen::VectorXd wanted = mass_matrix(r.system).ldlt().solve(generalised);
    std::vector<double> dv(static_cast<std::size_t>(r.n_v()));
    r.system.factor();
    r.system.respond(p, dv);
    EXPECT_LE(testing_kkt::relative(map(dv), wanted), kTolerance);
    // What that is for every body.
    std::vector<BodyVector> moved(p.size());
    r.system.motion(dv, moved);
    const Eigen::VectorXd bodies = all_jacobians(r) * map(dv);
    for (std::size_t i = 0; i < p.size(); ++i)
      EXPECT_LE((flat(moved[i]) - bodies.segment(6 * static_cast<Eigen::Index>(i), 6)).cwiseAbs().maxCoeff(),
                1e-12 * (1 + bodies.cwiseAbs().maxCoeff()));
  }
}

TEST(ReducedSystem, the_centroidal_momentum_matrix_gives_the_momentum_of_the_whole) {
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

TEST(ReducedModel, a_scalable_body_is_refused_by_name) {
  Scene scene;
  append_body(scene.model, scene.initial,
              {.name = "blob", .kind = BodyKind::scalable, .mass = 1.0, .inertia = Sym3::diagonal(1, 1, 1)});
  try {
    const ReducedModel model(scene.model);
    FAIL() << "no exception";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'blob'"), std::string::npos) << error.what();
  }
}

}  // namespace reduced_system_test
}  // namespace catena
