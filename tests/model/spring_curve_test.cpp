#include "catena/model/spring_curve.h"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace spring_curve_test {

const SpringCurve kPolynomial{{120, -30, 400, 7}, {}, {}};
const SpringCurve kTable{{}, {-0.4, -0.1, 0.05, 0.3}, {-90, -10, 2, 55}};

// Central differences of fourth order over 1e-3: exact for these polynomials but for rounding, 1e-13/1e-3 of tensions of 100 N.
double derivative(const auto& f, double x) {
  constexpr double e = 1e-3;
  return (8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * e);
}

TEST(SpringCurve, the_energy_grows_by_the_tension_and_the_tension_by_the_slope) {
  for (const SpringCurve& curve : {kPolynomial, kTable})
    for (const double x : {-0.9, -0.37, -0.2, 0.013, 0.11, 0.27, 0.8}) {  // away from the corners of the table
      EXPECT_NEAR(derivative([&](double y) { return curve.energy(y); }, x), curve.tension(x), 1e-9);
      EXPECT_NEAR(derivative([&](double y) { return curve.tension(y); }, x), curve.slope(x), 1e-8);
    }
}

TEST(SpringCurve, no_energy_is_stored_at_rest_and_a_polynomial_has_no_tension_there) {
  EXPECT_EQ(kPolynomial.energy(0), 0);
  EXPECT_EQ(kTable.energy(0), 0);
  EXPECT_EQ(kPolynomial.tension(0), 0);
  const double x = 0.3;
  EXPECT_NEAR(kPolynomial.tension(x), 120 * x - 30 * x * x + 400 * x * x * x + 7 * x * x * x * x, 1e-13);
}

TEST(SpringCurve, a_table_is_met_at_its_points_and_its_first_and_last_line_go_on) {
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(kTable.tension(kTable.stretches[i]), kTable.tensions[i], 1e-13);
  EXPECT_NEAR(kTable.tension(-0.7), -90 - 0.3 * 80 / 0.3, 1e-12);
  EXPECT_NEAR(kTable.tension(0.55), 55 + 0.25 * 53 / 0.25, 1e-12);
}

}  // namespace spring_curve_test
}  // namespace catena
