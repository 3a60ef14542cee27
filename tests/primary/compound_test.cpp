// Compound joints in joint and in maximal coordinates: against dense KKT of their rows, against each other, and against chains whose links between are
// nearly massless.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catena/model/builder.h"
#include "catena/primary/maximal_system.h"
#include "joints/kkt_reference.h"
#include "primary/reduced_testing.h"

namespace catena {
namespace compound_test {

using namespace testing_reduced;

double uniform(std::mt19937_64& engine, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(engine);
}
Vec3 vector(std::mt19937_64& engine, double size) {
  return {uniform(engine, -size, size), uniform(engine, -size, size), uniform(engine, -size, size)};
}

BodySpec random_body(const std::string& name, std::mt19937_64& engine) {
  BodySpec body{.name = name, .mass = uniform(engine, 0.5, 2)};
  body.inertia =
      congruence(to_matrix(exp_rotation(vector(engine, 2))),
                 Sym3::diagonal(uniform(engine, 0.2, 0.3), uniform(engine, 0.2, 0.3), uniform(engine, 0.3, 0.4)));
  body.position = vector(engine, 1);
  body.orientation = exp_rotation(vector(engine, 2));
  return body;
}

// Five bodies in a tree; joints of one to six freedoms, some from child to parent.
Scene random_tree(unsigned seed) {
  std::mt19937_64 engine(seed);
  ModelBuilder builder;
  for (int i = 0; i < 5; ++i) builder.body(random_body(fmt::format("b{}", i), engine));
  for (int i = 0; i < 5; ++i) {
    JointSpec joint{.name = fmt::format("j{}", i), .kind = JointKind::compound};
    const std::string parent =
        i == 0 ? "ground" : fmt::format("b{}", static_cast<int>(engine() % static_cast<unsigned>(i)));
    joint.between = {parent, fmt::format("b{}", i)};
    if (engine() % 3 == 0) std::swap(joint.between[0], joint.between[1]);
    joint.anchor = vector(engine, 1);
    joint.axis = vector(engine, 1);
    const int count = 1 + static_cast<int>(engine() % 6);
    for (int k = 0; k < count; ++k)
      joint.freedoms.push_back({.name = "f",
                                .slides = k >= 3,
                                .axis = vector(engine, 1),
                                .anchor = vector(engine, 1),
                                .zero = uniform(engine, -1, 1)});
    for (Freedom& f : joint.freedoms) f.start = f.zero;
    builder.joint(joint);
  }
  const BuiltModel built = builder.build();
  Scene scene;
  scene.model = built.model;
  scene.initial = built.initial;
  // Away from where frames coincide, and moving.
  ReducedModel model(scene.model);
  ReducedSystem system(model);
  JointState state;
  Kinematics kinematics(scene.model);
  kinematics.update(scene.model, scene.initial);
  model.read(kinematics, state);
  for (double& q : state.q) q += uniform(engine, -0.8, 0.8);
  for (double& v : state.v) v = uniform(engine, -1, 1);
  system.update(state);
  system.bodies(scene.initial.bodies);
  scene.initial.joint_angles.resize(scene.model.joints.size());
  for (const ReducedNode& node : model.nodes())
    for (int k = 0; k < node.count; ++k)
      scene.initial.joint_angles[node.joint][static_cast<std::size_t>(k)] =
          state.q[static_cast<std::size_t>(node.q + k)];
  return scene;
}

TEST(CompoundReduced, coordinates_read_from_bodies_put_the_bodies_where_they_were) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(random_tree(seed));
    std::vector<BodyState> bodies = r.scene.initial.bodies;
    r.system.bodies(bodies);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const BodyState &got = bodies[i], &wanted = r.scene.initial.bodies[i];
      EXPECT_LE(norm(got.position - wanted.position), 1e-9);
      EXPECT_LE(norm(log_rotation(got.orientation * wanted.orientation.conjugate())), 1e-9);
      EXPECT_LE(norm(got.velocity - wanted.velocity), 1e-8);
      EXPECT_LE(norm(got.angular_velocity - wanted.angular_velocity), 1e-8);
    }
  }
}

