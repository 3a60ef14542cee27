#include "catena/import/reference_inertia.h"

#include "catena/math/scalar.h"

namespace catena {
namespace {

using Kind = RobotJoint::Kind;

}  // namespace

ReferenceInertia::ReferenceInertia(const BuiltRobot& built) {
  const Robot& robot = built.robot;
  M_ = Eigen::MatrixXd::Zero(built.n_v, built.n_v);
  moves_.resize(robot.bodies.size());
  velocity_.resize(at(built.n_v));
  std::size_t next = 0;
  for (std::size_t i = 0; i < robot.bodies.size(); ++i) {
    const RobotBody& body = robot.bodies[i];
    if (body.parent >= 0) moves_[i] = moves_[at(body.parent)];
    const Pose& world = built.world[i];
    for (const RobotJoint& joint : body.joints) {
      const FileJoint& file = built.joints[next++];
      const Vec3 anchor = world(joint.anchor), axis = rotate(world.q, joint.axis);
      const auto add = [&](int k, const Vec3& linear, const Vec3& angular, const Vec3& through) {
        velocity_[at(file.v + k)] = {linear - cross(angular, through), angular};
        moves_[i].push_back(file.v + k);
        M_(file.v + k, file.v + k) += joint.armature;
      };
      const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      if (joint.kind == Kind::free)
        for (int k = 0; k < 6; ++k)
          add(k, k < 3 ? axes[k] : Vec3{}, k < 3 ? Vec3{} : rotate(world.q, axes[k - 3]), world.p);
      else if (joint.kind == Kind::ball)
        for (int k = 0; k < 3; ++k) add(k, {}, rotate(world.q, axes[k]), anchor);
      else if (joint.kind == Kind::slide) add(0, axis, {}, anchor);
      else if (joint.kind == Kind::hinge) add(0, {}, axis, anchor);
      else return;  // planar: of URDF alone, which has no such springs
    }
  }
  for (std::size_t i = 0; i < robot.bodies.size(); ++i) {
    const MassProperties m = moved(built.world[i], robot.bodies[i].inertial);
    if (m.mass == 0 && trace(m.inertia) == 0) continue;
    for (const int a : moves_[i])
      for (const int b : moves_[i]) {
        const auto& [va, wa] = velocity_[at(a)];
        const auto& [vb, wb] = velocity_[at(b)];
        M_(a, b) += m.mass * dot(va + cross(wa, m.centre), vb + cross(wb, m.centre)) + dot(wa, m.inertia * wb);
      }
  }
  factor_.compute(M_);
}

double ReferenceInertia::along(const std::vector<std::pair<int, double>>& J) const {
  Eigen::VectorXd row = Eigen::VectorXd::Zero(M_.rows());
  for (const auto& [rate, factor] : J) row[rate] += factor;
  const double mobility = row.dot(factor_.solve(row));
  return mobility > 0 ? 1 / mobility : 0;
}

double ReferenceInertia::acceleration(const std::vector<std::pair<int, double>>& J) const {
  Eigen::VectorXd row = Eigen::VectorXd::Zero(M_.rows());
  for (const auto& [rate, factor] : J) row[rate] += factor;
  return factor_.solve(row).norm();
}

void ReferenceInertia::append_speed(int body, const Vec3& point, const Vec3& along, const Vec3& turning,
                                    std::vector<std::pair<int, double>>& J) const {
  if (body < 0) return;
  for (const int rate : moves_[at(body)]) {
    const auto& [v, w] = velocity_[at(rate)];
    J.emplace_back(rate, dot(along, v + cross(w, point)) + dot(turning, w));
  }
}

std::pair<double, double> ReferenceInertia::mobility(int body, const Vec3& point) const {
  if (body < 0) return {};
  double moves = 0, turns = 0;
  for (int k = 0; k < 3; ++k) {
    Eigen::VectorXd linear = Eigen::VectorXd::Zero(M_.rows()), angular = linear;
    for (const int rate : moves_[at(body)]) {
      const auto& [v, w] = velocity_[at(rate)];
      linear[rate] = (v + cross(w, point))[k];
      angular[rate] = w[k];
    }
    moves += linear.dot(factor_.solve(linear)) / 3;
    turns += angular.dot(factor_.solve(angular)) / 3;
  }
  return {moves, turns};
}

}  // namespace catena
