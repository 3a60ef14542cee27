// The inertia of a robot along the coordinates of its file, at the reference pose: what a compiler needs for springs and gains that are given
// by their time constants.
#pragma once

#include <Eigen/Dense>
#include <utility>
#include <vector>

#include "catena/import/robot.h"

namespace catena {

class ReferenceInertia {
 public:
  explicit ReferenceInertia(const BuiltRobot& built);

  const Eigen::MatrixXd& M() const { return M_; }  // rotors counted           (n_v, n_v)

  // 1/(J M⁻¹ Jᵀ) of a row J with these factors at these rates; 0 where nothing moves.
  double along(const std::vector<std::pair<int, double>>& J) const;
  // |M⁻¹ Jᵀ| of such a row: the rates that a unit of force along it gives a second.
  double acceleration(const std::vector<std::pair<int, double>>& J) const;
  // Appends the row of along · (velocity of a point of a RobotBody, world coordinates at the reference pose) + turning · (its angular velocity).
  void append_speed(int body, const Vec3& point, const Vec3& along, const Vec3& turning,
                    std::vector<std::pair<int, double>>& J) const;
  const std::vector<int>& rates_that_move(int body) const { return moves_[static_cast<std::size_t>(body)]; }
  // The mean of the diagonal of J M⁻¹ Jᵀ of the velocity of a point of a RobotBody (world coordinates at the reference pose), and of its
  // angular velocity, per unit of each.
  std::pair<double, double> mobility(int body, const Vec3& point) const;

 private:
  Eigen::MatrixXd M_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
  std::vector<std::vector<int>> moves_;  // of every RobotBody: the rates that move it
  std::vector<std::pair<Vec3, Vec3>>
      velocity_;  // of every rate: the velocity of the world's origin, and the angular velocity
};

}  // namespace catena