// The two sides share nothing but the model: the dense one sees the bodies and the rows, the other coordinates.
TEST(CompoundReduced, accelerates_like_the_dense_KKT_system_of_its_rows) {
  double worst = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(random_tree(seed));
    testing_kkt::KktReference reference(r.scene.model, r.scene.initial);
    reference.solve(reference.weight_and_gyration(), reference.minus_c());
    const std::vector<BodyVector> wanted = reference.bodies(reference.y);
    std::vector<double> vdot(static_cast<std::size_t>(r.model.n_v()));
    r.system.forward({}, {}, r.scene.model.gravity, vdot);
    // J q̈ + J̇ q̇ of every body.
    std::vector<BodyVector> got(wanted.size()), bias(wanted.size());
    r.system.motion(vdot, got);
    bias_accelerations(r.system, bias);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Spatial difference = got[i] + bias[i] - wanted[i];
      worst = std::max(worst, std::sqrt(dot(difference, difference)) / (1 + std::sqrt(dot(wanted[i], wanted[i]))));
    }
  }
  EXPECT_LE(worst, 1e-8);
}

TEST(CompoundReduced, the_mass_matrix_is_what_inverse_dynamics_multiplies_with) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(random_tree(seed));
    const Eigen::MatrixXd M = mass_matrix(r.system);
    std::vector<double> vdot = random_numbers(r.model.n_v(), seed), tau(vdot.size()), zero(vdot.size()),
                        bias(vdot.size());
    inverse_dynamics(r.system, vdot, {}, r.scene.model.gravity, tau);
    inverse_dynamics(r.system, zero, {}, r.scene.model.gravity, bias);
    const Eigen::VectorXd difference = M * map(vdot) - (map(tau) - map(bias));
    EXPECT_LE(difference.norm(), 1e-11 * (1 + M.norm()));
    // And forward dynamics undoes it.
    std::vector<double> back(vdot.size());
    r.system.forward(tau, {}, r.scene.model.gravity, back);
    EXPECT_LE((map(back) - map(vdot)).norm(), 1e-8 * (1 + map(vdot).norm()));
  }
}

// Links of 1e-7 kg in between change the accelerations by about their share of the mass.
TEST(CompoundReduced, is_the_limit_of_a_chain_with_links_of_no_mass) {
  std::mt19937_64 engine(5);
  const BodySpec arm = random_body("arm", engine);
  JointSpec whole{.name = "hip", .kind = JointKind::compound, .between = {"ground", "arm"}};
  whole.anchor = Vec3{0.1, 0.2, 0.3};
  whole.axis = Vec3{0, 0, 1};
  ModelBuilder chain;
  constexpr double kTiny = 1e-7;
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis = vector(engine, 1), anchor = vector(engine, 0.5);
    whole.freedoms.push_back({.name = "f", .axis = axis, .anchor = anchor});
    const std::string child = k == 2 ? "arm" : fmt::format("link{}", k);
    if (k < 2) chain.body({.name = child, .mass = kTiny, .inertia = Sym3::diagonal(kTiny, kTiny, kTiny)});
    else chain.body(arm);
    chain.joint({.name = fmt::format("h{}", k),
                 .kind = JointKind::hinge,
                 .between = {k == 0 ? "ground" : fmt::format("link{}", k - 1), child},
                 .anchor = anchor,
                 .axis = axis});
  }
  const auto accelerations = [&](const BuiltModel& built) {
    Scene scene;
    scene.model = built.model;
    scene.initial = built.initial;
    Reduced r(std::move(scene));
    for (int k = 0; k < 3; ++k)
      r.state.q[static_cast<std::size_t>(k)] = 0.3 + 0.2 * k, r.state.v[static_cast<std::size_t>(k)] = 1 - 0.7 * k;
    r.system.update(r.state);
    std::vector<double> vdot(3);
    r.system.forward({}, {}, r.scene.model.gravity, vdot);
    return vdot;
  };
  const std::vector<double> of_chain = accelerations(chain.build()),
                            of_compound = accelerations(ModelBuilder{}.body(arm).joint(whole).build());
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(of_compound[k], of_chain[k], 1e-4 * (1 + std::abs(of_chain[k])));
}

// y and λ of the forest, at a state and under the weight of its bodies.
testing_kkt::Solution by_the_tree(const Scene& scene, const testing_kkt::KktReference& reference) {
  MaximalSystem system(scene.model, build_forest(scene.model));
  EXPECT_TRUE(system.factor(reference.kinematics()));
  const Eigen::VectorXd b = reference.minus_c();
  std::vector<double> own(static_cast<std::size_t>(b.size())), lambda(own.size());
  system.acceleration_rhs(reference.kinematics(), own);
  EXPECT_LE((map(own) - b).norm(), 1e-10 * (1 + b.norm()));
  std::vector<BodyVector> y = reference.bodies(reference.weight_and_gyration());
  system.solve(own, y, lambda);
  return {reference.flat(y), map(lambda)};
}

