#include "catena/model/form_blocks.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

namespace catena {

OwnMass own_mass(const BodyForm& form, const FormMass& mass) {
  using Matrix = Eigen::Matrix<double, kMaxOwn, kMaxOwn>;
  const int count = form.coordinates();
  Matrix C = Matrix::Identity();
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < count; ++k) C(i, k) = mass.own[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  const Matrix inverse = C.llt().solve(Matrix::Identity());
  OwnMass out;
  for (int i = 0; i < kMaxOwn; ++i)
    for (int k = 0; k < kMaxOwn; ++k) {
      const auto r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(k);
      out.C[r][c] = C(i, k);
      out.inverse[r][c] = 0.5 * (inverse(i, k) + inverse(k, i));
    }
  return out;
}

double form_kinetic_energy(const Body& frame, const BodyState& frame_state, const BodyState& own_state) {
  const FormMotion motion = form_motion(frame_state, own_state);
  const FormMass mass = frame.form->mass(motion.q);
  double energy =
      0.5 * (frame.mass * dot(frame_state.velocity, frame_state.velocity) + dot(motion.w, mass.inertia * motion.w));
  for (std::size_t i = 0; i < kMaxOwn; ++i)
    for (std::size_t k = 0; k < kMaxOwn; ++k) energy += 0.5 * motion.qd[i] * mass.own[i][k] * motion.qd[k];
  return energy;
}

FormMotions form_acceleration(const Body& frame, const BodyState& frame_state, const BodyState& own_state,
                              const FormMotions& force) {
  const FormMotion motion = form_motion(frame_state, own_state);
  const FormMass mass = frame.form->mass(motion.q);
  const FormForce felt = frame.form->velocity_force(motion);
  const Mat3 R = to_matrix(frame_state.orientation);
  const Vec3 torque = transpose_times(R, force.frame.angular) + felt.torque;
  return {{force.frame.linear / frame.mass, R * (inverse(mass.inertia) * torque), 0},
          times(own_mass(*frame.form, mass).inverse, force.own + own_vector(felt.own))};
}

// Newton's method from X = x; the slopes of the place over the material are taken by central differences, which slow it down a little and leave its end exact.
Vec3 material_point(const BodyForm& form, const OwnVector& q, const Vec3& x) {
  constexpr int kSteps = 50;
  const FormMotion at{q, {}, {}};
  const double size = 1e-5 * (norm(x) + 1e-3);
  Vec3 X = x;
  for (int step = 0; step < kSteps; ++step) {
    const Vec3 missing = x - form.point(X, at).x;
    if (norm(missing) <= 1e-15 * (norm(x) + norm(X))) break;
    Eigen::Matrix3d F;
    for (int k = 0; k < 3; ++k) {
      Vec3 d{};
      d[k] = size;
      const Vec3 column = (form.point(X + d, at).x - form.point(X - d, at).x) / (2 * size);
      F.col(k) << column.x, column.y, column.z;
    }
    const Eigen::Vector3d correction = F.partialPivLu().solve(Eigen::Vector3d(missing.x, missing.y, missing.z));
    X += Vec3{correction[0], correction[1], correction[2]};
  }
  return X;
}

}  // namespace catena
