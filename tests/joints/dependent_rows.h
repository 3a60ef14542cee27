// Mechanisms whose rows depend on each other, and what the whole system written densely says of them.
#pragma once

#include <Eigen/Dense>

#include "bench/loop_scenes.h"
#include "joints/kkt_reference.h"

namespace catena::testing_kkt {

// Rows that depend on each other: loops of hinges, and joints that are there twice.
struct Dependent {
  Scene scene;
  KktReference reference;
  Eigen::VectorXd f, b;

  explicit Dependent(std::uint64_t seed)
      : scene(workloads::random_graph(seed, 8, 2, 2)), reference(scene.model, scene.initial) {
    f = reference.weight_and_gyration();
    b = reference.minus_c();
    reference.solve(f, b);
  }
  Eigen::MatrixXd Minv() const { return reference.M.inverse(); }
  Eigen::Index rank() const {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(reference.J.transpose());
    qr.setThreshold(1e-9);
    return qr.rank();
  }
};

}  // namespace catena::testing_kkt
