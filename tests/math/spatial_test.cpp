#include "catena/math/spatial.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "catena/math/rotation.h"

namespace catena {
namespace spatial_test {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

class Random {
 public:
  double operator()() { return uniform_(engine_); }
  Vec3 vector() { return {(*this)(), (*this)(), (*this)()}; }
  Sym3 symmetric() { return {(*this)() + 3, (*this)() + 3, (*this)() + 3, (*this)(), (*this)(), (*this)()}; }
  Sym6 block() { return {symmetric(), {vector(), vector(), vector()}, symmetric()}; }
  Spatial spatial() { return {vector(), vector()}; }

 private:
  std::mt19937_64 engine_{7};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

Eigen::Matrix3d dense(const Mat3& A) {
  Eigen::Matrix3d M;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) M(i, k) = A(i, k);
  return M;
}
Matrix6 dense(const Sym6& D) {
  Matrix6 M;
  M << dense(to_matrix(D.A)), dense(D.B), dense(D.B).transpose(), dense(to_matrix(D.C));
  return M;
}
Vector6 dense(const Spatial& v) {
  Vector6 x;
  x << v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z;
  return x;
}
Eigen::Matrix3d cross_matrix(const Vec3& r) {
  Eigen::Matrix3d M;
  M << 0, -r.z, r.y, r.z, 0, -r.x, -r.y, r.x, 0;
  return M;
}
// Motion at the point r away: v + ω × r = v − r × ω.
Matrix6 shift(const Vec3& r) {
  Matrix6 X = Matrix6::Identity();
  X.topRightCorner<3, 3>() = -cross_matrix(r);
  return X;
}

TEST(Spatial, the_motion_at_a_point_is_X_times_the_motion) {
  Random random;
  const Spatial v = random.spatial();
  const Vec3 r = random.vector();
  EXPECT_LE((dense(motion_at(v, r)) - shift(r) * dense(v)).norm(), 1e-15);
}

TEST(Spatial, a_force_at_a_point_acts_at_the_origin_by_the_transpose_of_X) {
  Random random;
  const Spatial f = random.spatial(), v = random.spatial();
  const Vec3 r = random.vector();
  EXPECT_LE((dense(force_from(f, r)) - shift(r).transpose() * dense(f)).norm(), 1e-15);
  // The same power at both ends.
  EXPECT_NEAR(dot(force_from(f, r), v), dot(f, motion_at(v, r)), 1e-14);
}

TEST(Sym6, times_a_motion_is_the_dense_product) {
  Random random;
  const Sym6 D = random.block();
  const Spatial v = random.spatial();
  EXPECT_LE((dense(D * v) - dense(D) * dense(v)).norm(), 1e-14);
}

TEST(Sym6, shifted_is_the_dense_congruence_with_the_inverse_of_X) {
  Random random;
  for (int i = 0; i < 50; ++i) {
    const Sym6 D = random.block();
    const Vec3 r = random.vector();
    const Matrix6 inverse = shift(-r);
    EXPECT_LE((inverse * shift(r) - Matrix6::Identity()).norm(), 1e-15);
    EXPECT_LE((dense(shifted(D, r)) - inverse.transpose() * dense(D) * inverse).norm(), 1e-13);
  }
}

TEST(Sym6, shifting_there_and_back_ends_where_it_began) {
  Random random;
  const Sym6 D = random.block();
  const Vec3 r = random.vector();
  EXPECT_LE((dense(shifted(shifted(D, r), -r)) - dense(D)).norm(), 1e-13);
}

TEST(Sym6, minus_outer_takes_away_a_rank_one_matrix) {
  Random random;
  const Sym6 D = random.block();
  const Spatial u = random.spatial();
  EXPECT_LE((dense(minus_outer(D, 0.7 * u, u)) - (dense(D) - 0.7 * dense(u) * dense(u).transpose())).norm(), 1e-14);
}

TEST(Sym6, a_sum_is_the_sum_of_all_its_parts) {
  Random random;
  Sym6 a = random.block();
  const Sym6 b = random.block();
  const Matrix6 wanted = dense(a) + dense(b);
  EXPECT_LE((dense(a += b) - wanted).norm(), 1e-15);
}

TEST(Sym3, congruence_is_R_S_Rt) {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Sym3 S = random.symmetric();
    const Mat3 R = to_matrix(exp_rotation(2.0 * random.vector()));
    const Eigen::Matrix3d wanted = dense(R) * dense(to_matrix(S)) * dense(R).transpose();
    EXPECT_LE((dense(to_matrix(congruence(R, S))) - wanted).norm(), 1e-14);
  }
}

TEST(Sym3, the_inverse_of_a_definite_matrix_is_its_inverse) {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Sym3 S = random.symmetric();
    EXPECT_LE((dense(to_matrix(inverse(S))) * dense(to_matrix(S)) - Eigen::Matrix3d::Identity()).norm(), 1e-14);
  }
}

TEST(Mat3, inverse_transpose_determinant_and_products_are_Eigens) {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Mat3 A{random.vector(), random.vector(), random.vector()},
        B{random.vector(), random.vector(), random.vector()};
    const Vec3 v = random.vector();
    EXPECT_NEAR(determinant(A), dense(A).determinant(), 1e-14);
    EXPECT_LE((dense(A * B) - dense(A) * dense(B)).norm(), 1e-14);
    EXPECT_LE((dense(transpose(A)) - dense(A).transpose()).norm(), 0);
    EXPECT_LE(norm(transpose_times(A, v) - transpose(A) * v), 1e-15);
    // The error grows with the condition, here at most a few hundred.
    if (std::abs(determinant(A)) < 0.05) continue;
    EXPECT_LE((dense(inverse(A)) * dense(A) - Eigen::Matrix3d::Identity()).norm(), 1e-12);
  }
}

TEST(Vec3, a_perpendicular_is_a_unit_vector_at_a_right_angle) {
  Random random;
  for (int i = 0; i < 20; ++i) {
    const Vec3 a = normalized(random.vector()), p = perpendicular(a);
    EXPECT_NEAR(dot(a, p), 0, 1e-15);
    EXPECT_NEAR(norm(p), 1, 1e-15);
  }
  for (const Vec3& a : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, -1}}) EXPECT_EQ(dot(a, perpendicular(a)), 0);
}

}  // namespace spatial_test
}  // namespace catena
