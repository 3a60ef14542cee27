// The curves of a muscle: where they are known, that pieces meet with their slopes, and that the derivatives are those of the forces.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/model/transmission.h"

namespace catena {
namespace muscle_test {

// L₀ = (0.5 − 0.2)/(1.05 − 0.75) = 1 m, so that L = 0.75 + ℓ − 0.2.
const Muscle kMuscle{.length_lower = 0.2, .length_upper = 0.5, .force = 100};
double at(double L) { return L - 0.75 + 0.2; }

TEST(Muscle, is_strongest_at_its_optimal_length_and_ends_at_both_ends) {
  EXPECT_NEAR(pull_of(kMuscle, at(1), 0).gain, -100, 1e-12);
  EXPECT_NEAR(pull_of(kMuscle, at(0.5), 0).gain, 0, 1e-12);
  EXPECT_NEAR(pull_of(kMuscle, at(1.6), 0).gain, 0, 1e-12);
  EXPECT_NEAR(pull_of(kMuscle, at(0.75), 0).gain, -50, 1e-12) << "halfway up";
  EXPECT_EQ(pull_of(kMuscle, at(0.9), 0).bias, 0) << "no passive force below the optimal length";
  EXPECT_NEAR(pull_of(kMuscle, at(1.3), 0).bias, -65, 1e-12) << "half of 1.3 halfway to the longest";
  EXPECT_NEAR(pull_of(kMuscle, at(1), -1.5).gain, 0, 1e-12) << "at its fastest it pulls no more";
  EXPECT_NEAR(pull_of(kMuscle, at(1), 10).gain, -120, 1e-12) << "lengthened fast it holds 1.2 of its force";
}

TEST(Muscle, has_the_derivatives_of_its_forces) {
  constexpr double d = 1e-6;
  for (double L = 0.45; L < 1.8; L += 0.0437)
    for (double rate = -1.7; rate < 0.6; rate += 0.117) {
      const MusclePull now = pull_of(kMuscle, at(L), rate);
      const MusclePull up = pull_of(kMuscle, at(L) + d, rate), down = pull_of(kMuscle, at(L) - d, rate);
      const MusclePull fast = pull_of(kMuscle, at(L), rate + d), slow = pull_of(kMuscle, at(L), rate - d);
      // The curves have kinks of their second derivatives, at most 3e3 N: first differences are good to that times d.
      EXPECT_NEAR((up.gain - down.gain) / (2 * d), now.gain_by_length, 5e-3);
      EXPECT_NEAR((up.bias - down.bias) / (2 * d), now.bias_by_length, 5e-3);
      EXPECT_NEAR((fast.gain - slow.gain) / (2 * d), now.gain_by_rate, 5e-3);
    }
}

// While it lets go ẋ = −x (½ + 3/2 x)/T, which has the solution x/(1 + 3x) = x₀/(1 + 3x₀) e^{−t/2T}.
TEST(Muscle, lets_go_as_the_closed_form_says_whatever_the_step) {
  Control c;
  c.dynamics = Control::Dynamics::muscle;
  c.time_constant = 0.01;
  c.release_time = 0.04;
  for (const double h : {1e-4, 1e-2, 0.1, 0.5}) {
    const double y = 0.8 / (1 + 3 * 0.8) * std::exp(-h / (2 * 0.04));
    EXPECT_NEAR(follow(c, 0.8, 0, 0, h).end, y / (1 - 3 * y), 1e-7) << h;
  }
  EXPECT_NEAR(follow(c, 0.8, 0, 0, 1000).end, 0, 1e-12);
  // The mean over a step is what both halves have together.
  const Activation half = follow(c, 0.2, 1, 0, 0.01), rest = follow(c, half.end, 1, 0, 0.01);
  EXPECT_NEAR(follow(c, 0.2, 1, 0, 0.02).mean, 0.5 * (half.mean + rest.mean), 1e-7);
}

}  // namespace muscle_test
}  // namespace catena
