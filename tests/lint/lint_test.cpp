// Every rule of docs/reference/check.md has a scene that breaks it and no other; the examples and robots break none.
#include "catena/lint/lint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "catena/scene/scene.h"
#include "source_dir.h"

namespace catena {
namespace lint_test {

// A block on a hinge at the origin: keys of the block, of its hinge, more joints, and the rest of the scene.
std::string block(const std::string& body, const std::string& joint = "", const std::string& rest = "",
                  const std::string& joints = "", const std::string& bodies = "") {
  return fmt::format(
      "bodies:\n  a: {{{}}}\n{}joints:\n  j: {{kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, "
      "0]{}}}\n{}{}",
      body, bodies, joint.empty() ? "" : ", " + joint, joints, rest);
}

const std::string kExplicit = "simulate: {method: lagrange}\n";
const std::string kDown = "mass: 1, inertia: 0.1, position: [0, 0, -0.5]",
                  kAside = "mass: 1, inertia: 0.1, position: [0.5, 0, 0]";

std::string servo(const std::string& keys, const std::string& joint = "", const std::string& body = kDown) {
  return block(body, joint, fmt::format("actuators:\n  - {{joint: j, {}}}\n", keys));
}

std::string mjcf(const std::string& joint, const std::string& rest = "") {
  return fmt::format(
      "<mujoco><compiler angle=\"radian\"/><worldbody><body name=\"a\"><joint name=\"j\" {}/>"
      "<inertial pos=\"0 0 -.5\" mass=\"1\" diaginertia=\".1 .1 .1\"/></body></worldbody>{}</mujoco>",
      joint, rest);
}

struct Seed {
  std::string rule, text;
};

std::string urdf(const std::string& axis, const std::string& effort) {
  return fmt::format(
      "<robot name=\"r\"><link name=\"base\"/><link name=\"a\"><inertial><origin xyz=\"0 0 -.5\"/><mass value=\"1\"/>"
      "<inertia ixx=\".1\" iyy=\".1\" izz=\".1\"/></inertial></link><joint name=\"j\" type=\"revolute\"><parent "
      "link=\"base\"/>"
      "<child link=\"a\"/><axis xyz=\"{}\"/><limit lower=\"-1\" upper=\"1\" effort=\"{}\" "
      "velocity=\"1\"/></joint></robot>",
      axis, effort);
}

const Seed kSeeds[] = {
    {"R01", block("mass: 1, inertia: [0.1, 0.1, 0.3], position: [0, 0, -0.5]")},
    {"R02", block(kDown + ", shapes: [{box: [0.05, 0.05, 0.05]}]")},
    {"R03", block("mass: 1, inertia: 1e-6, position: [0, 0, -0.5], shapes: [{box: [0.5, 0.5, 0.5]}]")},
    {"R04", block(kDown, "", "", "  k: {kind: hinge, between: [a, b], anchor: [0, 0, -1], axis: [0, 1, 0]}\n",
                  "  b: {mass: 5e-5, inertia: 5e-8, position: [0, 0, -1.1]}\n")},
    {"R05", block("mass: 5e-7, inertia: 1e-8, position: [0, 0, -0.1]")},
    {"R06", block("mass: 1, inertia: 4e-5, position: [0, 0, -0.5], shapes: [{sphere: 0.01}]")},
    {"R07", block("mass: 0.01, inertia: 0.0017, position: [0, 0, -0.5], shapes: [{box: [1, 1, 1]}]")},
    {"R08", block("mass: 1000, inertia: 7.5e6, position: [0, 0, -0.5], shapes: [{box: [300, 0.1, 0.1]}]")},
    {"R09", block(kDown, "", "gravity: [0, 0, -9810]\n")},
    {"R10", block(kDown + ", angular_velocity: [0, 20000, 0]")},
    {"R11", block(kDown, "", "", "", "  lonely: {mass: 1, inertia: 0.1}\n")},
    {"R12", block(kDown, "", "simulate: {step: 1e-3, sample: 1e-4}\n")},
    {"R13", block(kDown, "", "", "  \"j,k\": {kind: hinge, between: [a, b], anchor: [0, 0, -1], axis: [0, 1, 0]}\n",
                  "  b: {mass: 1, inertia: 0.1, position: [0, 0, -1.1]}\n")},
    {"R14", block(kDown, "limits: {lower: -90, upper: 90}")},
    {"R15", block(kDown, "limits: {lower: 0.5, upper: 1}")},
    {"R16", block(kDown, "limits: {lower: 0, upper: 0}")},
    {"R17", block(kDown, "", "",
                  "  k: {kind: distance, between: [ground, a], anchors: [[5, 0, 0], [0, 0, -1]], length: 1}\n")},
    {"R18", block(kDown, "", "",
                  "  k: {kind: distance, between: [ground, a], anchors: [[0.5, 0, -1], [0, 0, -1]], length: 0.7}\n")},
    {"R19", urdf("0 2 0", "5")},
    {"R20",
     block(kDown, "", "", "  k: {kind: distance, between: [a, b], anchors: [[0, 0, -1], [0, 0, -1]], length: 1e-10}\n",
           "  b: {mass: 1, inertia: 0.1, position: [0, 0, -1.2]}\n")},
    {"R21", block("mass: 1, inertia: 1e-9, position: [0, 0, -0.5]")},
    {"R22", block(kDown, "", "", "  k: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0]}\n")},
    {"R23", block(kDown, "", "",
                  "  k: {kind: hinge, between: [ground, b], anchor: [1, 0, 0], axis: [0, 1, 0]}\n"
                  "  g: {kind: gear, between: [a, b], axis: [0, 1, 0], ratio: 20000}\n",
                  "  b: {mass: 1, inertia: 0.1, position: [1, 0, -0.5]}\n")},
    {"R24", mjcf("axis=\"0 1 0\" range=\"-1 1\"", "<keyframe><key name=\"home\" qpos=\"2\"/></keyframe>")},
    {"R25", urdf("0 1 0", "0")},
    {"R26", servo("kind: position, kp: 1000, kv: 50, limit: 1, signal: 0", "", kAside)},
    {"R27", servo("kind: position, kp: 2, kv: 1, signal: 0", "", kAside)},
    {"R28", kExplicit + block(kDown, "stiffness: 1e7")},
    {"R29", kExplicit + servo("kind: position, kp: 1e7, kv: 1000, signal: 0")},
    {"R30", servo("kind: position, kp: 100, signal: 0")},
    {"R31", servo("kind: position, kp: 100, kv: 10, signal: 2", "limits: {lower: -1, upper: 1}")},
    {"R32", servo("kind: velocity, kv: 10, signal: 1", "motor: {velocity: 2}")},
    {"R33", block(kDown + ", shapes: [{box: [0.5, 0.4, 0.3]}, {box: [0.5, 0.4, 0.3]}]")},
    {"R34", block(kDown + ", shapes: [{sphere: 0.05, at: [5, 0, 0]}]")},
    {"R35", block(kDown + ", shapes: [{sphere: 5e-6}, {box: [0.5, 0.4, 0.3]}]")},
    {"R36", block(kDown + ", shapes: [{box: [0.5, 0.4, 0.3]}]", "",
                  "defaults: {friction: 0}\nground: {shapes: [{plane: {offset: -2}}]}\n")},
};

std::string list(const std::vector<LintFinding>& findings) {
  std::string out;
  for (const LintFinding& f : findings) out += fmt::format("{}: {}: {}\n", f.place, f.rule, f.message);
  return out;
}

TEST(Lint, every_rule_has_a_scene_that_breaks_it_and_no_other) {
  std::set<std::string_view> met;
  for (const Seed& seed : kSeeds) {
    SCOPED_TRACE(seed.rule + "\n" + seed.text);
    const std::vector<LintFinding> findings = lint(load_text(seed.text, "seed"));
    ASSERT_FALSE(findings.empty());
    for (const LintFinding& f : findings) EXPECT_EQ(f.rule, seed.rule) << f.message;
    met.insert(findings.front().rule);
  }
  for (const LintRule& rule : lint_rules()) EXPECT_TRUE(met.contains(rule.number)) << rule.number << " has no seed";
}

TEST(Lint, a_clean_scene_breaks_no_rule) {
  EXPECT_EQ(list(lint(load_text(block(kDown)))), "");
  EXPECT_EQ(list(lint(load_text(mjcf("axis=\"0 1 0\"")))), "");
  EXPECT_EQ(list(lint(load_text(urdf("0 1 0", "5")))), "");
}

TEST(Lint, the_examples_break_no_rule) {
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/examples"))
    if (entry.path().extension() == ".yaml") {
      EXPECT_EQ(list(lint(load(entry.path()))), "");
    }
}

// Pictures of robots are surfaces with holes, which have no volume.
TEST(Lint, meshes_need_not_be_closed) {
  Scene scene = load_text(block(kDown));
  Shape picture{Mesh{"open.obj", {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}}, {{0, 1, 2}}}};
  picture.collide = false;
  scene.model.bodies.front().shapes.push_back(picture);
  EXPECT_EQ(list(lint(scene)), "");
  scene.model.bodies.front().shapes.back().position = {9, 0, 0};
  const std::vector<LintFinding> far = lint(scene);
  ASSERT_EQ(far.size(), 1U);
  EXPECT_EQ(far[0].rule, "R34");
}

TEST(Lint, robots_break_the_rules_their_files_really_break) {
  const std::map<std::string, std::set<std::string_view>> known{
      // Zero is not within the limits of knees and elbows, and a keyframe or program starts them elsewhere.
      {"a1.urdf", {"R15"}},
      {"cassie.xml", {"R15"}},
      {"go1.xml", {"R15"}},
      {"kinova.urdf", {"R15"}},
      {"panda.urdf", {"R15"}},
      {"panda.xml", {"R15"}},
      {"simple_humanoid.urdf", {"R15"}},
      // Limits and efforts of zero, and inertias of 1e-18 kg m2, are in the files.
      {"double_pendulum_simple.urdf", {"R16", "R25"}},
      {"quadruped.urdf", {"R16"}},
      {"icub_reduced.urdf", {"R01", "R15", "R21"}},
      // Written to be unusual: a servo of three newton metres a radian without damping, an axis that is not of unit length.
      {"odd_robot.urdf", {"R19"}},
      {"odd_child.xml", {"R27", "R30"}},
      {"odd_attach.xml", {"R27", "R30"}},
  };
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/tests/data/robots")) {
    const std::string name = entry.path().filename().string();
    if (!is_robot_file(entry.path()) || name == "22_humanoids.xml") continue;
    const std::vector<LintFinding> findings = lint(load(entry.path(), {}, {.missing_meshes = true}));
    std::set<std::string_view> rules;
    for (const LintFinding& f : findings) rules.insert(f.rule);
    const auto found = known.find(name);
    EXPECT_EQ(rules, found == known.end() ? std::set<std::string_view>{} : found->second) << name << "\n"
                                                                                          << list(findings);
  }
}

TEST(Lint, the_page_lists_the_rules_of_the_table) {
  const std::string head =
      "# What `catena check` looks at\n\n"
      "```text\ncatena check SCENE [--ledger] [--strict] [--json]\n```\n\n"
      "validates a scene or robot file, closes its joints and tries the rules below, without running it. A finding is "
      "no error: the\n"
      "exit code stays 0, except for R17. With `--json` the findings are `\"findings\": [{\"rule\", \"place\", "
      "\"message\"}…]`. Of a robot\n"
      "file the text says in brief what was approximated, ignored or defaulted with effect on the motion; `--ledger` "
      "lists what became of\n"
      "every element and attribute, and `--json` has all of it. `--strict` exits with 2 when physics was ignored.\n";
  const std::string path = source_dir() + "/docs/reference/check.md", wanted = head + lint_reference();
  if (std::getenv("CATENA_WRITE_DOCS") != nullptr) std::ofstream(path) << wanted;
  std::ifstream stream(path);
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_TRUE(page == wanted) << path << " is not what the table says; run the test with CATENA_WRITE_DOCS=1";
}

}  // namespace lint_test
}  // namespace catena
