#include "catena/math/rotation.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace catena {
namespace rotation_test {

constexpr double kPi = std::numbers::pi;
// A few roundings of numbers of size 1.
constexpr double kRounding = 4e-15;

std::vector<Vec3> rotation_vectors() {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Vec3> out{{0, 0, 0},        {kPi, 0, 0},  {0, -3.1, 0},   {0, 0, 1e-5},
                        {1e-9, -1e-9, 0}, {1e-4, 0, 0}, {0.99e-4, 0, 0}};
  for (int i = 0; i < 200; ++i) {
    const Vec3 v{uniform(engine), uniform(engine), uniform(engine)};
    out.push_back(std::pow(10.0, -i % 7) * 1.7 * v);
  }
  return out;
}

// Rodrigues' formula in long double.
Mat3 rodrigues(const Vec3& phi) {
  const long double x = phi.x, y = phi.y, z = phi.z, a2 = x * x + y * y + z * z, a = std::sqrt(a2);
  const long double s = a > 1e-8L ? std::sin(a) / a : 1 - a2 / 6, c = a > 1e-8L ? (1 - std::cos(a)) / a2 : 0.5L;
  const auto d = [](long double v) { return static_cast<double>(v); };
  return {{d(1 - c * (y * y + z * z)), d(c * x * y - s * z), d(c * x * z + s * y)},
          {d(c * x * y + s * z), d(1 - c * (x * x + z * z)), d(c * y * z - s * x)},
          {d(c * x * z - s * y), d(c * y * z + s * x), d(1 - c * (x * x + y * y))}};
}

double distance(const Mat3& a, const Mat3& b) {
  const Mat3 d = a - b;
  return norm(d.r0) + norm(d.r1) + norm(d.r2);
}

TEST(Rotation, exp_gives_the_matrix_of_Rodrigues_formula) {
  for (const Vec3& phi : rotation_vectors())
    EXPECT_LE(distance(to_matrix(exp_rotation(phi)), rodrigues(phi)), kRounding)
        << phi.x << " " << phi.y << " " << phi.z;
}

TEST(Rotation, exp_gives_unit_quaternions) {
  for (const Vec3& phi : rotation_vectors()) EXPECT_NEAR(norm(exp_rotation(phi)), 1, kRounding);
}

TEST(Rotation, log_undoes_exp_up_to_half_a_turn) {
  for (const Vec3& phi : rotation_vectors()) {
    if (norm(phi) >= kPi) continue;
    EXPECT_LE(norm(log_rotation(exp_rotation(phi)) - phi), kRounding * std::max(norm(phi), 1e-3)) << norm(phi);
  }
}

TEST(Rotation, log_takes_the_short_way_round) {
  const Vec3 axis = normalized(Vec3{1, -2, 0.5});
  EXPECT_LE(norm(log_rotation(exp_rotation(5.0 * axis)) - (5.0 - 2 * kPi) * axis), kRounding);
}

TEST(Rotation, the_matrix_of_a_product_is_the_product_of_the_matrices) {
  const auto vectors = rotation_vectors();
  for (std::size_t i = 1; i < vectors.size(); ++i) {
    const Quat a = exp_rotation(vectors[i - 1]), b = exp_rotation(vectors[i]);
    EXPECT_LE(distance(to_matrix(a * b), to_matrix(a) * to_matrix(b)), kRounding);
  }
}

TEST(Rotation, rotating_a_vector_is_multiplying_it_by_the_matrix) {
  const Vec3 v{0.3, -1.2, 0.7};
  for (const Vec3& phi : rotation_vectors()) {
    const Quat q = exp_rotation(phi);
    EXPECT_LE(norm(rotate(q, v) - to_matrix(q) * v), kRounding);
    EXPECT_LE(norm(rotate(q.conjugate(), rotate(q, v)) - v), kRounding);
  }
}

// One quaternion for each of the four branches: trace positive, and each of the diagonal entries largest.
TEST(Rotation, a_quaternion_comes_back_from_its_matrix) {
  for (const Quat& q : {normalized(Quat{0.9, 0.1, -0.3, 0.2}), normalized(Quat{0.1, 0.9, -0.3, 0.2}),
                        normalized(Quat{-0.1, 0.2, 0.9, 0.3}), normalized(Quat{0.1, -0.3, 0.2, 0.9}), Quat{0, 1, 0, 0},
                        Quat{0, 0, 1, 0}, Quat{0, 0, 0, 1}}) {
    const Quat back = from_matrix(to_matrix(q));
    const double sign = q.w * back.w + dot(q.vec(), back.vec()) < 0 ? -1 : 1;
    EXPECT_NEAR(sign * back.w, q.w, kRounding);
    EXPECT_LE(norm(sign * back.vec() - q.vec()), kRounding);
  }
  for (const Vec3& phi : rotation_vectors())
    EXPECT_LE(distance(to_matrix(from_matrix(rodrigues(phi))), rodrigues(phi)), 2 * kRounding);
}

TEST(Rotation, a_frame_along_an_axis_is_right_handed_orthonormal_and_ends_with_it) {
  for (const Vec3& phi : rotation_vectors()) {
    if (norm(phi) == 0) continue;
    const Vec3 axis = normalized(phi);
    const Mat3 F = frame_along(axis);
    EXPECT_EQ(F.column(2), axis);
    EXPECT_LE(distance(transpose(F) * F, Mat3::identity()), kRounding);
    EXPECT_NEAR(determinant(F), 1, kRounding);
  }
}

TEST(Rotation, the_kernels_are_written_for_any_real) {
  const Vec3T<float> phi{0.3f, -0.2f, 0.5f};
  const QuatT<float> q = exp_rotation(phi);
  EXPECT_LE(norm(log_rotation(q) - phi), 1e-6f);
  const Mat3 exact = to_matrix(exp_rotation(Vec3{0.3, -0.2, 0.5}));
  EXPECT_NEAR(to_matrix(q)(0, 1), exact(0, 1), 1e-6);
}

}  // namespace rotation_test
}  // namespace catena
