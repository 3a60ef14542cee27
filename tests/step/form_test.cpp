// Bodies of kinds their user defines (model/body_form.h): rigid + 3 is the header of examples/cpp, rigid + 6 is defined here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <memory>

#include "../../examples/cpp/stretching_body.h"
#include "catena/catena.h"
#include "catena/mechanism/dynamics.h"

namespace catena {
namespace form_test {

const Vec3 kMoments{0.03, 0.05, 0.08}, kStiffness{2, 1.5, 3};

BodySpec stretching(const Vec3& position = {}) {
  return {.name = "blob",
          .kind = BodyKind::formed,
          .mass = 1.5,
          .position = position,
          .orientation = exp_rotation(Vec3{0.3, -0.5, 0.8}),
          .velocity = {0.2, -0.1, 0.4},
          .angular_velocity = {1.1, -2.0, 0.7},
          .form = std::make_shared<StretchingBody>(kMoments, kStiffness),
          .form_start = {1.1, 0.9, 1.05},
          .form_velocity = {0.4, -0.3, 0.2}};
}

OwnVector form_of(const Simulation& s, const char* name) { return form_coordinates(s.body(name)); }

// The same body said otherwise: a_k = s_k R e_k are three particles of mass p_k that stay perpendicular to each other, each on a spring from the
// origin. T = Σ p_k |ȧ_k|²/2 has no velocity-dependent force; the constraints a_i·a_j = 0 have multipliers, found from a 3×3 system.
struct ThreeParticles {
  using Vec = Eigen::Matrix<double, 18, 1>;  // a_1 a_2 a_3 | their velocities
  Vec y;

  explicit ThreeParticles(const BodySpec& spec) {
    const Mat3 R = to_matrix(spec.orientation);
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const Vec3 e = R.column(k), a = spec.form_start[i] * e,
                 v = spec.form_velocity[i] * e + cross(spec.angular_velocity, a);
      y.segment<3>(3 * k) << a.x, a.y, a.z;
      y.segment<3>(9 + 3 * k) << v.x, v.y, v.z;
    }
  }
  static Vec slope(const Vec& y) {
    constexpr int kPairs[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    Eigen::Matrix<double, 3, 9> G = Eigen::Matrix<double, 3, 9>::Zero();
    Eigen::Matrix<double, 9, 1> f, inverse;
    Eigen::Vector3d drift;
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d a = y.segment<3>(3 * k);
      f.segment<3>(3 * k) = -kStiffness[k] * (a.norm() - 1) * a.normalized();
      inverse.segment<3>(3 * k).setConstant(1 / kMoments[k]);
      const int i = kPairs[k][0], j = kPairs[k][1];
      G.block<1, 3>(k, 3 * i) = y.segment<3>(3 * j).transpose();
      G.block<1, 3>(k, 3 * j) = y.segment<3>(3 * i).transpose();
      drift[k] = 2 * y.segment<3>(9 + 3 * i).dot(y.segment<3>(9 + 3 * j));
    }
    const Eigen::Matrix3d A = G * inverse.asDiagonal() * G.transpose();
    const Eigen::Vector3d lambda = A.ldlt().solve(-drift - G * inverse.cwiseProduct(f));
    Vec out;
    out.head<9>() = y.tail<9>();
    out.tail<9>() = inverse.cwiseProduct(f + G.transpose() * lambda);
    return out;
  }
  void advance(double h, int steps) {
    for (int i = 0; i < steps; ++i) {
      const Vec k1 = slope(y), k2 = slope(y + h / 2 * k1), k3 = slope(y + h / 2 * k2), k4 = slope(y + h * k3);
      y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
  }
  // How far the columns of R diag(s) are from the particles.
  double distance(const BodyState& frame, const OwnVector& s) const {
    const Mat3 R = to_matrix(frame.orientation);
    double worst = 0;
    for (int k = 0; k < 3; ++k) {
      const Vec3 a = s[static_cast<std::size_t>(k)] * R.column(k);
      worst = std::max(worst, norm(a - Vec3{y[3 * k], y[3 * k + 1], y[3 * k + 2]}));
    }
    return worst;
  }
};

BuiltModel floating() { return ModelBuilder{}.gravity({0, 0, -9.81}).body(stretching()).build(); }

// Six pairs of equal masses at ±r_k d_k, r = B q: a body of dimension 12 whose mass block couples all its coordinates. A pair that moves along its own
// line has no angular momentum in the frame.
class Star : public BodyForm {
 public:
  explicit Star(const Eigen::Matrix<double, 6, 6>& mixing) : B_(mixing) {
    const double a = 0.5, b = 0.8;
    d_ = {Vec3{1, 0, 0},
          Vec3{0, 1, 0},
          Vec3{0, 0, 1},
          normalized(Vec3{a, b, -1}),
          normalized(Vec3{-1, b, a}),
          normalized(Vec3{b, -1, a})};
  }
  int coordinates() const override { return 6; }
  FormMass mass(const OwnVector& q) const override {
    FormMass out;
    out.inertia = inertia(radii(q));
    const Eigen::Matrix<double, 6, 6> C = B_.transpose() * weights().asDiagonal() * B_;
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k) out.own[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] = C(i, k);
    return out;
  }
  FormForce velocity_force(const FormMotion& m) const override {
    const Eigen::Matrix<double, 6, 1> r = radii(m.q), rd = radii(m.qd);
    FormForce out;
    Eigen::Matrix<double, 6, 1> f;
    Vec3 change{};
    for (int k = 0; k < 6; ++k) {
      const Vec3 across = m.w - dot(m.w, d_[static_cast<std::size_t>(k)]) * d_[static_cast<std::size_t>(k)];
      f[k] = weights()[k] * r[k] * dot(across, across) - kSpring * (r[k] - 1);
      change += (2 * weights()[k] * r[k] * rd[k]) * across;
    }
    const Eigen::Matrix<double, 6, 1> own = B_.transpose() * f;
    for (int k = 0; k < 6; ++k) out.own[static_cast<std::size_t>(k)] = own[k];
    out.torque = -cross(m.w, inertia(r) * m.w) - change;
    return out;
  }
  FormPoint point(const Vec3& X, const FormMotion&) const override { return {X, {}, {}}; }
  double elastic_energy(const OwnVector& q) const override {
    return 0.5 * kSpring * (radii(q) - Eigen::Matrix<double, 6, 1>::Ones()).squaredNorm();
  }

