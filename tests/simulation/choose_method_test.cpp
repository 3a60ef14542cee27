// What `auto` takes, and that another choice of coordinates is the same physics.
#include "catena/simulation/choose_method.h"

#include <gtest/gtest.h>

#include "catena/catena.h"
#include "source_dir.h"

namespace catena {
namespace choose_method_test {

Scene example(const std::string& name) { return load(source_dir() + "/examples/" + name + ".yaml"); }

TEST(ChooseCoordinates, few_loops_are_rows_of_joint_coordinates_and_many_are_eliminated_among_the_bodies) {
  const auto taken = [](const std::string& name, Method method) {
    return Simulation(example(name), Options{.method = method}).settings().method.coordinates();
  };
  EXPECT_EQ(taken("tree127", Method::operational), Coordinates::reduced);
  EXPECT_EQ(taken("four_bar", Method::operational), Coordinates::reduced);
  EXPECT_EQ(taken("strandbeest", Method::operational), Coordinates::maximal);
  EXPECT_EQ(taken("strandbeest", Method::spook), Coordinates::maximal);
  // Thirty rows close the loops of DR Legs: the tree alone makes fronts the cheaper way.
  const Scene legs = load(source_dir() + "/tests/data/loops/dr_legs_hang.yaml");
  EXPECT_EQ(Simulation(legs, Options{.method = Method::operational}).settings().method.coordinates(),
            Coordinates::maximal);
  Settings asked;
  asked.method = Operational{.coordinates = Coordinates::reduced};
  EXPECT_EQ(choose_coordinates(system_sizes(example("strandbeest").model), asked), Coordinates::reduced);
}

// Loops, contacts and friction: the strandbeest stands and its motor sets it going.
TEST(ChooseCoordinates, a_strandbeest_stands_alike_in_both_coordinates) {
  const Scene scene = example("strandbeest");
  const auto run = [&](Coordinates coordinates, double h) {
    Simulation simulation(
        scene, Options{.method = MethodWords{.method = Method::operational, .coordinates = coordinates}, .step = h});
    EXPECT_TRUE(simulation.advance_to(0.12).ok());
    double weight = 0;
    for (const ContactForce& force : simulation.contact_forces()) weight += force.force.z;
    EXPECT_GT(weight, 0);
    return simulation.state();
  };
  const auto difference = [&](double h) {
    const State a = run(Coordinates::reduced, h), b = run(Coordinates::maximal, h);
    double most = 0;
    for (std::size_t i = 0; i < a.bodies.size(); ++i)
      most = std::max(most, norm(a.bodies[i].position - b.bodies[i].position));
    return most;
  };
  // Toes come to rest at times that differ by part of a step, so that no order is to be expected; what is left falls with the step.
  const double coarse = difference(4e-3), fine = difference(2e-3);
  EXPECT_LE(coarse, 1e-6);
  EXPECT_LE(fine, coarse);
}

}  // namespace choose_method_test
}  // namespace catena
