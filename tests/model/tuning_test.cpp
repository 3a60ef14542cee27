// The numbers that decide something in a step: every one is listed with its meaning, and what is set is what runs.
#include "catena/model/tuning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "catena/catena.h"
#include "source_dir.h"

namespace catena {
namespace tuning_test {

// The fields of a struct, as its header declares them.
std::set<std::string> fields_of(const std::string& name) {
  std::ifstream file(source_dir() + "/include/catena/model/tuning.h");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = text.find("struct " + name + " {"), end = text.find("\n};", begin);
  std::string body = std::regex_replace(text.substr(begin, end - begin), std::regex("//[^\n]*"), "");
  std::set<std::string> names;
  const std::regex field("(\\w+)\\s*=");
  for (std::sregex_iterator at(body.begin(), body.end(), field), last; at != last; ++at) names.insert((*at)[1]);
  return names;
}

template <class T>
void expect_complete(const std::string& name, T tuning) {
  SCOPED_TRACE(name);
  std::set<std::string> listed;
  for (const TuningEntry& entry : entries(tuning)) {
    EXPECT_TRUE(listed.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.meaning.empty()) << entry.name;
  }
  EXPECT_FALSE(listed.empty());
  EXPECT_EQ(listed, fields_of(name));
}

TEST(Tuning, is_listed_field_by_field) {
  expect_complete("PartTuning", PartTuning{});
  expect_complete("JointTuning", JointTuning{});
  expect_complete("VelocityTuning", VelocityTuning{});
  expect_complete("LagrangeTuning", LagrangeTuning{});
  expect_complete("ImpulseTuning", ImpulseTuning{});
  expect_complete("StabilityTuning", StabilityTuning{});
  expect_complete("SleepTuning", SleepTuning{});
}

TEST(Tuning, is_set_by_name_and_says_what_is_not_as_by_default) {
  Tuning tuning;
  EXPECT_TRUE(changes(tuning).empty());
  EXPECT_EQ(set_tuning(tuning, "velocity.motion_gain", 3e-8), "");
  EXPECT_EQ(set_tuning(tuning, "parts.impact_rows", 7), "");
  EXPECT_EQ(tuning.velocity.motion_gain, 3e-8);
  EXPECT_EQ(tuning.parts.impact_rows, 7);
  const std::vector<std::pair<std::string, double>> expected{{"parts.impact_rows", 7}, {"velocity.motion_gain", 3e-8}};
  EXPECT_EQ(changes(tuning), expected);
}

TEST(Tuning, refuses_names_and_values_there_are_not) {
  Tuning tuning;
  EXPECT_NE(set_tuning(tuning, "velocity.motion_gian", 1).find("did you mean 'velocity.motion_gain'"),
            std::string::npos);
  EXPECT_NE(set_tuning(tuning, "motion_gain", 1), "");
  EXPECT_NE(set_tuning(tuning, "velocity.motion_gain", -1), "");
  EXPECT_NE(set_tuning(tuning, "velocity.motion_gain", std::nan("")), "");
  EXPECT_NE(set_tuning(tuning, "parts.impact_rows", 1.5), "");
  EXPECT_NE(set_tuning(tuning, "parts.impact_rows", 1e10), "");
  EXPECT_TRUE(changes(tuning).empty());
}

// With one cut a step, what is left after the first bounce goes to its end, and a second one in it is not met.
TEST(Tuning, that_settings_have_is_what_runs) {
  const Scene scene = load_text(
      "catena: 1\ndefaults: {restitution: 1, friction: 0}\nsimulate: {method: spook, step: 0.5, contacts: exact}\n"
      "bodies:\n  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.13], shapes: [{sphere: 0.1}]}\n"
      "ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n");
  const auto bounces = [&](int most_cuts) {
    Options options;
    options.tuning.emplace().velocity.most_cuts = most_cuts;
    Simulation simulation(scene, options);
    return simulation.step().impacts;
  };
  EXPECT_EQ(bounces(20), 3);  // at 0.078 s, and then every 0.156 s
  EXPECT_LT(bounces(1), 3);
}

}  // namespace tuning_test
}  // namespace catena
