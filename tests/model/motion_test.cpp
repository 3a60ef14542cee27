// Motions that constraints follow: value, rate and acceleration belong together.
#include "catena/model/motion.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace motion_test {

void expect_derivatives(const Motion& motion, double t) {
  const double h = 1e-5;  // central differences: h² f'''/6 and rounding/h, both below 1e-8 for motions of size 1
  EXPECT_NEAR(motion.rate(t), (motion.value(t + h) - motion.value(t - h)) / (2 * h), 1e-7) << t;
  EXPECT_NEAR(motion.acceleration(t), (motion.rate(t + h) - motion.rate(t - h)) / (2 * h), 1e-7) << t;
}

TEST(Motion, a_sine_has_its_own_derivatives) {
  const Motion motion(Sine{0.3, 1.7, 0.4, 2});
  for (const double t : {0.0, 0.13, 0.9}) expect_derivatives(motion, t);
  EXPECT_NEAR(motion.acceleration(0.2), -std::pow(2 * M_PI * 1.7, 2) * (motion.value(0.2) - 2), 1e-10);
}

TEST(Motion, a_table_is_passed_through_smoothly_from_rest_to_rest) {
  const Table table{{0.5, 1.0, 1.3, 2.5}, {1, 1.4, 1.1, 2}};
  const Motion motion(table);
  for (std::size_t i = 0; i < table.times.size(); ++i)
    EXPECT_NEAR(motion.value(table.times[i]), table.values[i], 1e-14);
  for (const double t : {0.1, 0.7, 0.99, 1.01, 1.2, 1.9, 2.4, 3.0}) expect_derivatives(motion, t);
  for (const double t : {0.5, 1.0, 1.3, 2.5}) {
    EXPECT_NEAR(motion.rate(t - 1e-9), motion.rate(t + 1e-9), 1e-6) << t;
    EXPECT_NEAR(motion.value(t - 1e-9), motion.value(t + 1e-9), 1e-7) << t;
  }
  for (const double t : {1.0, 1.3})
    EXPECT_NEAR(motion.acceleration(t - 1e-9), motion.acceleration(t + 1e-9), 1e-5) << t;
  EXPECT_EQ(motion.rate(0.4), 0);
  EXPECT_NEAR(motion.rate(0.5), 0, 1e-13);
  EXPECT_EQ(motion.value(9), 2);
}

TEST(Motion, two_points_are_the_cubic_of_Hermite) {
  const Motion motion(Table{{0, 2}, {1, 4}});
  for (const double t : {0.0, 0.5, 1.0, 1.6}) {
    const double s = t / 2;
    EXPECT_NEAR(motion.value(t), 1 + 3 * (3 * s * s - 2 * s * s * s), 1e-14);
  }
}

}  // namespace motion_test
}  // namespace catena
