// What several steps say together.
#include "catena/step/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace catena {
namespace report_test {

// Reports in which nothing is zero and no two are alike.
std::vector<StepReport> reports() {
  std::vector<StepReport> out;
  for (int i = 1; i <= 4; ++i) {
    StepReport& r = out.emplace_back();
    const int other = (3 * i) % 5;  // another order than the steps'
    r.status = i == 4 ? Status::not_converged : Status::ok;
    r.time = 0.1 * i;
    r.message = "step " + std::to_string(i);
    r.residual = 1e-12 * other, r.drift_position = 1e-9 / i, r.drift_angle = 1e-8 * other;
    r.contacts = 10 - i, r.impacts = i, r.shocks = 2 * i, r.branches = 3 * i, r.damped = 4 * i, r.swept = 5 * i,
    r.replaced = i - 1;
    if (i > 1) r.why_replaced = "reason " + std::to_string(i);
    r.penetration = 1e-5 * other, r.sweeps = 7 * other, r.fallbacks = other, r.asleep = i;
    r.halvings = other, r.law_solves = other + 2, r.complementarity = 1e-11 * other;
  }
  return out;
}

StepReport merged(StepReport a, const StepReport& b) {
  a.merge(b);
  return a;
}

TEST(StepReport, counts_add_up_errors_are_the_worst_and_the_end_is_that_of_the_last) {
  const std::vector<StepReport> r = reports();
  StepReport all = r[0];
  for (std::size_t i = 1; i < r.size(); ++i) all.merge(r[i]);
  EXPECT_EQ(all.status, Status::not_converged);
  EXPECT_EQ(all.message, "step 4");
  EXPECT_EQ(all.time, r[3].time);
  EXPECT_EQ(all.asleep, 4) << "bodies asleep at the end, not in all";
  EXPECT_EQ(all.impacts, 1 + 2 + 3 + 4);
  EXPECT_EQ(all.shocks, 20);
  EXPECT_EQ(all.branches, 30);
  EXPECT_EQ(all.damped, 40);
  EXPECT_EQ(all.swept, 50);
  EXPECT_EQ(all.replaced, 6);
  EXPECT_EQ(all.why_replaced, "reason 2") << "the first of them";
  double residual = 0, position = 0, angle = 0, penetration = 0;
  int contacts = 0, sweeps = 0, halvings = 0;
  for (const StepReport& one : r) {
    residual = std::max(residual, one.residual), position = std::max(position, one.drift_position);
    angle = std::max(angle, one.drift_angle), penetration = std::max(penetration, one.penetration);
    contacts = std::max(contacts, one.contacts), sweeps = std::max(sweeps, one.sweeps),
    halvings = std::max(halvings, one.halvings);
  }
  EXPECT_EQ(all.residual, residual);
  EXPECT_EQ(all.drift_position, position);
  EXPECT_EQ(all.drift_angle, angle);
  EXPECT_EQ(all.penetration, penetration);
  EXPECT_EQ(all.contacts, contacts);
  EXPECT_EQ(all.sweeps, sweeps);
  EXPECT_EQ(all.halvings, halvings);
}

// A run in parts says what the run says: (a + b) + (c + d) = ((a + b) + c) + d.
TEST(StepReport, it_makes_no_difference_how_steps_are_put_together) {
  const std::vector<StepReport> r = reports();
  const StepReport one = merged(merged(merged(r[0], r[1]), r[2]), r[3]),
                   other = merged(merged(r[0], r[1]), merged(r[2], r[3]));
  EXPECT_EQ(one.message, other.message);
  EXPECT_EQ(one.time, other.time);
  EXPECT_EQ(one.impacts, other.impacts);
  EXPECT_EQ(one.replaced, other.replaced);
  EXPECT_EQ(one.why_replaced, other.why_replaced);
  EXPECT_EQ(one.residual, other.residual);
  EXPECT_EQ(one.sweeps, other.sweeps);
  EXPECT_EQ(one.fallbacks, other.fallbacks);
}

}  // namespace report_test
}  // namespace catena
