// Frames that follow signals: u and c against differences of phi and J v, for every kind of joint that may have them.
#include "catena/constraint/moving_frame.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "constraint/joint_cases.h"

namespace catena {
namespace moving_frame_test {

using namespace testing_rows;

FrameMotion busy_motion(Random& random) {
  FrameMotion moves;
  const auto sine = [&](double size) {
    return Motion(Sine{random.uniform(0.5 * size, size), random.uniform(0.2, 0.5), random.uniform(-1, 1),
                       random.uniform(-size, size)});
  };
  for (std::optional<Motion>& shift : moves.shift) shift = sine(0.3);
  moves.angle = sine(0.6);
  moves.axes = random.rotation();
  moves.axis = rotate(random.rotation(), Vec3{0, 0, 1});
  return moves;
}

// The cases whose joint may have a frame that moves, with one.
std::vector<Case> moving_cases() {
  std::vector<Case> out;
  Random random(11);
  for (Case c : all_cases()) {
    Joint& joint = c.motion.model.joints[0];
    JointExtras extras;
    extras.moves = busy_motion(random);
    c.motion.model.extras.push_back(extras);
    joint.extras = static_cast<int>(c.motion.model.extras.size()) - 1;
    if (c.has_motor || !fault_of(c.motion.model, joint).empty()) continue;
    out.push_back(std::move(c));
  }
  return out;
}

TEST(MovingFrame, J_v_minus_u_is_the_rate_of_phi) {
  int tried = 0;
  for (const Case& c : moving_cases()) {
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    for (int i = 0; i < now.rows.rows(); ++i) {
      const double rate = derivative_at_zero([&](double t) { return Evaluated(c, t).rows.phi[i]; });
      expect_near(now.velocity(i) - now.rows.u[i], rate, fmt::format("row {}", i).c_str());
      ++tried;
    }
  }
  EXPECT_GT(tried, 150);
}

TEST(MovingFrame, J_vdot_plus_c_is_the_rate_of_J_v_minus_u) {
  for (const Case& c : moving_cases()) {
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    for (int i = 0; i < now.rows.rows(); ++i) {
      const double rate = derivative_at_zero([&](double t) {
        const Evaluated then(c, t);
        return then.velocity(i) - then.rows.u[i];
      });
      expect_near(now.rows.times(i, c.motion.vdot) + now.rows.c[i], rate, fmt::format("row {}", i).c_str());
    }
  }
}

}  // namespace moving_frame_test
}  // namespace catena
