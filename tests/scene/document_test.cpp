#include "catena/scene/document.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "scene/scene_testing.h"

namespace catena {
namespace document_test {

namespace fs = std::filesystem;

// A folder of files that goes when the test ends.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(fs::path(testing::TempDir()) / ("catena_" + name)) {
    fs::create_directories(path_ / "parts");
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& file, const std::string& text) const { std::ofstream(path_ / file) << text; }
  std::string at(const std::string& file) const { return (path_ / file).string(); }
  std::string error_of_main() const {
    try {
      load(path_ / "main.yaml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  fs::path path_;
};

TEST(Include, MergesBodiesJointsAndTheRest) {
  const Folder folder("merge");
  folder.write(
      "main.yaml",
      "include: [parts/arm.yaml, parts/legs.yaml]\nsimulate: {step: 2e-3}\ngravity: [0, 0, -1]\n"
      "bodies: {head: {mass: 1, inertia: 1}}\njoints: {neck: {kind: ball, between: [arm, head], anchor: [0, 0, 0]}}\n"
      "forces: [{body: arm, force: [1, 0, 0]}]\nchain: {count: 2, name: tail, link: {mass: 1, inertia: 1}, joint: "
      "{kind: ball}, offset: [0, 0, 1]}\n");
  folder.write("parts/arm.yaml",
               "include: steel.yaml\nsimulate: {step: 1, duration: 7}\ngravity: [1, 1, 1]\n"
               "bodies: {arm: {mass: 1, inertia: 1, shapes: [{sphere: 1, material: steel}]}}\nforces: [{body: arm, "
               "torque: [1, 0, 0]}]\n");
  folder.write("parts/steel.yaml", "materials: {steel: {friction: 0.3}}\nground: {shapes: [{plane: {}}]}\n");
  folder.write("parts/legs.yaml",
               "chain: {count: 3, name: leg, link: {mass: 1, inertia: 1}, joint: {kind: ball}, offset: [0, 0, -1]}\n"
               "ground: {shapes: [{box: [1, 1, 1]}]}\n");
  const Scene s = load(folder.at("main.yaml"));
  std::vector<std::string> names;
  for (const Body& body : s.model.bodies) names.push_back(body.name);
  EXPECT_THAT(names, testing::ElementsAre("arm", "head", "leg0", "leg1", "leg2", "tail0", "tail1"));
  EXPECT_EQ(s.settings.step, 2e-3);  // the including file wins
  EXPECT_EQ(s.settings.duration, 7);
  EXPECT_EQ(s.model.gravity, (Vec3{0, 0, -1}));
  EXPECT_EQ(s.model.forces.size(), 2u);
  EXPECT_EQ(s.model.ground_shapes.size(), 2u);
  EXPECT_EQ(s.model.materials[1].name, "steel");
}

TEST(Include, ErrorsNameTheIncludedFile) {
  const Folder folder("errors");
  folder.write("main.yaml", "include: parts/arm.yaml\n");
  folder.write("parts/arm.yaml", "bodies:\n  arm: {mas: 1}\n");
  EXPECT_EQ(folder.error_of_main(),
            folder.at("parts/arm.yaml") + ":2:9: body 'arm': unknown key 'mas'; the nearest is 'mass'");
  folder.write("main.yaml", "bodies: {arm: {mass: 1, inertia: 1}}\ninclude: parts/arm.yaml\n");
  folder.write("parts/arm.yaml", "bodies:\n  arm: {mass: 1, inertia: 1}\n");
  EXPECT_EQ(folder.error_of_main(), folder.at("main.yaml") + ":1:10: body 'arm' is already there, from " +
                                        folder.at("parts/arm.yaml") + ":2:3; give every body its own name");
  folder.write("main.yaml", "include: parts/no.yaml\n");
  EXPECT_EQ(folder.error_of_main(), folder.at("main.yaml") + ":1:10: include: cannot read '" +
                                        folder.at("parts/no.yaml") + "'; the path is relative to the including file");
}

TEST(Include, CirclesAreFound) {
  const Folder folder("circle");
  folder.write("main.yaml", "include: parts/a.yaml\n");
  folder.write("parts/a.yaml", "include: ../main.yaml\n");
  EXPECT_EQ(folder.error_of_main(), folder.at("parts/a.yaml") +
                                        ":1:10: include: '../main.yaml' includes itself, directly or by another "
                                        "file; break the circle");
}

TEST(Override, ReplacesAndCreatesKeys) {
  const Scene s = load_ok(kArm + "forces: [{body: arm, force: [1, 0, 0]}]\n",
                          {"bodies.arm.mass=3 g", "simulate.step=2 ms", "forces.0.force=[0, 0, 5]", "forces.1.body=arm",
                           "forces.1.torque=[0, 0, 1]", "bodies.hand={mass: 2, inertia: 1}", "gravity=[0, 0, 0]"});
  EXPECT_EQ(s.model.bodies[0].mass, 3e-3);
  EXPECT_EQ(s.settings.step, 2e-3);
  EXPECT_EQ(s.model.forces[0].force, (Vec3{0, 0, 5}));
  EXPECT_EQ(s.model.forces[1].torque, (Vec3{0, 0, 1}));
  EXPECT_EQ(s.model.bodies[1].name, "hand");
  EXPECT_EQ(s.model.gravity, (Vec3{}));
}

TEST(Override, ReachesIntoGeneratorsAndIncludes) {
  const Folder folder("override");
  folder.write("main.yaml", "chain: {count: 3, link: {mass: 1, inertia: 1}, joint: {kind: ball}, offset: [0, 0, 1]}\n");
  folder.write("parts/arm.yaml", "bodies: {arm: {mass: 1, inertia: 1}}\n");
  const Scene s = load(folder.at("main.yaml"), {"chain.count=5", "include=parts/arm.yaml", "bodies.arm.mass=7"});
  EXPECT_EQ(s.model.bodies.size(), 6u);
  EXPECT_EQ(s.model.bodies[0].mass, 7);
}

TEST(Override, ErrorsQuoteTheOverride) {
  const struct {
    const char* override;
    const char* message;
  } cases[] = {
      {"simulate.stp=1", "--set simulate.stp=1: simulate: unknown key 'stp'; the nearest is 'step'"},
      {"bodies.amr.mass=1", "--set bodies.amr.mass=1: bodies has no 'amr'; the nearest name is 'arm'"},
      {"bodies.arm.mass=-1", "--set bodies.arm.mass=-1: body 'arm': mass -1 must be positive"},
      {"bodies.arm.mass=heavy",
       "--set bodies.arm.mass=heavy: mass: 'heavy' is not a number; a mass is expected, such as '3 g'"},
      {"bodies.arm.mass.x=1", "--set bodies.arm.mass.x=1: 'mass' is '1' and has nothing inside"},
      {"bodies.arm.mass=[1", "--set bodies.arm.mass=[1: this is not YAML: end of sequence flow not found"},
      {"forces.2.body=arm", "--set forces.2.body=arm: '2' is not an index of a list of 0; 0 is the first, 0 adds one"},
      {"simulate", "--set simulate: an assignment a.b.c=VALUE is expected"},
      {"a..b=1", "--set a..b=1: the path before '=' has an empty part; write a.b.c=VALUE"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(kArm, {c.override}), c.message);
}

}  // namespace document_test
}  // namespace catena
