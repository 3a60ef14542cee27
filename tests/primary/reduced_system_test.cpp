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

}  // namespace reduced_system_test
}  // namespace catena
