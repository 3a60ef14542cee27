// What the makers of scenes share.
#pragma once

#include <string>

#include "catena/model/scene.h"

namespace catena::workloads {

inline std::string short_name(const char* prefix, int i) { return prefix + std::to_string(i); }

// Fills what the interface of a Scene promises besides bodies and joints.
inline void finish(Scene& scene) {
  if (scene.model.materials.empty()) scene.model.materials.push_back({"default", 0.5, 0});
  scene.initial.joint_angles.assign(scene.model.joints.size(), {});
}

inline Sym3 box_inertia(double mass, const Vec3& s) {
  return Sym3::diagonal(mass / 12 * (s.y * s.y + s.z * s.z), mass / 12 * (s.x * s.x + s.z * s.z),
                        mass / 12 * (s.x * s.x + s.y * s.y));
}

}  // namespace catena::workloads
