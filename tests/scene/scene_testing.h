// What the tests of scene files share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catena/model/error.h"
#include "catena/scene/scene.h"

namespace catena {

inline Scene load_ok(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return load_text(text, "s.yaml", ".", overrides);
}

// The message of the InputError that the text gives.
inline std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    load_ok(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// A body "arm" at the origin, on the first line; more keys of the scene may follow.
inline const std::string kArm = "bodies: {arm: {mass: 1, inertia: 1}}\n";
// Two bodies, on the first line.
inline const std::string kArms =
    "bodies: {arm: {mass: 1, inertia: 1}, hand: {mass: 1, inertia: 1, position: [1, 0, 0]}}\n";

inline void expect_near(const Vec3& a, const Vec3& b, double tolerance = 1e-14) {
  EXPECT_LE(norm(a - b), tolerance) << "(" << a.x << ", " << a.y << ", " << a.z << ") against (" << b.x << ", " << b.y
                                    << ", " << b.z << ")";
}

}  // namespace catena
