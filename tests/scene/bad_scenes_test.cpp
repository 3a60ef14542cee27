// Small files that ask for much: each ends in a message with its place, after little memory and time.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "catena/import/mesh_file.h"
#include "catena/scene/problem_file.h"
#include "scene/scene_testing.h"

namespace catena {
namespace bad_scenes_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

// A folder of files that goes when the test ends.
class Folder {
 public:
  Folder() : path_(fs::path(testing::TempDir()) / ("catena_bad_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path write(const std::string& file, const std::string& text) const {
    std::ofstream(path_ / file) << text;
    return path_ / file;
  }
  fs::path operator/(const std::string& file) const { return path_ / file; }

 private:
  fs::path path_;
};

std::string error_of_file(const fs::path& file) {
  try {
    load(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(BadScenes, IncludesThatGoTooDeepAreRefused) {
  const Folder folder;
  for (int i = 0; i < 200; ++i)
    folder.write(std::to_string(i) + ".yaml", "include: " + std::to_string(i + 1) + ".yaml\n");
  EXPECT_THAT(error_of_file(folder / "0.yaml"),
              HasSubstr(".yaml:1:10: include: files include each other more than 32 deep"));
}

// Each file includes the next twice: 2³⁰ readings in thirty small files.
TEST(BadScenes, IncludesThatMultiplyAreRefused) {
  const Folder folder;
  for (int i = 0; i < 30; ++i) {
    const std::string next = std::to_string(i + 1) + ".yaml";
    folder.write(std::to_string(i) + ".yaml", "include: [" + next + ", " + next + "]\n");
  }
  folder.write("30.yaml", "gravity: [0, 0, 0]\n");
  EXPECT_THAT(error_of_file(folder / "0.yaml"), HasSubstr("more than 1000 files are included"));
}

TEST(BadScenes, DevicesPipesAndDirectoriesAreNotRead) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe.yaml").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((folder / "pipe.obj").c_str(), 0600), 0);
  fs::create_directories(folder / "folder.obj");
  for (const std::string name : {"/dev/zero", "/dev/random", "pipe.yaml", "."})
    EXPECT_THAT(error_of_file(folder.write("main.yaml", "include: " + name + "\n")),
                HasSubstr(":1:10: include: cannot read"))
        << name;
  for (const std::string name : {"pipe.obj", "folder.obj"}) EXPECT_THROW(load_mesh(folder / name), InputError) << name;
  EXPECT_THAT(error_of_file(folder / "pipe.yaml"), HasSubstr("a device or a pipe"));
  EXPECT_THAT(error_of_file("/dev/zero"), HasSubstr("a device or a pipe"));
  EXPECT_THROW(load_problem("/dev/zero"), InputError);
  EXPECT_THROW(load_problem((folder / "pipe.yaml").string()), InputError);
}

TEST(BadScenes, AnIncludedFileThatIsNoSceneIsNotPrinted) {
  const Folder folder;
  folder.write("secret.yaml", "root:x:0:0\nmany more lines\n");
  const std::string error = error_of_file(folder.write("main.yaml", "include: secret.yaml\n"));
  EXPECT_THAT(error, HasSubstr("a scene is a map"));
  EXPECT_THAT(error, testing::Not(HasSubstr("root")));
}

TEST(BadScenes, MessagesQuoteNoMoreThanAFewWords) {
  const std::string word(100000, 'x');
  EXPECT_LT(error_of("bodies: " + word + "\n").size(), 300u);
  EXPECT_LT(error_of("bodies: {arm: {mass: " + word + "}}\n").size(), 1200u);
  EXPECT_LT(error_of("bodies: {arm: {" + word + ": 1}}\n").size(), 1200u);
  EXPECT_LT(error_of("include: " + word + "\n").size(), 1200u);
}

// Each list holds the one before twice, or each is an anchor inside another: 2ⁿ or n² values.
TEST(BadScenes, AliasesAndAnchorsThatMultiplyAreRefused) {
  std::string doubling = "a0: &a0 [1, 2]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    doubling += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last + ", " + last + "]\n";
  }
  EXPECT_THAT(error_of(doubling), HasSubstr("anchors and aliases unfold to more than"));

  std::string nested = "[" + std::string(2000, '1');
  for (int i = 0; i < 3000; ++i) nested += ", 1";
  nested += "]";
  for (int i = 0; i < 400; ++i) nested = "&b" + std::to_string(i) + " [" + nested + "]";
  EXPECT_THAT(error_of("x: " + nested + "\n"), HasSubstr("anchors and aliases unfold to more than"));
}

TEST(BadScenes, OrdinaryAnchorsStillServe) {
  std::string scene = "bodies:\n  first: &body {mass: 1, inertia: 1}\n";
  for (int i = 0; i < 5000; ++i) scene += "  b" + std::to_string(i) + ": *body\n";
  EXPECT_EQ(load_ok(scene).model.bodies.size(), 5001u);
}

TEST(BadScenes, GeneratorsOfTooManyBodiesAreRefusedWhereTheyAsk) {
  const std::string link = "link: {mass: 1, inertia: 1}, joint: {kind: ball}";
  const struct {
    std::string text, message;
  } cases[] = {
      {"repeat: {count: 1000000000, bodies: {'b{i}': {mass: 1, inertia: 1}}}\n",
       "s.yaml:1:17: count: 1000000000 copies"},
      {"repeat: {count: 600000, bodies: {'a{i}': {mass: 1, inertia: 1}, 'b{i}': {mass: 1, inertia: 1}}}\n",
       "s.yaml:1:17: with these, more than 1000000 bodies"},
      {kArm + "repeat: {count: 9000000000000000000, forces: [{body: arm, force: [1, 0, 0]}]}\n", "s.yaml:2:17: count:"},
      {"repeat: {count: 9000000000000000000, bodies: {}}\n", "s.yaml:1:17: count:"},
      {"chain: {count: 9000000000000000000, " + link + ", offset: [0, 0, 1]}\n",
       "s.yaml:1:16: count: at most 1000000 links"},
      {"tree: {depth: 60, length: 1, " + link + "}\n", "s.yaml:1:15: depth: at most 1000000 links"},
      {"tree: {depth: 9000000000000000000, branch: 1, length: 1, " + link + "}\n", "s.yaml:1:15: depth:"},
      {"cloth: {rows: 10000, columns: 10000, spacing: 1, mass: 1}\n", "s.yaml:1:8: cloth: 10000 x 10000 particles"},
      {"cloth: {rows: 9000000000000000000, columns: 9000000000000000000, spacing: 1, mass: 1}\n", "s.yaml:1:8: cloth:"},
  };
  for (const auto& c : cases) EXPECT_THAT(error_of(c.text), StartsWith(c.message)) << c.text;
}

// Many moderate generators are as large as one.
TEST(BadScenes, GeneratorsAreCountedTogether) {
  std::string text = "repeat:\n";
  for (int i = 0; i < 3; ++i)
    text += "  - {cloth: {rows: 600, columns: 600, spacing: 1, mass: 1, name: c" + std::to_string(i) + "}}\n";
  EXPECT_THAT(error_of(text), HasSubstr("s.yaml:4:"));
}

// A mesh of 30 000 faces in each of 1000 links would take gigabytes.
TEST(BadScenes, MeshesAreCountedTogether) {
  const Folder folder;
  std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  for (int i = 0; i < 30000; ++i) obj += "f 1 2 3\n";
  folder.write("m.obj", obj);
  const std::string scene =
      "chain: {count: 1000, link: {mass: 1, inertia: 1, shapes: [{mesh: m.obj}]}, joint: {kind: ball}, offset: [0, 0, "
      "1]}\n";
  EXPECT_THAT(error_of_file(folder.write("main.yaml", scene)), HasSubstr("points and faces"));
}

TEST(BadScenes, StepsThatTimeCannotCountAreRefused) {
  for (const std::string step : {"5e-324", "1e-300", "1e-13"})
    EXPECT_THAT(error_of(kArm + "simulate: {step: " + step + "}\n"), StartsWith("s.yaml:2:18: simulate: a step of"))
        << step;
  EXPECT_THAT(error_of(kArm + "simulate: {step: 1e-9, duration: 1e9}\n"), HasSubstr("steps"));
  EXPECT_THAT(error_of(kArm + "simulate: {step: .nan}\n"), HasSubstr("not finite"));
  EXPECT_EQ(load_ok(kArm + "simulate: {step: 1e-9, duration: 1}\n").settings.step, 1e-9);
}

TEST(BadScenes, BytesThatAreNotUtf8AreNamedWithTheirPlace) {
  for (const std::string bad : {"\xff", "\xc3", "a\xc3(", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    EXPECT_THAT(error_of("name: x\nbodies: {'" + bad + "': {mass: 1, inertia: 1}}\n"), HasSubstr("not UTF-8"));
  EXPECT_EQ(load_ok("bodies: {'größe €𝄞': {mass: 1, inertia: 1}}\n").model.bodies[0].name, "größe €𝄞");
}

}  // namespace bad_scenes_test
}  // namespace catena