  Eigen::Matrix<double, 6, 1> radii(const OwnVector& q) const {
    return B_ * Eigen::Map<const Eigen::Matrix<double, 6, 1>>(q.data());
  }
  OwnVector coordinates_of(const Eigen::Matrix<double, 6, 1>& r) const {
    const Eigen::Matrix<double, 6, 1> q = B_.lu().solve(r);
    OwnVector out;
    for (int k = 0; k < 6; ++k) out[static_cast<std::size_t>(k)] = q[k];
    return out;
  }

 private:
  static constexpr double kSpring = 3;
  static Eigen::Matrix<double, 6, 1> weights() {
    Eigen::Matrix<double, 6, 1> w;
    w << 0.1, 0.2, 0.15, 0.3, 0.25, 0.12;
    return w;
  }
  Sym3 inertia(const Eigen::Matrix<double, 6, 1>& r) const {
    Sym3 out{};
    for (int k = 0; k < 6; ++k) {
      const Vec3& d = d_[static_cast<std::size_t>(k)];
      const double w = weights()[k] * r[k] * r[k];
      out += Sym3{w * (1 - d.x * d.x), w * (1 - d.y * d.y), w * (1 - d.z * d.z),
                  -w * d.x * d.y,      -w * d.x * d.z,      -w * d.y * d.z};
    }
    return out;
  }
  Eigen::Matrix<double, 6, 6> B_;
  std::array<Vec3, 6> d_;
};

Simulation star(const Eigen::Matrix<double, 6, 6>& mixing, const Options& options) {
  const auto form = std::make_shared<Star>(mixing);
  Eigen::Matrix<double, 6, 1> r, rd;
  r << 1.1, 0.9, 1.2, 0.8, 1.05, 0.95;
  rd << 0.2, -0.1, 0.3, 0.1, -0.2, 0.05;
  return Simulation(ModelBuilder{}
                        .gravity({})
                        .body({.name = "star",
                               .kind = BodyKind::formed,
                               .mass = 1.12,
                               .angular_velocity = {0.7, -1.3, 0.9},
                               .form = form,
                               .form_start = form->coordinates_of(r),
                               .form_velocity = form->coordinates_of(rd)})
                        .build(),
                    options);
}

Vec3 angular_momentum(const Simulation& s, const BodyForm& form) {
  const BodyState& b = s.body("star");
  return congruence(to_matrix(b.orientation), form.mass(form_of(s, "star.form")).inertia) * b.angular_velocity;
}

// A blob hung from the ground, a rod on the blob, and a second blob on the rod.
BuiltModel chain() {
  ModelBuilder builder;
  BodySpec first = stretching({0.2, 0.1, -0.3}), second = stretching({0.9, 0.3, -0.8});
  first.name = "first", second.name = "second";
  for (BodySpec* spec : {&first, &second}) spec->velocity = spec->angular_velocity = {}, spec->form_velocity = {};
  builder.body(first)
      .body({.name = "rod", .mass = 0.7, .inertia = Sym3::diagonal(0.02, 0.02, 0.004), .position = {0.6, 0.2, -0.5}})
      .body(second)
      .joint({.name = "hook", .kind = JointKind::ball, .between = {"ground", "first"}, .anchor = Vec3{}})
      .joint({.name = "knee",
              .kind = JointKind::hinge,
              .between = {"first", "rod"},
              .anchor = Vec3{0.4, 0.1, -0.4},
              .axis = Vec3{0.2, 1, 0.1}})
      .joint({.name = "ankle",
              .kind = JointKind::slider,
              .between = {"rod", "second"},
              .anchor = Vec3{0.8, 0.2, -0.7},
              .axis = Vec3{1, 0.3, 0.2}})
      .spring({.between = {"ground", "second"},
               .anchors = {Vec3{1.2, 0.5, 0}, Vec3{0.95, 0.4, -0.75}},
               .stiffness = 40,
               .damping = 0});
  return builder.build();
}

TEST(Form, a_stretching_body_moves_as_three_particles_that_stay_perpendicular) {
  ThreeParticles particles(stretching());
  particles.advance(1e-4, 10000);
  for (const auto& [method, integrator, h, tolerance] : {std::tuple{Method::lagrange, Integrator::rk4, 1e-3, 1e-10},
                                                         {Method::impulse, Integrator::automatic, 1e-3, 2e-6}}) {
    Simulation s(floating(), {.method = MethodWords{.method = method, .integrator = integrator}, .step = h});
    ASSERT_TRUE(s.advance_to(1).ok());
    EXPECT_LT(particles.distance(s.body("blob"), form_of(s, "blob.form")), tolerance) << static_cast<int>(method);
    const Vec3 fallen = s.body("blob").position - Vec3{0.2, -0.1, 0.4 - 0.5 * 9.81};
    EXPECT_LT(norm(fallen), 1e-10) << static_cast<int>(method);
  }
}

TEST(Form, spook_comes_nearer_to_the_particles_with_its_own_order) {
  ThreeParticles particles(stretching());
  particles.advance(1e-4, 10000);
  std::array<double, 2> error{};
  for (std::size_t i = 0; i < 2; ++i) {
    Simulation s(floating(), {.method = Method::spook, .step = i == 0 ? 2e-3 : 1e-3});
    ASSERT_TRUE(s.advance_to(1).ok());
    error[i] = particles.distance(s.body("blob"), form_of(s, "blob.form"));
  }
  EXPECT_LT(error[0], 2e-2);
  EXPECT_GT(error[0] / error[1], 1.8);
}

TEST(Form, without_rotation_each_axis_swings_like_a_spring) {
  BodySpec spec = stretching();
  spec.angular_velocity = {};
  spec.form_velocity = {};
  Simulation s(ModelBuilder{}.gravity({}).body(spec).build(),
               {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-3});
  ASSERT_TRUE(s.advance_to(0.8).ok());
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    EXPECT_NEAR(form_of(s, "blob.form")[i],
                1 + (spec.form_start[i] - 1) * std::cos(std::sqrt(kStiffness[k] / kMoments[k]) * 0.8), 1e-9);
  }
}

