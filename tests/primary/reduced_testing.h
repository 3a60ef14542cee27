// A linkage at its initial state, in joint coordinates.
#pragma once

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "bench/workloads.h"
#include "catena/primary/reduced_dynamics.h"

namespace catena::testing_reduced {

struct Reduced {
  Scene scene;
  Kinematics kinematics;
  ReducedModel model;
  ReducedSystem system;
  JointState state;

  explicit Reduced(Scene s) : scene(std::move(s)), kinematics(scene.model), model(scene.model), system(model) {
    kinematics.update(scene.model, scene.initial);
    model.read(kinematics, state);
    system.update(state);
  }
  Reduced(const Reduced&) = delete;
  Eigen::Index n_v() const { return model.n_v(); }
};

inline std::vector<double> random_numbers(int count, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> out(static_cast<std::size_t>(count));
  for (double& x : out) x = uniform(engine);
  return out;
}

inline std::vector<BodyVector> random_forces(const Model& model, unsigned seed) {
  const std::vector<double> numbers = random_numbers(6 * static_cast<int>(model.bodies.size()), seed);
  std::vector<BodyVector> out;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const double* x = numbers.data() + 6 * i;
    out.push_back(restricted(model.bodies[i].kind, {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, 0}));
  }
  return out;
}

// J of every body's centre of mass, one on the other: 6 n_body x n_v.
inline Eigen::MatrixXd all_jacobians(const Reduced& r) {
  const auto n = static_cast<Eigen::Index>(r.scene.model.bodies.size());
  Eigen::MatrixXd J(6 * n, r.n_v());
  for (Eigen::Index i = 0; i < n; ++i) J.middleRows(6 * i, 6) = jacobian(r.system, BodyId(static_cast<int>(i)));
  return J;
}

inline Eigen::VectorXd flat(const BodyVector& v) {
  Eigen::VectorXd x(6);
  x << v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z;
  return x;
}

inline Eigen::Map<Eigen::VectorXd> map(std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

}  // namespace catena::testing_reduced