TEST(CompoundMaximal, accelerates_and_reacts_like_the_dense_KKT_system) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = random_tree(seed);
    testing_kkt::KktReference reference(scene.model, scene.initial);
    reference.solve(reference.weight_and_gyration(), reference.minus_c());
    const testing_kkt::Solution got = by_the_tree(scene, reference);
    EXPECT_LE(testing_kkt::relative(got.y, reference.y), 1e-9);
    EXPECT_LE(testing_kkt::relative(got.lambda, reference.lambda), 1e-9);
  }
}

// Three turns about z, y, x, the middle one near a right angle: the first and the last nearly coincide.
Scene near_gimbal_lock(double short_of) {
  std::mt19937_64 engine(3);
  JointSpec joint{.name = "hip", .kind = JointKind::compound, .between = {"ground", "arm"}};
  joint.anchor = Vec3{0.1, 0.2, 0.3};
  for (const Vec3& axis : {Vec3{0, 0, 1}, Vec3{0, 1, 0}, Vec3{1, 0, 0}})
    joint.freedoms.push_back({.name = "f", .axis = axis, .anchor = *joint.anchor});
  const BuiltModel built = ModelBuilder{}.body(random_body("arm", engine)).joint(joint).build();
  Scene scene;
  scene.model = built.model;
  scene.initial = built.initial;
  Reduced r(scene);
  r.state.q = {0.3, std::numbers::pi / 2 - short_of, 0.4};
  r.state.v = {0, 0, 0};
  r.system.update(r.state);
  r.system.bodies(scene.initial.bodies);
  scene.initial.joint_angles.assign(1, {});
  std::copy(r.state.q.begin(), r.state.q.end(), scene.initial.joint_angles[0].begin());
  return scene;
}

TEST(CompoundMaximal, loses_no_digits_near_gimbal_lock) {
  for (const double short_of : {1e-1, 1e-3, 1e-5}) {
    SCOPED_TRACE(short_of);
    const Scene scene = near_gimbal_lock(short_of);
    testing_kkt::KktReference reference(scene.model, scene.initial);
    reference.solve(reference.weight_and_gyration(), reference.minus_c());
    EXPECT_LE(testing_kkt::relative(by_the_tree(scene, reference).y, reference.y), 1e-9);
  }
}

TEST(CompoundMaximal, stays_regular_in_gimbal_lock) {
  const Scene scene = near_gimbal_lock(0);
  const testing_kkt::KktReference reference(scene.model, scene.initial);
  const testing_kkt::Solution got = by_the_tree(scene, reference);
  ASSERT_TRUE(got.y.allFinite() && got.lambda.allFinite());
  EXPECT_LE((reference.J * got.y - reference.minus_c()).norm(), 1e-9);
}

TEST(CompoundMaximal, carries_inertia_along_its_coordinates_as_joint_coordinates_do) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Reduced r(random_tree(seed));
    std::fill(r.state.v.begin(), r.state.v.end(), 0.0);
    r.system.update(r.state);
    State state = r.scene.initial;
    r.system.bodies(state.bodies);
    Kinematics kinematics(r.scene.model);
    kinematics.update(r.scene.model, state);
    const JointArray a{0.3, 0.2, 0.5, 0.7, 0.1, 0.4};
    std::vector<double> along(static_cast<std::size_t>(r.model.n_v())), vdot(along.size());
    // A joint of six freedoms holds nothing and is in no forest of rows.
    MaximalSystem system(r.scene.model, build_forest(r.scene.model));
    for (const ReducedNode& node : r.model.nodes()) {
      if (!node.joint.valid()) continue;
      EXPECT_EQ(system.carries_inertia(node.joint), node.count < 6);
      for (int k = 0; k < node.count && system.carries_inertia(node.joint); ++k)
        along[static_cast<std::size_t>(node.v + k)] = a[static_cast<std::size_t>(k)];
    }
    r.system.set_freedom_inertia(along);
    const std::vector<BodyVector> f = random_forces(r.scene.model, seed);
    r.system.forward({}, f, {}, vdot);
    std::vector<BodyVector> wanted(f.size()), got = f;
    r.system.motion(vdot, wanted);
    system.set_freedom_inertia(std::vector<JointArray>(r.scene.model.joints.size(), a));
    ASSERT_TRUE(system.factor(kinematics));
    system.solve(std::vector<double>(static_cast<std::size_t>(system.rows())), got, {});
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Spatial difference = got[i] - wanted[i];
      EXPECT_LE(std::sqrt(dot(difference, difference)), 1e-9 * (1 + std::sqrt(dot(wanted[i], wanted[i])))) << i;
    }
  }
}

}  // namespace compound_test
}  // namespace catena
