// The numbers that decide something in a step: every one is listed with its meaning, and what is set is what runs.
#include "catena/model/tuning.h"

#include <gtest/gtest.h>

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
  std::ifstream file(source_dir() + "/src/model/tuning.h");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = text.find("struct " + name + " {"), end = text.find("\n};", begin);
  std::string body = std::regex_replace(text.substr(begin, end - begin), std::regex("//[^\n]*"), "");
  std::set<std::string> names;
  const std::regex field("(\\w+)\\s*=");
  for (std::sregex_iterator at(body.begin(), body.end(), field), last; at != last; ++at) names.insert((*at)[1]);
  return names;
}

template <class T>
void expect_complete(const std::string& name, const T& tuning) {
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

}  // namespace tuning_test
}  // namespace catena
