// A scene in joint coordinates at its start: what every measurement of articulated bodies begins with.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "catena/model/scene.h"
#include "catena/primary/compliance.h"

namespace catena::bench {

struct JointSystem {
  explicit JointSystem(const Scene& s)
      : scene(s), model(scene.model), system(model), vdot(static_cast<std::size_t>(model.n_v())) {
    Kinematics kinematics(scene.model);
    kinematics.update(scene.model, scene.initial);
    model.read(kinematics, state);
    system.update(state);
  }
  JointSystem(const JointSystem&) = delete;
  JointSystem& operator=(const JointSystem&) = delete;

  // Accelerations from joint coordinates, sines and all.
  void forward() {
    system.update(state);
    system.forward({}, {}, scene.model.gravity, vdot);
  }
  // The nodes of some bodies, ascending as NodeCompliance wants them.
  std::vector<int> nodes(const std::vector<std::string>& bodies) const {
    std::vector<int> nodes;
    for (const std::string& name : bodies) nodes.push_back(model.forest().node_of[scene.model.body(name)]);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  Scene scene;
  ReducedModel model;
  ReducedSystem system;
  JointState state;
  std::vector<double> vdot;
};

}  // namespace catena::bench