TEST(Form, a_body_of_dimension_twelve_keeps_energy_and_momentum_whatever_its_coordinates) {
  using Matrix = Eigen::Matrix<double, 6, 6>;
  Matrix mixed = Matrix::Identity();
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k) mixed(i, k) += 0.3 * std::sin(1 + 2.7 * i + 1.3 * k);
  const Options options{.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-3};
  const Star plain_form(Matrix::Identity()), mixed_form(mixed);
  Simulation plain = star(Matrix::Identity(), options), other = star(mixed, options);
  const double energy = other.energy().kinetic + mixed_form.elastic_energy(form_of(other, "star.form"));
  const Vec3 L = angular_momentum(other, mixed_form);
  ASSERT_TRUE(plain.advance_to(2).ok());
  ASSERT_TRUE(other.advance_to(2).ok());
  EXPECT_NEAR(other.energy().kinetic + mixed_form.elastic_energy(form_of(other, "star.form")), energy, 1e-9);
  EXPECT_LT(norm(angular_momentum(other, mixed_form) - L), 1e-10);
  const Eigen::Matrix<double, 6, 1> difference =
      plain_form.radii(form_of(plain, "star.form")) - mixed_form.radii(form_of(other, "star.form"));
  EXPECT_LT(difference.norm(), 1e-10);
  EXPECT_LT(norm((plain.body("star").orientation * other.body("star").orientation.conjugate()).vec()), 1e-10);
}

