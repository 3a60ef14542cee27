// Every smooth reference problem: answers from closed forms and minimal coordinates, verified independently (tests/data/references).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "step/reference_scene.h"

namespace catena {
namespace references_test {

using namespace references;

constexpr double kTolerance = 1e-8;
constexpr double kNoEnd = std::numeric_limits<double>::infinity();

Simulation simulate(const Json& problem) {
  return Simulation(build(problem),
                    {.method = MethodWords{.integrator = Integrator::adaptive, .tolerance = 1e-11}, .step = 1e-2});
}

// Two trajectories of a chaotic motion part exponentially; later answers are held to a looser bound.
double tolerance_of(const std::string& id, double time) {
  if (id == "s02_double_pendulum_3d" && time > 2) return 1e-6;
  // Past the flat poses an error of rounding size is amplified by each passage.
  if (id.starts_with("s06") && id != "s06c_crank_rocker" && time > 0.5) return 1e-7;
  return kTolerance;
}

struct Problem {
  const char* id;
  double until = kNoEnd;
};
void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.id; }

class References : public testing::TestWithParam<Problem> {};

TEST_P(References, every_output_read_from_a_state_is_met) {
  const Json problem = read(GetParam().id);
  std::vector<Json> outputs;
  for (const Json& o : problem["outputs"])
    if (o.contains("time") && o["time"] <= GetParam().until) outputs.push_back(o);
  std::stable_sort(outputs.begin(), outputs.end(), [](const Json& a, const Json& b) { return a["time"] < b["time"]; });

  Simulation simulation = simulate(problem);
  EXPECT_TRUE(simulation.warnings().empty()) << simulation.warnings()[0];
  double worst = 0;
  int read = 0;
  for (const Json& o : outputs) {
    const double time = o["time"];
    const StepReport report = simulation.advance_to(time);
    ASSERT_TRUE(report.ok()) << report.message;
    const std::vector<double> got = value_of(o, simulation);
    if (got.empty()) continue;  // tested by name below
    const double error = error_of(o, got);
    EXPECT_LE(error, std::max(tolerance_of(GetParam().id, time), o["abs_uncertainty"].get<double>()))
        << o["name"] << " at t = " << time;
    worst = std::max(worst, error);
    ++read;
  }
  EXPECT_GT(read, 0);
  RecordProperty("worst_error", fmt::format("{:.2e}", worst));
  RecordProperty("steps", static_cast<int>(simulation.steps()));
}

INSTANTIATE_TEST_SUITE_P(Smooth, References,
                         testing::Values(Problem{"s01_simple_pendulum"}, Problem{"s01b_particle_pendulum"},
                                         Problem{"s02_double_pendulum_3d"}, Problem{"s03_chain10_planar"},
                                         Problem{"s04_free_rigid_body"}, Problem{"s05_top_steady_precession"},
                                         Problem{"s06a_nfourbar_N1"}, Problem{"s06b_nfourbar_N5"},
                                         Problem{"s06c_crank_rocker"}, Problem{"s09_flyball_governor"},
                                         Problem{"s10_slider_crank_motor"}, Problem{"s11b_gear_pair"},
                                         Problem{"s11c_knife_edge_incline"}, Problem{"s12a_screw"},
                                         Problem{"s12b_rack_pinion"}, Problem{"s13a_tree7_accelerations"},
                                         Problem{"s14_planar_cart_double_pendulum"},
                                         Problem{"s15a_particle_rigid_mixture"}, Problem{"s15b_scaling_body"}),
                         [](const testing::TestParamInfo<Problem>& param) { return std::string(param.param.id); });

const Json& output_of(const Json& problem, const std::string& name) {
  for (const Json& o : problem["outputs"])
    if (o["name"] == name) return o;
  throw std::out_of_range("no output " + name);
}

// The time of the n-th crossing of zero from below, found by bisection between samples 0.05 s apart.
double upward_crossing(Simulation& simulation, int n, const std::function<double(Simulation&)>& f) {
  for (;;) {
    const State before = simulation.state();
    const bool below = f(simulation) < 0;
    if (!simulation.advance_to(before.time + 0.05).ok()) return NAN;
    if (!below || f(simulation) < 0 || --n > 0) continue;
    const State after = simulation.state();
    double lo = before.time, hi = after.time;
    while (hi - lo > 1e-12) {
      const double middle = 0.5 * (lo + hi);
      simulation.set_state(before);
      simulation.advance_to(middle);
      (f(simulation) < 0 ? lo : hi) = middle;
    }
    simulation.set_state(after);
    return hi;
  }
}

TEST(ReferenceEvents, the_pendulums_period_is_the_complete_elliptic_integral) {
  const Json problem = read("s01_simple_pendulum");
  Simulation simulation = simulate(problem);
  // It leaves rest with a negative angular velocity and next crosses zero from below at the other end, half a period later.
  const double half = upward_crossing(simulation, 1, [](Simulation& s) { return s.body("rod").angular_velocity.y; });
  const double whole = upward_crossing(simulation, 1, [](Simulation& s) { return s.body("rod").angular_velocity.y; });
  const double period = output_of(problem, "period")["value"];
  EXPECT_NEAR(half, period / 2, kTolerance);
  EXPECT_NEAR(whole - half, period, kTolerance);
}

TEST(ReferenceEvents, the_free_bodys_angular_velocity_repeats_with_its_period_in_the_body) {
  const Json problem = read("s04_free_rigid_body");
  Simulation simulation = simulate(problem);
  const auto middle = [](Simulation& s) {
    return rotate(s.body("b").orientation.conjugate(), s.body("b").angular_velocity).y;
  };
  const double first = upward_crossing(simulation, 1, middle);
  const double second = upward_crossing(simulation, 1, middle);
  EXPECT_NEAR(second - first, output_of(problem, "period_of_omega_body")["value"], kTolerance);
}

TEST(ReferenceEvents, the_tops_spin_about_its_axis_stays_what_steady_precession_needs) {
  const Json problem = read("s05_top_steady_precession");
  Simulation simulation = simulate(problem);
  const double wanted = output_of(problem, "spin_rate_w3")["value"];
  for (const double t : {0.0, 0.7, 2.0}) {
    ASSERT_TRUE(simulation.advance_to(t).ok());
    const BodyState& s = simulation.body("top");
    EXPECT_NEAR(dot(s.angular_velocity, rotate(s.orientation, Vec3{0, 0, 1})), wanted, kTolerance * wanted);
  }
}

TEST(ReferenceForces, the_blade_pushes_the_skate_sideways_as_its_multiplier_says) {
  const Json problem = read("s11c_knife_edge_incline");
  Simulation simulation = simulate(problem);
  const Json& blade = output_of(problem, "blade_force");
  ASSERT_TRUE(simulation.advance_to(blade["time"]).ok());
  const Vec3 lateral = rotate(simulation.body("skate").orientation, Vec3{0, 1, 0});
  EXPECT_LE(error_of(blade, {dot(lateral, simulation.joint("constraint0").reaction().linear)}), kTolerance);
}

TEST(ReferenceForces, the_screw_carries_what_the_nut_does_not_fall_with) {
  const Json problem = read("s12a_screw");
  Simulation simulation = simulate(problem);
  for (const double t : {0.0, 0.8}) {
    ASSERT_TRUE(simulation.advance_to(t).ok());
    EXPECT_LE(error_of(output_of(problem, "axial_joint_force"), {simulation.joint("screw").reaction().linear.z}),
              kTolerance);
  }
}

TEST(ReferenceAngles, joints_count_whole_turns) {
  for (const auto& [id, name, joint, start] :
       {std::tuple{"s06c_crank_rocker", "crank_angle_unwrapped", "O", std::numbers::pi / 3},
        std::tuple{"s11b_gear_pair", "gear1_angle", "a1", 0.0}, std::tuple{"s12a_screw", "angle", "screw", 0.0}}) {
    SCOPED_TRACE(id);
    const Json problem = read(id);
    Simulation simulation = simulate(problem);
    const Json& angle = output_of(problem, name);
    ASSERT_TRUE(simulation.advance_to(angle["time"]).ok());
    EXPECT_LE(error_of(angle, {start + simulation.joint(joint).position()}), kTolerance);
  }
}

TEST(ReferenceAngles, the_cart_and_its_pendulum_have_the_minimal_coordinates_of_the_plane) {
  const Json problem = read("s14_planar_cart_double_pendulum");
  Simulation simulation = simulate(problem);
  const Json& wanted = output_of(problem, "planar_state_t2");
  ASSERT_TRUE(simulation.advance_to(wanted["time"]).ok());
  const double q1 = simulation.joint("h1").position(), q2 = simulation.joint("h2").position();
  const BodyState &cart = simulation.body("cart"), &one = simulation.body("link1"), &two = simulation.body("link2");
  EXPECT_LE(error_of(wanted, {cart.position.x, 1.2 + q1, -0.6 + q1 + q2, cart.velocity.x, one.angular_velocity.z,
                              two.angular_velocity.z}),
            kTolerance);
}

}  // namespace references_test
}  // namespace catena
