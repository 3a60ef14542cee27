// Contacts in Bender's loop (§5) to the tolerance asked for, where many of them share the weight and joints close loops.
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace impulse_contacts_test {

double weight(const Model& model) {
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass;
  return mass * norm(model.gravity);
}

// Twelve capsules on ball joints fall and come to lie on the floor: up to 24 contacts, 72 rows with friction whose matrix is singular.
TEST(ImpulseContacts, a_chain_on_the_floor_obeys_the_laws_and_lies_with_its_weight) {
  const Scene scene = load(source_dir() + "/tests/data/scenes/chain_on_floor.yaml");
  Simulation s(scene, {.method = Method::impulse, .step = 1e-3});
  int swept = 0, parts = 0, inexact = 0, replaced = 0;
  double worst = 0, projected = 0;
  while (s.time() < 1.5) {
    const StepReport report = s.step();
    ASSERT_TRUE(report.ok()) << report.message;
    worst = std::max(worst, report.complementarity);
    swept += report.swept;
    replaced += report.replaced;
    projected = std::max(projected, std::abs(s.energy().ledger.projection));
    inexact += report.complementarity > 1e-10 ? 1 : 0;
    if (report.contacts > 0) ++parts;
    EXPECT_TRUE(report.complementarity <= 1e-8 || report.swept > 0) << "t = " << s.time() << ": not said";
  }
  EXPECT_LE(worst, 1e-6);  // ten times what one step in thousands is left with
  EXPECT_GT(parts, 500);
  // Parts of steps of 1e-8 s, between two meetings, close no gaps at 10 m/s: joints neither gain nor lose, and no step has to be taken otherwise.
  EXPECT_EQ(replaced, 0);
  EXPECT_LT(projected, 0.01);
  // The motion is chaotic: how often no exact answer is found changes with the rounding. It is one step in a thousand, by any of three lengths of step.
  EXPECT_LE(inexact, parts / 100);
  EXPECT_LE(swept, parts / 100);
  // At rest, or nearly: the floor carries the weight.
  double normal = 0;
  for (const ContactForce& contact : s.contact_forces()) normal += contact.normal;
  EXPECT_NEAR(normal, weight(s.model()), 0.05 * weight(s.model()));
}

// Disney Research's legs, twelve redundant rows in their loops, stand on 16 points with the drives of their file.
TEST(ImpulseContacts, legs_with_loops_obey_the_laws) {
  const Scene scene = load(source_dir() + "/tests/data/loops/dr_legs_stand.yaml");
  Simulation s(scene, {.method = Method::impulse, .step = 1e-3});
  for (int i = 0; i < 100; ++i) {
    const StepReport report = s.step();
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_LE(report.complementarity, 1e-10) << "t = " << s.time();
    EXPECT_EQ(report.swept, 0);
  }
  EXPECT_GE(s.contact_forces().size(), 4u);
}

}  // namespace impulse_contacts_test
}  // namespace catena