TEST(Form, joints_between_such_bodies_and_others_stay_closed_and_keep_the_energy) {
  Simulation s(chain(), {.method = MethodWords{.integrator = Integrator::rk4}, .step = 5e-4});
  const double energy = s.energy().total();
  for (int i = 1; i <= 10; ++i) {
    const StepReport report = s.advance_to(0.1 * i);
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_LT(report.drift_position, 1e-9);
  }
  EXPECT_NEAR(s.energy().total(), energy, 1e-7);
  EXPECT_GT(std::abs(form_of(s, "second.form")[0] - 1.1), 0.01);
}

TEST(Form, every_solver_gives_the_joints_of_such_bodies_the_same_accelerations) {
  std::vector<BodyVector> wanted;
  for (const LinearSolver solver : {LinearSolver::dense, LinearSolver::tree, LinearSolver::sparse,
                                    LinearSolver::dense_kkt, LinearSolver::cg, LinearSolver::cg_tree}) {
    Simulation s(chain(), {.method = MethodWords{.integrator = Integrator::rk4, .solver = solver}});
    const std::vector<BodyVector>& vdot = s.evaluate().vdot;
    if (wanted.empty()) wanted = vdot;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const BodyVector d = vdot[i] - wanted[i];
      EXPECT_LT(std::sqrt(dot(d, d)), 1e-8 * (1 + std::sqrt(dot(wanted[i], wanted[i])))) << i;
    }
  }
}

TEST(Form, all_methods_move_the_chain_the_same_way) {
  Simulation reference(chain(), {.method = MethodWords{.integrator = Integrator::rk4}, .step = 5e-4});
  ASSERT_TRUE(reference.advance_to(0.5).ok());
  for (const auto& [method, tolerance] : {std::pair{Method::impulse, 1e-4}, {Method::spook, 2e-2}}) {
    Simulation s(chain(), {.method = method, .step = 5e-4});
    const StepReport report = s.advance_to(0.5);
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_LT(norm(s.body("second").position - reference.body("second").position), tolerance)
        << static_cast<int>(method);
    EXPECT_LT(report.drift_position, 1e-6) << static_cast<int>(method);
  }
}

TEST(Form, what_such_a_body_cannot_have_is_refused_by_name) {
  const auto message = [](ModelBuilder builder) {
    try {
      builder.build();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const JointSpec hook{
      .name = "hook", .kind = JointKind::hinge, .between = {"ground", "blob"}, .anchor = Vec3{}, .axis = Vec3{0, 1, 0}};
  JointSpec heavy_rotor = hook;
  heavy_rotor.extras.armature[0] = 0.1;
  EXPECT_THAT(message(ModelBuilder{}.body(stretching()).joint(heavy_rotor)), testing::HasSubstr("takes no armature"));
  BodySpec shaped = stretching();
  shaped.shapes.push_back({Cylinder{0.1, 0.2}});
  EXPECT_THAT(message(ModelBuilder{}.body(shaped)), testing::HasSubstr("spheres, capsules, boxes and hulls"));
  BodySpec heavy = stretching();
  heavy.inertia = Sym3::diagonal(1, 1, 1);
  EXPECT_THAT(message(ModelBuilder{}.body(heavy)), testing::HasSubstr("that of its form"));
  JointSpec wrong = hook;
  wrong.between = {"ground", "blob.form"};
  EXPECT_THAT(message(ModelBuilder{}.body(stretching()).joint(wrong)), testing::HasSubstr("coordinates of a form"));
  EXPECT_THROW(Simulation(ModelBuilder{}.body(stretching()).joint(hook).build(), {.method = Method::operational}),
               InputError);
}

}  // namespace form_test
}  // namespace catena
