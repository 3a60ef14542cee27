// What impulses do between two of Bender's, in both coordinates. With maximal_flight.cpp and reduced_flight.cpp.
#include "catena/mechanism/flight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "catena/mechanism/maximal_flight.h"
#include "catena/mechanism/reduced_flight.h"
#include "mechanism/equations_testing.h"

namespace catena {
namespace flight_test {

using namespace testing_mechanism;

struct Flying {
  Scene scene;
  Equations at;  // for what flights refer to
  std::unique_ptr<Flight> flight;
  State state;

  Flying(const Scene& of, bool reduced) : scene(of), at(scene, false), state(at.state) {
    if (reduced) flight = std::make_unique<ReducedFlight>(at.dynamics, at.size, JointTuning{});
    else flight = std::make_unique<MaximalFlight>(at.dynamics, at.projection, at.factored, Integrator::rk4, Tuning{});
    flight->place(state);
    EXPECT_TRUE(flight->factor(state));
  }
};

TEST(Flight, impulses_of_laws_change_velocities_alike_in_both_coordinates) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_linkage(seed, 7, 0);
    const LawRows laws = random_laws(scene.model, seed, 6);
    solve::Vector z(static_cast<Eigen::Index>(laws.rows.size()));
    for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = std::sin(1.0 + static_cast<double>(i));
    Flying maximal(scene, false), reduced(scene, true);
    VelocityChange a = maximal.flight->still(), b = reduced.flight->still();
    maximal.flight->respond(laws, z, a);
    reduced.flight->respond(laws, z, b);
    EXPECT_LE(size_of(difference(b.bodies, a.bodies)), 1e-9 * size_of(a.bodies));
    // And the dense system.
    KktReference reference(scene.model, scene.initial);
    const Eigen::MatrixXd J = J_of(laws, reference, scene.model.bodies.size());
    reference.solve(J.transpose() * z, Eigen::VectorXd::Zero(reference.J.rows()));
    EXPECT_LE(relative(reference.flat(a.bodies), reference.y), 1e-8);
  }
}

TEST(Flight, the_energy_gained_by_a_change_is_that_of_the_velocities_after_it_less_that_before) {
  for (const bool reduced : {false, true})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(testing::Message() << seed << (reduced ? " reduced" : " maximal"));
      Flying flying(workloads::random_linkage(seed, 6, 0), reduced);
      const LawRows laws = random_laws(flying.scene.model, seed, 5);
      VelocityChange dv = flying.flight->still();
      flying.flight->respond(laws, solve::Vector::LinSpaced(static_cast<Eigen::Index>(laws.rows.size()), 0.3, 1.7), dv);
      const double before = flying.flight->energy(flying.state);
      const double gained = flying.flight->energy_gained(dv, flying.state);
      flying.flight->keep(flying.state);
      const std::vector<BodyVector> v = velocities_of(flying.state);
      flying.flight->add(dv, flying.state);
      EXPECT_GT(size_of(difference(velocities_of(flying.state), v)), 0.01);
      EXPECT_NEAR(flying.flight->energy(flying.state) - before, gained, 1e-10 * (1 + std::abs(before)));
      flying.flight->recall(flying.state);
      EXPECT_LE(size_of(difference(velocities_of(flying.state), v)), 1e-12 * size_of(v));
    }
}

// J y = b for whatever is asked of the rows the coordinates leave over.
TEST(Flight, impulses_of_the_constraints_change_their_speeds_by_what_is_asked) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_linkage(seed, 7, 0);
    Flying flying(scene, false);
    const KktReference reference(scene.model, scene.initial);
    ASSERT_EQ(flying.flight->rows(), reference.J.rows());
    std::vector<double> b(static_cast<std::size_t>(flying.flight->rows())), x(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::cos(1.0 + static_cast<double>(i));
    VelocityChange y = flying.flight->still();
    flying.flight->solve(b, y, x);
    const Eigen::VectorXd got = reference.J * reference.flat(y.bodies);
    const Eigen::VectorXd push = reference.M * reference.flat(y.bodies);
    const Eigen::VectorXd lambda = Eigen::Map<const Eigen::VectorXd>(x.data(), got.size());
    EXPECT_LE((got - Eigen::Map<const Eigen::VectorXd>(b.data(), got.size())).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LE(relative(reference.J.transpose() * lambda, push), 1e-9) << "and by forces along the rows alone";
  }
}

TEST(Flight, changes_of_velocities_add_and_scale_in_bodies_and_rates) {
  VelocityChange a{{{{1, 2, 3}, {4, 5, 6}, 7}}, {8, 9}}, b{{{{0.5, 0, -1}, {2, 1, 0}, 3}}, {-1, 4}};
  a += b;
  a *= 2;
  EXPECT_EQ(a.bodies[0].linear.z, 4);
  EXPECT_EQ(a.bodies[0].angular.x, 12);
  EXPECT_EQ(a.bodies[0].scale, 20);
  EXPECT_EQ(a.rates, (std::vector<double>{14, 26}));
  EXPECT_NEAR(b.size(), std::sqrt(0.25 + 1 + 4 + 1 + 9), 1e-15);
  a.clear();
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(a.rates[1], 0);
}

}  // namespace flight_test
}  // namespace catena
