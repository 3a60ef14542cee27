// Every nonsmooth reference problem under every method that has laws: sampled outputs, times and impulses of events, forces.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "step/nonsmooth_scene.h"

namespace catena {
namespace nonsmooth_references_test {

using namespace references;

struct Way {
  const char* name;
  Method method;
  LawSolver solver = LawSolver::automatic;
  Coordinates coordinates = Coordinates::automatic;
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

Simulation simulate(const Json& problem, const Way& way, double step) {
  return Simulation(
      nonsmooth_scene(problem),
      {.method = MethodWords{.method = way.method, .coordinates = way.coordinates, .law_solver = way.solver},
       .step = step});
}

class NonsmoothReferences : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    for (const char* id : {"n16a_incline_stick", "n16b_incline_slide", "n16c_incline_slide_stop", "n18_slide_to_roll",
                           "n19a_billiard_curve", "n19b_spinning_tripod", "n20a_cradle_elastic", "n20b_cradle_e08",
                           "n22_pendulum_joint_limit"})
      sampled_.push_back(id);
  }
  std::vector<std::string> sampled_;
};

INSTANTIATE_TEST_SUITE_P(
    Methods, NonsmoothReferences,
    testing::Values(Way{"lagrange", Method::lagrange},
                    Way{"lagrange_reduced", Method::lagrange, LawSolver::automatic, Coordinates::reduced},
                    Way{"impulse", Method::impulse},
                    Way{"impulse_reduced", Method::impulse, LawSolver::automatic, Coordinates::reduced},
                    Way{"operational", Method::operational}, Way{"spook_direct", Method::spook, LawSolver::direct},
                    Way{"spook_split", Method::spook, LawSolver::split},
                    Way{"spook_gauss_seidel", Method::spook, LawSolver::gauss_seidel}),
    [](const testing::TestParamInfo<Way>& way) { return std::string(way.param.name); });

// Impulse and operational are of second order: friction on the feet of a tripod that spins at ω errs by (ωh)²/8, 5e-5 at h = 1 ms, and a pendulum that
// swings at 5 rad/s by about as much.
double tolerance_of(const std::string& id, const Way& way) {
  const bool second_order = way.method == Method::impulse || way.method == Method::operational;
  return second_order && (id == "n19b_spinning_tripod" || id == "n22_pendulum_joint_limit") ? 1e-4 : 1e-6;
}

// At h = 1 ms, to 1e-6 of max(1, |answer|): the tolerance the references are asked for.
TEST_P(NonsmoothReferences, EveryOutputReadFromAStateIsMet) {
  for (const std::string& id : sampled_) {
    const Json problem = read(id);
    std::vector<Json> outputs;
    for (const Json& o : problem["outputs"])
      if (o.contains("time")) outputs.push_back(o);
    std::stable_sort(outputs.begin(), outputs.end(),
                     [](const Json& a, const Json& b) { return a["time"] < b["time"]; });
    Simulation simulation = simulate(problem, GetParam(), 1e-3);
    int read_here = 0;
    for (const Json& o : outputs) {
      const StepReport report = simulation.advance_to(o["time"]);
      ASSERT_TRUE(report.ok()) << id << ": " << report.message;
      std::vector<double> got = value_of(o, simulation);
      if (o["kind"] == "joint_angle")
        got = {simulation.joint("hinge").position() + problem["joints"][0]["angle_at_t0"].get<double>()};
      if (o["kind"] == "joint_rate") got = {simulation.joint("hinge").velocity()};
      if (got.empty()) continue;  // forces: below
      ++read_here;
      EXPECT_LE(error_of(o, got), tolerance_of(id, GetParam())) << id << ": " << o["name"] << " at t = " << o["time"];
    }
    EXPECT_GT(read_here, 0) << id;
  }
}

Vec3 total_force(const Simulation& simulation) {
  Vec3 sum{};
  for (const ContactForce& c : simulation.contact_forces()) sum += c.force;
  return sum;
}

// While a block slides friction is μ N against it; while it rests it is what the slope pulls with (n16). Solvers of impulses leave 1e-10 of
// the velocities, 1.5 m/s: over a step of 1 ms and with 2 kg, 3e-7 N.
TEST_P(NonsmoothReferences, ForcesOfTheBlockOnTheIncline) {
  for (const auto& [id, friction] : {std::pair{"n16a_incline_stick", "friction_total"},
                                     {"n16b_incline_slide", "friction_total"},
                                     {"n16c_incline_slide_stop", "friction_total_after_stop"}}) {
    const Json problem = read(id);
    Simulation simulation = simulate(problem, GetParam(), 1e-3);
    double time = 0;
    for (const Json& o : problem["outputs"])
      if (o["name"] == friction) time = o["time"];
    ASSERT_TRUE(simulation.advance_to(time).ok());
    const Vec3 force = total_force(simulation);
    EXPECT_NEAR(force.z, output_named(problem, "normal_force_total").get<double>(), 1e-6) << id;
    EXPECT_NEAR(force.x, output_named(problem, friction)[0].get<double>(), 1e-6) << id;
  }
}

// Each foot of the spinning tripod carries a third of the weight (n19b).
TEST_P(NonsmoothReferences, FeetOfTheTripodShareItsWeight) {
  const Json problem = read("n19b_spinning_tripod");
  Simulation simulation = simulate(problem, GetParam(), 1e-3);
  ASSERT_TRUE(simulation.advance_to(0.5).ok());
  ASSERT_EQ(simulation.contact_forces().size(), 3u);
  for (const ContactForce& c : simulation.contact_forces())
    EXPECT_NEAR(c.normal, output_named(problem, "foot_normal_force").get<double>(), 1e-6);
}

// The rod hits its stop six times: when, how fast, and how fast it leaves (n22).
TEST_P(NonsmoothReferences, HitsOfThePendulumAgainstItsLimit) {
  const Json problem = read("n22_pendulum_joint_limit");
  Simulation simulation = simulate(problem, GetParam(), 1e-3);
  std::vector<Impact> hits;
  while (simulation.time() < 6.5) {
    ASSERT_TRUE(simulation.step().ok());
    hits.insert(hits.end(), simulation.impacts().begin(), simulation.impacts().end());
  }
  ASSERT_EQ(hits.size(), 6u);
  for (std::size_t k = 0; k < hits.size(); ++k) {
    const Json hit = output_named(problem, fmt::format("hit{}", k + 1));
    const double tolerance = tolerance_of("n22_pendulum_joint_limit", GetParam());
    EXPECT_NEAR(hits[k].time, hit["time"].get<double>(), tolerance) << k;
    EXPECT_NEAR(hits[k].before, hit["omega_before"].get<double>(), tolerance) << k;
    EXPECT_NEAR(hits[k].after, hit["omega_after"].get<double>(), tolerance) << k;
  }
}

// Jain's pendulum of three spheres meets the floor: impulse and the rates after it (n28). A step of 1 ns moves nothing.
TEST_P(NonsmoothReferences, ImpulseOnJainsPendulum) {
  const Json problem = read("n28_jain_pendulum_impact");
  Simulation simulation = simulate(problem, GetParam(), 1e-9);
  ASSERT_TRUE(simulation.step().ok());
  ASSERT_EQ(simulation.impacts().size(), 1u);
  const Impact& impact = simulation.impacts()[0];
  EXPECT_NEAR(impact.impulse.z, output_named(problem, "normal_impulse")[2].get<double>(), 1e-8);
  EXPECT_NEAR(impact.before, output_named(problem, "vn_before_after")[0].get<double>(), 1e-8);
  EXPECT_NEAR(impact.after, output_named(problem, "vn_before_after")[1].get<double>(), 1e-8);
  const Json rates = output_named(problem, "rates_after");
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(simulation.body(fmt::format("s{}", k + 1)).angular_velocity.y, rates[k].get<double>(), 1e-6) << k;
}

// A rod's end meets the floor: without friction, sticking, sliding, and bouncing (n21).
TEST_P(NonsmoothReferences, ImpulsesOnTheRod) {
  for (const std::string id : {"n21a_rod_impact_frictionless", "n21b_rod_impact_stick", "n21c_rod_impact_slide",
                               "n21d_rod_impact_stick_e05"}) {
    Json problem = read(id);
    problem["gravity"] = {0, 0, 0};
    Simulation simulation = simulate(problem, GetParam(), 1e-9);
    ASSERT_TRUE(simulation.step().ok());
    EXPECT_LE(norm(simulation.body("rod").velocity - vec(output_named(problem, "com_velocity_after"))), 1e-7) << id;
    EXPECT_LE(norm(simulation.body("rod").angular_velocity - vec(output_named(problem, "omega_after"))), 1e-7) << id;
  }
}

// Five boxes at rest: each interface carries the weight above it, at its centre of pressure (n23).
TEST_P(NonsmoothReferences, StackCarriesItsWeight) {
  const Json problem = read("n23_box_stack_static");
  Simulation simulation = simulate(problem, GetParam(), 5e-3);
  ASSERT_TRUE(simulation.advance_to(0.5).ok());
  for (const Json& b : problem["bodies"])
    EXPECT_LE(norm(simulation.body(b["name"].get<std::string>()).position - vec(b["position"])), 1e-6);
  for (int k = 0; k < 5; ++k) {
    const Json face = output_named(problem, fmt::format("interface{}", k));
    const BodyId above = simulation.model().body(face["above"].get<std::string>());
    const BodyId below = face["below"] == "world" ? kGround : simulation.model().body(face["below"].get<std::string>());
    double normal = 0, moment = 0;
    for (const ContactForce& c : simulation.contact_forces()) {
      if (!((c.contact.a == above && c.contact.b == below) || (c.contact.b == above && c.contact.a == below))) continue;
      normal += c.normal;
      moment += c.normal * c.contact.position.x;
    }
    const double weight = face["normal_force_on_above"];
    EXPECT_NEAR(normal, weight, 1e-5 * weight) << k;
    EXPECT_NEAR(moment / normal, face["centre_of_pressure_xy"][0].get<double>(), 1e-5) << k;
  }
}

}  // namespace nonsmooth_references_test
}  // namespace catena
